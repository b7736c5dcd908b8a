"""The methods that Rodriguez-Lujan et al. (2012) compare, each as a run.

Features have the form of the repository that the paper took them from: ijcnn1 as it is,
shuttle in [-1, 1], the others in [0, 1], by the training rows. In these forms the RBF
SVM has about the published vectors: ijcnn1 3,153 (published 3,154; 3,397 in [-1, 1]),
shuttle 66 by KernelSVC (66; 110 in [0, 1]), USPS 1,726 (1,521; 2,599 in [-1, 1]).
Parameters are those of Table 3.
"""

import itertools
import math
import time
import warnings
from collections import Counter
from types import SimpleNamespace

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC, LinearSVC

from benchmarks import data, timing
from benchmarks.hlsvm_problems import THREADS, Problem, error, load
from benchmarks.papers.cells import mean_and_deviation
from benchmarks.papers.stumps import StumpBoosting
from treesvm import HLSVMClassifier, HLSVMClassifierCV, KernelSVC
from treesvm.baselines import SVMTreesClassifier
from treesvm.bounds import oblique_bound
from treesvm.metrics import hyperplane_cost

# The paper's name -> our set; None: not to be had.
SETS = {
    "IJCNN": "ijcnn1",
    "Shuttle": "shuttle",
    "M3VO": "mnist",
    "M3VOm8": None,
    "Vehicle": None,
    "Faces": "cbcl_faces",
    "Covtype": "covtype",
    "USPS": "usps",
}
KEYS = {
    "IJCNN": "ijcnn",
    "Shuttle": "shuttle",
    "M3VO": "m3vo",
    "Faces": "faces",
    "Covtype": "covtype",
    "USPS": "usps",
}
HAD = {short: name for short, name in SETS.items() if name is not None}
AS_THEY_ARE = ("ijcnn1",)
BOTH_SIGNS = ("shuttle",)
TIMED_CACHE = 1_500  # MB
PATH_ROWS = 6_000  # whose kernels fit into memory together
N_PARTITIONS = 10  # of Faces and Covtype
# Table 3: C of LIBLINEAR, C and γ of LIBSVM, λ and ρ; USPS by section 5.3.
TABLE_3 = {
    "IJCNN": (1e1, 1e1, 1e0, 1e-5, 0.0),
    "Shuttle": (1e2, 1e6, 1e0, 1e-7, 0.2),
    "M3VO": (1e0, 1e2, 1e-2, 1e-4, 0.2),
    "M3VOm8": (1e0, 1e2, 1e-2, 1e-5, 0.2),
    "Vehicle": (1e-1, 1e1, 1e-1, 1e-6, 0.1),
    "Faces": (1e-1, 1e1, 1e-2, 1e-5, 0.1),
    "Covtype": (1e0, 1e0, 0.346, 1e-7, 0.0),
    "USPS": (1e0, 1e1, 1e-2, 1e-5, 0.0),
}
MIN_SHARES = (5e-2, 2.5e-2, 1e-2, 7.5e-3, 5e-3, 2.5e-3,
              1e-3, 7.5e-4, 5e-4, 2.5e-4, 1e-4)  # fmt: skip
SIZES = (10_000, 50_000, 100_000, 200_000, 522_910)  # Figure 5
# The paper's nodes by dual coordinate descent: without what Pegasos alone has. Weights
# sum to one over a node (equations 7 and 8), so the penalty is λ times the node's rows.
DUAL = {
    "solver": "dual",
    "tol": "auto",
    "max_steps": None,
    "batch_size": None,
    "bias_rate": None,
}


def partitions(folder, quick, short):
    """Problems with features in [0, 1] by the training rows: one, or ten of them."""
    name = HAD[short]
    several = short in ("Faces", "Covtype")
    n_partitions = 1 if not several else 2 if quick else N_PARTITIONS
    for seed in range(n_partitions):
        problem = _load(folder, name, seed)
        if quick:
            problem = problem.head(6_000)._replace(
                X_test=problem.X_test[:10_000], y_test=problem.y_test[:10_000]
            )
        yield as_published(problem)


def as_published(problem):
    """The features in the form of the paper's source."""
    if problem.name in AS_THEY_ARE:
        return problem
    X, X_test = data.scale(problem.X, problem.X_test)
    if problem.name in BOTH_SIGNS:
        X, X_test = 2 * X - 1, 2 * X_test - 1
    return problem._replace(X=X, X_test=X_test)


