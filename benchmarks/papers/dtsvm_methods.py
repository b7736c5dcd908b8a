"""The methods that Chang et al. (2010) compare, each as a run: search, fit, figures.

Rows are the paper's: four parts train, one validates, one tests, features in [0, 1] by
the training rows, categories as their numbers. All methods choose among the same 63
(C, γ) on the same validation rows and train on the training rows alone.
"""

import time
import warnings
from types import SimpleNamespace

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from benchmarks import candidate_rivals
from benchmarks import dtsvm_rivals as rivals
from benchmarks.dtsvm_problems import (
    CS,
    GAMMAS,
    PAPER_GAIN,
    THREADS,
    load_as_published,
)
from benchmarks.dtsvm_sets import bag, paper_search, random_parts, with_theta
from benchmarks.dtsvm_sparse import prepared
from benchmarks.dtsvm_svc import points_of
from benchmarks.papers.store import Store
from benchmarks.timing import measure
from treesvm import DTSVMClassifier, DTSVMClassifierCV, KernelSVC
from treesvm.bounds import decomposition_bound
from treesvm.metrics import support_vector_cost
from treesvm.partitions import AxisTree

QUICK_ROWS = 9_000  # of all three parts
QUICK_GRID = {"Cs": [1.0, 10.0, 100.0], "gammas": [0.1, 1.0, 10.0]}
FULL_SVC = ("pendigits",)
JUDGING_STEPS = 100_000
PATH_MB = 2_000  # kernel values of a grid of 7,300 rows
N_VOTING = 10


def _problem(folder, name, quick):
    return load_as_published(folder, name, QUICK_ROWS if quick else None)


def _search(problem, quick, mode="ovo", **changed):
    grid = QUICK_GRID if quick else {}
    options = paper_search() | {"refit": False} | grid | changed
    model = DTSVMClassifierCV(
        cv=problem.cv, multi_class=mode, n_jobs=THREADS, random_state=0, **options
    )
    return rivals.fit(problem, model)


def _costs(model, problem):
    cost = support_vector_cost(model, problem.X_test)
    return {
        "TNSV": cost.tnsv,
        "TNSV stored": stored_coefficients(model),
        "NESV": cost.nesv,
        "TNSV distinct": cost.tnsv_distinct,
        "NESV distinct": cost.nesv_distinct,
        "one-class %": 100.0 * cost.one_class_share,
    }


def stored_coefficients(model):
    """Coefficients as LIBSVM stores them for 1A1: vectors times classes less one.

    The paper's Table 3 counts these: its 183,450 of Letter are 7,338 × 25, the 8,073 of
    PHW 897 × 9, the 1,134 of Shuttle 189 × 6.
    """
    if not hasattr(model, "decompositions_"):
        return len(model.support_) * (len(model.classes_) - 1)
    return sum(
        part.n_vectors * (part.n_classes - 1)
        for member in model.decompositions_
        for part in member.parts
    )


def dtsvm(folder, quick, name, mode):
    """The paper's search; what each ceiling takes and reaches."""
    problem = _problem(folder, name, quick)
    run = _search(problem, quick, mode)
    model = run.model
    figures = {
        "accuracy": run.accuracy,
        "s": run.seconds,
        "σ_opt": int(model.max_leaf_size_),
        "C": model.C_,
        "γ": model.gamma_,
        **_costs(model, problem),
    }
    for ceiling, seconds in model.seconds_per_ceiling_.items():
        figures[f"s at {ceiling}"] = seconds
        figures[f"accuracy at {ceiling}"] = _at_ceiling(problem, model, ceiling)
    return figures


def words(folder, quick, name, mode):
    """Tables 9 and 10 on sparse rows of unit length."""
    context = SimpleNamespace(data=folder, quick=quick)
    problem = prepared(context, name)
    model = _search(problem, quick, mode).model
    figures = {"σ_opt": int(model.max_leaf_size_)}
    for ceiling, seconds in model.seconds_per_ceiling_.items():
        figures[f"s at {ceiling}"] = seconds
        figures[f"accuracy at {ceiling}"] = _at_ceiling(problem, model, ceiling)
    return figures


