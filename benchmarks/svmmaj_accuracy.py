"""Accuracy of SVM-partitioned trees on 20 random halves."""

import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks import svmmaj_problems as problems
from benchmarks.papers.svmmaj import THESIS, THESIS_RULES
from benchmarks.records import CaseResult, Record
from treesvm import HLSVMClassifier, SVMMajClassifier, SVMPartitionTreeClassifier

N_SPLITS = 20

METHODS = {
    "single SVM": lambda seed: SVMMajClassifier(alpha="cv", random_state=seed),
    "thesis' tree": lambda seed: SVMPartitionTreeClassifier(
        random_state=seed, **THESIS_RULES
    ),
    "thesis' tree, pruned": lambda seed: SVMPartitionTreeClassifier(
        random_state=seed, **(THESIS_RULES | {"prune_share": 0.2})
    ),
    "balanced tree": lambda seed: SVMPartitionTreeClassifier(
        random_state=seed, prune_share=0.0
    ),
    "balanced tree, pruned": lambda seed: SVMPartitionTreeClassifier(
        random_state=seed, prune_share=0.2
    ),
    "H-LSVM": lambda seed: HLSVMClassifier(random_state=seed),
    "single SVM, absolute": lambda seed: SVMMajClassifier(
        "absolute", alpha="cv", tol=1e-5, random_state=seed
    ),
    "thesis' tree, absolute": lambda seed: SVMPartitionTreeClassifier(
        "absolute", tol=1e-5, random_state=seed, **THESIS_RULES
    ),
}


def fair_case(context):
    """All methods on the same random halves."""
    context.start_ours()
    names = list(THESIS)[: 2 if context.quick else None]
    n_splits = 2 if context.quick else N_SPLITS
    result, rows, sizes = CaseResult(), [], []
    differences = {method: [] for method in METHODS}
    for name in names:
        scores, leaves = _repeat(context, name, n_splits, result)
        rows.append({"set": name, **{m: _with_error(s) for m, s in scores.items()}})
        sizes.append({"set": name, **{m: float(np.mean(k)) for m, k in leaves.items()}})
        for method, values in scores.items():
            reference = "absolute" if method.endswith("absolute") else "quadratic"
            single = METHOD_OF[reference]
            differences[method].append(np.mean(values - scores[single]))
    rows.append(
        {"set": "mean gain over the single SVM"}
        | {m: f"{np.mean(d):+.1f}" for m, d in differences.items()}
    )
    title = f"Accuracy in % over {n_splits} random halves ± standard error"
    result.tables[title] = rows
    result.tables["Mean number of leaves"] = sizes
    return result


METHOD_OF = {"quadratic": "single SVM", "absolute": "single SVM, absolute"}


def _repeat(context, name, n_splits, result):
    """Return accuracies and numbers of leaves of each method, one for each split."""
    X, y = problems.load(context.data, name)
    scores = {method: np.empty(n_splits) for method in METHODS}
    leaves = {m: np.empty(n_splits) for m in METHODS if not m.startswith("single")}
    seconds = dict.fromkeys(METHODS, 0.0)
    for seed in range(n_splits):
        train, test = problems.random_halves(len(y), seed)
        A, B = problems.prepared(X, train, test)
        for method, make in METHODS.items():
            model = make(seed)
            taken, share = _fit_and_score(model, A, y[train], B, y[test])
            seconds[method] += taken
            scores[method][seed] = 100 * share
            if method in leaves:
                leaves[method][seed] = model.get_n_leaves()
    for method, values in scores.items():
        result.records.append(
            Record(
                "fair",
                f"treesvm {method}",
                name,
                seconds[method] / n_splits,
                accuracy=float(values.mean() / 100),
                n_solves=n_splits,
            )
        )
    return scores, leaves


def _fit_and_score(model, A, y, B, y_test):
    """Return (seconds of the fit, accuracy on the test rows)."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        # λ = 2^-15 is next to no penalty: the absolute hinge may stop at its limit.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(A, y)
    return time.perf_counter() - start, float(model.score(B, y_test))


def _with_error(values):
    """Return mean ± standard error as text."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.1f} ± {error:.1f}"