def _load(folder, name, seed):
    if name == "cbcl_faces":  # the paper's protocol: two thirds train
        stored = data.load(folder, name)
        order = np.random.default_rng(seed).permutation(len(stored.y))
        train, test = np.split(order, [2 * len(order) // 3])
        X = np.asarray(stored.X, np.float32)
        return Problem(name, X[train], stored.y[train], X[test], stored.y[test])
    context = SimpleNamespace(data=folder, quick=False)
    return load(context, name, binary=name != "usps", seed=seed)


def measure(folder, quick, short, method):
    """Error, cost and times of one method: means and deviations over the partitions."""
    found = [
        _one(problem, _machine(problem, short, method))
        for problem in partitions(folder, quick, short)
    ]
    figures = {}
    for key in found[0]:
        mean, deviation = mean_and_deviation([one[key] for one in found])
        figures[key] = mean
        if deviation is not None:
            figures[f"± {key}"] = deviation
    return figures


def times(folder, quick, short, method):
    """Table 6: seconds of training and of one prediction, on the first partition."""
    problem = next(partitions(folder, quick, short))
    machine = _machine(problem, short, method)
    if method == "RBF SVM":  # kernel rows of all vectors of M3VO: a third of the time
        machine.set_params(cache_size=TIMED_CACHE)
    few = slice(None, None, max(1, len(problem.y) // 600))
    clone(machine).fit(problem.X[few], problem.y[few])  # compiles, if need be
    found = _one(problem, machine)
    return {kind: found[kind] for kind in ("training s", "testing s")}


def _machine(problem, short, method):
    """The method at the paper's parameters."""
    linear_C, C, gamma, *_ = TABLE_3[short]
    common = {"n_jobs": THREADS, "random_state": 0}
    if method == "linear SVM":
        # The hinge itself: ijcnn1 7.83 % (published 7.82), squared 8.20.
        return LinearSVC(C=linear_C, loss="hinge", random_state=0)
    if method == "RBF SVM":
        return SVC(C=C, gamma=gamma, cache_size=300)
    if method == "H-LSVM, Pegasos":
        return HLSVMClassifier.paper(KEYS[short], **common)
    if method == "H-LSVM":
        return HLSVMClassifier.paper(KEYS[short], **DUAL, **common)
    if method == "H-LSVM, ours":
        return HLSVMClassifier(**common)
    if method == "SVM Trees":
        # Nodes with next to no penalty: what comes nearest to the published USPS line.
        return SVMTreesClassifier(1e-6, **common)
    return StumpBoosting(stump_budget(problem, short))


def stump_budget(problem, short):
    """Stumps that cost a row as much as H-LSVM: hyperplanes × features, up to tens."""
    model = _machine(problem, short, "H-LSVM").fit(problem.X, problem.y)
    cost = hyperplane_cost(model, problem.X).mean * problem.X.shape[1]
    return max(10, 10 * math.ceil(cost / 10))


def _one(problem, machine):
    training = timing.measure(lambda: machine.fit(problem.X, problem.y))
    testing = timing.measure(lambda: error(machine, problem))
    found = {"error": testing.result, "training s": training.seconds}
    found["testing s"] = testing.seconds / len(problem.y_test)
    if hasattr(machine, "hyperplanes_met"):
        cost = hyperplane_cost(machine, problem.X_test)
        found["hyperplanes"], found["maximum"] = cost.mean, float(cost.maximum)
        found["cost"] = cost.mean * problem.X.shape[1]
    if hasattr(machine, "n_support_"):
        found["vectors"] = int(machine.n_support_.sum())
    if hasattr(machine, "stumps_"):
        found["stumps"] = len(machine.stumps_)
    return found


def search(folder, quick, short):
    """Table 3: C of the linear SVM, λ and ρ by five folds on the paper's grids."""
    problem = next(partitions(folder, quick, short))
    n = len(problem.y)
    linear = GridSearchCV(
        LinearSVC(loss="hinge", random_state=0, max_iter=200),
        {"C": [10.0**i for i in range(-6, 7)]},
    ).fit(problem.X, problem.y)
    tree = HLSVMClassifierCV(
        [10.0**i / n for i in range(-6, 7)],
        prune_shares=(0.0, 0.1, 0.2),
        cv=5,
        regularization="paper",
        standardize=False,
        n_jobs=THREADS,
        random_state=0,
    ).fit(problem.X, problem.y)
    return {
        "C": float(linear.best_params_["C"]),
        "λ": float(tree.alpha_),
        "ρ": float(tree.prune_share_),
        "error at these": error(tree, problem),
    }


def bound(folder, quick, short):
    """Figure 6: T of Lemma 3 against the gap of errors, at Table 3's λ, ρ = 0."""
    problem = next(partitions(folder, quick, short))
    rows = {"T": [], "gap": [], "test error": []}
    for share in MIN_SHARES:
        model = HLSVMClassifier.paper(
            KEYS[short],
            **DUAL,
            min_share=share,
            prune_share=0.0,
            n_jobs=THREADS,
            random_state=0,
        ).fit(problem.X, problem.y)
        found, test = oblique_bound(model.trees_[0]), error(model, problem)
        rows["T"].append(found.complexity)
        rows["gap"].append(test - 100.0 * found.training_error)
        rows["test error"].append(test)
    known = np.ptp(rows["T"]) > 0  # one tree for every δ has no correlation
    correlation = np.corrcoef(rows["T"], rows["gap"])[0, 1] if known else None
    return {**rows, "correlation": None if correlation is None else float(correlation)}


def banana(folder, quick):
    """Figure 2: answers on a grid of points before and after pruning."""
    stored = data.load(folder, "banana")
    X, y = np.asarray(stored.X, np.float64), stored.y
    axis = np.linspace(-3.0, 3.0, 60)
    points = np.array([(a, b) for b in axis for a in axis])
    figures = {"axis": axis.round(3).tolist()}
    for share in (0.0, 0.1):
        model = HLSVMClassifier.paper(
            "banana", **DUAL, prune_share=share, random_state=0
        ).fit(X[::2], y[::2])
        side = model.predict(points) == model.classes_[1]
        figures[f"ρ = {share}"] = "".join("1" if s else "0" for s in side)
        figures[f"accuracy, ρ = {share}"] = 100 * model.score(X[1::2], y[1::2])
        cost = hyperplane_cost(model, X[1::2])
        figures[f"maximum, ρ = {share}"] = int(cost.maximum)
    return figures


def growth(folder, quick):
    """Figure 5: inner nodes, seconds and accuracies against the number of rows."""
    full = next(partitions(folder, False, "Covtype"))
    rows = {"rows": [], "nodes": [], "s": [], "training": [], "test": []}
    for size in SIZES[:2] if quick else SIZES:
        problem = full.head(size)
        start = time.process_time()
        model = _machine(problem, "Covtype", "H-LSVM").fit(problem.X, problem.y)
        rows["s"].append(time.process_time() - start)
        rows["rows"].append(len(problem.y))
        rows["nodes"].append(model.get_n_leaves() - 1)
        training = problem._replace(X_test=problem.X, y_test=problem.y)
        rows["training"].append(100 - error(model, training))
        rows["test"].append(100 - error(model, problem))
    return rows


def search_kernel(folder, quick, short):
    """Table 3: C and γ of the RBF SVM by five folds on the paper's grid.

    Ties go to the smaller C, then γ.
    """
    problem = next(partitions(folder, quick, short))
    X, y = problem.X, problem.y
    scores = Counter()
    for train, held in StratifiedKFold(5).split(X, y):
        found = _grid_scores(X[train], y[train], X[held], y[held])
        for theta, score in found.items():
            scores[theta] += score * len(held)
    C, gamma = min(scores, key=lambda theta: (-scores[theta], theta))
    return {"C": C, "γ": gamma}


def _grid_scores(X, y, X_held, y_held):
    """{(C, γ): accuracy}; few rows share the kernels of all points."""
    Cs, gammas = [10.0**i for i in range(-6, 7)], [10.0**i for i in range(-3, 4)]
    if len(y) <= PATH_ROWS:
        points = KernelSVC().path(X, y, Cs, gammas, X_held, y_held)
        return {(point.C, point.gamma): point.score for point in points}
    scores = {}
    for C, gamma in itertools.product(Cs, gammas):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine = KernelSVC(C, gamma=gamma).fit(X, y)
        scores[C, gamma] = machine.score(X_held, y_held)
    return scores
