"""What a user leaves open of C, γ and the kernel, chosen by leaving rows out.

What a machine would say of a row, had it not been trained on it, follows from the
machine itself (`machines.leave_one_out`): nothing is trained twice.  So a small grid is
judged on the training rows of a few parts.  The loss of a row is the log loss of its
left-out evidence, with one slope for each point of the grid, plus one where the answer
is wrong.  The winner is the smoothest point (small C and γ) within half a standard
error of the best.

Rows and parts are bounded, so that the choice costs a part of a fit to many rows.
"""

from itertools import chain, product
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import log_softmax

from treesvm.decomposition.calibration import fit_scale
from treesvm.decomposition.feature_weights import check_weighted, given_weights
from treesvm.decomposition.parts_loop import error_that_names
from treesvm.decomposition.theta import OPEN, Theta
from treesvm.inputs.rows import Rows
from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.kernels.kernel import Gaussian, Laplacian
from treesvm.machines.grid import LeafGrid
from treesvm.machines.leave_one_out import left_out_decisions
from treesvm.machines.scaling import identity_scaling, part_scaling
from treesvm.machines.training import assemble
from treesvm.machines.voting import class_evidence, predicted_codes

_CS = (0.5, 1.5, 5.0, 15.0, 50.0)
_SCALES = (0.3, 1.0, 3.0)
_KERNELS = (Laplacian(), Gaussian())
_MIDDLE = {"C": 5.0, "gamma_scale": 1.0, "kernel": _KERNELS[0]}  # best without a look
_MOST_ROWS = 1500  # that are judged
_OF_A_PART = 750  # of them, unless it is the only part
_STREAM = 43  # keeps this draw apart from others of the same seed
_ERRORS = 0.5  # standard errors that a smoother machine may be behind


def is_open(theta: Theta) -> bool:
    """Whether anything is left to choose."""
    return any(_is_open(getattr(theta, name)) for name in _MIDDLE)


def _is_open(value):
    return isinstance(value, str) and value == OPEN


def candidates(theta: Theta) -> list[Theta]:
    """Return all points of the grid: kernels, of each its scales, of each its Cs.

    A gamma that is a number belongs to one kernel; only the median leaves its width
    open, since whoever names another rule means that rule.
    """
    found: list[Theta] = []
    kernels = [theta.kernel]
    if _is_open(theta.kernel):
        kernels = _KERNELS if isinstance(theta.gamma, str) else _KERNELS[:1]
    Cs = _CS if _is_open(theta.C) else (theta.C,)
    for kernel in kernels:
        scales = (theta.gamma_scale,)
        if _is_open(theta.gamma_scale):
            is_median = theta.gamma == "median" and kernel.has_gamma
            scales = _SCALES if is_median else (1.0,)
        found += [
            theta._replace(C=C, gamma_scale=scale, kernel=kernel)
            for scale, C in product(scales, Cs)
        ]
    return found


def judged_parts(sizes: np.ndarray, is_mixed: np.ndarray, seed: int) -> list[int]:
    """Return the numbers of the parts whose rows are judged.

    Parameters
    ----------
    sizes : ndarray of shape (n_parts,)
        Rows of each part; the chance of a part is in proportion.
    is_mixed : ndarray of bool, shape (n_parts,)
        Whether the part has rows of several classes; others need no machine.
    seed : int
    """
    chances = np.where(is_mixed, sizes, 0) / max(1, sizes[is_mixed].sum())
    n_parts, rng = int(is_mixed.sum()), np.random.default_rng([seed, _STREAM])
    if n_parts == 0:
        return []
    drawn = rng.choice(len(sizes), n_parts, replace=False, p=chances)
    judged = np.minimum(sizes[drawn], _OF_A_PART)
    return drawn[np.cumsum(judged) - judged < _MOST_ROWS].tolist()


