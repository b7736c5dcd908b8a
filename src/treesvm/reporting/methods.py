"""The methods that are compared, each with its parameters and its cost."""

import importlib
from collections.abc import Callable
from typing import NamedTuple

from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treesvm.candidates import TRSD
from treesvm.datasets.label_task import CLASSIFICATION, REGRESSION
from treesvm.estimators.candidate_svc import CandidateSVC
from treesvm.estimators.dtsvm import DTSVMClassifier
from treesvm.estimators.dtsvr import DTSVRegressor
from treesvm.estimators.hlsvm import HLSVMClassifier
from treesvm.estimators.kernel_svc import KernelSVC
from treesvm.estimators.support_vector_tree import SupportVectorTreeClassifier
from treesvm.estimators.svm_partition_tree import SVMPartitionTreeClassifier
from treesvm.model_selection.tree_svc import TreeSVC
from treesvm.model_selection.tree_svr import TreeSVR
from treesvm.reporting.kernel_width import C
from treesvm.reporting.method_looks import chosen_methods
from treesvm.reporting.prediction_cost import (
    axis_tree_cost,
    boosted_cost,
    front_door_cost,
    histogram_cost,
    kernel_cost,
    linear_cost,
    oblique_cost,
    path_cost,
)


class Method(NamedTuple):
    """One way to learn; `make(seed, n_jobs)` returns an unfitted estimator."""

    make: Callable  # a classifier
    cost: Callable
    make_regressor: Callable | None = None
    regressor_width: str | None = None
    takes_sparse: bool = True
    is_budgeted: bool = False  # on as many rows as a stated time allows
    is_ours: bool = False
    width: str | None = None  # parameter that gets a gamma judged on a sample
    note: str = ""  # what is not the estimator's default, and why


def _lightgbm(name):
    """Return a way to make one of LightGBM's models, which is imported then."""

    def make(seed, n_jobs):
        model = getattr(importlib.import_module("lightgbm"), name)
        return model(random_state=seed, n_jobs=n_jobs or 1, verbose=-1)

    return make


def _svr(seed, n_jobs):
    """C and the width of the tube are in units of the target, which has any."""
    return TransformedTargetRegressor(SVR(C=C), transformer=StandardScaler())


# The estimators' own defaults, but where a note says otherwise. Machines over the whole
# space get a C and a gamma that suit them: they should not lose by their width.
METHODS = {
    "linear": Method(
        lambda seed, n_jobs: LinearSVC(random_state=seed),
        linear_cost,
        lambda seed, n_jobs: Ridge(),
    ),
    "svm": Method(
        lambda seed, n_jobs: SVC(C=C),
        kernel_cost,
        _svr,
        "regressor__gamma",
        is_budgeted=True,
        width="gamma",
    ),
    "cart": Method(
        lambda seed, n_jobs: DecisionTreeClassifier(
            min_samples_leaf=5, random_state=seed
        ),
        axis_tree_cost,
        lambda seed, n_jobs: DecisionTreeRegressor(
            min_samples_leaf=5, random_state=seed
        ),
    ),
    "histgb": Method(
        lambda seed, n_jobs: HistGradientBoostingClassifier(random_state=seed),
        histogram_cost,
        lambda seed, n_jobs: HistGradientBoostingRegressor(random_state=seed),
        takes_sparse=False,
    ),
    "lightgbm": Method(
        _lightgbm("LGBMClassifier"), boosted_cost, _lightgbm("LGBMRegressor")
    ),
    "partition-tree": Method(
        lambda seed, n_jobs: SVMPartitionTreeClassifier(
            alpha=1.0, random_state=seed, n_jobs=n_jobs
        ),
        oblique_cost,
        is_ours=True,
        note="alpha=1 without a search",
    ),
    "hlsvm": Method(
        lambda seed, n_jobs: HLSVMClassifier(random_state=seed, n_jobs=n_jobs),
        oblique_cost,
        is_ours=True,
    ),
    "trsd": Method(
        lambda seed, n_jobs: CandidateSVC(
            TRSD(), KernelSVC(C=C, n_jobs=n_jobs), random_state=seed
        ),
        kernel_cost,
        is_budgeted=True,
        is_ours=True,
        width="estimator__gamma",
    ),
    "svtree": Method(
        lambda seed, n_jobs: SupportVectorTreeClassifier(
            KernelSVC(C=C), refit="margin", split_rows=100, random_state=seed
        ),
        path_cost,
        is_budgeted=True,
        is_ours=True,
        width="estimator__gamma",
        note="refitted to margins, nodes of 100 rows",
    ),
    "dtsvm": Method(
        lambda seed, n_jobs: DTSVMClassifier(random_state=seed, n_jobs=n_jobs),
        kernel_cost,
        lambda seed, n_jobs: DTSVRegressor(random_state=seed, n_jobs=n_jobs),
        is_ours=True,
    ),
    "tree-svc": Method(
        lambda seed, n_jobs: TreeSVC(random_state=seed, n_jobs=n_jobs),
        front_door_cost,
        lambda seed, n_jobs: TreeSVR(random_state=seed, n_jobs=n_jobs),
        is_ours=True,
    ),
}


def available(names=None, task=CLASSIFICATION):
    """Return {name: Method} of the named methods, by default of all installed ones.

    For regression those that can; their `make` and `width` are then of the regressor.
    """
    found = {name: METHODS[name] for name in chosen_methods(names)}
    if task != REGRESSION:
        return found
    return {
        name: method._replace(make=method.make_regressor, width=method.regressor_width)
        for name, method in found.items()
        if method.make_regressor is not None
    }
