"""Wide sparse sets: here a tree is of little use, and the search has to find that out.

Rows are scaled to unit length (news counts also by inverse document frequency), as
everybody does with text. Whether leaves are rescaled, and from which ceiling the search
starts, is chosen on the validation rows: a start at σ₀ = 1,500 may climb to one leaf,
and a start above the number of rows is one leaf from the beginning.
"""

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from benchmarks import dtsvm_rivals as rivals
from benchmarks import environment
from benchmarks.data import fingerprint
from benchmarks.dtsvm_covtype import converged_share, fewer
from benchmarks.dtsvm_problems import THREADS, load_sparse
from benchmarks.records import CaseResult, Claim
from benchmarks.timing import measure
from treesvm import DTSVMClassifierCV

SPARSE_SETS = ("sector_scale", "news20_bydate_counts")
MINUTES = 10.0
# Unit rows: squared distances lie in [0, 2], and small γ with large C is nearly linear.
CS = (1.0, 10.0, 100.0)
GAMMAS = (0.01, 0.1, 1.0)
FIRST_CEILINGS = (1_500, 24_000)


def sparse_case(context):
    """The search beside LIBLINEAR and SVC."""
    problems = {name: prepared(context, name) for name in SPARSE_SETS}
    machines = {name: _svc(context, problem) for name, problem in problems.items()}
    context.start_ours()
    result = CaseResult()
    for name, problem in problems.items():
        linear = rivals.linear_svm(problem)
        runs = [_search(problem, ceiling) for ceiling in FIRST_CEILINGS]
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
            *(_row(f"DTSVM, σ₀ = {run.model.max_leaf_size:,}", run) for run in runs),
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


def _search(problem, ceiling):
    model = DTSVMClassifierCV(
        *(CS, GAMMAS, ceiling),
        leaf_scaling=None,
        cv=problem.cv,
        n_jobs=THREADS,
        random_state=0,
    )
    return rivals.fit(problem, model)


def _svc(context, problem):
    """SVC with a kernel that is nearly linear on unit rows."""
    key = {
        "method": "sklearn.svm.SVC, sparse",
        "params": {"C": 10.0, "gamma": 1.0},
        "data": [problem.name, fingerprint(problem.X, problem.y)],
        "versions": environment.versions(["numpy", "scipy", "scikit-learn"]),
        "machine": environment.machine(),
    }
    return context.rivals.fetch(key, lambda: _run_svc(problem))


def _run_svc(problem):
    machine = SVC(C=10.0, gamma=1.0, cache_size=500)
    timing = measure(lambda: machine.fit(*problem.train))
    return {"seconds": timing.seconds, "test": problem.score(machine)}


def _row(method, run):
    model = run.model
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
