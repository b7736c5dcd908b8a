"""Train methods side by side on the same rows and measure what they cost."""

import pickle
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import r2_score

from treesvm.datasets.column_encoder import ColumnEncoder
from treesvm.datasets.held_out import train_test_rows
from treesvm.datasets.label_task import CLASSIFICATION, REGRESSION, as_target, task_of
from treesvm.datasets.table import Table
from treesvm.datasets.table_model import encoded_training
from treesvm.reporting.kernel_width import chosen_gamma
from treesvm.reporting.method_looks import LOOKS
from treesvm.reporting.methods import available
from treesvm.reporting.time_budget import fit_within

_REPEATS = 3  # predictions are timed so often, and the fastest counts


@dataclass(frozen=True)
class MethodResult:
    """What one method did; numbers are None where it failed.

    Attributes
    ----------
    method : str
        Key of `METHODS`.
    title : str
        What tables call it.
    is_ours : bool
        Whether it belongs to this library.
    n_rows_used : int or None
        Training rows that it took.
    score : float or None
        Share of right answers on test rows, or R² of a regressor.
    fit_seconds : float or None
        Training time.
    predict_microseconds : float or None
        For a row, in a batch.
    cost : float or None
        What a row meets, counted in `unit`.
    unit : str
        Such as support vectors or tests.
    numbers_met : float or None
        Numbers that an answer reads.
    size_bytes : int or None
        Of the pickled model.
    note : str
        Why numbers are missing, or what was done.
    model : object
        The fitted model.
    """

    method: str
    title: str
    is_ours: bool
    n_rows_used: int | None = None
    score: float | None = None  # accuracy, or R² of regressors
    fit_seconds: float | None = None
    predict_microseconds: float | None = None  # for a row, in a batch
    cost: float | None = None
    unit: str = ""
    numbers_met: float | None = None
    size_bytes: int | None = None  # pickled
    note: str = ""
    model: object = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Comparison:
    """All methods on one data set.

    Attributes
    ----------
    name : str
        Of the data set.
    n_train : int
        Training rows.
    n_test : int
        Test rows.
    n_features : int
        Columns after encoding.
    classes : tuple
        The labels; empty for regression.
    results : tuple of MethodResult
        One for each method.
    X_shown : ndarray or None
        Test rows for a picture, if there are two features.
    y_shown : ndarray or None
        Their labels.
    feature_names : tuple or None
        Names of the columns.
    task : {"classification", "regression"}
        What was compared.
    encoder : ColumnEncoder or None
        Of the columns of a table.
    example : Table or None
        A test row as it was given.
    """

    name: str
    n_train: int
    n_test: int
    n_features: int
    classes: tuple  # empty for regression
    results: tuple
    X_shown: np.ndarray | None = field(default=None, repr=False)  # two features only
    y_shown: np.ndarray | None = field(default=None, repr=False)
    feature_names: tuple | None = None
    task: str = CLASSIFICATION
    encoder: ColumnEncoder | None = field(default=None, repr=False)  # of a table
    example: Table | None = field(default=None, repr=False)  # a test row as it was

    @property
    def done(self) -> list[MethodResult]:
        """Results of the methods that came to an end."""
        return [result for result in self.results if result.score is not None]

    def as_json(self) -> dict[str, Any]:
        """Return plain values, without models and rows."""
        measure = "r2" if self.task == REGRESSION else "accuracy"
        renamed = {"model": None, "score": measure}
        return {
            "data": self.name,
            "task": self.task,
            "n_train": self.n_train,
            "n_test": self.n_test,
            "n_features": self.n_features,
            "classes": [str(label) for label in self.classes],
            "results": [
                {
                    renamed.get(name, name): getattr(result, name)
                    for name in result.__dataclass_fields__
                    if renamed.get(name, name) is not None
                }
                for result in self.results
            ],
        }


