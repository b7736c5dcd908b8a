"""A comparison as one HTML file: style and pictures inside, nothing fetched."""

import platform
import sys
from collections.abc import Sequence
from html import escape

from treesvm import __version__
from treesvm.reporting.charts import accuracy_against_cost, leaf_histogram, time_bars
from treesvm.reporting.method_looks import LOOKS
from treesvm.reporting.number_text import bytes_text, counted, seconds_text
from treesvm.reporting.region_picture import region_image
from treesvm.reporting.report_style import STYLE
from treesvm.reporting.running import Comparison
from treesvm.reporting.tree_picture import draw_tree
from treesvm.reporting.words import headline


def html_report(
    comparisons: Sequence[Comparison],
    *,
    title: str = "Kernel machines at tree speed",
    when: str = "",
) -> str:
    """Return the report as text.

    Parameters
    ----------
    comparisons : sequence of Comparison
        What to show.
    title : str
        Of the page.
    when : str
        Date to be shown.

    Returns
    -------
    str
        An HTML page that works without a network.

    Examples
    --------
    >>> from treesvm.datasets import Table, make_waves
    >>> from treesvm.reporting import compare_table, html_report
    >>> table = Table(*make_waves(600, 2))
    >>> found = compare_table(table, "waves", methods=["cart", "dtsvm"])
    >>> html_report([found]).startswith("<!doctype html>")
    True
    """
    sections = "".join(_section(comparison) for comparison in comparisons)
    system = f"Python {platform.python_version()}, {platform.machine()} {sys.platform}"
    version = f"treesvm {__version__}"
    # No source may be fetched: the page shows what is inside it, also offline.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
<p class="soft">Methods trained on the same rows and measured on others, here and now.
Bold names are treesvm's.</p>
{sections}
<footer>
<p>Accuracy, prediction time and cost are measured on rows that no method was trained
on. Prediction time is that of a row within a large batch. Cost: a support vector or a
hyperplane reads all features of a row, a test in a tree reads one. Size is that of the
pickled model. One run on one machine: small differences mean nothing.</p>
<p>{escape(" · ".join(part for part in (version, system, when) if part))}</p>
</footer>
</main>
</body>
</html>
"""


def _section(comparison):
    """One data set: sentence, table, pictures."""
    facts = (
        f"{comparison.n_train:,} training rows, {comparison.n_test:,} test rows, "
        f"{comparison.n_features:,} features, {len(comparison.classes)} classes"
    )
    done = [r for r in comparison.results if r.accuracy is not None]
    pictures = ""
    if done:
        pictures = _charts(done) + _regions(comparison, done) + _inside(comparison)
    return f"""<section>
<h2>{escape(comparison.name)}</h2>
<p class="soft">{facts}</p>
<p class="headline">{escape(headline(comparison))}</p>
<div class="card wide scroll">{_table(comparison.results)}</div>
<div class="grid">{pictures}</div>
</section>
"""


def _card(title, words, picture, style="card"):
    return (
        f'<div class="{style}"><h3>{escape(title)}</h3><p>{escape(words)}</p>'
        f"{picture}</div>"
    )


def _charts(results):
    """The charts that every data set has."""
    predict = time_bars(results, "predict_microseconds", "Prediction time of a row")
    fit = time_bars(results, "fit_seconds", "Training time")
    return _card(
        "Accuracy against prediction cost",
        "Up is more accurate, left is cheaper.",
        accuracy_against_cost(results),
    ) + _card(
        "Training time; prediction time of a row",
        "Log scales: each line is ten times the one before.",
        fit + predict,
    )


def _regions(comparison, results):
    """Decision regions, for two features."""
    if comparison.X_shown is None:
        return ""
    X, y, classes = comparison.X_shown, comparison.y_shown, comparison.classes
    figures = "".join(
        f'<figure><img alt="Decision regions of {escape(r.title)}" '
        f'src="{region_image(r.model, X, y, classes)}"><figcaption>{escape(r.title)} '
        f'<span class="soft">{r.accuracy:.1%}</span></figcaption></figure>'
        for r in results
    )
    return _card(
        "Decision regions",
        "What each method answers in the plane, with some test rows.",
        f'<div class="regions">{figures}</div>',
        "card wide",
    )


def _inside(comparison):
    """The trees of a DTSVM and of an H-LSVM, and the leaves of the DTSVM."""
    models = {r.method: r.model for r in comparison.results if r.model is not None}
    model = models.get("dtsvm")
    cards = ""
    if model is not None:
        leaves = model.leaf_report()
        tree = model.trees_[0]
        if tree.n_leaves > 1:
            cards += _card(
                "The DTSVM's tree",
                f"The first levels of {tree.n_leaves:,} leaves; a machine answers in "
                "each. Hover for more.",
                draw_tree(tree, model.classes_, comparison.feature_names),
            )
            cards += _card(
                "Leaf sizes",
                f"{len(leaves['rows']):,} leaves, "
                f"{int((leaves['support_vectors'] == 0).sum()):,} of one class (pale), "
                f"which need no machine; {model.n_support_vectors_:,} support vectors.",
                leaf_histogram(leaves["rows"], leaves["support_vectors"]),
            )
    oblique = models.get("hlsvm")
    if oblique is not None and oblique.trees_[0].n_leaves > 1:
        tree = oblique.trees_[0]
        cards += _card(
            "The H-LSVM's tree",
            f"Every node is a linear SVM; {tree.n_leaves:,} leaves, {tree.depth} deep.",
            draw_tree(tree, oblique.classes_, comparison.feature_names),
        )
    return cards


_COLUMNS = (
    ("Accuracy", "accuracy", lambda r: f"{r.accuracy:.2%}", max),
    ("Training", "fit_seconds", lambda r: seconds_text(r.fit_seconds), min),
    (
        "Prediction",
        "predict_microseconds",
        lambda r: seconds_text(1e-6 * r.predict_microseconds) + "/row",
        min,
    ),
    ("Met by a row", "numbers_met", lambda r: counted(r.cost, r.unit), min),
    ("Size", "size_bytes", lambda r: bytes_text(r.size_bytes), min),
)


def _table(results):
    """The numbers; on a phone each method becomes a small card."""
    done = [r for r in results if r.accuracy is not None]
    best = {
        field: choose(getattr(r, field) for r in done)
        for _, field, _, choose in _COLUMNS
        if done
    }
    rows = []
    for r in results:
        key = f'<span class="key" style="background:{LOOKS[r.method].colour}">'
        cells = [f"<td>{key}</span>{escape(r.title)}</td>"]
        for name, field, show, _ in _COLUMNS:
            if r.accuracy is None:
                cells.append(f'<td data-name="{name}">–</td>')
                continue
            style = ' class="best"' if getattr(r, field) == best[field] else ""
            cells.append(f'<td data-name="{name}"{style}>{escape(show(r))}</td>')
        cells.append(f'<td class="note">{escape(r.note)}</td>')
        rows.append(f'<tr class="{"ours" if r.is_ours else ""}">{"".join(cells)}</tr>')
    heads = "".join(f"<th>{name}</th>" for name, *_ in _COLUMNS)
    return (
        f'<table class="cards"><thead><tr><th>Method</th>{heads}<th></th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
