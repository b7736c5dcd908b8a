"""Fitted models as sums of terms, ready to be compressed.

Kernel machines (of a model with one for the whole space, of scikit-learn's `SVC`) are
sums of kernel values; AdaBoost and gradient boosting are sums of weak learners' answers
(support vector trees, section 6). Any other classifier may offer ``sum_of_terms()``,
which returns (learners, answer, biases): ``answer(learner, X)`` gives an array of shape
(n,), and `decision_function` is a weighted sum of the answers plus `biases`.
"""

from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier
from sklearn.svm import SVC

from treesvm.compression.machine_compression import Source, machine_source
from treesvm.compression.terms import KernelTerms, LearnerTerms
from treesvm.kernels.kernel import kernel_class, resolve_kernel
from treesvm.machines.kernel_machine import KernelMachine
from treesvm.machines.layout import class_layout
from treesvm.machines.path import RECORD
from treesvm.partitions.whole_space import WholeSpace


def kernel_members(model):
    """The decompositions of a classifier, if its parts have kernel machines; or none.

    A model offers them as ``decompositions_``.
    """
    members = getattr(model, "decompositions_", [])
    machines = [part.machine for member in members for part in member.parts]
    are_kernels = all(m is None or isinstance(m, KernelMachine) for m in machines)
    return members if isinstance(model, ClassifierMixin) and are_kernels else []


def has_parts(model):
    """Whether a model has other kernel machines than a single one for all rows."""
    return bool(kernel_members(model)) and single_machine(model) is None


def single_machine(model):
    """The kernel machine that answers all rows as they are, None if there is none."""
    members = kernel_members(model)
    if len(members) != 1 or not isinstance(members[0].partition, WholeSpace):
        return None
    part = members[0].parts[0]
    return part.machine if part.scaling is None else None


def object_source(model, kernel, objects, gram):
    """Return the `Source` of a model that was trained on the Gram matrix of objects."""
    source = model_source(model, gram)
    values = source.decide(gram)

    def decide(rows):
        if rows is objects:  # their Gram matrix is known
            return values
        return source.decide(kernel.block(rows, objects, np.float64))

    terms = KernelTerms(kernel, objects[source.terms.vectors])
    return replace(source, terms=terms, decide=decide)


def model_source(model, X):
    """Return the `Source` of a fitted model; `X` holds a few rows it understands."""
    machine = single_machine(model)
    if machine is not None:
        return machine_source(machine)
    if isinstance(model, SVC):
        return machine_source(svc_machine(model))
    if isinstance(model, AdaBoostClassifier):
        return _adaboost_source(model)
    if isinstance(model, GradientBoostingClassifier):
        return _boosting_source(model, X)
    if hasattr(model, "sum_of_terms"):
        learners, answer, biases = model.sum_of_terms()
        terms = LearnerTerms(answer, list(learners), np.arange(len(learners)))
        return _learner_source(model, terms, np.atleast_1d(biases))
    raise ValueError(
        f"a {type(model).__name__} is no sum of terms that can be compressed; use "
        "KernelSVC, DTSVMClassifier, scikit-learn's SVC, AdaBoostClassifier or "
        "GradientBoostingClassifier, or give the class a method sum_of_terms()."
    )


def svc_machine(model):
    """Return scikit-learn's SVC as a `KernelMachine`."""
    n_classes = len(model.classes_)
    starts = np.concatenate([[0], np.cumsum(model.n_support_)])
    pairs, machine_ids = class_layout(np.arange(n_classes), "ovo")
    coef = model.dual_coef_
    coef = coef.toarray() if sparse.issparse(coef) else coef
    return KernelMachine(
        kernel=_svc_kernel(model),
        vectors=_svc_vectors(model),
        support=model.support_.astype(np.int64),
        class_starts=starts,
        machine_ids=machine_ids,
        coefficients=np.ascontiguousarray(coef.T),
        biases=np.asarray(model.intercept_, np.float64),
        pairs=pairs,
        n_classes=n_classes,
        n_training_rows=int(model.shape_fit_[0]),
        records=np.zeros(len(pairs), RECORD),
    )


def _svc_kernel(model):
    return resolve_kernel(
        model.kernel,
        gamma=model._gamma,
        degree=int(model.degree),
        coef0=float(model.coef0),
        X=None,
    )


def _svc_vectors(model):
    """Support vectors; SVC keeps all rows when its kernel is a function."""
    if kernel_class(model.kernel).is_precomputed:
        return np.zeros((len(model.support_), 0))
    if callable(model.kernel):
        return np.asarray(model._BaseLibSVM__Xfit)[model.support_]
    return model.support_vectors_


def _adaboost_source(model):
    classes, n_classes = model.classes_, len(model.classes_)

    def votes(learner, X):
        said = learner.predict(X)
        if n_classes == 2:
            return np.where(said == classes[1], 1.0, -1.0)
        return np.where(said[:, None] == classes, 1.0, -1.0 / (n_classes - 1))

    width = 1 if n_classes == 2 else n_classes
    columns = np.arange(len(model.estimators_) * width)
    terms = LearnerTerms(votes, list(model.estimators_), columns, width)
    return _learner_source(model, terms, np.zeros(width))


def _boosting_source(model, X):
    """Gradient boosting: regression trees around a constant."""
    learners = list(model.estimators_.T.ravel())
    terms = LearnerTerms(
        lambda tree, X: tree.predict(X.astype(np.float32)),
        learners,
        np.arange(len(learners)),
    )
    first = X[:1].toarray() if sparse.issparse(X) else X[:1]
    sums = model.learning_rate * terms.matrix(first)[0]
    sums = sums.reshape(model.estimators_.shape[1], -1).sum(axis=1)
    values = np.atleast_2d(model.decision_function(first)).ravel()
    return _learner_source(model, terms, values - sums)


def _learner_source(model, terms, biases):
    """Two classes: one machine for the second; more: one for each class."""
    n_classes = len(model.classes_)
    pairs = np.array([[1, 0]])
    if n_classes > 2:
        pairs = np.stack([np.arange(n_classes), np.full(n_classes, -1)], axis=1)

    def decide(X):
        return np.asarray(model.decision_function(X)).reshape(X.shape[0], -1)

    return Source(terms, decide, np.asarray(biases, np.float64), pairs, n_classes)
