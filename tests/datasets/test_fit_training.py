"""One encoder for any table: few rules, learned from training rows, never refusing."""

import json

import naive_encoding as naive
import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score

from treesvm.datasets import (
    ColumnEncoder,
    DataFileError,
    Table,
    TableModel,
    category_codings,
)


def texts(values):
    return np.array(values, dtype=object)


def many_levels(n=300, n_levels=40, seed=0):
    """Texts of frequent, rare and single levels, some missing."""
    rng = np.random.default_rng(seed)
    values = texts([f"v{k}" for k in (n_levels * rng.random(n) ** 2).astype(int)])
    values[rng.random(n) < 0.05] = None
    values[:3] = ["once", "only", "single"]
    return values, rng


def later(encoder, **columns):
    return encoder.transform(Table({name: texts(v) for name, v in columns.items()}))


@pytest.mark.parametrize("n_classes", [None, 2, 4])
def test_means_are_those_of_the_slow_twin(n_classes):
    values, rng = many_levels()
    target = (
        rng.normal(size=300) if n_classes is None else rng.integers(0, n_classes, 300)
    )
    table = Table({"v": values})
    encoder, Z = ColumnEncoder.fit_training(table, target, n_classes=n_classes, seed=3)
    columns = (
        [target]
        if n_classes is None
        else [target == code for code in range(1, n_classes)]
    )
    assert Z.shape == (300, len(columns)) == (300, encoder.n_features)
    after = encoder.transform(table)
    for j, column in enumerate(np.array(columns, dtype=float).tolist()):
        assert np.allclose(Z[:, j], naive.out_of_fold_means(values, column, 3))
        expected = [naive.level_mean(v, values, column) for v in values]
        assert np.allclose(after[:, j], expected)
        unseen = later(encoder, v=["new", "once"])[:, j]
        assert np.allclose(unseen, np.mean(column))


def test_a_row_is_not_told_its_own_label():
    values, rng = many_levels()
    y = rng.integers(0, 2, 300)
    table, options = Table({"v": values}), {"n_classes": 2, "seed": 1}
    _, Z = ColumnEncoder.fit_training(table, y, **options)
    assert np.all(Z[:3] == y.mean())  # a level of one row has the prior
    for row in (5, 50, 250):
        other = y.copy()
        other[row] = 1 - y[row]
        _, changed = ColumnEncoder.fit_training(table, other, **options)
        # All that reaches the row is the mean of all labels, the same for every row.
        shift = abs(other.mean() - y.mean())
        assert abs(changed[row, 0] - Z[row, 0]) <= shift + 1e-15


def test_random_labels_leave_no_trace():
    areas, own = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        values = texts([f"v{k}" for k in rng.integers(0, 400, 2_000)])
        y, table = rng.integers(0, 2, 2_000), Table({"v": values})
        encoder, Z = ColumnEncoder.fit_training(table, y, n_classes=2, seed=seed)
        areas.append(roc_auc_score(y, Z[:, 0]))
        own.append(roc_auc_score(y, encoder.transform(table)[:, 0]))
    assert abs(np.mean(areas) - 0.5) < 0.02
    assert np.mean(own) > 0.6  # what the folds prevent


def test_few_levels_become_indicators():
    columns = {
        "three": texts(["a", "b", "c", "a", "a"]),
        "two": texts(["x", "y", "y", "y", "y"]),
        "gaps": texts(["p", None, "p", "q", "p"]),
        "half": texts([None, "r", None, None, "r"]),
        "one": texts(["s"] * 5),
        "none": texts([None] * 5),
    }
    encoder, Z = ColumnEncoder.fit_training(Table(columns), np.arange(5.0))
    assert encoder.feature_names == [
        *("three=a", "three=b", "three=c", "two=x"),
        *("gaps=p", "gaps=q", "gaps is missing", "half=r"),
        *("one=s", "none is missing"),
    ]
    assert encoder.column_of_feature.tolist() == [0, 0, 0, 1, 2, 2, 2, 3, 4, 5]
    assert Z.tolist() == [
        [1, 0, 0, 1, 1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0, 1, 1, 0, 0],
        [0, 0, 1, 0, 1, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 1, 0, 0, 0, 0],
        [1, 0, 0, 0, 1, 0, 0, 1, 0, 0],
    ]
    assert np.array_equal(encoder.transform(Table(columns)), Z)
    for value in ("new", None):
        row = later(encoder, **{name: [value] for name in columns})[0]
        assert row.tolist() == [0] * 6 + [value is None] + [0] * 3


def test_many_classes_get_frequencies():
    levels = [f"v{k:02}" for k in range(20)]
    values = np.repeat(texts([*levels, None]), [*range(1, 21), 30])
    y = np.arange(len(values)) % 7
    encoder, Z = ColumnEncoder.fit_training(Table({"v": values}), y, n_classes=7)
    top = [f"v={v}" for v in levels[9:]]
    assert encoder.feature_names == ["v: frequency", *top, "v is missing"]
    counts = np.repeat([0, *range(2, 21), 30], [*range(1, 21), 30])
    assert np.allclose(Z[:, 0], counts / len(values))
    assert Z[:, 1:].sum(axis=0).tolist() == [*range(10, 21), 30]
    assert later(encoder, v=["new", "v00"]).tolist() == [[0.0] * 13] * 2


