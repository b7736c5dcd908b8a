"""What a fitted model computes, as a few plain values that every target can write.

All of the library's classifiers and regressors are read into a `Plan`: rows are encoded
perhaps, members find the part of a row and its machine says values, or oblique trees
say shares; what follows is how these become labels.
"""

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treesvm.baselines import (
    BaggedSVC,
    CPSPClassifier,
    RDSVMClassifier,
)
from treesvm.datasets.table_model import TableModel
from treesvm.decomposition.calibration import (
    answer_on_top,
    drawn_shares,
    part_masses,
)
from treesvm.estimators.candidate_svc import CandidateSVC
from treesvm.estimators.dtsvm import DTSVMClassifier
from treesvm.estimators.dtsvr import DTSVRegressor
from treesvm.estimators.kernel_svc import KernelSVC
from treesvm.estimators.kernel_svr import KernelSVR
from treesvm.estimators.oblique_classifier import ObliqueTreeClassifier
from treesvm.estimators.support_vector_tree import SupportVectorTreeClassifier
from treesvm.estimators.svm_maj import SVMMajClassifier
from treesvm.export.exported_machines import (
    Member,
    exported_member,
    linear_machine,
    span_machine,
    whole_member,
)
from treesvm.model_selection.dtsvm_cv import DTSVMClassifierCV
from treesvm.model_selection.hlsvm_cv import HLSVMClassifierCV
from treesvm.model_selection.tree_svc import TreeSVC
from treesvm.model_selection.tree_svr import TreeSVR

# By which a member's answer leads where shares would turn it.
LEAD = float(answer_on_top(np.zeros((1, 2)), np.array([1]))[0, 1])


@dataclass(frozen=True)
class Plan:
    """A model without its class.

    Attributes
    ----------
    model : object
        As it was given, for its name and its features.
    members : list of Member
        None where trees answer.
    trees : list of Tree
        Oblique trees that answer by the shares of their leaves.
    multi_class : str
        How several trees make one answer.
    by_votes : bool
        Whether the first class with most votes wins, whatever the sums (LIBSVM's rule).
    pair_values : bool
        Whether decision values are those of the pairs.
    scale : float or None
        Of probabilities as a softmax of the scores.
    joining : {"votes", "means", "logarithms"}
        How members become one: by hard votes (an only member is its scores), by the
        mean of their probabilities, or by weighted sums of their log probabilities.
    calibrations : tuple of (factors, shifts)
        By member and part, (n_parts, 1) and (n_parts, n_classes): factor times scores
        plus shift compares rows of several parts.
    slope, base : float, ndarray of shape (n_classes,)
        Slope times what compares, plus base, are the logits of a member.
    weights : tuple of float
        Of the members, where their answers are added.
    encoder : ColumnEncoder or None
    target : (mean, scale)
        Of a regressor's values.
    """

    model: Any
    members: tuple[Member, ...] = ()
    trees: tuple[Any, ...] = ()
    multi_class: str = "tree"
    by_votes: bool = False
    pair_values: bool = False
    scale: float | None = None
    joining: str = "votes"
    calibrations: tuple[tuple[Any, Any], ...] = ()
    slope: float = 1.0
    base: Any = 0.0
    weights: tuple[float, ...] = (1.0,)
    encoder: Any = None
    target: tuple[float, float] = (0.0, 1.0)

    @property
    def n_features(self):
        """Width of the rows that members and trees see."""
        of_table = self.encoder
        return self.model.n_features_in_ if of_table is None else of_table.n_features

    @property
    def classes(self):
        """The labels, None for a regressor."""
        return getattr(self.model, "classes_", None)

    @property
    def n_classes(self):
        """Number of classes, None for a regressor."""
        return None if self.classes is None else len(self.classes)

    @property
    def names(self):
        """Names of the columns that a user gives, as far as they have any."""
        if self.encoder is not None and self.encoder.column_names is not None:
            return list(map(str, self.encoder.column_names))
        return list(map(str, getattr(self.model, "feature_names_in_", ())))


def plan_of(model: Any) -> Plan:
    """Return the plan of a fitted model, or raise a ValueError that says why not."""
    if not isinstance(model, TableModel):
        if not hasattr(model, "fit"):
            raise ValueError(_no_way(model))
        check_is_fitted(model)
    return replace(_read(model), model=model)


def _no_way(model):
    return (
        f"a {type(model).__name__} cannot be exported; use a classifier or regressor "
        "of this library, or a TableModel around one."
    )


@singledispatch
def _read(model):
    raise ValueError(_no_way(model))


@_read.register(DTSVMClassifier)
@_read.register(BaggedSVC)
@_read.register(SupportVectorTreeClassifier)
def _decomposed(model):
    if getattr(model, "object_kernel", None) is not None:
        raise ValueError(
            "object_kernel is a Python function, which cannot be exported; use a "
            "kernel with a name on rows of numbers."
        )
    known = model.committee() if hasattr(model, "committee") else None
    of_evidence = known is not None and known.of_evidence
    members = tuple(exported_member(m, of_evidence) for m in model.decompositions_)
    plan = Plan(model, members)
    if known is None or known.calibration is None:
        return plan
    return _calibrated(plan, known)


