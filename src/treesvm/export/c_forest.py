"""The part of a row, in C: trees of all members in one set of tables."""

import numpy as np

from treesvm.export.c_text import array, summed
from treesvm.export.rounding import rounded_down
from treesvm.partitions import RandomPartition
from treesvm.trees.routing import LEAF

_AXIS = """
static int part_of(const number *x, int member)
{
    int k = roots[member];
    while (left[k] >= 0)
        k = (float)x[feature[k]] <= threshold[k] ? left[k] : right[k];
    return right[k];
}
"""

_OBLIQUE = """
static int part_of(const number *x, int member)
{
    int k = roots[member];
    while (left[k] >= 0) {
        const int plane = feature[k];
        const double value = product(weights + (long)plane * WIDTH, x);
        k = value <= threshold[k] ? left[k] : right[k];
    }
    return right[k];
}
"""

_PRODUCT = """
static double product(const {kind} *w, const number *x)
{{
    const int n = WIDTH;
{sum}    return a;
}}
"""

_RANDOM = """
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static int part_of(const number *x, int member)
{
    uint64_t total = 0;
    uint32_t bits, j;
    for (j = 0; j < WIDTH; j++) {
        const float value = (float)x[j];
        memcpy(&bits, &value, sizeof bits);
        if (bits & UINT32_C(0x7FFFFFFF))
            total += mixed((uint64_t)j << 32 | bits);
    }
    total = mixed(total ^ mixed((uint64_t)seeds[member]));
    return first_part[member] + (int)(total % (uint64_t)n_parts[member]);
}
"""


def forest(partitions):
    """Return tables and code of ``part_of(x, member)``.

    Parameters
    ----------
    partitions : list of TreeParts, RandomPartition, WholeSpace or Tree
        Parts are numbered through all of them.
    """
    if all(isinstance(partition, RandomPartition) for partition in partitions):
        return _random(partitions)
    trees = [getattr(partition, "tree", partition) for partition in partitions]
    oblique = any(getattr(tree, "is_oblique", False) for tree in trees)
    columns = {"feature": [], "threshold": [], "left": [], "right": []}
    roots, weights, n_nodes, n_parts = [], [], 0, 0
    for tree in trees:
        roots.append(n_nodes)
        made = _nodes(tree, n_nodes, n_parts, sum(map(len, weights)))
        for name, values in zip(columns, made, strict=True):
            columns[name].append(values)
        weights.append(getattr(tree, "weights", np.zeros((0, 0))))
        n_nodes, n_parts = n_nodes + len(made[0]), n_parts + np.sum(made[2] == LEAF)
    threshold = np.concatenate(columns.pop("threshold"))
    text = array("roots", roots)
    text += "".join(array(name, np.concatenate(v)) for name, v in columns.items())
    if not oblique:
        return text + array("threshold", rounded_down(threshold)) + _AXIS
    normals = array("weights", np.concatenate([w.ravel() for w in weights]))
    kind = normals.split()[2]
    text += array("threshold", threshold) + normals
    total = summed("w[{f}] * (double)x[{f}]", weights[0].shape[1])
    return text + _PRODUCT.format(kind=kind, sum=total) + _OBLIQUE


def _nodes(tree, first_node, first_part, first_plane):
    """Return feature, threshold, left and right; leaves have their part on the right.

    What has no nodes, the whole space, is one leaf.
    """
    if not hasattr(tree, "is_leaf"):
        leaf = np.array([LEAF])
        return leaf + 1, np.zeros(1), leaf, np.array([first_part])
    first_plane = first_plane if tree.is_oblique else 0
    feature = np.where(tree.is_leaf, 0, tree.feature + first_plane)
    left = np.where(tree.is_leaf, LEAF, tree.left + first_node)
    part = tree.leaf_numbers + first_part
    right = np.where(tree.is_leaf, part, tree.right + first_node)
    return feature, tree.threshold, left, right


def _random(partitions):
    counts = np.array([partition.n_parts for partition in partitions])
    text = array("n_parts", counts)
    text += array("first_part", np.cumsum(counts) - counts)
    seeds = ", ".join(f"UINT64_C({partition.seed})" for partition in partitions)
    return text + f"static const uint64_t seeds[] = {{{seeds}}};\n" + _RANDOM
