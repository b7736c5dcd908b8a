"""Frames of pandas and polars, arrays and sparse matrices become one kind of table."""

import datetime

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression

from treesvm.datasets import ColumnEncoder, Table, TableModel, as_table

NAN = np.nan


def same(values, expected):
    """Whether a column holds what is expected, missing values included."""
    if values.dtype == object:
        return values.tolist() == expected
    return values.dtype == np.float64 and np.array_equal(values, expected, True)


PANDAS_COLUMNS = [
    ([1, 2, 3], "int8", [1, 2, 3]),
    ([1.5, NAN, 3], "float32", [1.5, NAN, 3]),
    ([1, None, 3], "Int64", [1, NAN, 3]),
    ([1.5, None, 3], "Float32", [1.5, NAN, 3]),
    ([True, False, True], "bool", [1, 0, 1]),
    ([True, None, False], "boolean", [1, NAN, 0]),
    ([True, None, False], "object", [1, NAN, 0]),
    ([1, 2.5, None], "object", [1, 2.5, NAN]),
    ([None, None, None], "object", [NAN, NAN, NAN]),
    (["a", None, "b"], "object", ["a", None, "b"]),
    (["a", NAN, 3], "object", ["a", None, "3"]),
    (["a", None, "1"], "string", ["a", None, "1"]),
    (["a", None, "1"], "str", ["a", None, "1"]),
    (["a", None, "b"], "category", ["a", None, "b"]),
    ([7, None, 3], "category", ["7", None, "3"]),
    ([7, 2.5, None], "category", ["7", "2.5", None]),
    ([True, False, True], "category", ["1", "0", "1"]),
    ([1, 0, 2], pd.SparseDtype(int), [1, 0, 2]),
]


@pytest.mark.parametrize(("values", "dtype", "expected"), PANDAS_COLUMNS)
def test_columns_of_pandas(values, dtype, expected):
    if dtype == "str" and pd.__version__ < "3":
        pytest.skip("a type of pandas 3")
    table = as_table(pd.DataFrame({"c": pd.Series(values, dtype=dtype)}))
    assert table.names == ("c",)
    assert same(table.X["c"], expected)


def test_columns_of_arrow_in_pandas():
    pa = pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None], dtype=pd.ArrowDtype(pa.int32())),
            "b": pd.array([True, None], dtype=pd.ArrowDtype(pa.bool_())),
            "s": pd.array(["a", None], dtype=pd.ArrowDtype(pa.string())),
        }
    )
    table = as_table(frame)
    assert same(table.X["i"], [1, NAN])
    assert same(table.X["b"], [1, NAN])
    assert same(table.X["s"], ["a", None])
    times = pd.array([None], dtype=pd.ArrowDtype(pa.timestamp("s")))
    with pytest.raises(TypeError, match="'t' holds dates"):
        as_table(pd.DataFrame({"t": times}))


def test_columns_of_polars():
    pl = pytest.importorskip("polars")
    words = ["a", None, "b"]
    frame = pl.DataFrame(
        [
            pl.Series("i", [1, None, 3], dtype=pl.Int16),
            pl.Series("f", [1.5, NAN, None]),
            pl.Series("n", [None] * 3),
            pl.Series("b", [True, None, False]),
            pl.Series("s", words),
            pl.Series("c", words, dtype=pl.Categorical),
            pl.Series("e", words, dtype=pl.Enum(["a", "b"])),
        ]
    )
    expected = [[1, NAN, 3], [1.5, NAN, NAN], [NAN] * 3, [1, NAN, 0], *[words] * 3]
    columns = as_table(frame).X
    assert list(columns) == frame.columns
    assert all(map(same, columns.values(), expected))
    assert as_table(frame, ["s", "i"]).names == ("s", "i")
    with pytest.raises(TypeError, match="'t' holds dates"):
        as_table(pl.DataFrame({"t": [datetime.date(2020, 1, 1)]}))
    with pytest.raises(TypeError, match=r"column 'l': .*List"):
        as_table(pl.DataFrame({"l": [[1, 2]]}))


@pytest.mark.parametrize(
    "values",
    [
        pd.date_range("2020", periods=2),
        pd.date_range("2020", periods=2, tz="UTC"),
        pd.to_timedelta([1, 2], unit="s"),
        pd.Series([datetime.date(2020, 1, 1), None], dtype=object),
        pd.Series(["a", datetime.time(1)], dtype=object),
    ],
)
def test_dates_are_refused_by_name_with_the_way_out(values):
    with pytest.raises(TypeError, match=r"'when' holds dates .* days since"):
        as_table(pd.DataFrame({"x": [1, 2], "when": values}))


def test_what_is_neither_number_nor_text_is_refused():
    for bad in ({"a": 1}, [1], 1j, pd.Interval(0, 1), b"x"):
        frame = pd.DataFrame({"c": pd.Series(["a", bad], dtype=object)})
        with pytest.raises(TypeError, match="column 'c': an argument must be a string"):
            as_table(frame)
    with pytest.raises(ValueError, match=r"'c' \(row 2\): the value is infinity"):
        as_table(pd.DataFrame({"c": [1.0, np.inf]}))
    with pytest.raises(ValueError, match="infinity"):
        as_table(np.array([[1.0], [np.inf]]))
    with pytest.raises(TypeError, match="'x0' holds dates"):
        as_table(np.zeros((2, 1), "M8[s]"))
    with pytest.raises(ValueError, match="Reshape your data"):
        as_table([1.0, 2.0])


