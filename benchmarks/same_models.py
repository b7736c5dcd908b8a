"""Whether a change of the code changes the models: answers compared bit by bit.

    python -m benchmarks.same_models record FILE    # with the code before
    python -m benchmarks.same_models compare FILE   # with the code after

Every estimator is trained on small generated sets; predictions and decision values are
kept as they are, so the comparison needs the same machine and the same libraries.
"""

import sys
import warnings

import numpy as np
from sklearn.base import is_classifier
from sklearn.datasets import make_classification, make_regression

import treesvm
from treesvm import baselines, candidates

_ROWS, _FEATURES = 900, 6


def problems():
    """Yield (name, X, y, X_test) of small sets of two and of four classes."""
    for n_classes in (2, 4):
        X, y = make_classification(
            2 * _ROWS,
            _FEATURES,
            n_informative=4,
            n_classes=n_classes,
            n_clusters_per_class=2,
            random_state=n_classes,
        )
        X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
        yield f"{n_classes} classes", X[:_ROWS], y[:_ROWS], X[_ROWS:]


def classifiers():
    """Name -> estimator with every parameter that a default might change spelt out."""
    grid = {"Cs": [1.0, 10.0], "gammas": [1.0, 10.0], "random_state": 0}
    dtsvm = {"C": 10.0, "gamma": 3.0, "max_leaf_size": 150, "random_state": 0}
    dtsvm["kernel"] = "rbf"
    kernel = treesvm.KernelSVC(C=5.0, gamma=2.0)
    return {
        "KernelSVC": kernel,
        "KernelSVC ovr": treesvm.KernelSVC(C=5.0, gamma=2.0, multi_class="ovr"),
        "KernelSVC poly": treesvm.KernelSVC(kernel="poly", gamma=1.0, coef0=1.0),
        "KernelSVC sigmoid": treesvm.KernelSVC(kernel="sigmoid", gamma=0.1),
        "DTSVM": treesvm.DTSVMClassifier(**dtsvm),
        "DTSVM ovr": treesvm.DTSVMClassifier(
            **dtsvm, multi_class="ovr", leaf_scaling=None
        ),
        "DTSVM members": treesvm.DTSVMClassifier(**dtsvm, n_estimators=3),
        "DTSVM reduced": treesvm.DTSVMClassifier(
            **dtsvm, reduce=candidates.TRSD(0.5, random_state=0)
        ),
        "DTSVM search": treesvm.DTSVMClassifierCV(**grid, max_leaf_size=150),
        "DTSVM exhaustive": treesvm.DTSVMClassifierCV(
            **grid, max_leaf_size=150, search="exhaustive", refit=False
        ),
        "H-LSVM": treesvm.HLSVMClassifier(random_state=0),
        "H-LSVM ovo": treesvm.HLSVMClassifier(random_state=0, multi_class="ovo"),
        "H-LSVM search": treesvm.HLSVMClassifierCV(cv=3, random_state=0),
        "SVM-Maj": treesvm.SVMMajClassifier(),
        "SVM-partitioned tree": treesvm.SVMPartitionTreeClassifier(random_state=0),
        "support vector tree": treesvm.SupportVectorTreeClassifier(
            kernel, random_state=0
        ),
        "CandidateSVC": treesvm.CandidateSVC(candidates.TRSD(random_state=0), kernel),
        "RDSVM": baselines.RDSVMClassifier(**grid, max_leaf_size=300),
        "LASVM": baselines.LASVMClassifier(C=5.0, gamma=2.0, random_state=0),
        "SVM Trees": baselines.SVMTreesClassifier(random_state=0),
        "CPSP": baselines.CPSPClassifier(C=5.0, gamma=2.0, random_state=0),
    }


def regressors():
    """Name -> regressor."""
    return {
        "KernelSVR": treesvm.KernelSVR(C=5.0, gamma=2.0),
        "DTSVR": treesvm.DTSVRegressor(
            5.0, 2.0, 150, epsilon=0.1, kernel="rbf", random_state=0
        ),
    }


def answers():
    """Return all answers by name."""
    found = {}
    for problem, X, y, X_test in problems():
        for name, model in classifiers().items():
            found |= _answers(f"{name}, {problem}", model.fit(X, y), X_test)
        machine = treesvm.KernelSVC(C=5.0, gamma=2.0).fit(X, y)
        tree = treesvm.DTSVMClassifier(10.0, 3.0, 150, kernel="rbf")
        for name, model in (("machine", machine), ("tree", tree.fit(X, y))):
            small = treesvm.compress(model, X, y, random_state=0)
            found |= _answers(f"compressed {name}, {problem}", small, X_test)
    X, y = make_regression(2 * _ROWS, _FEATURES, noise=5.0, random_state=0)
    y = y / np.abs(y).max()
    for name, model in regressors().items():
        found |= _answers(name, model.fit(X[:_ROWS], y[:_ROWS]), X[_ROWS:])
    return found


def _answers(name, model, X):
    found = {f"{name}: predict": model.predict(X)}
    if is_classifier(model):
        found[f"{name}: decision_function"] = model.decision_function(X)
    return found


def main(arguments):
    """Record or compare; return how many answers differ."""
    what, path = arguments
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = answers()
    if what == "record":
        np.savez_compressed(path, **found)
        print(f"{len(found)} answers recorded")
        return 0
    with np.load(path, allow_pickle=False) as before:
        known = dict(before)
    different = [
        name
        for name in sorted(known.keys() | found.keys())
        if name not in known
        or name not in found
        or not np.array_equal(known[name], found[name])
    ]
    for name in different:
        print("differs:", name)
    print(f"{len(known) - len(different)} of {len(known)} answers are the same")
    return len(different)


if __name__ == "__main__":
    sys.exit(min(1, main(sys.argv[1:])))
