"""The shell of every compiled predictor: rows in, labels and decision values out."""

from abc import ABC, abstractmethod

import numpy as np


class Predictor(ABC):
    """Answers without validation: nothing is checked but the width.

    Called with a 1-D row it returns the label, with a 2-D array an array of labels.  It
    keeps no state between calls, so threads may share it.  A model says in
    `scores_of_rows` what it knows of rows, where scores are not one for each class how
    they make answers (`codes_of`, `values_of`), and where a single row's label is to be
    had for less than an array of scores, how (`label_of_row`).

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    n_features : int
    """

    def __init__(self, classes, n_features):
        self.classes, self.n_features = classes, n_features

    def __call__(self, x):
        """Return the label of a row, or the labels of an array of rows."""
        if getattr(x, "ndim", 0) == 1:
            if len(x) != self.n_features:
                self._refuse_width(len(x))
            return self.label_of_row(x)
        x = np.asarray(x)
        if x.ndim == 1:  # it was a list
            return self(x)
        return self.classes[self.codes_of(self._scores(x))]

    def decision(self, x):
        """Return what `decision_function` returns: a number or array for 1-D rows."""
        x = np.asarray(x)
        if x.ndim == 1:
            return self.values_of(self._scores(x[None, :]))[0]
        return self.values_of(self._scores(x))

    @abstractmethod
    def scores_of_rows(self, X):
        """Return what answers are made of, one row for each row of X."""

    def codes_of(self, scores):
        """Return the class code of every row of scores."""
        return scores.argmax(axis=1)

    def values_of(self, scores):
        """Return the decision values of rows of scores."""
        return scores[:, 1] if len(self.classes) == 2 else scores

    def label_of_row(self, x):
        """Return the label of one row of the right width."""
        return self.classes[self.codes_of(self.scores_of_rows(x[None, :]))[0]]

    def _scores(self, X):
        if X.ndim != 2:
            raise ValueError(f"give one row or an array of rows, not {X!r:.80}.")
        if X.shape[1] != self.n_features:
            self._refuse_width(X.shape[1])
        return self.scores_of_rows(X)

    def _refuse_width(self, width):
        """Raise the error of rows that are too short or too long."""
        raise ValueError(
            f"the rows have {width} features; the model was trained on "
            f"{self.n_features}."
        )
