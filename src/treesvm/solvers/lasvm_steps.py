"""PROCESS and REPROCESS, the two steps of LASVM, on a pool of slots.

The problem is that of `smo`: signed coefficients ``beta`` in a box [lower, upper] and
their gradient ``F = K beta - y``; beta is optimal when no row that can rise has a
smaller F than a row that can fall. Only the rows in the pool take part. A free slot has
the box [0, 0], so it can neither rise nor fall and needs no test.

Kernel rows of pool members lie in ``store``, one column for each slot, as many as the
budget allows, the least recently used ones leaving first. A step that needs a row which
is not there returns its slot; the caller puts the row into the store and calls again,
and the same step is chosen again, because nothing else has changed.
"""

from typing import NamedTuple

import numpy as np

from treesvm.kernels.compiling import compiled

N_SLOTS, N_FREE, N_MEMBERS, CLOCK, N_STEPS, N_INSERTED, N_SHOWN = range(7)
READY = -1  # no kernel row is missing
_SEEDS = 10  # rows taken in before there is a pair of classes to move
# A pool that has outgrown its cache: only at every so-manieth row a step may ask for a
# kernel row that is not cached; the steps between take pairs that are.
_FETCH_EVERY = 64
_FLAT = 1e-12  # curvature floor: K is only positive semi-definite


class Pool(NamedTuple):
    """Members of the expansion by slot, and the cache of their kernel rows."""

    beta: np.ndarray  # (capacity,)
    F: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    diagonal: np.ndarray  # k(x, x)
    owner: np.ndarray  # row in the slot, -1 if free
    free: np.ndarray  # stack of slots that were freed
    store: np.ndarray  # (n_cached, capacity) float32
    slot_in: np.ndarray  # (n_cached,) slot whose row is there, -1 if none
    place_of: np.ndarray  # (capacity,) where a slot's row is, -1 if nowhere
    last_use: np.ndarray  # (n_cached,)
    counters: np.ndarray  # see the names above


@compiled
def learn_block(pool, K, own, rows, signs, sizes, slot_of, t, is_processed, tau):
    """Show a block of rows to the machine, beginning with number t.

    Parameters
    ----------
    pool : Pool
        With a slot to spare for every row of the block.
    K : ndarray of shape (n_block, capacity), float32
        Kernel of the block's rows with the pool; columns of new members are added.
    own : ndarray of shape (n_block, n_block), float32
        Kernel of the block's rows with each other.
    rows, signs, sizes : ndarray of shape (n_block,)
        Row numbers, labels -1 and +1, box sizes C * weight.
    slot_of : ndarray
        Slot of each row, -1 outside the pool.
    t, is_processed
        Where to go on.
    tau : float

    Returns
    -------
    t, is_processed, missing
        `missing` is a slot whose kernel row is wanted, READY at the end of the block.
    """
    while t < len(rows):
        is_short = pool.counters[N_MEMBERS] > len(pool.slot_in)
        may_fetch = not is_short or pool.counters[N_SHOWN] % _FETCH_EVERY == 0
        if not is_processed:
            missing = _process(
                pool, K, own, t, rows[t], signs[t], sizes[t], slot_of, tau, may_fetch
            )
            if missing != READY:
                return t, False, missing
        missing = _reprocess(pool, tau, may_fetch)
        if missing != READY:
            return t, True, missing
        if may_fetch:  # in a large pool from time to time is enough
            _drop_idle(pool, slot_of)
        pool.counters[N_SHOWN] += 1
        is_processed = False
        t += 1
    return t, False, READY


@compiled
def finish_steps(pool, tau, max_steps):
    """REPROCESS until the pool is solved; return a missing slot, or READY."""
    while pool.counters[N_STEPS] < max_steps:
        before = pool.counters[N_STEPS]
        missing = _reprocess(pool, tau, True)
        if missing != READY:
            return missing
        if pool.counters[N_STEPS] == before:
            break
    return READY


