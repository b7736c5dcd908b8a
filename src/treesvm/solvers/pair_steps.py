"""The inner loop of `smo`: choose the pair that gains most, move it, again.

The pair is chosen by the second order rule of Fan, Chen and Lin (JMLR 6, 2005).
Symbols are those of `smo`: ``F`` is the gradient K beta - p; a row can *rise* while
beta < upper and *fall* while beta > lower.
"""

import numpy as np

from treesvm.kernels.compiling import compiled, inner

# Rows are compared in blocks of this many: short enough that looking up the winner's
# index inside its block costs nothing, and not so short that the compiler unrolls the
# loop over a block instead of using vector instructions: with 64 a step takes twice as
# long.
_BLOCK = 128
_LAST = np.int32(2147483647)
_BARRED = np.float32(1e30)  # added to the F of a row that cannot rise
_ZERO = np.float32(0.0)
_TWO = np.float32(2.0)
_FLAT = np.float32(1e-12)  # curvature floor: K is only positive semi-definite


def step_memory(n):
    """Allocate six float32 arrays for `pair_steps`; return them with their bits."""
    values = np.empty((6, -(-n // _BLOCK) * _BLOCK), np.float32)
    return values, values.view(np.int32)


@compiled(error_model="numpy")
def pair_steps(K, lower, upper, beta, F, tol, max_iter, values, bits):
    """Move pairs until the violation is at most `tol`; update `beta` and `F`.

    `values` and `bits` are the `step_memory` of at least as many rows.  The loops over
    t are written one operation each, without reductions, because that is the form the
    compiler turns into vector instructions.  A step that is not finite, or too small to
    change anything, is the last one: whatever the numbers, no index leaves the rows.
    """
    n = F.shape[0]
    if n == 0:
        return 0
    n_blocks = -(-n // _BLOCK)
    rising = values[0]  # F where it can rise
    drop = values[1]  # F_t - F_i where t can fall
    gain = values[2]
    rising_bits, drop_bits, gain_bits = bits[0], bits[1], bits[2]
    bar, fall, diag = values[3], values[4], values[5]
    # Rows beyond the last one: a comparison with NaN may find them.
    for t in range(n, n_blocks * _BLOCK):
        rising[t] = _BARRED
        bar[t] = _BARRED
        drop[t] = _ZERO
        gain[t] = _ZERO
    for t in range(n):
        bar[t] = _ZERO if beta[t] < upper[t] else _BARRED
        fall[t] = 1.0 if beta[t] > lower[t] else 0.0
        diag[t] = K[t, t]
        rising[t] = np.float32(F[t]) + bar[t]
    for n_iter in range(max_iter):
        i = _argmin(rising_bits, n_blocks)
        if bar[i] > _ZERO:  # no row can rise: one side has no weight
            return n_iter
        K_i, F_i, k_ii = K[i], F[i], diag[i]
        for t in range(n):
            drop[t] = np.float32(F[t] - F_i) * fall[t]
        for t in range(n):
            d = max(drop[t], _ZERO)
            gain[t] = d * d / max(k_ii + diag[t] - _TWO * K_i[t], _FLAT)
        j = _argmax(gain_bits, n_blocks)
        if (drop[j] <= tol and drop[_argmax(drop_bits, n_blocks)] <= tol) or j >= n:
            return n_iter
        K_j = K[j]
        curvature = max(np.float64(k_ii) + diag[j] - 2.0 * K_i[j], 1e-12)
        step = (F[j] - F_i) / curvature
        step = min(step, upper[i] - beta[i], beta[j] - lower[j])
        rest_i, rest_j = beta[i], beta[j]
        beta[i] = min(rest_i + step, upper[i])
        beta[j] = max(rest_j - step, lower[j])
        if (beta[i] == rest_i and beta[j] == rest_j) or not 0.0 < step < np.inf:
            beta[i], beta[j] = rest_i, rest_j
            return n_iter
        bar[i] = _ZERO if beta[i] < upper[i] else _BARRED
        fall[i] = 1.0 if beta[i] > lower[i] else 0.0
        bar[j] = _ZERO if beta[j] < upper[j] else _BARRED
        fall[j] = 1.0 if beta[j] > lower[j] else 0.0
        for t in range(n):
            f = F[t] + step * (K_i[t] - K_j[t])
            F[t] = f
            rising[t] = np.float32(f) + bar[t]
    return max_iter


@inner
def _argmax(bits, n_blocks):
    """Index of the largest value; non-negative floats are ordered like their bits."""
    best, where = np.int32(-1), 0
    for s in range(n_blocks):
        block = bits[s * _BLOCK : (s + 1) * _BLOCK]
        m = np.int32(0)
        for t in range(_BLOCK):
            v = block[t]
            m = v if v > m else m
        if m > best:
            best, where = m, s
    block = bits[where * _BLOCK : (where + 1) * _BLOCK]
    for t in range(_BLOCK):
        if block[t] >= best:
            return where * _BLOCK + t
    return 0


@inner
def _argmin(bits, n_blocks):
    """Index of the smallest float of any sign, by its order-preserving integer."""
    best, where = _LAST, 0
    for s in range(n_blocks):
        block = bits[s * _BLOCK : (s + 1) * _BLOCK]
        m = _LAST
        for t in range(_BLOCK):
            m = np.int32(min(m, _ordered(block[t])))
        if m < best:
            best, where = m, s
    block = bits[where * _BLOCK : (where + 1) * _BLOCK]
    for t in range(_BLOCK):
        if _ordered(block[t]) == best:
            return where * _BLOCK + t
    return 0


@inner
def _ordered(b):
    """Map float32 bits to an int32 with the order of the floats."""
    return np.int32(b ^ np.int32(np.int32(b >> np.int32(31)) & _LAST))
