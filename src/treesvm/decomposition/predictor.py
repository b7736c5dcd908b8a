"""Answers of decomposed models without validation, for single rows and batches."""

import numpy as np

from treesvm.decomposition.committee import Committee
from treesvm.decomposition.part import certain_scores
from treesvm.inputs.predictor import Predictor


class DecompositionPredictor(Predictor):
    """Compiled answers of one or several decompositions, compressed or not.

    Parameters
    ----------
    members : list of Decomposition
    classes : ndarray of shape (n_classes,)
    n_features : int
    committee : Committee, optional
        How the members' scores become answers; by default as they are, by hard votes.
    """

    def __init__(self, members, classes, n_features, committee=None):
        super().__init__(classes, n_features)
        self._committee = Committee(len(classes)) if committee is None else committee
        self._members = members
        self._walkers = [_Walker(member) for member in members]
        self._single = self._walkers[0] if len(members) == 1 else None
        self._labels = list(classes)  # gives up one label faster than an array

    def label_of_row(self, x):
        """Return the label of one row of the right width."""
        if self._single is None:
            return super().label_of_row(x)
        return self._labels[self._single.code(x)]

    def scores_of_rows(self, X):
        """Return class scores; a single row takes the short way."""
        of_evidence = self._committee.of_evidence
        if len(X) != 1:
            said = [m.says(X, of_evidence=of_evidence) for m in self._members]
        else:
            said = [walker.says(X[0], of_evidence) for walker in self._walkers]
        return self._committee.scores(said)


class _Walker:
    """One decomposition, laid out for single rows."""

    def __init__(self, member):
        self._part_of = member.row_router()
        self._n_classes, self._parts = member.n_classes, member.parts
        self._deciders = [
            None if part.machine is None else part.row_decider()
            for part in member.parts
        ]
        self._sure_codes = [d and d.sure_code for d in self._deciders]

    def code(self, x):
        """Return the class code of a 1-D row."""
        k = self._part_of(x)
        sure_code = self._sure_codes[k]
        if sure_code is None:
            return self._parts[k].code
        code = sure_code(x)
        if code >= 0:
            return code
        values = self._deciders[k].of_array(x)
        if self._n_classes == 2:
            return int(values[0] > 0.0)
        return int(self._parts[k].machine.scores(values[None, :]).argmax())

    def says(self, x, of_evidence=False):
        """Return what is said of a 1-D row, shape (1, n_classes), and its part."""
        k = self._part_of(x)
        part, decider = self._parts[k], self._deciders[k]
        if decider is None:
            said = certain_scores(part.code, self._n_classes)[None, :]
        else:
            said = part.said(decider.of_array(x)[None, :], of_evidence)
        return said, np.array([k])
