"""Cost-complexity pruning (Breiman, Friedman, Olshen and Stone 1984, chapters 3, 10).

The branch below an inner node k is worth g(k) = (R(k) - R(branch)) / (leaves - 1): what
it saves in training risk for each leaf that it adds. The branch that is worth least is
cut first, then the next, down to the root. The trees on the way are nested.

Each cut changes g only at the ancestors, so they alone are updated; prices wait in a
heap, where an outdated entry is recognised by its version and skipped.
"""

import heapq
from typing import NamedTuple

import numpy as np

from treesvm.kernels.compiling import compiled
from treesvm.trees.grafting import count_rows, with_totals
from treesvm.trees.routing import LEAF

_EQUAL = 1e-12  # prices nearer than this, relatively, differ by rounding only


class PruningPath(NamedTuple):
    """Cuts in the order in which they pay off."""

    nodes: np.ndarray  # (n_cuts,) inner node made a leaf by each cut
    alphas: np.ndarray  # (n_cuts,) price at which it is cut, never decreasing

    def cuts_up_to(self, alpha):
        """Return the nodes cut at prices no higher than `alpha`."""
        return self.nodes[: np.searchsorted(self.alphas, alpha, side="right")]


def training_risk(tree, answer=None):
    """Return the share of all training weight that each node would get wrong.

    `answer` holds the class that each node answers, its majority by default.
    """
    answer = tree.value.argmax(axis=1) if answer is None else answer
    wrong = tree.value.sum(axis=1) - tree.value[np.arange(tree.n_nodes), answer]
    return wrong / tree.value[0].sum()


def pruning_path(tree, risk=None):
    """Return the order in which branches are cut.

    Parameters
    ----------
    tree : Tree
        A classification tree.
    risk : ndarray of shape (n_nodes,), optional
        Risk of each node as a leaf; `training_risk(tree)` by default.

    Returns
    -------
    PruningPath
    """
    risk = training_risk(tree) if risk is None else risk
    n_inner = tree.n_nodes - tree.n_leaves
    nodes, alphas = np.empty(n_inner, np.int32), np.empty(n_inner)
    n_cuts = _cut_weakest(tree.left, tree.right, tree.parent, risk, nodes, alphas)
    return PruningPath(nodes[:n_cuts], alphas[:n_cuts])


def totals_along(tree, path, leaf_values):
    """Return the sum of `leaf_values` over the leaves, before and after each cut.

    Parameters
    ----------
    leaf_values : ndarray of shape (n_nodes,)
        What each node contributes when it is a leaf.

    Returns
    -------
    ndarray of shape (n_cuts + 1,)
    """
    totals = np.empty(len(path.nodes) + 1)
    values = np.asarray(leaf_values, dtype=np.float64)
    _replay(tree.left, tree.right, tree.parent, path.nodes, values, totals)
    return totals


def prune_by_rows(tree, X, y, *, sample_weight=None, answer=None):
    """Return the tree on the pruning path that gets most of the given rows right.

    Among equally good ones the smallest. The rows should not have grown the tree.

    Parameters
    ----------
    tree : Tree
    X : ndarray or sparse matrix of shape (n_rows, n_features)
    y : ndarray of int, shape (n_rows,)
        Class codes.
    sample_weight : ndarray of shape (n_rows,), optional
    answer : ndarray of int, shape (n_nodes,), optional
        Class that each node answers when it is a leaf, its majority by default.
    """
    path = pruning_path(tree, training_risk(tree, answer))
    errors = errors_along(
        tree, path, tree.apply(X), y, sample_weight=sample_weight, answer=answer
    )
    return tree.cut(path.nodes[: best_cut(path, errors)])


def prune_by_totals(tree, n_rows, value):
    """Return the tree of `prune_by_rows` from totals of the rows at the leaves.

    Parameters
    ----------
    n_rows, value : ndarray
        Rows and class weights that reach each leaf, see `leaf_totals`.
    """
    path = pruning_path(tree)
    errors = _errors_of(tree, path, with_totals(tree, n_rows, value).value)
    return tree.cut(path.nodes[: best_cut(path, errors)])


