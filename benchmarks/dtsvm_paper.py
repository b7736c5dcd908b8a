"""The paper's tables beside ours: its method (exhaustive, no leaf scaling), 1A1, 1AO.

Tables 3 (all support vectors, summed over binary machines), 7 (σ_opt and rows in
one-class leaves), 8 (σ_opt beside RDSVM's), 9 and 10 (time and test accuracy per
ceiling), 13 and 14 (the terms of the bound). Letters of the paper: CI is adult, PHW
pendigits; its census income has 45,222 rows, ours 48,842, one-hot.
"""

import numpy as np

from benchmarks import dtsvm_rivals as rivals
from benchmarks.dtsvm_problems import SETS, THREADS
from benchmarks.dtsvm_sets import problem_of, random_parts, searched
from benchmarks.dtsvm_svc import svc_grid
from benchmarks.records import CaseResult
from treesvm import DTSVMClassifier
from treesvm.bounds import decomposition_bound
from treesvm.metrics import support_vector_cost

MODES = {"1A1": "ovo", "1AO": "ovr"}
# The exhaustive search of these takes minutes; of poker, and of 1AO on the larger sets,
# a good part of an hour.
EXHAUSTIVE = (
    ("pendigits", "1A1"),
    ("pendigits", "1AO"),
    ("shuttle", "1A1"),
    ("shuttle", "1AO"),
    ("letter", "1A1"),
    ("adult", "1A1"),
    ("kdd99_10pct", "1A1"),
)
# (set, mode) -> the paper's value: Table 3 for DTSVM and LIBSVM, then σ_opt of DTSVM
# and RDSVM (Tables 7 and 8).
PAPER = {
    ("pendigits", "1A1"): (7_694, 8_073, 1_500, 1_500),
    ("pendigits", "1AO"): (1_775, 1_210, 1_500, 1_500),
    ("letter", "1A1"): (183_450, 183_450, 24_000, 24_000),
    ("letter", "1AO"): (16_200, 16_201, 24_000, 24_000),
    ("shuttle", "1A1"): (181, 1_134, 1_500, 1_500),
    ("shuttle", "1AO"): (195, 266, 1_500, 1_500),
    ("poker", "1A1"): (88_935, 140_990, 1_500, 24_000),
    ("poker", "1AO"): (42_775, 39_024, 1_500, 24_000),
    ("adult", "1A1"): (8_975, 10_451, 1_500, 6_000),
    ("adult", "1AO"): (8_975, 10_451, 1_500, 24_000),
    ("kdd99_10pct", "1A1"): (1_638, 2_287, 1_500, 1_500),
    ("kdd99_10pct", "1AO"): (1_580, 1_566, 1_500, 1_500),
}
# Table 7: rows in one-class leaves, per cent.
PAPER_PURE = {"shuttle": 98.42, "adult": 15.76, "kdd99_10pct": 97.35}
# Tables 9 and 10, letter, 1A1: seconds and test accuracy per ceiling.
PAPER_CEILINGS = {1_500: (633, 95.35), 6_000: (45, 96.61), 24_000: (90, 97.60)}
# Tables 13 and 14: T1, T2, S, R.
PAPER_BOUNDS = {
    ("pendigits", "1A1"): (1_699, 55, 74, 133),
    ("pendigits", "1AO"): (5_769, 55, 326, 450),
    ("shuttle", "1A1"): (1_152_495, 110, 114_786, 75_630),
    ("shuttle", "1AO"): (2_756_183, 110, 593_967, 180_990),
    ("adult", "1A1"): (202_354, 481, 16_422, 13_599),
    ("poker", "1A1"): (12_253, 139, 370, 874),
}
BOUND_SETS = ("pendigits", "shuttle", "poker", "adult")


def paper_case(context):
    """Tables 3, 7 and 8, for the paper's method and for ours."""
    wanted = EXHAUSTIVE[:2] if context.quick else EXHAUSTIVE
    grids = {name: svc_grid(context, problem_of(context, name)) for name, _ in wanted}
    context.start_ours()
    rows = []
    for name, mode in wanted:
        for method in ("paper", "raced"):
            run = searched(context, name, method, MODES[mode])
            rows.append(_row(context, name, mode, method, run, grids[name]))
    result = CaseResult(tables={"Tables 3, 7 and 8: 1A1 and 1AO": rows})
    result.tables["Table 8: σ_opt of random parts, 1A1"] = _random_part_rows(context)
    return result


