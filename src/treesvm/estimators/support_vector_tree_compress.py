"""Compress a fitted model to as few kernels as its answers allow."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treesvm.compression.machine_compression import CompressionOptions, machine_source
from treesvm.compression.size_choice import (
    choose_sizes,
    free_machines,
    sized_machines,
    whole_machine,
)
from treesvm.compression.tree_parts import map_parts
from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.part import Part, certain_scores
from treesvm.estimators.dtsvm import DTSVMClassifier
from treesvm.estimators.kernel_svc import KernelSVC
from treesvm.estimators.support_vector_tree import SupportVectorTreeClassifier
from treesvm.inputs.parameter_rules import is_count, is_number
from treesvm.inputs.training_rows import checked_rows
from treesvm.machines.scaling import LeafScaling
from treesvm.machines.voting import predicted_codes
from treesvm.partitions.whole_space import WholeSpace
from treesvm.trees.leaf_rows import rows_by_leaf

_VALIDATION_SHARE = 0.3
_LEAST_ROWS = 10
_FEW_VECTORS = 100  # chains of support vectors cost no more than free ones


class _Rows(NamedTuple):
    """Rows to fit on and rows to validate on, with the codes they should get."""

    fit: object
    fit_codes: np.ndarray
    validation: object
    codes: np.ndarray


class _Choice(NamedTuple):
    """What machines may be made of, and how one of them is chosen."""

    most: int | None  # kernels for a row
    tolerance: float
    is_free: bool
    seed: list


def compress(
    model,
    X,
    y=None,
    *,
    X_val=None,
    y_val=None,
    max_kernel_evaluations=None,
    tolerance=0.005,
    vectors="free",
    refit="margin",
    n_jobs=None,
    random_state=None,
    verbose=0,
):
    """Return a model that answers as well with fewer kernels.

    The machine of a `KernelSVC`, or every leaf's machine of a `DTSVMClassifier`, is
    replaced by one with a few vectors, which all binary machines of a region share. A
    prediction costs a tree walk plus a few kernels.

    Several sizes are tried for each region. Of all ways to choose among them, that with
    the fewest kernels is taken whose loss on validation rows (the share of wrong
    answers) is within `tolerance` of the model's own.

    Parameters
    ----------
    model : fitted KernelSVC or DTSVMClassifier
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        Rows that small machines are fitted on; the model's training rows will do.
    y : array-like of shape (n_rows,), optional
        Their labels; without, the model's own answers are taken.
    X_val, y_val : optional
        Validation rows and their labels. Rows that the model was not trained on are
        best: on its training rows its loss is too low, and the choice too careful. By
        default 30 % of X are drawn and kept out of the fits.
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
    verbose : int, default=0

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
    _check(model, max_kernel_evaluations, tolerance, vectors, refit)
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
    seed = int(rng.integers(2**31))
    members, losses = [], []
    is_free = vectors == "free"
    for number, member in enumerate(_members_of(model)):
        choice = _Choice(max_kernel_evaluations, tolerance, is_free, [seed, number])
        made, loss = _compress_member(member, rows, options, choice, n_jobs, verbose)
        members.append(made)
        losses.append(loss)
    members = _scaled_alike(members, model.n_features_in_)
    tree.classes_ = model.classes_
    tree.n_features_in_ = model.n_features_in_
    if hasattr(model, "feature_names_in_"):
        tree.feature_names_in_ = model.feature_names_in_
    tree.restore_fitted(members)
    tree.model_loss_, tree.validation_loss_ = np.mean(losses, axis=0).tolist()
    return tree


def _check(model, max_kernel_evaluations, tolerance, vectors, refit):
    """Refuse what cannot be compressed, and parameters out of range."""
    if not isinstance(model, (KernelSVC, DTSVMClassifier)):
        raise ValueError(
            f"a {type(model).__name__} cannot be compressed by size; use a KernelSVC "
            "or a DTSVMClassifier (of a search, one with the values it found), or "
            "SupportVectorTreeClassifier, which takes more models."
        )
    check_is_fitted(model)
    if max_kernel_evaluations is not None and not is_count(max_kernel_evaluations):
        raise ValueError(
            f"max_kernel_evaluations={max_kernel_evaluations!r} is not possible; use "
            "a positive whole number, or None."
        )
    if not is_number(tolerance, least=0.0, below=1.0):
        raise ValueError(
            f"tolerance={tolerance!r} is not possible; use a share in [0, 1)."
        )
    if vectors not in ("free", "support"):
        raise ValueError(
            f"vectors={vectors!r} is not possible; use 'free' or 'support'."
        )
    if refit not in ("margin", "values"):
        raise ValueError(f"refit={refit!r} is not possible; use 'margin' or 'values'.")


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
        return _Rows(X, codes, *held)
    order = rng.permutation(X.shape[0])
    n_validation = int(_VALIDATION_SHARE * X.shape[0])
    fit, held = np.sort(order[n_validation:]), np.sort(order[:n_validation])
    return _Rows(X[fit], codes[fit], X[held], codes[held])


