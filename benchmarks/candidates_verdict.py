"""Who is better than whom: selectors beside random rows, and rank tests."""

from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks import candidates_problems as problems
from benchmarks.candidates_tables import METHODS, fold_scores, stored_records
from benchmarks.records import CaseResult, Claim
from treesvm.metrics import dunn_test, friedman_test, nemenyi_test

ALPHA = 0.05
SETS = (*problems.SMALL, *problems.LARGE)
RIVAL = "RandomRows"
PICTURE = Path("docs/benchmarks/candidates_ranks.svg")


def verdict_case(context):
    """Compare the stored results of the cases small, a9a and ijcnn1."""
    context.start_ours()
    records = stored_records(("small", *problems.LARGE))
    scores = {
        (name, share): fold_scores(records, name, share)
        for name in SETS
        for share in problems.SHARES
    }
    result = CaseResult()
    missing = [name for name in SETS if not scores[name, 0.1]]
    if missing:
        result.notes.append(f"Without {', '.join(missing)}, which was not run.")
    for method in ("TRSD", "CleanSpread"):
        _add_claims(result, method, scores)
    for share in problems.SHARES:
        result.tables[f"Gain over RandomRows at share {share}, in points ± error"] = [
            _gain_row(name, scores[name, share]) for name in SETS if scores[name, share]
        ]
    result.tables["Dunn's test on each set: sets where the row is above the column"] = (
        _dunn_rows(scores)
    )
    _add_ranks(result, scores)
    _draw(scores)
    return result


def _add_claims(result, method, scores):
    """Count the sets on which a method is not below random rows, or above them."""
    for share in problems.SHARES:
        known = [name for name in SETS if method in scores[name, share]]
        gains = [_gain(scores[name, share], method) for name in known]
        not_below = sum(mean >= -error for mean, error in gains)
        result.claims.append(
            Claim(
                f"{method}, share {share}: not below RandomRows by a standard error",
                float(not_below), must=8.0, unit=f"of {len(known)} sets",
            )
        )  # fmt: skip
    known = [scores[name, 0.1] for name in SETS if method in scores[name, 0.1]]
    above = {
        "Dunn": sum(_dunn_sign(row, method, RIVAL) > 0 for row in known),
        "paired t": sum(_paired_sign(row, method) > 0 for row in known),
    }
    for test, count in above.items():
        result.claims.append(
            Claim(
                f"{method}, share 0.1: significantly above RandomRows ({test})",
                float(count), aim=4.0, unit=f"of {len(known)} sets",
            )
        )  # fmt: skip


def _gain(scores, method):
    """Mean difference to random rows over the folds, and its standard error."""
    n = min(len(scores[method]), len(scores[RIVAL]))
    difference = scores[method][:n] - scores[RIVAL][:n]
    error = difference.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    return float(difference.mean()), float(error)


def _gain_row(name, scores):
    row = {"set": name}
    for method in METHODS:
        if method == RIVAL:
            continue
        row[method] = "–"
        if method in scores:
            mean, error = _gain(scores, method)
            row[method] = f"{mean:+.2f} ± {error:.2f}"
    return row


def _paired_sign(scores, method):
    """Sign of the gain if a paired t-test over the folds calls it significant."""
    mean, error = _gain(scores, method)
    n = min(len(scores[method]), len(scores[RIVAL]))
    if n < 3:
        return 0
    if error == 0.0:
        return np.sign(mean)
    p = 2 * stats.t.sf(abs(mean) / error, n - 1)
    return np.sign(mean) if p < ALPHA else 0


def _dunn_sign(scores, first, second):
    """Sign of the difference if Friedman and then Dunn call it significant.

    Over methods with results on all folds, as the paper does it on each set.
    """
    methods, table = _whole_table(scores)
    if first not in methods or second not in methods:
        return 0
    if friedman_test(table).p_value >= ALPHA:
        return 0
    a, b = methods.index(first), methods.index(second)
    if dunn_test(table)[a, b] >= ALPHA:
        return 0
    return np.sign(np.mean(table[:, a] - table[:, b]))


def _whole_table(scores):
    """Methods with all folds, but the SVM of all rows, and their accuracies."""
    if not scores:
        return [], np.empty((0, 0))
    most = max(len(values) for values in scores.values())
    methods = [m for m in METHODS if m != "SVM" and len(scores.get(m, ())) == most]
    return methods, np.stack([scores[m] for m in methods], axis=1)


def _dunn_rows(scores):
    """For each pair the number of sets above, as texts for the three shares."""
    rivals = [m for m in METHODS if m != "SVM"]
    rows = []
    for first in rivals:
        row = {"method": first}
        for second in rivals:
            counts = [
                sum(_dunn_sign(scores[n, share], first, second) > 0 for n in SETS)
                for share in problems.SHARES
            ]
            row[second] = "–" if first == second else " / ".join(map(str, counts))
        rows.append(row)
    return rows


def _mean_table(scores, share):
    """Mean accuracies: a row for each set that all selectors ran on, by selector."""
    rivals = [m for m in METHODS if m != "SVM"]
    rows = [scores[name, share] for name in SETS]
    whole = [row for row in rows if all(m in row for m in rivals)]
    return rivals, np.array([[row[m].mean() for m in rivals] for row in whole])


def _add_ranks(result, scores):
    """Friedman's test over the sets, mean ranks, and Nemenyi's test."""
    ranks = []
    for share in problems.SHARES:
        rivals, table = _mean_table(scores, share)
        outcome = friedman_test(table)
        row = {"share": share, "sets": len(table), "Friedman p": outcome.p_value}
        row |= dict(zip(rivals, outcome.mean_ranks.round(2).tolist(), strict=True))
        ranks.append(row)
        p = nemenyi_test(table)
        result.tables[f"Nemenyi's p over {len(table)} sets, share {share}"] = [
            {"method": a} | dict(zip(rivals, p[i].round(3).tolist(), strict=True))
            for i, a in enumerate(rivals)
        ]
    result.tables["Mean ranks over the sets (1 is the best)"] = ranks


def _draw(scores):
    """Draw the critical-difference picture of a share of 0.1."""
    import matplotlib

    matplotlib.use("svg")
    from treesvm.plotting import plot_critical_difference

    rivals, table = _mean_table(scores, 0.1)
    ax = plot_critical_difference(table, rivals)
    ax.figure.savefig(PICTURE)
