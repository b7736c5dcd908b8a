"""Grow a tree for rows that lie on many machines, and train its leaves there.

The draws, in their order, are those of `treesvm.trees.axis.grow_axis_tree`, and so are
the functions, so that the tree is the one that would have been grown in one memory.
"""

from typing import NamedTuple

import numpy as np
from dask import delayed
from sklearn.utils import check_random_state

from treesvm.decomposition.checkpointing import NOTHING_KEPT, Item
from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.progress import Progress
from treesvm.distributed.clusters import as_finished
from treesvm.distributed.leaf_tasks import (
    GroupResult,
    Growth,
    LeafWork,
    Routing,
    finish_groups,
    grown_tree,
    leaf_counts,
)
from treesvm.distributed.shuffling import gathered_pieces
from treesvm.partitions.tree_parts import TreeParts
from treesvm.trees.axis import below_ceiling, draw_seed, is_small, plan_sample
from treesvm.trees.grafting import first_numbers, graft, with_totals

_TOTALS = ("leaves", "n_rows", "value")  # of a group


class Plan(NamedTuple):
    """A tree grown on the sample, and what is left to do in its leaves."""

    routing: Routing
    growth: Growth
    sizes: np.ndarray  # rows of each group


def plan_leaves(client, rows, partition, ceiling, seed):
    """Grow the tree on its sample, count all rows in it, and group its leaves.

    Parameters
    ----------
    client : distributed.Client
    rows : RowBlocks
    partition : AxisTree
    ceiling, seed : int
    """
    rng = check_random_state(seed)
    sample = plan_sample(rows.n_rows, ceiling, partition.max_tree_rows, rng)
    some, ceiling_there = rows.sampled(sample.rows), sample.ceiling
    grown = delayed(grown_tree)(
        some, rows.is_weighted, ceiling_there, partition, draw_seed(rng)
    )
    tree = client.compute(grown).result()
    counts = _counted(client, rows, tree)
    routing, sizes = _groups(tree, counts, ceiling)
    seeds = {}
    if sample.rows is not None:
        too_large = np.flatnonzero(counts >= ceiling)
        seeds = {int(routing.group_of[leaf]): draw_seed(rng) for leaf in too_large}
    return Plan(routing, Growth(ceiling, partition, seeds), sizes)


def _groups(tree, counts, ceiling):
    """Group the leaves that become one; return the routing and the groups' rows."""
    n_rows = with_totals(tree, counts, np.zeros((tree.n_nodes, 1))).n_rows
    small = is_small(n_rows, ceiling)
    group_of = tree.cut(small).leaf_numbers[tree.node_map(small)]
    group_of = np.where(tree.is_leaf, group_of, -1)
    leaves = tree.leaves()
    sizes = np.bincount(group_of[leaves], weights=counts[leaves]).astype(np.int64)
    return Routing(tree, group_of, np.ones(len(sizes), bool)), sizes


def _counted(client, rows, tree):
    """Count the rows that reach each node of a tree."""
    there = delayed(tree, traverse=False)
    tasks = [delayed(leaf_counts)(block, there) for block in rows.blocks]
    total = np.zeros(tree.n_nodes, np.int64)
    for _, counts in as_finished(client.compute(tasks)):
        total += counts
    return total


def fit_decomposition(
    client, rows, plan, options, *, store=NOTHING_KEPT, verbose=0, n_threads=1
):
    """Shuffle the rows to their leaves and train all of them.

    Returns
    -------
    (Decomposition, dict)
        The dict counts the leaves that each worker process has trained.
    """
    n_classes = len(rows.classes)
    work = LeafWork(rows.layout, n_classes, rows.is_weighted, plan.growth, options)
    results = _known_groups(store, plan)
    is_open = plan.routing.is_open.copy()
    is_open[list(results)] = False
    progress = Progress(len(plan.sizes), "leaves", verbose)
    progress.step_many(len(results))
    trained_by = {}
    if is_open.any():
        open_plan = plan._replace(routing=plan.routing._replace(is_open=is_open))
        for found in _finish_on_workers(client, rows, open_plan, work, n_threads):
            for result in found:
                results[result.group] = result
                store.put(f"group {result.group}", _as_item(result))
                count = trained_by.get(result.worker, 0)
                trained_by[result.worker] = count + len(result.parts)
            progress.step_many(len(found))
    progress.close()
    tree, parts = assemble(plan, results, n_classes)
    return Decomposition(TreeParts(tree), parts, n_classes), trained_by


def plan_of_tree(client, rows, tree, growth):
    """Return a plan in which every leaf of a given tree is a group of its own."""
    group_of = np.asarray(tree.leaf_numbers)
    sizes = _counted(client, rows, tree)[tree.leaves()]
    return Plan(Routing(tree, group_of, sizes > 0), growth, sizes)


def _finish_on_workers(client, rows, plan, work, n_threads):
    """Yield the results of each partition as it is finished."""
    routing = plan.routing
    pieces = gathered_pieces(client, routing, plan.sizes, rows, n_threads=n_threads)
    where, what = delayed(routing, traverse=False), delayed(work, traverse=False)
    futures = client.compute([delayed(finish_groups)(p, where, what) for p in pieces])
    for future, found in as_finished(futures):
        yield found
        future.release()  # the client has it; the worker needs the room


def assemble(plan, results, n_classes):
    """Put the groups' branches, counts and parts together to one tree."""
    tree, group_of = plan.routing.tree, plan.routing.group_of
    leaf_of = {int(group_of[leaf]): int(leaf) for leaf in tree.leaves()}
    branches = _branches(plan, results)
    grafted, firsts = graft(tree, branches), first_numbers(tree, branches)
    n_rows = np.zeros(grafted.n_nodes, np.int64)
    value = np.zeros((grafted.n_nodes, n_classes))
    places = {}
    for group, result in results.items():
        nodes = result.leaves
        if result.branch is not None:
            nodes = firsts[leaf_of[group]] + nodes - 1
        n_rows[nodes], value[nodes] = result.n_rows, result.value
        places[group] = nodes
    whole = with_totals(grafted, n_rows, value)
    ceiling = plan.growth.max_leaf_size
    final = below_ceiling(whole, ceiling)
    number = final.leaf_numbers[whole.node_map(is_small(whole.n_rows, ceiling))]
    parts = [None] * final.n_leaves
    for group, result in results.items():
        # A group without branch is one leaf in the end, whatever it consisted of.
        nodes = places[group] if result.branch is not None else places[group][:1]
        for node, part in zip(nodes, result.parts, strict=False):
            parts[number[node]] = part
    return final, parts


def _branches(plan, results):
    """Return the trees that replace leaves of the first tree, by leaf, ascending."""
    group_of = plan.routing.group_of
    known = ((int(k), results.get(group_of[k])) for k in plan.routing.tree.leaves())
    return {k: r.branch for k, r in known if r is not None and r.branch is not None}


def _as_item(result):
    arrays = {name: getattr(result, name) for name in _TOTALS}
    trees = () if result.branch is None else (result.branch,)
    return Item(tuple(result.parts), trees, arrays)


def _known_groups(store, plan):
    """Return the groups that a checkpoint holds, as results."""
    found = {}
    for group, size in enumerate(plan.sizes):
        item = store.get(f"group {group}")
        if item is None or item.arrays["n_rows"].sum() != size:
            continue
        branch = item.trees[0] if item.trees else None
        totals = (item.arrays[name] for name in _TOTALS)
        found[group] = GroupResult(group, branch, *totals, list(item.parts), 0)
        store.count_restored(len(item.parts))
    return found
