"""Bagging of kernel SVMs: small machines of random rows that vote."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from treesvm.decomposition.committee import joined, joint_scores
from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.theta import Theta
from treesvm.decomposition.training import MachineOptions
from treesvm.estimators.classifier import Classifier
from treesvm.inputs.array_types import Array, ArrayLike, ClassWeight, MatrixLike, Seed
from treesvm.inputs.training_rows import class_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.model_selection.row_splits import split_rows
from treesvm.model_selection.search_candidates import (
    PAPER_CS,
    PAPER_GAMMAS,
    grid_values,
)
from treesvm.model_selection.search_fold import LeafTask
from treesvm.partitions.whole_space import WholeSpace


class BaggedSVC(Classifier):
    """Kernel SVMs of few random rows each, added while that pays; they vote.

    For every (C, gamma) of the grid machines are added, each of a new draw without
    replacement, until the accuracy of their majority on held-out rows rises by less
    than `min_gain`; the machines at which it stops vote, two at least.  The candidate
    whose committee is the most accurate there wins.

    Parameters
    ----------
    Cs : sequence of float, optional
        The C of the grid; by default the paper's, 10^-1 … 10^5.
    gammas : sequence of float, optional
        The γ of the grid; by default the paper's, 10^-4 … 10^4.
    max_samples : int, default=1500
        Rows of each machine.
    min_gain : float, default=0.005
        Gain in accuracy that one more step has to bring.
    max_estimators : int, default=100
        Most machines of a committee.
    cv : float or splitter, default=0.2
        A share of rows held out, or a splitter with one split.
    multi_class : {"ovo", "ovr"}, default="ovo"
        A machine for each pair of classes, or for each class against the others.
    leaf_scaling : {"minmax", None}, default=None
        Rescale the features inside each machine, or take them as they are.
    class_weight : dict or "balanced", optional
        Weights of the classes; "balanced" gives each the same sum.
    tol : float, default=1e-3
        Violation of the optimality conditions at which a machine has converged.
    cache_size : float, default=1000
        Megabytes of kernel values that may be held.
    n_jobs : int, optional
        Threads. The model does not depend on it.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    C_ : float
        The C that was chosen.
    gamma_ : float
        The γ that was chosen.
    validation_scores_ : ndarray of shape (n_machines,)
        Of the winner: accuracy of one machine, of two, and so on.
    decompositions_ : list of Decomposition
        The machines, each with the whole space as its only part.
    n_support_vectors_ : int
        Summed over the machines.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of str, if X had names
        Names of the columns.

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
        Cs: ArrayLike | None = None,
        gammas: ArrayLike | None = None,
        max_samples: int | None = 1500,
        *,
        min_gain: float = 0.005,
        max_estimators: int = 100,
        cv: Any = 0.2,
        multi_class: str = "ovo",
        leaf_scaling: str | None = None,
        class_weight: ClassWeight = None,
        tol: float = 1e-3,
        cache_size: int = 1000,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
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

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add machines for every candidate while that pays; keep the best committee.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        self
        """
        self.check_parameters()
        every = class_rows(self, X, y, sample_weight)
        kept = np.flatnonzero(every.weight > 0)
        rows = every.take(kept)
        rng = check_random_state(self.random_state)
        train, val = self._split(every.target, kept, rng)
        bags = self._committees(rows, train, val, rng)
        best = min(bags, key=lambda theta: (-bags[theta].accuracies[-1], theta[:2]))
        self.C_, self.gamma_ = best.C, best.gamma
        return self.restore_fitted(bags[best].members, bags[best].accuracies)

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

    def _committees(self, rows, train, val, rng):
        """Return the committee of every candidate; all of them share the draws."""
        bags = {
            self._theta(float(C), float(gamma)): _Committee(rows, val, self.min_gain)
            for gamma in grid_values(self.gammas, PAPER_GAMMAS)
            for C in grid_values(self.Cs, PAPER_CS)
        }
        growing = list(bags)
        for _ in range(self.max_estimators):
            draw = self._draw(train, rng)
            found = LeafTask(rows, draw, val).evaluate(
                growing, self._machine_options(), keep=True, n_jobs=self.n_jobs
            )
            for theta, answer in zip(growing, found, strict=True):
                bags[theta].add(answer.part)
            growing = [theta for theta in growing if bags[theta].is_growing]
            if not growing:
                break
        return bags

    def _draw(self, train, rng):
        """Draw the rows of one machine, without replacement."""
        n_rows = min(self.max_samples, len(train))
        return np.sort(rng.choice(train, n_rows, replace=False))

    def _theta(self, C, gamma):
        return Theta(
            C, gamma, leaf_scaling=self.leaf_scaling, multi_class=self.multi_class
        )

    def _machine_options(self):
        return MachineOptions(
            self._theta(1.0, 1.0),
            float(self.tol),
            None,
            int(float(self.cache_size) * 2**20),
        )

    def restore_fitted(self, members: list[Any], validation_scores: Any) -> Self:
        """Set the fitted attributes from trained machines, wherever they come from."""
        if any(len(member.parts) != 1 for member in members):
            raise ValueError("a machine of a bag does not answer everywhere")
        self.decompositions_ = members
        self.validation_scores_ = np.array(validation_scores)
        self.n_support_vectors_ = sum(m.parts[0].n_vectors for m in members)
        return self

    def decision_function(self, X: MatrixLike) -> Array:
        """Return votes plus a fraction for the scores; two classes: their lead.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            One column for each class in `classes_`; of two classes one number, which
            is positive for the second.
        """
        return self._second_or_all(X)

    def _scores(self, X):
        return joint_scores(self.decompositions_, X, self.n_jobs)


class _Committee:
    """The machines of one candidate, and how well they vote."""

    def __init__(self, rows, val, min_gain):
        self._X_val, self._target = rows.X[val], rows.target[val]
        self._n_classes, self._min_gain = rows.n_classes, min_gain
        self.members, self.accuracies, self._scores = [], [], []
        self.is_growing = True

    def add(self, part):
        """Let one more machine vote; stop growing when that gained too little."""
        member = Decomposition(WholeSpace(), [part], self._n_classes)
        self.members.append(member)
        self._scores.append(member.scores(self._X_val))
        said = joined(self._scores).argmax(axis=1)
        self.accuracies.append(float(np.mean(said == self._target)))
        if len(self.members) > 1:
            gain = self.accuracies[-1] - self.accuracies[-2]
            self.is_growing = gain > self._min_gain
