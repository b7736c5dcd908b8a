"""Scheduler, workers and client on hosts of their own, with cables that fail.

Each scenario is one fit, compared with the fit in one memory: as many leaves, and the
same decision values to the last bit.
"""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import dask.array as da
import numpy as np
from distributed import Client
from threadpoolctl import threadpool_limits

from benchmarks import host_network
from benchmarks.data import MissingData
from benchmarks.host_network import HostNetwork, Missing
from benchmarks.records import CaseResult, Claim
from treesvm import DTSVMClassifier, DTSVMClassifierCV
from treesvm.datasets import make_waves
from treesvm.distributed import DaskDTSVMClassifier, DaskDTSVMClassifierCV
from treesvm.partitions import AxisTree

HOSTS = ("client", "scheduler", "one", "two", "small")
_PORT = 8786
_SETTINGS = {
    "max_leaf_size": 120,
    "partition": AxisTree(max_tree_rows=500),
    "random_state": 0,
}
# A host that does not answer is given up after seconds instead of minutes.
_PATIENCE = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "12s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "6s",
}


def on_hosts(scenarios, n_rows=6_000):
    """Run scenarios; return a list of dict with name, seconds, same, words.

    Raises
    ------
    Missing
        Where namespaces cannot be made.
    """
    with HostNetwork(HOSTS) as network:
        scheduler = f"tcp://{network.address['scheduler']}:{_PORT}"
        network.start(
            "scheduler",
            ["scheduler", "--host", scheduler, "--no-dashboard"],
            r"Scheduler at:",
            **_PATIENCE,
        )
        limits = {"one": "2GB", "two": "2GB"}
        if "small memory" in scenarios:
            limits = {"small": "200MB"}
        for host, limit in limits.items():
            options = ["--nthreads", "1", "--memory-limit", limit]
            options += ["--host", network.address[host]]  # there is no way out to ask
            network.start(
                host, ["worker", scheduler, *options], r"Registered to:", **_PATIENCE
            )
        work = {
            "scheduler": scheduler,
            "scenarios": scenarios,
            "spaces": {host: network.space(host) for host in HOSTS},
            "n_workers": len(limits),
            "n_rows": n_rows,
        }
        script = [sys.executable, "-m", "benchmarks.distributed_hosts"]
        done = subprocess.run(
            network.command("client", [*script, json.dumps(work)]),
            capture_output=True,
            text=True,
            timeout=900,
            cwd=Path(__file__).resolve().parents[1],
        )
    if done.returncode:
        raise RuntimeError(f"the client failed: {done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _client(work):
    """What the host "client" runs: print a line of JSON for each scenario."""
    X, y = make_waves(work["n_rows"], 6)
    there = da.from_array(X, chunks=(500, 6)), da.from_array(y, chunks=500)
    with threadpool_limits(1), Client(work["scheduler"], timeout=60) as client:
        client.wait_for_workers(work["n_workers"], timeout=60)
        for name in work["scenarios"]:
            start = time.perf_counter()
            found = SCENARIOS[name](X, y, there, work["spaces"]["two"])
            seconds = time.perf_counter() - start
            print(json.dumps({"scenario": name, "seconds": seconds, **found}))


def _fitted(X, y, there):
    """Fit on the hosts and here; say whether it is the same model."""
    far = DaskDTSVMClassifier(DTSVMClassifier(**_SETTINGS)).fit(*there)
    here = DTSVMClassifier(**_SETTINGS).fit(X, y)
    answers = far.predict(there[0]).compute()
    is_same = _is_same(far.model_, here, X)
    n_leaves, n_hosts = far.model_.n_leaves_, len(far.leaves_per_worker_)
    return {
        "same": is_same and bool(np.array_equal(answers, here.predict(X))),
        "words": f"{n_leaves} leaves by {n_hosts} hosts",
    }


def _is_same(one, other, X):
    return one.n_leaves_ == other.n_leaves_ and np.array_equal(
        one.decision_function(X), other.decision_function(X)
    )


def _searched(X, y, there, _):
    search = DTSVMClassifierCV([1.0, 10.0], [1.0], max_leaf_size=400, random_state=0)
    far = DaskDTSVMClassifierCV(search).fit(*there)
    here = search.fit(X, y)
    theta = f"C={here.C_:g}, {here.max_leaf_size_} rows"
    return {"same": _is_same(far.model_, here, X), "words": theta}


def _cut_off(after, seconds):
    """A scenario in which a host is cut off during the fit, for good if None."""

    def run(X, y, there, space):
        stopped = threading.Event()

        def cut():
            time.sleep(after)
            host_network.pull_cable(space)
            if seconds is not None:
                stopped.wait(seconds)
                host_network.plug_in(space)

        thread = threading.Thread(target=cut)
        thread.start()
        try:
            return _fitted(X, y, there)
        finally:
            stopped.set()
            thread.join()
            host_network.plug_in(space)

    return run


def _slow(X, y, there, space):
    host_network.slow_down(space, "8mbit")
    try:
        return _fitted(X, y, there)
    finally:
        host_network.full_speed(space)


def _refused(X, y, there, _):
    try:
        DaskDTSVMClassifier(DTSVMClassifier(**_SETTINGS)).fit(*there)
    except ValueError as error:
        return {"same": "memory" in str(error), "words": str(error)}
    return {"same": False, "words": "was not refused"}


SCENARIOS = {
    "fit and predict": lambda X, y, there, _: _fitted(X, y, there),
    "search": _searched,
    "cut off for 3 s": _cut_off(0.3, 3.0),
    "slow link": _slow,
    "cut off for good": _cut_off(0.3, None),
    "small memory": _refused,
}


def hosts_case(context):
    """All scenarios, where namespaces can be made."""
    context.start_ours()
    try:
        found = on_hosts([name for name in SCENARIOS if name != "small memory"], 20_000)
        found += on_hosts(["small memory"])
    except Missing as error:
        raise MissingData(str(error)) from error
    n_same = float(sum(line["same"] for line in found))
    claim = Claim(
        "scenarios on several hosts as they should end", n_same, len(found), unit=""
    )
    rows = [
        {
            "scenario": line["scenario"],
            "seconds": line["seconds"],
            "ended as it should": "yes" if line["same"] else "no",
            "": line["words"],
        }
        for line in found
    ]
    return CaseResult(timed=False, claims=[claim], tables={"Hosts of their own": rows})


if __name__ == "__main__":
    _client(json.loads(sys.argv[1]))
