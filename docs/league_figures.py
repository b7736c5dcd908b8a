"""Write what the README and the guide say of the league, from its league.json.

    python docs/league_figures.py

A benchmark run changes league.json; this brings the table on the README's first screen
and that of the losses in docs/guide/when_not.md up to it. The prose around them is by
hand, and so is the picture's: see draw_pictures.py.
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from benchmarks import league_ranks as ranks  # noqa: E402
from benchmarks.league_tables import CORE  # noqa: E402

OURS = "ours, 60 s"
SHOWN = {
    OURS: "`TreeSVC`, `TreeSVR`, limit of 60 s",
    "CatBoost": "CatBoost, defaults",
    "SVM, tuned": "`SVC`, C and γ tuned",
    "HistGB": "HistGradientBoosting, defaults",
    "XGBoost": "XGBoost, defaults",
    "LightGBM": "LightGBM, defaults",
    "ours, defaults": "`DTSVMClassifier()`, `DTSVRegressor()`, no search",
}
FORMATS = {"right answers": "{:.1%}", "R²": "{:.3f}"}  # of what is shown
SHARE = 0.9  # of the tables, that a method has answered to be shown


def league_records():
    """Return the classification and the regression cells of the core tables."""
    lines = (HERE / "benchmarks" / "league.json").read_text("utf8").splitlines()
    cells = [json.loads(line.rstrip(",")) for line in lines if line.startswith("{")]
    cells = [cell for cell in cells if cell["table"] in CORE]
    return [[c for c in cells if field in c] for field in ("error", "r2")]


def first_screen():
    """Return the README's table: how good, how long, on tables that all answered."""
    names, columns = [], {method: [] for method in SHOWN}
    for kind, records in zip(FORMATS, league_records(), strict=True):
        methods = ranks.methods_of(records, SHARE)
        tables, losses = ranks.losses_by_table(records, methods)
        own = {line["method"]: line for line in ranks.summary(records, methods)}
        mean = dict(zip(methods, 1.0 - losses.mean(axis=0), strict=True))
        names.append(f"{kind}, mean of {len(tables)} tables (mean rank of {len(own)})")
        for method, cells in columns.items():
            good = FORMATS[kind].format(mean.get(method, 0.0)).replace("%", " %")
            rank = own.get(method, {}).get("mean rank", 0.0)
            cells.append(f"{good} ({rank:.1f})" if method in own else "–")
    classes, _ = league_records()
    methods = ranks.methods_of(classes, SHARE)
    for line in ranks.summary(classes, methods):
        if line["method"] in SHOWN:
            fit, micros = line["median fit, s"], line["median µs a row"]
            columns[line["method"]] += [f"{fit:.2g} s", f"{micros:.0f}"]
    return "\n".join(
        [
            f"| method, on two cores | {' | '.join(names)} | median fit | µs a row |",
            "|---|---|---|---|---|",
            *(f"| {' | '.join([SHOWN[m], *cells])} |" for m, cells in columns.items()),
            "",
            largest_win(classes, methods),
        ]
    )


def largest_win(records, methods):
    """Return what the means are without the table that speaks for us most."""
    tables, losses = ranks.losses_by_table(records, methods)
    ours = losses[:, methods.index(OURS)]
    others = losses[:, [k for k, m in enumerate(methods) if not m.startswith("ours")]]
    win = int((others.min(axis=1) - ours).argmax())
    left = [k for k in range(len(tables)) if k != win]
    best = 1.0 - others[left].mean(axis=0).min()
    return (
        f"Without {tables[win].removeprefix('c_')}, our largest win, the mean of\n"
        f"`TreeSVC` is {100 * (1.0 - ours[left].mean()):.1f} %, that of the best other "
        f"method {100 * best:.1f} %."
    )


def losses():
    """Return the guide's table: where the best other method is ahead."""
    lines = ["| where we lose | ours, 60 s | the best other |", "|---|---|---|"]
    for records, text in zip(league_records(), (_wrong, _r2), strict=True):
        for table, (ours, other, which) in beside_the_best(records).items():
            if text(ours) != text(other) and ours > other:
                cells = [table, text(ours), f"{which}: {text(other)}"]
                lines.append(f"| {' | '.join(cells)} |")
    records, _ = league_records()
    times = {
        line["method"]: line["median fit, s"]
        for line in ranks.summary(records, [OURS, "LightGBM"])
    }
    lines.append(
        f"| training time, always | {times[OURS]:.1f} s (median) | "
        f"LightGBM: {times['LightGBM']:.1f} s |"
    )
    return "\n".join(lines)


def beside_the_best(records):
    """Return table -> (our loss, that of the best other, its name), losses first.

    Each pair is compared on the cuts that both have answered.
    """
    pairs = {}
    for (table, _), own in ranks.cells(records).items():
        for method in own:
            if OURS in own and not method.startswith("ours"):
                pair = ranks.loss(own[OURS]), ranks.loss(own[method])
                table_pairs = pairs.setdefault(table, {})
                table_pairs.setdefault(method, []).append(pair)
    found = {}
    for table, methods in pairs.items():
        means = {
            m: [sum(v) / len(v) for v in zip(*own, strict=True)]
            for m, own in methods.items()
        }
        which = max(means, key=lambda m, means=means: means[m][0] - means[m][1])
        name = table.removeprefix("c_").removeprefix("r_")
        found[name] = (*means[which], which)
    return dict(sorted(found.items(), key=lambda line: line[1][1] - line[1][0]))


def _wrong(loss):
    return f"{100 * loss:.3g} % wrong"


def _r2(loss):
    return f"R² {1 - loss:.3f}"


def with_block(text, name, block):
    """Return a page with the block between its markers replaced."""
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    return re.sub(
        f"{begin}.*{end}",
        lambda match: f"{begin}\n{block}\n{end}",
        text,
        flags=re.DOTALL,
    )


BLOCKS = {
    HERE.parent / "README.md": ("measured", first_screen),
    HERE / "guide" / "when_not.md": ("losses", losses),
}

if __name__ == "__main__":
    for path, (name, block) in BLOCKS.items():
        path.write_text(with_block(path.read_text("utf8"), name, block()), "utf8")
