"""What one prediction has to look at: support vectors, hyperplanes or tests.

To set methods side by side, `numbers` counts the feature values that are read: a
support vector or a hyperplane reads all features of a row, a test in an axis-parallel
tree reads one.
"""

from typing import NamedTuple

import numpy as np

from treesvm.datasets.frames import as_table
from treesvm.metrics import hyperplane_cost, support_vector_cost


class PredictionCost(NamedTuple):
    """Cost of a row on average."""

    met: float
    unit: str
    numbers: float


def linear_cost(model, X):
    """One hyperplane for two classes, one for each class for more."""
    n_planes = len(np.atleast_2d(model.coef_))
    return PredictionCost(n_planes, "hyperplanes", n_planes * X.shape[1])


def kernel_cost(model, X):
    """Distinct support vectors, of a machine or of the leaf that a row falls into."""
    machine = getattr(model, "regressor_", model)  # behind a scaled target
    met = support_vector_cost(machine, X).nesv_distinct
    return PredictionCost(met, "support vectors", met * X.shape[1])


def front_door_cost(model, X):
    """What the members of TreeSVC meet together."""
    rows = model.encoder_.transform(as_table(X))
    costs = [kernel_cost(member, rows) for member in model.members_]
    met, numbers = sum(c.met for c in costs), sum(c.numbers for c in costs)
    return PredictionCost(met, costs[0].unit, numbers)


def path_cost(model, X):
    """Distinct vectors on the path through a support vector tree."""
    met = float(model.kernel_evaluations(X).mean())
    return PredictionCost(met, "support vectors", met * X.shape[1])


def oblique_cost(model, X):
    """Hyperplanes on the way to the leaf."""
    met = hyperplane_cost(model, X).mean
    return PredictionCost(met, "hyperplanes", met * X.shape[1])


def axis_tree_cost(model, X):
    """Tests on the way to the leaf of scikit-learn's tree."""
    met = model.decision_path(X).sum(axis=1).mean() - 1.0
    return PredictionCost(float(met), "tests", float(met))


def boosted_cost(model, X):
    """Tests on the ways to the leaves of all LightGBM trees."""
    trees = model.booster_.dump_model()["tree_info"]
    leaves = np.asarray(model.booster_.predict(X, pred_leaf=True)).reshape(
        X.shape[0], -1
    )
    met = 0.0
    for number, tree in enumerate(trees):
        depth = dict(_leaf_depths(tree["tree_structure"]))
        found, counts = np.unique(leaves[:, number], return_counts=True)
        pairs = zip(found, counts, strict=True)
        met += sum(depth[int(leaf)] * n for leaf, n in pairs) / X.shape[0]
    return PredictionCost(float(met), "tests", float(met))


def histogram_cost(model, X):
    """Tests on the ways of the training rows to the leaves of all of HistGB's trees."""
    # It has no public way to its trees.
    trees = [tree.nodes for stage in model._predictors for tree in stage]
    met = sum(
        np.average(nodes["depth"], weights=nodes["is_leaf"] * nodes["count"])
        for nodes in trees
    )
    return PredictionCost(float(met), "tests", float(met))


def _leaf_depths(root):
    """Yield (leaf number, tests above it)."""
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if "left_child" in node:
            stack.append((node["left_child"], depth + 1))
            stack.append((node["right_child"], depth + 1))
        else:
            yield node.get("leaf_index", 0), depth
