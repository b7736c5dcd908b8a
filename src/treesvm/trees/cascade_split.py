"""One-sided splits: a linear SVM whose offset is moved until one side is pure.

The split of "SVM Trees" (Zapién Arreola, Fehr and Burkhardt, ICPR 2006; Fehr et al.
2007). In a node with two classes a linear SVM gives the direction w. One class, the
hard one, is then put wholly on its own side by moving the offset: every row beyond its
outermost row has the other class and is settled. Both choices of the hard class are
tried, and the one that settles more rows (more of their weight) wins. The settled side
is pure and becomes a leaf, so growing with these splits gives a cascade. Where nothing
can be settled, the SVM's own offset parts the remaining rows, and the cascade ends.
"""

import numpy as np

from treesvm.trees.growth import Split
from treesvm.trees.oblique_split import ObliqueSplit, sample_rows
from treesvm.trees.routing import projections_of


class CascadeSplit(ObliqueSplit):
    """The split finder of SVM Trees; codes are 0 and 1."""

    def __call__(self, rows, seed):
        """Return the split that settles most rows, or the last one of the cascade."""
        sample = sample_rows(rows, self.options.max_node_rows, seed)
        sides = np.where(self.y[sample] > 0, 1.0, -1.0)
        if np.all(sides == sides[0]):  # a rare class may be missing in a sample
            return None
        node = self._prepare(rows, sample)
        w, b = self._plane(node, sides, self.weight[sample], seed)
        values = np.empty(len(rows))
        projections_of(self.arrays, rows, w, values)
        threshold = settling_threshold(values, self.y[rows], self.weight[rows])
        is_last = threshold is None
        threshold = -b if is_last else threshold
        goes_left = values <= threshold
        if not 0 < np.count_nonzero(goes_left) < len(rows):
            return None
        return Split(w, threshold, goes_left, is_last=is_last)


def settling_threshold(values, y, weight):
    """Return the threshold that makes one side pure and settles most weight.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Places of the rows along the normal vector; class 1 lies higher.
    y : ndarray of int, shape (n_rows,)
        Codes 0 and 1, both present.
    weight : ndarray of shape (n_rows,)

    Returns
    -------
    float or None
        None if the outermost row of each class lies beyond all rows of the other.
    """
    lowest_one, highest_zero = values[y == 1].min(), values[y == 0].max()
    settled_left = values < lowest_one  # of class 0 all, class 1 is hard
    settled_right = values > highest_zero
    left, right = weight[settled_left].sum(), weight[settled_right].sum()
    if left == 0.0 and right == 0.0:
        return None
    if left >= right:
        last = values[settled_left].max()
        middle = 0.5 * (last + lowest_one)
        return float(middle if middle < lowest_one else last)
    middle = 0.5 * (highest_zero + values[settled_right].min())
    return float(middle if middle < values[settled_right].min() else highest_zero)
