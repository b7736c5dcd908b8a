"""The cards of a report: charts, regions, what matters, what is inside."""

from html import escape

import numpy as np

from treesvm.datasets.explained_rows import explain_table
from treesvm.datasets.label_task import REGRESSION
from treesvm.datasets.table_model import TableModel
from treesvm.reporting.charts import leaf_histogram, score_against_cost, time_bars
from treesvm.reporting.number_text import score_text, short_number
from treesvm.reporting.region_picture import region_image
from treesvm.reporting.summary import in_user_units
from treesvm.reporting.tree_outline import outline

_MOST_BARS = 10
_MOST_EXPLAINED = 300  # features; exact values of very wide rows take long


def all_cards(comparison):
    """Return the cards of one data set as HTML."""
    return "".join(
        (
            _charts(comparison),
            _what_matters(comparison),
            _inside(comparison),
            _regions(comparison),
        )
    )


def _card(title, words, picture, style="card"):
    return (
        f'<div class="{style}"><h3>{escape(title)}</h3><p>{escape(words)}</p>'
        f"{picture}</div>"
    )


def _charts(comparison):
    """The charts that every data set has."""
    results, task = comparison.done, comparison.task
    predict = time_bars(results, "predict_microseconds", "Prediction time of a row")
    fit = time_bars(results, "fit_seconds", "Training time")
    measure = "R²" if task == REGRESSION else "Accuracy"
    words = "Log scale: each line is ten times the one before."
    return (
        _card(
            f"{measure} against prediction cost",
            "Up is more accurate, left is cheaper.",
            score_against_cost(results, task),
        )
        + _card("Training time", words, fit)
        + _card("Prediction time of a row", words, predict)
    )


def _regions(comparison):
    """Decision regions, for two features."""
    if comparison.X_shown is None:
        return ""
    X, y, classes = comparison.X_shown, comparison.y_shown, comparison.classes
    figures = "".join(
        f'<figure><img alt="Decision regions of {escape(r.title)}" '
        f'src="{region_image(r.model, X, y, classes)}"><figcaption>{escape(r.title)} '
        f'<span class="soft">{score_text(r.score, comparison.task, 1)}</span>'
        "</figcaption></figure>"
        for r in comparison.done
    )
    # As few empty places as possible, on screens with room for four and more.
    n_columns = min((4, 5, 6), key=lambda n: (-len(comparison.done) % n, n))
    return _card(
        "Decision regions",
        "What each method answers in the plane, with some test rows.",
        f'<div class="regions" style="--columns:{n_columns}">{figures}</div>',
        "card wide",
    )


def _what_matters(comparison):
    """Importances of the columns, and one row explained, of our best model."""
    able = [r for r in comparison.done if hasattr(r.model, "explain")]
    encoder = comparison.encoder
    if not able or encoder is None or comparison.n_features > _MOST_EXPLAINED:
        return ""
    best = max(able, key=lambda r: r.score)
    model = TableModel.from_model_file(
        {"encoder": encoder.spec, "source": {"label": None, "zero_based": False}},
        best.model,
    )
    (row,) = explain_table(model, comparison.example)
    shares = encoder.by_column(best.model.feature_importances_[None, :])[0]
    titles = dict(enumerate(row.names))
    cards = _card(
        f"What matters to the {best.title}",
        "How much its values change along each column; all columns sum to 100\u00a0%.",
        _bars(titles, shares, lambda share: f"{share:.1%}"),
    )
    cells = {j: f"{row.names[j]} = {row.cells[j]}" for j in titles}
    answer = row.answer
    if comparison.task == REGRESSION:
        answer = short_number(float(answer))
    return cards + _card(
        f"One test row: the {best.title} says {answer}",
        "What each value of the row adds to that answer (Shapley values): to the right "
        "what speaks for it, to the left what speaks against it.",
        _bars(cells, row.values, lambda value: f"{value:+.3g}", is_signed=True),
    )


def _bars(titles, values, show, is_signed=False):
    """Return the largest values as bars under their names, which may be long."""
    order = np.argsort(-np.abs(values), kind="stable")
    order = [j for j in order[:_MOST_BARS] if values[j] != 0.0]
    most = max((abs(values[j]) for j in order), default=1.0)
    room = 50.0 if is_signed else 100.0
    lines = []
    for j in order:
        width = room * abs(values[j]) / most
        start = (50.0 - width if values[j] < 0 else 50.0) if is_signed else 0.0
        style = "down" if values[j] < 0 else "up"
        lines.append(
            f"<li><span>{escape(titles[j])}</span><b>{show(values[j])}</b>"
            f'<div><div class="{style}" style="margin-left:{start:.1f}%;'
            f'width:{width:.1f}%"></div></div></li>'
        )
    rest = sum(value != 0.0 for value in values) - len(order)
    if rest > 0:
        lines.append(f'<li class="soft"><span>and {rest:,} smaller ones</span></li>')
    if not lines:
        lines.append('<li class="soft"><span>nothing: all rows there agree</span></li>')
    return f'<ul class="bars">{"".join(lines)}</ul>'


def _inside(comparison):
    """The trees of a DTSVM and of an H-LSVM, and the leaves of the DTSVM."""
    results = {r.method: r for r in comparison.done}
    cards = ""
    for method, words in (
        ("dtsvm", "a machine answers in each leaf"),
        ("hlsvm", "every test is a linear SVM"),
    ):
        found = results.get(method)
        if found is None or found.model.trees_[0].n_leaves < 2:
            continue
        tree = found.model.trees_[0]
        shown = tree
        if comparison.encoder is not None:
            shown = in_user_units(tree, comparison.encoder.spec)
        cards += _card(
            f"The tree of the {found.title}",
            f"The first levels, {tree.n_leaves:,} leaves in all; {words}.",
            outline(shown, comparison.classes, comparison.feature_names),
        )
        if method == "dtsvm":
            cards += _leaf_sizes(found)
    return cards


def _leaf_sizes(result):
    """How the rows are spread over the leaves of a decomposition."""
    parts = result.model.decompositions_[0].parts
    sizes = np.array([part.n_rows for part in parts])
    is_pure = np.array([part.machine is None for part in parts])
    words = f"{len(parts):,} leaves"
    if is_pure.any():
        words += f", {is_pure.sum():,} of one answer (pale), which need no machine"
    words += f"; {result.model.n_support_vectors_:,} support vectors."
    histogram = leaf_histogram(sizes, is_pure)
    return _card(f"Leaf sizes of the {result.title}", words, histogram)
