"""Comparisons in words and plain tables."""

from treesvm.comparison.svg import bytes_text, counted, seconds_text


def headline(comparison):
    """Return the finding in a sentence or two; only what was measured."""
    done = [r for r in comparison.results if r.accuracy is not None]
    if not done:
        return "No method came to an end."
    best = max(done, key=lambda r: r.accuracy)
    said = f"{best.title} is the most accurate with {best.accuracy:.2%}"
    others = {r.method: r for r in done}
    plain = others.get("svm")
    if plain is None:
        return said + "."
    ours = [r for r in done if r.is_ours]
    top = max(ours, key=lambda r: r.accuracy, default=None)
    if plain.n_rows_used < comparison.n_train:
        said += (
            f". The plain RBF SVM gave up at {plain.n_rows_used:,} of "
            f"{comparison.n_train:,} rows and reaches {plain.accuracy:.2%}"
        )
    if top is not None and top is not plain:
        ratio = plain.predict_microseconds / max(top.predict_microseconds, 1e-9)
        pace = f"{ratio:.0f} times faster" if ratio >= 2 else "at a similar speed"
        said += (
            f"; {top.title} has {top.accuracy:.2%} and answers {pace} than"
            if ratio >= 2
            else f"; {top.title} has {top.accuracy:.2%} and answers {pace} as"
        )
        said += " the RBF SVM"
    return said + "."


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


def table_head():
    """Return the line above the results."""
    pairs = zip(HEADS, _WIDTHS, strict=True)
    return "".join(f"{name:{side}{width}}" for (name, side), width in pairs)


def table_line(result):
    """Return the line of one method, with its note below."""
    cells = zip(result_cells(result), HEADS, _WIDTHS, strict=True)
    line = "".join(f"{cell:{side}{width}}" for cell, (_, side), width in cells)
    return line + (f"\n    {result.note}" if result.note else "")
