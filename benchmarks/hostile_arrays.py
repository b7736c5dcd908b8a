"""Generated arrays over all public estimators: a right answer, or an error with a name.

Each case draws an estimator, rows, a form in which they are held, labels, weights and
parameters, most of them ordinary and one or two of them hostile. It is run beside its
twin: the same fit on dense float64 rows with class codes for labels. Right is

- an answer of the twin's labels and values, finite and of the right shape; or
- a ValueError or TypeError that names what is wrong, where something is.

Harm is everything else: other exceptions, numbers that are not finite, warnings of
NumPy about them, rows in another form that are refused or answered otherwise, a crash,
and more time or memory than a child may take.
"""

import importlib
import inspect
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.exceptions import ConvergenceWarning

from benchmarks.hostile_cases import generated_case, judging
from benchmarks.hostile_ingredients import (
    FORMS_OF_ALL_KINDS,
    LABELS,
    NUMBERS,
    TARGETS,
    VALUES,
    WEIGHTS,
    same_values,
)
from treesvm import KernelSVC

N_CASES, N_QUICK = 10_000, 60
_BATCH = 250
FINE = ("right answer", "refused by name", "answered, not converged")
_PACKAGES = ("treesvm", "treesvm.baselines", "treesvm.candidates")
# What keeps a case small; other parameters are the defaults.
_SMALL = {
    "max_leaf_size": 25,
    "n_neighbors": 5,
    "min_share": 0.1,
    "Cs": [1.0, 10.0],
    "gammas": [0.1, 1.0],
    "alphas": [0.01, 0.1],
    "max_samples": 40,
    "time_limit": 1e-9,  # one theta, whatever the machine does: the twin takes it too
    "random_state": 0,
}
_WORK = ("n_estimators", "epochs", "max_estimators", "budget", "verbose", "estimator")
_SHAPES = ((1, 2, 3, 4, 6, 10, 25, 60, 120), (1, 2, 3, 8, 40, 300))
_NAMES = re.compile(
    r"\b(X|y|sample_weight|weights?|rows?|samples?|n_samples|features?|columns?"
    r"|class(es)?|labels?|targets?|dtype|dimensions?|array|matrix|sparse|NaN|infinity"
    r"|indices|folds?|inputs?|parameter|scoring|holds|\w+=)",
    re.IGNORECASE,
)


class Case(NamedTuple):
    """One fit. What is hostile is named in `odd`."""

    estimator: BaseEstimator
    X: Any  # as it is held
    y: Any
    weight: Any
    asked: Any  # rows to answer, held in the same way
    twin: tuple | None  # dense X, codes, weight, asked; None where there is none
    labels: np.ndarray | None  # the label of each code
    odd: tuple[str, ...]


def public_estimators():
    """Return {name: class} of all estimators and selectors that are exported."""
    found = {}
    for package in map(importlib.import_module, _PACKAGES):
        for name in package.__all__:
            member = getattr(package, name)
            if inspect.isclass(member) and issubclass(member, BaseEstimator):
                found[name] = member
    return dict(sorted(found.items()))


ESTIMATORS = public_estimators()


