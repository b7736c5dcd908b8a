"""From labelled rows to a `KernelMachine`: the way depends on what fits in memory.

A Gram matrix that fits the budget is computed once and serves all machines (`path`).
Otherwise every machine is solved on its own, by working sets (`blocked`), so that
nothing of the size n^2 is ever held.
"""

from functools import partial

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.machines.compilation import announce_compilation
from treesvm.machines.kernel_machine import KernelMachine
from treesvm.machines.layout import build_machines
from treesvm.machines.losses import CHAINS
from treesvm.machines.path import solution_record
from treesvm.machines.squares_chain import solve_squares_alone
from treesvm.solvers import smo
from treesvm.solvers.blocked import solve_blocked
from treesvm.solvers.optimality import svc_box

# Above this many rows a single machine touches so few rows of its Gram matrix that
# computing all of them costs more than it saves.
GRAM_ROWS = 4000
_LEAST_BYTES = 16 * 2**20


def train_machine(
    X,
    codes,
    n_classes,
    weight,
    kernel,
    C,
    *,
    multi_class="ovo",
    loss="hinge",
    tol=1e-3,
    max_iter=None,
    max_bytes=500 * 2**20,
    n_jobs=None,
):
    """Train the machines of all classes on the rows `X`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
        For a precomputed kernel, the Gram matrix.
    codes : ndarray of shape (n,)
        Classes as 0 .. n_classes - 1; at least two of them occur.
    weight : ndarray of shape (n,)
        The box of row i is C * weight[i].
    kernel : Kernel
    C : float
    multi_class : {"ovo", "ovr"}
    loss : {"hinge", "squared"}
        See `losses`.
    tol : float
    max_iter : int, optional
        Cap on the steps of each machine.
    max_bytes : int
        Budget for kernel values.
    n_jobs : int, optional
        Threads, where the Gram matrix of all rows is not held.

    Returns
    -------
    KernelMachine
    """
    announce_compilation()
    machines = build_machines(codes, n_classes, multi_class)
    n = len(codes)
    if _fits_gram(n, machines.n_machines, max_bytes, loss):
        chain = gram_chain(
            X, machines, weight, kernel, loss=loss, tol=tol, max_iter=max_iter
        )
        records = chain.solve(C)
        return assemble(X, machines, kernel, chain.beta, records)
    # Threads work on several machines, or, if there is one, on its kernel rows.
    n_workers = min(effective_n_jobs(n_jobs), machines.n_machines)
    inner_jobs = n_jobs if n_workers == 1 else None
    share = max_bytes // n_workers
    with one_blas_thread(effective_n_jobs(n_jobs) > 1):
        solved = Parallel(n_jobs=n_workers, require="sharedmem")(
            delayed(_solve_alone)(
                X,
                machines,
                m,
                weight,
                kernel,
                C,
                loss,
                tol,
                max_iter,
                share,
                inner_jobs,
            )
            for m in range(machines.n_machines)
        )
    beta = np.concatenate([coefficients for coefficients, _ in solved])
    records = np.concatenate([record for _, record in solved])
    return assemble(X, machines, kernel, beta, records)


def _fits_gram(n, n_machines, max_bytes, loss):
    """Whether to hold the Gram matrix of n rows: it fits, and enough of it is used."""
    is_used = loss != "hinge" or n <= GRAM_ROWS * max(1, min(n_machines, 10))
    return 4 * n * n <= max_bytes and is_used


def gram_chain(X, machines, weight, kernel, *, loss="hinge", tol=1e-3, max_iter=None):
    """Return the chain of a loss on the Gram matrix of all rows."""
    order = machines.order
    gram = kernel.gram(kernel.take(X, order))
    return CHAINS[loss](
        gram.matrix(kernel, is_last=True),
        machines,
        weight[order],
        exact=partial(gram.exact, kernel),
        tol=tol,
        max_iter=max_iter,
    )


def _solve_alone(
    X, machines, m, weight, kernel, C, loss, tol, max_iter, max_bytes, n_jobs
):
    """Solve one machine; return its coefficients and a one-entry record."""
    own = slice(machines.starts[m], machines.starts[m + 1])
    rows = machines.order[machines.rows[own]]
    signs = machines.signs[own]
    n = len(rows)
    part = kernel.take(X, rows)
    if _fits_gram(n, 1, max_bytes, loss):
        alone = build_machines((signs > 0).astype(np.intp), 2, "ovo")
        chain = gram_chain(
            part, alone, weight[rows], kernel, loss=loss, tol=tol, max_iter=max_iter
        )
        record = chain.solve(C).copy()
        beta = np.empty(n)
        beta[alone.order] = chain.beta
        return beta, record
    if loss == "squared":
        solution = solve_squares_alone(
            kernel.row_block(part), signs, C * weight[rows], tol=tol, max_iter=max_iter
        )
        return solution.coefficients, solution_record(solution)
    lower, upper = svc_box(signs, C * weight[rows])
    solution = solve_blocked(
        kernel,
        part,
        signs,
        lower,
        upper,
        max_bytes=max(_LEAST_BYTES, max_bytes),
        tol=tol,
        max_iter=smo.STALL_CAP if max_iter is None else max_iter,
        n_jobs=n_jobs,
    )
    return solution.coefficients, solution_record(solution)


def assemble(X, machines, kernel, beta, records):
    """Keep the rows with coefficients, and what prediction needs of them."""
    supports, parts, starts, ids = [], [], [0], []
    for block in machines.blocks:
        coefficients = beta[block.coefficients]
        kept = np.flatnonzero(coefficients.any(axis=1))
        supports.append(machines.order[block.rows][kept])
        parts.append(coefficients[kept])
        starts.append(starts[-1] + len(kept))
        ids.append(block.machines)
    support = np.concatenate(supports)
    return KernelMachine(
        kernel=kernel,
        vectors=kernel.vectors(X, support),
        support=support,
        class_starts=np.array(starts),
        machine_ids=np.array(ids, dtype=np.intp),
        coefficients=np.concatenate(parts),
        biases=records["bias"].copy(),
        pairs=machines.pairs,
        n_classes=machines.n_classes,
        n_training_rows=X.shape[0],
        records=records.copy(),
    )
