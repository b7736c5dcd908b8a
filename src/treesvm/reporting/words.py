"""Comparisons in words and plain tables."""

from typing import Any

from treesvm.datasets.label_task import CLASSIFICATION, REGRESSION
from treesvm.reporting.number_text import (
    bytes_text,
    counted,
    score_text,
    seconds_text,
    times_text,
)
from treesvm.reporting.running import Comparison, MethodResult


def headline(comparison: Comparison) -> str:
    """Return the finding in a few sentences; only what was measured, whoever wins.

    Parameters
    ----------
    comparison : Comparison
        What was measured.

    Returns
    -------
    str

    Examples
    --------
    >>> from treesvm.datasets import Table, make_waves
    >>> from treesvm.reporting import compare_table, headline
    >>> table = Table(*make_waves(600, 2))
    >>> found = compare_table(table, "waves", methods=["cart", "dtsvm"])
    >>> isinstance(headline(found), str)
    True
    """
    done: list[Any] = comparison.done
    task = comparison.task
    if not done:
        return "No method came to an end."
    best = max(done, key=_by_score)
    able = [r for r in done if r.cost > 0] or done  # not those that look at nothing
    quick = min(able, key=lambda r: r.predict_microseconds)
    learner = min(able, key=lambda r: r.fit_seconds)
    leaders = [r.title for r in done if _scored(r, task) == _scored(best, task)]
    first = f"{_listed(leaders)} the most accurate with {_scored(best, task)}"
    both = "answers fastest"
    if learner is quick:
        both += " and trains fastest"
    if leaders == [quick.title]:
        said = [f"{first}; it {both}."]
    else:
        said = [f"{first}.", f"{quick.title} {both}, with {_scored(quick, task)}."]
    plain = next((r for r in done if r.method == "svm"), None)
    if plain is not None and plain.n_rows_used < comparison.n_train:
        said.append(
            f"The plain {plain.title} gave up at {plain.n_rows_used:,} of "
            f"{comparison.n_train:,} rows and reaches {_scored(plain, task)}."
        )
    ours = [r for r in done if r.is_ours]
    if plain is not None and ours:
        top = max(ours, key=_by_score)
        who = top.title
        if _scored(top, task) != _scored(best, task):
            who += f", the best of treesvm's, has {_scored(top, task)} and"
        said.append(f"{who} answers a row {_pace(top, plain)} the {plain.title}.")
    return " ".join(said)


def _by_score(result):
    """More accurate is better, and faster among equals."""
    return result.score, -result.predict_microseconds


def _listed(names):
    """Return names with the verb."""
    if len(names) == 1:
        return f"{names[0]} is"
    return f"{', '.join(names[:-1])} and {names[-1]} are"


def _scored(result, task):
    shown = score_text(result.score, task)
    return f"R² = {shown}" if task == REGRESSION else shown


def _pace(one, other):
    """Return how fast one method answers against another."""
    ratio = other.predict_microseconds / max(one.predict_microseconds, 1e-9)
    if ratio >= 1.5:
        return f"{times_text(ratio)} times as fast as"
    if ratio > 1 / 1.5:
        return "about as fast as"
    return f"in {times_text(1 / ratio)} times the time of"


HEADS = (
    ("", "<"),
    ("rows used", ">"),
    ("{score}", ">"),
    ("training", ">"),
    ("prediction/row", ">"),
    ("met by a row", ">"),
    ("size", ">"),
)


def _cells(result, task):
    """Return the cells of one method as text."""
    if result.score is None:
        return [result.title, *["–"] * (len(HEADS) - 1)]
    return [
        result.title,
        f"{result.n_rows_used:,}",
        score_text(result.score, task),
        seconds_text(result.fit_seconds),
        seconds_text(1e-6 * result.predict_microseconds),
        counted(result.cost, result.unit),
        bytes_text(result.size_bytes),
    ]


_WIDTHS = (17, 10, 10, 10, 16, 24, 9)  # fixed, so that rows can be printed one by one


def table_head(task: str = CLASSIFICATION) -> str:
    """Return the line above the results.

    Parameters
    ----------
    task : {"classification", "regression"}
        Names the measure.

    Returns
    -------
    str

    Examples
    --------
    >>> from treesvm.reporting import table_head
    >>> len(table_head()) > 20
    True
    """
    measure = "R²" if task == REGRESSION else "accuracy"
    pairs = zip(HEADS, _WIDTHS, strict=True)
    return "".join(
        f"{name.format(score=measure):{side}{width}}" for (name, side), width in pairs
    )


def table_line(result: MethodResult, task: str = CLASSIFICATION) -> str:
    """Return the line of one method, with its note below.

    Parameters
    ----------
    result : MethodResult
        Of `compare`.
    task : {"classification", "regression"}
        Names the measure.

    Returns
    -------
    str

    Examples
    --------
    >>> from treesvm.datasets import Table, make_waves
    >>> from treesvm.reporting import compare_table, table_line
    >>> table = Table(*make_waves(600, 2))
    >>> found = compare_table(table, "waves", methods=["cart", "dtsvm"])
    >>> "DTSVM" in table_line(found.results[1])
    True
    """
    cells = zip(_cells(result, task), HEADS, _WIDTHS, strict=True)
    line = "".join(f"{cell:{side}{width}}" for cell, (_, side), width in cells)
    return line + (f"\n    {result.note}" if result.note else "")
