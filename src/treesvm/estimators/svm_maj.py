"""SVM-Maj: a linear SVM solved in the primal by iterative majorization."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from treesvm.decomposition.calibration import as_columns, probabilities
from treesvm.decomposition.held_out_scale import held_out_scale
from treesvm.estimators.classifier import CalibratedClassifier
from treesvm.inputs.array_types import Array, ArrayLike, ClassWeight, MatrixLike, Seed
from treesvm.inputs.parameter_rules import (
    count,
    either,
    is_count,
    number,
    one_of,
)
from treesvm.inputs.training_rows import class_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.solvers.hinges import find_hinge
from treesvm.solvers.majorization import STEPS, solve_majorization
from treesvm.solvers.majorization_path import PathOptions, choose_penalty, draw_folds
from treesvm.solvers.majorized_rows import majorized_rows


class SVMMajClassifier(CalibratedClassifier):
    """Linear SVM in the primal, for three hinge errors, by majorization (SVM-Maj).

    Minimises ``sum(h(y * (X @ w + c))) + alpha * w @ w`` over w and the intercept c,
    which is not penalised. More than two classes: one machine for each class against
    the rest.

    Parameters
    ----------
    hinge : {"quadratic", "absolute", "huber"}, default="quadratic"
        The error of a margin m below one: ``(1 - m)**2``, ``1 - m``, or a parabola that
        becomes a line at ``m = -huber_k``. The quadratic and the Huber hinge are many
        times faster than the absolute one.
    huber_k : float above -1, default=0.0
        Only for the Huber hinge. Near -1 it is the absolute hinge, large values are a
        multiple of the quadratic one.
    alpha : float or "cv", default=1.0
        λ, the weight of ``w @ w``; 1 / (2 C) of other SVMs. "cv" chooses it among
        2^-15, 2^-14.5, …, 2^8 by cross-validated accuracy, the largest of equals.
    cv : int, splitter or iterable, default=5
        Folds of ``alpha="cv"``. A number draws folds with equal class shares.
    fit_intercept : bool, default=True
        Whether there is a constant; without it planes pass through zero.
    class_weight : dict or "balanced", optional
        Multiplies `sample_weight`.
    probability : bool, default=False
        Calibrate `predict_proba` on held-out rows (five more fits).
    steps : {"conjugate", "doubled", "plain"}, default="conjugate"
        "plain" steps go to the minimum of the majorizing parabola, as in the thesis
        (equations 10 and 11); "doubled" ones go twice as far; "conjugate" ones combine
        them, see `treesvm.solvers.majorization`. All head for the same machine, "plain"
        ones more slowly.
    tol : float, default=1e-7
        Stop when a step lowers the loss by no more than this share of it.
    max_iter : int, default=1000
        Cap on the steps of a machine.
    n_jobs : int, optional
        Threads, one fold each. The model does not depend on it.
    random_state : int, RandomState or None
        Draws the folds of ``alpha="cv"`` and of `probability`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Constants of the machines.
    alpha_ : float
        The λ that was used.
    cv_results_ : dict of ndarrays, if ``alpha="cv"``
        "alpha" (descending) and "mean_test_score", the share of all held-out weight
        that was answered correctly.
    n_iter_ : int
        Largest number of steps of a machine.
    gap_ : ndarray of shape (1,) or (n_classes,)
        Duality gap relative to the loss: no solution is better by more than this.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of str, if X had names
        Names of the columns.

    Notes
    -----
    When not to use it: if features and rows are both many (wide sparse text), since the
    second moments of the smaller of the two are held as a dense square matrix:
    `sklearn.svm.LinearSVC` does not need them. Features should be scaled, because λ
    punishes all weights alike.

    References
    ----------
    P. J. F. Groenen, G. Nalbantov, J. C. Bioch, "SVM-Maj: a majorization approach to
    linear support vector machines with different hinge errors", Advances in Data
    Analysis and Classification 2 (2008) 17–43.

    O. Fayoyin, "SVM partitioned decision trees", thesis (2017), section 4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from treesvm import SVMMajClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = SVMMajClassifier(alpha="cv", random_state=0).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.95)
    True
    >>> bool(model.gap_.max() < 1e-3)
    True
    """

    _rules: ClassVar = {
        "alpha": either(
            "cv", number("use a positive, finite number or 'cv'", above=0.0)
        ),
        "max_iter": count("use a positive integer"),
        "steps": one_of(*STEPS),
    }

    def __init__(
        self,
        hinge: str = "quadratic",
        *,
        huber_k: float = 0.0,
        alpha: float | str = 1.0,
        cv: Any = 5,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        probability: bool = False,
        steps: str = "conjugate",
        tol: float = 1e-7,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.hinge = hinge
        self.huber_k = huber_k
        self.alpha = alpha
        self.cv = cv
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.probability = probability
        self.steps = steps
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Choose λ if asked to, and train on all rows.

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
        rows = class_rows(self, X, y, sample_weight)
        options = PathOptions(
            hinge=find_hinge(self.hinge, self.huber_k),
            fit_intercept=self.fit_intercept,
            steps=self.steps,
            tol=float(self.tol),
            max_iter=self.max_iter,
        )
        self.alpha_ = self.alpha
        if self.alpha == "cv":
            self._choose_alpha(rows, options)
        self._train(rows, options)
        if self.probability:
            self.probability_scale_ = held_out_scale(self, rows, alpha=self.alpha_)
        return self

    def _choose_alpha(self, rows, options):
        """Set `alpha_` and `cv_results_`."""
        X, codes, weight, _ = rows
        if is_count(self.cv, 2):
            seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
            splits = draw_folds(codes, self.cv, seed)
        else:
            splits = check_cv(self.cv, codes, classifier=True).split(X, codes)
        choice = choose_penalty(
            X, codes, splits, options, weight=weight, n_jobs=self.n_jobs
        )
        self.alpha_ = choice.penalty
        self.cv_results_ = {
            "alpha": choice.penalties,
            "mean_test_score": choice.accuracy,
        }

    def _train(self, rows, options):
        """Set the fitted attributes of the machines."""
        X, codes, weight, n_classes = rows.with_weight()
        rows = majorized_rows(X, weight, fit_intercept=self.fit_intercept)
        solutions = [
            solve_majorization(
                rows,
                np.where(codes == k, 1.0, -1.0),
                self.alpha_,
                hinge=options.hinge,
                steps=options.steps,
                tol=options.tol,
                max_iter=options.max_iter,
            )
            for k in (range(n_classes) if n_classes > 2 else [1])
        ]
        self.coef_ = np.stack([solution.coefficients for solution in solutions])
        self.intercept_ = np.array([solution.bias for solution in solutions])
        self.gap_ = np.array([solution.gap for solution in solutions])
        self.n_iter_ = max(solution.n_iter for solution in solutions)
        if not all(solution.converged for solution in solutions):
            warnings.warn(
                f"max_iter={self.max_iter} steps were not enough: the loss may be up "
                f"to {self.gap_.max():.1%} too large. Raise max_iter or tol, scale the "
                "features, or use the quadratic or Huber hinge.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def decision_function(self, X: MatrixLike) -> Array:
        """Return ``X @ w + c``: one number for two classes, else one for each class.

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
        return self._decisions(self._checked(X))

    def _scores(self, X):
        return as_columns(self._decisions(X))

    def _probabilities(self, X):
        return probabilities(self._decisions(X), self.probability_scale_)

    def _decisions(self, X):
        scores = np.asarray(X @ self.coef_.T) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores
