"""Fits with checkpoints, the same in the tests and in the processes they kill."""

import sys

import numpy as np

from treesvm import (
    DTSVMClassifier,
    DTSVMClassifierCV,
    HLSVMClassifier,
    HLSVMClassifierCV,
)
from treesvm.datasets import make_waves
from treesvm.partitions import AxisTree
from treesvm.persistence import Checkpoint


def rows(n_rows=2000):
    """The training rows of all fits."""
    return make_waves(n_rows, 6, seed=3)


FITS = {
    "dtsvm": DTSVMClassifier(max_leaf_size=100, random_state=0),
    "several trees": DTSVMClassifier(max_leaf_size=200, n_estimators=2, random_state=1),
    "paper": DTSVMClassifier(max_leaf_size=200, probability=False, random_state=2),
    "sampled tree": DTSVMClassifier(
        max_leaf_size=100, partition=AxisTree(max_tree_rows=500), random_state=0
    ),
    "unseeded": DTSVMClassifier(max_leaf_size=100),
    "raced": DTSVMClassifierCV(
        [1.0, 10.0], [1.0, 10.0], max_leaf_size=200, random_state=0
    ),
    "exhaustive": DTSVMClassifierCV(
        [1.0, 10.0], [1.0, 10.0], max_leaf_size=200, search="exhaustive", random_state=0
    ),
    "hlsvm": HLSVMClassifier(random_state=0),
    "hlsvm pairs": HLSVMClassifier(multi_class="ovo", random_state=0),
    "oblique": DTSVMClassifier(max_leaf_size=100, partition="oblique", random_state=0),
    "hlsvm search": HLSVMClassifierCV(
        [0.01, 0.1], prune_shares=(0.1, "cv"), cv=2, random_state=0
    ),
}


def everything(model):
    """All numbers of a fitted model but its times, in one order."""
    found = []
    for tree in model.trees_:
        found += [getattr(tree, name) for name in sorted(tree.__dataclass_fields__)]
    members = getattr(model, "decompositions_", None)
    if members is None:
        members = [model.decomposition_] if hasattr(model, "decomposition_") else []
    for part in (part for member in members for part in member.parts):
        found.append(np.array([part.code, part.n_rows, part.n_classes]))
        if part.machine is not None:
            machine, scaling = part.machine, part.scaling
            found += [np.array([machine.kernel.gamma]), machine.vectors]
            found += [machine.support, machine.class_starts, machine.coefficients]
            found += [machine.biases, machine.records.tobytes(), *(scaling or ())]
    for name in ("C_", "gamma_", "alpha_", "max_leaf_size_"):
        found.append(np.array([getattr(model, name, 0.0)]))
    best = getattr(model, "best_estimator_", model)
    for numbers in getattr(best, "calibration_", None) or ():
        found.append(np.atleast_1d(numbers))
    return found


def assert_same_model(a, b):
    """Every number equal, to the last bit."""
    ours, theirs = everything(a), everything(b)
    assert len(ours) == len(theirs)
    for x, y in zip(ours, theirs, strict=True):
        assert x == y if isinstance(x, bytes) else np.array_equal(x, y)
    assert np.array_equal(a.classes_, b.classes_)


def main(name, folder, n_rows):
    """Fit as a process that a test can kill; every leaf is written at once."""
    X, y = rows(int(n_rows))
    print("started", flush=True)
    FITS[name].set_params(checkpoint=Checkpoint(folder, every=0.0)).fit(X, y)
    print("finished", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