def _row(context, name, mode, method, run, grid):
    """One line: accuracy, time, σ_opt and vectors, with the paper's in brackets."""
    cost = support_vector_cost(run.model, problem_of(context, name).X_test)
    tnsv, libsvm_tnsv, ceiling, _ = PAPER[name, mode]
    return {
        "set": name,
        "mode": mode,
        "method": "paper's, exhaustive" if method == "paper" else "raced, leaf scaling",
        "test accuracy %": run.accuracy,
        "s": run.seconds,
        "σ_opt": run.model.max_leaf_size_,
        "paper: σ_opt": ceiling,
        "TNSV, summed": cost.tnsv,
        "paper: TNSV": tnsv,
        "SVC's TNSV": grid.best["n_coefficients"] if mode == "1A1" else None,
        "paper: LIBSVM's": libsvm_tnsv,
        "TNSV, distinct": cost.tnsv_distinct,
        "NESV, summed": cost.nesv,
        "NESV, distinct": cost.nesv_distinct,
        "one-class rows %": 100.0 * cost.one_class_share,
        "paper: one-class %": PAPER_PURE.get(name, 0.0),
    }


def _random_part_rows(context):
    """σ_opt of RDSVM where its search is exhaustive."""
    rows = []
    for name in ("pendigits",) if context.quick else ("pendigits", "shuttle"):
        run = rivals.fit(problem_of(context, name), random_parts(context, name))
        rows.append(
            {
                "set": name,
                "σ_opt": run.model.max_leaf_size_,
                "paper: σ_opt": PAPER[name, "1A1"][3],
                "test accuracy %": run.accuracy,
                "s": run.seconds,
            }
        )
    return rows


def ceilings_case(context):
    """Tables 9 and 10: what each ceiling costs letter (1A1), and what it reaches."""
    context.start_ours()
    name = "pendigits" if context.quick else "letter"
    problem, rows = problem_of(context, name), []
    model = searched(context, name, "paper").model
    for ceiling, seconds in model.seconds_per_ceiling_.items():
        paper = PAPER_CEILINGS.get(ceiling, (None, None))
        rows.append(
            {
                "σ": int(ceiling),
                "s": seconds,
                "paper: s": paper[0],
                "test accuracy %": _at_ceiling(problem, model, ceiling),
                "paper: accuracy %": paper[1],
            }
        )
    return CaseResult(tables={f"Tables 9 and 10: {name}, 1A1, ceilings": rows})


def _at_ceiling(problem, model, ceiling):
    """Test accuracy if the search had stopped at this ceiling."""
    table = model.search_results_
    own = np.flatnonzero(table["max_leaf_size"] == ceiling)
    best = own[np.argmax(table["score"][own])]
    stopped = DTSVMClassifier(
        *(table["C"][best], table["gamma"][best], int(ceiling)),
        kernel="rbf",
        multi_class=model.multi_class,
        leaf_scaling=None,
        n_jobs=THREADS,
        random_state=0,
    )
    return problem.score(stopped.fit(*problem.train))


def bounds_case(context):
    """Tables 13 and 14: R and S at SVC's own θ, without leaf scaling."""
    sets = ("pendigits",) if context.quick else BOUND_SETS
    grids = {name: svc_grid(context, problem_of(context, name)) for name in sets}
    context.start_ours()
    rows = []
    for name, grid in grids.items():
        for mode, multi_class in MODES.items():
            rows.append(_bound_row(context, name, mode, multi_class, grid))
    result = CaseResult(tables={"Tables 13 and 14: the terms of the bound": rows})
    result.notes.append(
        "S is R of a tree with one leaf; averages run over the binary problems. T1 and "
        "T2 are the theorem's, with natural logarithms; the paper's tables follow "
        "T1 = R·log2 n and T2 = L·log10(d·n·L²), given beside them. The paper's "
        "θ are not known to us, so sizes, not values, compare. "
        f"Paper's names: {', '.join(f'{k} = {v}' for k, v in SETS.items())}."
    )
    return result


def _bound_row(context, name, mode, multi_class, grid):
    """S, R, R/L, T1 and T2 in both readings, with the paper's values."""
    X, y = problem_of(context, name).train
    cut, whole = (
        decomposition_bound(_at_svc(grid, size, multi_class).fit(X, y), X, y)
        for size in (1_500, len(y) + 1)
    )
    paper = PAPER_BOUNDS.get((name, mode), (None,) * 4)
    return {
        "set": name,
        "mode": mode,
        "S": whole.R,
        **cut.terms(),
        "paper: T1": paper[0],
        "paper: T2": paper[1],
        "paper: S": paper[2],
        "paper: R": paper[3],
    }


def _at_svc(grid, ceiling, multi_class):
    return DTSVMClassifier(
        *(grid.C, grid.gamma, ceiling),
        kernel="rbf",
        leaf_scaling=None,
        multi_class=multi_class,
        n_jobs=THREADS,
        random_state=0,
    )