def _rows_and_codes(tree, model, X, y, *, reset):
    """Return checked rows and their class codes, -1 for labels unknown to the model."""
    X = checked_rows(tree, X, reset=reset)
    labels = model.predict(X) if y is None else np.asarray(y)
    if len(labels) != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows and y has {len(labels)} labels.")
    codes = np.searchsorted(model.classes_, labels)
    codes = np.minimum(codes, len(model.classes_) - 1)
    return X, np.where(model.classes_[codes] == labels, codes, -1)


def _members_of(model):
    """The model's decompositions; a machine of the whole space is one."""
    if isinstance(model, DTSVMClassifier):
        return model.decompositions_
    n_classes = len(model.classes_)
    part = Part(0, model._machine, None, 0, n_classes, 0.0)
    return [Decomposition(WholeSpace(), [part], n_classes)]


def _compress_member(member, rows, options, choice, n_jobs, verbose):
    """Return the compressed member, and (its model's, its own) validation loss."""
    is_whole = isinstance(member.partition, WholeSpace)
    fit = rows_by_leaf(member.apply(rows.fit), len(member.parts))
    validation = rows_by_leaf(member.apply(rows.validation), len(member.parts))

    def sizes_of(part, own, k):
        asked = validation.rows(k)
        X, codes = rows.validation[asked], rows.codes[asked]
        if part.machine is None:
            answers = certain_scores(part.code, member.n_classes).argmax()
            return int((codes != answers).sum()), None
        rng = np.random.default_rng([*choice.seed, k])
        region = _Region(part, rows.fit[own], rows.fit_codes[own], X, codes)
        n_wrong = region.n_wrong(part)
        tried = region.tried_sizes(options, choice, n_wrong, rng, has_trees=is_whole)
        return n_wrong, (*tried, len(asked))

    tried = map_parts(sizes_of, member.parts, fit, n_jobs, verbose)
    n_asked = max(1, len(rows.codes))
    model_wrong = sum(wrong for wrong, _ in tried)
    tables = [table for _, table in tried if table is not None]
    allowed = model_wrong + choice.tolerance * n_asked
    certain = sum(wrong for wrong, table in tried if table is None)
    chosen = iter(choose_sizes(tables, allowed - certain))
    parts, own_wrong = [], certain
    for part, (_, table) in zip(member.parts, tried, strict=True):
        if table is not None:
            k = next(chosen)
            own_wrong += int(table[1][k])
            part = part._replace(machine=table[0][k], scaling=None)
        parts.append(part)
    made = Decomposition(member.partition, parts, member.n_classes)
    return made, (model_wrong / n_asked, own_wrong / n_asked)


class _Region(NamedTuple):
    """The machine of one region, rows to fit on, and rows to validate on."""

    part: Part
    fit: object
    fit_codes: np.ndarray
    validation: object
    codes: np.ndarray

    def n_wrong(self, answering):
        """Count validation rows whose answer by a part or machine is not their code."""
        if len(self.codes) == 0:
            return 0
        scores = getattr(answering, "machine", answering).scores(
            answering.decisions(self.validation)
        )
        return int((scores.argmax(axis=1) != self.codes).sum())

    def tried_sizes(self, options, choice, bound, rng, *, has_trees):
        """Return machines of several sizes, and the wrong answers of each.

        Free vectors that answer no worse than `bound` end the search in a leaf.
        """
        machine, scaling = self.part.machine, self.part.scaling
        source, most = machine_source(machine), choice.most
        rows, codes = self._fit_rows(source)
        found, wrong = [], []
        if choice.is_free:
            for made in free_machines(machine, source, rows, codes, options, most, rng):
                found.append(made.after_scaling(scaling))
                wrong.append(self.n_wrong(found[-1]))
                if wrong[-1] <= bound:
                    break
        if has_trees or not found or machine.n_vectors <= _FEW_VECTORS:
            others = sized_machines(
                machine, source, rows, options, most, rng, has_trees=has_trees
            )
        else:
            is_allowed = most is None or machine.n_vectors <= most
            others = [whole_machine(machine, source)] if is_allowed else []
        others = [made.after_scaling(scaling) for made in others]
        wrong += [self.n_wrong(made) for made in others]
        return found + others, np.array(wrong)

    def _fit_rows(self, source):
        """Rows as the machine sees them; its own vectors where there are none."""
        if len(self.fit_codes):
            return self.part.seen(self.fit), self.fit_codes
        rows = self.part.machine.vectors
        codes = predicted_codes(source.decide(rows), source.pairs, source.n_classes)
        return rows, codes


def _scaled_alike(members, n_features):
    """Give all machines a scaling if one has: a model file holds one kind only."""
    machines = [part.machine for member in members for part in member.parts]
    if all(machine is None or machine.scaling is None for machine in machines):
        return members
    same = LeafScaling(np.arange(n_features), np.zeros(n_features), np.ones(n_features))

    def scaled(part):
        if part.machine is None or part.machine.scaling is not None:
            return part
        return part._replace(machine=part.machine.with_scaling(same))

    return [
        replace(member, parts=[scaled(part) for part in member.parts])
        for member in members
    ]
