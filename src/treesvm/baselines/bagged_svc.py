"""Bagging of kernel SVMs: small machines of random rows that vote."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treesvm.baselines.baseline_parameters import check_search_parameters, grid_of
from treesvm.decomposition.committee import committee_scores, vote
from treesvm.decomposition.decomposition import (
    Decomposition,
    MachineOptions,
    train_parts,
)
from treesvm.inputs.training_rows import checked_rows, classification_rows
from treesvm.kernels.kernel import Kernel
from treesvm.model_selection.row_splits import split_rows
from treesvm.model_selection.search_fold import LeafTask, SearchData
from treesvm.partitions.random_parts import RandomPartition
from treesvm.trees.leaf_rows import LeafRows


class BaggedSVC(ClassifierMixin, BaseEstimator):
    """Kernel SVMs of few random rows each, added while that pays; they vote.

    C and gamma are those that do best, on held-out rows, for the machine of the first
    draw, all of them by one path.  Then machines with these values are added, each of a
    new draw without replacement, until the accuracy of their majority on the held-out
    rows rises by less than `min_gain`.  (The paper adds machines for every candidate
    apart; that costs a few dozen times as much.)

    Parameters
    ----------
    Cs, gammas : sequence of float, optional
        The grid; by default the paper's, 10^-1 … 10^5 and 10^-4 … 10^4.
    max_samples : int, default=1500
        Rows of each machine.
    min_gain : float, default=0.005
    max_estimators : int, default=100
    cv : float or splitter, default=0.2
        A share of rows held out, or a splitter with one split.
    multi_class : {"ovo", "ovr"}, default="ovo"
    leaf_scaling : {"minmax", None}, default=None
        Rescale the features inside each machine, or take them as they are.
    class_weight : dict or "balanced", optional
    tol : float, default=1e-3
    cache_size : float, default=1000
        Megabytes of kernel values that may be held.
    n_jobs : int, optional
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    C_, gamma_ : float
    validation_scores_ : ndarray of shape (n_machines_tried,)
        Accuracy of one machine, of two, and so on; the last one did not rise enough.
    decompositions_ : list of Decomposition
        The machines, each with the whole space as its only part.
    n_support_vectors_ : int
        Summed over the machines.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had names

    Notes
    -----
    When not to use it: it is here for comparison.  Every machine sees the whole space
    through few rows, and every prediction asks all of them.

    References
    ----------
    F. Chang, C.-Y. Guo, X.-R. Lin, C.-J. Lu, "Tree decomposition for large-scale SVM
    problems", JMLR 11 (2010) 2935-2972, section 3.2.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm.baselines import BaggedSVC
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> model = BaggedSVC([1.0, 10.0], [1.0, 10.0], 200, random_state=0)
    >>> bool(model.fit(X[:1500], y[:1500]).score(X[1500:], y[1500:]) > 0.9)
    True
    """

    def __init__(
        self,
        Cs=None,
        gammas=None,
        max_samples=1500,
        *,
        min_gain=0.005,
        max_estimators=100,
        cv=0.2,
        multi_class="ovo",
        leaf_scaling=None,
        class_weight=None,
        tol=1e-3,
        cache_size=1000,
        n_jobs=None,
        random_state=None,
    ):
        self.Cs = Cs
        self.gammas = gammas
        self.max_samples = max_samples
        self.min_gain = min_gain
        self.max_estimators = max_estimators
        self.cv = cv
        self.multi_class = multi_class
        self.leaf_scaling = leaf_scaling
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Choose C and gamma, then add machines while that pays.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        self
        """
        check_search_parameters(self)
        X, codes, weight = classification_rows(
            self, X, y, sample_weight, self.class_weight
        )
        kept = np.flatnonzero(weight > 0)
        data = SearchData(X[kept], codes[kept], weight[kept], len(self.classes_))
        rng = check_random_state(self.random_state)
        train, val = self._split(codes, kept, rng)
        draw = self._draw(train, rng)
        theta = self._best_theta(data, draw, val)
        self.C_, self.gamma_ = theta.C, theta.gamma
        self._publish(*self._bag(data, train, val, draw, theta, rng))
        return self

    def _split(self, codes, kept, rng):
        """Return the training rows and the held-out rows."""
        seed = rng.randint(np.iinfo(np.int32).max)
        splits = split_rows(self.cv, codes, seed=seed, kept=kept)
        if len(splits) != 1:
            raise ValueError(
                f"cv={self.cv!r} makes {len(splits)} splits; machines are added while "
                "one set of held-out rows agrees: use a share or a splitter with one "
                "split."
            )
        return splits[0]

    def _draw(self, train, rng):
        """Draw the rows of one machine, without replacement."""
        n_rows = min(self.max_samples, len(train))
        return np.sort(rng.choice(train, n_rows, replace=False))

    def _best_theta(self, data, draw, val):
        """The grid point whose machine on `draw` answers most of `val` rightly."""
        thetas = grid_of(self)
        task = LeafTask(data, draw, val)
        answers = task.evaluate(thetas, self._machine_options(1.0, 1.0))
        right = [np.sum(answer.predicted == data.codes[val]) for answer in answers]
        return min(zip(right, thetas, strict=True), key=lambda p: (-p[0], p[1]))[1]

    def _bag(self, data, train, val, draw, theta, rng):
        """Add machines until the held-out accuracy rises too little."""
        members, votes, accuracies = [], [], []
        while len(members) < self.max_estimators:
            members.append(self._member(data, draw, theta))
            votes.append(members[-1].scores(data.X[val], self.n_jobs))
            said = vote(votes).argmax(axis=1)
            accuracies.append(float(np.mean(said == data.codes[val])))
            if len(members) > 1 and accuracies[-1] - accuracies[-2] < self.min_gain:
                members.pop()  # the paper keeps what was there before
                break
            draw = self._draw(train, rng)
        return members, accuracies

    def _member(self, data, draw, theta):
        """Train one machine, as a decomposition with a single part."""
        parts = train_parts(
            data.X,
            data.codes,
            data.n_classes,
            data.weight,
            LeafRows(draw, np.array([0, len(draw)])),
            self._machine_options(theta.C, theta.gamma),
            n_jobs=self.n_jobs,
        )
        return Decomposition(RandomPartition(1, 0), parts, data.n_classes)

    def _machine_options(self, C, gamma):
        return MachineOptions(
            Kernel("rbf", gamma=gamma),
            C,
            self.multi_class,
            self.leaf_scaling,
            self.tol,
            None,
            int(self.cache_size * 2**20),
        )

    def _publish(self, members, accuracies):
        self.decompositions_ = members
        self.validation_scores_ = np.array(accuracies)
        self.n_support_vectors_ = sum(m.parts[0].n_vectors for m in members)

    def decision_function(self, X):
        """Return votes plus a fraction for the scores; two classes: their lead."""
        scores = self._scores_of(X)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict(self, X):
        """Return the class of every row."""
        scores = self._scores_of(X)
        return self.classes_[scores.argmax(axis=1)]

    def _scores_of(self, X):
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)
        return committee_scores(self.decompositions_, X, self.n_jobs)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
