"""What the nodes of a tree answer, if not the majority of their rows."""

from dataclasses import replace

import numpy as np


def last_predictions(tree):
    """Return the class that each node of a two-class tree was last predicted to be.

    Parameters
    ----------
    tree : Tree
        Each hyperplane sends what it takes for class 0 left and for class 1 right.

    Returns
    -------
    ndarray of int64, shape (n_nodes,)
        0 for left and 1 for right children. The root, which nothing has predicted yet,
        answers its majority.
    """
    if tree.value.shape[1] > 2:
        raise ValueError(
            f"the tree has {tree.value.shape[1]} classes; a last prediction names a "
            "class only if there are two. Use majorities, or a tree for each pair."
        )
    answer = np.zeros(tree.n_nodes, np.int64)
    answer[tree.right[~tree.is_leaf]] = tree.value.shape[1] - 1
    answer[0] = tree.value[0].argmax()
    return answer


def with_answers(tree, answer):
    """Return the tree whose nodes answer the given classes.

    Parameters
    ----------
    tree : Tree
    answer : ndarray of int, shape (n_nodes,)

    Returns
    -------
    Tree
        `value` holds the whole weight of each node at the class that it answers, so
        the shares of a leaf are zero and one.
    """
    value = np.zeros_like(tree.value)
    value[np.arange(tree.n_nodes), answer] = tree.value.sum(axis=1)
    return replace(tree, value=value)
