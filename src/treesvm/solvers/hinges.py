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

from treesvm.kernels.compiling import compiled

# Floors |1 - m| of the absolute hinge: the parabola then misses it by at most FLOOR/4,
# which is all by which a step of majorization may raise the loss for each unit weight.
FLOOR = 1e-8

_KINK = 2.0**-600  # the knee of the absolute hinge; a power of two, so 1 / it is exact

# Sums may run in vector lanes: they are finite, and their last bits do not matter.
_FAST_SUM = {"reassoc", "contract"}


class Hinge(NamedTuple):
    """One hinge error as two numbers, so that compiled code reads all three alike.

    With z = max(0, 1 - m) and t = min(z, knee) it is ``steep * t * (z - t / 2)``: a
    parabola up to z = knee and a line of slope steep * knee beyond. The quadratic hinge
    has an infinite knee; that of the absolute hinge is so small that z - t / 2 rounds
    to z.
    """

    knee: float
    steep: float

    @property
    def is_smooth(self):
        """Whether one curvature majorizes everywhere."""
        return self.knee > _KINK

    @property
    def curvature(self):
        """The a of the majorizing parabola of a smooth hinge."""
        return 0.5 * self.steep

    @property
    def top(self):
        """Largest dual variable of a row of weight one."""
        return self.steep * self.knee

    @property
    def bend(self):
        """Coefficient of u^2 in the dual objective."""
        return 0.5 / self.steep


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
        return Hinge(_KINK, 1.0 / _KINK)
    if name == "quadratic":
        return Hinge(np.inf, 2.0)
    if name != "huber":
        raise ValueError(
            f"hinge={name!r} is not known; use 'absolute', 'quadratic' or 'huber'."
        )
    if not (huber_k > -1.0 and np.isfinite(huber_k)):
        raise ValueError(
            f"huber_k={huber_k!r} is not possible; use a finite number above -1, or "
            "hinge='absolute' for its limit at -1."
        )
    return Hinge(huber_k + 1.0, 1.0 / (huber_k + 1.0))


@compiled
def error_of(m, knee, steep):
    """Return h(m)."""
    z = max(0.0, 1.0 - m)
    t = min(z, knee)
    return steep * t * (z - 0.5 * t)


@compiled
def slope_of(m, knee, steep):
    """Return -h'(m), which is never negative; 0 at the kink of the absolute hinge."""
    return steep * min(max(0.0, 1.0 - m), knee)


@compiled
def bend_of(m, knee, steep):
    """Return h''(m), 0 where the hinge is flat or straight."""
    z = 1.0 - m
    return steep if 0.0 < z < knee else 0.0


@compiled(fastmath=_FAST_SUM)
def total_error(q, y, weight, knee, steep):
    """Return the weighted sum of hinge errors of predictions q."""
    total = 0.0
    for i in range(len(q)):
        total += weight[i] * error_of(y[i] * q[i], knee, steep)
    return total


@compiled(fastmath=_FAST_SUM)
def slope_along(q, shove, length, y, weight, knee, steep):
    """Return both derivatives by `length` of the error of q + length * shove."""
    slope, curve = 0.0, 0.0
    for i in range(len(q)):
        m, dm = y[i] * (q[i] + length * shove[i]), y[i] * shove[i]
        slope -= weight[i] * slope_of(m, knee, steep) * dm
        curve += weight[i] * bend_of(m, knee, steep) * dm * dm
    return slope, curve


@compiled
def slopes_of(margin, knee, steep):
    """Return -h'(m) of each margin."""
    out = np.empty(len(margin))
    for i in range(len(margin)):
        out[i] = slope_of(margin[i], knee, steep)
    return out
