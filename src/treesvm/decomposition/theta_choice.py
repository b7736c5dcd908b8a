"""What a user leaves open of C, γ, kernel and ε, chosen by leaving rows out.

What a machine would say of a row, had it not been trained on it, follows from the
machine itself (`machines.leave_one_out`): nothing is trained twice.  So a small grid is
judged on the training rows of a few parts.  The loss of a row is the log loss of its
left-out evidence, with one slope for each point of the grid, plus one where the answer
is wrong.  The winner is the smoothest point (small C and γ) within half a standard
error of the best.

Numbers are held out in folds, and their loss is the squared error: of regressors what
follows from the machine itself promises too much.  ε is chosen after the others.

Rows and parts are bounded, so that the choice costs a part of a fit to many rows.
"""

from itertools import chain, pairwise, product
from typing import Any
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
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
from treesvm.machines.regression_machine import train_regressor
from treesvm.machines.scaling import identity_scaling, part_scaling
from treesvm.machines.training import assemble
from treesvm.machines.voting import class_evidence, predicted_codes

_CS = (0.5, 1.5, 5.0, 15.0, 50.0)
_SCALES = (0.3, 1.0, 3.0)
_CS_OF_NUMBERS = (*_CS, 150.0)  # in standard deviations of the target, as ε is
_SCALES_OF_NUMBERS = (0.1, *_SCALES)
_EPSILONS = (0.02, 0.1, 0.3)
_FOLDS = 3  # that hold out rows of regressors
_STEPS = 40  # pair steps per row, enough to judge a regressor by
_KERNELS = (Laplacian(), Gaussian())
_MIDDLE = {"C": 5.0, "gamma_scale": 1.0, "kernel": _KERNELS[0], "epsilon": 0.1}
_MOST_ROWS = 1500  # that are judged
_OF_A_PART = 750  # of them, unless it is the only part
_NUMBERS, _NUMBERS_OF_A_PART = 1000, 400  # fewer of them where targets are numbers
_STREAM = 43  # keeps this draw apart from others of the same seed
_ERRORS = 0.5  # standard errors that a smoother machine may be behind


def is_open(theta: Theta) -> bool:
    """Whether anything is left to choose."""
    return any(_is_open(getattr(theta, name)) for name in _MIDDLE)


def _is_open(value):
    return isinstance(value, str) and value == OPEN


def candidates(theta: Theta, spread: float | None = None) -> list[Theta]:
    """Return all points of the grid: kernels, of each its scales, of each its Cs.

    A gamma that is a number belongs to one kernel; only the median leaves its width
    open, since whoever names another rule means that rule.

    Parameters
    ----------
    theta : Theta
    spread : float, optional
        Of the targets, if they are numbers: what their Cs are multiples of.
    """
    found: list[Theta] = []
    all_scales, all_Cs = _SCALES, _CS
    if spread is not None:
        all_scales = _SCALES_OF_NUMBERS
        all_Cs = tuple(C * spread for C in _CS_OF_NUMBERS)
    kernels = [theta.kernel]
    if _is_open(theta.kernel):
        kernels = _KERNELS if isinstance(theta.gamma, str) else _KERNELS[:1]
    Cs = all_Cs if _is_open(theta.C) else (theta.C,)
    for kernel in kernels:
        scales = (theta.gamma_scale,)
        if _is_open(theta.gamma_scale):
            is_median = theta.gamma == "median" and kernel.has_gamma
            scales = all_scales if is_median else (1.0,)
        found += [
            theta._replace(C=C, gamma_scale=scale, kernel=kernel)
            for scale, C in product(scales, Cs)
        ]
    return found


def judged_parts(
    sizes: np.ndarray, is_mixed: np.ndarray, seed: int, most: int = _OF_A_PART
) -> list[int]:
    """Return the numbers of the parts whose rows are judged.

    Parameters
    ----------
    sizes : ndarray of shape (n_parts,)
        Rows of each part; the chance of a part is in proportion.
    is_mixed : ndarray of bool, shape (n_parts,)
        Whether the part has rows of several classes; others need no machine.
    seed : int
    most : int
        Rows of a part that are judged.
    """
    chances = np.where(is_mixed, sizes, 0) / max(1, sizes[is_mixed].sum())
    n_parts, rng = int(is_mixed.sum()), np.random.default_rng([seed, _STREAM])
    if n_parts == 0:
        return []
    drawn = rng.choice(len(sizes), n_parts, replace=False, p=chances)
    judged = np.minimum(sizes[drawn], most)
    return drawn[np.cumsum(judged) - judged < _MOST_ROWS].tolist()


