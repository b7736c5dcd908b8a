"""Answers of compressed models without validation."""

import numpy as np

from treesvm.compression.compressed_machine import (
    compiled_arrays,
    is_compiled,
    rbf_walk,
)
from treesvm.estimators.decomposition import certain_scores
from treesvm.estimators.dtsvm_predictor import vote


class SupportVectorTreePredictor:
    """Compiled answers of a `SupportVectorTreeClassifier`.

    Called with a 1-D row it returns the label, with a 2-D array an array of labels.
    Nothing is checked but the width.
    """

    def __init__(self, members, classes, n_features):
        self._members, self._classes = members, classes
        self._n_features = n_features
        self._walkers = [
            [None if p.machine is None else _PartWalker(p.machine) for p in m.parts]
            for m in members
        ]

    def __call__(self, x):
        """Return the label of a row, or the labels of an array of rows."""
        x = np.asarray(x)
        labels = self._classes[self._scores(np.atleast_2d(x)).argmax(axis=1)]
        return labels[0] if x.ndim == 1 else labels

    def decision(self, x):
        """Return what `decision_function` returns: a number or array for 1-D rows."""
        x = np.asarray(x)
        scores = self._scores(np.atleast_2d(x))
        scores = scores[:, 1] if len(self._classes) == 2 else scores
        return scores[0] if x.ndim == 1 else scores

    def _scores(self, X):
        if X.shape[1] != self._n_features:
            raise ValueError(
                f"the rows have {X.shape[1]} features; the model was trained on "
                f"{self._n_features}."
            )
        if len(X) > 1:
            found = [member.scores(X) for member in self._members]
        else:
            found = [self._row_scores(k, X) for k in range(len(self._members))]
        return found[0] if len(found) == 1 else vote(found)

    def _row_scores(self, number, X):
        """Scores of one row, shape (1, n_classes)."""
        member = self._members[number]
        k = 0
        if len(member.parts) > 1:
            k = int(member.apply(X)[0])
        walker = self._walkers[number][k]
        if walker is None:
            return certain_scores(member.parts[k].code, member.n_classes)[None]
        return walker.machine.scores(walker.decisions(X))


class _PartWalker:
    """The trees of one part, laid out for single rows."""

    def __init__(self, machine):
        self.machine = machine
        self._arrays = None
        if is_compiled(machine.terms):
            self._arrays = [compiled_arrays(t, machine.terms) for t in machine.trees]

    def decisions(self, X):
        """Return the values of one row for all machines, shape (1, n_machines)."""
        machine = self.machine
        if self._arrays is None:
            return machine.decisions(X)
        x = X if machine.scaling is None else machine.scaling.apply(X)
        x = np.ascontiguousarray(x, dtype=np.float64)
        out = [np.empty((1, tree.n_outputs)) for tree in machine.trees]
        for arrays, own in zip(self._arrays, out, strict=True):
            rbf_walk(x, *arrays, own)
        return out[0] if len(out) == 1 else np.hstack(out)
