"""Files of compressed models: every array is checked before it is used."""

import json

import numpy as np
import pytest

from benchmarks.damaged_models import signed, take_apart
from benchmarks.model_samples import sample_rows
from treesvm import (
    DTSVMClassifier,
    SupportVectorTreeClassifier,
    load_model,
    save_model,
)
from treesvm.baselines import CPSPClassifier
from treesvm.persistence import ModelFileError

X, Y = sample_rows()


def sample_of(model, folder):
    path = folder / "sample.model"
    save_model(model, path)
    return take_apart("sample", path.read_bytes())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compressed")
    tree = SupportVectorTreeClassifier(split_rows=30, random_state=0).fit(X, Y)
    leaves = DTSVMClassifier(max_leaf_size=60, random_state=0).fit(X, Y)
    small = SupportVectorTreeClassifier(leaves, 4, random_state=0).fit(X)
    span = CPSPClassifier(4).fit(X, Y)
    models = {"tree": tree, "leaves": small, "span": span}
    return {name: sample_of(model, folder) for name, model in models.items()}


def put(name, place, value):
    def change(arrays):
        arrays[name][place] = value

    return change


def cut(name):
    def change(arrays):
        arrays[name] = arrays[name][:-1]

    return change


def far_child(arrays):
    inner = int(np.flatnonzero(arrays["scores.left"] >= 0)[0])
    arrays["scores.left"][inner] = len(arrays["scores.left"]) + 5


def own_child(arrays):
    inner = int(np.flatnonzero(arrays["scores.left"] >= 0)[0])
    arrays["scores.left"][inner] = inner


def shared_child(arrays):
    inner = np.flatnonzero(arrays["scores.left"] >= 0)
    arrays["scores.right"][inner[0]] = arrays["scores.right"][inner[-1]]


def half_leaf(arrays):
    inner = int(np.flatnonzero(arrays["scores.left"] >= 0)[0])
    arrays["scores.left"][inner] = -1


DAMAGES = {
    "column beyond the terms": put("scores.column", 0, 10_000),
    "negative column": put("scores.column", 0, -1),
    "threshold NaN": put("scores.threshold", 0, np.nan),
    "coefficient infinite": put("scores.coefficients", 0, np.inf),
    "coefficient missing": cut("scores.coefficients"),
    "offset missing": cut("scores.offsets"),
    "offset NaN": put("scores.offsets", 0, np.nan),
    "child beyond the tree": far_child,
    "child of itself": own_child,
    "child of two": shared_child,
    "half a leaf": half_leaf,
    "rows below zero": put("scores.n_rows", 0, -3),
    "size of a tree": put("scores.sizes", (0, 0), 10**6),
    "outputs of a tree": put("scores.sizes", (0, 1), 7),
    "class against itself": put("compressed.pairs", 0, 1),
    "class beyond the classes": put("compressed.pairs", (0, 0), 9),
    "terms of a machine": put("compressed.sizes", (0, 0), 10**5),
    "trees of a machine": put("compressed.sizes", (0, 2), 0),
    "vector NaN": put("vectors.dense", 0, np.nan),
    "code of a part": put("parts.code", 0, 99),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["tree", "leaves"])
def test_damaged_trees_are_refused(damage, name, files, tmp_path):
    refuse(files[name], DAMAGES[damage], tmp_path)


@pytest.mark.parametrize("name", ["machines.columns", "machines.factor"])
def test_damaged_scalings_are_refused(name, files, tmp_path):
    refuse(files["leaves"], cut(name), tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        put("basis.vectors", 0, np.nan),
        put("basis.coef", 0, np.inf),
        put("basis.rows", 0, -7),
        cut("basis.coef"),
        cut("basis.intercept"),
        cut("basis.rows"),
    ],
    ids=range(6),
)
def test_damaged_spans_are_refused(change, files, tmp_path):
    refuse(files["span"], change, tmp_path)


def refuse(sample, change, folder):
    header = json.loads(json.dumps(sample.header))
    arrays = {name: array.copy() for name, array in sample.arrays.items()}
    path = folder / "stranger.model"
    path.write_bytes(signed(header, arrays))
    load_model(path)  # signing alone does no harm
    change(arrays)
    path.write_bytes(signed(header, arrays))
    with pytest.raises(ModelFileError, match=r"stranger\.model"):
        load_model(path)
