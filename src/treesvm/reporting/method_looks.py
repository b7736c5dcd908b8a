"""The names of the methods that are compared, and how tables and charts show them."""

import importlib.util
from collections.abc import Sequence
from typing import NamedTuple


class Look(NamedTuple):
    """How a method is shown."""

    title: str
    colour: str


# Distinguishable for most eyes, on light and on dark ground (after Okabe and Ito).
LOOKS = {
    "linear": Look("Linear SVM", "#8c8c8c"),
    "svm": Look("RBF SVM", "#d55e00"),
    "cart": Look("CART", "#b08d00"),
    "histgb": Look("HistGradientB.", "#5d8a3c"),
    "lightgbm": Look("LightGBM", "#a5673f"),
    "partition-tree": Look("Partition tree", "#56b4e9"),
    "hlsvm": Look("H-LSVM", "#0072b2"),
    "trsd": Look("TRSD + SVM", "#7d6bd6"),
    "svtree": Look("SV tree", "#e0568b"),
    "dtsvm": Look("DTSVM", "#00a878"),
    "tree-svc": Look("TreeSVC", "#cc5fa5"),
}


def chosen_methods(names: Sequence[str] | None = None) -> list[str]:
    """Return the named methods in the order of the tables, by default all installed.

    Parameters
    ----------
    names : sequence of str, optional
        Keys of `LOOKS`.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If a name is unknown, or LightGBM is asked for and not installed.

    Examples
    --------
    >>> from treesvm.reporting import chosen_methods
    >>> chosen_methods(["dtsvm", "cart"])
    ['cart', 'dtsvm']
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
