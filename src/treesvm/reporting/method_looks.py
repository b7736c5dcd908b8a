"""The names of the methods that are compared, and how tables and charts show them."""

import importlib.util
from collections.abc import Sequence
from typing import NamedTuple


class Look(NamedTuple):
    """How a method is shown."""

    title: str
    colour: str
    about: str  # what it is, in one sentence
    number_title: str | None = None  # for regression, if it is another name

    def titled(self, task: str) -> str:
        """Return the title for a task."""
        if task == "regression" and self.number_title is not None:
            return self.number_title
        return self.title


# Distinguishable for most eyes, on light and on dark ground (after Okabe and Ito).
LOOKS = {
    "linear": Look(
        "Linear SVM",
        "#8c8c8c",
        "One hyperplane for the whole space (scikit-learn's LinearSVC; for numbers "
        "Ridge).",
        "Ridge",
    ),
    "svm": Look(
        "RBF SVM",
        "#d55e00",
        "One kernel machine over all rows (scikit-learn's SVC, SVR); its training "
        "grows with the square of the rows or faster.",
        "RBF SVR",
    ),
    "cart": Look(
        "CART",
        "#b08d00",
        "One decision tree that tests single features (scikit-learn).",
    ),
    "histgb": Look(
        "HistGradientB.",
        "#5d8a3c",
        "A hundred boosted trees over binned features (scikit-learn's "
        "HistGradientBoosting).",
    ),
    "lightgbm": Look(
        "LightGBM", "#a5673f", "A hundred boosted trees by LightGBM, where installed."
    ),
    "partition-tree": Look(
        "Partition tree",
        "#56b4e9",
        "A tree whose nodes are linear SVMs with a smooth hinge, solved by "
        "majorization.",
    ),
    "hlsvm": Look(
        "H-LSVM",
        "#0072b2",
        "A tree whose nodes are linear SVMs: a row meets a few hyperplanes.",
    ),
    "trsd": Look(
        "TRSD + SVM",
        "#7d6bd6",
        "A tree picks the rows that may become support vectors; a kernel machine "
        "learns from those alone.",
    ),
    "svtree": Look(
        "SV tree",
        "#e0568b",
        "A kernel machine compressed into a tree in which a row meets few support "
        "vectors.",
    ),
    "dtsvm": Look(
        "DTSVM",
        "#00a878",
        "A decision tree cuts the space, a kernel machine answers in every leaf.",
        "DTSVR",
    ),
    "tree-svc": Look(
        "TreeSVC",
        "#cc5fa5",
        "Kernel machines in the leaves of a tree, with kernel, width, C and leaf size "
        "found within a time limit.",
        "TreeSVR",
    ),
}


def chosen_methods(names: Sequence[str] | None = None) -> list[str]:
    """Return the named methods in the order of the tables, by default all installed.

    Parameters
    ----------
    names : sequence of str, optional
        Keys of `LOOKS`.

    Raises
    ------
    ValueError
        If a name is unknown, or LightGBM is asked for and not installed.
    """
    has_lightgbm = importlib.util.find_spec("lightgbm") is not None
    if names is None:
        return [name for name in LOOKS if name != "lightgbm" or has_lightgbm]
    for name in names:
        if name not in LOOKS:
            raise ValueError(
                f"there is no method {name!r}; there are: {', '.join(LOOKS)}."
            )
        if name == "lightgbm" and not has_lightgbm:
            raise ValueError(
                "lightgbm is not installed; install it with: pip install lightgbm"
            )
    return [name for name in LOOKS if name in names]
