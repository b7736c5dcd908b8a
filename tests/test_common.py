"""scikit-learn's own checks, over every public estimator of the library.

Estimators are found through the ``__all__`` of the public packages, so a new one is
checked from the day it is exported. `INIT_PARAMS` only makes the checks quick (smaller
forests, grids and leaves); a check that cannot hold goes into `EXPECTED_FAILURES` with
the reason.
"""

import importlib
import inspect

import pytest
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from treesvm import KernelSVC
from treesvm.inputs.whole_fit import all_or_nothing

PUBLIC_PACKAGES = [
    "treesvm",
    "treesvm.baselines",
    "treesvm.candidates",
    "treesvm.model_selection",
]

# Class name -> parameters. A class that is not here is checked with its defaults.
INIT_PARAMS = {
    "KernelSVC": {"gamma": 1.0, "tol": 1e-7},
    "LASVMClassifier": {"gamma": 1.0, "tol": 1e-9, "epochs": 200},
    "DTSVMClassifier": {"gamma": 1.0, "tol": 1e-8},
    "DTSVMClassifierCV": {"Cs": [1.0, 10.0], "gammas": [0.1, 1.0], "tol": 1e-8},
    "DTSVRegressor": {"gamma": 1.0, "tol": 1e-8},
    "DTSVRegressorCV": {"Cs": [1.0, 10.0], "gammas": [0.1, 1.0], "tol": 1e-10},
    "KernelSVR": {"gamma": 1.0, "tol": 1e-8},
    # Pruning rows are drawn by row, and a loose tolerance sees the order of rows.
    "HLSVMClassifier": {"prune_share": 0.0, "tol": 1e-5, "max_passes": 20_000},
    "HLSVMClassifierCV": {
        "alphas": [0.01],
        "prune_shares": (0.0,),
        "cv": 3,
        "tol": 1e-5,
        "max_passes": 20_000,
    },
    "CPSPClassifier": {"gamma": 1.0, "tol": 1e-14, "max_iter": 100},
    "SupportVectorTreeClassifier": {"estimator": KernelSVC(gamma=1.0, tol=1e-8)},
    "SVMTreesClassifier": {"tol": 1e-5, "max_passes": 20_000},
    "RDSVMClassifier": {"Cs": [1.0, 10.0], "gammas": [0.1, 1.0], "tol": 1e-8},
    "BaggedSVC": {"max_samples": 60, "Cs": [1.0, 10.0], "gammas": [0.1, 1.0]},
    # The limit is over before the search starts, so that every fit takes one theta.
    "TreeSVC": {"time_limit": 1e-9},
    "TreeSVR": {"time_limit": 1e-9},
}

# Class name -> {check name: reason a maintainer would accept}.
_DRAWN = "each machine draws its rows, so a row of weight two is not a row twice"
# Weights are checked with a fixed λ in tests/estimators/test_svm_partition_tree.py.
_NODE_FOLDS = "cv says how many folds each node draws; the check hands over splits"
_FOLDS = "rows are dealt to folds by number, so a row of weight two is not a row twice"
_SELECTED = "rows are selected by count, so a row of weight two is not a row twice"
# Weights are checked to 1e-5 in tests/baselines/test_lasvm.py.
_SINGLE = "kernel rows are float32, good for 2e-7; the check asks for 1e-7"
# Decision values of weighted and repeated rows are compared in tests/estimators.
_LEFT_OUT = "probabilities leave out one row: of a row twice, the other copy stays"
EXPECTED_FAILURES = {
    "DTSVMClassifier": {
        "check_sample_weight_equivalence_on_dense_data": _LEFT_OUT,
        "check_sample_weight_equivalence_on_sparse_data": _LEFT_OUT,
    },
    "LASVMClassifier": {
        "check_sample_weight_equivalence_on_dense_data": _SINGLE,
        "check_sample_weight_equivalence_on_sparse_data": _SINGLE,
    },
    "CandidateSVC": {
        "check_sample_weight_equivalence_on_dense_data": _SELECTED,
        "check_sample_weight_equivalence_on_sparse_data": _SELECTED,
    },
    "BaggedSVC": {
        "check_sample_weight_equivalence_on_dense_data": _DRAWN,
        "check_sample_weight_equivalence_on_sparse_data": _DRAWN,
    },
    "SVMPartitionTreeClassifier": {
        "check_sample_weight_equivalence_on_dense_data": _NODE_FOLDS,
        "check_sample_weight_equivalence_on_sparse_data": _NODE_FOLDS,
    },
    "TreeSVC": {
        "check_sample_weight_equivalence_on_dense_data": _FOLDS,
        "check_sample_weight_equivalence_on_sparse_data": _FOLDS,
    },
    "TreeSVR": {
        "check_sample_weight_equivalence_on_dense_data": _FOLDS,
        "check_sample_weight_equivalence_on_sparse_data": _FOLDS,
    },
}


