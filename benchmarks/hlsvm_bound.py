"""The complexity T of Lemma 3 against the gap between test and training error."""

import numpy as np

from benchmarks.hlsvm_problems import THREADS, error, load
from benchmarks.records import CaseResult, Claim
from treesvm import HLSVMClassifier
from treesvm.bounds import oblique_bound

# The paper's grid of δ (section 5.6), ρ = 0; its correlations: IJCNN 0.91, Faces 0.97.
MIN_SHARES = [
    5e-2,
    2.5e-2,
    1e-2,
    7.5e-3,
    5e-3,
    2.5e-3,
    1e-3,
    7.5e-4,
    5e-4,
    2.5e-4,
    1e-4,
]
PAPER = {"ijcnn1": 0.91, "cbcl_faces": None}


def bound_case(context):
    """Trees of growing size on ijcnn1 and cbcl_faces (another face set)."""
    context.start_ours()
    result = CaseResult()
    for name, paper in PAPER.items():
        problem = load(context, name)
        rows = [_row(problem, share) for share in MIN_SHARES]
        result.tables[f"{name}, ρ = 0"] = rows
        gaps = [row["test − training error %"] for row in rows]
        correlation = np.corrcoef([row["T"] for row in rows], gaps)[0, 1]
        work = f"{name}, correlation of T with the gap of errors"
        if paper is not None:
            work += f" (paper {paper})"
        result.claims.append(Claim(work, float(correlation), aim=0.9, unit=""))
    return result


def _row(problem, min_share):
    """One tree and its bound."""
    model = HLSVMClassifier(
        regularization="mean",
        min_share=min_share,
        prune_share=0.0,
        n_jobs=THREADS,
        random_state=0,
    ).fit(problem.X, problem.y)
    bound, test = oblique_bound(model.trees_[0]), error(model, problem)
    return {
        "δ": min_share,
        "leaves": bound.n_leaves,
        "L'eff": bound.effective_leaves,
        "depth": bound.depth,
        "T": bound.complexity,
        "training error %": 100.0 * bound.training_error,
        "test error %": test,
        "test − training error %": test - 100.0 * bound.training_error,
    }
