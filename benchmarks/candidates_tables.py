"""Accuracy of every selector at three shares of the rows."""

import functools
import json
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks import candidates_problems as problems
from benchmarks.data import MissingData
from benchmarks.records import CaseResult, Record
from treesvm import KernelSVC
from treesvm.candidates import CBD, CVS, FLD, TRSD, CleanSpread, RandomRows

SELECTORS = {
    "CVS": CVS,
    "FLD": FLD,
    "CBD": CBD,
    "TRSD": TRSD,
    "TRSD, no random rows": functools.partial(TRSD, random_share=0.0),
    "RandomRows": RandomRows,
    "CleanSpread": CleanSpread,
}
METHODS = ("SVM", *SELECTORS)
STORED = Path("benchmark-results/candidates")
# A machine of all rows takes minutes on the large sets, and so do 94,000 × 94,000
# distances: these methods run on fewer folds there, at the first and the other shares.
_FEW_FOLDS = {
    "SVM": (2, 0),
    "CVS": (3, 3),
    "FLD": (3, 2),
    "CBD": (2, 2),
    "CleanSpread": (3, 2),
}
# 141,691 rows: neighbours of all of them are searched at the first share only.
_FEWEST_FOLDS = {
    "SVM": (1, 0),
    "CVS": (2, 2),
    "FLD": (2, 2),
    "CBD": (1, 0),
    "CleanSpread": (2, 0),
}


def tables_case(context, case, names):
    """Run all methods on the named sets."""
    context.start_ours()
    result = CaseResult()
    for name in names:
        _run_set(context, case, name, result)
        print(f"{name} done", flush=True)
    for share in problems.SHARES:
        result.tables[f"Share {share}: accuracy in % ± deviation"] = [
            _accuracy_row(result.records, name, share) for name in names
        ]
    result.tables["Share of the solves that converged"] = _converged(result.records)
    return result


def _run_set(context, case, name, result):
    """Add a record for each method and share of one set."""
    runs = {}
    for number, fold in enumerate(problems.folds(context, name)):
        for share in problems.SHARES:
            for method in METHODS:
                if number >= _n_folds(name, method, share):
                    continue
                runs.setdefault((method, share), []).append(
                    _run(name, fold, method, share)
                )
    for (method, share), values in runs.items():
        accuracy, converged = np.array(values, float).T
        result.records.append(
            Record(
                case,
                f"treesvm {method}",
                name,
                seconds=0.0,
                accuracy=float(accuracy.mean()),
                n_solves=len(values),
                converged_share=float(converged.mean()),
                params=f"{share}",
                note=json.dumps(accuracy.round(4).tolist()),
            )
        )


def _n_folds(name, method, share):
    """Folds that a method runs on; the machine of all rows knows no share."""
    is_later = share != problems.SHARES[0]
    if name not in problems.LARGE:
        return 0 if method == "SVM" and is_later else 9
    few = _FEW_FOLDS | (_FEWEST_FOLDS if name == "ijcnn1" else {})
    return few.get(method, (9, 3))[is_later]


def _run(name, fold, method, share):
    """Return accuracy in %, and whether the machine converged."""
    kept = np.arange(len(fold.y))
    if method != "SVM":
        selector = SELECTORS[method](share, random_state=fold.seed)
        kept = selector.fit(fold.X, fold.y).sample_indices_
    C, gamma = problems.chosen_parameters(name, fold, kept, method)
    model = KernelSVC(C=C, gamma=gamma)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # counted below
        model.fit(fold.X[kept], fold.y[kept])
    accuracy = 100.0 * model.score(fold.X_test, fold.y_test)
    return accuracy, bool(model.converged_.all())


def fold_scores(records, name, share):
    """Return {method: accuracies of the folds}; the SVM of all rows has no share."""
    found = {}
    for record in records:
        method = record.method.removeprefix("treesvm ")
        own = share if method != "SVM" else problems.SHARES[0]
        if record.data == name and record.params == f"{own}":
            found[method] = np.array(json.loads(record.note))
    return found


def stored_records(cases):
    """Read the records of earlier runs of the table cases, of those that were run."""
    records = []
    for case in cases:
        path = STORED / f"{case}.json"
        if not path.exists():
            continue
        for stored in json.loads(path.read_text(encoding="utf8"))["records"]:
            known = {key: stored[key] for key in Record.__dataclass_fields__}
            records.append(Record(**known))
    if not records:
        raise MissingData(f"{STORED} has no results of {', '.join(cases)}; run them")
    return records


def _accuracy_row(records, name, share):
    """Means over the folds; a method that ran on fewer folds says so."""
    row = {"set": name}
    scores = fold_scores(records, name, share)
    most = max(len(values) for values in scores.values())
    for method, values in scores.items():
        row[method] = f"{values.mean():.2f}"
        if len(values) > 1:
            row[method] += f" ± {values.std(ddof=1):.2f}"
        if len(values) < most:
            row[method] += f" ({len(values)} folds)" if len(values) > 1 else " (1 fold)"
    return {key: row.get(key, "–") for key in ("set", *METHODS)}


def _converged(records):
    """One row for each method, over all its fits."""
    rows = []
    for method in METHODS:
        own = [r for r in records if r.method == f"treesvm {method}"]
        n_fits = sum(record.n_solves for record in own)
        solved = sum(record.n_solves * record.converged_share for record in own)
        rows.append({"method": method, "fits": n_fits, "converged": solved / n_fits})
    return rows
