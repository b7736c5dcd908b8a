"""The fitted state of oblique trees and of linear machines."""

import numpy as np

from treesvm.files.failures import require
from treesvm.persistence.json_values import field, real_number, whole_number
from treesvm.persistence.labels import (
    read_classes,
    read_features,
    write_classes,
    write_features,
)
from treesvm.persistence.packed_parts import read_parts, write_parts
from treesvm.persistence.packed_trees import read_trees, write_trees
from treesvm.persistence.reports import read_reports, write_reports


class ObliqueTreesState:
    """Classifiers of oblique trees: one tree, or a committee of binary ones."""

    @staticmethod
    def write(model, arrays):
        write_trees(model.trees_, arrays)
        section = {
            "features": write_features(model, arrays),
            "classes": write_classes(model.classes_, arrays),
            "reports": write_reports(model),
        }
        if getattr(model, "leaf", "majority") == "kernel":
            section["parts"] = write_parts([model.decomposition_], arrays)
        return section

    @staticmethod
    def read(model, section, arrays):
        n_features = read_features(field(section, "features", dict), arrays, model)
        model.classes_ = read_classes(field(section, "classes", dict), arrays)
        n_classes = len(model.classes_)
        n_trees = committee_size(n_classes, model.multi_class)
        trees = read_trees(
            arrays,
            n_trees=n_trees,
            n_features=n_features,
            n_values=n_classes if n_trees == 1 else 2,
            is_oblique=True,
        )
        for tree in trees:
            require(
                bool((tree.value.sum(axis=1) > 0.0).all()),
                "a node of a tree answers with no class",
            )
        if getattr(model, "leaf", "majority") == "kernel":
            model.decomposition_ = read_parts(
                field(section, "parts", (dict, type(None))),
                arrays,
                trees,
                [tree.n_leaves for tree in trees],
                n_classes=n_classes,
                n_features=n_features,
            )[0]
        model.trees_ = trees
        read_reports(section, model)


def committee_size(n_classes, multi_class):
    """Number of trees, see `treesvm.trees.tree_committee.binary_problems`."""
    if multi_class == "tree" or n_classes <= 2:
        return 1
    return n_classes if multi_class == "ovr" else n_classes * (n_classes - 1) // 2


class SVMMajState:
    """`SVMMajClassifier`: a weight vector for each machine."""

    @staticmethod
    def write(model, arrays):
        arrays["coef"] = model.coef_
        arrays["intercept"] = model.intercept_
        arrays["gap"] = model.gap_
        scale = getattr(model, "probability_scale_", None)
        return {
            "features": write_features(model, arrays),
            "classes": write_classes(model.classes_, arrays),
            "n_iter": int(model.n_iter_),
            "scale": None if scale is None else float(scale),
            "reports": write_reports(model),
        }

    @staticmethod
    def read(model, section, arrays):
        n_features = read_features(field(section, "features", dict), arrays, model)
        model.classes_ = read_classes(field(section, "classes", dict), arrays)
        n_classes = len(model.classes_)
        require(n_classes >= 2, "it has one class only")
        n_machines = 1 if n_classes == 2 else n_classes
        model.coef_ = arrays.take("coef", "f8", (n_machines, n_features))
        model.intercept_ = arrays.take("intercept", "f8", (n_machines,))
        model.gap_ = arrays.take("gap", "f8", (n_machines,), is_finite=False)
        model.n_iter_ = whole_number(section, "n_iter", 0, np.iinfo(np.int64).max)
        if field(section, "scale", (float, int, type(None))) is not None:
            model.probability_scale_ = real_number(section, "scale", above=0.0)
        read_reports(section, model)
