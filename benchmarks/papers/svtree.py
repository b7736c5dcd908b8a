"""Ukkonen (2010), The support vector tree: Table 1."""

import math
import warnings

import numpy as np
from sklearn.svm import SVC

from benchmarks.papers.cells import (
    Cell,
    Paper,
    Picture,
    Run,
    Table,
    Tolerance,
    mean_and_deviation,
)
from benchmarks.svtree_problems import TRAINING_ROWS, Split, tuned_budget
from treesvm import SupportVectorTreeClassifier
from treesvm.baselines import CPSPClassifier

N_SPLITS = 20
METHODS = ("dummy", "l-svm", "svm", "sv-tree", "cpsp", "cpsp(tr)")
COSTS = ("support vectors", "evaluations", "budget")
# Set -> accuracies of METHODS, then support vectors, the tree's kernel evaluations and
# the budget of both cpsp. Table 1.
TABLE_1 = {
    "heart_statlog": (0.56, 0.82, 0.82, 0.75, 0.84, 0.84, 60, 8.2, 9),
    "ida_thyroid": (0.71, 0.89, 0.96, 0.92, 0.92, 0.90, 13, 9.3, 10),
    "ida_breast_cancer": (0.70, 0.70, 0.71, 0.70, 0.73, 0.73, 120, 9.1, 10),
    "ida_waveform": (0.67, 0.87, 0.90, 0.86, 0.90, 0.88, 229, 9.5, 10),
    "ida_german": (0.70, 0.76, 0.75, 0.70, 0.76, 0.76, 373, 10.9, 11),
    "ida_image": (0.57, 0.85, 0.97, 0.89, 0.89, 0.87, 213, 11.9, 12),
    "pima_diabetes": (0.65, 0.77, 0.77, 0.73, 0.77, 0.77, 249, 10.0, 11),
    "ida_ringnorm": (0.50, 0.75, 0.98, 0.95, 0.84, 0.74, 152, 10.5, 11),
    "ida_splice": (0.51, 0.83, 0.89, 0.68, 0.86, 0.77, 588, 11.4, 12),
    "ida_twonorm": (0.50, 0.97, 0.98, 0.91, 0.98, 0.97, 263, 9.5, 10),
    "banana": (0.54, 0.55, 0.89, 0.88, 0.86, 0.88, 151, 9.2, 10),
}
LINEAR_CS = (0.01, 1.0, 100.0)
SOURCES = ("src/treesvm/baselines/cpsp.py",)


def measure(folder, quick, name):
    """Means and standard errors over the splits."""
    n_splits = 2 if quick else N_SPLITS
    splits = [Split(folder, name, seed) for seed in range(n_splits)]
    found = [split_figures(split)[1] for split in splits]
    figures = {}
    for key in found[0]:
        mean, deviation = mean_and_deviation([figures_[key] for figures_ in found])
        figures[key] = round(mean, 5)
        figures[f"± {key}"] = round(deviation / math.sqrt(n_splits), 5)
    return figures