def _calibrated(plan, known):
    """Return the plan of members that are joined by a `Committee`."""
    made, n_classes = known.calibration, known.n_classes
    if known.shares:
        tables = [_comparable(own, made) for own in known.shares]
        base = made.offset * np.log(made.shares)
    else:  # parts are all alike
        sizes = [len(member.machines) for member in plan.members]
        tables = [(np.ones((n, 1)), np.zeros((n, n_classes))) for n in sizes]
        base = np.zeros(n_classes)
    is_soft = known.voting == "soft" and len(plan.members) > 1
    return replace(
        plan,
        joining="means" if is_soft else "votes",
        calibrations=tuple(tables),
        slope=made.slope,
        base=base,
    )


def _comparable(own, made):
    """Return the factors and shifts of a member's parts; see `Committee`."""
    certain, log_ratio = own.is_certain[:, None], own.log_ratio
    alone = log_ratio + (1.0 - made.offset) * np.log(made.shares)
    shifts = np.where(certain, alone, made.offset * log_ratio) / made.slope
    return np.where(certain, 0.0, 1.0), shifts


@_read.register(DTSVRegressor)
def _regressor(model):
    return Plan(model, tuple(map(exported_member, model.decompositions_)))


@_read.register(KernelSVR)
def _kernel_regressor(model):
    width = model.n_features_in_
    member = whole_member(model.machine_, None, width, scaling=model.scaling_)
    return Plan(model, (member,))


@_read.register(KernelSVC)
def _kernel_classifier(model):
    n_classes, width = len(model.classes_), model.n_features_in_
    is_pairwise = n_classes > 2 and model.multi_class == "ovo"
    pair_values = is_pairwise and model.decision_function_shape == "ovo"
    member = whole_member(model.machine_, n_classes, width, pair_values, model.scaling_)
    return Plan(
        model,
        (member,),
        by_votes=is_pairwise and not model.break_ties,
        pair_values=pair_values,
        scale=_two_sided(model, n_classes),
    )


@_read.register(SVMMajClassifier)
def _linear(model):
    n_classes = len(model.classes_)
    machine = linear_machine(model.coef_, model.intercept_)
    member = whole_member(machine, n_classes, model.n_features_in_)
    return Plan(model, (member,), scale=_two_sided(model, n_classes))


@_read.register(CPSPClassifier)
def _spanned(model):
    machine = span_machine(
        model.kernel_, model.basis_vectors_, model.coef_, model.intercept_
    )
    member = whole_member(machine, len(model.classes_), model.n_features_in_)
    return Plan(model, (member,))


def _two_sided(model, n_classes):
    """Return the scale of probabilities: scores of two classes are -value and value."""
    if not model.probability:
        return None
    return model.probability_scale_ / (2.0 if n_classes == 2 else 1.0)


@_read.register(ObliqueTreeClassifier)
def _oblique(model):
    return Plan(model, trees=tuple(model.trees_), multi_class=model.multi_class)


@_read.register(DTSVMClassifierCV)
@_read.register(HLSVMClassifierCV)
@_read.register(RDSVMClassifier)
def _searched(model):
    return _read(model.best_estimator_)


@_read.register(CandidateSVC)
def _candidates(model):
    return _read(model.estimator_)


@_read.register(TreeSVC)
def _front_door(model):
    known, members, calibrations = model.committee_, [], []
    for machine, slope in zip(model.members_, known.slopes, strict=True):
        (member,) = machine.decompositions_
        certain = np.array([part.machine is None for part in member.parts])[:, None]
        shares = drawn_shares(part_masses(member, known.shares), known.shares)
        offsets = np.where(certain, 1.0, known.offset) * np.log(shares)
        calibrations.append((np.where(certain, 0.0, slope), offsets))
        members.append(exported_member(member, evidence=True))
    return Plan(
        model,
        tuple(members),
        joining="logarithms",
        calibrations=tuple(calibrations),
        weights=tuple(known.weights.tolist()),
        encoder=model.encoder_,
    )


@_read.register(TreeSVR)
def _front_door_regressor(model):
    members = [exported_member(m.decompositions_[0]) for m in model.members_]
    return Plan(
        model,
        tuple(members),
        target=(model.target_mean_, model.target_scale_),
        weights=tuple(model.member_weights_.tolist()),
        encoder=model.encoder_,
    )


@_read.register(TableModel)
def _table_model(model):
    plan = _read(model.estimator)
    if plan.encoder is not None and plan.encoder is not model.encoder_:
        raise ValueError(
            f"the {type(model.estimator).__name__} encodes rows that the TableModel "
            "has encoded already, which cannot be exported; fit it with "
            "TableModel(..., scale='none', missing='indicator'), which encodes once."
        )
    return replace(plan, encoder=model.encoder_)
