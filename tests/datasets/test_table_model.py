"""Preprocessing is learned once, applied the same way, and survives as JSON."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from treesvm.datasets import ColumnEncoder, DataFileError, Table, TableModel
from treesvm.datasets import column_encoder as encoders


@pytest.fixture
def table():
    columns = {
        "size": np.array([0.0, 2.0, np.nan, 4.0, 2.0]),
        "colour": np.array(["red", "blue", "red", None, "red"], dtype=object),
    }
    return Table(columns, np.array(["a", "b", "a", "b", "a"]), first_line=2)


def test_categories_fillings_and_scale(table):
    encoder = ColumnEncoder.learn(table, missing="median")
    assert encoder.feature_names == ["size", "colour=blue", "colour=red"]
    expected = [[0, 0, 1], [0.5, 1, 0], [0.5, 0, 1], [1, 0, 1], [0.5, 0, 1]]
    assert encoder.transform(table).tolist() == expected


def test_most_frequent_fills_numbers_too(table):
    encoder = ColumnEncoder.learn(table, missing="most_frequent", scale="none")
    assert encoder.transform(table)[2, 0] == 2.0


def test_missing_values_are_refused_with_their_line(table):
    with pytest.raises(DataFileError, match=r"line 4: column 'size': .* is missing"):
        ColumnEncoder.learn(table)
    only = Table({"colour": table.X["colour"]}, first_line=2)
    with pytest.raises(DataFileError, match="line 5: column 'colour'"):
        ColumnEncoder.learn(only)


def test_columns_are_found_by_name(table):
    encoder = ColumnEncoder.learn(table, missing="median")
    turned = Table({"more": table.X["size"], **dict(reversed(table.X.items()))})
    assert np.array_equal(encoder.transform(turned), encoder.transform(table))
    with pytest.raises(DataFileError, match="columns are missing: 'colour'"):
        encoder.transform(Table({"size": table.X["size"]}))
    with pytest.raises(DataFileError, match="wants named columns"):
        encoder.transform(Table(np.ones((2, 2))))


def test_unseen_categories(table):
    new = Table({"size": np.ones(1), "colour": np.array(["green"], dtype=object)})
    encoder = ColumnEncoder.learn(table, missing="median")
    assert encoder.transform(new)[0, 1:].tolist() == [0, 0]
    strict = ColumnEncoder.learn(table, missing="median", unseen="error")
    with pytest.raises(DataFileError, match="'green' was not seen"):
        strict.transform(new)


def test_names_of_rows_are_no_categories(monkeypatch):
    monkeypatch.setattr(encoders, "MAX_CATEGORIES", 3)
    names = np.array(list("abcde"), dtype=object)
    with pytest.raises(DataFileError, match="column 'name' has 5 different texts"):
        ColumnEncoder.learn(Table({"name": names}))


@pytest.mark.parametrize("scale", ["minmax", "standard"])
@pytest.mark.parametrize("density", [0.05, 0.9])
def test_sparse_matrices_keep_zeros_or_become_dense(scale, density):
    X = sparse.random(200, 20, density, format="csr", random_state=0)
    encoder = ColumnEncoder.learn(Table(X), scale=scale)
    made = encoder.transform(Table(X))
    assert sparse.issparse(made) == (density < 0.3)
    if sparse.issparse(made):
        assert made.nnz == X.nnz
    elif scale == "minmax":
        assert (made.min(), made.max()) == (0, 1)


def test_width_of_matrices():
    X = sparse.random(50, 10, 0.1, format="csr", random_state=0)
    encoder = ColumnEncoder.learn(Table(X), scale="none")
    wide = sparse.hstack([X, np.ones((50, 2))], format="csr")
    assert np.array_equal(encoder.transform(Table(wide)).toarray(), X.toarray())
    assert encoder.transform(Table(X[:, :4])).shape == (50, 10)
    dense = ColumnEncoder.learn(Table(X.toarray()))
    with pytest.raises(DataFileError, match="it has 4 features, the model wants 10"):
        dense.transform(Table(X.toarray()[:, :4]))


def test_matrix_with_gaps():
    X = np.array([[1.0, np.nan], [3.0, 5.0], [8.0, 7.0]])
    with pytest.raises(DataFileError, match=r"feature 2 \(row 1\)"):
        ColumnEncoder.learn(Table(X))
    encoder = ColumnEncoder.learn(Table(X), missing="median", scale="none")
    assert encoder.transform(Table(X))[0, 1] == 6.0


def test_survives_as_json(table):
    model = TableModel(LogisticRegression(), missing="median")
    model.fit(table, label="kind")
    spec, estimator = model.model_file_parts()
    again = TableModel.from_model_file(json.loads(json.dumps(spec)), estimator)
    assert np.array_equal(again.predict_proba(table), model.predict_proba(table))
    assert again.source_ == {"label": "kind", "zero_based": False}
    assert (again.missing, again.score(table)) == ("median", model.score(table))


def damaged_specs():
    """Yield (what, change of a good spec)."""
    yield "not an object", lambda s: s.update(encoder=[])
    yield "no source", lambda s: s.pop("source")
    yield "its source", lambda s: s["source"].update(label=3)
    yield "unknown kind", lambda s: s["encoder"].update(kind="rows")
    yield "missing=", lambda s: s["encoder"].update(missing="guess")
    yield "unseen=", lambda s: s["encoder"].update(unseen=[])
    yield "shift is not", lambda s: s["encoder"]["shift"].pop()
    yield "factor is not", lambda s: s["encoder"].update(factor=[float("nan")] * 3)
    yield "columns is no", lambda s: s["encoder"].update(columns=[])
    yield "new text", lambda s: s["encoder"]["columns"][0].update(name="colour")
    yield "kind of", lambda s: s["encoder"]["columns"][0].update(kind=None)
    yield "no number", lambda s: s["encoder"]["columns"][0].update(fill="x")
    yield "different texts", lambda s: s["encoder"]["columns"][1].update(categories=[1])
    yield "no category", lambda s: s["encoder"]["columns"][1].update(fill="x")
    yield (
        "features",
        lambda s: (
            s["encoder"]["columns"].pop(0),
            s["encoder"]["shift"].pop(),
            s["encoder"]["factor"].pop(),
        ),
    )


@pytest.mark.parametrize(("what", "change"), list(damaged_specs()))
def test_damaged_preprocessing_is_refused(table, what, change):
    model = TableModel(LogisticRegression(), missing="median").fit(table)
    spec, estimator = model.model_file_parts()
    spec = json.loads(json.dumps(spec))
    change(spec)
    with pytest.raises(ValueError, match=what):
        TableModel.from_model_file(spec, estimator)


def test_labels_are_needed(table):
    with pytest.raises(ValueError, match="no labels"):
        TableModel(LogisticRegression()).fit(Table(table.X))


def test_models_that_are_not_fitted_say_so():
    with pytest.raises(NotFittedError, match="not fitted"):
        TableModel(LogisticRegression()).predict(np.eye(2))


@pytest.mark.parametrize(("name", "value"), [("scale", "log"), ("unseen", "drop")])
def test_rules_are_named(name, value):
    model = TableModel(LogisticRegression(), **{name: value})
    with pytest.raises(ValueError, match=f"^{name}='{value}' is not possible"):
        model.fit(np.eye(4), [0, 1, 0, 1])
