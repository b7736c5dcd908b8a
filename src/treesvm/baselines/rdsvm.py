"""RDSVM: what DTSVM would be if the tree did not look at the space."""

from typing import Any

from treesvm.inputs.array_types import ArrayLike, ClassWeight, Seed
from treesvm.model_selection.dtsvm_cv import DTSVMClassifierCV


class RDSVMClassifier(DTSVMClassifierCV):
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
        Gain in validation accuracy that larger parts have to bring.
    cv : float, int or splitter, default=0.2
        Rows that judge, as in `DTSVMClassifierCV`.  With several folds the final model
        is trained on all rows, else on the training part.
    time_limit : float, optional
        Seconds, about, as in `DTSVMClassifierCV`.
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
    stopped_early_ : bool
        Whether the time limit ended the search.
    n_leaf_fits_ : int
    seconds_per_ceiling_ : dict
    best_estimator_ : DTSVMClassifier
        With the parts as its partition.
    decompositions_ : list of one Decomposition
    n_leaves_ : int
        Number of parts.
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

    # What the paper's baseline leaves no choice of.
    partition = "random"
    kernel = "rbf"
    feature_weights = None
    search = "exhaustive"
    candidates = "paper"
    scoring = None
    refit = False
    n_estimators = 1
    probability = False
    checkpoint = None

    def __init__(
        self,
        Cs: ArrayLike | None = None,
        gammas: ArrayLike | None = None,
        max_leaf_size: int = 1500,
        *,
        top_k: int = 5,
        growth: int = 4,
        min_gain: float = 0.005,
        cv: Any = 0.2,
        time_limit: float | None = None,
        multi_class: str = "ovo",
        leaf_scaling: str | None = None,
        class_weight: ClassWeight = None,
        tol: float = 1e-3,
        cache_size: int = 1000,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.max_leaf_size = max_leaf_size
        self.top_k = top_k
        self.growth = growth
        self.min_gain = min_gain
        self.cv = cv
        self.time_limit = time_limit
        self.multi_class = multi_class
        self.leaf_scaling = leaf_scaling
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
