"""How long an answer takes: one row, a thousand, a batch.

one_row   `predict` on one row, its checks included, beside SVC's
thousand  1,000 rows with two threads beside one
single    `predictor()` on one row: a large machine, the same compressed, a tree
batch     covtype's test rows, the first call and the best

Models take turns, call by call, so that a busy machine slows all of them alike.
"""

import time

import numpy as np
from sklearn.svm import SVC

from benchmarks import data, hlsvm_problems
from benchmarks.dtsvm_covtype import covtype, dtsvm
from benchmarks.hlsvm_speed import model_with
from benchmarks.records import CaseResult, fewer
from treesvm import DTSVMClassifier, HLSVMClassifier, KernelSVC, TreeSVC, compress

C, GAMMA = 10.0, 10.0  # letter's, features in [0, 1]
SVC_ROWS = 4_000  # of the machines over the whole space
THREADS = 2
SEARCH_SECONDS = 20


def letter(context):
    """Training and test rows of letter: (X, y, X_test, y_test)."""
    stored = data.load(context.data, "letter")
    n_train, n_test = (2_000, 1_000) if context.quick else (15_000, 5_000)
    rows = np.random.default_rng(0).permutation(len(stored.y))
    train, test = rows[:n_train], rows[n_train : n_train + n_test]
    X = np.asarray(stored.X, float)
    return *data.scale(X[train], X[test]), stored.y[train], stored.y[test]


def fitted(X, y, quick):
    """Name -> model; those over the whole space see fewer rows."""
    few = X[:SVC_ROWS], y[:SVC_ROWS]
    search = TreeSVC(time_limit=2 if quick else SEARCH_SECONDS, random_state=0)
    return {
        "sklearn SVC": SVC(C=C, gamma=GAMMA).fit(*few),
        "KernelSVC": KernelSVC(C=C, gamma=GAMMA).fit(*few),
        "DTSVMClassifier": DTSVMClassifier(C, GAMMA, kernel="rbf").fit(X, y),
        "HLSVMClassifier": HLSVMClassifier(random_state=0).fit(X, y),
        "TreeSVC": search.fit(*few),
    }


def in_turns(calls, n_turns):
    """Median seconds of each call, warmed up; `calls` is name -> function of a turn."""
    seconds = {name: np.empty(n_turns) for name in calls}
    for call in calls.values():
        call(0)
    for turn in range(n_turns):
        for name, call in calls.items():
            start = time.perf_counter()
            call(turn)
            seconds[name][turn] = time.perf_counter() - start
    return {name: float(np.median(found)) for name, found in seconds.items()}


def one_row_case(context):
    """`predict` on one row."""
    context.start_ours()
    X, X_test, y, _ = letter(context)
    models = fitted(X, y, context.quick)
    calls = {
        name: lambda turn, model=model: model.predict(X_test[turn : turn + 1])
        for name, model in models.items()
    }
    seconds = in_turns(calls, 100 if context.quick else 1_000)
    result, rival = CaseResult(), seconds["sklearn SVC"]
    for name, found in seconds.items():
        if name != "sklearn SVC":
            work = f"{name}, predict on one row"
            result.claims.append(fewer(work, 1e3 * found, 0.4, 0.2, "ms"))
    result.tables["`predict` on one row of letter"] = [
        {"model": name, "ms": 1e3 * found, "SVC's time divided by": rival / found}
        for name, found in seconds.items()
    ]
    return result


def thousand_case(context):
    """1,000 rows, one thread and two."""
    context.start_ours()
    X, X_test, y, _ = letter(context)
    result, rows = CaseResult(), []
    for name, model in fitted(X, y, context.quick).items():
        if name == "sklearn SVC":
            continue
        calls = {}
        for n_jobs in (1, THREADS):

            def call(turn, model=model, n_jobs=n_jobs):
                model.set_params(n_jobs=n_jobs)
                model.predict(X_test[:1_000])

            calls[n_jobs] = call
        seconds = in_turns(calls, 10 if context.quick else 60)
        one, two = seconds[1], seconds[THREADS]
        work = f"{name}, 1,000 rows, two threads over one"
        result.claims.append(fewer(work, two / one, 1.1))
        rows.append(
            {"model": name, "one thread, ms": 1e3 * one, "two threads, ms": 1e3 * two}
        )
    result.tables["1,000 rows of letter"] = rows
    return result


