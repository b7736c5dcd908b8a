"""Answers of oblique trees without validation, for single rows and small batches.

A call costs little more than the hyperplanes: one compiled function takes the row and
the packed trees and returns the code of the class.
"""

import numpy as np

from treesvm.inputs.predictor import Predictor
from treesvm.trees.single_rows import oblique_leaf, packed
from treesvm.trees.tree_committee import class_scores


class HLSVMPredictor(Predictor):
    """Compiled answers of one tree or of a committee.

    Parameters
    ----------
    trees : list of Tree
    classes : ndarray of shape (n_classes,)
    multi_class : {"tree", "ovo", "ovr"}
    """

    def __init__(self, trees, classes, multi_class):
        super().__init__(classes, trees[0].n_features)
        self.trees, self.multi_class = trees, multi_class
        self._labels = None
        if len(trees) == 1:
            self._nodes = packed(trees[0])
            # A list gives up one label faster than an array.
            self._labels = list(classes[trees[0].value.argmax(axis=1)])

    def label_of_row(self, x):
        """Return the label of one row of the right width."""
        if self._labels is None:
            return super().label_of_row(x)
        return self._labels[oblique_leaf(np.ascontiguousarray(x), *self._nodes)]

    def scores_of_rows(self, X):
        """Return class scores of the rows of a 2-D array."""
        leaf_ids = [tree.apply(X) for tree in self.trees]
        return class_scores(self.trees, leaf_ids, len(self.classes), self.multi_class)

    def values_of(self, scores):
        """Return what `decision_function` makes of class scores."""
        return scores[:, 1] - scores[:, 0] if len(self.classes) == 2 else scores
