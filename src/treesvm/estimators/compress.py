"""Compress a fitted model to as few kernels as its answers allow."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treesvm.compression.machine_compression import CompressionOptions
from treesvm.compression.sized_members import (
    CompressionRows,
    SizeOptions,
    drawn_rows,
    sized_member,
)
from treesvm.compression.sources import kernel_members
from treesvm.estimators.support_vector_tree import SupportVectorTreeClassifier
from treesvm.inputs.array_types import ArrayLike, MatrixLike, Seed
from treesvm.inputs.parameter_rules import check_value, count, either, number, one_of
from treesvm.inputs.training_rows import checked_rows

_LEAST_ROWS = 10
_RULES = {
    "max_kernel_evaluations": either(
        None, count("use a positive whole number, or None")
    ),
    "tolerance": number("use a share in [0, 1)", least=0.0, below=1.0),
    "vectors": one_of("free", "support"),
    "refit": one_of("margin", "values"),
}


def compress(
    model: Any,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    X_val: MatrixLike | None = None,
    y_val: ArrayLike | None = None,
    max_kernel_evaluations: int | None = None,
    tolerance: float = 0.005,
    vectors: str = "free",
    refit: str = "margin",
    n_jobs: int | None = None,
    random_state: Seed = None,
    verbose: int = 0,
) -> Any:
    """Return a model that answers as well with fewer kernels.

    The machine of a `KernelSVC`, or every part's machine of a `DTSVMClassifier`, is
    replaced by one with a few vectors, which all binary machines of a region share. A
    prediction costs a tree walk plus a few kernels.

    Several sizes are tried for each region. Of all ways to choose among them, that with
    the fewest kernels is taken whose loss on validation rows (the share of wrong
    answers) is within `tolerance` of the model's own.

    Parameters
    ----------
    model : fitted KernelSVC or DTSVMClassifier
        Or any classifier whose ``decompositions_`` hold kernel machines.
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        Rows that small machines are fitted on; the model's training rows will do.
    y : array-like of shape (n_rows,), optional
        Their labels; without, the model's own answers are taken.
    X_val : {array-like, sparse matrix} of shape (n_val, n_features), optional
        Validation rows. Rows that the model was not trained on are
        best: on its training rows its loss is too low, and the choice too careful. By
        default 30 % of X are drawn and kept out of the fits.
    y_val : array-like of shape (n_val,), optional
        Their labels.
    max_kernel_evaluations : int, optional
        Most kernels for a row, in each decomposition. It goes before `tolerance`.
    tolerance : float, default=0.005
        How much larger the share of wrong answers may be.
    vectors : {"free", "support"}, default="free"
        "free" moves vectors, weights features anew in each region and fits the classes
        of X and the model's answers; "support" keeps some of the machine's own vectors,
        with coefficients that approximate its values. Free vectors need fewer kernels
        for as few wrong answers, and need an RBF kernel and dense rows; others are
        compressed as with "support".
    refit : {"margin", "values"}, default="margin"
        What coefficients of support vectors approximate, see
        `SupportVectorTreeClassifier`.
    n_jobs : int, optional
        Threads over the leaves. The result does not depend on it.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.
    verbose : int, default=0
        Above 0, progress goes to standard error.

    Returns
    -------
    SupportVectorTreeClassifier
        Fitted; with ``validation_loss_`` and ``model_loss_``, the shares of wrong
        answers on the validation rows. With ``tolerance=0`` and nothing to gain it
        holds the whole machine and answers like it.

    Notes
    -----
    When not to use it: for batches a large matrix product with all support vectors is
    fast already; compression pays for single rows and dear kernels.

    With free vectors the value of a binary machine is the logarithm of the odds of its
    two classes, not the value of the machine that it replaces; its sign, votes and
    scores of classes mean the same. Where values should stay near the model's, use
    ``vectors="support"``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import KernelSVC, compress
    >>> X, y = make_moons(1000, noise=0.2, random_state=0)
    >>> machine = KernelSVC(C=1, gamma=2).fit(X[:500], y[:500])
    >>> small = compress(machine, X[500:], y[500:], random_state=0)
    >>> bool(small.kernel_evaluations(X).max() < 0.2 * len(machine.support_))
    True
    """
    _check(
        model,
        max_kernel_evaluations=max_kernel_evaluations,
        tolerance=tolerance,
        vectors=vectors,
        refit=refit,
    )
    tree = SupportVectorTreeClassifier(
        max_height=max_kernel_evaluations,
        refit=refit,
        split_rows="cv",
        vectors="support",
        n_jobs=n_jobs,
        random_state=random_state,
    )
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    rows = _split_rows(tree, model, (X, y), (X_val, y_val), rng)
    options = CompressionOptions(loss=refit, split_rows=None)
    sizes = SizeOptions(max_kernel_evaluations, tolerance, vectors == "free")
    seed = int(rng.integers(2**31))
    made = [
        sized_member(
            member, rows, options, sizes,
            seed=[seed, number], n_jobs=n_jobs, verbose=verbose,
        )
        for number, member in enumerate(model.decompositions_)
    ]  # fmt: skip
    tree.classes_ = model.classes_
    tree.n_features_in_ = model.n_features_in_
    if hasattr(model, "feature_names_in_"):
        tree.feature_names_in_ = model.feature_names_in_
    tree.restore_fitted([one.member for one in made])
    tree.model_loss_ = float(np.mean([one.model_loss for one in made]))
    tree.validation_loss_ = float(np.mean([one.loss for one in made]))
    return tree


def _check(model, **parameters):
    """Refuse what cannot be compressed, and parameters out of range."""
    if isinstance(model, ClassifierMixin):
        check_is_fitted(model)
    if not kernel_members(model):
        raise ValueError(
            f"a {type(model).__name__} cannot be compressed by size; use a KernelSVC "
            "or a DTSVMClassifier (of a search, one with the values it found), or "
            "SupportVectorTreeClassifier, which takes more models."
        )
    for name, value in parameters.items():
        check_value(name, value, _RULES[name])


def _split_rows(tree, model, given, validation, rng):
    """Check rows and labels; draw the validation rows if none are given."""
    X, codes = _rows_and_codes(tree, model, *given, reset=True)
    if X.shape[0] < _LEAST_ROWS:
        raise ValueError(
            f"X has {X.shape[0]} rows; compressing needs at least {_LEAST_ROWS} to fit "
            "and validate on."
        )
    if validation[0] is not None:
        held = _rows_and_codes(tree, model, *validation, reset=False)
        return CompressionRows(X, codes, *held)
    return drawn_rows(X, codes, rng)


def _rows_and_codes(tree, model, X, y, *, reset):
    """Return checked rows and their class codes, -1 for labels unknown to the model."""
    X = checked_rows(tree, X, reset=reset)
    labels = model.predict(X) if y is None else np.asarray(y)
    if len(labels) != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows and y has {len(labels)} labels.")
    codes = np.searchsorted(model.classes_, labels)
    codes = np.minimum(codes, len(model.classes_) - 1)
    return X, np.where(model.classes_[codes] == labels, codes, -1)
