"""A paper's page: tables with ours beside them, pictures, what the cells say."""

from collections import Counter
from pathlib import Path

from benchmarks.papers import explanations
from benchmarks.papers.cells import HOUR
from benchmarks.papers.store import ROOT
from benchmarks.report import markdown_table, number

DOCS = ROOT / "docs" / "papers"
COUNTS_BEGIN, COUNTS_END = "<!-- cells -->", "<!-- end of cells -->"
TOO_LONG = "beyond an hour"


def write_page(paper, store, docs=DOCS, entries=None):
    """Write NAME.md and its pictures; return the page's path."""
    if entries is None:
        entries = explanations.load(paper.name)
    parts = [f"# {paper.title}", paper.protocol, _reading_help(paper)]
    store = WithDerived(store, paper)
    bodies = [_table_text(table, store, entries) for table in paper.tables]
    parts.append(_summary(counts_of(paper, store, entries)))
    parts += bodies
    parts += [text for extra in paper.extras if (text := _extra_text(extra, store))]
    parts += [text for p in paper.pictures if (text := _picture(paper, p, store, docs))]
    path = Path(docs) / f"{paper.name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(parts) + "\n", encoding="utf8")
    return path


def counts_of(paper, store, entries):
    """How many cells of each table are in each state: {title: Counter}."""
    return {
        table.title: Counter(
            state_of(cell, store, entries, table.title)[0] for cell in table.cells
        )
        for table in paper.tables
    }


def write_counts(papers, store_of, docs=DOCS, entries_of=explanations.load):
    """Put a line for each paper between the marks of README.md; return its path."""
    found = {}
    for paper in papers:
        store = WithDerived(store_of(paper.name), paper)
        states = counts_of(paper, store, entries_of(paper.name))
        found[f"[{paper.name}]({paper.name}.md)"] = sum(states.values(), Counter())
    rows = [_summary_row(label, counts) for label, counts in found.items()]
    rows.append(_summary_row("all", sum(found.values(), Counter())))
    rows = [{"paper": row.pop("table"), **row} for row in rows]
    path = Path(docs) / "README.md"
    before, rest = path.read_text(encoding="utf8").split(COUNTS_BEGIN)
    _, after = rest.split(COUNTS_END)
    block = f"{COUNTS_BEGIN}\n{markdown_table(rows)}\n{COUNTS_END}"
    path.write_text(before + block + after, encoding="utf8")
    return path


class WithDerived:
    """A store that also knows the figures computed from those of other runs."""

    def __init__(self, store, paper):
        self.entry = store.entry
        self._store, self._derived, self._slots = store, paper.derived, {}
        self._runs = {run.name: run for run in paper.runs}

    def estimate(self, name):
        """Seconds that a run takes, or a run that it needs and that is not there."""
        if name in self._derived:
            self.shown(name)
            absent = [own for own, slot in self._slots.items() if slot is None]
            return max(map(self.estimate, absent), default=0.0)
        seconds = [self.entry(name).get("estimate", 0.0)]
        run = self._runs.get(name)
        if run is not None:
            seconds.append(run.seconds)
            if run.after and self._store.shown(run.after)[0] is None:
                seconds.append(self.estimate(run.after))
        return max(seconds)

    def shown(self, name):
        if name not in self._derived:
            return self._store.shown(name)
        self._slots = {}
        figures = self._derived[name](self._figures_of)
        return figures, "quick" if "quick" in self._slots.values() else "full"

    def _figures_of(self, name):
        figures, self._slots[name] = self._store.shown(name)
        return figures


def _reading_help(paper):
    return (
        "Every cell shows our figure, and the published one in brackets. A figure in "
        "bold is farther from the published one than the tolerance under the table; "
        "the letter behind it leads to a sentence that says why. q marks a quick run, "
        "on fewer rows or folds; ± is over partitions, splits or folds. Written by\n\n"
        f"    make reproduce PAPER={paper.name} DATA=folder"
    )


def state_of(cell, store, entries, table_title):
    """(state, ours, text): a column of the summary, our figure, the explanation."""
    if not cell.run:
        return "no data", None, None
    figures, slot = store.shown(cell.run)
    ours = None if figures is None else figures.get(cell.figure)
    if cell.timed and not store.entry(cell.run).get("timed", False):
        ours = None
    if ours is None and store.estimate(cell.run) > HOUR:
        return TOO_LONG, None, None
    if ours is None:
        return "to be timed" if cell.timed else "not run", None, None
    if slot == "quick":
        return "quick", ours, None
    if cell.tolerance is None or cell.tolerance.holds(ours, cell.published):
        return "within", ours, None
    text = explanations.find(entries, table_title, cell)
    return ("open" if text is None else "explained"), ours, text


