"""Tuned and untuned models on public tables, ours beside what people use instead.

classification  error, AUC, log loss, times and sizes on every table; mean ranks
regression      the same by R²
searched        our search beside our own defaults, paired row by row
raced, limit, covtype  what searches take, see `league_searches`

`--core` takes 20 tables and ends within two hours; without, all of them play, which
takes days. What was measured is kept in docs/benchmarks/league.json, cell by cell, and
a run goes on where the last one ended: see `league_tables`, `league_methods`. xRFM
needs an environment of its own, see `league_xrfm`.
"""

import numpy as np

from benchmarks import league_ranks as ranks
from benchmarks.league_methods import FAST_SEARCHED, PLAIN, SEARCHED
from benchmarks.league_play import played
from benchmarks.league_searches import SEARCH_CASES
from benchmarks.league_tables import CORE
from benchmarks.records import CaseResult, Claim, Record

_DEFAULT_RIVALS = ("LightGBM", "XGBoost", "HistGB", "SVM, tuned")
_POINTS = 0.003  # that a search may be behind the defaults


def classification_case(context):
    """Classification tables: a row for each, mean ranks, and who wins where."""
    every = played(context, is_regression=False)
    records = _of_core(every)
    result = _compared(context, records, "classification")
    _add_all_tables(result, every, records)
    methods = ranks.methods_of(every)
    result.tables["Error in percent"] = ranks.by_table(every, "error", methods, 100.0)
    result.tables["AUC, tables of two classes"] = ranks.by_table(every, "auc", methods)
    result.tables["Log loss"] = ranks.by_table(every, "log_loss", methods)
    result.claims += [
        *_rank_claims(records, _DEFAULT_RIVALS),
        *_auc_claims(records),
        *_log_loss_claims(records),
    ]
    return result


def regression_case(context):
    """Regression tables: a row for each, mean ranks, and who wins where."""
    every = played(context, is_regression=True)
    records = _of_core(every)
    result = _compared(context, records, "regression")
    _add_all_tables(result, every, records)
    methods = ranks.methods_of(every)
    result.tables["R²"] = ranks.by_table(every, "r2", methods)
    result.claims += _rank_claims(records, ("LightGBM", "SVM, tuned", "SVM, intelex"))
    return result


def _of_core(records):
    """Return records of core tables, which all methods are asked about; else all."""
    return [r for r in records if r["table"] in CORE] or records


def _add_all_tables(result, every, records):
    """Add the summary of all tables where more than the core has been played."""
    if len(every) > len(records):
        most = ranks.methods_of(every, share=0.9)
        title = "All tables, methods that were asked about most of them"
        result.tables[title] = ranks.summary(every, most)


def _compared(context, records, kind):
    """Return summaries and pictures that both kinds have."""
    result = CaseResult(records=_records(records, kind))
    if not records:
        return result
    everyone, most = ranks.methods_of(records), ranks.methods_of(records, share=0.9)
    result.tables["Methods that take any number of rows"] = ranks.summary(records, most)
    if len(everyone) > len(most):
        title = "All methods, tables and seeds on which all of them answered"
        result.tables[title] = ranks.summary(records, everyone)
    ours = SEARCHED if SEARCHED in everyone else FAST_SEARCHED
    if ours in everyone:
        title = f"{ours}, beside the best other: wins first, losses last"
        result.tables[title] = ranks.beside_the_best(records, ours, most)
    if not context.quick:
        result.notes += [
            ranks.draw_differences(records, most, kind),
            ranks.draw_times(records, most, kind),
        ]
    result.notes += [*_gave_up(records), *_several_versions(records)]
    return result


def _several_versions(records):
    """Say it where figures of ours are of code that has changed in between."""
    own = [r["version"] for r in records if r["method"].startswith("ours")]
    if len(set(own)) < 2:
        return []
    return [f"Ours was measured with {len(set(own))} versions of the code."]


def _rank_claims(records, rivals):
    """Claims of the 60 s search: pairwise, on tables that both have answered."""
    methods = ranks.methods_of(records)
    if SEARCHED not in methods:
        return []
    claims = []
    most = ranks.methods_of(records, share=0.9)
    for rival in (r for r in rivals if r in methods):
        own = [*most, *([] if rival in most else [rival])]
        tables, losses = ranks.losses_by_table(records, own)
        if tables:
            mean = dict(zip(own, ranks.mean_ranks(losses), strict=True))
            gap = float(mean[rival] - mean[SEARCHED])
            claims.append(Claim(f"mean rank, {rival} less ours", gap, 0.0, unit=""))
    if "LightGBM, 400" in most:
        _, losses = ranks.losses_by_table(records, most)
        ratio = dict(zip(most, ranks.relative(losses), strict=True))
        value = float(ratio[SEARCHED] / ratio["LightGBM, 400"])
        work = "geometric mean of errors against LightGBM, 400 trees"
        claims.append(Claim(work, value, 1.0, higher_is_better=False))
    return claims