def test_numbers_have_medians_and_indicators():
    gaps = np.array([1.0, np.nan, 5.0, 3.0])
    columns = {"full": np.arange(4.0), "gaps": gaps, "empty": np.full(4, np.nan)}
    encoder, Z = ColumnEncoder.fit_training(Table(columns), np.arange(4.0))
    assert encoder.feature_names == ["full", "gaps", "gaps is missing", "empty"]
    expected = [[0, 1, 0, 0], [1, 3, 1, 0], [2, 5, 0, 0], [3, 3, 0, 0]]
    assert Z.tolist() == expected
    new = {"full": np.array([np.nan]), "gaps": np.array([7.0]), "empty": np.ones(1)}
    assert encoder.transform(Table(new)).tolist() == [[1.5, 7, 0, 0]]
    matrix = Table(np.column_stack(list(columns.values())))
    encoder, Z = ColumnEncoder.fit_training(matrix, np.arange(4.0))
    assert Z.tolist() == np.array(expected)[:, [0, 1, 3, 2]].tolist()
    assert encoder.column_of_feature.tolist() == [0, 1, 2, 1]
    new = Table(np.column_stack(list(new.values())))
    assert encoder.transform(new).tolist() == [[1.5, 7, 0, 0]]


def test_columns_that_come_back_with_another_type():
    columns = {"code": texts(["1", "2", "3", "1.5"]), "size": np.arange(4.0)}
    encoder, Z = ColumnEncoder.fit_training(Table(columns), np.arange(4.0))
    turned = {
        "code": np.array([1.0, 2.0, 3.0, 1.5]),
        "size": texts(["0", "1", "2", "3.0"]),
    }
    assert np.array_equal(encoder.transform(Table(turned)), Z)
    unknown = {"code": np.full(1, np.nan), "size": texts([None])}
    assert encoder.transform(Table(unknown)).tolist() == [[0, 0, 0, 0, 1.5]]
    for word in ("big", "inf"):
        with pytest.raises(DataFileError, match=rf"'size' \(row 1\): '{word}' is no"):
            encoder.transform(Table({**unknown, "size": texts([word])}))


@pytest.mark.parametrize("missing", ["median", "most_frequent", "error"])
def test_other_rules_for_missing_values(missing):
    values = texts([f"v{k}" for k in range(30)] * 2)
    values[0] = None
    for column in (values[:10], values, texts([f"v{k}" for k in range(60)])):
        n, gaps = len(column), Table({"v": texts([None])})
        known = texts([v or "v1" for v in column])
        _, expected = ColumnEncoder.fit_training(
            Table({"v": known}), np.arange(n) % 3.0
        )
        if missing == "error":
            encoder, Z = ColumnEncoder.fit_training(
                Table({"v": known}), np.arange(n) % 3.0, missing=missing
            )
            with pytest.raises(DataFileError, match="is missing"):
                encoder.transform(gaps)
        else:
            encoder, Z = ColumnEncoder.fit_training(
                Table({"v": column}), np.arange(n) % 3.0, missing=missing
            )
            assert np.isfinite(encoder.transform(gaps)).all()
        assert np.array_equal(Z, expected)
    with pytest.raises(ValueError, match="missing='indicator' is not possible"):
        ColumnEncoder.learn(Table({"v": values}), missing="indicator")


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_scales_are_learned_from_the_training_rows(scale):
    values, rng = many_levels()
    table = Table({"v": values, "x": 5 * rng.random(300)})
    encoder, Z = ColumnEncoder.fit_training(table, rng.random(300), scale=scale)
    if scale == "minmax":
        assert (Z.min(axis=0) == 0).all()
        assert np.allclose(Z.max(axis=0), 1)
    else:
        assert np.allclose(Z.mean(axis=0), 0)
        assert np.allclose(Z.std(axis=0), 1)
    assert np.allclose(encoder.transform(table)[:, 1], Z[:, 1])


def test_sparse_rows_pass():
    X = sparse.random(60, 30, 0.1, format="csr", random_state=0)
    encoder, Z = ColumnEncoder.fit_training(Table(X), np.arange(60.0))
    assert sparse.issparse(Z)
    assert (abs(Z - X)).nnz == 0
    assert encoder.column_of_feature.tolist() == list(range(30))


def test_what_does_not_fit_is_refused():
    values, _ = many_levels()
    with pytest.raises(DataFileError, match="a table of 1 encoded features"):
        ColumnEncoder.fit_training(Table({"v": values}), np.ones(300), max_bytes=2_000)
    with pytest.raises(ValueError, match=r"the shape \(299,\), the table 300 rows"):
        ColumnEncoder.fit_training(Table({"v": values}), np.ones(299))
    empty = Table({"v": texts([None])})
    with pytest.raises(DataFileError, match="'v' has no values"):
        ColumnEncoder.fit_training(empty, np.ones(1), missing="median")