def _table_text(table, store, entries):
    """The table as markdown, its tolerances, and the reasons of deviations."""
    texts, grid = [], {}
    columns = list(dict.fromkeys(cell.column for cell in table.cells))
    for cell in table.cells:
        state, ours, text = state_of(cell, store, entries, table.title)
        if text is not None and text not in texts:
            texts.append(text)
        letter = f" {_letter(texts.index(text))}" if text is not None else ""
        shown = _ours(cell, state, ours, store) + letter
        if ours is not None:
            shown += _beside(cell, store)
        published = "" if cell.published is None else f" ({number(cell.published)})"
        grid.setdefault(cell.row, {})[cell.column] = shown + published
    rows = [
        {"": row, **{column: cells.get(column, "") for column in columns}}
        for row, cells in grid.items()
    ]
    parts = [f"## {table.title}", markdown_table(rows), _tolerances(table), table.note]
    parts += [f"{_letter(k)} {text}" for k, text in enumerate(texts)]
    return "\n\n".join(part for part in parts if part)


def _letter(k):
    return f"[{chr(ord('a') + k % 26)}{k // 26 or ''}]"


def _ours(cell, state, ours, store):
    spread = "" if ours is None else _spread(cell, store)
    if state in ("explained", "open"):
        return f"**{number(ours)}**{spread}"
    if state == "quick":
        return f"{number(ours)}{spread} q"
    if state in ("not run", TOO_LONG):
        return f"not run, {_duration(store.estimate(cell.run))}"
    if state == "no data":
        return cell.missing or "no data"
    return state if ours is None else number(ours) + spread


def _spread(cell, store):
    """Over the paper's partitions or folds, where there are several."""
    deviation = store.shown(cell.run)[0].get(f"± {cell.figure}")
    return "" if deviation is None else f" ± {deviation:.2g}"


def _beside(cell, store):
    """Other readings of the figure, as far as the run has them."""
    figures = store.shown(cell.run)[0]
    found = {label: figures.get(name) for label, name in cell.beside.items()}
    return "".join(f"; {k} {number(v)}" for k, v in found.items() if v is not None)


def _duration(seconds):
    if seconds < HOUR:
        return f"about {max(1, round(seconds / 60))} min"
    return f"about {seconds / HOUR:.0f} h"


def _tolerances(table):
    """One line: which tolerance holds for which columns."""
    columns = {}
    for cell in table.cells:
        if cell.tolerance is not None and cell.run:
            columns.setdefault(str(cell.tolerance), {})[cell.column] = None
    texts = [f"{width} ({', '.join(names)})" for width, names in columns.items()]
    return f"Tolerance: {'; '.join(texts)}." if texts else ""


def _summary(states):
    rows = [_summary_row(title, found) for title, found in states.items()]
    total = sum(states.values(), Counter())
    return (
        "## What the cells say\n\n"
        + markdown_table([*rows, _summary_row("all", total)])
        + '\n\n"Within" and "explained" are of the regenerated cells. "Open" cells lie '
        "outside the tolerance without a reason that we know. Cells beyond an hour "
        "have a run that takes longer than that, about as long as the cell says; like "
        "those without data they are not among the cells to be had."
    )


def _summary_row(title, found):
    to_be_had = sum(found.values()) - found["no data"] - found[TOO_LONG]
    regenerated = found["within"] + found["explained"] + found["open"]
    return {
        "table": title.split(":")[0],
        "in the paper": sum(found.values()),
        "no data": found["no data"],
        TOO_LONG: found[TOO_LONG],
        "data to be had": to_be_had,
        "regenerated": regenerated,
        "within tolerance": found["within"],
        "explained": found["explained"],
        "open": found["open"],
        "quick run": found["quick"],
        "not run": found["not run"],
        "to be timed": found["to be timed"],
    }


def _extra_text(extra, store):
    rows = []
    for label, (run, columns) in extra.rows.items():
        figures, slot = store.shown(run)
        if figures is None:
            continue
        mark = " q" if slot == "quick" else ""
        values = {
            c: f(figures) if callable(f) else figures.get(f) for c, f in columns.items()
        }
        shown = {column: number(value) + mark for column, value in values.items()}
        rows.append({"": label, **shown})
    if not rows:
        return ""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    rows = [{column: row.get(column, "–") for column in columns} for row in rows]
    parts = [f"## {extra.title}", markdown_table(rows), extra.note]
    return "\n\n".join(part for part in parts if part)


def _picture(paper, picture, store, docs):
    """Draw it if there are figures; an SVG beside the paper's claim."""
    found = {name: store.shown(name) for name in picture.runs}
    figures = {name: shown for name, (shown, _) in found.items() if shown is not None}
    if not figures:
        return ""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    file = f"figures/{paper.name}-{picture.name}.svg"
    figure = Figure(figsize=(5.2 * picture.n_axes, 3.6), layout="constrained")
    axes = figure.subplots(1, picture.n_axes)
    picture.draw(axes, figures)
    path = Path(docs) / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context({"svg.hashsalt": file}):  # the same picture, the same file
        figure.savefig(path, metadata={"Date": None})
    quick = [name for name, (_, slot) in found.items() if slot == "quick"]
    note = f" Quick runs: {', '.join(quick)}." if quick else ""
    absent = [name for name in picture.runs if name not in figures]
    if absent:
        named = (f"{name} ({_duration(store.estimate(name))})" for name in absent)
        note += f" Not run, so not drawn: {', '.join(named)}."
    return f"## {picture.title}\n\n{picture.claim}{note}\n\n![{picture.title}]({file})"
