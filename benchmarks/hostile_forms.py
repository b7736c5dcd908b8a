"""Every estimator × every form of the rows it is fitted on × every form it is asked in.

The forms are those of `benchmarks.row_forms`: the same numbers, held otherwise. Right
is the answer of the model that was fitted on dense float64 rows and asked with such
rows: labels and chosen rows are equal, values up to the rounding of float32.
"""

import warnings
from functools import cache

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_regressor

from benchmarks.hostile_arrays import ESTIMATORS, answers_of, small_estimator
from benchmarks.hostile_cases import generated_case, judging
from benchmarks.row_forms import FORMS

FINE = ("equal answers",)
ALL_FORMS = {"dense": lambda X, _: X, **FORMS}
_QUICK_ITEMS = 2 * len(ALL_FORMS)
_CLOSE = 2e-3  # of the largest value: what float32 and a solver's tolerance leave


def problem():
    """Rows whose halves float32 holds exactly, with zeros and off the middle."""
    rng = np.random.default_rng(5)
    X = np.round(1024 * rng.normal(size=(110, 4))) / 1024 - [3.0, 0.0, 1.0, 0.0]
    X[rng.random(X.shape) < 0.2] = 0.0
    y = (X[:, 0] + X[:, 1] > -2.5).astype(int) + (X[:, 2] > -0.5)
    return X[:80], y[:80], X[80:]


def drawn(number):
    """Return the names of estimator and form of one number."""
    place, form = divmod(number, len(ALL_FORMS))
    return list(ESTIMATORS)[place], list(ALL_FORMS)[form]


@cache
def expected(name, is_sparse):
    """Return what the dense model answers to dense rows.

    A search over tables tries other machines for sparse rows: these have one of theirs.
    """
    X, y, T = problem()
    rows = sparse.csr_matrix(X) if is_sparse else X
    return answers_of(_fitted(name, rows, X, y), T)


def _fitted(name, rows, X, y):
    model = clone(small_estimator(name))
    return model.fit(rows, X[:, 0] ** 2 + X[:, 1] if is_regressor(model) else y)


def judge(number, folder):
    """Fit on one form, ask in all forms; return the outcome in a few words."""
    name, form = drawn(number)
    X, y, T = problem()
    held = ALL_FORMS[form](X, folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names, and of machines that are cut short
        model = _fitted(name, held, X, y)
        is_apart = sparse.issparse(held) and hasattr(model, "encoder_")
        right = expected(name, is_apart)
        for asked, hold in ALL_FORMS.items():
            wrong = _difference(answers_of(model, hold(T, folder)), right)
            if wrong:
                return f"asked in {asked}: {wrong}"
    return FINE[0]


def _difference(found, right):
    """Return in what two answers differ, None if in nothing."""
    for method, other in right.items():
        one = found[method]
        if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
            return f"{method} has another shape or type"
        if other.dtype.kind != "f":
            n_wrong = np.count_nonzero(one != other)
            if n_wrong:
                return f"{n_wrong} answers of {method} differ"
            continue
        scale = max(1.0, np.abs(other).max(initial=0.0))
        if not np.allclose(one, other, rtol=0.0, atol=_CLOSE * scale):
            return f"{method} differs by {np.abs(one - other).max():.2g}"
    return None


def described(number, _):
    """Return the estimator of a number, and words about the form it is fitted on."""
    name, form = drawn(number)
    return name, f"{name} fitted on {form}"


opener = judging(judge)


def forms_case(context):
    """The whole product: a fit for each estimator and form, asked in all forms."""
    n_forms = len(ALL_FORMS)
    n_items = _QUICK_ITEMS if context.quick else len(ESTIMATORS) * n_forms
    result = generated_case(context, "forms", n_items, n_forms, described, FINE)
    result.notes.append(
        f"Each case is one fit and {n_forms} forms to ask in: "
        f"{result.claims[0].value * n_forms:,} answers in all."
    )
    return result
