"""Answers of decomposed machines without validation, for single rows and batches."""

import numpy as np

from treesvm.decomposition.decomposition import joined
from treesvm.decomposition.part import certain_scores


class DTSVMPredictor:
    """Compiled answers of one or several decompositions.

    Called with a 1-D row it returns the label, with a 2-D array an array of labels.
    Nothing is checked but the width.  It keeps no state between calls, so threads may
    share it.
    """

    def __init__(self, members, classes, n_features):
        self._members, self._classes = members, classes
        self._n_features = n_features
        self._walkers = [_Walker(member) for member in members]
        first = self._walkers[0]
        self._single = first if len(members) == 1 else None
        self._labels = list(classes)

    def __call__(self, x):
        """Return the label of a row, or the labels of an array of rows."""
        if getattr(x, "ndim", 0) == 1 and self._single is not None:
            if len(x) != self._n_features:
                self._refuse_width(len(x))
            return self._labels[self._single.code(x)]
        x = np.asarray(x)
        codes = self._scores(np.atleast_2d(x)).argmax(axis=1)
        return self._labels[codes[0]] if x.ndim == 1 else self._classes[codes]

    def decision(self, x):
        """Return what `decision_function` returns: a number or array for 1-D rows."""
        x = np.asarray(x)
        scores = self._scores(np.atleast_2d(x))
        if len(self._classes) == 2:
            scores = scores[:, 1]
        return scores[0] if x.ndim == 1 else scores

    def _scores(self, X):
        if X.shape[1] != self._n_features:
            self._refuse_width(X.shape[1])
        if len(X) == 1:
            members = [walker.scores(X[0]) for walker in self._walkers]
        else:
            members = [member.scores(X) for member in self._members]
        return joined(members)

    def _refuse_width(self, width):
        raise ValueError(
            f"the rows have {width} features; the model was trained on "
            f"{self._n_features}."
        )


class _Walker:
    """One decomposition, laid out for single rows."""

    def __init__(self, member):
        self._n_classes = member.n_classes
        self._part_of = member.partition.row_router()
        self._parts = member.parts
        self._codes = [
            part.code if part.machine is None else -1 for part in member.parts
        ]
        self._deciders = [
            None if part.machine is None else part.row_decider()
            for part in member.parts
        ]

    def code(self, x):
        """Return the class code of a 1-D row."""
        k = self._part_of(x)
        code = self._codes[k]
        if code >= 0:
            return code
        return int(self._part_scores(k, x).argmax())

    def scores(self, x):
        """Return the scores of a 1-D row, shape (1, n_classes)."""
        k = self._part_of(x)
        if self._codes[k] >= 0:
            return certain_scores(self._codes[k], self._n_classes)[None, :]
        return self._part_scores(k, x)

    def _part_scores(self, k, x):
        row = np.ascontiguousarray(x, dtype=np.float64)
        values = self._deciders[k].of_array(row)
        return self._parts[k].machine.scores(values[None, :])