def errors_along(tree, path, leaf_ids, y, *, sample_weight=None, answer=None):
    """Return the weight of the given rows that is wrong, before and after each cut."""
    n_classes = tree.value.shape[1]
    seen = count_rows(
        tree, leaf_ids, y, n_classes=n_classes, sample_weight=sample_weight
    ).value
    return _errors_of(tree, path, seen, answer)


def _errors_of(tree, path, seen, answer=None):
    """Return the errors along a path for class weights seen in every node."""
    answer = tree.value.argmax(axis=1) if answer is None else answer
    wrong = seen.sum(axis=1) - seen[np.arange(tree.n_nodes), answer]
    return totals_along(tree, path, wrong)


def best_cut(path, errors):
    """Return how many cuts give the fewest errors; the most cuts among equals.

    Cuts of one price belong together, so only the last of them may end the pruning.
    """
    ends = np.append(path.alphas[1:] > path.alphas[:-1], True)
    allowed = np.append(True, ends if len(path.alphas) else [])
    # Sums of weights in different order may differ in the last bits.
    tied = errors <= errors[allowed.astype(bool)].min() * (1.0 + 1e-12)
    return int(np.flatnonzero(tied & allowed.astype(bool))[-1])


@compiled
def _cut_weakest(left, right, parent, risk, nodes, alphas):
    """Write the cuts to `nodes` and `alphas`; return how many there are."""
    n = len(left)
    saved, extra = np.zeros(n), np.zeros(n, np.int64)  # risk saved, leaves added
    version = np.zeros(n, np.int64)
    is_gone = np.zeros(n, np.bool_)
    heap = [(0.0, np.int64(0), np.int64(0)) for _ in range(0)]
    for k in range(n - 1, -1, -1):
        if left[k] != LEAF:
            a, c = left[k], right[k]
            saved[k] = risk[k] - risk[a] - risk[c] + saved[a] + saved[c]
            extra[k] = 1 + extra[a] + extra[c]
            heapq.heappush(heap, (saved[k] / extra[k], np.int64(k), np.int64(0)))
    n_cuts, alpha = 0, 0.0
    while len(heap) > 0:
        price, k, seen = heapq.heappop(heap)
        if seen != version[k] or is_gone[k]:
            continue
        if price > alpha * (1.0 + _EQUAL) + _EQUAL * risk[0]:
            alpha = price
        nodes[n_cuts], alphas[n_cuts] = k, alpha
        n_cuts += 1
        _remove_below(left, right, is_gone, k)
        is_gone[k] = True  # no longer an inner node
        lost, fewer, k = saved[k], extra[k], np.int64(parent[k])
        while k != LEAF:
            saved[k] -= lost
            extra[k] -= fewer
            version[k] += 1
            heapq.heappush(heap, (saved[k] / extra[k], k, version[k]))
            k = np.int64(parent[k])
    return n_cuts


@compiled
def _remove_below(left, right, is_gone, node):
    """Mark everything below `node` as gone."""
    stack = [node]
    while len(stack) > 0:
        k = stack.pop()
        if left[k] != LEAF and not is_gone[k]:
            for child in (np.int64(left[k]), np.int64(right[k])):
                stack.append(child)
        is_gone[k] = True


@compiled
def _replay(left, right, parent, nodes, values, totals):
    """Write to `totals` the sum over leaves before and after each cut."""
    branch = values.copy()
    for k in range(len(left) - 1, -1, -1):
        if left[k] != LEAF:
            branch[k] = branch[left[k]] + branch[right[k]]
    totals[0] = branch[0]
    for t in range(len(nodes)):
        k = nodes[t]
        change = values[k] - branch[k]
        while k != LEAF:
            branch[k] += change
            k = parent[k]
        totals[t + 1] = branch[0]
