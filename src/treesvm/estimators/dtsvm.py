"""DTSVM: a tree cuts the space, a kernel SVM answers in every part."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treesvm.decomposition.calibration import calibrate, has_probability
from treesvm.decomposition.checkpointing import count_restored, open_rows_checkpoint
from treesvm.decomposition.committee import Committee, committee_of
from treesvm.decomposition.leaf_reduction import check_selector
from treesvm.decomposition.leaf_report import leaf_report
from treesvm.decomposition.predictor import DecompositionPredictor
from treesvm.decomposition.seeds import draw_seeds
from treesvm.decomposition.training import fit_members, machine_options
from treesvm.estimators.classifier import CalibratedClassifier
from treesvm.estimators.decomposed import OPEN_RULES, DecomposedEstimator
from treesvm.estimators.row_support import RowSupport
from treesvm.files.file_path import FilePath
from treesvm.inputs.array_types import Array, ArrayLike, ClassWeight, MatrixLike, Seed
from treesvm.inputs.parameter_rules import RULES, either
from treesvm.inputs.training_rows import class_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.partitions.choice import find_partition, recipe_of_members


class DTSVMClassifier(CalibratedClassifier, RowSupport, DecomposedEstimator):
    """Tree-decomposed kernel SVM, whose C, width and kernel may be left open.

    An entropy tree splits the rows until its leaves hold fewer than `max_leaf_size`; a
    leaf with one class answers with its label, every other leaf with a kernel SVM of
    its rows.  Training costs about ``n * max_leaf_size`` instead of n², and a
    prediction evaluates the support vectors of one leaf.

    Parameters
    ----------
    C : float or "auto", default="auto"
        Weight of the errors: large values follow the rows, small ones are smoother.
        "auto" leaves the choice to the training rows: C, `gamma_scale` and `kernel`, as
        far as they are "auto", are those that do best on rows of a few parts, had these
        not trained the machines that answer them (see Notes).
    gamma : {"median", "scale", "auto"} or float, default="median"
        Of the features as the parts see them. "median" is one divided by the median
        distance between a part's rows, so that it suits any number of features; "scale"
        and "auto" are scikit-learn's rules, on what the part sees.
    gamma_scale : float or "auto", default="auto"
        Multiplies a gamma that is a word; "auto" tries 0.3, 1 and 3 of the median's
        rule, and is 1 for the other words.
    max_leaf_size : int or "auto", default="auto"
        σ: nodes with at least this many rows are split, if they can be. "auto" is 1500,
        but for one member up to 5,000 rows are not cut at all: one machine is quick
        there, and does not lose what a cut costs.
    kernel : {"auto", "laplacian", "rbf", "linear", "poly", "polynomial", "sigmoid"} \
