"""The method and its parameters, from options to an estimator."""

import argparse
from typing import NamedTuple

import treesvm

_GAMMAS = ("median", "scale", "auto")


class _Method(NamedTuple):
    """The estimators of a method, and the options that each knows."""

    classifier: str
    options: tuple[str, ...]
    searching: str | None = None
    regressor: str | None = None
    regressor_options: tuple[str, ...] = ()


_METHODS = {
    "tree": _Method(
        "TreeSVC",
        ("time_limit", "class_weight"),
        regressor="TreeSVR",
        regressor_options=("time_limit",),
    ),
    "dtsvm": _Method(
        "DTSVMClassifier",
        (
            *("C", "gamma", "kernel", "feature_weights", "max_leaf_size"),
            *("n_estimators", "probability", "checkpoint", "class_weight"),
        ),
        searching="DTSVMClassifierCV",
        regressor="DTSVRegressor",
        regressor_options=("C", "gamma", "kernel", "feature_weights", "max_leaf_size"),
    ),
    "hlsvm": _Method(
        "HLSVMClassifier",
        ("alpha", "max_depth", "checkpoint", "class_weight"),
        searching="HLSVMClassifierCV",
    ),
    "svm": _Method(
        "KernelSVC",
        ("C", "gamma", "kernel", "feature_weights", "probability", "class_weight"),
        regressor="KernelSVR",
        regressor_options=("C", "gamma", "kernel", "feature_weights"),
    ),
    "partition-tree": _Method(
        "SVMPartitionTreeClassifier",
        ("alpha", "max_depth", "class_weight"),
        searching="SVMPartitionTreeClassifier",
    ),
}
METHOD_NAMES = tuple(_METHODS)
_OPTIONS = tuple(dict.fromkeys(n for m in _METHODS.values() for n in m.options))
_SEARCHED = ("C", "gamma", "alpha")  # what a search finds and so cannot be given


def add_estimator_options(parser):
    """Add the task, the method and its parameters."""
    group = parser.add_argument_group("method")
    group.add_argument(
        "--task",
        choices=("classification", "regression"),
        help="what the labels are: classes, or numbers (default: found from the "
        "labels, and said)",
    )
    group.add_argument(
        "--method",
        choices=METHOD_NAMES,
        help="tree: TreeSVC or TreeSVR, which find everything themselves; dtsvm: "
        "kernel machines in the leaves of a tree; hlsvm: tree of linear SVMs; svm: one "
        "kernel machine; partition-tree: tree of majorized SVMs (default: tree; dtsvm "
        "where one of its options is given)",
    )
    group.add_argument(
        "--time-limit",
        type=float,
        metavar="SECONDS",
        help="of the search and the training, about (tree; default: 60)",
    )
    group.add_argument(
        "--search",
        action="store_true",
        help="find the parameters on held-out training rows (dtsvm, hlsvm, "
        "partition-tree; tree always does)",
    )
    group.add_argument("--C", type=float, help="weight of the errors (dtsvm, svm)")
    group.add_argument(
        "--gamma", type=_gamma, help="of the kernel: a number, or median, scale or auto"
    )
    group.add_argument(
        "--kernel",
        choices=("laplacian", "rbf", "linear", "poly", "sigmoid"),
        help="of the machines (dtsvm, svm; default: that of the method)",
    )
    group.add_argument(
        "--feature-weights",
        choices=("learned", "local"),
        help="learn in every part how much each feature counts, the same along it or "
        "more where it matters (dtsvm, svm)",
    )
    group.add_argument(
        "--max-leaf-size",
        type=int,
        help="rows in a leaf (dtsvm; default: 1500, up to 5,000 rows in one)",
    )
    group.add_argument(
        "--n-estimators", type=int, help="trees that vote (dtsvm; default: 1)"
    )
    group.add_argument(
        "--alpha", type=float, help="λ, smoothness (hlsvm, partition-tree)"
    )
    group.add_argument(
        "--max-depth", type=int, help="hyperplanes on a path (hlsvm, partition-tree)"
    )
    group.add_argument(
        "--class-weight", choices=("balanced",), help="let all classes weigh the same"
    )
    group.add_argument(
        "--probability",
        action="store_true",
        default=None,
        help="calibrate probabilities for predict --proba (svm; the others have them "
        "anyway)",
    )


def _gamma(text):
    if text in _GAMMAS:
        return text
    try:
        return float(text)
    except ValueError:
        names = ", ".join(_GAMMAS)
        reason = f"{text!r} is no width; use a positive number or one of {names}"
        raise argparse.ArgumentTypeError(reason) from None


def method_of(options):
    """Return the method: as given, else dtsvm if its options are, else tree."""
    if options.method is not None:
        return options.method
    needed = set(_METHODS["dtsvm"].options) - set(_METHODS["tree"].options)
    is_dtsvm = options.search or options.cluster is not None
    return "dtsvm" if is_dtsvm or needed & _given(options).keys() else "tree"


def _given(options):
    """Return {name: value} of the parameters on the command line."""
    every = {name: getattr(options, name) for name in _OPTIONS}
    return {name: value for name, value in every.items() if value is not None}


def make_estimator(options, task="classification", *, verbose=0):
    """Return the unfitted estimator that the options describe.

    Raises
    ------
    ValueError
        If an option does not belong to the method: none is ignored.
    """
    method, given = method_of(options), _given(options)
    name, own = _estimator_of(options, method, task)
    for option in given:
        if option not in own:
            raise ValueError(
                f"{_option(option)} does not belong to --method {method}"
                f"{' for regression' * (task == 'regression')}; it has "
                + ", ".join(map(_option, own))
                + "."
            )
    if options.search:
        for option in _SEARCHED:
            if option in given:
                raise ValueError(
                    f"--search finds {option}; leave out {_option(option)}."
                )
    if method == "partition-tree" and "alpha" not in given:
        given["alpha"] = "cv" if options.search else 1.0
    cls = getattr(treesvm, name)
    general = {
        "verbose": verbose,
        "n_jobs": options.jobs,
        "random_state": options.seed,
    }
    known = cls().get_params()
    return cls(**given, **{k: v for k, v in general.items() if k in known})


def _estimator_of(options, method, task):
    """Return the name of the estimator's class, and the options it has."""
    table = _METHODS[method]
    if options.search and (table.searching is None or task == "regression"):
        raise ValueError(
            f"--search is not there for --method {method}, {task}; use --method tree "
            "without it, which always searches, or give --C and --gamma."
        )
    if task == "classification":
        return table.searching if options.search else table.classifier, table.options
    if table.regressor is None:
        able = ", ".join(name for name, m in _METHODS.items() if m.regressor)
        raise ValueError(
            f"--method {method} only classifies; for regression there are: {able}. If "
            "the labels are classes, say --task classification."
        )
    return table.regressor, table.regressor_options


def _option(name):
    return "--" + name.replace("_", "-")
