"""Speed of SVM-Maj: the search for lambda, its steps, and a tree on covtype."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks import svmmaj_problems as problems
from benchmarks.records import CaseResult, Claim, Record, fewer
from benchmarks.timing import measure
from treesvm import HLSVMClassifier, SVMMajClassifier, SVMPartitionTreeClassifier
from treesvm.solvers.hinges import find_hinge
from treesvm.solvers.majorization import descend, solve_majorization, start_from
from treesvm.solvers.majorization_path import (
    PAPER_PENALTIES,
    PathOptions,
    choose_penalty,
    draw_folds,
)
from treesvm.solvers.majorized_rows import majorized_rows


def generated_rows(n_rows, n_features=50):
    """Standardised rows of two overlapping classes, every tenth label wrong."""
    X, y = make_classification(
        n_rows, n_features, n_informative=20, flip_y=0.1, random_state=0
    )
    return StandardScaler().fit_transform(X), y


def search_case(context):
    """47 values of λ, 5 folds: shared, as bare cold solves, and as cold estimators."""
    context.start_ours()
    n_rows = 500 if context.quick else 5_000
    X, y = generated_rows(n_rows)
    folds = draw_folds(y, 5, seed=0)
    result, rows = CaseResult(), []
    for name in ("quadratic", "huber"):
        timings = _time_searches(X, y, folds, name, context.repeat)
        rows.append(_search_row(name, *timings.values()))
        shared = timings.pop("shared")
        share = shared.result.converged_share
        data = f"{n_rows:,} × 50, {name}"
        result.records.append(
            Record(
                *("search", "treesvm shared", data, shared.seconds),
                n_solves=235,
                converged_share=share,
            )
        )
        for method, timing in timings.items():
            record = Record("search", f"treesvm {method}", data, timing.seconds)
            result.records.append(record)
            work = f"λ search, {name} hinge, against 235 {method}"
            must = 6.0 if name == "quadratic" else None
            ratio = timing.seconds / shared.seconds
            result.claims.append(Claim(work, ratio, must, 15.0))
    result.tables[f"47 λ × 5 folds on {n_rows:,} × 50, seconds"] = rows
    result.notes.append(
        "Cold solves decompose and solve for each λ and fold, without validation and "
        "without certificate; cold fits are calls of `SVMMajClassifier.fit`, which "
        "checks its input and certifies its answer."
    )
    return result


def _time_searches(X, y, folds, name, repeat):
    """Return the timings of the shared search, of cold solves and of cold fits."""
    options = PathOptions(find_hinge(name))
    return {
        "shared": measure(
            lambda: choose_penalty(X, y, folds, options),
            repeat=repeat,
            warm_up=lambda: _warm_up(X, y, folds, options),
        ),
        "cold solves": measure(
            lambda: _cold_solves(X, y, folds, options), repeat=repeat
        ),
        "cold fits": measure(lambda: _cold_fits(X, y, folds, name), repeat=repeat),
    }


def _search_row(name, shared, bare, public):
    """Return one line of the table; both searches must agree on the accuracies."""
    return {
        "hinge": name,
        "shared": shared.seconds,
        "cold solves": bare.seconds,
        "cold fits": public.seconds,
        "λ, shared": shared.result.penalty,
        "λ, cold": _best(public.result),
        "largest difference of accuracies": float(
            np.abs(shared.result.accuracy - public.result).max()
        ),
    }


def _best(accuracy):
    """Return the largest λ with the best accuracy, of descending values."""
    penalties = PAPER_PENALTIES[::-1]
    return float(penalties[np.flatnonzero(accuracy >= accuracy.max())[0]])


def _warm_up(X, y, folds, options):
    """Compile everything that is timed."""
    choose_penalty(X, y, folds[:1], options, penalties=[1.0])
    _cold_solves(X, y, folds[:1], options, penalties=[1.0])


def _cold_solves(X, y, folds, options, penalties=PAPER_PENALTIES[::-1]):
    """Solve each λ and fold from nothing, without certificate; return accuracies."""
    correct = np.zeros(len(penalties))
    for train, test in folds:
        sides = 2.0 * y[train] - 1.0
        for t, penalty in enumerate(penalties):
            rows = majorized_rows(X[train])
            state = start_from(rows)
            descend(
                rows,
                sides,
                penalty,
                options.hinge,
                state,
                options.steps,
                options.tol,
                options.max_iter,
            )
            w, bias = rows.unfold(state[0], float(state[1][0]))
            correct[t] += np.sum((X[test] @ w + bias > 0) == y[test])
    return correct / len(y)


def _cold_fits(X, y, folds, hinge):
    """Fit and score the estimator for each λ and fold; return accuracies."""
    correct = np.zeros(len(PAPER_PENALTIES))
    for train, test in folds:
        for t, penalty in enumerate(PAPER_PENALTIES[::-1]):
            model = SVMMajClassifier(hinge, alpha=float(penalty))
            model.fit(X[train], y[train])
            correct[t] += np.sum(model.predict(X[test]) == y[test])
    return correct / len(y)


def steps_case(context):
    """Iterations and gaps of the three kinds of steps."""
    context.start_ours()
    X, y = generated_rows(500 if context.quick else 5_000)
    rows, sides = majorized_rows(X), 2.0 * y - 1.0
    hinges = {
        "quadratic": find_hinge("quadratic"),
        "huber, k = 0": find_hinge("huber", 0.0),
        "huber, k = -0.9": find_hinge("huber", -0.9),
        "absolute": find_hinge("absolute"),
    }
    lines = []
    for name, hinge in hinges.items():
        for penalty in (256.0, 1.0, 2.0**-15):
            answers = {
                steps: solve_majorization(
                    rows,
                    sides,
                    penalty,
                    hinge=hinge,
                    steps=steps,
                    tol=1e-8,
                    max_iter=5_000,
                )
                for steps in ("plain", "doubled", "conjugate")
            }
            counts = {steps: answer.n_iter for steps, answer in answers.items()}
            gap = float(answers["conjugate"].gap)
            lines.append({"hinge": name, "λ": penalty, **counts, "last gap": gap})
    title = "Iterations to a relative change of 1e-8, and the certified gap"
    note = (
        "Absolute hinge, last column: most of these are the cheap steps of Huber "
        "hinges that prepare the start; doubled steps follow."
    )
    return CaseResult(tables={title: lines}, notes=[note])


def covtype_case(context):
    """A tree with fixed λ against one LinearSVC fit, one thread."""
    n_rows = 5_000 if context.quick else 100_000
    X, y, X_test, y_test = problems.covtype_rows(context.data, n_rows)
    context.start_ours()
    result, table = CaseResult(), []
    for name, model in _covtype_models().items():
        timing = measure(
            lambda model=model: model.fit(X, y),
            repeat=context.repeat,
            warm_up=lambda model=model: model.fit(X[:300], y[:300]),
        )
        share = float(timing.result.score(X_test, y_test))
        data = f"{n_rows:,} rows"
        record = Record("covtype", name, data, timing.seconds, accuracy=share)
        result.records.append(record)
        is_tree = hasattr(model, "get_n_leaves")
        table.append(
            {
                "method": name,
                "seconds": timing.seconds,
                "test accuracy, %": round(100 * share, 2),
                "leaves": model.get_n_leaves() if is_tree else 1,
            }
        )
    single, *trees = result.records
    for record in trees[:3]:
        work = f"{record.method.removeprefix('treesvm ')}, time over LinearSVC's"
        ratio = record.seconds / single.seconds
        result.claims.append(fewer(work, ratio, 20.0))
    result.tables[f"covtype, {n_rows:,} rows, class 2 against the rest"] = table
    return result


def _covtype_models():
    """Return LinearSVC, then the trees that are compared with it, then H-LSVM."""
    options = {"alpha": 1.0, "random_state": 0}
    thesis = {"leaf_answer": "last", "balance_nodes": False, "prune_share": 0.0}
    return {
        "LinearSVC": LinearSVC(loss="squared_hinge", dual=False),
        "treesvm thesis' tree": SVMPartitionTreeClassifier(**options, **thesis),
        "treesvm balanced tree": SVMPartitionTreeClassifier(
            balance_nodes=True, prune_share=0.0, **options
        ),
        "treesvm balanced tree, pruned": SVMPartitionTreeClassifier(
            balance_nodes=True, prune_share=0.1, **options
        ),
        "treesvm H-LSVM": HLSVMClassifier(random_state=0),
    }
