"""Every estimator gives the same answers for the same numbers, however they are held.

Values are multiples of 1/1024, so that float32 and their halves hold the same numbers.
Features are negative, zero and positive: a shift that is forgotten somewhere shows.
"""

import inspect
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_regressor
from test_common import ESTIMATORS, INIT_PARAMS

from benchmarks.row_forms import FORMS
from treesvm import (
    DTSVMClassifier,
    DTSVRegressor,
    KernelSVC,
    KernelSVR,
    SupportVectorTreeClassifier,
    TreeSVC,
    TreeSVR,
)
from treesvm.candidates import RandomRows
from treesvm.inputs.training_rows import checked_rows
from treesvm.partitions import ObliqueTree

pytestmark = pytest.mark.filterwarnings("ignore:X (has|does not have) .*feature names")


# What is tiny here, so that there are several leaves, nodes and machines.
SMALL = {
    "max_leaf_size": 25,
    "share": 0.3,
    "n_neighbors": 5,
    "min_share": 0.1,
    "random_state": 0,
}
MORE = {
    "DTSVM, reduced, linear": DTSVMClassifier(
        kernel="linear", max_leaf_size=30, reduce=RandomRows(0.9, random_state=0)
    ),
    "DTSVM, members": DTSVMClassifier(max_leaf_size=25, n_estimators=2, random_state=0),
    "DTSVM, oblique": DTSVMClassifier(
        max_leaf_size=25,
        partition=ObliqueTree(alpha=0.1, tol=1e-5, max_passes=20_000),
        random_state=0,
    ),
    # Numbers are given: what is chosen, rounding may decide.
    "DTSVRegressor": DTSVRegressor(
        C=10.0, gamma=1.0, epsilon=0.1, max_leaf_size=25, tol=1e-8, random_state=0
    ),
    "SupportVectorTreeClassifier": SupportVectorTreeClassifier(
        KernelSVC(gamma=1.0, tol=1e-8), max_height=3, split_rows=1, random_state=0
    ),
    "KernelSVC, polynomial": KernelSVC(kernel="poly", gamma=0.1, coef0=1.0, tol=1e-7),
    "KernelSVR, sigmoid": KernelSVR(kernel="sigmoid", gamma=0.01, tol=1e-7),
}


def small(name):
    """An estimator with parameters for few rows."""
    if name in MORE:
        return MORE[name]
    cls = ESTIMATORS[name]
    known = inspect.signature(cls).parameters
    wanted = {key: value for key, value in SMALL.items() if key in known}
    return cls(**(INIT_PARAMS.get(name, {}) | wanted))


def problem():
    rng = np.random.default_rng(5)
    X = np.round(1024 * rng.normal(size=(110, 4))) / 1024 - [3.0, 0.0, 1.0, 0.0]
    X[rng.random(X.shape) < 0.2] = 0.0
    y = (X[:, 0] + X[:, 1] > -2.5).astype(int) + (X[:, 2] > -0.5)
    return X[:80], y[:80], X[80:]


def answers(model, T):
    """What a fitted model says of the rows T, or, if it selects, what it selected."""
    if hasattr(model, "sample_indices_"):
        return [model.sample_indices_]
    names = ("predict", "decision_function")
    return [getattr(model, name)(T) for name in names if hasattr(model, name)]


def assert_same(found, expected, form):
    """Labels and row numbers are equal, values up to the rounding of float32."""
    for one, other in zip(found, expected, strict=True):
        atol = 2e-3 if other.dtype.kind == "f" else 0
        np.testing.assert_allclose(one, other, rtol=0, atol=atol, err_msg=form)


@pytest.mark.parametrize("name", sorted({*ESTIMATORS, *MORE}))
def test_answers_do_not_depend_on_the_form(name, tmp_path):
    X, y, T = problem()
    y = X[:, 0] ** 2 + X[:, 1] if is_regressor(small(name)) else y
    trusted = small(name).fit(X, y)
    expected = answers(trusted, T)
    for form, hold in FORMS.items():
        held = hold(X, tmp_path)
        before = held.copy()
        assert_same(answers(small(name).fit(held, y), T), expected, f"fit, {form}")
        assert_same(answers(trusted, hold(T, tmp_path)), expected, f"predict, {form}")
        if sparse.issparse(held):  # what was given is as it was
            assert np.array_equal(held.data, before.data), form


@pytest.mark.parametrize("cls", [TreeSVC, TreeSVR])
def test_models_of_frames_answer_sparse_rows(cls, tmp_path):
    X, y, T = problem()
    model = cls(time_limit=1e-9, random_state=0).fit(FORMS["frame"](X, tmp_path), y)
    assert_same([model.predict(sparse.csr_matrix(T))], [model.predict(T)], "csr")
    with pytest.raises(ValueError, match="3 features"):
        model.predict(sparse.csr_matrix(T[:, :3]))


def test_rows_whose_sum_overflows_are_answered_without_a_warning():
    X, y, _ = problem()
    model = DTSVMClassifier(max_leaf_size=25, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checked_rows(model, np.full((3, 4), 1e308), reset=False)
