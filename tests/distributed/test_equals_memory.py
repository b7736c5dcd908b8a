"""A model from the cluster is the model from one memory, to the last bit."""

import pickle

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from checkpointed_fits import assert_same_model, rows
from dask import delayed
from scipy import sparse
from sklearn.model_selection import ShuffleSplit

from treesvm import (
    DTSVMClassifier,
    DTSVMClassifierCV,
    HLSVMClassifier,
    load_model,
    save_model,
)
from treesvm.decomposition.seeds import draw_seeds
from treesvm.distributed import (
    DaskDTSVMClassifier,
    DaskDTSVMClassifierCV,
    DaskHLSVMClassifier,
    row_blocks,
)
from treesvm.partitions import AxisTree
from treesvm.trees.axis import plan_sample

N_ROWS = 2400
UNEVEN = (1000, 1, 0, 899, 500)


def on_dask(X, y, weight=None, sizes=UNEVEN):
    made = [da.from_array(X, chunks=(sizes, X.shape[1])), da.from_array(y, chunks=700)]
    return [*made, None if weight is None else da.from_array(weight, chunks=(sizes,))]


def weights():
    return np.random.default_rng(7).integers(0, 4, N_ROWS) / 3.0


DTSVM = {
    "one leaf size": {},
    "tree on a sample": {"partition": AxisTree(max_tree_rows=400)},
    "two trees": {"n_estimators": 2, "partition": AxisTree(max_tree_rows=400)},
    "two trees of random cut points": {
        "n_estimators": 2,
        "partition": AxisTree(max_tree_rows=400, randomize="splits"),
    },
    "ovr, no scaling": {"multi_class": "ovr", "leaf_scaling": None},
    "probabilities": {"probability": True},
    "gamma of all rows": {"gamma": "scale", "partition": AxisTree(max_tree_rows=None)},
    "learned weights": {"kernel": "laplacian", "feature_weights": "learned"},
    "local weights": {"kernel": "laplacian", "feature_weights": "local"},
    "polynomial": {"kernel": "poly", "gamma": "auto", "degree": 2},
    "two trees on samples": {
        "n_estimators": 2,
        # Leaves pure in the sample only are split further.
        "partition": AxisTree(max_tree_rows=100),
        "probability": True,
        "leaf_scaling": None,
    },
}
WEIGHTED = ("one leaf size", "tree on a sample")


@pytest.mark.parametrize("name", DTSVM)
@pytest.mark.parametrize("weighted", [False, True])
def test_dtsvm_equals_the_one_in_memory(name, weighted, client):
    if weighted and name not in WEIGHTED:
        pytest.skip("weights are tried with two of the cases")
    X, y = rows(N_ROWS)
    weight = weights() if weighted else None
    model = DTSVMClassifier(max_leaf_size=150, random_state=0, **DTSVM[name])
    if weighted:
        model.set_params(class_weight="balanced")
    there = DaskDTSVMClassifier(model, client=client).fit(*on_dask(X, y, weight))
    here = model.fit(X, y, weight)
    assert_same_model(there.model_, here)
    assert np.array_equal(there.predict(X), here.predict(X))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_rows_that_do_not_fit_the_memory_go_through_files(kind, client, monkeypatch):
    """Dask's own shuffle gives the model that matrices on their way give."""
    monkeypatch.setattr(row_blocks, "_KEPT_SHARE", 0.0)
    X, y = rows(N_ROWS)
    model = DTSVMClassifier(
        max_leaf_size=150, random_state=0, partition=AxisTree(max_tree_rows=400)
    )
    X = kind(np.round(X, 1))
    blocks = [X[a : a + 800] for a in range(0, N_ROWS, 800)]
    made = da.concatenate(
        [da.from_delayed(delayed(b), b.shape, meta=X[:0]) for b in blocks]
    )
    labels = da.from_array(y, chunks=800)
    there = DaskDTSVMClassifier(model, client=client).fit(made, labels)
    here = model.fit(X, y)
    assert np.array_equal(there.decision_function(X), here.decision_function(X))
    assert there.model_.n_support_vectors_ == here.n_support_vectors_


def test_leaves_are_split_further(client):
    """The cases above are worth something only if this happens in them."""
    X, y = rows(N_ROWS)
    model = DTSVMClassifier(
        max_leaf_size=150, random_state=0, partition=AxisTree(max_tree_rows=400)
    )
    there = DaskDTSVMClassifier(model, client=client).fit(*on_dask(X, y)).model_
    seed, _ = draw_seeds(model)
    plan = plan_sample(N_ROWS, 150, 400, np.random.RandomState(seed))
    tree = there.trees_[0]
    sampled = tree.decision_path(X[plan.rows]).sum(axis=0).A1
    below = ~tree.is_leaf & (sampled < plan.ceiling)
    assert np.count_nonzero(below) > 2