def drawn(number, folder, seed=0):
    """Return case and kind of one number; they depend on number and seed only."""
    rng = np.random.default_rng([seed, number])
    names = list(ESTIMATORS)
    name = names[number % len(names)]
    kinds = ("form", "values", "labels", "weights", "parameters", "shape")
    odd = tuple(rng.choice(kinds, 1 + (rng.random() < 0.2), replace=False).tolist())
    estimator, odd_name = _estimator(name, rng, "parameters" in odd)
    n, d = 60, 4
    if "shape" in odd:
        n, d = (int(rng.choice(sizes)) for sizes in _SHAPES)
    values = _pick(VALUES, rng, "values" in odd)
    form = _pick(FORMS_OF_ALL_KINDS, rng, "form" in odd)
    X = VALUES[values](rng, n + 20, d)
    codes = _codes(X, rng)
    table = TARGETS if is_regressor(estimator) else LABELS
    label_kind = _pick(table, rng, "labels" in odd)
    y, labels = table[label_kind](codes[:n], X[:n], rng)
    weight_kind = _pick(WEIGHTS, rng, "weights" in odd)
    weight = WEIGHTS[weight_kind](rng, n)
    held, asked = (FORMS_OF_ALL_KINDS[form](part, folder) for part in (X[:n], X[n:]))
    dense = same_values(held), same_values(asked)
    twin = None
    # A time limit that is reached ends a search where the machine happens to be.
    has_twin = labels is not None and not odd_name.startswith("time_limit")
    if dense[0] is not None and has_twin:
        target = y if is_regressor(estimator) else codes[:n]
        twin = (dense[0], np.asarray(target), weight, dense[1])
    words = (values, form, label_kind, weight_kind, f"{n} × {d}", odd_name)
    case = Case(estimator, held, y, weight, asked, twin, labels, odd)
    return case, " + ".join(sorted(odd)), f"{name}: " + ", ".join(filter(None, words))


def _pick(table, rng, is_odd):
    """Return a key: the first is ordinary."""
    names = list(table)
    return names[1 + rng.integers(len(names) - 1)] if is_odd else names[0]


def _codes(X, rng):
    """Return three classes that can be learned, with some noise."""
    with np.errstate(all="ignore"):
        first = np.nan_to_num(X[:, 0]) if X.shape[1] else np.zeros(len(X))
        codes = np.searchsorted(np.quantile(first, [0.4, 0.7]), first)
    noisy = rng.random(len(X)) < 0.05
    codes[noisy] = rng.integers(0, 3, noisy.sum())
    return np.unique(codes, return_inverse=True)[1]


def small_estimator(name):
    """Return an estimator with parameters for few rows."""
    return ESTIMATORS[name](**_small_options(name))


def _small_options(name):
    known = inspect.signature(ESTIMATORS[name]).parameters
    options = {key: value for key, value in _SMALL.items() if key in known}
    if name == "SupportVectorTreeClassifier":
        # The number of vectors is given: what a search chooses, rounding may decide.
        options |= {"estimator": KernelSVC(gamma=1.0, tol=1e-8), "max_height": 3}
        options["split_rows"] = 1
    return options


def _estimator(name, rng, is_odd):
    """Return an estimator, and the words for its odd parameter."""
    known, options = (
        inspect.signature(ESTIMATORS[name]).parameters,
        _small_options(name),
    )
    able = [key for key in known if key not in _WORK]
    if not is_odd or not able:
        return ESTIMATORS[name](**options), ""
    odd_name = able[rng.integers(len(able))]
    options[odd_name] = NUMBERS[rng.integers(len(NUMBERS))]
    if odd_name == "random_state" and options[odd_name] is None:
        options[odd_name] = 7  # the twin draws the same
    words = f"{odd_name}={str(options[odd_name])[:40]!r}"
    return ESTIMATORS[name](**options), words


def judge(case):
    """Return the outcome of one case in a few words."""
    fresh = clone(case.estimator, safe=False)
    outcome, found = _run(case.estimator, case.X, case.y, case.weight, case.asked)
    if case.twin is None:
        return outcome
    X, target, weight, asked = case.twin
    expected_outcome, expected = _run(fresh, X, target, weight, asked)
    if "answer" not in outcome or "answer" not in expected_outcome:
        if outcome.split(":")[0] == expected_outcome.split(":")[0]:
            return outcome
        return f"other than its twin: {outcome} / twin: {expected_outcome}"
    if not outcome == expected_outcome == "right answer":
        return outcome
    # A model of dense rows answers all forms alike, whatever the form chose in fitting.
    labels = None if case.labels is None else np.arange(len(case.labels))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that the twin did not see
        asked_otherwise = _compared(answers_of(fresh, case.asked), expected, labels)
    if asked_otherwise != "right answer":
        return f"asked: {asked_otherwise}"
    if sparse.issparse(case.X) and hasattr(fresh, "encoder_"):
        return outcome  # a search over tables tries other machines for sparse rows
    # Which of two equal neighbours is the nearer one, the way of searching decides.
    has_ties = len(np.unique(X, axis=0)) < len(X)
    return _compared(found, expected, case.labels, has_ties)


