"""Answers of oblique trees without validation, for single rows and small batches.

A call costs little more than the hyperplanes: one compiled function takes the row and
the packed trees and returns the code of the class.
"""

import numpy as np

from treesvm.inputs.row_access import row_dot
from treesvm.kernels.compiling import compiled
from treesvm.trees.routing import LEAF
from treesvm.trees.tree_committee import class_scores


class HLSVMPredictor:
    """Compiled answers of one tree or of a committee.

    Parameters
    ----------
    trees : list of Tree
    classes : ndarray of shape (n_classes,)
    multi_class : {"tree", "ovo", "ovr"}
    """

    def __init__(self, trees, classes, multi_class):
        self.classes, self.multi_class, self.trees = classes, multi_class, trees
        self.n_features = trees[0].n_features
        self._labels = None
        if len(trees) == 1:
            self._packed = packed(trees[0])
            # A list gives up one label faster than an array.
            self._labels = list(classes[trees[0].value.argmax(axis=1)])

    def __call__(self, x):
        """Return the label of a 1-D row, or an array of labels for a 2-D array."""
        x = np.ascontiguousarray(x)
        if x.ndim == 1 and self._labels is not None:
            if len(x) != self.n_features:
                self._refuse_width(len(x))
            return self._labels[leaf_of(x, *self._packed)]
        scores = self._scores(np.atleast_2d(x))
        labels = self.classes[scores.argmax(axis=1)]
        return labels[0] if x.ndim == 1 else labels

    def decision(self, x):
        """Return what `decision_function` returns: a number or array for 1-D rows."""
        x = np.asarray(x)
        scores = self._scores(np.atleast_2d(x))
        if len(self.classes) == 2:
            scores = scores[:, 1] - scores[:, 0]
        return scores[0] if x.ndim == 1 else scores

    def _scores(self, X):
        """Return class scores of the rows of a 2-D array."""
        if X.shape[1] != self.n_features:
            self._refuse_width(X.shape[1])
        leaf_ids = [tree.apply(X) for tree in self.trees]
        return class_scores(self.trees, leaf_ids, len(self.classes), self.multi_class)

    def _refuse_width(self, width):
        """Raise the only error this object knows."""
        raise ValueError(
            f"the rows have {width} features; the model was trained on "
            f"{self.n_features}."
        )


def packed(tree):
    """Return the arrays of an oblique tree that `leaf_of` takes.

    Few of them: a compiled call spends most of its time on taking arguments apart.
    """
    links = np.stack([tree.feature, tree.left, tree.right], axis=1)
    return tree.weights, tree.threshold, np.ascontiguousarray(links)


@compiled
def leaf_of(x, weights, threshold, links):
    """Return the leaf of one row; `links` holds (plane, left, right) of each node."""
    rows = (x.reshape(1, x.size),)
    k = 0
    while links[k, 1] != LEAF:
        goes_left = row_dot(rows, 0, weights[links[k, 0]]) <= threshold[k]
        k = links[k, 1] if goes_left else links[k, 2]
    return k
