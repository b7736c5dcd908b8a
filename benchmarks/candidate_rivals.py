"""CBD and LASVM as rivals of DTSVM, as in section 3.2 of its paper.

Both are capped: they get at most 15,000 training rows, because CBD searches neighbours
of every row and LASVM keeps most rows of a noisy set. C is 10; γ is chosen among three
values on the validation rows. The time is that of all fits.
"""

import numpy as np

from benchmarks import dtsvm_problems
from benchmarks import dtsvm_rivals as rivals
from benchmarks.records import CaseResult, Record
from treesvm import CandidateSVC, DTSVMClassifier, KernelSVC
from treesvm.baselines import LASVMClassifier
from treesvm.candidates import CBD

MOST_ROWS = 15_000
GAMMAS = (1.0, 10.0, 100.0)
C = 10.0
CBD_SHARE = 0.3
SETS = ("pendigits", "letter", "shuttle", "poker", "adult")


def rivals_case(context, name):
    """DTSVM on all rows of a set beside CBD and LASVM on at most 15,000."""
    context.start_ours()
    problem = dtsvm_problems.load(context, name)
    model = DTSVMClassifier(random_state=0)
    runs = {
        "DTSVM, C=10, γ=3": rivals.fit(
            problem, model, rivals.training_rows(problem), threads=1
        ),
        "CBD (0.3) + SVM": cbd(problem),
        "LASVM, one epoch": lasvm(problem),
    }
    result = CaseResult()
    result.tables[f"{name}: DTSVM beside CBD and LASVM"] = [
        run.row(method) for method, run in runs.items()
    ]
    for method, run in runs.items():
        result.records.append(
            Record("rivals", method, name, run.seconds, accuracy=run.accuracy)
        )
    return result


def cbd(problem):
    """CBD with 100 neighbours keeps three rows in ten, one machine learns them."""
    return _capped(
        problem,
        lambda gamma: CandidateSVC(
            CBD(CBD_SHARE, random_state=0), KernelSVC(C=C, gamma=gamma)
        ),
    )


def lasvm(problem):
    """One epoch and a finishing pass."""
    return _capped(
        problem, lambda gamma: LASVMClassifier(C=C, gamma=gamma, random_state=0)
    )


def _capped(problem, make):
    """Choose γ on the validation rows, on at most so many training rows."""

    def best(capped):
        X_val, y_val = capped.validation
        runs, scores = [], []
        for gamma in GAMMAS:
            rows = rivals.training_rows(capped)
            run = rivals.fit(capped, make(gamma), rows, threads=1, note=f"γ={gamma:g}")
            runs.append(run)
            scores.append(np.mean(run.model.predict(X_val) == y_val))
        chosen = runs[int(np.argmax(scores))]
        return chosen._replace(seconds=sum(run.seconds for run in runs))

    return rivals.on_sample(best, problem, MOST_ROWS)