def single_case(context):
    """`predictor()` on one row."""
    context.start_ours()
    X, X_test, y, y_test = letter(context)
    held = len(y) // 5
    train, kept = (X[held:], y[held:]), (X[:held], y[:held])
    leaves = DTSVMClassifier(C, GAMMA, kernel="rbf", leaf_scaling=None).fit(*train)
    models = {
        "letter, one machine": DTSVMClassifier(
            C, GAMMA, len(y) + 1, kernel="rbf", leaf_scaling=None
        ).fit(X, y),
        "letter, leaves": leaves,
        "letter, leaves, compressed": compress(
            leaves,
            *train,
            X_val=kept[0],
            y_val=kept[1],
            tolerance=0.005,
            random_state=0,
        ),
    }
    seconds = in_turns(
        {name: _single(model, X_test) for name, model in models.items()},
        200 if context.quick else 4_000,
    )
    whole, parts, small = (1e6 * seconds[name] for name in models)
    result = CaseResult()
    result.claims = [
        fewer("letter, predictor(), one machine", whole, 60.0, 30.0, "µs"),
        fewer("letter, predictor(), compressed over not", small / parts, 0.5, 0.2),
    ]
    result.tables["`predictor()`, one row"] = [
        _single_row(name, model, X_test, y_test, seconds[name])
        for name, model in models.items()
    ]
    problem = hlsvm_problems.load(context, "covtype")
    tree = model_with(n_jobs=THREADS).fit(problem.X, problem.y)
    seconds = in_turns({"": _single(tree, problem.X_test)}, 4_000)[""]
    work = "H-LSVM, covtype, predictor()"
    result.claims.append(fewer(work, 1e6 * seconds, 1.5, unit="µs"))
    return result


def _single(model, X):
    """One call of the predictor for each turn."""
    answer, rows = model.predictor(), [np.ascontiguousarray(x) for x in X[:1_000]]
    return lambda turn: answer(rows[turn % len(rows)])


def _single_row(name, model, X_test, y_test, seconds):
    answer = model.predictor()
    equal = all(
        answer(x) == label
        for x, label in zip(X_test[:500], model.predict(X_test[:500]), strict=True)
    )
    return {
        "model": name,
        "vectors": sum(part.n_vectors for part in model.decompositions_[0].parts),
        "µs": 1e6 * seconds,
        "test accuracy %": 100 * float(model.score(X_test, y_test)),
        "equal to predict": equal,
    }


def batch_case(context):
    """Covtype's test rows with two threads: the first call and the best."""
    context.start_ours()
    problem, binary = covtype(context), hlsvm_problems.load(context, "covtype")
    trees = model_with(n_jobs=THREADS)
    models = {
        "DTSVM": (dtsvm().fit(problem.X, problem.y), problem.X_test, 4.0, 2.5),
        "H-LSVM": (trees.fit(binary.X, binary.y), binary.X_test, 0.4, 0.2),
    }
    result, rows = CaseResult(), []
    for name, (model, X, must, aim) in models.items():
        seconds = []
        for _ in range(3 * context.repeat + 1):
            start = time.perf_counter()
            model.predict(X)
            seconds.append((time.perf_counter() - start) / len(X))
        first, best = 1e6 * seconds[0], 1e6 * min(seconds)
        work = f"covtype, {name}, batch, first call"
        result.claims.append(fewer(work, first, must, aim, "µs per row"))
        rows.append({"model": name, "first call, µs": first, "best, µs": best})
    result.tables[f"Covtype, {len(problem.X_test):,} rows, two threads"] = rows
    return result


CASES = {
    "one_row": one_row_case,
    "thousand": thousand_case,
    "single": single_case,
    "batch": batch_case,
}
