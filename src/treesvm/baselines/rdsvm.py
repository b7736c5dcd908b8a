"""RDSVM: what DTSVM would be if the tree did not look at the space."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treesvm.baselines.baseline_parameters import check_search_parameters, grid_of
from treesvm.decomposition.decomposition import (
    Decomposition,
    MachineOptions,
    train_parts,
)
from treesvm.inputs.training_rows import checked_rows, classification_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.kernels.kernel import Kernel
from treesvm.model_selection.decomposition_search import (
    DecompositionSearch,
    SearchOptions,
)
from treesvm.model_selection.row_splits import split_rows
from treesvm.model_selection.search_fold import LeafTask, SearchData
from treesvm.partitions.random_parts import random_partition
from treesvm.trees.leaf_rows import rows_by_leaf


class RDSVMClassifier(ClassifierMixin, BaseEstimator):
    """Randomly decomposed kernel SVM, with the search of DTSVM.

    At a ceiling σ the n training rows are dealt at random into ⌈n / σ⌉ parts, and every
    part trains a kernel SVM.  A row that is to be classified finds its part by a seeded
    hash of its values, so that the answer does not depend on the rows around it.

    Parameters
    ----------
    Cs, gammas : sequence of float, optional
        The grid; by default the paper's, 10^-1 … 10^5 and 10^-4 … 10^4.  One value each
        fixes them; the size of the parts is still searched.
    max_leaf_size : int, default=1500
        σ₀, the smallest ceiling.
    top_k : int, default=5
        Candidates that are tried with larger parts.
    growth : int, default=4
    min_gain : float, default=0.005
        Gain in validation accuracy that larger parts must bring.
    cv : float, int or splitter, default=0.2
        Rows that judge, as in `DTSVMClassifierCV`.  With several folds the final model
        is trained on all rows, else on the training part.
    multi_class : {"ovo", "ovr"}, default="ovo"
    leaf_scaling : {"minmax", None}, default=None
        None is the paper's method and wants features scaled beforehand.
    class_weight : dict or "balanced", optional
    tol : float, default=1e-3
    cache_size : float, default=1000
        Megabytes of kernel values that may be held.
    n_jobs : int, optional
    random_state : int, RandomState or None
    verbose : int, default=0

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    C_, gamma_ : float
    max_leaf_size_ : int
    best_score_ : float
        Validation accuracy of the winner.
    search_results_ : dict of ndarray
    n_leaf_fits_ : int
    seconds_per_ceiling_ : dict
    decompositions_ : list of one Decomposition
    n_parts_ : int
    n_support_vectors_ : int
        Support vectors of all parts; parts do not share rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had names

    Notes
    -----
    When not to use it: it is here for comparison.  Its parts see the whole space
    through few rows, so it needs larger parts than `DTSVMClassifierCV` to be as
    accurate, and hardly ever does a part hold one class only.

    References
    ----------
    F. Chang, C.-Y. Guo, X.-R. Lin, C.-J. Lu, "Tree decomposition for large-scale SVM
    problems", JMLR 11 (2010) 2935-2972, section 3.2.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm.baselines import RDSVMClassifier
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> model = RDSVMClassifier([1.0], [1.0, 10.0], 500, random_state=0)
    >>> bool(model.fit(X[:1500], y[:1500]).score(X[1500:], y[1500:]) > 0.9)
    True
    """

    def __init__(
        self,
        Cs=None,
        gammas=None,
        max_leaf_size=1500,
        *,
        top_k=5,
        growth=4,
        min_gain=0.005,
        cv=0.2,
        multi_class="ovo",
        leaf_scaling=None,
        class_weight=None,
        tol=1e-3,
        cache_size=1000,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.Cs = Cs
        self.gammas = gammas
        self.max_leaf_size = max_leaf_size
        self.top_k = top_k
        self.growth = growth
        self.min_gain = min_gain
        self.cv = cv
        self.multi_class = multi_class
        self.leaf_scaling = leaf_scaling
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Search the size of the parts, C and gamma; train the parts.

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
        seed = int(rng.randint(np.iinfo(np.int32).max))
        splits = split_rows(self.cv, codes, seed=seed, kept=kept)
        folds = [
            RandomFold(data, train, val, seed, number)
            for number, (train, val) in enumerate(splits)
        ]
        search, outcome = self._search(data, folds, seed)
        self._note(outcome, search)
        rows = folds[0].train if len(folds) == 1 else np.arange(len(data.codes))
        self._publish(self._train(data, rows, seed))
        return self

    def _search(self, data, folds, seed):
        """Run the paper's search over random parts."""
        options = SearchOptions(
            self.top_k, self.growth, self.min_gain, self.n_jobs, seed, self.verbose
        )
        codes = data.codes
        search = DecompositionSearch(
            folds,
            grid_of(self),
            self.max_leaf_size,
            self._machine_options(1.0, 1.0),
            options,
            lambda rows, said: float(np.mean(codes[rows] == said)),
        )
        return search, search.exhaustive()

    def _train(self, data, rows, seed):
        """Deal `rows` into parts of the chosen size and train them."""
        partition = random_partition(len(rows), self.max_leaf_size_, seed)
        parts = train_parts(
            data.X[rows],
            data.codes[rows],
            data.n_classes,
            data.weight[rows],
            rows_by_leaf(partition.deal(len(rows)), partition.n_parts),
            self._machine_options(self.C_, self.gamma_),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        return Decomposition(partition, parts, data.n_classes)

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

    def _note(self, outcome, search):
        """Set what the search found."""
        self.C_, self.gamma_ = outcome.theta
        self.max_leaf_size_, self.best_score_ = outcome.max_leaf_size, outcome.score
        self.search_results_ = {
            name: np.array([getattr(row, name) for row in outcome.rows])
            for name in outcome.rows[0]._fields
        }
        self.n_leaf_fits_ = int(sum(s.fits.sum() for s in search.scores.values()))
        self.seconds_per_ceiling_ = dict(outcome.seconds)

    def _publish(self, decomposition):
        self.decompositions_ = [decomposition]
        self.n_parts_ = len(decomposition.parts)
        self.n_support_vectors_ = sum(part.n_vectors for part in decomposition.parts)

    def decision_function(self, X):
        """Return a score for each class, or for two classes the decision value."""
        scores = self._scores_of(X)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict(self, X):
        """Return the class of every row."""
        scores = self._scores_of(X)
        return self.classes_[scores.argmax(axis=1)]

    def _scores_of(self, X):
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)
        return self.decompositions_[0].scores(X, self.n_jobs)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class RandomFold:
    """A training and a validation part, dealt into random parts at each ceiling.

    Parameters
    ----------
    data : SearchData
    train, val : ndarray
        Row numbers.
    seed : int
    number : int
        Of the fold.
    """

    def __init__(self, data, train, val, seed, number=0):
        self.data, self.train, self.val = data, train, val
        self._seed, self._number = seed, number

    def tasks(self, ceiling):
        """Return the partition at `ceiling` and its parts as tasks."""
        partition = random_partition(len(self.train), ceiling, self._seed)
        own = rows_by_leaf(partition.deal(len(self.train)), partition.n_parts)
        val_parts = partition.apply(self.data.X[self.val])
        val = rows_by_leaf(val_parts, partition.n_parts)
        tasks = [
            LeafTask(
                self.data,
                self.train[own.rows(k)],
                self.val[val.rows(k)],
                self._number,
            )
            for k in range(partition.n_parts)
        ]
        return partition, tasks
