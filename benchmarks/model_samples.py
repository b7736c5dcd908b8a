"""Small good model files, one of every kind of model that can be saved."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.datasets import load_iris

from benchmarks.damaged_models import take_apart
from treesvm import (
    CandidateSVC,
    DTSVMClassifier,
    DTSVMClassifierCV,
    DTSVRegressor,
    DTSVRegressorCV,
    HLSVMClassifier,
    HLSVMClassifierCV,
    KernelSVC,
    KernelSVR,
    SupportVectorTreeClassifier,
    SVMMajClassifier,
    SVMPartitionTreeClassifier,
    TreeSVC,
    TreeSVR,
    compress,
    save_model,
)
from treesvm.baselines import (
    BaggedSVC,
    CPSPClassifier,
    LASVMClassifier,
    RDSVMClassifier,
    SVMTreesClassifier,
)
from treesvm.candidates import TRSD, RandomRows
from treesvm.datasets import Table, TableModel
from treesvm.partitions import RandomParts

_STORED = Path(__file__).resolve().parents[1] / "tests" / "persistence" / "stored"
_OLD = [
    "format_1_CandidateSVC_leaves",
    "format_1_DTSVMClassifierCV",
    "format_1_DTSVRegressor",
    "format_1_HLSVMClassifier_kernel",
    "format_1_compressed_DTSVM",
]
_SMALL = {"max_leaf_size": 30, "random_state": 0}
_QUICK = {"time_limit": 0.5, "random_state": 0}
_GRID = ([1.0, 10.0], [0.1, 1.0])


def fitted_models():
    """Return ``{name: fitted model}``, all trained on the rows of `sample_rows`."""
    X, y = sample_rows()
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    is_first = y == 0
    models = {
        "TreeSVC": (TreeSVC(**_QUICK), X, words),
        "TreeSVR": (TreeSVR(**_QUICK), X[:, :3], X[:, 3]),
        "KernelSVC": (KernelSVC(gamma=1.0, probability=True), X, y),
        "KernelSVC ovr": (KernelSVC(multi_class="ovr"), sparse.csr_matrix(X), y),
        "KernelSVC Gram": (KernelSVC(kernel="precomputed"), X @ X.T, is_first),
        "KernelSVR": (KernelSVR(), X[:, :3], X[:, 3]),
        "DTSVMClassifier": (DTSVMClassifier(**_SMALL, probability=True), X, words),
        "DTSVMClassifier sparse": (DTSVMClassifier(**_SMALL), sparse.csr_matrix(X), y),
        "DTSVMClassifier voting": (DTSVMClassifier(**_SMALL, n_estimators=3), X, y),
        "DTSVMClassifierCV": (DTSVMClassifierCV(*_GRID, **_SMALL), X, y),
        "DTSVRegressorCV": (DTSVRegressorCV(*_GRID, **_SMALL), X[:, :3], X[:, 3]),
        "DTSVRegressor": (DTSVRegressor(**_SMALL, epsilon=0.01), X[:, :3], X[:, 3]),
        "HLSVMClassifier": (HLSVMClassifier(random_state=0), X, words.astype(object)),
        "HLSVMClassifier pairs": (
            HLSVMClassifier(multi_class="ovo", random_state=0), X, y
        ),
        "DTSVMClassifier oblique": (
            DTSVMClassifier(**_SMALL, partition="oblique"), X, y
        ),
        "DTSVMClassifier random": (
            DTSVMClassifier(**_SMALL, partition=RandomParts()), X, y
        ),
        "DTSVRegressor random": (
            DTSVRegressor(**_SMALL, partition="random"), X[:, :3], X[:, 3]
        ),
        "HLSVMClassifierCV": (HLSVMClassifierCV([0.1, 1.0], random_state=0), X, y),
        "SVMMajClassifier": (SVMMajClassifier(alpha="cv", random_state=0), X, y * 2.0),
        "SVMPartitionTreeClassifier": (
            SVMPartitionTreeClassifier(alpha=1.0, random_state=0), X, y
        ),
        "RDSVMClassifier": (RDSVMClassifier(*_GRID, 40, random_state=0), X, y),
        "BaggedSVC": (BaggedSVC(*_GRID, 40, random_state=0), X, y),
        "CandidateSVC": (
            CandidateSVC(TRSD(0.5, random_state=0), KernelSVC()), X, words
        ),
        "CandidateSVC leaves": (
            CandidateSVC(RandomRows(random_state=0), DTSVMClassifier(**_SMALL)), X, y
        ),
        "DTSVMClassifier reduced": (DTSVMClassifier(**_SMALL, reduce=TRSD(0.5)), X, y),
        "LASVMClassifier": (LASVMClassifier(random_state=0), X, words),
        "LASVMClassifier ovr": (
            LASVMClassifier(multi_class="ovr", random_state=0), sparse.csr_matrix(X), y
        ),
        "SVMTreesClassifier": (SVMTreesClassifier(random_state=0), X, y),
        "SupportVectorTreeClassifier": (_svtree(), X, y),
        "SupportVectorTreeClassifier paper": (
            _svtree(refit=False, shared=False), sparse.csr_matrix(X), is_first
        ),
        "CPSPClassifier": (CPSPClassifier(budget=5), X, words),
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence, which matters elsewhere
        fitted = {name: model.fit(X, y) for name, (model, X, y) in models.items()}
    return fitted | compressed_models()


def _svtree(**options):
    return SupportVectorTreeClassifier(split_rows=30, random_state=0, **options)


def compressed_models():
    """Return ``{name: fitted model}`` of machines made smaller after training."""
    X, y = sample_rows()
    leaves = DTSVMClassifier(**_SMALL).fit(X, y)
    gram = KernelSVC(kernel="precomputed").fit(X @ X.T, y == 0)
    return {
        "compressed DTSVM": compress(leaves, X, y, tolerance=0.1, random_state=0),
        "compressed Gram": compress(gram, X @ X.T, y == 0, random_state=0),
    }


def wrapped_models():
    """Return ``{name: fitted model}`` with preprocessing before an estimator."""
    X, y = sample_rows()
    colour = np.array(["red", "green", "blue"], dtype=object)[y]
    named = Table({"width": X[:, 0], "colour": colour, "size": X[:, 1]}, y=y)
    frame = pd.DataFrame(named.X).mask(X[:, :3] > 6.5)
    return {
        "TreeSVC frame": TreeSVC(**_QUICK).fit(frame, y),
        "TableModel TreeSVC": TableModel(
            TreeSVC(**_QUICK), scale="none", missing="indicator"
        ).fit(named),
        "TableModel": TableModel(HLSVMClassifier(random_state=0)).fit(X, y),
        "TableModel names": TableModel(KernelSVC(), scale="standard").fit(named),
    }


def sample_rows():
    """Rows and class codes that every sample is trained on."""
    return load_iris(return_X_y=True)


def samples():
    """Return a `Sample` of the file of every model, and some of earlier formats."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, model in (fitted_models() | wrapped_models()).items():
            path = Path(folder, "sample.model")
            save_model(model, path)
            found.append(take_apart(name, path.read_bytes()))
    for name in _OLD:
        found.append(take_apart(name, (_STORED / f"{name}.model").read_bytes()))
    return found
