"""Values of score trees for rows, evaluating only the terms that their paths need.

Dense terms of a Gaussian or Laplacian kernel are evaluated by compiled code, one row at
a time and only along its path; other terms are evaluated node by node for all rows that
reach the node.
"""

import numpy as np
from scipy import sparse

from treesvm.compression.score_tree import add_path
from treesvm.kernels.compiling import compiled, inner
from treesvm.trees.routing import LEAF


def is_compiled(terms):
    """Whether compiled code evaluates the terms: their vectors are dense."""
    if not (hasattr(terms, "kernel") and terms.kernel.power):
        return False
    return isinstance(terms.vectors, np.ndarray) and terms.vectors.ndim == 2


def compiled_arrays(tree, terms):
    """Arrays of a tree as `walk_rows` wants them."""
    return (
        np.ascontiguousarray(terms.vectors, dtype=np.float64),
        float(terms.kernel.gamma),
        terms.kernel.power,
        np.stack([tree.column, tree.left, tree.right], axis=1).astype(np.int64),
        tree.threshold,
        tree.start,
        tree.coefficients,
        tree.offsets,
        tree.height,
    )


def tree_values(tree, terms, X):
    """Return the tree's value for every row, evaluating only what the paths need."""
    if is_compiled(terms):
        X = X.toarray() if sparse.issparse(X) else X
        out = np.empty((len(X), tree.n_outputs))
        rows = np.ascontiguousarray(X, dtype=np.float64)
        walk_rows(rows, *compiled_arrays(tree, terms), out)
        return out
    out = np.empty((X.shape[0], tree.n_outputs))
    for leaf, rows, kept in _walk(tree, terms, X):
        start = tree.start[leaf]
        own = tree.coefficients[start : start + kept.shape[1]]
        out[rows] = kept @ own + tree.offsets[leaf]
    return out


def tree_leaves(tree, terms, X):
    """Return the leaf of every row."""
    leaves = np.empty(X.shape[0], np.intp)
    for leaf, rows, _ in _walk(tree, terms, X):
        leaves[rows] = leaf
    return leaves


def _walk(tree, terms, X):
    """Yield (leaf, its rows, terms kept on the way); a term is evaluated once."""
    waiting = [(0, np.arange(X.shape[0]), np.zeros((X.shape[0], 0)), [])]
    while waiting:
        node, rows, kept, path = waiting.pop()
        if len(rows) == 0:
            continue
        column = int(tree.column[node])
        if column in path:
            values = kept[:, path.index(column)]
        else:
            values = terms.values(X[rows], column)
        kept, path = np.column_stack([kept, values]), [*path, column]
        if tree.left[node] == LEAF:
            yield node, rows, kept
        elif tree.left[node] == tree.right[node]:
            waiting.append((tree.left[node], rows, kept, path))
        else:
            goes_left = values <= tree.threshold[node]
            for child, side in ((tree.left, goes_left), (tree.right, ~goes_left)):
                waiting.append((child[node], rows[side], kept[side], path))


@compiled
def walk_rows(
    X,
    vectors,
    gamma,
    power,
    links,
    threshold,
    start,
    coefficients,
    offsets,
    height,
    out,
):
    """Write the values of the rows to `out`; `links` is (column, left, right)."""
    kept = np.empty(height)
    for i in range(len(X)):
        k, n_kept = 0, 0
        while True:
            term = np.exp(-gamma * _distance(X[i], vectors[links[k, 0]], power))
            kept[n_kept] = term
            n_kept += 1
            if links[k, 1] == LEAF:
                break
            k = links[k, 1] if term <= threshold[k] else links[k, 2]
        add_path(kept, n_kept, start[k], coefficients, offsets[k], out[i])


@inner
def _distance(x, vector, power):
    """Sum of absolute differences, or of their squares."""
    distance = 0.0
    if power == 1:
        for f in range(len(x)):
            distance += abs(x[f] - vector[f])
    else:
        for f in range(len(x)):
            d = x[f] - vector[f]
            distance += d * d
    return distance