def compare_table(
    table: Table,
    name: str,
    *,
    methods: Sequence[str] | None = None,
    test_share: float = 0.25,
    max_rows: int | None = None,
    missing: str = "indicator",
    task: str | None = None,
    on_result: Callable[[MethodResult], Any] | None = None,
    **options: Any,
) -> Comparison:
    """Split a table, encode it by its training rows, and run `compare`.

    Parameters
    ----------
    table : Table
        With labels.
    name : str
        Of the data set.
    methods : sequence of str, optional
        Names of `METHODS`; by default all that are installed.
    test_share : float
        Share of the rows that are kept for the test.
    max_rows : int, optional
        Use a random sample of so many rows.
    missing : {"indicator", "error", "median", "most_frequent"}
        See `TableModel`.
    task : {"classification", "regression"}, optional
        By default found from the labels, see `treesvm.datasets.task_of`.
    on_result : callable, optional
        Called with each `MethodResult` as soon as it is there.
    **options
        Of `compare`: svm_seconds, time_limit, max_test_rows, seed, n_jobs.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from treesvm.datasets import Table, make_waves
    >>> from treesvm.reporting import compare_table
    >>> table = Table(*make_waves(600, 2))
    >>> found = compare_table(table, "waves", methods=["cart", "dtsvm"])
    >>> [result.method for result in found.results]
    ['cart', 'dtsvm']
    """
    if table.y is None:
        raise ValueError(f"{table.path}: there are no labels to learn from.")
    task = task or task_of(table.y)[0]
    y = as_target(table.y, task)
    table = replace(table, y=y)
    seed = options.get("seed", 0)
    rows = np.arange(table.n_rows)
    if max_rows is not None and max_rows < len(rows):
        rows = np.random.default_rng(seed).permutation(len(rows))[:max_rows]
    train, test = train_test_rows(y[rows], test_share, seed)
    training, testing = table.take(rows[train]), table.take(rows[test])
    # Scaled to [0, 1] for the methods that want it; trees and what scales each of its
    # parts by itself answer the same with and without.
    encoder, X = encoded_training(
        training,
        training.y,
        is_numeric=task == REGRESSION,
        scale="minmax",
        missing=missing,
        unseen="zeros",
    )
    compared = compare(
        (X, training.y),
        (encoder.transform(testing), testing.y),
        name,
        methods=methods,
        feature_names=encoder.feature_names,
        task=task,
        on_result=on_result,
        **options,
    )
    return replace(compared, encoder=encoder, example=testing.take(np.array([0])))


def compare(
    train: tuple[Any, Any],
    test: tuple[Any, Any],
    name: str,
    *,
    methods: Sequence[str] | None = None,
    svm_seconds: float = 15.0,
    time_limit: float = 10.0,
    max_test_rows: int = 10_000,
    seed: int = 0,
    n_jobs: int | None = None,
    feature_names: Sequence[str] | None = None,
    task: str = CLASSIFICATION,
    on_result: Callable[[MethodResult], Any] | None = None,
) -> Comparison:
    """Fit each method on the same rows and measure it on others.

    Methods that only classify are left out of regression.

    Parameters
    ----------
    train : pair of X, y
        Training rows, their features scaled.
    test : pair of X, y
        Test rows, scaled in the same way.
    name : str
        Of the data set.
    methods : sequence of str, optional
        Names of `METHODS`; by default all that are installed.
    seed : int, default=0
        Of the methods.
    n_jobs : int, optional
        Threads of the methods that have any.
    feature_names : sequence of str, optional
        Names of the columns.
    task : {"classification", "regression"}, default="classification"
        Which methods run, and what their score is.
    on_result : callable, optional
        Called with each `MethodResult` as soon as it is there.
    svm_seconds : float
        The RBF SVM trains on as many rows as this time allows.
    time_limit : float
        Of TreeSVC, in seconds.
    max_test_rows : int
        Accuracy, time and cost of predictions are measured on at most so many rows.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from treesvm.datasets import make_waves
    >>> from treesvm.reporting import compare
    >>> X, y = make_waves(600, 2)
    >>> train, test = (X[:400], y[:400]), (X[400:], y[400:])
    >>> found = compare(train, test, "waves", methods=["cart", "dtsvm"])
    >>> found.n_train, found.n_test, len(found.results)
    (400, 200, 2)
    """
    (X, y), (X_test, y_test) = train, test
    X_test, y_test = X_test[:max_test_rows], y_test[:max_test_rows]
    results = []
    chosen = available(methods, task)
    width = _Width(X, y, seed, task)
    if not chosen:
        raise ValueError(f"none of the methods {', '.join(methods or ())} does {task}.")
    for key, method in chosen.items():
        title = LOOKS[key].titled(task)
        try:
            if sparse.issparse(X) and not method.takes_sparse:
                raise ValueError("it takes no sparse rows")
            estimator = method.make(seed, n_jobs)
            if "time_limit" in estimator.get_params():
                estimator.set_params(time_limit=time_limit)
            rows = (X, y), (X_test, y_test)
            result = _measure(key, method, estimator, *rows, svm_seconds, seed, width)
        except Exception as error:  # one method must not cost the others
            reason = f"not measured: {error}".splitlines()[0]
            result = MethodResult(key, title, method.is_ours, note=reason)
        results.append(result)
        if on_result is not None:
            on_result(result)
    is_plane = X.shape[1] == 2 and task == CLASSIFICATION
    return Comparison(
        name,
        len(y),
        len(y_test),
        X.shape[1],
        tuple(np.unique(y).tolist()) if task == CLASSIFICATION else (),
        tuple(results),
        X_test if is_plane else None,
        y_test if is_plane else None,
        None if feature_names is None else tuple(feature_names),
        task,
    )


