"""The methods that are compared, each with its parameters and its cost."""

from collections.abc import Callable
from typing import NamedTuple

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from treesvm.candidates import TRSD
from treesvm.estimators.candidate_svc import CandidateSVC
from treesvm.estimators.dtsvm import DTSVMClassifier
from treesvm.estimators.hlsvm import HLSVMClassifier
from treesvm.estimators.kernel_svc import KernelSVC
from treesvm.estimators.support_vector_tree import SupportVectorTreeClassifier
from treesvm.estimators.svm_partition_tree import SVMPartitionTreeClassifier
from treesvm.model_selection.tree_svc import TreeSVC
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
    """One way to learn; `make(seed, n_jobs)` returns an unfitted classifier."""

    make: Callable
    cost: Callable
    is_budgeted: bool = False  # on as many rows as a stated time allows
    is_ours: bool = False
    width: str | None = None  # parameter that gets a gamma judged on a sample
    note: str = ""  # what is not the estimator's default, and why


def _lightgbm(seed, n_jobs):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=n_jobs or 1, verbose=-1)


# The estimators' own defaults, but where a note says otherwise. Machines over the whole
# space get a C and a gamma that suit them: they should not lose by their width.
METHODS = {
    "linear": Method(
        lambda seed, n_jobs: LinearSVC(random_state=seed),
        linear_cost,
    ),
    "svm": Method(
        lambda seed, n_jobs: SVC(C=C),
        kernel_cost,
        is_budgeted=True,
        width="gamma",
    ),
    "cart": Method(
        lambda seed, n_jobs: DecisionTreeClassifier(
            min_samples_leaf=5, random_state=seed
        ),
        axis_tree_cost,
    ),
    "histgb": Method(
        lambda seed, n_jobs: HistGradientBoostingClassifier(random_state=seed),
        histogram_cost,
    ),
    "lightgbm": Method(_lightgbm, boosted_cost),
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
        is_ours=True,
    ),
    "tree-svc": Method(
        lambda seed, n_jobs: TreeSVC(random_state=seed, n_jobs=n_jobs),
        front_door_cost,
        is_ours=True,
    ),
}


def available(names=None):
    """Return {name: Method} of the named methods, by default of all installed ones."""
    return {name: METHODS[name] for name in chosen_methods(names)}
