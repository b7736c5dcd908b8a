"""Several binary trees that answer a question about many classes together.

``ovo`` has a tree for each pair of classes; each votes, and equal votes are decided by
the summed leaf shares, so that the order of classes plays no part. ``ovr`` has a tree
for each class against the rest; the largest leaf share of the class wins.
"""

from itertools import combinations

import numpy as np


def binary_problems(y, n_classes, multi_class):
    """Yield (rows, codes) of the trees to grow; codes 0 … of the given rows.

    "tree" is one problem with all classes, and so is every choice with two classes.
    """
    everything = np.arange(len(y))
    if multi_class == "tree" or n_classes <= 2:
        yield everything, y
    elif multi_class == "ovr":
        for k in range(n_classes):
            yield everything, (y == k).astype(y.dtype)
    else:
        for a, b in combinations(range(n_classes), 2):
            rows = np.flatnonzero((y == a) | (y == b))
            yield rows, (y[rows] == b).astype(y.dtype)


def leaf_shares(tree, leaf_ids):
    """Return the class shares of the leaf of each row, shape (n_rows, n_classes)."""
    if len(leaf_ids) < tree.n_nodes:
        value = tree.value[leaf_ids]
        return value / value.sum(axis=1, keepdims=True)
    return node_shares(tree)[leaf_ids]


def node_shares(tree):
    """Return the class shares of each node; rows sum to one."""
    return tree.value / tree.value.sum(axis=1, keepdims=True)


def class_scores(trees, leaf_ids, n_classes, multi_class):
    """Return a score for each class; the largest is the answer.

    Parameters
    ----------
    trees : list of Tree
    leaf_ids : list of ndarray, shape (n_rows,)
        Leaf of each row in each tree.
    n_classes : int
    multi_class : {"tree", "ovo", "ovr"}

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        Not negative: leaf shares, or votes plus less than half a vote for summed
        shares.
    """
    if len(trees) == 1:
        return leaf_shares(trees[0], leaf_ids[0])
    if multi_class == "ovr":
        shares = zip(trees, leaf_ids, strict=True)
        return np.stack([leaf_shares(*pair)[:, 1] for pair in shares], axis=1)
    votes = np.zeros((len(leaf_ids[0]), n_classes))
    support = np.zeros_like(votes)
    pairs = combinations(range(n_classes), 2)
    for (a, b), tree, leaves in zip(pairs, trees, leaf_ids, strict=True):
        lead = leaf_shares(tree, leaves) @ np.array([-1.0, 1.0])
        votes[:, a] += lead <= 0
        votes[:, b] += lead > 0
        support[:, a] -= lead
        support[:, b] += lead
    # Support lies within ±(n_classes - 1): map it to (0, 1/2), below any vote.
    return votes + 0.25 + support / (4.0 * n_classes)


def as_probabilities(scores):
    """Return scores divided by their sum, equal shares where all are zero."""
    total = scores.sum(axis=1, keepdims=True)
    equal = np.full_like(scores, 1.0 / scores.shape[1])
    return np.divide(scores, total, out=equal, where=total > 0)
