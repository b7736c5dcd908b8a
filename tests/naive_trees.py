"""Slow, obvious twins of what the trees do. Imports nothing from treesvm."""

import numpy as np


def route(x, tree, start=0):
    """Follow one dense row to its leaf; return the nodes met, the leaf last."""
    path = [start]
    while tree.left[path[-1]] != -1:
        k = path[-1]
        if len(tree.weights):
            value = float(np.dot(tree.weights[tree.feature[k]], x.astype(np.float64)))
        else:
            value = float(np.float32(x[tree.feature[k]]))
        path.append(int(tree.left[k] if value <= tree.threshold[k] else tree.right[k]))
    return path


def apply(X, tree):
    """Leaf of each row."""
    return np.array([route(x, tree)[-1] for x in X])


def rows_of_node(X, tree, node):
    """Rows whose path contains the node."""
    return [i for i, x in enumerate(X) if node in route(x, tree)]


def same_tree(a, b):
    """Whether two trees have the same shape, tests, counts, from the roots down."""
    stack = [(0, 0)]
    while stack:
        i, j = stack.pop()
        if a.n_rows[i] != b.n_rows[j] or (a.left[i] == -1) != (b.left[j] == -1):
            return False
        if not np.allclose(a.value[i], b.value[j]):
            return False
        if a.left[i] != -1:
            tests = a.threshold[i] == b.threshold[j]
            if len(a.weights):
                rows = a.weights[a.feature[i]], b.weights[b.feature[j]]
                tests = tests and np.array_equal(*rows)
            else:
                tests = tests and a.feature[i] == b.feature[j]
            if not tests:
                return False
            stack += [(a.left[i], b.left[j]), (a.right[i], b.right[j])]
    return True
