"""Axis-parallel trees with a ceiling on leaf size, grown by scikit-learn.

A node is a leaf when it holds fewer rows than the ceiling, when all its rows have one
class, or when no feature separates any two of them (Chang et al. 2010, section 2.1).
scikit-learn also takes splits that gain nothing; the paper halves such nodes, with the
same aim, that no splittable node stays above the ceiling.

Only public arrays of scikit-learn's tree are read. Its thresholds are compared with
features as float32, see `treesvm.trees.routing`.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import check_random_state

from treesvm.inputs.training_rows import LARGEST_SPLIT, check_magnitude
from treesvm.trees.grafting import average_targets, count_rows, graft
from treesvm.trees.leaf_rows import rows_by_leaf
from treesvm.trees.routing import LEAF
from treesvm.trees.tree import Tree


def grow_axis_tree(
    X,
    y,
    *,
    max_leaf_size,
    n_classes=None,
    criterion="entropy",
    sample_weight=None,
    splitter="best",
    max_features=None,
    random_state=None,
    max_tree_rows=None,
):
    """Grow a classification tree whose leaves stay below a ceiling.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
    y : ndarray of int, shape (n_rows,)
        Class codes 0 … n_classes - 1.
    max_leaf_size : int
        Nodes with at least this many rows are split, if they can be.
    n_classes : int, optional
        Columns of `value`; the largest code plus one by default.
    criterion : {"entropy", "log_loss", "gini"}
    sample_weight : ndarray of shape (n_rows,), optional
        Positive weights. (Rows of weight zero would count as rows; drop them first.)
    splitter : {"best", "random"}
        "random" draws cut points, so that trees of different seeds differ.
    max_features : int, float, {"sqrt", "log2"} or None
        Features tried in each node.
    random_state : int, RandomState or None
        scikit-learn breaks ties between equal cuts at random.
    max_tree_rows : int, optional
        With more rows than this, the tree is grown on a random sample of this size and
        a ceiling smaller by the same ratio. Then all rows are sent down; leaves that
        hold too many of them are grown further on their own rows, and nodes that hold
        fewer than the ceiling become leaves.

    Returns
    -------
    Tree
        Row counts and class weights of all rows in every node.

    References
    ----------
    F. Chang, C.-Y. Guo, X.-R. Lin, C.-J. Lu, "Tree decomposition for large-scale SVM
    problems", JMLR 11 (2010), section 2.1.
    """
    n_classes = int(np.max(y)) + 1 if n_classes is None else n_classes
    grower = classification_grower(criterion, max_features, splitter)
    tree, leaf_ids = _grow(
        grower, X, y, sample_weight, max_leaf_size, max_tree_rows, random_state
    )
    tree = count_rows(
        tree, leaf_ids, y, n_classes=n_classes, sample_weight=sample_weight
    )
    return below_ceiling(tree, max_leaf_size)


def classification_grower(criterion="entropy", max_features=None, splitter="best"):
    """Return what `fit_branch` grows with."""
    return DecisionTreeClassifier(
        criterion=criterion, splitter=splitter, max_features=max_features
    )


def grow_axis_regression_tree(
    X,
    y,
    *,
    max_leaf_size,
    criterion="squared_error",
    sample_weight=None,
    splitter="best",
    max_features=None,
    random_state=None,
    max_tree_rows=None,
):
    """Grow a regression tree whose leaves stay below a ceiling.

    Parameters are those of `grow_axis_tree`, with a float target `y` and scikit-learn's
    regression criteria. `Tree.value` holds the mean target of each node.
    """
    grower = DecisionTreeRegressor(
        criterion=criterion, splitter=splitter, max_features=max_features
    )
    tree, leaf_ids = _grow(
        grower, X, y, sample_weight, max_leaf_size, max_tree_rows, random_state
    )
    tree = average_targets(tree, leaf_ids, y, sample_weight=sample_weight)
    return below_ceiling(tree, max_leaf_size)


def _grow(grower, X, y, sample_weight, max_leaf_size, max_tree_rows, random_state):
    """Return the tree, on all rows or on a sample, and the leaf of every row."""
    rng = check_random_state(random_state)
    plan = plan_sample(X.shape[0], max_leaf_size, max_tree_rows, rng)
    if plan.rows is None:
        tree = fit_branch(grower, X, y, sample_weight, max_leaf_size, draw_seed(rng))
        return tree, tree.apply(X)
    own = _rows(plan.rows, X, y, sample_weight)
    tree = fit_branch(grower, *own, plan.ceiling, draw_seed(rng))
    leaf_ids = tree.apply(X)
    groups = rows_by_leaf(leaf_ids, tree.n_nodes)
    branches = {}
    for leaf in np.flatnonzero(groups.sizes >= max_leaf_size):
        own = _rows(groups.rows(leaf), X, y, sample_weight)
        branch = fit_branch(grower, *own, max_leaf_size, draw_seed(rng))
        if branch.n_nodes > 1:
            branches[int(leaf)] = branch
    if branches:
        tree = graft(tree, branches)
        leaf_ids = tree.apply(X)
    return tree, leaf_ids


class SamplePlan(NamedTuple):
    """On which rows a tree is grown first, and how far."""

    rows: np.ndarray | None  # ascending; None for all
    ceiling: int


def plan_sample(n_rows, max_leaf_size, max_tree_rows, rng):
    """Draw the rows that grow the tree, if they shall not be all."""
    if max_tree_rows is None or n_rows <= max_tree_rows:
        return SamplePlan(None, max_leaf_size)
    sample = np.sort(rng.choice(n_rows, max_tree_rows, replace=False))
    return SamplePlan(sample, int(np.ceil(max_leaf_size * max_tree_rows / n_rows)))


def draw_seed(rng):
    """Return the seed of the next tree that is grown."""
    return rng.randint(np.iinfo(np.int32).max)


def fit_branch(grower, X, y, sample_weight, ceiling, seed):
    """Grow one scikit-learn tree and copy its public arrays."""
    grower.set_params(min_samples_split=max(2, int(ceiling)), random_state=seed)
    check_magnitude(X, LARGEST_SPLIT)
    columns = X.tocsc() if sparse.issparse(X) else X
    grower.fit(columns, y, sample_weight=sample_weight)
    return copied_tree(grower.tree_)


def copied_tree(grown):
    """Return the splits of scikit-learn's ``tree_`` as a `Tree`, without values."""
    is_leaf = grown.children_left == LEAF
    return Tree(
        feature=np.where(is_leaf, LEAF, grown.feature).astype(np.int32),
        threshold=np.where(is_leaf, 0.0, grown.threshold),
        left=grown.children_left.astype(np.int32),
        right=grown.children_right.astype(np.int32),
        n_rows=grown.n_node_samples.copy(),
        value=np.zeros((grown.node_count, 1)),
        weights=np.empty((0, grown.n_features)),
    )


def is_small(n_rows, max_leaf_size):
    """Whether each node is a leaf at this ceiling, the root being the first.

    A node is one when it holds fewer rows than the ceiling, the root also when it holds
    just as many: a ceiling of n rows or more is a plain SVM.
    """
    small = n_rows < max_leaf_size
    small[0] = n_rows[0] <= max_leaf_size
    return small


def below_ceiling(tree, max_leaf_size):
    """Cut nodes with fewer rows than the ceiling, as the rule asks."""
    return tree.cut(is_small(tree.n_rows, max_leaf_size))


def _rows(rows, X, y, sample_weight):
    """Return X, y and weights of the given rows."""
    return X[rows], y[rows], None if sample_weight is None else sample_weight[rows]