def choose_theta(theta, rows_of, sizes, is_mixed, seed, *, n_jobs=None, **effort):
    """Return the theta with everything in it that was left open.

    Parameters
    ----------
    theta : Theta
    rows_of : callable
        From the number of a part to its `Rows`.
    sizes, is_mixed, seed
        As in `judged_parts`.
    n_jobs : int, optional
        Threads; the choice does not depend on it.
    **effort
        ``tol`` and ``max_iter`` of the machines.
    """
    grid, parts = candidates(theta), judged_parts(sizes, is_mixed, seed)
    if not parts:
        return _middle(theta)
    if len(grid) == 1:
        return grid[0]
    most = _MOST_ROWS if len(sizes) == 1 else _OF_A_PART
    samples = [rows_of(k).drawn(most, [seed, _STREAM, k]) for k in parts]
    tasks = list(product(zip(parts, samples, strict=True), _by_kernel(grid)))
    n_workers = min(effective_n_jobs(n_jobs), len(tasks))
    with one_blas_thread():  # whose sums would depend on their number
        said = Parallel(n_jobs=n_workers, require="sharedmem")(
            delayed(_left_out)(*part, own, **effort) for part, own in tasks
        )
    n_kernels = len(tasks) // len(samples)
    by_part = [
        list(chain(*said[first : first + n_kernels]))
        for first in range(0, len(said), n_kernels)
    ]
    codes = np.concatenate([rows.target for rows in samples])
    weight = np.concatenate([rows.weight for rows in samples])
    losses, judged = [], []
    for point, *of_parts in zip(grid, *by_part, strict=True):
        if all(own is not None for own in of_parts):
            judged.append(point)
            evidence, answers = map(np.concatenate, zip(*of_parts, strict=True))
            losses.append(_losses(evidence, answers, codes, weight))
    if not judged:
        return _middle(theta)
    return judged[smoothest(np.array(losses), weight, judged)]


def _middle(theta):
    """Return the theta without a look at rows."""
    return theta._replace(
        **{k: value for k, value in _MIDDLE.items() if _is_open(getattr(theta, k))}
    )


def _by_kernel(grid):
    """Return the points of each kernel."""
    kernels = list(dict.fromkeys(theta.kernel for theta in grid))
    return [[theta for theta in grid if theta.kernel == kernel] for kernel in kernels]


def _left_out(k, rows, thetas, **effort):
    """Judge the thetas of one kernel by the rows of part k; an error names it."""
    with error_that_names(k, len(rows.target)):
        return left_out_answers(rows, thetas, **effort)


def left_out_answers(rows: Rows, thetas: list[Theta], **effort) -> list[Any]:
    """Return left-out evidence and answers of all rows, by each theta of one kernel.

    None where a kernel that is not positive definite leaves no way to say.
    """
    first = thetas[0]
    X = _seen(rows.X, first)
    scales = dict.fromkeys(theta.gamma_scale for theta in thetas)
    kernels = [first.kernel.settled(first.gamma, X, scale) for scale in scales]
    gammas = [getattr(kernel, "gamma", 1.0) for kernel in kernels]
    Cs = list(dict.fromkeys(theta.C for theta in thetas))
    grid = LeafGrid(
        X,
        rows.target,
        rows.n_classes,
        rows.weight,
        first.kernel,
        multi_class=first.multi_class,
        loss=first.loss,
    )
    every = np.arange(len(rows.target))
    found: list[Any] = []
    for point in grid.points(gammas, Cs, **effort):
        kernel = first.kernel.with_gamma(point.gamma)
        machine = assemble(X, grid.machines, kernel, point.coefficients, point.records)
        try:
            box = point.C * rows.weight
            values = left_out_decisions(machine, X, every, box, first.loss)
        except np.linalg.LinAlgError:
            found.append(None)
            continue
        said = values, machine.pairs, machine.n_classes
        found.append((class_evidence(*said), predicted_codes(*said)))
    return found


def _seen(X, theta):
    """Return rows as a part would see them before it has learned any weights."""
    scaling, weights, n_features = (
        part_scaling(X, theta.leaf_scaling),
        theta.feature_weights,
        X.shape[1],
    )
    if weights is not None:
        check_weighted(theta.kernel)
        if not isinstance(weights, str):
            base = identity_scaling(n_features) if scaling is None else scaling
            scaling = given_weights(weights, theta.kernel, base, n_features)
    return X if scaling is None else scaling.apply(X)


def _losses(evidence, said, codes, weight):
    """Return the loss of every row at one point."""
    log_p = log_softmax(fit_scale(evidence, codes, weight) * evidence, axis=1)
    return (said != codes) - log_p[np.arange(len(codes)), codes]


def smoothest(losses: np.ndarray, weight: np.ndarray, grid: list[Theta]) -> int:
    """Return which point is the smoothest of those that chance could have made best.

    Parameters
    ----------
    losses : ndarray of shape (n_points, n_rows)
    weight : ndarray of shape (n_rows,)
    grid : list of Theta
    """
    means = np.average(losses, axis=1, weights=weight)
    behind = losses - losses[means.argmin()]
    mean = np.average(behind, axis=1, weights=weight)
    spread = np.sqrt(((behind - mean[:, None]) ** 2) @ weight**2) / weight.sum()
    fine = np.flatnonzero(mean <= _ERRORS * spread)
    roughness = [grid[k].C * grid[k].gamma_scale for k in fine]
    return int(fine[np.lexsort((means[fine], np.round(roughness, 9)))[0]])