def times(folder, quick, name, mode, method, chosen_by):
    """Seconds of testing, at the θ that the run of this method ended with."""
    known = Store("dtsvm").shown(chosen_by)[0]
    problem = _problem(folder, name, quick)
    theta = known["C"], known["γ"]
    if method == "DTSVM":
        model = _fixed(*theta, known["σ_opt"], mode)
    else:
        model = (_svc if mode == "ovo" else _ovr)(*theta)
    model.fit(*problem.train)
    model.predict(problem.X_test[:100])  # compiles, if need be
    seconds = measure(lambda: model.predict(problem.X_test), repeat=3).seconds
    figures = {"testing s": seconds}
    if method == "DTSVM":
        tree = model.decompositions_[0]
        figures["tree's testing s"] = measure(
            lambda: tree.apply(problem.X_test), repeat=3
        ).seconds
    return figures


def _at_ceiling(problem, model, ceiling):
    """Test accuracy if the search had stopped at this ceiling."""
    table = model.search_results_
    own = np.flatnonzero(table["max_leaf_size"] == ceiling)
    best = own[np.argmax(table["score"][own])]
    theta = float(table["C"][best]), float(table["gamma"][best])
    stopped = _fixed(*theta, int(ceiling), model.multi_class)
    return problem.score(stopped.fit(*problem.train))


def _fixed(C, gamma, ceiling, mode, **parameters):
    return DTSVMClassifier(
        *(C, gamma, ceiling),
        kernel="rbf",
        partition=parameters.pop("partition", AxisTree(max_tree_rows=None)),
        leaf_scaling=None,
        multi_class=mode,
        n_jobs=THREADS,
        random_state=0,
        **parameters,
    )


def rdsvm(folder, quick, name, mode):
    """Random parts with the same search."""
    problem = _problem(folder, name, quick)
    grid = QUICK_GRID if quick else {}
    run = rivals.fit(problem, random_parts(problem, mode, **grid))
    return _figures(run, problem) | {"σ_opt": int(run.model.max_leaf_size_)}


def bagging(folder, quick, name, mode):
    """Machines of 1,500 rows, a committee for every θ."""
    problem = _problem(folder, name, quick)
    run = rivals.fit(problem, bag(problem, mode, **(QUICK_GRID if quick else {})))
    return _figures(run, problem)


def cbd(folder, quick, name, mode):
    problem = _problem(folder, name, quick)
    run = candidate_rivals.cbd(problem, mode, **(QUICK_GRID if quick else {}))
    return _figures(run, problem)


def lasvm(folder, quick, name, mode):
    problem = _problem(folder, name, quick)
    options = {**QUICK_GRID, "budget": 60.0} if quick else {"budget": 3000.0}
    run = candidate_rivals.lasvm(problem, mode, **options)
    return _figures(run, problem)


def cart(folder, quick, name):
    problem = _problem(folder, name, quick)
    run = rivals.cart(problem, rivals.training_rows(problem))
    testing = measure(lambda: run.model.predict(problem.X_test), repeat=3).seconds
    return {"accuracy": run.accuracy, "s": run.seconds, "testing s": testing}


def linear(folder, quick, name):
    """LIBLINEAR, which the paper has beside the large sets."""
    problem = _problem(folder, name, quick)
    run = rivals.linear_svm(problem)
    return {"accuracy": run.accuracy, "s": run.seconds, "chosen": run.note}


def _figures(run, problem):
    return {
        "accuracy": run.accuracy,
        "s": run.seconds,
        "chosen": with_theta(run).note,
        **_costs(run.model, problem),
    }


def libsvm(folder, quick, name, mode):
    """One SVM on all rows at its best θ, and the bound's terms at that θ.

    pendigits has all 63 θ, the other sets every γ once, with C going round: nine that
    owe nothing to our search. θ are compared with our machine, which solves the same
    problem in a fraction of the time (on the other sets after 100,000 steps at most,
    which only a huge C needs); at the winner LIBSVM itself is trained to its end, as
    scikit-learn's SVC. 1AO, which LIBSVM does not have, stays ours. The time is that of
    the winner, for each of the 63 θ.
    """
    problem = _problem(folder, name, quick)
    points = [(C, g) for C in CS for g in GAMMAS]
    if quick or name not in FULL_SVC:
        points = points_of("")
    C, gamma = _best_point(problem, points, mode)
    machine = _svc(C, gamma) if mode == "ovo" else _ovr(C, gamma)
    start = time.process_time()
    machine.fit(*problem.train)
    figures = {
        "s": (time.process_time() - start) * len(CS) * len(GAMMAS),
        "accuracy": problem.score(machine),
        "C": machine.C,
        "γ": machine.gamma,
        "n_points": len(points),
        **_costs(machine, problem),
    }
    return figures | _bounds(problem, machine.C, machine.gamma, mode)


