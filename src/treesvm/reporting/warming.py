"""Compile beforehand what fits and predictions would compile on their first call."""

import inspect
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scipy import sparse
from sklearn.base import is_regressor
from sklearn.datasets import dump_svmlight_file

import treesvm
from treesvm.datasets import make_waves, read_libsvm

_N_ROWS = 240  # enough for every split, fold and leaf; compiling takes all the time


def warm_up(on_model: Callable[[str, float], Any] | None = None) -> dict[str, float]:
    """Fit every public estimator on a few rows, so that all it needs is compiled.

    Rows are float64 and float32, dense and sparse, of two and of three classes. What is
    compiled is kept where `numba` keeps it, see docs/containers.md.

    Parameters
    ----------
    on_model : callable, optional
        Called with the name of each estimator and the seconds it took.

    Returns
    -------
    dict of str to float
        The seconds of each estimator.

    Examples
    --------
    >>> from treesvm.reporting import warm_up
    >>> seconds = warm_up()  # doctest: +SKIP
    """
    seconds = {}
    classes = {name: getattr(treesvm, name) for name in treesvm.__all__}
    for name, cls in classes.items():
        if not inspect.isclass(cls):
            continue
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # so few rows say nothing about a fit
            for X, y in _problems(is_regressor(cls())):
                model = _small(cls).fit(X, y)
                model.predict(X)
                if hasattr(model, "predictor") and not sparse.issparse(X):
                    model.predictor()(X[0])
                if hasattr(model, "search_results_") or name.endswith("CV"):
                    # The estimators that a search tries need the other rows themselves.
                    break
        seconds[name] = time.perf_counter() - start
        if on_model is not None:
            on_model(name, seconds[name])
    _read_text()
    return seconds


def _small(cls):
    """Return an estimator of the class, with several leaves where it has any."""
    model = cls()
    return (
        model.set_params(max_leaf_size=60) if "max_leaf_size" in vars(model) else model
    )


def _problems(is_regression):
    """Yield small problems whose arrays have all types that are compiled for."""
    X, y = make_waves(_N_ROWS, 2, frequency=2.0)
    for rows in (X.astype(float), X, sparse.csr_matrix(X, dtype=float)):
        for target in (X[:, 0],) if is_regression else (y, y > 0):
            yield rows, target


def _read_text():
    """Compile the reader of LIBSVM text."""
    X, y = make_waves(10)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.svm")
        dump_svmlight_file(X, y, str(path))
        read_libsvm(path)
