"""Grow an oblique tree for rows on many machines: the top on a sample, the rest there.

The top is grown on the sample until its leaves stand for rows that fit a worker. All
rows are shuffled to these leaves, and each leaf is grown further on all its rows, down
to the limit of the whole tree. Rows kept for pruning are only counted.
"""

from typing import NamedTuple

import numpy as np
from dask import delayed

from treesvm.distributed.decomposing import fit_decomposition, plan_of_tree
from treesvm.inputs.rows import Rows
from treesvm.trees.grafting import leaf_totals
from treesvm.trees.oblique import (
    default_min_share,
    grow_oblique_tree,
    split_for_pruning,
)
from treesvm.trees.oblique_split import PlaneOptions
from treesvm.trees.pruning import prune_by_totals

_LEAF_ROWS = 50_000  # that a leaf of the top should stand for
_SAMPLE_STREAM = 2  # keeps the draw of the sample apart from those of the tree


class Problem(NamedTuple):
    """One tree of a committee, to be grown from rows on the cluster."""

    rows: object  # RowBlocks, with the codes of this tree's classes
    codes: np.ndarray  # of all rows, here
    total_weight: float
    n_classes: int
    seed: int


class ObliqueGrowth(NamedTuple):
    """How the leaves of the top are grown further."""

    n_classes: int
    plane: PlaneOptions
    max_leaf_weight: float
    depth_left: dict  # group -> levels that are left, None without a limit
    seed: int
    max_leaf_size: int = 0  # nothing is cut because it is small

    def branch(self, group, rows, is_weighted):
        """Return the tree that replaces a leaf of the top, None if it stays one."""
        levels = self.depth_left[group]
        if levels == 0:
            return None
        tree = grow_oblique_tree(
            rows.X,
            rows.codes,
            n_classes=self.n_classes,
            plane=self.plane,
            sample_weight=rows.weight,
            max_leaf_weight=self.max_leaf_weight,
            max_depth=levels,
            seed=self.seed + 1 + group,
            n_jobs=1,
        )
        return tree if tree.n_nodes > 1 else None


def grow_whole(problem, model):
    """Return a delayed tree, grown from all rows in one task as in memory."""
    return delayed(_grow_in_memory)(
        problem.rows.sampled(None), model, problem.n_classes, problem.seed
    )


def _grow_in_memory(rows, model, n_classes, seed):
    own = Rows(rows.X, rows.codes, rows.weight, n_classes)
    return model.grow_tree(own, seed=seed, n_jobs=1)


def grow_sampled(client, problem, model, n_sample, n_threads, store):
    """Return the tree whose top is grown on a sample of the rows.

    Parameters
    ----------
    client : distributed.Client
    problem : Problem
    model : HLSVMClassifier
    n_sample : int
    n_threads : int
        Of the cluster.
    store : NoCheckpoint or a store with the same methods
    """
    keep, held_out = split_for_pruning(problem.codes, model.prune_share, problem.seed)
    growing = problem.rows.taken(keep)
    share = model.min_share
    share = default_min_share(len(problem.codes)) if share == "auto" else share
    plane = model.plane_options(problem.total_weight)
    top = client.compute(
        _delayed_top(growing, problem, model, plane, min(n_sample, len(keep)))
    ).result()
    leaves, depth = top.leaves(), top.node_depth
    left = {
        k: None if model.max_depth is None else int(model.max_depth - depth[leaf])
        for k, leaf in enumerate(leaves)
    }
    kept_weight = problem.total_weight * len(keep) / len(problem.codes)
    growth = ObliqueGrowth(
        problem.n_classes, plane, share * kept_weight, left, problem.seed
    )
    plan = plan_of_tree(client, growing, top, growth)
    grown, _ = fit_decomposition(
        client, growing, plan, None, store=store, n_threads=n_threads
    )
    tree = grown.partition.tree
    if len(held_out) == 0:
        return tree
    totals = _totals(client, problem.rows.taken(held_out), tree, problem.n_classes)
    return prune_by_totals(tree, *totals)


def _delayed_top(growing, problem, model, plane, n_sample):
    """Return the top of the tree, delayed."""
    rng = np.random.default_rng([problem.seed, _SAMPLE_STREAM])
    sample = np.sort(rng.choice(growing.n_rows, n_sample, replace=False))
    shrink = n_sample / growing.n_rows
    if plane.regularization == "paper":
        # λ is multiplied by the weight of a node, which is smaller in the sample.
        plane = plane._replace(alpha=plane.alpha / shrink)
    return delayed(_grow_top)(
        growing.sampled(sample),
        problem.n_classes,
        plane,
        _LEAF_ROWS * shrink,
        model.max_depth,
        problem.seed,
    )


def _grow_top(rows, n_classes, plane, max_leaf_rows, max_depth, seed):
    per_row = rows.weights.mean()
    return grow_oblique_tree(
        rows.X,
        rows.codes,
        n_classes=n_classes,
        plane=plane,
        sample_weight=rows.weight,
        max_leaf_weight=max_leaf_rows * per_row,
        max_depth=max_depth,
        seed=seed,
        n_jobs=1,
    )


def _totals(client, rows, tree, n_classes):
    """Return rows and class weights of all rows at the leaves of a tree."""
    there = delayed(tree, traverse=False)
    tasks = [delayed(_block_totals)(b, there, n_classes) for b in rows.blocks]
    n_rows = np.zeros(tree.n_nodes, np.int64)
    value = np.zeros((tree.n_nodes, n_classes))
    # In the order of the blocks: sums must not depend on who was first.
    for counts, masses in client.gather(client.compute(tasks)):
        n_rows += counts
        value += masses
    return n_rows, value


def _block_totals(rows, tree, n_classes):
    leaf = tree.apply(rows.X)
    return leaf_totals(leaf, rows.codes, tree.n_nodes, n_classes, rows.weight)