def _best_point(problem, points, mode):
    """The (C, γ) whose machine of the training rows is best on the validation rows."""
    X_val, y_val = problem.validation
    scores = {}
    if len(points) > len(GAMMAS):  # several C at each γ: they share its kernel
        machine = KernelSVC(multi_class=mode, cache_size=PATH_MB)
        for found in machine.path(*problem.train, CS, GAMMAS, X_val, y_val):
            scores[found.C, found.gamma] = found.score
        return max(points, key=scores.get)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for C, gamma in points:
            machine = KernelSVC(
                C, gamma=gamma, multi_class=mode, max_iter=JUDGING_STEPS
            ).fit(*problem.train)
            scores[C, gamma] = float(np.mean(machine.predict(X_val) == y_val))
    return max(points, key=scores.get)


def _svc(C, gamma):
    return SVC(C=C, gamma=gamma, cache_size=300)


def _ovr(C, gamma):
    return KernelSVC(C, gamma=gamma, multi_class="ovr")


def _bounds(problem, C, gamma, mode):
    """S, R, R/L, T1 and T2 in both readings, at the θ of the SVM of all rows."""
    X, y = problem.train
    cut, whole = (
        decomposition_bound(_fixed(C, gamma, size, mode).fit(X, y), X, y)
        for size in (1_500, len(y) + 1)
    )
    return {"S": whole.R, "L": cut.n_leaves, **cut.terms()}


def settings(folder, quick, name):
    """Figures 2 and 3: test accuracy against k and against σ₀.

    One search with the largest k holds the searches with every smaller one.
    """
    problem = _problem(folder, name, quick)
    ks = (1, 5, 9) if quick else (1, 3, 5, 7, 9)
    firsts = (500, 1_500, 3_000)
    if not quick:
        firsts = (500, 1_000, 1_500, 2_000, 2_500, 3_000)
    model = _search(problem, quick, top_k=max(ks)).model
    ends = {k: end_of_search(model.search_results_, k, model.growth) for k in ks}
    reached = {
        end: problem.score(_fixed(*end, "ovo").fit(*problem.train))
        for end in set(ends.values())
    }
    by_first = {model.max_leaf_size: reached[ends[5]]}
    for first in firsts:
        if first not in by_first:
            by_first[first] = _search(problem, quick, max_leaf_size=first).accuracy
    return {
        "k": list(ks),
        "accuracy by k": [reached[ends[k]] for k in ks],
        "σ₀": list(firsts),
        "accuracy by σ₀": [by_first[first] for first in firsts],
    }


def end_of_search(table, k, growth):
    """(C, γ, ceiling) at which the search ends that takes its `k` best θ further."""
    rows = zip(
        *(table[c] for c in ("C", "gamma", "max_leaf_size", "score")), strict=True
    )
    scores = {(C, gamma, size): score for C, gamma, size, score in rows}
    first = min(size for *_, size in scores)

    def best_first(end):
        return -scores[end], *end[:2]

    def climb(C, gamma, size):
        larger = C, gamma, size * growth
        gain = scores.get(larger, -np.inf) - scores[C, gamma, size]
        return climb(*larger) if gain >= PAPER_GAIN else (C, gamma, size)

    start = sorted((end for end in scores if end[2] == first), key=best_first)
    C, gamma, size = min((climb(*end) for end in start[:k]), key=best_first)
    return float(C), float(gamma), int(size)


def decompositions(folder, quick, name):
    """Several randomised trees that vote, against the search for σ (section 1)."""
    problem = _problem(folder, name, quick)
    run = _search(problem, quick)
    table = run.model.search_results_
    own = np.flatnonzero(table["max_leaf_size"] == table["max_leaf_size"].min())
    best = own[np.argmax(table["score"][own])]
    theta = float(table["C"][best]), float(table["gamma"][best])
    ceiling = int(table["max_leaf_size"].min())
    voting = {
        "partition": AxisTree(randomize="splits", max_tree_rows=None),
        "n_estimators": N_VOTING,
    }
    chosen = run.model.C_, run.model.gamma_, int(run.model.max_leaf_size_)
    models = {
        "one tree at σ₀": _fixed(*theta, ceiling, "ovo"),
        "ten trees vote at σ₀": _fixed(*theta, ceiling, "ovo", **voting),
        "ten trees vote at σ_opt": _fixed(*chosen, "ovo", **voting),
    }
    found = {
        label: problem.score(model.fit(*problem.train))
        for label, model in models.items()
    }
    return {**found, "search for σ": run.accuracy, "σ_opt": chosen[2]}
