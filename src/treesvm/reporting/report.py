"""A comparison as one HTML file: style and pictures inside, nothing fetched."""

import platform
import sys
from collections.abc import Sequence
from html import escape

from treesvm import __version__
from treesvm.datasets.label_task import REGRESSION
from treesvm.reporting.method_looks import LOOKS
from treesvm.reporting.number_text import bytes_text, counted, score_text, seconds_text
from treesvm.reporting.report_cards import all_cards
from treesvm.reporting.report_style import STYLE
from treesvm.reporting.running import Comparison
from treesvm.reporting.words import headline


def html_report(
    comparisons: Sequence[Comparison],
    *,
    title: str = "Methods side by side",
    when: str = "",
) -> str:
    """Return the report as text.

    Parameters
    ----------
    comparisons : sequence of Comparison
    title : str
    when : str
        Date to be shown.

    Returns
    -------
    str
        An HTML page that works without a network.
    """
    pairs = list(enumerate(comparisons, 1))
    sections = "".join(_section(place, comparison) for place, comparison in pairs)
    contents = "".join(
        f'<li><a href="#data-{place}">{escape(comparison.name)}</a></li>'
        for place, comparison in pairs
    )
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
<nav><ol>{contents}<li><a href="#methods">What the methods are</a></li></ol></nav>
{sections}
{_methods(comparisons)}
<footer>
<p>Accuracy (or R²), prediction time and cost are measured on rows that no method was
trained on. Prediction time is that of a row within a large batch. Cost: a support
vector or a hyperplane reads all features of a row, a test in a tree reads one. Size is
that of the pickled model. One run on one machine: small differences mean nothing.</p>
<p>{escape(" · ".join(part for part in (version, system, when) if part))}</p>
</footer>
</main>
</body>
</html>
"""


def _section(place, comparison):
    """One data set: sentence, table, pictures."""
    facts = (
        f"{comparison.n_train:,} training rows, {comparison.n_test:,} test rows, "
        f"{comparison.n_features:,} features"
    )
    if comparison.task != REGRESSION:
        facts += f", {len(comparison.classes)} classes"
    cards = all_cards(comparison) if comparison.done else ""
    return f"""<section id="data-{place}">
<h2>{escape(comparison.name)}</h2>
<p class="soft">{facts}</p>
<p class="headline">{escape(headline(comparison))}</p>
<div class="card wide scroll">{_table(comparison)}</div>
<div class="grid">{cards}</div>
</section>
"""


def _methods(comparisons):
    """One sentence about each method that was compared."""
    titles = {}
    for comparison in comparisons:
        for r in comparison.results:
            known = titles.setdefault(r.method, [])
            if r.title not in known:
                known.append(r.title)
    entries = "".join(
        f"<dt>{escape(' / '.join(titles[method]))}</dt><dd>{escape(look.about)}</dd>"
        for method, look in LOOKS.items()
        if method in titles
    )
    return f"""<section id="methods">
<h2>What the methods are</h2>
<dl class="card">{entries}</dl>
</section>"""


_COLUMNS = (
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


def _table(comparison):
    """The numbers; on a phone each method becomes a small card."""
    task, done = comparison.task, comparison.done
    measure = "R²" if task == REGRESSION else "Accuracy"
    columns = (
        (measure, "score", lambda r: score_text(r.score, task), max),
        *_COLUMNS,
    )
    best = {
        field: choose(getattr(r, field) for r in done)
        for _, field, _, choose in columns
        if done
    }
    rows = []
    for r in comparison.results:
        key = f'<span class="key" style="background:{LOOKS[r.method].colour}">'
        cells = [f"<td>{key}</span>{escape(r.title)}</td>"]
        for name, field, show, _ in columns:
            if r.score is None:
                cells.append(f'<td data-name="{name}">–</td>')
                continue
            style = ' class="best"' if getattr(r, field) == best[field] else ""
            cells.append(f'<td data-name="{name}"{style}>{escape(show(r))}</td>')
        cells.append(f'<td class="note">{escape(r.note)}</td>')
        rows.append(f'<tr class="{"ours" if r.is_ours else ""}">{"".join(cells)}</tr>')
    heads = "".join(f"<th>{name}</th>" for name, *_ in columns)
    return (
        f'<table class="cards"><thead><tr><th>Method</th>{heads}<th></th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
