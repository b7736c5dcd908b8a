"""Choose the price of a leaf over folds, so that pruning costs no rows for growing.

Breiman, Friedman, Olshen and Stone (1984), section 3.4: in each fold the tree grown on
its training rows is cut step by step and every step is judged on its validation rows;
the price with the fewest errors over all folds prunes the tree grown on all rows.
"""

from typing import NamedTuple

import numpy as np

from treesvm.trees.pruning import errors_along, pruning_path


class PathErrors(NamedTuple):
    """Validation error of one fold as a step function of the price of a leaf."""

    prices: np.ndarray  # (n_cuts,) never decreasing
    errors: np.ndarray  # (n_cuts + 1,) share of the validation weight that is wrong

    def at(self, prices):
        """Return the error after all cuts that cost no more than the given prices."""
        return self.errors[np.searchsorted(self.prices, prices, side="right")]


class PriceChoice(NamedTuple):
    """The price that errs least, and its mean error over the folds."""

    price: float
    error: float
    fold_errors: np.ndarray


def path_errors(model, X, y, sample_weight=None):
    """Return the errors of a single fitted tree along its pruning path.

    Parameters
    ----------
    model : fitted HLSVMClassifier with one tree
    X, y : validation rows; labels the tree has never seen are always wrong
    sample_weight : ndarray of shape (n_rows,), optional
    """
    tree = model.trees_[0]
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    codes = np.minimum(np.searchsorted(model.classes_, y), len(model.classes_) - 1)
    is_known = model.classes_[codes] == y
    path, leaf_ids = pruning_path(tree), tree.apply(X)
    wrong = errors_along(
        tree,
        path,
        leaf_ids[is_known],
        codes[is_known],
        sample_weight=weight[is_known],
    )
    wrong = wrong + weight[~is_known].sum()
    return PathErrors(path.alphas, wrong / weight.sum())


def choose_price(folds):
    """Return the price with the least mean error; the largest among equals.

    Parameters
    ----------
    folds : list of PathErrors

    Returns
    -------
    PriceChoice
        The price lies midway (geometrically) between the steps around it, since trees
        grown on other rows have their steps elsewhere.
    """
    steps = np.unique(np.concatenate([[0.0], *(fold.prices for fold in folds)]))
    errors = np.stack([fold.at(steps) for fold in folds])
    mean = errors.mean(axis=0)
    best = int(np.flatnonzero(mean <= mean.min() * (1.0 + 1e-12))[-1])
    following = steps[min(best + 1, len(steps) - 1)]
    price = float(np.sqrt(steps[best] * following))
    return PriceChoice(price, float(mean[best]), errors[:, best])


def prune_at(tree, price):
    """Return the tree without the branches that are worth no more than the price."""
    return tree.cut(pruning_path(tree).cuts_up_to(price))
