"""Small models of every kind that can be exported, and rows to ask them."""

import warnings
from functools import cache

import numpy as np
from sklearn.datasets import load_iris

from treesvm import (
    DTSVMClassifier,
    HLSVMClassifier,
    KernelSVC,
    KernelSVR,
    SupportVectorTreeClassifier,
    SVMMajClassifier,
    SVMPartitionTreeClassifier,
    TreeSVC,
    TreeSVR,
    compress,
)
from treesvm.baselines import BaggedSVC, CPSPClassifier, RDSVMClassifier
from treesvm.candidates import RandomRows
from treesvm.decomposition.calibration import Calibration
from treesvm.estimators.candidate_svc import CandidateSVC
from treesvm.estimators.dtsvr import DTSVRegressor

SMALL = {"max_leaf_size": 40, "random_state": 0}
_QUICK = {"time_limit": 0.3, "random_state": 0}


def training_rows():
    """Rows in single precision, three classes, and two of them."""
    X, y = load_iris(return_X_y=True)
    return X.astype(np.float32), y, y == 1


def asked_rows(model):
    """Training rows, rows around them and far away, and rows on cuts."""
    X, _, _ = training_rows()
    rng = np.random.default_rng(0)
    around = rng.uniform(X.min(axis=0) - 1, X.max(axis=0) + 1, (250, X.shape[1]))
    far = np.array([[1e6, -1e6, 5, 1], [0, 0, 0, 0], [-1e6, 3, 1e6, 0]])
    rows = np.vstack([X, around, far]).astype(np.float32)
    return rows[:, : model.n_features_in_]


def kernel_machines():
    """KernelSVC in all its forms: (name, fitted model)."""
    X, y, two = training_rows()
    kernels = {
        "rbf": {"gamma": 0.7},
        "laplacian": {"gamma": 0.7},
        "linear": {},
        "poly": {"gamma": 0.1, "coef0": 1.0, "degree": 3},
        "sigmoid": {"gamma": 0.01, "coef0": -0.1},
    }
    for name, options in kernels.items():
        yield name, KernelSVC(kernel=name, **options).fit(X, y)
        yield f"{name}, two classes", KernelSVC(kernel=name, **options).fit(X, two)
    yield "pair values", KernelSVC(decision_function_shape="ovo").fit(X, y)
    yield "ties broken", KernelSVC(break_ties=True).fit(X, y)
    yield "against the rest", KernelSVC(multi_class="ovr").fit(X, y)
    yield "probabilities", KernelSVC(probability=True, random_state=0).fit(X, y)
    yield (
        "probabilities, two classes",
        KernelSVC(probability=True, random_state=0).fit(X, two),
    )


def decomposed_machines():
    """Members, parts, scalings, compressed machines: (name, fitted model)."""
    X, y, two = training_rows()
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    leaves = DTSVMClassifier(**SMALL).fit(X, y)
    yield "leaves", leaves
    yield "leaves, float64 rows", DTSVMClassifier(**SMALL).fit(X / 3.0, y)
    forms = {
        "quantiles": {"leaf_scaling": "quantile", "kernel": "rbf"},
        "not scaled": {"leaf_scaling": None, "multi_class": "ovr"},
        "learned": {"feature_weights": "learned"},
        "local": {"feature_weights": "local", "kernel": "rbf"},
        "oblique": {"partition": "oblique"},
        "whole": {"partition": "whole"},
        "committee": {"n_estimators": 3},
        "hard votes": {"n_estimators": 3, "voting": "hard"},
        "scores alone": {"probability": False},
        "votes alone": {"n_estimators": 3, "voting": "hard", "probability": False},
        "linear": {"kernel": "linear"},
    }
    for name, options in forms.items():
        yield name, DTSVMClassifier(**SMALL, **options).fit(X, words)
        yield f"{name}, two classes", DTSVMClassifier(**SMALL, **options).fit(X, two)
    mixed = DTSVMClassifier(**SMALL).fit(X, y)
    for kernel, scaling in (("rbf", "quantile"), ("linear", None)):
        other = DTSVMClassifier(**SMALL, kernel=kernel, leaf_scaling=scaling).fit(X, y)
        mixed.decompositions_ = mixed.decompositions_ + other.decompositions_
    yield "members with different kernels", mixed
    yield "compressed", compress(leaves, X, y, tolerance=0.1, random_state=0)
    for shared in (True, False):
        tree = SupportVectorTreeClassifier(leaves, shared=shared, random_state=0)
        yield f"support vector trees, shared={shared}", tree.fit(X)
    yield "bag", BaggedSVC([1.0], [1.0], 60, random_state=0).fit(X, y)
    yield "CPSP", CPSPClassifier(budget=5, random_state=0).fit(X, y)
    machine = CandidateSVC(RandomRows(0.5, random_state=0), KernelSVC())
    yield "candidates", machine.fit(X, y)


