"""The part of every row, in ONNX."""

import numpy as np

from treesvm.export.rounding import rounded_down
from treesvm.partitions import RandomPartition, WholeSpace


def parts_of_rows(g, x, partition):
    """Return the part of every row of x (float64), 1-D integers."""
    if isinstance(partition, RandomPartition) and partition.n_parts > 1:
        raise ValueError(
            "partition='random' finds the part of a row by a hash of its bits, which "
            "no standard operator of ONNX gives; export to C, or use another partition."
        )
    tree = getattr(partition, "tree", None)
    if isinstance(partition, WholeSpace | RandomPartition) or tree.n_nodes == 1:
        return g.Expand(g.ints(0), g.rows(x))
    if not tree.is_oblique:
        return _axis_parts(g, x, tree)
    leaves = leaves_of_rows(g, x, [tree])
    leaves = g.Squeeze(leaves, g.ints(0))
    return g.Gather(g.constant(tree.leaf_numbers, np.int64), leaves)


def _axis_parts(g, x, tree):
    """One operator walks the tree: its leaves weigh their own number."""
    nodes, leaves = np.arange(tree.n_nodes), tree.leaves()
    is_leaf = tree.is_leaf
    number = g.TreeEnsembleRegressor(
        g.cast(x, np.float32),
        nodes_treeids=[0] * tree.n_nodes,
        nodes_nodeids=nodes.tolist(),
        nodes_featureids=np.where(is_leaf, 0, tree.feature).tolist(),
        nodes_values=np.where(is_leaf, 0, rounded_down(tree.threshold)).tolist(),
        nodes_modes=np.where(is_leaf, "LEAF", "BRANCH_LEQ").tolist(),
        nodes_truenodeids=np.where(is_leaf, 0, tree.left).tolist(),
        nodes_falsenodeids=np.where(is_leaf, 0, tree.right).tolist(),
        target_treeids=[0] * len(leaves),
        target_nodeids=leaves.tolist(),
        target_ids=[0] * len(leaves),
        target_weights=[float(number) for number in range(len(leaves))],
        n_targets=1,
    )
    return g.cast(g.Reshape(number, g.ints(-1)), np.int64)


def leaves_of_rows(g, x, trees):
    """Return the leaf of every row in every oblique tree, (n_trees, n_rows).

    Rows go down one tree after the other, a level a turn, and meet only the planes on
    their way.  Nodes of all trees are numbered through.
    """
    firsts = np.cumsum([0, *(tree.n_nodes for tree in trees)])
    planes = np.cumsum([0, *(len(tree.weights) for tree in trees)])

    def joined(name, starts, at_leaf):
        links = []
        for tree, first, start in zip(trees, firsts, starts, strict=False):
            own = np.arange(tree.n_nodes) + first if at_leaf is None else at_leaf
            links.append(np.where(tree.is_leaf, own, getattr(tree, name) + start))
        return g.constant(np.concatenate(links), np.int64)

    plane = joined("feature", planes, 0)
    left, right = joined("left", firsts, None), joined("right", firsts, None)
    # A row of zeros, since trees may have no planes at all.
    weights = [tree.weights for tree in trees] + [np.zeros((1, trees[0].n_features))]
    weights = g.constant(np.concatenate(weights), np.float64)
    threshold = g.constant(np.concatenate([tree.threshold for tree in trees]))
    depths, roots = g.ints(*(tree.depth for tree in trees)), g.ints(*firsts[:-1])

    def walk(outer, turn):
        def step(g, _, node):
            own = g.Gather(weights, g.Gather(plane, node))
            value = g.ReduceSum(g.Mul(own, x), g.ints(1), keepdims=0)
            goes_left = g.LessOrEqual(value, g.Gather(threshold, node))
            return [g.Where(goes_left, g.Gather(left, node), g.Gather(right, node))]

        root = outer.Expand(outer.Gather(roots, turn), outer.rows(x))
        depth = outer.Gather(depths, turn)
        return outer.loop(depth, [(root, np.int64)], step)

    (leaves,) = g.loop(g.ints(len(trees)), [], walk, n_collected=1)
    return leaves
