"""Several hosts on one machine: network namespaces, joined by cables to a switch.

Every host has its own addresses, routes and loopback device; what is sent from one to
another passes two virtual cables, which can be pulled and slowed down. It takes root
and the command ``ip`` (Debian: iproute2).
"""

import os
import re
import shutil
import subprocess
import sys
import threading
import time

_ADDRESS = "10.77.0.{}"


class Missing(Exception):
    """Namespaces cannot be made here; the text says why."""


class HostNetwork:
    """Hosts by name, each with an address in 10.77.0.0/24; a context manager.

    Parameters
    ----------
    names : sequence of str
    """

    def __init__(self, names):
        self._prefix = f"tsvm{os.getpid()}"
        self.address = {name: _ADDRESS.format(k) for k, name in enumerate(names, 1)}
        self._processes = []

    def __enter__(self):
        if os.name != "posix" or os.geteuid() != 0 or shutil.which("ip") is None:
            raise Missing("network namespaces take root and the command ip")
        try:
            self._build()
        except subprocess.CalledProcessError as error:
            self.__exit__()
            raise Missing(f"{error.cmd}: {error.stderr.strip()}") from error
        return self

    def __exit__(self, *_):
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stderr.close()
        for name in ("switch", *self.address):
            subprocess.run(
                ["ip", "netns", "del", self.space(name)], capture_output=True
            )

    def space(self, name):
        """The namespace of a host."""
        return f"{self._prefix}-{name}"

    def _build(self):
        switch = self.space("switch")
        _ip("netns", "add", switch)
        _ip("-n", switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", switch, "link", "set", "bridge", "up")
        for number, (name, address) in enumerate(self.address.items()):
            own, port = self.space(name), f"port{number}"
            _ip("netns", "add", own)
            cable = ["type", "veth", "peer", "name", "cable", "netns", own]
            _ip("-n", switch, "link", "add", port, *cable)
            _ip("-n", switch, "link", "set", port, "master", "bridge", "up")
            _ip("-n", own, "link", "set", "lo", "up")
            _ip("-n", own, "link", "set", "cable", "up")
            _ip("-n", own, "address", "add", f"{address}/24", "dev", "cable")

    def start(self, host, arguments, pattern, **environment):
        """Start a dask command on a host; wait for a line of its log."""
        command = [sys.executable, "-m", "dask", *arguments]
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.space(host), *command],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )
        self._processes.append(process)
        deadline, log = time.monotonic() + 60.0, []
        while time.monotonic() < deadline:
            line = process.stderr.readline()
            log.append(line)
            if re.search(pattern, line):
                threading.Thread(target=_drain, args=(process,), daemon=True).start()
                return process
            if not line and process.poll() is not None:
                break
        raise RuntimeError(
            f"dask {arguments[0]} did not start on {host}: {''.join(log)[-500:]}"
        )

    def command(self, host, arguments):
        """Return a command that runs on a host."""
        return ["ip", "netns", "exec", self.space(host), *arguments]


def _drain(process):
    """Read what a process logs, so that its pipe never fills."""
    try:
        for _ in process.stderr:
            pass
    except ValueError:  # closed at the end
        pass


def pull_cable(space):
    """Cut a host off."""
    _ip("-n", space, "link", "set", "cable", "down")


def plug_in(space):
    """Connect a host again."""
    _ip("-n", space, "link", "set", "cable", "up")


def slow_down(space, rate):
    """Let a host send no faster than a rate such as "20mbit"."""
    limit = ["tbf", "rate", rate, "burst", "64kb", "latency", "200ms"]
    command = ["tc", "-n", space, "qdisc", "replace", "dev", "cable", "root", *limit]
    subprocess.run(command, check=True, capture_output=True, text=True)


def full_speed(space):
    """End `slow_down`."""
    command = ["tc", "-n", space, "qdisc", "del", "dev", "cable", "root"]
    subprocess.run(command, check=True, capture_output=True, text=True)


def _ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)