def test_labels_of_columns():
    X = np.arange(4.0).reshape(2, 2)
    assert np.array_equal(as_table(pd.DataFrame(X)).X, X)  # unnamed, as an array
    mixed = pd.DataFrame({0: ["a", "b"], 1: [1, 2]})
    assert as_table(mixed).names == ("0", "1")
    with pytest.raises(TypeError, match=r"several types \(int, str\)"):
        as_table(pd.DataFrame(X, columns=["a", 1]))
    with pytest.raises(ValueError, match=r"not unique: \['a'\]"):
        as_table(pd.DataFrame(X, columns=["a", "a"]))
    with pytest.raises(ValueError, match="2 rows and 0 columns"):
        as_table(pd.DataFrame(index=[0, 1]))


def test_arrays_and_lists():
    X = np.array([[1, 2], [3, 4]], dtype=np.int32)
    assert as_table(X).X.dtype == np.float64
    assert as_table(X.tolist()).X.tolist() == X.tolist()
    objects = as_table(np.array([[1, None], [True, pd.NA]], dtype=object))
    assert np.array_equal(objects.X, [[1, NAN], [1, NAN]], True)
    table = as_table([["a", 1], [None, 2.5]])
    assert table.names == ("x0", "x1")
    assert same(table.X["x0"], ["a", None])
    assert same(table.X["x1"], [1, 2.5])
    assert same(as_table(np.array([["a", "1"]])).X["x1"], ["1"])
    csr = as_table(sparse.coo_matrix(X)).X
    assert csr.format == "csr"
    assert np.array_equal(csr.toarray(), X)


def test_names_for_arrays():
    X = np.arange(6.0).reshape(3, 2)
    for rows in (X, Table(X), X.astype(object)):
        assert same(as_table(rows, ["a", "b"]).X["b"], [1, 3, 5])
    assert as_table([["u", 1]], ["a", "b"]).names == ("a", "b")
    assert as_table(as_table(X, ["a", "b"]), ["b"]).names == ("b",)
    with pytest.raises(ValueError, match="have 2 columns, 3 are wanted"):
        as_table(X, ["a", "b", "c"])
    with pytest.raises(ValueError, match=r"columns are missing: 'c'"):
        as_table(pd.DataFrame(X, columns=["a", "b"]), ["a", "c"])
    assert same(as_table(sparse.csr_matrix(X), ["a", "b"]).X["b"], [1, 3, 5])
    with pytest.raises(ValueError, match="of 2 columns where 3 named ones are wanted"):
        as_table(sparse.csr_matrix(X), ["a", "b", "c"])


def test_numbered_categories_stay_categories():
    codes = pd.Series([3, 1, 2, 3, 1, 2], dtype="category")
    y = np.array([1.0, 0, 0, 1, 0, 0])
    encoder, Z = ColumnEncoder.fit_training(as_table(pd.DataFrame({"c": codes})), y)
    assert encoder.feature_names == ["c=1", "c=2", "c=3"]
    for dtype in ("int64", "float32", "Int8", "object", "str"):
        table = as_table(pd.DataFrame({"c": codes.astype(dtype)}))
        assert np.array_equal(encoder.transform(table), Z)
    gone = as_table(pd.DataFrame({"c": [3.0, NAN, 9.0]}))
    assert encoder.transform(gone).tolist() == [[0, 0, 1], [0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearRegression()])
def test_table_model_takes_frames(estimator):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(rng.choice(["red", "blue", "green"], 90)),
            "flag": rng.random(90) < 0.5,
            "size": pd.array(rng.integers(0, 9, 90), dtype="Int64"),
        }
    )
    y = (frame["colour"] == "red").astype(int)
    frame.loc[::10, "size"] = pd.NA
    model = TableModel(estimator, missing="indicator").fit(frame, y)
    assert model.score(frame, y) > 0.999
    shuffled = frame[["size", "colour", "flag"]].astype({"colour": "object"})
    assert np.array_equal(model.predict(shuffled), model.predict(frame))


def test_masked_values_are_missing_values():
    masked = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])
    assert np.array_equal(as_table(masked).X, [[1.0, np.nan], [3.0, 4.0]], True)
    texts = np.ma.masked_array(np.array([["a"], ["b"]], object), mask=[[1], [0]])
    assert as_table(texts).X["x0"].tolist() == [None, "b"]


def test_columns_of_a_table_are_equally_long():
    with pytest.raises(ValueError, match=r"equally long: 'a' \(3,\), 'b' \(4,\)"):
        Table({"a": np.arange(3.0), "b": np.arange(4.0)})
    assert Table({"a": [1.0, 2.0]}).X["a"].tolist() == [1.0, 2.0]
