"""The methods that Ryu and Lee (2020) compare, each as a run: select, train, figures.

C and γ are those of the paper's Table 3; where they cannot be read, they are chosen on
training rows.
"""

import itertools
import warnings
from types import SimpleNamespace

import numpy as np
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from benchmarks import candidates_problems as problems
from benchmarks import data, timing
from benchmarks.papers import trsd_published as published
from benchmarks.papers.cells import mean_and_deviation
from treesvm import KernelSVC
from treesvm.candidates import CBD, CVS, FLD, TRSD, RandomRows
from treesvm.candidates.partition import partition_rows
from treesvm.candidates.support_distance import (
    majority_centroids,
    majority_rows,
    support_scores,
)
from treesvm.trees.adjacency import neighbour_blocks
from treesvm.trees.boxes import leaf_boxes

SELECTORS = {"CVS": CVS, "FLD": FLD, "TRSD": TRSD, "CBD": CBD, "RandomRows": RandomRows}
QUICK_ROWS = 6_000
TIMED_SHARE = 0.3


def measure(folder, quick, name, method):
    """Accuracies at the paper's C and γ over the folds."""
    figures = {}
    every = list(folds(folder, quick, name))
    for share in problems.SHARES if method != "SVM" else (0.1,):
        accuracies = [_one_fold(name, fold, method, share)[0] for fold in every]
        label = f"{method} {share}" if method != "SVM" else method
        mean, deviation = mean_and_deviation(accuracies)
        figures[label] = round(mean, 3)
        figures[f"± {label}"] = round(deviation, 3)
        figures[f"folds {label}"] = [round(a, 3) for a in accuracies]
    return figures


def times(folder, quick, name):
    """Table 6: seconds of selection and of training, means of the folds."""
    n_folds = 1 if name in problems.LARGE else 3
    some = list(itertools.islice(folds(folder, quick, name), n_folds))
    figures = {}
    for method in published.METHODS:
        _one_fold(name, _thinned(some[0]), method, TIMED_SHARE)  # compiles, if need be
        runs = [_one_fold(name, fold, method, TIMED_SHARE) for fold in some]
        _, selection, training = zip(*runs, strict=True)
        figures[f"selection {method}"] = round(float(np.mean(selection)), 4)
        figures[f"training {method}"] = round(float(np.mean(training)), 4)
    return figures


def _thinned(fold, n_rows=600):
    """About so many rows of a fold, evenly spread."""
    step = max(1, len(fold.y) // n_rows)
    return fold._replace(X=fold.X[::step], y=fold.y[::step])


def folds(folder, quick, name):
    """Nine folds; a quick run has three of a sample."""
    context = SimpleNamespace(data=folder, quick=False)
    X, y = problems.load(context, name)
    rows = data.sample_rows(len(y), QUICK_ROWS) if quick else np.arange(len(y))
    yield from problems.fold_rows(X[rows], y[rows], problems.SEEDS[: 1 if quick else 3])


def _one_fold(name, fold, method, share):
    """(accuracy in %, seconds of the selection, of the training)."""
    selection = timing.measure(lambda: _kept_rows(fold, method, share))
    accuracy, seconds = trained_on(name, fold, selection.result, method)
    return accuracy, selection.seconds, seconds


def trained_on(name, fold, kept, method):
    """(accuracy in %, seconds of the training) of a machine of the kept rows."""
    C, gamma = table_3(name, fold, kept, method)
    # The paper works in R, whose usual `svm` standardises the rows that it is given.
    scaler = StandardScaler().fit(fold.X[kept])
    model, rows = KernelSVC(C=C, gamma=gamma), scaler.transform(fold.X[kept])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        training = timing.measure(lambda: model.fit(rows, fold.y[kept]))
    right = model.predict(scaler.transform(fold.X_test)) == fold.y_test
    return 100.0 * float(np.mean(right)), training.seconds


def _kept_rows(fold, method, share):
    if method == "SVM":
        return np.arange(len(fold.y))
    selector = SELECTORS[method](share, random_state=fold.seed)
    return selector.fit(fold.X, fold.y).sample_indices_


def table_3(name, fold, kept, method):
    """The paper's C and γ, or a search on training rows where they cannot be read."""
    known = published.parameters(name, method, fold.X.shape[1])
    return known or problems.chosen_parameters(name, fold, kept, method)


def choose(folder, quick, name, method):
    """Table 3: C and γ of a method by our own search, share 0.1, three folds."""
    found = [
        problems.searched_parameters(fold, _kept_rows(fold, method, 0.1))
        for fold in itertools.islice(folds(folder, quick, name), 3)
    ]
    return dict(zip(("C", "γ"), np.median(found, axis=0).tolist(), strict=True))


def iris_picture(folder, quick):
    """Figures 1 to 4: leaves and their neighbours, vectors, support distances."""
    X, y = load_iris(return_X_y=True)
    X = X[:, 2:]
    scaler = StandardScaler().fit(X)
    scaled = scaler.transform(X)
    machine = KernelSVC(C=10, gamma=0.5).fit(scaled, y)
    partition = partition_rows(scaled, y, rng=np.random.RandomState(0))
    scores = support_scores(scaled, y, partition)
    is_vector = np.isin(np.arange(len(y)), machine.support_)
    centroids = majority_centroids(scaled, majority_rows(y, partition))
    return {
        "box": _boxes(partition.tree, scaler).round(3).tolist(),
        "centroid": scaler.inverse_transform(centroids).round(3).tolist(),
        "pair": [
            (int(block.first + t), int(k))
            for block in neighbour_blocks(partition.tree, partition.majority)
            for t, begin in enumerate(block.starts[:-1])
            for k in block.indices[begin : block.starts[t + 1]]
        ],
        "length": X[:, 0].round(3).tolist(),
        "width": X[:, 1].round(3).tolist(),
        "class": y.tolist(),
        "leaf": partition.leaf.tolist(),
        "vector": is_vector.tolist(),
        "distance": [None if not np.isfinite(s) else float(s) for s in scores],
    }


def _boxes(tree, scaler):
    """(left, right, bottom, top) of the leaves in the features' own units."""
    found = leaf_boxes(tree)
    sides = np.full((tree.n_leaves, 2, 2), np.inf) * [-1.0, 1.0]
    sides[:, found.features, 0] = found.lower
    sides[:, found.features, 1] = found.upper
    sides = sides * scaler.scale_[:, None] + scaler.mean_[:, None]
    ends = np.array([[0.5, 7.5], [-0.2, 2.8]])  # of the picture
    return np.clip(sides, ends[:, :1], ends[:, 1:]).reshape(-1, 4)
