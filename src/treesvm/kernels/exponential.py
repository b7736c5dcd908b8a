"""exp(-t) - 1 for arrays, in a form that compiles to vector instructions.

NumPy's float64 `expm1` works one number at a time on processors without AVX-512.  With
t = k ln 2 - r and |r| <= ln 2 / 2, exp(-t) - 1 = 2^-k (exp(r) - 1) + (2^-k - 1), where
exp(r) - 1 is a short polynomial.
"""

import numpy as np

from treesvm.kernels.compiling import compiled, inner

_LOG2E = 1.4426950408889634
_LN2_HIGH = 0.693147180369123816490
_LN2_LOW = 1.90821492927058770002e-10
_LARGEST = 700.0  # exp(-700) - 1 is -1 to the last bit
# Below this value of t a Taylor series of exp(-t) - 1 is exact to float32 and keeps its
# leading digits, which exp(-t) - 1 computed as written loses.
_SERIES_REACH = 0.5
_CHUNK = 1024  # scratch that stays in the first level cache
_FEW = 2**18  # numbers that nothing needs to be compiled for: some milliseconds


def exp_minus_one(t):
    """Return exp(-t) - 1 in place, for a C-contiguous float64 array of t >= 0."""
    if t.size <= _FEW:
        return np.expm1(np.negative(t, out=t), out=t)
    exp_minus_one_in_place(t.reshape(-1))
    return t


@compiled
def exp_minus_one_in_place(t):
    """Replace `t` by exp(-t) - 1, chunk by chunk."""
    power = np.empty(_CHUNK)
    bits = power.view(np.int64)
    for start in range(0, len(t), _CHUNK):
        _chunk(t[start : start + _CHUNK], power, bits)


@inner
def _chunk(t, power, bits):
    """One chunk; `bits` is the memory of `power` as integers."""
    for i in range(t.shape[0]):
        x = min(t[i], _LARGEST)
        k = np.int32(x * _LOG2E + 0.5)
        bits[i] = np.int64(1023 - k) << 52
        r = np.float64(k) * _LN2_HIGH - x + np.float64(k) * _LN2_LOW
        t[i] = r
    for i in range(t.shape[0]):
        r = t[i]
        s = 1.0 + r * (1.0 / 13.0)
        s = 1.0 + r * (1.0 / 12.0) * s
        s = 1.0 + r * (1.0 / 11.0) * s
        s = 1.0 + r * (1.0 / 10.0) * s
        s = 1.0 + r * (1.0 / 9.0) * s
        s = 1.0 + r * (1.0 / 8.0) * s
        s = 1.0 + r * (1.0 / 7.0) * s
        s = 1.0 + r * (1.0 / 6.0) * s
        s = 1.0 + r * (1.0 / 5.0) * s
        s = 1.0 + r * (1.0 / 4.0) * s
        s = 1.0 + r * (1.0 / 3.0) * s
        s = 1.0 + r * (1.0 / 2.0) * s
        t[i] = power[i] * (r * s) + (power[i] - 1.0)


def exp_minus_one_float32(distances, gamma, out):
    """Write exp(-gamma d) - 1 to `out`, all float32."""
    largest = float(distances.max(initial=0.0)) if distances.size else 0.0
    if gamma * largest <= _SERIES_REACH:
        _series(distances.reshape(-1), np.float32(gamma), out.reshape(-1))
        return out
    np.multiply(distances, np.float32(-gamma), out=out)
    np.exp(out, out=out)
    out -= np.float32(1)
    return out


@compiled
def _series(distances, gamma, out):
    """exp(-t) - 1 by its series to t^7, for t <= 1/2."""
    one = np.float32(1.0)
    for k in range(distances.shape[0]):
        t = gamma * distances[k]
        s = one - t * np.float32(1.0 / 7.0)
        s = one - t * np.float32(1.0 / 6.0) * s
        s = one - t * np.float32(1.0 / 5.0) * s
        s = one - t * np.float32(1.0 / 4.0) * s
        s = one - t * np.float32(1.0 / 3.0) * s
        s = one - t * np.float32(1.0 / 2.0) * s
        out[k] = -t * s