or callable, default="auto"
        The Laplacian is ahead on tables of mixed columns, the Gaussian ("rbf", the
        paper's) on letters, digits and signals. "auto" tries both; where gamma is a
        number it is the Laplacian.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=0.0
        Of the polynomial and the sigmoid kernel.
    multi_class : {"ovo", "ovr"}, default="ovo"
        Inside a leaf: a machine for each pair of its classes (1A1) or for each class
        against the others (1AO).
    loss : {"hinge", "squared"}, default="hinge"
        "squared" makes least squares machines: every row pulls, so that values tell
        likely rows from unlikely ones away from the border too, which serves
        probabilities and AUC on noisy tables. All rows are then vectors, and
        predictions take as much longer.
    leaf_scaling : {"minmax", "quantile", "standard", None}, default="minmax"
        Rescale the features inside each part to [0, 1], map them to their ranks, which
        suits features with long tails, or divide them by their standard deviation, but
        for those of two values, beside which numbers then count for more; ranks and
        deviations need dense rows. None is the paper's method and wants features scaled
        beforehand.
    feature_weights : None, "learned", "local" or array-like of shape (n_features,), \
default=None
        Weights of the features in the kernel's distance: none, learned in every part
        from the gradients of its own machine (about twice the training time), or
        given. "local" ones are learned, too, and differ along a feature: more where
        the machine's values change; they need dense rows. Needs a Laplacian or
        Gaussian kernel.
    n_estimators : int, default=1
        Randomised decompositions that vote.
    voting : {"soft", "hard"}, default="soft"
        The mean of the members' probabilities, or the paper's majority of their
        answers.
    partition : {"axis", "oblique", "random", "whole"} or object, default="axis"
        How the space is cut: by an axis-parallel tree, a tree of linear SVMs, at random
        or not at all. An object of `treesvm.partitions` has parameters of its own, such
        as ``AxisTree(criterion="gini", max_tree_rows=None)``.
    reduce : selector of `treesvm.candidates`, optional
        Which rows of a leaf, scaled as there, train its machine; None keeps all.
    class_weight : dict or "balanced", optional
        Weights of the classes; "balanced" gives each the same sum.
    probability : bool, default=True
        Make scores compare across parts, for `predict_proba`, `decision_function` and
        soft votes, by what machines would say of some of their rows had they not been
        trained on them. It takes no second fit, and the answers of a member stay as
        they are. False is the paper's method.
    tol : float, default=1e-3
        Violation of the optimality conditions at which a machine has converged.
    max_iter : int, default=-1
        Cap on the steps of each machine, -1 for none.
    cache_size : float, default=1000
        Megabytes of kernel values that may be held; larger leaves are solved by working
        sets.
    n_jobs : int, optional
        Threads over the leaves.  The model does not depend on it.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.
    verbose : int, default=0
        Above 0, progress goes to standard error.
    checkpoint : str, path-like or Checkpoint, optional
        Folder in which finished leaves are kept. A fit that was killed goes on there
        when it is called again, and gives the model it would have given. A folder of
        another fit (other rows or parameters) is refused.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    decompositions_ : list of Decomposition
        The members: a partition each, and its parts.
    trees_ : list of Tree
        Of the members whose partition is a tree.
    n_leaves_ : int
        Parts of all members.
    n_support_vectors_ : int
        Distinct support vectors, over all leaves.
    support_ : ndarray of int
        After a fit in one memory, the numbers of the rows of X that are support vectors
        of any part, ascending. Model files do not keep it.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        These rows. Neither model files nor pickles keep them, since the parts have them
        in their own scale.
    C_ : float
        The C that was given or chosen.
    gamma_scale_ : float
        The same of `gamma_scale`.
    kernel_ : str or callable
        The same of the kernel.
    n_iter_ : int
        Most steps that a machine took.
    calibration_ : Calibration or None
        Slope and offset of the probabilities, and shares of the classes.
    n_restored_leaves_ : int
        With a checkpoint, leaves that were taken from it instead of trained.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of str, if X had names
        Names of the columns.

    Notes
    -----
    When not to use it: up to 5,000 rows nothing is cut, and `KernelSVC` with a known C
    and gamma is simpler; with thousands of sparse features a linear SVM is hard to beat
    (and ``multi_class="ovr", leaf_scaling=None`` suit them better than the defaults);
    where trees win by their own means (many irrelevant or categorical features),
    boosted trees are better.

    What is "auto" is chosen on at most 1,500 training rows of a few parts of the first
    member. The loss is the log loss of left-out rows plus their share of wrong answers,
    and of points within half a standard error of the best the smoothest is taken.

    References
    ----------
    F. Chang, C.-Y. Guo, X.-R. Lin, C.-J. Lu, "Tree decomposition for large-scale SVM
    problems", JMLR 11 (2010) 2935-2972.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import DTSVMClassifier
    >>> X, y = make_moons(4000, noise=0.2, random_state=0)
    >>> model = DTSVMClassifier(max_leaf_size=500, random_state=0)
    >>> model = model.fit(X[:3000], y[:3000])
    >>> bool(model.score(X[3000:], y[3000:]) > 0.95)
    True
    """

    _of_a_gram: ClassVar = "KernelSVC"
    _rules: ClassVar[dict[str, Any]] = OPEN_RULES | {
        "max_leaf_size": either("auto", RULES["max_leaf_size"])
    }

    def __init__(
        self,
        C: float | str = "auto",
        gamma: float | str = "median",
        max_leaf_size: int | str = "auto",
        *,
        gamma_scale: float | str = "auto",
        kernel: str | Callable[..., Any] = "auto",
        degree: int = 3,
        coef0: float = 0.0,
        multi_class: str = "ovo",
        loss: str = "hinge",
        leaf_scaling: str | None = "minmax",
        feature_weights: str | ArrayLike | None = None,
        n_estimators: int = 1,
        voting: str = "soft",
        partition: Any = "axis",
        reduce: Any = None,
        class_weight: ClassWeight = None,
        probability: bool = True,
        tol: float = 1e-3,
        max_iter: int = -1,
        cache_size: int = 1000,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
        checkpoint: FilePath | Any = None,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.max_leaf_size = max_leaf_size
        self.gamma_scale = gamma_scale
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.multi_class = multi_class
        self.loss = loss
        self.leaf_scaling = leaf_scaling
        self.feature_weights = feature_weights
        self.n_estimators = n_estimators
        self.voting = voting
        self.partition = partition
        self.reduce = reduce
        self.class_weight = class_weight
        self.probability = probability
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.checkpoint = checkpoint

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Cut the space and train the parts.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            Not negative; rows of weight zero are left out.

        Returns
        -------
        self
        """
        self.check_parameters()
        every = class_rows(self, X, y, sample_weight)
        kept = np.flatnonzero(every.weight > 0)
        rows = every.take(kept)
        recipe = self.recipe()
        with open_rows_checkpoint(self, rows) as store:
            seeds = store.seeds(draw_seeds(self), self.random_state)
            draws = [
                (seed, store.scope(f"member {number}"))
                for number, seed in enumerate(seeds[: self.n_estimators])
            ]
            members, theta = fit_members(rows, recipe, draws)
        self.restore_fitted(members, theta)
        self._note_support(members, kept, rows.X)
        self.calibration_ = None
        if self.probability:
            how = {"loss": self.loss, "voting": self.voting}
            self.calibration_ = calibrate(members, rows, theta.C, seeds[-1], **how)
        count_restored(self, store)
        return self

    def recipe(self) -> Any:
        """Return how each member is made."""
        partition = find_partition(self.partition)
        if self.n_estimators > 1:
            partition = recipe_of_members(partition)
        return self._recipe(partition, machine_options(self))

    def decision_function(self, X: MatrixLike) -> Array:
        """Return a score for each class, or for two classes the decision value.

        Two classes: the value of the part's machine.  More: votes of the pairs plus a
        fraction for their sums, or the machines' values with "ovr".  To these a shift
        is added that says how frequent the classes are in the part, so that rows of
        several parts compare; it never turns the answer, and with one part there is
        none.  With ``probability=False`` there is none either, and parts with one class
        say ±1.  Several members: logarithms of their mean probabilities (two classes:
        of the odds), or with hard votes these, plus a fraction for their scores.

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

    @available_if(has_probability)
    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Return logarithms of the class probabilities.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        return np.log(self.predict_proba(X))

    def committee(self) -> Committee:
        """Return how scores of the members become answers."""
        check_is_fitted(self)
        return committee_of(self.decompositions_, self.calibration_, self.voting)

    def predictor(self) -> Callable[..., Any]:
        """Return a compiled object that answers without checking its input.

        Called with one row it returns the label, with a 2-D array an array of labels,
        equal to `predict`; ``.decision(...)`` returns decision values.  Only the width
        is checked.  Safe to use from several threads.

        Returns
        -------
        callable
        """
        check_is_fitted(self)
        return DecompositionPredictor(
            self.decompositions_, self.classes_, self.n_features_in_, self.committee()
        )

    def leaf_report(self) -> dict[str, Array]:
        """Return one record for each part, as a dict of columns that pandas takes.

        Columns: tree (the member), leaf (node number, or number of the part), rows,
        classes, answer (majority class), kernel, C and gamma of its machine,
        support_vectors, converged, gap, seconds, features (those that matter most
        there).

        Returns
        -------
        dict of str to ndarray
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", range(self.n_features_in_))
        return leaf_report(self.decompositions_, self.classes_, names, self.C_)

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        super().check_parameters()
        check_selector(self.reduce)
        if self.voting == "soft" and self.n_estimators > 1 and not self.probability:
            raise ValueError(
                "voting='soft' averages probabilities; with probability=False use "
                "voting='hard'."
            )

    def _scores(self, X):
        committee = self.committee()
        return committee.scores(self._said(X, committee))

    def _probabilities(self, X):
        committee = self.committee()
        return np.exp(committee.log_probabilities(self._said(X, committee)))

    def _said(self, X, committee):
        """Return what each member says of checked rows."""
        return [
            member.says(X, self.n_jobs, committee.of_evidence)
            for member in self.decompositions_
        ]
