"""Answers for collections are lazy, block by block, and those of the model."""

import pickle

import dask
import dask.array as da
import numpy as np
import pytest
from checkpointed_fits import rows

import treesvm.distributed.prediction as prediction
from treesvm import (
    DTSVMClassifier,
    HLSVMClassifier,
    KernelSVC,
    SupportVectorTreeClassifier,
)
from treesvm.distributed import DaskDTSVMClassifier, DaskHLSVMClassifier

SIZES = (700, 0, 1, 1299)
FILLED = (700, 1, 1299)  # Dask drops empty blocks where it knows them


@pytest.fixture(scope="module")
def data():
    X, y = rows(2000)
    return X, y, da.from_array(X, chunks=(SIZES, 6)), da.from_array(y, chunks=(SIZES,))


@pytest.fixture
def dealt_out(monkeypatch):
    """Make every model too large to be sent around."""
    monkeypatch.setattr(prediction, "_MOST_BYTES", 1)


def fitted(client, data, **options):
    _, _, X, y = data
    model = DTSVMClassifier(max_leaf_size=150, random_state=0, **options)
    return DaskDTSVMClassifier(model, client=client).fit(X, y)


def test_answers_are_lazy_and_keep_the_blocks(client, data):
    model = fitted(client, data)
    answers = model.predict(data[2])
    assert isinstance(answers, da.Array)
    assert answers.chunks == (FILLED,)
    assert np.array_equal(answers.compute(), model.model_.predict(data[0]))
    values = model.decision_function(data[2])
    assert values.chunks == (FILLED, (3,))
    assert model.score(data[2], data[3]) == model.model_.score(data[0], data[1])


@pytest.mark.usefixtures("dealt_out")
@pytest.mark.parametrize("options", [{}, {"n_estimators": 2, "probability": True}])
def test_rows_go_to_the_leaves_of_a_large_model(client, data, options):
    model = fitted(client, data, **options)
    assert prediction.is_dealt_out(model.model_, client)
    X = data[0]
    said = model.predict(data[2])
    assert isinstance(said, da.Array)
    assert np.array_equal(said.compute(), model.model_.predict(X))
    values = model.decision_function(data[2]).compute()
    assert np.allclose(values, model.model_.decision_function(X), atol=1e-5)
    if "probability" in options:
        shares = model.predict_proba(data[2]).compute()
        assert np.allclose(shares, model.model_.predict_proba(X), atol=1e-5)


@pytest.mark.usefixtures("dealt_out")
def test_single_machines_stay_whole_and_compressed_models_answer(client, data):
    X, y = data[:2]
    single = KernelSVC(gamma=1.0).fit(X[:100], y[:100])
    assert not prediction.is_dealt_out(single, client)
    leaves = DTSVMClassifier(max_leaf_size=150, random_state=0).fit(X, y)
    small = SupportVectorTreeClassifier(leaves, 2, split_rows=30).fit(X)
    assert prediction.is_dealt_out(small, client)
    for model in (single, small):
        said = prediction.lazy_answers(model, data[2], "predict", client)
        assert np.array_equal(np.asarray(said), model.predict(X))


@pytest.mark.usefixtures("dealt_out")
def test_no_task_of_a_large_model_holds_more_than_its_share(client, data):
    model = fitted(client, data)
    member = model.model_.decompositions_[0]
    _, pieces = prediction._dealt_out(client, member)
    packed = dask.compute(*pieces, scheduler="sync")
    assert all(isinstance(piece, bytes) for piece in packed)
    held = [pickle.loads(piece) for piece in packed]
    assert sum(len(piece.parts) for piece in held) == len(member.parts)
    assert max(len(piece.parts) for piece in held) < len(member.parts) / 2


def test_trees_answer_collections(client, data, monkeypatch):
    X, _, dask_X, dask_y = data
    ordinary = HLSVMClassifier(min_share=0.05, random_state=0)
    model = DaskHLSVMClassifier(ordinary, client=client).fit(dask_X, dask_y)
    assert np.array_equal(model.predict(dask_X).compute(), model.model_.predict(X))
    assert hasattr(model, "predict_proba")
    monkeypatch.setattr(prediction, "_MOST_BYTES", 1)
    assert np.array_equal(model.predict(dask_X).compute(), model.model_.predict(X))


def test_answers_are_computed_after_the_estimator_is_gone(client, data):
    said = fitted(client, data).predict(data[2])
    assert said.compute().shape == (2000,)
