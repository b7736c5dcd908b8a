"""What the inner loops reach of the machine's arithmetic and bandwidth, one thread.

The yardsticks are measured in the same run: matrix products of BLAS for arithmetic,
additions of arrays for bandwidth, once in the second level cache and once in memory.
"""

import numpy as np

from benchmarks.records import CaseResult
from benchmarks.timing import measure
from treesvm import KernelSVC
from treesvm.kernels.kernel import resolve_kernel
from treesvm.solvers.pair_steps import pair_steps, step_memory

ROWS, FEATURES, VECTORS, QUERIES = 1_500, 54, 1_000, 20_000
# Bytes that one pair step reads and writes for each row: two kernel rows (one of them
# twice), and F and the working arrays in six loops.
STEP_BYTES = 84


def roofline_case(context):
    """Gram matrix, pair steps and a batch of predictions beside the yardsticks."""
    context.start_ours()
    rng = np.random.default_rng(0)
    X = rng.random((ROWS, FEATURES))
    y = np.where(np.sin(9.0 * X[:, 0]) + X[:, 1] > 1.0, 1.0, -1.0)
    products = {np.float32: _product(context, np.float32)}
    products[np.float64] = _product(context, np.float64)
    cached, streamed = _additions(context, 2**16), _additions(context, 2**25)
    rows = [
        _row("Gram matrix", "GFlop/s", _gram(context, X), products[np.float64]),
        _row("pair steps", "GB/s", _steps(context, X, y), cached),
        _row("batch", "GFlop/s", _batch(context, X, y), products[np.float32]),
    ]
    yardsticks = [
        {"yardstick": "sgemm, GFlop/s", "reached": products[np.float32]},
        {"yardstick": "dgemm, GFlop/s", "reached": products[np.float64]},
        {"yardstick": "a += b in cache, GB/s", "reached": cached},
        {"yardstick": "a += b in memory, GB/s", "reached": streamed},
    ]
    return CaseResult(
        tables={"What this machine can do": yardsticks, "What is reached": rows}
    )


def _row(work, unit, reached, possible):
    share = 100 * reached / possible
    return {"work": work, "unit": unit, "reached": reached, "% of yardstick": share}


def _rate(context, amount, work):
    """`amount` per nanosecond of the fastest call."""
    timing = measure(work, repeat=5 * context.repeat, warm_up=work)
    return amount / timing.seconds / 1e9


def _product(context, dtype):
    A = np.ones((1_024, 1_024), dtype)
    return _rate(context, 2 * 1_024**3, lambda: A @ A)


def _additions(context, n):
    """Bytes of ``a += b``, repeated so that the call itself costs nothing."""
    a, b = np.zeros(n, np.float32), np.ones(n, np.float32)
    n_calls = max(1, 2**26 // n)

    def add():
        for _ in range(n_calls):
            np.add(a, b, out=a)

    return _rate(context, 12 * n * n_calls, add)


def _gram(context, X):
    """Half a matrix product, then n^2 exponentials that are not counted."""
    kernel = resolve_kernel("rbf", gamma=1.0, degree=3, coef0=0.0, X=X)
    flops = len(X) ** 2 * X.shape[1]
    return _rate(context, flops, lambda: kernel.gram(X).matrix(kernel, is_last=True))


def _steps(context, X, y):
    """Pair steps from zero."""
    kernel = resolve_kernel("rbf", gamma=1.0, degree=3, coef0=0.0, X=X)
    K, n_steps = kernel.gram(X).matrix(kernel, is_last=True), 2_000
    lower, upper = np.minimum(0.0, 1e5 * y), np.maximum(0.0, 1e5 * y)
    memory = step_memory(len(y))

    def steps():
        return pair_steps(K, lower, upper, np.zeros(len(y)), -y, 1e-9, n_steps, *memory)

    return _rate(context, STEP_BYTES * len(y) * steps(), steps)


def _batch(context, X, y):
    """A product with the vectors, an exponential, a product with the coefficients."""
    machine = KernelSVC(C=1e4, gamma=1.0).fit(X[:VECTORS], y[:VECTORS]).machine_
    queries = np.random.default_rng(1).random((QUERIES, FEATURES)).astype(np.float32)
    flops = 2 * QUERIES * machine.n_vectors * (FEATURES + 3)
    return _rate(context, flops, lambda: machine.reliable_decisions(queries))
