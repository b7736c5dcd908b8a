"""H-LSVM on the paper's two-class problems, λ and ρ chosen on training rows."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks.hlsvm_problems import THREADS, error, load, one_split, tuned
from benchmarks.records import CaseResult, Record, fewer
from benchmarks.timing import measure
from treesvm import HLSVMClassifier
from treesvm.metrics import hyperplane_cost

# Set -> (must, aim, paper's error, largest number of hyperplanes allowed).
OFFICIAL = {
    "ijcnn1": (2.8, 2.2, 2.36, 20),
    "shuttle": (0.12, 0.07, 0.10, None),
    "mnist": (1.8, 1.5, 1.79, None),
}


def covtype_case(context):
    """Class 2 against the rest: error, hyperplanes, time beside CART's."""
    context.start_ours()
    problem = load(context, "covtype")
    model = tuned(problem, cv=one_split(), step=4)
    cost = hyperplane_cost(model, problem.X_test)
    fixed = HLSVMClassifier(
        model.alpha_,
        regularization=model.regularization,
        prune_share=model.prune_share_,
        n_jobs=1,  # CART has one thread: so the other core is no advantage
        random_state=0,
    )
    ours = _timed(fixed, problem)
    cart = _timed(DecisionTreeClassifier(random_state=0), problem)
    ratio = ours.seconds / cart.seconds
    result = CaseResult([ours, cart])
    result.claims = [
        fewer("covtype, error", error(model, problem), 6.5, 5.5, "%"),
        fewer("covtype, mean hyperplanes", cost.mean, 16.0, 13.0, ""),
        fewer(
            "covtype, fit time against CART's, one thread each", ratio, 2.0, 1.0, "×"
        ),
    ]
    result.tables["Covtype, class 2 against the rest"] = [
        _row("H-LSVM", model, problem, ours.seconds, "11.39, 12.93 (44)"),
        {
            "method": "CART (scikit-learn)",
            "error %": error(cart_model(problem), problem),
            "hyperplanes (max)": "–",
            "fit s": cart.seconds,
            "λ, ρ": "–",
            "paper: error, hyperplanes (max)": "–",
        },
    ]
    return result


def official_case(context):
    """ijcnn1, shuttle and MNIST with their official splits."""
    context.start_ours()
    result, rows = CaseResult(), []
    for name, (must, aim, paper, deepest) in OFFICIAL.items():
        problem = load(context, name)
        is_wide = name == "mnist"  # 784 features: one split and fewer fits
        model = tuned(problem, **({"cv": one_split(), "step": 4} if is_wide else {}))
        timing = measure(lambda m=model, p=problem: _refit(m, p), threads=THREADS)
        claim = fewer(f"{name}, error", error(model, problem), must, aim, "%")
        result.claims.append(claim)
        if deepest is not None:
            met = hyperplane_cost(model, problem.X_test).maximum
            claim = fewer(f"{name}, most hyperplanes", float(met), deepest, unit="")
            result.claims.append(claim)
        rows.append(
            {"data": name, **_row("H-LSVM", model, problem, timing.seconds, paper)}
        )
    result.tables["Official splits"] = rows
    return result


def banana_case(context):
    """Ten splits 80/20."""
    context.start_ours()
    errors, deepest, rows = [], [], []
    for seed in range(2 if context.quick else 10):
        problem = load(context, "banana", seed=seed)
        model = tuned(problem, shares=(0.1, 0.2, "cv"), step=4)
        errors.append(error(model, problem))
        deepest.append(hyperplane_cost(model, problem.X_test).maximum)
        rows.append(
            {
                "split": seed,
                "error %": errors[-1],
                "most hyperplanes": deepest[-1],
                "λ": model.alpha_,
                "ρ": model.prune_share_,
            }
        )
    result = CaseResult(tables={"Banana": rows})
    result.claims = [
        fewer(
            "banana, mean error of ten splits", float(np.mean(errors)), 11.0, 10.3, "%"
        ),
        fewer("banana, most hyperplanes on a path", max(deepest), 12, unit=""),
    ]
    return result


def cart_model(problem):
    """CART at its defaults."""
    return DecisionTreeClassifier(random_state=0).fit(problem.X, problem.y)


def _refit(model, problem):
    """Fit once more at the choice, to time a single fit."""
    share = 0.0 if model.prune_share_ == "cv" else model.prune_share_
    return HLSVMClassifier(
        model.alpha_,
        regularization=model.regularization,
        prune_share=share,
        n_jobs=THREADS,
        random_state=0,
    ).fit(problem.X, problem.y)


def _timed(model, problem):
    """One fit with one thread, as a record."""
    timing = measure(
        lambda: model.fit(problem.X, problem.y),
        warm_up=lambda: model.fit(problem.X[:2000], problem.y[:2000]),
    )
    name = type(model).__name__
    method = f"treesvm {name}" if name.startswith("HLSVM") else f"sklearn {name}"
    return Record(
        "covtype",
        method,
        f"{problem.name}, {len(problem.y):,} rows",
        timing.seconds,
        timing.cpu_seconds,
        accuracy=1.0 - error(model, problem) / 100.0,
    )


def _row(method, model, problem, seconds, paper):
    """A line of the tables."""
    cost = hyperplane_cost(model, problem.X_test)
    return {
        "method": method,
        "error %": error(model, problem),
        "hyperplanes (max)": f"{cost.mean:.2f} ({cost.maximum})",
        "fit s": seconds,
        "λ, ρ": f"{model.regularization}, {model.alpha_:.3g}, {model.prune_share_}",
        "paper: error, hyperplanes (max)": paper,
    }
