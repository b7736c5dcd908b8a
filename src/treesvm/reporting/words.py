"""Comparisons in words and plain tables."""

from treesvm.reporting.number_text import bytes_text, counted, seconds_text
from treesvm.reporting.running import Comparison, MethodResult


def headline(comparison: Comparison) -> str:
    """Return the finding in a few sentences; only what was measured.

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
    done = [r for r in comparison.results if r.accuracy is not None]
    if not done:
        return "No method came to an end."
    best = max(done, key=lambda r: r.accuracy)
    said = [f"{best.title} is the most accurate with {best.accuracy:.2%}."]
    plain = next((r for r in done if r.method == "svm"), None)
    if plain is None:
        return said[0]
    if plain.n_rows_used < comparison.n_train:
        said.append(
            f"The plain RBF SVM gave up at {plain.n_rows_used:,} of "
            f"{comparison.n_train:,} rows and reaches {plain.accuracy:.2%}."
        )
    top = max((r for r in done if r.is_ours), key=lambda r: r.accuracy, default=None)
    if top is not None:
        who = top.title
        if top is not best:
            who = f"{top.title}, the best of treesvm's, has {top.accuracy:.2%} and"
        said.append(f"{who} answers a row {_pace(top, plain)} the RBF SVM.")
    return " ".join(said)


def _pace(one, other):
    """Return how fast one method answers against another."""
    ratio = other.predict_microseconds / max(one.predict_microseconds, 1e-9)
    if ratio >= 1.5:
        return f"{ratio:.2g} times as fast as"
    if ratio > 1 / 1.5:
        return "about as fast as"
    return f"in {1 / ratio:.2g} times the time of"


HEADS = (
    ("", "<"),
    ("rows used", ">"),
    ("accuracy", ">"),
    ("training", ">"),
    ("prediction/row", ">"),
    ("met by a row", ">"),
    ("size", ">"),
)


def result_cells(result):
    """Return the cells of one method as text."""
    if result.accuracy is None:
        return [result.title, *["–"] * (len(HEADS) - 1)]
    return [
        result.title,
        f"{result.n_rows_used:,}",
        f"{result.accuracy:.2%}",
        seconds_text(result.fit_seconds),
        seconds_text(1e-6 * result.predict_microseconds),
        counted(result.cost, result.unit),
        bytes_text(result.size_bytes),
    ]


_WIDTHS = (17, 10, 10, 10, 16, 24, 9)  # fixed, so that rows can be printed one by one


def table_head() -> str:
    """Return the line above the results.

    Returns
    -------
    str

    Examples
    --------
    >>> from treesvm.reporting import table_head
    >>> len(table_head()) > 20
    True
    """
    pairs = zip(HEADS, _WIDTHS, strict=True)
    return "".join(f"{name:{side}{width}}" for (name, side), width in pairs)


def table_line(result: MethodResult) -> str:
    """Return the line of one method, with its note below.

    Parameters
    ----------
    result : MethodResult
        Of `compare`.

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
    cells = zip(result_cells(result), HEADS, _WIDTHS, strict=True)
    line = "".join(f"{cell:{side}{width}}" for cell, (_, side), width in cells)
    return line + (f"\n    {result.note}" if result.note else "")