@compiled
def put_row(pool, slot, values):
    """Put the kernel row of a slot into the store, over the least recently used."""
    place = pool.last_use.argmin()
    old = pool.slot_in[place]
    if old >= 0:
        pool.place_of[old] = -1
    pool.slot_in[place] = slot
    pool.place_of[slot] = place
    pool.store[place, : len(values)] = values
    _touch(pool, slot)


@compiled
def _touch(pool, slot):
    """Note that the cached row of a slot is in use."""
    pool.counters[CLOCK] += 1
    pool.last_use[pool.place_of[slot]] = pool.counters[CLOCK]


@compiled
def _process(pool, K, own, t, row, sign, size, slot_of, tau, may_fetch):
    """Take a new row in if it violates the conditions; return a missing slot."""
    if slot_of[row] >= 0:
        return READY
    n = pool.counters[N_SLOTS]
    f = -sign
    for s in range(n):
        f += pool.beta[s] * K[t, s]
    rising, falling = _extremes(pool, n)
    partner = falling if sign > 0 else rising
    if partner < 0:
        if pool.counters[N_MEMBERS] < _SEEDS:
            _insert(pool, K, own, t, row, sign, size, f, slot_of)
        return READY
    if sign * (pool.F[partner] - f) <= tau:
        return READY
    if pool.place_of[partner] < 0:
        if may_fetch:
            return partner
        rising, falling = _cached_extremes(pool)
        partner = falling if sign > 0 else rising
    if partner >= 0:
        _touch(pool, partner)
    slot = _insert(pool, K, own, t, row, sign, size, f, slot_of)
    if partner >= 0 and sign * (pool.F[partner] - f) > 0.0:
        if sign > 0:
            _step(pool, slot, partner)
        else:
            _step(pool, partner, slot)
    return READY


@compiled
def _insert(pool, K, own, t, row, sign, size, f, slot_of):
    """Give a new row a slot, with its column in every cached row; return the slot."""
    counters = pool.counters
    if counters[N_FREE] > 0:
        counters[N_FREE] -= 1
        slot = pool.free[counters[N_FREE]]
    else:
        slot = counters[N_SLOTS]
        counters[N_SLOTS] += 1
    counters[N_MEMBERS] += 1
    counters[N_INSERTED] += 1
    pool.beta[slot], pool.F[slot] = 0.0, f
    pool.lower[slot] = 0.0 if sign > 0 else -size
    pool.upper[slot] = size if sign > 0 else 0.0
    pool.diagonal[slot] = own[t, t]
    pool.owner[slot], slot_of[row] = row, slot
    for u in range(t, K.shape[0]):
        K[u, slot] = own[u, t]
    for place in range(len(pool.slot_in)):
        if pool.slot_in[place] >= 0:
            pool.store[place, slot] = K[t, pool.slot_in[place]]
    put_row(pool, slot, K[t, : counters[N_SLOTS]])
    return slot


@compiled
def _reprocess(pool, tau, may_fetch):
    """Move the most violating pair of the pool; return a missing slot, or READY."""
    n = pool.counters[N_SLOTS]
    rising, falling = _extremes(pool, n) if may_fetch else _cached_extremes(pool)
    if rising < 0 or falling < 0 or pool.F[falling] - pool.F[rising] <= tau:
        return READY
    if pool.place_of[rising] < 0:
        return rising
    _touch(pool, rising)
    if may_fetch:
        falling = _second_order(pool, rising, n)
        if falling < 0:  # F is not finite any more
            return READY
        if pool.place_of[falling] < 0:
            return falling
    _touch(pool, falling)
    _step(pool, rising, falling)
    return READY


@compiled
def _extremes(pool, n):
    """Return the slot with the smallest F that can rise, the largest that can fall."""
    beta, F, lower, upper = pool.beta, pool.F, pool.lower, pool.upper
    rising, falling = -1, -1
    least, most = np.inf, -np.inf
    for s in range(n):
        if beta[s] < upper[s] and F[s] < least:
            rising, least = s, F[s]
        if beta[s] > lower[s] and F[s] > most:
            falling, most = s, F[s]
    return rising, falling


