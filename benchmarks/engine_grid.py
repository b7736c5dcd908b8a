"""The (C, gamma) grid on single leaves: `KernelSVC.path` against one SVC per point."""

from typing import NamedTuple

from benchmarks import svc
from benchmarks.certificates import relative_gap
from benchmarks.leaves import Leaf
from benchmarks.problems import grid, leaves
from benchmarks.records import CaseResult, Claim, Record
from benchmarks.timing import Timing, measure
from treesvm import KernelSVC

MAX_GAP = 1e-3  # a point counts as solved when its relative duality gap is below
MIN_SOLVED = 58 / 63  # share of the grid that must be solved
SEARCH_ITERATIONS = 20_000  # cap of a search; see the page for the choice


class LeafGrid(NamedTuple):
    """Both answers on one leaf; `rival` and `ours` map (C, gamma) to a point."""

    leaf: Leaf
    rival: dict
    ours: dict
    timing: Timing

    @property
    def rival_seconds(self):
        points = self.rival.values()
        return sum(p["fit_seconds"] + p["predict_seconds"] for p in points)


def grid_case(context):
    """Every point to the end."""
    measured = _measure(context, max_iter=-1)
    result = _summary("grid", measured, must=5.0, aim=15.0)
    solved = min(_n_solved(m) / len(m.ours) for m in measured)
    claim = "grid, points with relative gap ≤ 1e-3 (worst leaf)"
    result.claims.append(Claim(claim, 100 * solved, 100 * MIN_SOLVED, unit="%"))
    loss = max(_best_rival(m) - _best_ours(m) for m in measured)
    result.claims.append(_loss_claim("grid, validation accuracy below SVC's", loss))
    result.tables["Points above a relative gap of 1e-3"] = _unsolved_rows(measured)
    return result


def search_case(context):
    """Iterations capped; what matters is the choice that comes out."""
    measured = _measure(context, max_iter=SEARCH_ITERATIONS)
    result = _summary("search", measured, must=10.0, aim=30.0)
    loss = max(_best_rival(m) - m.rival[_choice(m)]["accuracy"] for m in measured)
    name = "search, accuracy of the chosen point below the uncapped choice"
    result.claims.append(_loss_claim(name, loss))
    result.tables["Chosen points"] = [_choice_row(m) for m in measured]
    return result


def _measure(context, max_iter):
    """Rivals first, all of them, so that `--rivals-only` fills the cache."""
    Cs, gammas = grid(context)
    problems = leaves(context)
    rivals = [_rival_grid(context, leaf, Cs, gammas) for leaf in problems]
    context.start_ours()
    return [
        _our_grid(context, leaf, rival, Cs, gammas, max_iter)
        for leaf, rival in zip(problems, rivals, strict=True)
    ]


def _rival_grid(context, leaf, Cs, gammas):
    train, validation = (leaf.X, leaf.y), (leaf.X_val, leaf.y_val)
    return {
        (C, gamma): svc.fetch(context.rivals, C, gamma, train, validation)
        for gamma in gammas
        for C in Cs
    }


def _our_grid(context, leaf, rival, Cs, gammas, max_iter):
    machine = KernelSVC(tol=svc.TOL, max_iter=max_iter, n_jobs=1)

    def path(n_rows, Cs, gammas):
        X, y = leaf.X[:n_rows], leaf.y[:n_rows]
        return machine.path(X, y, Cs, gammas, leaf.X_val, leaf.y_val)

    timing = measure(
        lambda: path(len(leaf.y), Cs, gammas),
        repeat=context.repeat,
        # Both ends of the grid, so that every solver the grid may need is compiled.
        warm_up=lambda: path(300, [Cs[0], Cs[-1]], [gammas[0], gammas[-1]]),
    )
    ours = {(point.C, point.gamma): point for point in timing.result}
    return LeafGrid(leaf, rival, ours, timing)


def _summary(case, measured, must, aim):
    """Records, the table of leaves and the ratio of the total times."""
    result = CaseResult()
    for m in measured:
        result.records += _records(case, m)
    ours = sum(m.timing.seconds for m in measured)
    total = sum(m.rival_seconds for m in measured)
    result.claims.append(
        Claim(f"{case}, all leaves, against SVC", total / ours, must, aim)
    )
    result.tables["Leaves"] = [_leaf_row(m) for m in measured]
    return result


def _records(case, m):
    data = m.leaf.name
    n_converged = sum(point.converged for point in m.ours.values())
    return [
        Record(
            case,
            "sklearn SVC",
            data,
            m.rival_seconds,
            accuracy=_best_rival(m),
            n_solves=len(m.rival),
            cached=all(point["cached"] for point in m.rival.values()),
        ),
        Record(
            case,
            "treesvm path",
            data,
            m.timing.seconds,
            m.timing.cpu_seconds,
            accuracy=_best_ours(m),
            n_solves=len(m.ours),
            converged_share=n_converged / len(m.ours),
        ),
    ]


def _leaf_row(m):
    n = len(m.ours)
    rival_solved = sum(_rival_gap(point) <= MAX_GAP for point in m.rival.values())
    return {
        "leaf": m.leaf.name,
        "rows": len(m.leaf.y),
        "classes": len(set(m.leaf.y.tolist())),
        "SVC s": m.rival_seconds,
        "treesvm s": m.timing.seconds,
        "ratio": m.rival_seconds / m.timing.seconds,
        "gap ≤ 1e-3, SVC": f"{rival_solved} of {n}",
        "gap ≤ 1e-3, treesvm": f"{_n_solved(m)} of {n}",
        "converged": f"{sum(point.converged for point in m.ours.values())} of {n}",
        "best accuracy SVC": _best_rival(m),
        "best accuracy treesvm": _best_ours(m),
    }


def _unsolved_rows(measured):
    return [
        {
            "leaf": m.leaf.name,
            "C": C,
            "γ": gamma,
            "gap treesvm": float(point.gap),
            "gap SVC": _rival_gap(m.rival[C, gamma]),
            "iterations SVC": m.rival[C, gamma]["n_iter"],
        }
        for m in measured
        for (C, gamma), point in m.ours.items()
        if point.gap > MAX_GAP
    ]


def _choice_row(m):
    C, gamma = _choice(m)
    return {
        "leaf": m.leaf.name,
        "chosen C": C,
        "chosen γ": gamma,
        "its accuracy, capped": float(m.ours[C, gamma].score),
        "its accuracy, SVC": m.rival[C, gamma]["accuracy"],
        "best accuracy, SVC": _best_rival(m),
    }


def _choice(m):
    """The point a search would take: best score, then the smallest C and gamma."""
    return max(m.ours, key=lambda p: (m.ours[p].score, -p[0], -p[1]))


def _best_ours(m):
    return float(max(point.score for point in m.ours.values()))


def _best_rival(m):
    return max(point["accuracy"] for point in m.rival.values())


def _rival_gap(point):
    return relative_gap(point["primal"], point["dual"])


def _n_solved(m):
    return sum(bool(point.gap <= MAX_GAP) for point in m.ours.values())


def _loss_claim(work, loss):
    return Claim(work, 100 * loss, must=0.2, unit="points", higher_is_better=False)
