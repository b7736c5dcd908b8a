"""A grid of kernels and Cs on one set of rows, for any kernel."""

import numpy as np

from treesvm.machines.layout import build_machines, decisions
from treesvm.machines.leaf_grid import GridPoint, LeafGrid
from treesvm.machines.training import gram_chain
from treesvm.machines.voting import predicted_codes

# Distances or kernel values in float64, and in float32 twice.
_BYTES_PER_PAIR = 16


def grid_points(
    X,
    codes,
    n_classes,
    weight,
    kernels,
    Cs,
    X_val=None,
    *,
    multi_class="ovo",
    tol=1e-3,
    max_iter=None,
    max_bytes=500 * 2**20,
):
    """Yield a `GridPoint` for every kernel and, ascending, every C.

    Parameters are those of `training.train_machine`, with lists of kernels and of Cs
    and the rows to be answered at every point.
    """
    n = len(codes)
    if _BYTES_PER_PAIR * n * n > max_bytes:
        raise ValueError(
            f"a path on {n} rows holds {_BYTES_PER_PAIR * n * n / 2**20:.0f} MB of "
            f"kernel values, more than cache_size={max_bytes / 2**20:.0f} MB; raise "
            "cache_size, or search with DTSVMClassifierCV, which solves small leaves."
        )
    if all(kernel.name == "rbf" for kernel in kernels):
        grid = LeafGrid(X, codes, n_classes, weight, X_val, multi_class=multi_class)
        gammas = [kernel.gamma for kernel in kernels]
        yield from grid.points(gammas, Cs, tol=tol, max_iter=max_iter)
        return
    machines = build_machines(codes, n_classes, multi_class)
    for kernel in kernels:
        chain = gram_chain(X, machines, weight, kernel, tol=tol, max_iter=max_iter)
        K_val = _validation_block(kernel, X, X_val, machines.order)
        for C in sorted(Cs):
            records = chain.solve(C).copy()
            values = decisions(machines, K_val, chain.beta, records["bias"])
            predicted = predicted_codes(values, machines.pairs, n_classes)
            yield GridPoint(
                kernel.gamma, C, predicted, machines.rows, chain.beta.copy(), records
            )


def _validation_block(kernel, X, X_val, order):
    """Float64 kernel of the validation rows with the sorted training rows."""
    if X_val is None:
        return np.zeros((0, len(order)))
    if kernel.name == "precomputed":
        return np.asarray(X_val, dtype=np.float64)[:, order]
    return kernel.block(X_val, X[order], np.float64)