def _auc_claims(records):
    """Tables of two classes on which our AUC is more than 0.002 behind SVC's."""
    methods = ranks.methods_of(records)
    rival = next((m for m in ("SVM, tuned", "SVM, intelex") if m in methods), None)
    if rival is None or SEARCHED not in methods:
        return []
    lines = ranks.by_table(records, "auc", [SEARCHED, "SVM, tuned", "SVM, intelex"])
    behind = 0
    for line in lines:
        theirs = line["SVM, tuned"] or line["SVM, intelex"]
        if theirs is not None and line[SEARCHED] is not None:
            behind += line[SEARCHED] < theirs - 0.002
    work = "tables whose AUC is more than 0.002 behind SVC's"
    return [Claim(work, int(behind), 1, unit="", higher_is_better=False)]


def _log_loss_claims(records):
    pair = [SEARCHED, "LightGBM"]
    two_class = {r["table"] for r in records if "auc" in r}
    lines = ranks.by_table(records, "log_loss", pair)
    gaps = [
        line[pair[0]] - line[pair[1]]
        for line in lines
        if line["table"] in two_class and None not in line.values()
    ]
    if not gaps:
        return []
    work = "mean log loss, two classes, ours less LightGBM's"
    return [Claim(work, float(np.mean(gaps)), 0.0, unit="", higher_is_better=False)]


def searched_case(context):
    """Our searches beside our own defaults, on the same rows."""
    records = played(context, False) + played(context, True)
    result = CaseResult()
    for method in (SEARCHED, FAST_SEARCHED):
        lines = _beside_defaults(records, method)
        if not lines:
            continue
        result.tables[f"{method}, beside our defaults: losses last"] = lines
        _, losses = ranks.losses_by_table(records, [method, PLAIN])
        ratio = float(np.exp(np.log(losses[:, 0] / losses[:, 1]).mean()))
        n_worse = sum(line["worse"] == "yes" for line in lines)
        result.claims += [
            Claim(
                f"{method}: geometric mean of errors against defaults",
                ratio,
                0.95,
                0.9,
                higher_is_better=False,
            ),
            Claim(
                f"{method}: tables worse than defaults",
                n_worse,
                0,
                unit="",
                higher_is_better=False,
            ),
        ]
    return result


def _beside_defaults(records, method):
    """Return a line for each table; worse is beyond 0.3 points and two errors."""
    lines = []
    for table in sorted({r["table"] for r in records}):
        own = [
            r
            for r in records
            if r["table"] == table and r["method"] == method and "paired_error" in r
        ]
        if own:
            gap = float(np.mean([r["more_than_plain"] for r in own]))
            # Seeds share rows, so their errors are not divided by their number.
            error = float(np.mean([r["paired_error"] for r in own]))
            is_worse = gap > max(_POINTS, 2.0 * error)
            lines.append(
                {
                    "table": table,
                    "error, points more": 100.0 * gap,
                    "paired standard error": 100.0 * error,
                    "worse": "yes" if is_worse else "no",
                }
            )
    return sorted(lines, key=lambda line: line["error, points more"])


def _gave_up(records):
    why = {}
    for record in records:
        if "gave_up" in record:
            own = why.setdefault((record["method"], record["gave_up"]), set())
            own.add(record["table"])
    return [
        f"{method} gave up on {', '.join(sorted(tables))}: {reason}."
        for (method, reason), tables in sorted(why.items())
    ]


def _records(records, case):
    return [
        Record(
            case,
            f"treesvm {r['method']}" if r["method"].startswith("ours") else r["method"],
            f"{r['table']}, seed {r['seed']}",
            r["fit_seconds"],
            threads=2,
            accuracy=1.0 - ranks.loss(r),
        )
        for r in records
        if "gave_up" not in r
    ]


CASES = {
    "classification": classification_case,
    "regression": regression_case,
    "searched": searched_case,
    **SEARCH_CASES,
}