class _Width:
    """The gamma of machines over the whole space: found once, its time told to each."""

    def __init__(self, X, y, seed, task):
        self._arguments, self.task = (X, y, seed, task), task

    @cached_property
    def found(self):
        """Return gamma and the seconds that it took."""
        start = time.perf_counter()
        gamma = chosen_gamma(*self._arguments)
        return gamma, time.perf_counter() - start


def _measure(key, method, estimator, train, test, svm_seconds, seed, width):
    """Fit and measure one method."""
    notes, width_seconds, task = [method.note] if method.note else [], 0.0, width.task
    if method.width is not None:
        gamma, width_seconds = width.found
        estimator.set_params(**{method.width: gamma})
        notes.append(f"gamma={gamma:.3g} judged on a sample")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if method.is_budgeted:
            model, n_used, fit_seconds = fit_within(
                estimator, *train, svm_seconds, seed=seed
            )
        else:
            start = time.perf_counter()
            model, n_used = estimator.fit(*train), len(train[1])
            fit_seconds = time.perf_counter() - start
        said, per_row = timed_predictions(model, test[0])
        cost = method.cost(model, test[0])
    if n_used < len(train[1]):
        notes.append(
            f"gave up at {n_used:,} of {len(train[1]):,} rows: more would have taken "
            f"longer than {svm_seconds:g} s"
        )
    if any("onverge" in str(warning.message) for warning in caught):
        notes.append("stopped before it converged")
    if hasattr(model, "best_theta_"):
        notes.append(_found(model))
    return MethodResult(
        key,
        LOOKS[key].titled(task),
        method.is_ours,
        n_used,
        float(
            r2_score(test[1], said) if task == REGRESSION else np.mean(said == test[1])
        ),
        fit_seconds + width_seconds,
        per_row,
        float(cost.met),
        cost.unit,
        float(cost.numbers),
        len(pickle.dumps(model)),
        "; ".join(notes),
        model,
    )


def _found(model):
    """Return in words what TreeSVC found."""
    theta = model.best_theta_
    said = f"limit {model.time_limit:g} s; found {theta['kernel']}, C={theta['C']:.3g}"
    if theta["feature_weights"] is not None:
        said += ", learned weights"
    return said + f", parts up to {theta['max_leaf_size']:,} rows"


def timed_predictions(model, X):
    """Return the labels of X and the microseconds for a row, the best of a few runs."""
    best = np.inf
    model.predict(X[:2])  # compiled before it is timed
    for _ in range(_REPEATS):
        start = time.perf_counter()
        said = model.predict(X)
        took = time.perf_counter() - start
        best = min(best, took)
        if took > 1.0:  # long runs need no repetition
            break
    return said, 1e6 * best / X.shape[0]