def noisy_committees():
    """Calibrated parts whose shares would turn answers: (name, fitted model)."""
    X, y, two = training_rows()
    # Left to the rows, C would be so small that scores say next to nothing.
    fixed = SMALL | {"C": 5.0, "gamma_scale": 1.0, "kernel": "laplacian"}
    drawn = np.random.default_rng(0).random(len(y)) < 0.7
    for name, codes in (("three", y * drawn), ("two", two & drawn)):
        for options in ({}, {"n_estimators": 3}, {"n_estimators": 4, "voting": "hard"}):
            model = DTSVMClassifier(**fixed, **options).fit(X, codes)
            yield f"{name} classes, {options}", model
        alike = DTSVMClassifier(**fixed).fit(X, codes)
        alike.calibration_ = Calibration(alike.calibration_.slope)
        yield f"{name} classes, no shares", alike


def linear_machines():
    """Trees of planes, and planes: (name, fitted model)."""
    X, y, two = training_rows()
    for name in ("tree", "ovo", "ovr"):
        yield name, HLSVMClassifier(multi_class=name, random_state=0).fit(X, y)
    yield "two classes", HLSVMClassifier(random_state=0).fit(X, two)
    yield "one leaf", HLSVMClassifier(random_state=0).fit(0 * X, two)
    partition_tree = SVMPartitionTreeClassifier(alpha=1.0, random_state=0)
    yield "partition tree", partition_tree.fit(X, y)
    yield "SVM-Maj", SVMMajClassifier().fit(X, y)
    calibrated = SVMMajClassifier(probability=True, random_state=0)
    yield "SVM-Maj, two classes", calibrated.fit(X, two)


def front_doors():
    X, y, _ = training_rows()
    with_gaps = X.astype(float)
    with_gaps[::9, 1] = np.nan
    yield "TreeSVC", TreeSVC(**_QUICK).fit(with_gaps, y)
    yield "TreeSVR", TreeSVR(**_QUICK).fit(with_gaps[:, :3], X[:, 3])


def regressors():
    X, _, _ = training_rows()
    for name in ("rbf", "laplacian"):
        yield f"{name} machine", KernelSVR(kernel=name).fit(X[:, :3], X[:, 3])
    for scaling in ("minmax", "quantile"):
        model = DTSVRegressor(**SMALL, epsilon=0.01, leaf_scaling=scaling)
        yield f"leaves, {scaling}", model.fit(X[:, :3], X[:, 3])


def random_parts():
    X, y, _ = training_rows()
    yield "random parts", DTSVMClassifier(**SMALL, partition="random").fit(X, y)
    yield "RDSVM", RDSVMClassifier([1.0], [1.0], 40, random_state=0).fit(X, y)


def all_models(*sources):
    """Return {name: model} of some of the functions above."""
    return {
        f"{source.__name__}: {name}": model
        for source in sources
        for name, model in _models_of(source).items()
    }


@cache
def _models_of(source):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence, which matters elsewhere
        return dict(source())