def public_estimators():
    """Every estimator class exported by a public package that exists, by name."""
    found = {}
    for package in PUBLIC_PACKAGES:
        try:
            module = importlib.import_module(package)
        except ModuleNotFoundError as error:
            # A package not written yet is fine; a broken import inside one is not.
            if error.name != package:
                raise
            continue
        for name in getattr(module, "__all__", []):
            member = getattr(module, name)
            if inspect.isclass(member) and issubclass(member, BaseEstimator):
                found[name] = member
    return dict(sorted(found.items()))


def build(name, cls):
    """An instance with the quick parameters that its constructor really has."""
    wanted = INIT_PARAMS.get(name, {})
    unknown = wanted.keys() - inspect.signature(cls).parameters.keys()
    assert not unknown, f"INIT_PARAMS names parameters {name} does not have: {unknown}"
    return cls(**wanted)


ESTIMATORS = public_estimators()


@parametrize_with_checks(
    [build(name, cls) for name, cls in ESTIMATORS.items()],
    expected_failed_checks=lambda e: EXPECTED_FAILURES.get(type(e).__name__, {}),
)
def test_sklearn_check(estimator, check):
    check(estimator)


def stopping(cls):
    """A subclass whose objects stop a fit where they set their `stop_at`-th name."""

    def set_name(self, name, value):
        own = vars(self)
        own["n_set"] = own.get("n_set", 0) + 1
        if own["n_set"] == own.get("stop_at"):
            raise KeyboardInterrupt
        cls.__setattr__(self, name, value)

    return type(cls.__name__, (cls,), {"__setattr__": set_name})


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", list(ESTIMATORS))
def test_a_fit_that_is_stopped_leaves_the_model_as_it_was(name, rng):
    model = build(name, stopping(ESTIMATORS[name]))
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + X[:, 1] ** 2 if is_regressor(model) else (X[:, 0] > 0.3).astype(int)
    vars(model)["n_set"] = 0
    model.fit(X, y)
    n_set = vars(model).pop("n_set")
    before = vars(model).copy()
    for stop_at in sorted({1, n_set // 2, n_set}):
        vars(model).update(n_set=0, stop_at=stop_at)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X[::-1, :2], y[::-1])
        after = vars(model).copy()
        del after["n_set"], after["stop_at"]
        assert after.keys() == before.keys()
        assert all(after[key] is before[key] for key in before)


@pytest.mark.parametrize(
    "name", ["DTSVMClassifier", "DTSVMClassifierCV", "HLSVMClassifier"]
)
def test_fits_on_clusters_are_all_or_nothing(name):
    distributed = pytest.importorskip("treesvm.distributed", exc_type=ImportError)
    fit = getattr(distributed, f"Dask{name}").fit
    assert fit.__code__ is all_or_nothing(id).__code__


@pytest.mark.parametrize("name", sorted(EXPECTED_FAILURES))
def test_expected_failures_are_for_existing_estimators_and_have_reasons(name):
    assert name in ESTIMATORS
    assert all(len(reason) > 20 for reason in EXPECTED_FAILURES[name].values())


@pytest.mark.parametrize("name", list(ESTIMATORS))
def test_docstring_says_when_not_to_use_it(name):
    assert "not to use" in (ESTIMATORS[name].__doc__ or "").lower()
