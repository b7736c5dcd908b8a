"""What the labels and weights of all blocks say together, from one pass over them."""

from typing import NamedTuple

import numpy as np
from dask import delayed
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from treesvm.inputs.training_rows import (
    check_class_masses,
    check_labels,
    check_two_classes,
    check_weight_range,
    class_factors,
)


class BlockCounts(NamedTuple):
    """What one block says; everything but `n_rows` by its own labels."""

    n_rows: int
    labels: np.ndarray
    counts: np.ndarray
    positives: np.ndarray  # rows with a weight above zero
    masses: np.ndarray
    lows: np.ndarray  # smallest weight above zero, infinite without one
    highs: np.ndarray
    lowest: float  # of all weights


class LabelSummary(NamedTuple):
    """What all blocks say."""

    classes: np.ndarray
    factors: np.ndarray  # that class_weight multiplies weights by
    block_rows: np.ndarray  # rows of each block as given
    kept_rows: np.ndarray  # rows of each block with weight
    has_weight: bool  # whether any row weighs other than one
    is_weighted: bool  # whether weights differ from each other
    largest: float  # weight


def summarise(client, pairs, class_weight):
    """Count the labels of (labels, weights or None) blocks; check them all."""
    counts = client.gather(client.compute([delayed(count_block)(*p) for p in pairs]))
    filled = [count for count in counts if count.n_rows]
    if not filled:
        raise ValueError("y has no rows; give at least two classes of them.")
    classes = np.unique(np.concatenate([count.labels for count in filled]))
    check_two_classes(classes)
    totals, masses = np.zeros(len(classes), np.int64), np.zeros(len(classes))
    lows, highs = np.full(len(classes), np.inf), np.zeros(len(classes))
    for count in filled:
        places = np.searchsorted(classes, count.labels)
        totals[places] += count.counts
        masses[places] += count.masses
        lows[places] = np.minimum(lows[places], count.lows)
        highs[places] = np.maximum(highs[places], count.highs)
    lowest = min(count.lowest for count in filled)
    check_weight_range(lowest, highs.max(), lows.min())
    factors = class_factors(class_weight, classes, totals)
    check_class_masses(classes, masses * factors)
    low, high = (lows * factors).min(), (highs * factors).max()
    kept = [
        int(count.positives[factors[np.searchsorted(classes, count.labels)] > 0].sum())
        for count in counts
    ]
    block_rows = np.array([count.n_rows for count in counts])
    is_plain = low == high == 1.0 and sum(kept) == block_rows.sum()
    return LabelSummary(
        classes,
        factors,
        block_rows,
        np.array(kept),
        not is_plain,
        bool(high > low),
        float(high),
    )


def count_block(y, weight):
    """Count the labels of one block."""
    y = checked_labels(y)
    labels, places = np.unique(y, return_inverse=True)
    n_labels, n_rows = len(labels), len(y)
    counts = np.bincount(places, minlength=n_labels)
    if weight is None or n_rows == 0:
        ones = np.ones(n_labels)
        return BlockCounts(
            n_rows, labels, counts, counts, counts.astype(float), ones, ones, 1.0
        )
    weight = checked_weight(weight, n_rows)
    lows, highs = np.full(n_labels, np.inf), np.zeros(n_labels)
    np.minimum.at(lows, places[weight > 0], weight[weight > 0])
    np.maximum.at(highs, places, weight)
    return BlockCounts(
        n_rows,
        labels,
        counts,
        np.bincount(places[weight > 0], minlength=n_labels),
        np.bincount(places, weights=weight, minlength=n_labels),
        lows,
        highs,
        float(weight.min()),
    )


def checked_labels(y):
    """Return the labels of one block as an array."""
    check_labels(y)
    y = column_or_1d(np.asarray(y), warn=True)
    assert_all_finite(y, input_name="y")
    if len(y):
        check_classification_targets(y)
    return y


def checked_weight(weight, n_rows):
    """Return the weights of one block as float64."""
    if len(weight) != n_rows:
        raise ValueError(
            f"a block of sample_weight has {len(weight)} rows where y has {n_rows}; "
            "cut both alike (rechunk or repartition)."
        )
    # A block whose rows all weigh nothing is as good as an empty one.
    return check_array(
        np.asarray(weight),
        dtype=np.float64,
        ensure_2d=False,
        ensure_min_samples=0,
        input_name="sample_weight",
    )
