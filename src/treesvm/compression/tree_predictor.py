"""Answers of compressed models without validation."""

import numpy as np

from treesvm.compression.compressed_machine import (
    compiled_arrays,
    is_compiled,
    walk_rows,
)
from treesvm.decomposition.decomposition import vote
from treesvm.decomposition.part import certain_scores


class SupportVectorTreePredictor:
    """Compiled answers of a `SupportVectorTreeClassifier`.

    Called with a 1-D row it returns the label, with a 2-D array an array of labels.
    Nothing is checked but the width.
    """

    def __init__(self, members, classes, n_features):
        self._members, self._classes = members, classes
        self._n_features = n_features
        self._walkers = [_MemberWalker(member) for member in members]
        self._single = self._walkers[0] if len(members) == 1 else None
        self._labels = list(classes)

    def __call__(self, x):
        """Return the label of a row, or the labels of an array of rows."""
        x = np.asarray(x)
        if x.ndim == 1 and len(x) == self._n_features and self._single is not None:
            return self._labels[self._single.code(x)]
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
            found = [walker.scores(X[0]) for walker in self._walkers]
        return found[0] if len(found) == 1 else vote(found)


class _MemberWalker:
    """One partition and its parts, laid out for single rows."""

    def __init__(self, member):
        self._member, self._n_classes = member, member.n_classes
        self._parts = [
            None if part.machine is None else _PartWalker(part.machine)
            for part in member.parts
        ]
        self._part_of = member.partition.row_router()

    def code(self, x):
        """Return the class code of a 1-D row."""
        k = self._part_of(x)
        part = self._parts[k]
        if part is None:
            return self._member.parts[k].code
        values = part.decisions(x)
        if self._n_classes == 2:
            return int(values[0, 0] > 0.0)
        return int(part.machine.scores(values).argmax())

    def scores(self, x):
        """Return the scores of a 1-D row, shape (1, n_classes)."""
        k = self._part_of(x)
        part = self._parts[k]
        if part is None:
            return certain_scores(self._member.parts[k].code, self._n_classes)[None]
        return part.machine.scores(part.decisions(x))


class _PartWalker:
    """The trees of one part, laid out for single rows."""

    def __init__(self, machine):
        self.machine = machine
        self._arrays = None
        if is_compiled(machine.terms):
            self._arrays = [compiled_arrays(t, machine.terms) for t in machine.trees]
        self._affine = {} if machine.scaling is None else _affine_maps(machine.scaling)

    def decisions(self, x):
        """Return the values of one 1-D row for all machines, shape (1, n_machines)."""
        machine, X = self.machine, x[None]
        if self._arrays is None:
            return machine.decisions(X)
        X = X if machine.scaling is None else self._scaled(X)
        X = np.ascontiguousarray(X, dtype=np.float64)
        out = [np.empty((1, tree.n_outputs)) for tree in machine.trees]
        for arrays, own in zip(self._arrays, out, strict=True):
            walk_rows(X, *arrays, own)
        return out[0] if len(out) == 1 else np.hstack(out)

    def _scaled(self, X):
        """The same as the scaling's `apply`; rows too far off get terms of zero."""
        if X.dtype not in self._affine:
            return self.machine.scaling.apply(X)
        shift, factor = self._affine[X.dtype]
        return (X[:, self.machine.scaling.columns] - shift) * factor


def _affine_maps(scaling):
    """Shift and factor in each precision that can hold them."""
    maps = {}
    for dtype in (np.float32, np.float64):
        with np.errstate(over="ignore"):
            shift, factor = scaling.shift.astype(dtype), scaling.factor.astype(dtype)
        if np.isfinite(factor).all():
            maps[np.dtype(dtype)] = shift, factor
    return maps
