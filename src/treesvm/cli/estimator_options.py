"""The method and its parameters, from options to an estimator."""

import treesvm

# Method -> estimator, the one that searches its parameters, and the options it knows.
_COMMON = ("class_weight",)
_TABLE = {
    "dtsvm": (
        "DTSVMClassifier",
        "DTSVMClassifierCV",
        ("C", "gamma", "max_leaf_size", "n_estimators", "probability", "checkpoint"),
    ),
    "hlsvm": (
        "HLSVMClassifier",
        "HLSVMClassifierCV",
        ("alpha", "max_depth", "checkpoint"),
    ),
    "svm": ("KernelSVC", None, ("C", "gamma", "probability")),
    "partition-tree": (
        "SVMPartitionTreeClassifier",
        "SVMPartitionTreeClassifier",
        ("alpha", "max_depth"),
    ),
}
METHOD_NAMES = tuple(_TABLE)
_SEARCHED = ("C", "gamma", "alpha")  # what a search finds and so cannot be given


def add_estimator_options(parser):
    """Add the method and its parameters."""
    group = parser.add_argument_group("method")
    group.add_argument(
        "--method",
        choices=METHOD_NAMES,
        default="dtsvm",
        help="dtsvm: kernel machines in the leaves of a tree; hlsvm: tree of linear "
        "SVMs; svm: one kernel machine; partition-tree: tree of majorized SVMs "
        "(default: dtsvm)",
    )
    group.add_argument(
        "--search",
        action="store_true",
        help="find the parameters on held-out training rows (not for svm)",
    )
    group.add_argument("--C", type=float, help="weight of the errors (dtsvm, svm)")
    group.add_argument("--gamma", type=_gamma, help='of the kernel, or "scale"')
    group.add_argument(
        "--max-leaf-size", type=int, help="rows in a leaf (dtsvm; default: 1500)"
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
        help="calibrate probabilities for predict --proba (dtsvm, svm; the trees have "
        "them anyway)",
    )


def _gamma(text):
    return text if text in ("scale", "auto") else float(text)


def make_estimator(options, *, verbose=0):
    """Return the unfitted estimator that the options describe.

    Raises
    ------
    ValueError
        If an option does not belong to the method: none is ignored.
    """
    plain, searching, own = _TABLE[options.method]
    names = ("C", "gamma", "max_leaf_size", "n_estimators", "alpha", "max_depth")
    given = {
        name: getattr(options, name)
        for name in (*names, *_COMMON, "probability", "checkpoint")
        if getattr(options, name) is not None
    }
    for name in given:
        if name not in own + _COMMON:
            raise ValueError(
                f"{_option(name)} does not belong to --method {options.method}; it has "
                + ", ".join(map(_option, own + _COMMON))
                + "."
            )
    if options.search:
        if searching is None:
            raise ValueError(
                f"--search is not there for --method {options.method}; use --method "
                "dtsvm, or give --C and --gamma."
            )
        for name in _SEARCHED:
            if name in given:
                raise ValueError(f"--search finds {name}; leave out {_option(name)}.")
    cls = getattr(treesvm, searching if options.search else plain)
    if options.method == "partition-tree" and "alpha" not in given:
        given["alpha"] = "cv" if options.search else 1.0
    if "verbose" in cls().get_params():
        given["verbose"] = verbose
    return cls(n_jobs=options.jobs, random_state=options.seed, **given)


def _option(name):
    return "--" + name.replace("_", "-")
