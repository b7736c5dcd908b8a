"""Reading sets, splits and scaling; everything on files made here."""

import json
import os

import numpy as np
import pytest
from scipy import sparse

from benchmarks import data


def test_missing_set_says_which_file(tmp_path):
    with pytest.raises(data.MissingData, match=r"nothing\.npz"):
        data.load(tmp_path, "nothing")


def test_dense_integers_become_floats(tmp_path):
    X = np.array([[250, 1], [3, 4]], np.uint8)
    np.savez(tmp_path / "small.npz", X=X, y=np.array([0, 1]))
    stored = data.load(tmp_path, "small")
    assert stored.X.dtype == np.float32
    assert stored.X.sum() == 258  # no uint8 overflow
    assert stored.X_test is None


def test_sparse_parts_are_csr(tmp_path, rng):
    X = sparse.random(6, 5, 0.4, format="csr", random_state=0)
    parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    test = {f"test_{key}": value for key, value in parts.items()}
    np.savez(tmp_path / "s.npz", y=np.arange(6), y_test=np.arange(6), **parts, **test)
    stored = data.load(tmp_path, "s")
    assert np.array_equal(stored.X.toarray(), X.toarray())
    assert np.array_equal(stored.X_test.toarray(), X.toarray())


def test_categories_become_columns_and_missing_all_zero(tmp_path):
    np.savez(
        tmp_path / "c.npz",
        X=np.array([[30, 1], [40, -1], [50, 0]]),
        y=np.array([0, 1, 0]),
        feature_names=json.dumps(["age", "job"]),
        categories=json.dumps({"job": ["a", "b"]}),
    )
    expected = [[30, 0, 1], [40, 0, 0], [50, 1, 0]]
    assert data.load(tmp_path, "c").X.tolist() == expected


def test_split_has_every_row_once_and_is_seeded():
    split = data.split_4_1_1(601, seed=3)
    assert np.array_equal(np.sort(np.concatenate(split)), np.arange(601))
    assert [len(part) for part in split] == [400, 100, 101]
    assert np.array_equal(split.train, data.split_4_1_1(601, seed=3).train)


def test_scaling_uses_training_rows_only(rng):
    train, other = rng.normal(size=(20, 3)), 100 * rng.normal(size=(5, 3))
    scaled, scaled_other = data.scale(train, other)
    assert scaled.min() == 0.0
    assert scaled.max() == pytest.approx(1.0)
    low, high = train.min(axis=0), train.max(axis=0)
    assert np.allclose(scaled_other, (other - low) / (high - low))


def test_sparse_scaling_keeps_zeros():
    X = sparse.csr_matrix(np.array([[0.0, 4.0], [2.0, 0.0]]))
    (scaled,) = data.scale(X)
    assert scaled.nnz == 2
    assert scaled.max() == 1.0


def test_fingerprint_sees_values_shapes_and_types(rng):
    X = rng.normal(size=(4, 3))
    changed = X.copy()
    changed[0, 0] += 1e-9
    prints = [data.fingerprint(a) for a in (X, changed, X.T, X.astype(np.float32))]
    prints.append(data.fingerprint(sparse.csr_matrix(X)))
    assert len(set(prints)) == 5
    assert data.fingerprint(X) == data.fingerprint(X.copy())


def test_census_income_has_whole_rows_and_codes(tmp_path):
    X = np.array([[30, 2], [40, -1], [50, 0]], np.int8)
    categories = json.dumps({"job": ["a", "b", "c"]})
    names = json.dumps(["age", "job"])
    np.savez(
        tmp_path / "adult.npz",
        X=X,
        y=[0, 1, 1],
        X_test=X[:1],
        y_test=[1],
        categories=categories,
        feature_names=names,
    )
    rows, y = data.census_income(tmp_path)
    assert rows.tolist() == [[30.0, 2.0], [50.0, 0.0], [30.0, 2.0]]
    assert y.tolist() == [0, 1, 1]
    assert data.load(tmp_path, "adult").X.shape == (3, 4)  # one-hot otherwise


@pytest.mark.skipif("TREESVM_DATA" not in os.environ, reason="TREESVM_DATA is not set")
def test_census_income_is_the_papers():
    X, y = data.census_income(os.environ["TREESVM_DATA"])
    assert X.shape == (45_222, 14)
    assert len(np.unique(y)) == 2
