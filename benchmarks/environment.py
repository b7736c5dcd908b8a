"""Versions and machine: without them a time means nothing."""

import datetime
import os
import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ["numpy", "scipy", "scikit-learn", "numba", "treesvm"]


def versions(packages=PACKAGES):
    """``{package: version}``, with "none" for what is not installed."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    return found


def machine():
    """Processor and number of cores this process may use."""
    return {"cpu": _cpu_model(), "cores": len(_usable_cores())}


def load():
    """Mean number of busy processes of the last minute, where the system tells."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def timestamp():
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _usable_cores():
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return range(os.cpu_count() or 1)


def _cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