@compiled
def _cached_extremes(pool):
    """The same among the slots whose kernel rows are in the store."""
    rising, falling = -1, -1
    least, most = np.inf, -np.inf
    for s in pool.slot_in:
        if s < 0:
            continue
        if pool.beta[s] < pool.upper[s] and pool.F[s] < least:
            rising, least = s, pool.F[s]
        if pool.beta[s] > pool.lower[s] and pool.F[s] > most:
            falling, most = s, pool.F[s]
    return rising, falling


@compiled
def _second_order(pool, i, n):
    """Return the falling slot whose pair with i gains most (Fan, Chen and Lin 2005)."""
    row = pool.store[pool.place_of[i]]
    best, best_gain = -1, -1.0
    for s in range(n):
        ahead = pool.F[s] - pool.F[i]
        if ahead > 0.0 and pool.beta[s] > pool.lower[s]:
            curve = pool.diagonal[i] + pool.diagonal[s] - 2.0 * row[s]
            gain = ahead * ahead / max(curve, _FLAT)
            if gain > best_gain:
                best, best_gain = s, gain
    return best


@compiled
def _step(pool, i, j):
    """Raise i and lower j by the best step that the box allows.

    One that rounding swallows, or that is not finite, is not made and not counted.
    """
    row_i, row_j = pool.store[pool.place_of[i]], pool.store[pool.place_of[j]]
    curve = pool.diagonal[i] + pool.diagonal[j] - 2.0 * row_i[j]
    step = (pool.F[j] - pool.F[i]) / max(curve, _FLAT)
    if not step < np.inf:
        return
    rest_i, rest_j = pool.beta[i], pool.beta[j]
    room_i, room_j = pool.upper[i] - rest_i, rest_j - pool.lower[j]
    # At a bound the value is set, not added to: a rounding error would be no bound.
    if step >= room_i and room_i <= room_j:
        step = room_i
        pool.beta[i] = pool.upper[i]
        pool.beta[j] = pool.beta[j] - step if room_j > room_i else pool.lower[j]
    elif step >= room_j:
        step = room_j
        pool.beta[i] += step
        pool.beta[j] = pool.lower[j]
    else:
        pool.beta[i] += step
        pool.beta[j] -= step
    if pool.beta[i] == rest_i and pool.beta[j] == rest_j:
        return
    for s in range(pool.counters[N_SLOTS]):
        pool.F[s] += step * (np.float64(row_i[s]) - np.float64(row_j[s]))
    pool.counters[N_STEPS] += 1


@compiled
def _drop_idle(pool, slot_of):
    """Free the slots of rows without a coefficient that no pair would move."""
    n = pool.counters[N_SLOTS]
    rising, falling = _extremes(pool, n)
    if rising < 0 or falling < 0:
        return
    least, most = pool.F[rising], pool.F[falling]
    for s in range(n):
        if pool.owner[s] < 0 or pool.beta[s] != 0.0:
            continue
        is_idle = pool.F[s] >= most if pool.upper[s] > 0.0 else pool.F[s] <= least
        if is_idle:
            _free_slot(pool, s, slot_of)


@compiled
def _free_slot(pool, slot, slot_of):
    """Take a row out of the pool."""
    counters = pool.counters
    slot_of[pool.owner[slot]] = -1
    pool.owner[slot] = -1
    pool.lower[slot] = pool.upper[slot] = pool.F[slot] = 0.0
    pool.free[counters[N_FREE]] = slot
    counters[N_FREE] += 1
    counters[N_MEMBERS] -= 1
    place = pool.place_of[slot]
    if place >= 0:
        pool.slot_in[place] = -1
        pool.last_use[place] = 0
        pool.place_of[slot] = -1
