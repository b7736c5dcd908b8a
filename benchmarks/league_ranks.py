"""What the league's records say: ranks, errors beside the best, and pictures."""

from pathlib import Path

import numpy as np
from scipy.stats import rankdata

FIGURES = Path("docs/benchmarks/figures")
_TIMES = ("fit_seconds", "micros")  # of a cell


def loss(record):
    """Share of wrong answers, or of the target's variance that is left."""
    return record["error"] if "error" in record else 1.0 - record["r2"]


def cells(records):
    """Return (table, seed) -> method -> record, without those that gave up."""
    found = {}
    for record in records:
        if "gave_up" not in record:
            key = record["table"], record["seed"]
            found.setdefault(key, {})[record["method"]] = record
    return found


def methods_of(records, share=0.0):
    """Methods in order of appearance that answered on at least a share of the tables.

    Tables and not cuts: some methods have been asked about more cuts than others.
    """
    known = {}
    for (table, _), own in cells(records).items():
        for method in own:
            known.setdefault(method, set()).add(table)
    most = max(map(len, known.values()), default=0)
    return [m for m, tables in known.items() if len(tables) >= max(1, share * most)]


def losses_by_table(records, methods):
    """Return tables and losses (n_tables, n_methods), means over seeds.

    Only cuts that every one of the methods has answered count. A loss of none is half a
    row's, so that ratios exist.
    """
    sums = {}
    for (table, _), own in cells(records).items():
        if all(m in own for m in methods):
            least = 0.5 / own[methods[0]]["n_test"] if methods else 0.0
            values = [max(loss(own[m]), least) for m in methods]
            sums.setdefault(table, []).append(values)
    tables = sorted(sums)
    return tables, np.array([np.mean(sums[table], axis=0) for table in tables])


def mean_ranks(losses):
    """Return the mean rank of each method, equal ones sharing theirs."""
    return np.mean([rankdata(line) for line in losses], axis=0)


def relative(losses):
    """Return the geometric mean, over tables, of loss / best loss of the table."""
    best = losses.min(axis=1, keepdims=True)
    return np.exp(np.log(losses / best).mean(axis=0))


def summary(records, methods):
    """Return a line for each method, the best rank first."""
    tables, losses = losses_by_table(records, methods)
    if not tables:
        return []
    ranks, ratios = mean_ranks(losses), relative(losses)
    firsts = (losses == losses.min(axis=1, keepdims=True)).sum(axis=0)
    found, lines = cells(records), []
    for k in np.argsort(ranks):
        own = [c[methods[k]] for c in found.values() if methods[k] in c]
        lines.append(
            {
                "method": methods[k],
                "mean rank": float(ranks[k]),
                "error / best": float(ratios[k]),
                "first on": int(firsts[k]),
                "tables": len(tables),
                "median fit, s": _median(own, "fit_seconds"),
                "median µs a row": _median(own, "micros"),
                "median KB": _median(own, "bytes", 1e-3),
            }
        )
    return lines


def _median(records, field, unit=1.0):
    """Return the median of a field; of times, without cells on a busy machine."""
    quiet = [r for r in records if field not in _TIMES or not r.get("busy")]
    values = [r[field] for r in quiet or records if r.get(field) is not None]
    return float(np.median(values) * unit) if values else None


def by_table(records, field, methods, unit=1.0):
    """Return a line for each table with the mean of a field over seeds."""
    lines = []
    for table in sorted({record["table"] for record in records}):
        line = {"table": table}
        for method in methods:
            values = [
                record[field]
                for record in records
                if record["table"] == table
                and record["method"] == method
                and field in record
            ]
            line[method] = float(np.mean(values)) * unit if values else None
        if any(value is not None for value in list(line.values())[1:]):
            lines.append(line)
    return lines


def beside_the_best(records, ours, methods):
    """Return a line for each table: ours, the best other, and who that is."""
    others = [m for m in methods if m != ours and not m.startswith("ours")]
    tables, losses = losses_by_table(records, [ours, *others])
    lines = []
    for table, line in zip(tables, losses, strict=True):
        best = int(line[1:].argmin())
        lines.append(
            {
                "table": table,
                "ours": float(line[0]),
                "best other": float(line[1 + best]),
                "which": others[best],
                "ours / best other": float(line[0] / line[1 + best]),
            }
        )
    return sorted(lines, key=lambda own: own["ours / best other"])


def draw_differences(records, methods, kind):
    """Draw the critical-difference picture; return its line for the page."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    from treesvm.plotting import plot_critical_difference

    _, losses = losses_by_table(records, methods)
    if len(losses) < 3 or len(methods) < 3:
        return ""
    figure, ax = pyplot.subplots(figsize=(10, 1.5 + 0.25 * len(methods)))
    plot_critical_difference(-losses, methods, ax=ax)
    return _saved(
        figure,
        f"league-{kind}-ranks.svg",
        "mean ranks; a bar joins methods that do not differ significantly",
    )


def draw_times(records, methods, kind):
    """Draw error beside the best against the time of a fit."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    lines = summary(records, methods)
    if not lines:
        return ""
    figure, ax = pyplot.subplots(figsize=(8, 5))
    for line in lines:
        place = line["median fit, s"], line["error / best"]
        is_ours = line["method"].startswith("ours")
        ax.plot(*place, "o", color="C3" if is_ours else "C0")
        ax.annotate(line["method"], place, (4, 4), textcoords="offset points", size=8)
    ax.set(
        xscale="log",
        xlabel="median seconds of a fit, 2 threads",
        ylabel="error / best error, geometric mean",
    )
    return _saved(figure, f"league-{kind}-times.svg", "error against training time")


def _saved(figure, name, text):
    import matplotlib
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "league"  # equal pictures are equal files
    FIGURES.mkdir(parents=True, exist_ok=True)
    figure.savefig(FIGURES / name, metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)
    return f"![{text}](figures/{name})"
