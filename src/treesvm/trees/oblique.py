"""Grow and prune an oblique tree of linear SVMs.

Rodriguez-Lujan, Santa Cruz and Huerta, "Hierarchical linear support vector machine",
Pattern Recognition 45 (2012), section 2 and figure 3. Other split finders give other
trees of the same kind.
"""

import numpy as np

from treesvm.inputs.parameter_rules import RULES, check_parameters, either
from treesvm.inputs.row_access import row_matrix
from treesvm.trees.growth import grow
from treesvm.trees.oblique_split import ObliqueSplit, PlaneOptions
from treesvm.trees.pruning import prune_by_rows

# Best mean rank over the training rows of eleven sets, see docs/benchmarks/hlsvm.md.
_AUTO_ALPHA_MEAN = 0.1
_AUTO_ALPHA_PAPER = 10.0  # divided by the weight of all rows
_PRUNING_STREAM = 1  # keeps the draw of pruning rows apart from the nodes' seeds


def grow_oblique_tree(
    X,
    y,
    *,
    n_classes,
    plane,
    finder=ObliqueSplit,
    answers=None,
    sample_weight=None,
    min_share="auto",
    max_leaf_weight=None,
    prune_share=0.0,
    max_depth=None,
    seed=0,
    n_jobs=None,
    kept=None,
):
    """Grow an oblique tree; prune it on rows that did not grow it.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
    y : ndarray of int, shape (n_rows,)
        Class codes 0 … n_classes - 1.
    n_classes : int
    plane : PlaneOptions
        How the hyperplane of a node is found.
    finder : callable
        Makes the split finder; `plane` is its `options`.
    answers : callable, optional
        ``answers(tree)`` returns the class that each node answers when it is a leaf;
        its majority by default. Pruning judges nodes by it.
    sample_weight : ndarray of shape (n_rows,), optional
        Positive weights.
    min_share : float or "auto"
        delta: nodes with no more than this share of the rows (of their weight) are
        leaves. "auto" is the paper's 10^-floor(log10(n_rows)).
    max_leaf_weight : float, optional
        Instead of `min_share`, the number of rows (their weight).
    prune_share : float in [0, 1)
        rho: share of the rows kept for pruning, drawn class by class, so that no class
        loses its last row. With 0 the grown tree is the answer.
    max_depth : int, optional
    seed : int
    n_jobs : int, optional
        Threads; the tree does not depend on it.
    kept : object with methods get and put, optional
        Finished subtrees, see `treesvm.trees.growth.grow`.

    Returns
    -------
    Tree
    """
    X = row_matrix(X)
    keep, held_out = split_for_pruning(y, prune_share, seed)
    weight = None if sample_weight is None else sample_weight[keep]
    total = len(keep) if weight is None else weight.sum()
    if max_leaf_weight is None:
        share = default_min_share(len(y)) if min_share == "auto" else min_share
        max_leaf_weight = share * total
    # Without rows to hold out, X is not copied.
    X_grow, y_grow = (X, y) if len(held_out) == 0 else (X[keep], y[keep])
    find_split = finder(
        X_grow, y_grow, n_classes=n_classes, sample_weight=weight, options=plane
    )
    tree = grow(
        y_grow,
        find_split,
        n_classes=n_classes,
        n_features=X.shape[1],
        sample_weight=weight,
        max_leaf_weight=max_leaf_weight,
        max_depth=max_depth,
        seed=seed,
        n_jobs=n_jobs,
        kept=kept,
    )
    if len(held_out) == 0:
        return tree
    weight = None if sample_weight is None else sample_weight[held_out]
    answer = None if answers is None else answers(tree)
    return prune_by_rows(
        tree, X[held_out], y[held_out], sample_weight=weight, answer=answer
    )


# Rules of the parameters that `plane_options` reads, where they are its own.
PLANE_RULES = {
    "tol": either("auto", RULES["tol"]),
    "max_steps": either(None, RULES["max_steps"]),
}
_STOCHASTIC = ("pegasos", "pegasos-paper")
_USED_BY = {
    "max_steps": _STOCHASTIC,
    "batch_size": _STOCHASTIC,
    "bias_rate": ("pegasos-paper",),
}


def check_plane_parameters(recipe):
    """Raise a ValueError that names a parameter out of range, or without an effect."""
    check_parameters(recipe)
    for name, solvers in _USED_BY.items():
        value = getattr(recipe, name)
        if value is not None and recipe.solver not in solvers:
            raise ValueError(
                f"{name}={value!r} has no effect with solver={recipe.solver!r}; leave "
                f"it at None, or use solver={' or '.join(map(repr, solvers))}."
            )


def plane_options(recipe, total_weight):
    """Return the PlaneOptions among the parameters of an estimator or a partition.

    `total_weight`, of all rows, resolves ``alpha="auto"``.
    """
    parameters = recipe.get_params(deep=False)
    own = {
        name: parameters[name] for name in PlaneOptions._fields if name in parameters
    }
    if own["alpha"] == "auto":
        own["alpha"] = default_alpha(recipe.regularization, total_weight)
    return PlaneOptions(**own | {"alpha": float(own["alpha"])})


def default_alpha(regularization, total_weight):
    """Return the λ of ``alpha="auto"``; without weights the total is the row count."""
    if regularization == "mean":
        return _AUTO_ALPHA_MEAN
    return _AUTO_ALPHA_PAPER / total_weight


def default_min_share(n_rows):
    """Return the paper's delta, 10^-floor(log10 n): up to nine rows are not split.

    Fewer than ten rows in all would give 1 and no tree; they get 0.1.
    """
    return min(0.1, 10.0 ** -np.floor(np.log10(n_rows)))


def split_for_pruning(y, share, seed):
    """Return (rows that grow, rows that prune), both ascending.

    The share of each class is rounded down.
    """
    rng = np.random.default_rng([seed, _PRUNING_STREAM])
    order = rng.permutation(len(y))
    by_class = order[np.argsort(y[order], kind="stable")]
    counts = np.bincount(y)
    place = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
    is_held = place < np.repeat(np.floor(share * counts), counts)
    return np.sort(by_class[~is_held]), np.sort(by_class[is_held])
