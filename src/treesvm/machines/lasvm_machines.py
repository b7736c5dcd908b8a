"""The binary machines of a multi-class problem, learnt online and put together."""

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse

from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.kernels.families import Kernel
from treesvm.machines.kernel_machine import KernelMachine
from treesvm.machines.layout import ClassLayout
from treesvm.machines.path import RECORD
from treesvm.solvers.lasvm import OnlineMachine

_WAITING_ROWS = 5  # of each class, in a machine that knows one class only


@dataclass(frozen=True)
class OnlineOptions:
    """How rows are learnt.

    Attributes
    ----------
    kernel : Kernel
    C : float
    layout : ClassLayout
        Of all classes.
    epochs : int
        Most passes over the rows.
    finish : bool
        Whether each pass ends with a finishing one.
    tol : float
    max_steps : int or None
        Cap on the steps of a finishing pass.
    max_bytes : int
        Budget of cached kernel rows, of all threads together.
    n_jobs : int or None
        Threads over the machines.
    """

    kernel: Kernel
    C: float
    layout: ClassLayout
    epochs: int = 1
    finish: bool = True
    tol: float = 1e-3
    max_steps: int | None = None
    max_bytes: int = 500 * 2**20
    n_jobs: int | None = None


@dataclass(frozen=True)
class StreamedRows:
    """Labelled rows; `serials` number them over all calls."""

    X: object
    codes: np.ndarray
    weight: np.ndarray
    serials: np.ndarray

    def __add__(self, other):
        stack = sparse.vstack if sparse.issparse(self.X) else np.concatenate
        X = stack([self.X, other.X])
        return StreamedRows(
            X.tocsr() if sparse.issparse(X) else X,
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.serials, other.serials]),
        )


def learn_online(rows, options, rng, *, kept=None, machine=None, on_rows=None):
    """Learn rows one after the other, from nothing or on top of a machine.

    Parameters
    ----------
    rows : Rows
        New rows.
    options : OnlineOptions
    rng : RandomState
        Draws the order of the rows in each pass.
    kept : Rows, optional
        Support vectors of `machine`, in its order.
    machine : KernelMachine, optional
        What was learnt before.
    on_rows : callable, optional
        Called with the number of rows after each block, for each machine.

    Returns
    -------
    KernelMachine
        Its `support` holds serial numbers.
    weight : ndarray of shape (n_vectors,)
        Of its support vectors.
    """
    n_kept = 0 if kept is None else len(kept.codes)
    everything = rows if n_kept == 0 else kept + rows
    block = options.kernel.row_block(everything.X)
    orders = [n_kept + rng.permutation(len(rows.codes)) for _ in range(options.epochs)]
    pairs = options.layout.pairs
    old = machine.coefficient_matrix if n_kept else None
    n_workers = min(effective_n_jobs(options.n_jobs), len(pairs))

    def learn(m):
        online = OnlineMachine(
            block,
            len(everything.codes),
            tol=options.tol,
            max_bytes=options.max_bytes // n_workers,
        )
        coefficients = None if old is None else old[:, m]
        return _learn_machine(
            online, everything, options, pairs[m], orders, coefficients, on_rows
        )

    with one_blas_thread(n_workers > 1):
        expansions = Parallel(n_jobs=n_workers, require="sharedmem")(
            delayed(learn)(m) for m in range(len(pairs))
        )
    return _assembled(everything, options, expansions)


def _learn_machine(online, rows, options, pair, orders, coefficients, on_rows):
    """Run the passes of one machine; return its expansion."""
    is_member = (
        np.isin(rows.codes, pair) if pair[1] >= 0 else np.ones(len(rows.codes), bool)
    )
    signs = np.where(rows.codes == pair[0], 1.0, -1.0)
    sizes = options.C * rows.weight
    if coefficients is not None:
        old = np.flatnonzero(coefficients)
        if len(old) == 0:  # one class so far: its first rows wait for the other
            old = _first_of_each(signs[: len(coefficients)], is_member)
        online.resume(old, coefficients[old], signs[old], sizes[old])
    for order in orders:
        own = order[is_member[order]]
        n_before = online.n_inserted
        online.learn(own, signs[own], sizes[own], on_rows)
        if options.finish:
            online.finish(options.max_steps)
        if online.n_inserted == n_before:  # no row violates anything any more
            break
    return online.expansion()


def _first_of_each(signs, is_member):
    """A few rows of either sign that take part in a machine."""
    own = np.flatnonzero(is_member[: len(signs)])
    parts = [own[signs[own] == sign][:_WAITING_ROWS] for sign in (-1.0, 1.0)]
    return np.concatenate(parts)


def _assembled(rows, options, expansions):
    """Put the machines together over the support vectors that they share."""
    pairs, ids = options.layout
    n_classes = len(ids)
    used = np.unique(np.concatenate([part.rows for part in expansions])).astype(np.intp)
    used = used[np.lexsort((rows.serials[used], rows.codes[used]))]
    place = np.full(len(rows.codes), -1)
    place[used] = np.arange(len(used))
    W = np.zeros((len(used), len(pairs)))
    records = np.zeros(len(pairs), RECORD)
    for m, part in enumerate(expansions):
        W[place[part.rows], m] = part.coefficients
        for name in ("bias", "violation", "gap", "norm", "converged"):
            records[name][m] = getattr(part, name)
        records["n_iter"][m] = part.n_steps
    machine = KernelMachine(
        kernel=options.kernel,
        vectors=rows.X[used],
        support=rows.serials[used],
        class_starts=np.searchsorted(rows.codes[used], np.arange(n_classes + 1)),
        machine_ids=ids,
        coefficients=np.take_along_axis(W, ids[rows.codes[used]], axis=1),
        biases=records["bias"].copy(),
        pairs=pairs,
        n_classes=n_classes,
        n_training_rows=int(rows.serials.max()) + 1,
        records=records,
    )
    return machine, rows.weight[used]
