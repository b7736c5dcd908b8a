"""Every estimator × every form of the rows it is fitted on × every form it is asked in.

The forms are those of `benchmarks.row_forms`: the same numbers, held otherwise. Right
is the answer of the model that was fitted on dense float64 rows and asked with such
rows: labels and chosen rows are equal, values up to the rounding of float32.
"""

import os
import tempfile
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_regressor

from benchmarks.hostile_arrays import (
    ESTIMATORS,
    LIMITS,
    answers_of,
    hostile_result,
    small_estimator,
)
from benchmarks.hostile_tally import run_batches
from benchmarks.limited_child import open_all
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


def judged(numbers):
    """Return kind and answer of each number."""
    with tempfile.TemporaryDirectory() as folder:
        answers = open_all("benchmarks.hostile_forms:opener", numbers, folder, LIMITS)
    found = []
    for number, answer in zip(numbers, answers, strict=True):
        name, form = drawn(number)
        answer["note"] = f"[{name} fitted on {form}] {answer.get('note', '')[-200:]}"
        found.append((name, answer))
    return found


def opener(folder):
    """Return what a child does with the number of a case."""
    os.chdir(folder)

    def act(item, watch):
        watch["is_on"] = False  # training imports, compiles and starts threads
        return judge(int(item), Path(folder))

    return act


def forms_case(context):
    """The whole product: a fit for each estimator and form, asked in all forms."""
    n_items = len(ESTIMATORS) * len(ALL_FORMS)
    n_items = _QUICK_ITEMS if context.quick else n_items
    context.start_ours()
    start = time.perf_counter()
    total = run_batches(
        "forms", n_items, len(ALL_FORMS), judged, FINE, quick=context.quick
    )
    seconds = time.perf_counter() - start
    result = hostile_result("forms", total, n_items, FINE, seconds)
    result.notes.append(
        f"Each case is one fit and {len(ALL_FORMS)} forms to ask in: "
        f"{total['n_items'] * len(ALL_FORMS):,} answers in all."
    )
    return result
