"""One cell of the league: a method trained and asked on one cut of one table."""

import pickle
import time
import warnings

import numpy as np
from sklearn.metrics import log_loss, r2_score, roc_auc_score
from threadpoolctl import threadpool_limits

from benchmarks import league_xrfm
from benchmarks.league_methods import METHODS, THREADS, Method, numbers

XRFM = Method(
    "xRFM", None, league_xrfm.SETTINGS, "xrfm", "numpy", core_only=True, seeds=1
)
PLAYERS = (*METHODS, XRFM)
_WARM_UP_ROWS = 300


def is_there(method):
    """Whether a method can play here."""
    return league_xrfm.python() is not None if method is XRFM else method.is_there()


def version_of(method, code_version):
    """Return what has to stay the same for a result to count."""
    return league_xrfm.version() if method is XRFM else method.version(code_version)


def measure(method, rows, is_regression, seed, beside=None, is_busy=False):
    """Return the figures of one cell as plain numbers, or why there are none.

    None where only a quiet machine can tell.

    Parameters
    ----------
    beside : callable, optional
        Returns row losses of our defaults; the figures then hold the mean difference
        and its paired standard error.
    is_busy : bool
        Whether others use the machine: a limit then counts processor seconds of one
        thread, which a quiet machine with two does not need more of. A search that ends
        within its limit finds what it finds without.
    """
    if method.most_rows is not None and len(rows.y) > method.most_rows:
        return {"gave_up": f"more than {method.most_rows:,} training rows"}
    with warnings.catch_warnings(), threadpool_limits(THREADS):
        warnings.simplefilter("ignore")
        if method is XRFM:
            return _xrfm(rows, is_regression, seed)
        try:
            return _measured(method, rows, is_regression, seed, beside, is_busy)
        except (ValueError, MemoryError) as error:
            return {"gave_up": f"{type(error).__name__}: {str(error)[:120]}"}


def _measured(method, rows, is_regression, seed, beside, is_busy):
    if method.is_ours:
        _warm_up(method, rows, is_regression)
    model = _made(method, rows, is_regression, seed)
    limit, clock = method.settings.get("time_limit"), time.perf_counter
    if is_busy and limit is not None:
        model, clock = model.set_params(time_limit=None, n_jobs=1), time.process_time
    start = clock()
    model.fit(rows.X, rows.y)
    fitted = clock()
    if limit is not None and clock is time.process_time and fitted - start > limit:
        return None
    said = model.predict(rows.X_test)
    done = clock()
    times = {
        "fit_seconds": fitted - start,
        "predict_seconds": done - fitted,
        "bytes": len(pickle.dumps(model)),
    }
    scores = () if is_regression else _scores(model, rows)
    return _figures(times, rows, said, *scores) | _paired(rows, said, beside)


def _made(method, rows, is_regression, seed):
    n_features = sum(
        column.cat.categories.size if column.dtype == "category" else 1
        for _, column in rows.X.items()
    )
    return method.make(is_regression, seed, n_features)


def row_losses(rows, said):
    """Return 1 for each wrong answer, or squares in units of the target's variance."""
    if rows.y.dtype.kind == "f":
        return (said - rows.y_test) ** 2 / np.var(rows.y_test)
    return (said != rows.y_test).astype(float)


def losses_of(method, rows, is_regression, seed):
    """Return the row losses of a method, trained now."""
    with warnings.catch_warnings(), threadpool_limits(THREADS):
        warnings.simplefilter("ignore")
        model = _made(method, rows, is_regression, seed).fit(rows.X, rows.y)
        return row_losses(rows, model.predict(rows.X_test))


def _paired(rows, said, beside):
    """Return the mean difference of losses to another's, and its standard error."""
    if beside is None:
        return {}
    gap = row_losses(rows, said) - beside()
    return {
        "more_than_plain": round(float(gap.mean()), 6),
        "paired_error": round(float(gap.std(ddof=1) / np.sqrt(len(gap))), 6),
    }


def _warm_up(method, rows, is_regression):
    """Load compiled functions, which a user does once a session."""
    kept = rows.y[:_WARM_UP_ROWS]
    if is_regression or len(np.unique(kept)) > 1:
        model = method.make(is_regression, 0, 1)
        if "time_limit" in model.get_params():
            model.set_params(time_limit=1)
        model.fit(rows.X[:_WARM_UP_ROWS], kept).predict(rows.X_test[:10])


def _scores(model, rows):
    """Return what ranks rows of two classes, and probabilities, where there are any."""
    if hasattr(model, "predict_proba"):
        probabilities = np.asarray(model.predict_proba(rows.X_test))
        return probabilities[:, 1], probabilities
    if hasattr(model, "decision_function"):
        return model.decision_function(rows.X_test), None
    return None, None


def _figures(times, rows, said, ranking=None, probabilities=None):
    """Return times and the quality of answers, rounded."""
    n_test = len(rows.y_test)
    found = {
        "fit_seconds": round(times["fit_seconds"], 3),
        "micros": round(1e6 * times["predict_seconds"] / n_test, 2),
        "bytes": times["bytes"],
        "n_train": len(rows.y),
        "n_test": n_test,
    }
    if rows.y.dtype.kind == "f":
        return found | {"r2": round(float(r2_score(rows.y_test, said)), 5)}
    found["error"] = round(float(np.mean(said != rows.y_test)), 5)
    known = rows.y_test >= 0
    if ranking is not None and rows.y.max() == 1 and len(set(rows.y_test[known])) == 2:
        auc = roc_auc_score(rows.y_test[known], np.asarray(ranking)[known])
        found["auc"] = round(float(auc), 5)
    if probabilities is not None:
        clipped = np.clip(probabilities[known], 1e-15, 1.0)
        clipped /= clipped.sum(axis=1, keepdims=True)
        labels = np.arange(rows.y.max() + 1)
        loss = log_loss(rows.y_test[known], clipped, labels=labels)
        found["log_loss"] = round(float(loss), 5)
    return found


def _xrfm(rows, is_regression, seed):
    seen = numbers(is_standardised=True).fit(rows.X)
    found = league_xrfm.answers(
        seen.transform(rows.X), rows.y, seen.transform(rows.X_test), is_regression, seed
    )
    if found is None:
        return {"gave_up": f"more than {league_xrfm.SECONDS} s"}
    said = found.pop("predicted")
    if is_regression:
        return _figures(found, rows, said)
    return _figures(found, rows, said.argmax(axis=1), said[:, 1], said)