def test_only_the_most_frequent_levels_are_kept(monkeypatch):
    monkeypatch.setattr(category_codings, "MAX_LEVELS", 5)
    values, rng = many_levels()
    encoder, _ = ColumnEncoder.fit_training(Table({"v": values}), rng.random(300))
    assert len(encoder.spec["columns"][0]["categories"]) == 5
    assert np.ptp(later(encoder, v=["v38", "v39", "new"])) == 0


@pytest.fixture
def mixed():
    """Return a table of all kinds of columns, and labels."""
    values, rng = many_levels()
    gaps = rng.normal(size=300)
    gaps[::7] = np.nan
    few = texts(rng.choice(["r", "g", "b"], 300))
    return Table({"v": values, "gaps": gaps, "few": few}, rng.integers(0, 2, 300))


@pytest.mark.parametrize("n_classes", [2, 6])
def test_survives_as_json(mixed, n_classes):
    encoder, _ = ColumnEncoder.fit_training(mixed, mixed.y, n_classes=n_classes)
    again = ColumnEncoder(json.loads(json.dumps(encoder.spec)))
    assert np.array_equal(again.transform(mixed), encoder.transform(mixed))
    assert again.feature_names == encoder.feature_names
    matrix = Table(np.column_stack([mixed.X["gaps"], mixed.y]))
    encoder, Z = ColumnEncoder.fit_training(matrix, mixed.y)
    again = ColumnEncoder(json.loads(json.dumps(encoder.spec)))
    assert np.array_equal(again.transform(matrix), Z)


def damages():
    """Yield (what, change of a good spec of columns)."""
    yield "not an object", lambda c: c[0].update(coding=[])
    yield "coding of 'v' is unknown", lambda c: c[0]["coding"].update(kind="hash")
    yield "coding of 'v' is unknown", lambda c: c[0]["coding"].update(kind=[])
    yield "names of features", lambda c: c[0]["coding"].update(features=[])
    yield "names of features", lambda c: c[0]["coding"].update(features=[1])
    for key in ("rows", "unseen"):
        yield "codes of 'v'", lambda c, key=key: c[0]["coding"][key].pop()
        yield "codes of 'v'", lambda c, key=key: c[0]["coding"].pop(key)
    yield "codes of 'v'", lambda c: c[0]["coding"]["rows"][1].append(1.0)
    yield "codes of 'v'", lambda c: c[0]["coding"].update(missing=[float("inf")])
    yield "different texts", lambda c: c[0].update(categories=None)
    yield "indicator of 'gaps'", lambda c: c[1].update(indicator=1)
    yield "indicator of 'gaps'", lambda c: c[1].update(fill=None)
    yield "shift is not", lambda c: c[1].pop("indicator")


@pytest.mark.parametrize(("what", "change"), list(damages()))
def test_damaged_specs_are_refused(mixed, what, change):
    encoder, _ = ColumnEncoder.fit_training(mixed, mixed.y, n_classes=2)
    spec = json.loads(json.dumps(encoder.spec))
    change(spec["columns"])
    with pytest.raises(ValueError, match=what):
        ColumnEncoder(spec)


@pytest.mark.parametrize(
    "change",
    [
        {"indicators": [0, 0]},
        {"indicators": [2]},
        {"indicators": [True]},
        {"indicators": None},
        {"fill": None},
        {"storage": "sparse"},
    ],
)
def test_damaged_indicators_of_a_matrix_are_refused(mixed, change):
    matrix = Table(np.column_stack([mixed.X["gaps"], mixed.y]))
    encoder, _ = ColumnEncoder.fit_training(matrix, mixed.y)
    with pytest.raises(ValueError, match="indicators"):
        ColumnEncoder({**encoder.spec, **change})


def test_table_models_of_both_kinds(mixed):
    model = TableModel(LogisticRegression(), missing="indicator").fit(mixed)
    assert model.encoder_.spec["columns"][0]["coding"]["kind"] == "means"
    assert model.score(mixed) == np.mean(model.predict(mixed) == mixed.y)
    numbers = np.nan_to_num(mixed.X["gaps"], nan=9.0)
    model = TableModel(LinearRegression(), missing="indicator").fit(mixed, numbers)
    # Median and indicator tell a missing value apart from all others.
    assert model.score(mixed, numbers) > 0.999
    spec, estimator = model.model_file_parts()
    again = TableModel.from_model_file(json.loads(json.dumps(spec)), estimator)
    assert np.array_equal(again.predict(mixed), model.predict(mixed))
    with pytest.raises(ValueError, match="unseen='error' is not possible"):
        TableModel(model.estimator, missing="indicator", unseen="error").fit(mixed)
