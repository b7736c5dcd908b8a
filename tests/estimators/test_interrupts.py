"""Ctrl-C ends a long solve within two seconds, whatever compiled code is running.

One child process makes one solve after the other, each of which would take minutes; the
parent interrupts them.
"""

import os
import signal
import subprocess
import sys
import time

import pytest

CHILD = """
import signal
import warnings

import numpy as np

from treesvm import DTSVMClassifier, HLSVMClassifier, KernelSVC, KernelSVR
from treesvm import TreeSVC, TreeSVR
from treesvm.baselines import LASVMClassifier
from treesvm.solvers.pegasos import solve_pegasos

signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 5))
y = np.where(rng.random(3000) < 0.5, 1.0, -1.0)  # nothing to learn: the hardest rows
fine = {"C": 1e6, "gamma": 1.0, "tol": 1e-12}


class Pegasos:
    def __init__(self, n):
        self.n = n

    def fit(self, X, y):
        return solve_pegasos(X, y, np.ones(len(y)), 1e-9, tol=1e-12, max_iter=self.n)


CASES = {
    "pair steps": lambda n: KernelSVC(**fine, max_iter=n),
    "interior points": lambda n: KernelSVC(**fine),
    "working sets": lambda n: KernelSVC(**fine, max_iter=n, cache_size=2),
    "regression": lambda n: KernelSVR(**fine, max_iter=n),
    "threads": lambda n: DTSVMClassifier(
        **fine, kernel="rbf", max_iter=n, max_leaf_size=1500, n_jobs=2
    ),
    "online": lambda n: LASVMClassifier(**fine, max_iter=n),
    "coordinates": lambda n: HLSVMClassifier(alpha=1e-12, tol=1e-14, max_passes=n),
    "subgradients": Pegasos,
    "search": lambda n: TreeSVC(time_limit=None if n > 10 else 0.1, n_jobs=2),
    "search of a regressor": lambda n: TreeSVR(time_limit=None if n > 10 else 0.1),
}
for name, model in CASES.items():
    model(10).fit(X[:40], y[:40])  # loads what is compiled, or compiles it
    print(name, flush=True)
    try:
        model(10**9).fit(X, y)
        print("ended", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_long_solves_can_be_interrupted():
    command, waited = [sys.executable, "-c", CHILD], {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            for line in child.stdout:
                time.sleep(0.7)  # until the solve is on its way
                child.send_signal(signal.SIGINT)
                sent = time.monotonic()
                assert child.stdout.readline() == "interrupted\n", line
                waited[line.strip()] = time.monotonic() - sent
        finally:
            child.kill()
    assert len(waited) == CHILD.count("lambda n:") + 1
    assert max(waited.values()) < 2.0, waited