def _run(estimator, X, y, weight, asked):
    """Fit and ask; return (words, answers)."""
    options = {} if weight is None else {"sample_weight": weight}
    if "sample_weight" not in inspect.signature(estimator.fit).parameters:
        options = {}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            fitted = estimator.fit(X, y, **options)
            answers = answers_of(fitted, asked)
        except (ValueError, TypeError) as error:
            text = " ".join(str(error).split())
            is_named = _NAMES.search(text) and len(text) > 15
            return (
                "refused by name" if is_named else f"nameless: {text[:200]!r}"
            ), None
        except MemoryError as error:
            return f"out of memory {str(error)[:100]}", None
        except Exception as error:  # that is what this looks for
            return f"{type(error).__name__}: {error}"[:300], None
    for warning in seen:
        if issubclass(warning.category, RuntimeWarning):
            return f"warned: {warning.message} ({warning.filename[-40:]})", None
    wrong = _nonsense(fitted, answers)
    if wrong:
        return f"nonsense in {wrong}", None
    if any(issubclass(warning.category, ConvergenceWarning) for warning in seen):
        return "answered, not converged", answers
    return "right answer", answers


def answers_of(model, T):
    """Return {method: answer} of a fitted model, or of a selector what it selected."""
    if hasattr(model, "sample_indices_") and not hasattr(model, "predict"):
        return {"sample_indices_": model.sample_indices_}
    names = ("predict", "decision_function", "predict_proba")
    return {name: getattr(model, name)(T) for name in names if hasattr(model, name)}


def _nonsense(model, answers):
    """Return the method whose answer cannot be right, or None."""
    for name, answer in answers.items():
        if answer.dtype.kind == "f" and not np.isfinite(answer).all():
            return name
        classes = getattr(model, "classes_", answer)
        if name == "predict" and not np.isin(answer, classes).all():
            return name
        if name == "predict_proba" and not np.allclose(answer.sum(axis=1), 1.0):
            return name
    return None


def _compared(found, expected, labels, has_ties=False):
    """Return the outcome of two runs that both answered."""
    for name, other in expected.items():
        one = found[name]
        if one.shape != other.shape and not has_ties:
            return f"shapes of {name} differ: {one.shape}, {other.shape}"
        if name == "predict" and labels is not None and len(labels):
            wrong = np.asarray(labels)[other] != one
            if wrong.mean() > 0.1:  # ties may fall otherwise by rounding
                return f"{wrong.mean():.0%} of the answers differ"
        elif other.dtype.kind == "f":
            scale = np.abs(other).max(initial=0.0) + 1e-300
            far = np.abs(one - other) > 0.02 * scale
            if far.mean() > 0.1:
                return f"{far.mean():.0%} of {name} differ"
        elif name == "sample_indices_" and not (has_ties or np.array_equal(one, other)):
            return "other rows were selected"
    return "right answer"


def arrays_case(context):
    """Ten thousand cases, each in a child with limits."""
    n_cases = N_QUICK if context.quick else N_CASES
    return generated_case(context, "arrays", n_cases, _BATCH, described, FINE)


def described(number, folder):
    """Return kind and words of a number."""
    return drawn(number, folder)[1:]


opener = judging(lambda number, folder: judge(drawn(number, folder)[0]))


if __name__ == "__main__":
    import sys

    with tempfile.TemporaryDirectory() as folder:
        for item in map(int, sys.argv[1:]):
            case, kind, words = drawn(item, Path(folder))
            print(item, kind, words, judge(case))