def choose_theta(theta, rows_of, sizes, is_mixed, seed, *, spread=1.0, **how):
    """Return the theta with everything in it that was left open.

    Parameters
    ----------
    theta : Theta
    rows_of : callable
        From the number of a part to its `Rows`.
    sizes, is_mixed, seed
        As in `judged_parts`.
    spread : float
        Of targets that are numbers; C and epsilon that are chosen are multiples of it.
    **how
        ``n_jobs``, threads, on which the choice does not depend; ``tol`` and
        ``max_iter`` of the machines.
    """
    is_number = theta.epsilon is not None  # is the target
    if theta.loss == "squared":  # whose C has no unit, and which has no epsilon
        spread = 1.0
    middle, alone, of_a_part = _middle(theta, spread), _MOST_ROWS, _OF_A_PART
    if is_number:
        alone, of_a_part = _NUMBERS, _NUMBERS_OF_A_PART
    parts = judged_parts(sizes, is_mixed, seed, of_a_part)
    if not parts:
        return middle
    most = alone if len(sizes) == 1 else of_a_part
    samples = {k: rows_of(k).drawn(most, [seed, _STREAM, k]) for k in parts}
    if not is_number:
        return _best_of(candidates(theta), middle, samples, **how)
    at_first = theta._replace(epsilon=middle.epsilon)
    found = _best_of(candidates(at_first, spread), middle, samples, **how)
    if not _is_open(theta.epsilon) or theta.loss == "squared":
        return found
    last = [found._replace(epsilon=epsilon * spread) for epsilon in _EPSILONS]
    return _best_of(last, middle, samples, **how)


def _best_of(grid, otherwise, samples, *, n_jobs=None, **effort):
    """Return the point of a grid that does best on rows of parts, left out in turn.

    Where none can say what it would do, what is returned `otherwise`.
    """
    if len(grid) == 1:
        return grid[0]
    tasks = list(product(samples.items(), _by_kernel(grid)))
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
    target = np.concatenate([rows.target for rows in samples.values()])
    weight = np.concatenate([rows.weight for rows in samples.values()])
    losses, judged = [], []
    for point, *of_parts in zip(grid, *by_part, strict=True):
        if all(own is not None for own in of_parts):
            judged.append(point)
            joined = map(np.concatenate, zip(*of_parts, strict=True))
            losses.append(_losses(*joined, target=target, weight=weight))
    if not judged:
        return otherwise
    return judged[smoothest(np.array(losses), weight, judged)]


def _middle(theta, spread):
    """Return the theta without a look at rows."""
    middle = _MIDDLE | {k: _MIDDLE[k] * spread for k in ("C", "epsilon")}
    return theta._replace(
        **{k: value for k, value in middle.items() if _is_open(getattr(theta, k))}
    )


def _by_kernel(grid):
    """Return the points of each kernel."""
    kernels = list(dict.fromkeys(theta.kernel for theta in grid))
    return [[theta for theta in grid if theta.kernel == kernel] for kernel in kernels]


def _left_out(k, rows, thetas, **effort):
    """Judge the thetas of one kernel by the rows of part k; an error names it."""
    with error_that_names(k, len(rows.target)):
        if rows.n_classes is None:
            return held_out_numbers(rows, thetas, **effort)
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


def held_out_numbers(
    rows: Rows, thetas: list[Theta], *, tol=1e-3, max_iter=None
) -> list[Any]:
    """Return what is said of all rows by machines that did not train on their fold.

    None where all rows are equal.  The span of a regressor's vectors promises too much
    where C is large: most of its free vectors would not stay free.
    """
    first, n_rows = thetas[0], len(rows.target)
    fold = _fold_of_rows(rows.X)
    if fold.max() == 0:
        return [None] * len(thetas)
    X, found = _seen(rows.X, first), [np.empty(n_rows) for _ in thetas]
    kernels = [
        theta.kernel.settled(theta.gamma, X, theta.gamma_scale) for theta in thetas
    ]
    cap = _STEPS * n_rows if max_iter is None else min(max_iter, _STEPS * n_rows)
    for k in range(fold.max() + 1):
        held, rest = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        own = rows._replace(X=X).take(rest)
        gram = first.kernel.gram(own.X) if first.loss == "hinge" else None
        for theta, kernel, said in zip(thetas, kernels, found, strict=True):
            machine = train_regressor(
                *own[:3],
                kernel,
                theta.C,
                theta.epsilon,
                loss=theta.loss,
                tol=tol,
                max_iter=cap,
                gram=gram,
            )
            said[held] = machine.decisions(X[held])[:, 0]
    return [(said,) for said in found]


def _fold_of_rows(X):
    """Return the fold of every row; equal rows share theirs, wherever they stand."""
    X = sparse.csr_matrix(X, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    columns = X.indices.astype(np.int64)
    rows = [slice(a, b) for a, b in pairwise(X.indptr)]
    sums = [crc32(X.data[k].tobytes(), crc32(columns[k].tobytes())) for k in rows]
    return np.unique(sums, return_inverse=True)[1] % _FOLDS


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


def _losses(said, answers=None, *, target, weight):
    """Return the loss of every row at one point."""
    if answers is None:
        unit = np.abs(target).max() or 1.0  # squares of large numbers are too large
        return (said / unit - target / unit) ** 2
    log_p = log_softmax(fit_scale(said, target, weight) * said, axis=1)
    return (answers != target) - log_p[np.arange(len(target)), target]


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
