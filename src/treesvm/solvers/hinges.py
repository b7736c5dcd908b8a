"""The three hinge errors of SVM-Maj, as functions of the margin m = y q.

    absolute    h(m) = max(0, 1 - m)
    quadratic   h(m) = max(0, 1 - m)^2
    huber       h(m) = 0                       if m >= 1
                       (1 - m)^2 / (2 (k + 1)) if -k <= m <= 1
                       1 - m - (k + 1) / 2     if m <= -k          with k > -1

Each lies below the parabola a m^2 - 2 b m + const that touches it at the current m
(Groenen, Nalbantov and Bioch, Advances in Data Analysis and Classification 2, 2008).
Because 2 (a m - b) = h'(m) there, the curvature a and the slope h'(m) say everything:
a = 1 for the quadratic and a = 1 / (2 (k + 1)) for the Huber hinge, whatever m is;
for the absolute hinge a = 1 / (4 max(|1 - m|, FLOOR)) with b = a + 1/4.

The conjugate gives the dual: -h*(-u) = u - bend u^2 for 0 <= u <= top.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

# Floors |1 - m| of the absolute hinge: the parabola then misses it by at most FLOOR/4,
# which is all by which a step of majorization may raise the loss for each unit weight.
FLOOR = 1e-8


class Hinge(NamedTuple):
    """One hinge error as numbers, so that compiled code reads all three alike.

    With z = 1 - m > 0 the error is the parabola z^2 / (2 knee) up to z = knee and the
    line z - knee / 2 beyond. The quadratic hinge, z^2, has an infinite knee.
    """

    knee: float  # 0 for the absolute, k + 1 for Huber, infinity for the quadratic hinge
    curvature: float  # a, or NaN where it depends on m

    @property
    def is_smooth(self):
        """Whether one curvature majorizes everywhere."""
        return self.knee > 0.0

    @property
    def top(self):
        """Largest dual variable of a row of weight one."""
        return np.inf if np.isinf(self.knee) else 1.0

    @property
    def bend(self):
        """Coefficient of u^2 in the dual objective."""
        return 0.25 if np.isinf(self.knee) else 0.5 * self.knee


def find_hinge(name, huber_k=0.0):
    """Return the hinge called "absolute", "quadratic" or "huber".

    Parameters
    ----------
    name : str
    huber_k : float above -1
        Where the Huber hinge becomes linear (at m = -k); near -1 it is the absolute
        hinge. The others do not read it.
    """
    if name == "absolute":
        return Hinge(0.0, np.nan)
    if name == "quadratic":
        return Hinge(np.inf, 1.0)
    if name != "huber":
        raise ValueError(
            f"hinge={name!r} is not known; use 'absolute', 'quadratic' or 'huber'."
        )
    if not (huber_k > -1.0 and np.isfinite(huber_k)):
        raise ValueError(
            f"huber_k={huber_k!r} is not possible; use a finite number above -1, or "
            "hinge='absolute' for its limit at -1."
        )
    return Hinge(huber_k + 1.0, 0.5 / (huber_k + 1.0))


@njit(cache=True, nogil=True)
def error_of(m, knee):
    """Return h(m)."""
    z = 1.0 - m
    if z <= 0.0:
        return 0.0
    if np.isinf(knee):
        return z * z
    return z * z / (2.0 * knee) if z < knee else z - 0.5 * knee


@njit(cache=True, nogil=True)
def slope_of(m, knee):
    """Return -h'(m), which is never negative; 1 at the kink of the absolute hinge."""
    z = 1.0 - m
    if z <= 0.0:
        return 0.0
    if np.isinf(knee):
        return 2.0 * z
    return z / knee if z < knee else 1.0


@njit(cache=True, nogil=True)
def bend_of(m, knee):
    """Return h''(m), 0 where the hinge is flat or straight."""
    z = 1.0 - m
    if z <= 0.0 or z >= knee:
        return 0.0
    return 2.0 if np.isinf(knee) else 1.0 / knee


@njit(cache=True, nogil=True)
def total_error(q, y, weight, knee):
    """Return the weighted sum of hinge errors of predictions q."""
    total = 0.0
    for i in range(len(q)):
        total += weight[i] * error_of(y[i] * q[i], knee)
    return total


@njit(cache=True, nogil=True)
def slopes_of(margin, knee):
    """Return -h'(m) of each margin."""
    out = np.empty(len(margin))
    for i in range(len(margin)):
        out[i] = slope_of(margin[i], knee)
    return out