def split_figures(split):
    """The tuned machine, and the figures of the paper's methods, on one split."""
    figures = {"dummy": split.accuracy(np.full(len(split.y_test), majority(split.y)))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence at C = 100
        figures["l-svm"] = linear_accuracy(split)
    machine = split.tuned_machine()
    figures["svm"] = split.accuracy(machine.predict(split.X_test))
    figures["support vectors"] = len(machine.support_)
    tree = papers_tree(machine, split)
    figures["sv-tree"] = split.accuracy(tree.predict(split.X_test))
    figures["evaluations"] = nodes_met(tree, split.X_test)
    figures["budget"] = rounded_budget(figures["evaluations"])
    for name, basis in (("cpsp", "free"), ("cpsp(tr)", "training")):

        def make(C, gamma, basis=basis):
            k = figures["budget"]
            return CPSPClassifier(k, basis, C, gamma=gamma, random_state=0)

        model = tuned_budget(split, make)
        figures[name] = split.accuracy(model.predict(split.X_test))
    return machine, figures


def majority(y):
    """The label that is more common in training."""
    labels, counts = np.unique(y, return_counts=True)
    return labels[counts.argmax()]


def papers_tree(machine, split):
    """Algorithms 2 to 5 with the scales of section 4.3, one random start a split."""
    tree = SupportVectorTreeClassifier(
        machine, refit=False, n_starts=1, random_state=split.seed
    )
    return tree.fit(split.X)


def rounded_budget(evaluations):
    """Upwards, as in Table 1 (8.2 became 9, 10.0 became 11)."""
    return max(1, math.ceil(evaluations))


def nodes_met(tree, X):
    """Mean number of nodes on the paths: the paper's count of kernel evaluations."""
    machine = tree.decompositions_[0].parts[0].machine
    (only,) = machine.trees
    leaves = only.apply(machine.terms.matrix(X))
    return float(only.depth[leaves].mean())


def linear_accuracy(split):
    """LIBSVM's linear machine, the best C of three folds."""
    scores = dict.fromkeys(LINEAR_CS, 0.0)
    for train, held in split.folds(3):
        for C in LINEAR_CS:
            model = _linear(C).fit(split.X[train], split.y[train])
            scores[C] += model.score(split.X[held], split.y[held])
    best = max(scores, key=lambda C: (scores[C], -C))
    return split.accuracy(_linear(best).fit(split.X, split.y).predict(split.X_test))


def _linear(C):
    # Overlapping classes at C = 100 take LIBSVM millions of steps to the last digit.
    return SVC(C=C, kernel="linear", max_iter=200_000)


def _cells():
    accuracy, evaluations = Tolerance(0.03), Tolerance(1.0)
    for name, published in TABLE_1.items():
        for method, value in zip(METHODS, published, strict=False):
            yield Cell(name, method, value, name, method, accuracy)
        widths = (Tolerance(1.5, is_factor=True), evaluations, evaluations)
        for cost, value, width in zip(COSTS, published[6:], widths, strict=True):
            yield Cell(name, cost, value, name, cost, width)


def _draw(axes, figures):
    """Accuracy of the tree against that of the machine, with the paper's beside."""
    names = [name for name in TABLE_1 if name in figures]
    ours = [figures[name]["sv-tree"] - figures[name]["svm"] for name in names]
    theirs = [TABLE_1[name][3] - TABLE_1[name][2] for name in names]
    places = np.arange(len(names))
    axes.bar(places - 0.2, ours, 0.4, label="ours")
    axes.bar(places + 0.2, theirs, 0.4, label="paper")
    axes.set_xticks(places, [n.removeprefix("ida_") for n in names], rotation=60)
    axes.set_ylabel("accuracy of the tree − of the SVM")
    axes.legend(frameon=False)


PAPER = Paper(
    "svtree",
    "Support vector trees: Ukkonen (2010)",
    "A. Ukkonen, *The support vector tree*, Algorithms and Applications, LNCS 6060 "
    "(2010) 244–259. Twenty random splits of the Rätsch sets, with the sizes of the "
    "published ones (their index lists could not be had). Features are standardised by "
    "the training rows; C and γ of the machine are chosen by five folds, those of cpsp "
    "by three. The paper's grids are not known. ± are standard errors.",
    [
        Run(name, measure, {"name": name}, (name,), SOURCES, 60.0 + TRAINING_ROWS[name])
        for name in TABLE_1
    ],
    [
        Table(
            "Table 1: accuracies and numbers of kernels",
            list(_cells()),
            "Evaluations are the nodes on a row's path; the budget of cpsp is their "
            "mean rounded upwards, as in the paper, on every split.",
        )
    ],
    pictures=[
        Picture(
            "loss",
            "What the tree loses",
            "The paper: the tree is below the SVM on all sets, least on banana, most "
            "on splice.",
            tuple(TABLE_1),
            _draw,
        )
    ],
)
