"""Wide sparse sets: here a tree is of little use, and the search has to find that out.

Rows are scaled to unit length (news counts also by inverse document frequency), as
everybody does with text, and leaves are not rescaled: that would undo it. Each class is
a machine against all others, as in LIBLINEAR; one line shows pairs of classes instead.
From which ceiling the search starts, and which of these lines counts, is chosen on the
validation rows: a start at σ₀ = 1,500 may climb to one leaf, one above the number
of rows is one leaf from the start. LIBLINEAR and SVC train on validation rows too,
like the refitted winner.
"""

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from benchmarks import dtsvm_rivals as rivals
from benchmarks import environment
from benchmarks.data import fingerprint
from benchmarks.dtsvm_problems import THREADS, load_sparse
from benchmarks.records import CaseResult, Claim, converged_share, fewer
from benchmarks.timing import measure
from treesvm import DTSVMClassifierCV

SPARSE_SETS = ("sector_scale", "news20_bydate_counts")
MINUTES = 10.0
# Unit rows: squared distances lie in [0, 2], and small γ with large C is nearly linear.
CS = (1.0, 10.0, 100.0)
GAMMAS = (0.01, 0.1, 1.0)
# First ceiling and how classes are told apart.
STARTS = ((1_500, "ovr"), (24_000, "ovr"), (24_000, "ovo"))


def sparse_case(context):
    """The search beside LIBLINEAR and SVC."""
    problems = {name: prepared(context, name) for name in SPARSE_SETS}
    machines = {name: _svc(context, problem) for name, problem in problems.items()}
    context.start_ours()
    result = CaseResult()
    for name, problem in problems.items():
        linear = rivals.linear_svm(problem, refit=True)
        runs = [_search(problem, *start) for start in STARTS]
        ours = max(runs, key=lambda run: run.model.best_score_)
        seconds = sum(run.seconds for run in runs)
        best = max(linear.accuracy, machines[name]["test"])
        result.claims += [
            fewer(f"{name}, search", seconds / 60.0, MINUTES, unit="minutes"),
            Claim(
                f"{name}, accuracy above the better of LinearSVC and SVC",
                *(ours.accuracy - best, -1.0, 0.0),
                unit="points",
            ),
        ]
        result.tables[name] = [
            *(_row(run) for run in runs),
            {**linear.row("LinearSVC"), "σ": None, "validation %": None},
            _svc_row(machines[name]),
        ]
        result.notes.append(
            f"{name}: by validation accuracy the search ends at σ = "
            f"{ours.model.max_leaf_size_:,}, C = {ours.model.C_:g}, "
            f"γ = {ours.model.gamma_:g}."
        )
    return result


def prepared(context, name):
    """Rows of unit length; word counts weighted by the training rows' frequencies."""
    problem = load_sparse(context, name)
    if name.startswith("news"):
        weights = TfidfTransformer(sublinear_tf=True).fit(problem.train[0])
        parts = [weights.transform(A) for A in (problem.X, problem.X_test)]
    else:
        parts = [normalize(A) for A in (problem.X, problem.X_test)]
    X, X_test = (A.astype(np.float32).tocsr() for A in parts)
    return problem._replace(X=X, X_test=X_test)


def _search(problem, ceiling, multi_class):
    model = DTSVMClassifierCV(
        *(CS, GAMMAS, ceiling),
        multi_class=multi_class,
        leaf_scaling=None,
        cv=problem.cv,
        n_jobs=THREADS,
        random_state=0,
    )
    return rivals.fit(problem, model)


def _svc(context, problem):
    """SVC with a kernel that is nearly linear on unit rows."""
    key = {
        "method": "sklearn.svm.SVC, sparse, training and validation rows",
        "params": {"C": 10.0, "gamma": 1.0},
        "data": [problem.name, fingerprint(problem.X, problem.y)],
        "versions": environment.versions(["numpy", "scipy", "scikit-learn"]),
        "machine": environment.machine(),
    }
    return context.rivals.fetch(key, lambda: _run_svc(problem))


def _run_svc(problem):
    machine = SVC(C=10.0, gamma=1.0, cache_size=500)
    timing = measure(lambda: machine.fit(problem.X, problem.y))
    return {"seconds": timing.seconds, "test": problem.score(machine)}


def _row(run):
    model = run.model
    method = f"DTSVM, σ₀ = {model.max_leaf_size:,}, {model.multi_class}"
    note = f"C={model.C_:g}, γ={model.gamma_:g}, converged {converged_share(model):.0%}"
    return {
        **run._replace(note=note).row(method),
        "σ": model.max_leaf_size_,
        "validation %": 100.0 * model.best_score_,
    }


def _svc_row(found):
    return {
        "method": "SVC, C=10, γ=1",
        "test accuracy %": found["test"],
        "fit s": found["seconds"],
        "note": "one fit",
        "σ": None,
        "validation %": None,
    }