SHUFFLED = ShuffleSplit(1, test_size=0.2, random_state=0)  # rows in no order


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"refit": False},
        {
            "search": "exhaustive",
            "refit": False,
            "partition": AxisTree(max_tree_rows=400),
        },
        {"cv": 2, "n_estimators": 2},
        {"refit": False, "cv": SHUFFLED},
    ],
    ids=str,
)
def test_search_equals_the_one_in_memory(options, client):
    X, y = rows(N_ROWS)
    model = DTSVMClassifierCV(
        [1.0, 10.0], [1.0, 10.0], max_leaf_size=150, random_state=0, **options
    )
    there = DaskDTSVMClassifierCV(model, client=client).fit(*on_dask(X, y)).model_
    here = model.fit(X, y)
    assert_same_model(there, here)
    for name, column in here.search_results_.items():
        np.testing.assert_array_equal(there.search_results_[name], column)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"multi_class": "ovo"},
        {"multi_class": "ovr"},
        {"class_weight": "balanced"},
    ],
    ids=str,
)
def test_hlsvm_equals_the_one_in_memory(options, client):
    X, y = rows(N_ROWS)
    model = HLSVMClassifier(random_state=0, **options)
    there = DaskHLSVMClassifier(model, client=client).fit(*on_dask(X, y))
    assert_same_model(there.model_, model.fit(X, y))


def test_hlsvm_on_a_sample_is_as_good(client, monkeypatch):
    import treesvm.distributed.oblique_growing as growing

    monkeypatch.setattr(growing, "_LEAF_ROWS", 800)
    X, y = rows(8000)
    y = (y == 0).astype(int)
    model = HLSVMClassifier(random_state=0).fit(X[:5000], y[:5000])
    made = on_dask(X[:5000], y[:5000], sizes=(2000, 0, 3000))
    there = DaskHLSVMClassifier(model, max_sample_rows=2000, client=client).fit(*made)
    tree = there.model_.trees_[0]
    # Every row that grew the tree is counted in it, not the sample alone.
    assert 0.89 * 5000 <= tree.n_rows[0] <= 5000
    accuracy = model.score(X[5000:], y[5000:])
    assert there.model_.score(X[5000:], y[5000:]) >= accuracy - 0.04


LABELS = {
    "categorical": lambda y: pd.Series(
        pd.Categorical.from_codes(y, ["low", "middle", "high"])
    ),
    "text": lambda y: pd.Series(np.array(["a", "bb", "ccc"])[y]),
    "numbers": lambda y: pd.Series(y * 10 - 5),
}


@pytest.mark.parametrize("kind", LABELS)
def test_frames_and_labels_of_all_kinds(kind, client):
    X, y = rows(N_ROWS)
    frame = pd.DataFrame(X, columns=[f"feature {j}" for j in range(X.shape[1])])
    labels = LABELS[kind](y)
    model = DTSVMClassifier(max_leaf_size=150, random_state=0)
    there = DaskDTSVMClassifier(model, client=client).fit(
        dd.from_pandas(frame, npartitions=5), dd.from_pandas(labels, npartitions=5)
    )
    here = model.fit(frame, labels)
    assert_same_model(there.model_, here)
    assert list(there.model_.feature_names_in_) == list(frame.columns)
    said = there.predict(dd.from_pandas(frame[:50], npartitions=2))
    assert said.compute().tolist() == here.predict(frame[:50]).tolist()


def test_class_missing_in_a_block_and_unknown_sizes(client):
    X, y = rows(N_ROWS)
    order = np.argsort(y, kind="stable")  # each block has one class or two
    X, y = X[order], y[order]
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=6)
    unknown = frame.to_dask_array()
    assert np.isnan(unknown.shape[0])
    labels = dd.from_pandas(pd.Series(y), npartitions=6).to_dask_array()
    model = DTSVMClassifier(max_leaf_size=150, random_state=0)
    there = DaskDTSVMClassifier(model, client=client).fit(unknown, labels)
    assert_same_model(there.model_, model.fit(X, y))
    assert np.array_equal(there.predict(unknown).compute(), model.predict(X))


def test_sparse_blocks(client):
    X, y = rows(N_ROWS)
    X = sparse.csr_matrix(np.where(X < 0.4, 0.0, X))
    blocks = [
        da.from_array(X[a : a + 600], chunks=(600, 6), asarray=False)
        for a in range(0, N_ROWS, 600)
    ]
    model = DTSVMClassifier(
        max_leaf_size=150, partition=AxisTree(max_tree_rows=400), random_state=0
    )
    there = DaskDTSVMClassifier(model, client=client).fit(
        da.concatenate(blocks), da.from_array(y, chunks=600)
    )
    here, loaded = model.fit(X, y), there.model_
    assert np.array_equal(there.predict(X), here.predict(X))
    assert loaded.n_support_vectors_ == here.n_support_vectors_


def test_model_is_an_ordinary_one(client, tmp_path):
    X, y = rows(N_ROWS)
    model = DTSVMClassifier(max_leaf_size=150, random_state=0)
    there = DaskDTSVMClassifier(model, client=client).fit(*on_dask(X, y))
    assert type(there.model_) is DTSVMClassifier
    save_model(there.model_, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert_same_model(loaded, there.model_)
    assert_same_model(pickle.loads(pickle.dumps(there.model_)), loaded)
    assert np.array_equal(loaded.predictor()(X), there.model_.predict(X))
