"""Tables of all formats: types, labels, chunks, and the place of every mistake."""

import builtins
import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from treesvm.datasets import (
    DataFileError,
    DataSource,
    Table,
    iter_table,
    layout_remarks,
    read_table,
)

GOOD = b"size,colour,kind\n1,red,a\n2.5,blue,b\n,?,a\n"


def written(tmp_path, text, name="rows.csv"):
    path = tmp_path / name
    path.write_bytes(text)
    return path


def test_csv_has_numbers_text_and_gaps(tmp_path):
    table = read_table(written(tmp_path, GOOD + b"\n\n"))
    assert table.names == ("size", "colour")
    np.testing.assert_array_equal(table.X["size"], [1, 2.5, np.nan])
    assert table.X["colour"].tolist() == ["red", "blue", None]
    assert table.y.tolist() == ["a", "b", "a"]
    assert (table.n_rows, table.line_of(2)) == (3, 4)


@pytest.mark.parametrize("label", ["colour", 1, -2])
def test_label_by_name_or_position(tmp_path, label):
    table = read_table(written(tmp_path, GOOD[:-7]), label=label)
    assert table.names == ("size", "kind")
    assert table.y.tolist() == ["red", "blue"]


def test_csv_without_header_with_tabs_and_packed(tmp_path):
    packed = gzip.compress(b"1\t2\t0\n+3\t4e1\t1\n")
    table = read_table(written(tmp_path, packed, "rows.tsv.gz"), label=0)
    assert table.names == ("column 2", "column 3")
    assert table.X["column 2"].tolist() == [2, 40]
    assert table.y.tolist() == ["1", "+3"]  # a label comes back as it was written


@pytest.mark.parametrize("chunk_rows", [1, 2, 100])
def test_csv_chunks_keep_their_lines(tmp_path, chunk_rows):
    text = b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(25))
    tables = list(iter_table(written(tmp_path, text), chunk_rows))
    assert np.concatenate([t.X["a"] for t in tables]).tolist() == list(range(25))
    assert [t.first_line for t in tables] == list(range(2, 27, chunk_rows))


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (b"a,b,c\n1,x,0\n2,y\n", 3, None),
        (b"a,b,c\n1,x,0\n2,y,1,4\n", 3, None),
        (b"a,b,c\n1,x,0\n\n2,y,1\n", 3, None),
        (b"a,b,c\n1,x,0\n2,x,1\n1.2.3,y,1\n", 4, 1),
        (b"a,b,c\n1,x,0\n2,x,1\ninf,y,1\n", 4, 1),
        (b"a,b,c\n1,x,0\n2,y,\n", 3, 3),
        (b"a,a,c\n1,x,0\n", 1, 2),
        (b"a,,c\n1,x,0\n", 1, 2),
        (b"", 1, None),
        (b'a,b,c\n1,"x,0\n2,y,1\n', 2, None),
        (b"a,b,c\n1,x,0\n2,\xff\xfe,1\n", 3, 2),
        (b"\xff\xfe,b,c\n1,x,0\n", 1, None),
    ],
)
def test_csv_mistakes_are_placed(tmp_path, text, line, column):
    with pytest.raises(DataFileError, match=rf"rows\.csv, line {line}") as info:
        read_table(written(tmp_path, text))
    assert info.value.line == line
    assert column is None or info.value.column == column


def test_a_late_text_in_a_column_of_numbers_is_placed(tmp_path):
    text = b"a,b\n" + b"1,x\n" * 50 + b"oops,x\n"
    with pytest.raises(DataFileError, match=r"line 52, column 1: .*'oops' is no"):
        list(iter_table(written(tmp_path, text), 10))


def test_unknown_columns_and_endings(tmp_path):
    path = written(tmp_path, GOOD)
    for options in ({"label": "none"}, {"drop": ["none"]}, {"label": 9}):
        with pytest.raises(DataFileError, match="there are: size, colour, kind"):
            read_table(path, **options)
    with pytest.raises(DataFileError, match=r"unknown ending '\.xls'"):
        _ = DataSource("a.xls").kind
    assert DataSource("mnist.scale.t.bz2").kind == "libsvm"
    with pytest.raises(DataFileError, match="no feature column"):
        read_table(path, drop=["size", "colour"])
    with pytest.raises(DataFileError, match="no row"):
        read_table(written(tmp_path, b"a,b\n"))


def test_without_pyarrow_the_error_says_how_to_install(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        read_table(written(tmp_path, GOOD))


def test_parquet(tmp_path):
    columns = {
        "a": pa.array([1.5, None, 3.0, 4.0]),
        "flag": pa.array([True, False, True, None]),
        "b": pa.array(["u", "v", None, "u"]).dictionary_encode(),
        "label": pa.array([3, 1, 3, 1]),
    }
    path = tmp_path / "rows.parquet"
    pa.parquet.write_table(pa.table(columns), path)
    table = read_table(path, label="label")
    np.testing.assert_array_equal(table.X["a"], [1.5, np.nan, 3, 4])
    np.testing.assert_array_equal(table.X["flag"], [1, 0, 1, np.nan])
    assert table.X["b"].tolist() == ["u", "v", None, "u"]
    assert table.y.tolist() == [3, 1, 3, 1]
    assert [t.n_rows for t in iter_table(path, 3, label="label")] == [3, 1]
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataFileError, match=r"rows\.parquet"):
        read_table(path)


def test_parquet_refuses_types_that_are_no_features(tmp_path):
    path = tmp_path / "rows.parquet"
    pa.parquet.write_table(pa.table({"a": [[1, 2]], "label": ["x"]}), path)
    with pytest.raises(DataFileError, match="column 'a' holds values of type list"):
        read_table(path)


def test_npz_whole_and_in_chunks(tmp_path, rng):
    X, y = rng.normal(size=(25, 3)), np.array(list("abcde") * 5)
    for save, name in ((np.savez, "a.npz"), (np.savez_compressed, "b.npz")):
        save(tmp_path / name, X=X, y=y)
        table = read_table(tmp_path / name)
        assert np.array_equal(table.X, X)
        assert np.array_equal(table.y, y)
        parts = list(iter_table(tmp_path / name, 10))
        assert np.array_equal(np.concatenate([part.X for part in parts]), X)
        assert [part.first_row for part in parts] == [1, 11, 21]


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({"Z": np.ones((2, 2))}, "no array X"),
        ({"X": np.ones(3)}, "two-dimensional"),
        ({"X": np.array([["a"]])}, "two-dimensional array of numbers"),
        ({"X": np.array([[None]])}, "two-dimensional array of numbers"),
        ({"X": np.ones((2, 2)), "y": np.array([1, None])}, "no Python objects"),
        ({"X": np.ones((2, 2)), "y": np.ones(3)}, "for each of the 2 rows"),
        ({"X": np.array([[1.0], [np.inf]])}, "row 2 of X is not finite"),
    ],
)
def test_npz_mistakes(tmp_path, arrays, reason):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(DataFileError, match=reason):
        read_table(tmp_path / "a.npz")


def test_npz_that_is_no_archive_or_too_large(tmp_path):
    with pytest.raises(DataFileError, match="not a readable"):
        read_table(written(tmp_path, b"PK nonsense", "a.npz"))
    np.savez_compressed(tmp_path / "b.npz", X=np.zeros((1000, 100)))
    with pytest.raises(DataFileError, match=r"X would take 0\.8 MB .* limit is 0\.1"):
        read_table(tmp_path / "b.npz", max_bytes=100_000)
    np.savez(tmp_path / "c.npz", X=np.asfortranarray(np.ones((3, 4))))
    with pytest.raises(DataFileError, match="cannot be streamed"):
        list(iter_table(tmp_path / "c.npz"))


def test_rows_of_a_table_can_be_taken():
    table = Table({"a": np.arange(3.0)}, np.arange(3), first_line=5)
    part = table.take([2, 0])
    assert part.X["a"].tolist() == [2, 0]
    assert part.y.tolist() == [2, 0]
    assert part.line_of(0) == 7
    assert part.take([False, True]).line_of(0) == 5


def test_csv_that_ends_in_its_header_is_refused_with_the_line(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"a,b,c")
    with pytest.raises(DataFileError, match="line 1: nothing follows"):
        read_table(path)


@pytest.mark.parametrize(
    ("text", "options", "names", "first"),
    [
        (b"a;b;y\n1,5;2;x\n2,5;3;z\n", {}, ("a", "b"), [1.5, 2]),
        (b"1,5;2,5;3\n2,5;,5;4\n", {}, ("column 1", "column 2"), [1.5, 2.5]),
        (b"a|b|y\n1.5|2|x\n", {}, ("a", "b"), [1.5, 2]),
        (b"a\tb\ty\n1e1\t2\tx\n", {}, ("a", "b"), [10, 2]),
        (b"a b y\n1 2 x\n", {"delimiter": " "}, ("a", "b"), [1, 2]),
        (b"1,2,3\n4,5,6\n", {"header": True}, ("1", "2"), [4, 5]),
        (b"a,b,y\n1,2,x\n", {"header": False}, ("column 1", "column 2"), ["a", "b"]),
        (b"gr\xf6sse,b,y\n1,2,x\n", {"encoding": "latin-1"}, ("grösse", "b"), [1, 2]),
        ("a\tb\ty\n1\t2\tß\n".encode("utf-16"), {}, ("a", "b"), [1, 2]),
        (b",a,b,y\n7,1,2,x\n8,1,2,z\n", {}, ("a", "b"), [1, 2]),
        (b"Unnamed: 0,a,b,y\n7,1,2,x\n", {}, ("a", "b"), [1, 2]),
        (b",0,1,2\n7,1,2,0\n", {}, ("0", "1"), [1, 2]),
        (b"1.5,2,x\n2.5,4,z\n", {}, ("column 1", "column 2"), [1.5, 2]),
        (b"1.5,?,x\n2.5,red,z\n", {}, ("column 1", "column 2"), [1.5, None]),
        (b"7,x\n8,z\n", {}, ("column 1",), [7]),
        (b"0,1,y\n1.5,2,x\n", {}, ("0", "1"), [1.5, 2]),
        (b"2019,2020,y\n1.5,2,x\n", {}, ("2019", "2020"), [1.5, 2]),
        (b"a,2,y\n1.5,2,x\n", {}, ("a", "2"), [1.5, 2]),
        (b"2,b,y\nred,blue,x\n", {}, ("2", "b"), ["red", "blue"]),
        (b"a;b;y\n1,000;2;x\n", {"decimal": "."}, ("a", "b"), ["1,000", 2]),
    ],
)
def test_how_csv_is_written_is_found_or_given(tmp_path, text, options, names, first):
    table = read_table(DataSource(written(tmp_path, text), **options))
    assert table.names == names
    assert [table.X[name][0] for name in names] == first
    assert [t.n_rows for t in iter_table(DataSource(table.path, **options))] == [
        table.n_rows
    ]


def test_what_was_found_is_told(tmp_path):
    assert layout_remarks(written(tmp_path, GOOD)) == []
    path = written(tmp_path, b";a;y\n0;1,5;x\n1;2,5;z\n")
    said = "\n".join(layout_remarks(path))
    for words in ("semicolons", "comma", "without a name is an index and left out"):
        assert words in said
    assert len(layout_remarks(DataSource(path, delimiter=";", decimal=","))) == 1
    (said,) = layout_remarks(written(tmp_path, b"1.5,x\n2.5,z\n"))
    assert "the first line is a row" in said


def test_a_decimal_point_among_commas_is_placed(tmp_path):
    text = b";a;y\n" + b"0;1,5;x\n" * 60 + b"1;1.234;x\n"
    with pytest.raises(DataFileError, match=r"line 62, column 2: '1\.234' has a point"):
        read_table(written(tmp_path, text))
    with pytest.raises(DataFileError, match=r"line 62, column 2: .*'z' is no number"):
        read_table(written(tmp_path, text.replace(b"1.234", b"z")))


def test_wrong_sources_name_the_value(tmp_path):
    path = written(tmp_path, GOOD, "rows.dat")
    assert read_table(DataSource(path, format="csv")).n_rows == 3
    with pytest.raises(DataFileError, match=r"unknown ending '\.dat'.*--format"):
        read_table(path)
    for options, words in (
        ({"format": "xls"}, "format='xls'"),
        ({"delimiter": ";;"}, "delimiter=';;'"),
        ({"decimal": ";"}, "decimal=';'"),
        ({"decimal": ",", "delimiter": ","}, "both ','"),
        ({"encoding": "klingon"}, "encoding='klingon'"),
        ({"delimiter": ";", "format": "npz"}, "delimiter is about CSV"),
    ):
        with pytest.raises(ValueError, match=words):
            DataSource(path, **options)
    latin = written(tmp_path, b"a,y\n1,x\n2,\xe9\n", "latin.csv")
    with pytest.raises(DataFileError, match=r"line 3, column 2: .*--encoding"):
        read_table(latin)
    with pytest.raises(DataFileError, match="is not in ascii"):
        read_table(DataSource(latin, encoding="ascii"))
    with pytest.raises(DataFileError, match="the reader's file: there is no such"):
        read_table(DataSource("absent.csv", title="the reader's file"))


@pytest.mark.parametrize("name", [None, "key"])
def test_the_index_of_a_frame_is_no_feature(tmp_path, name):
    frame = pd.DataFrame({"a": range(9), "y": list("xyz") * 3}).sample(9)
    path = tmp_path / "rows.parquet"
    frame.rename_axis(name).to_parquet(path)
    table = read_table(path)
    assert table.names == ("a",)
    assert [t.names for t in iter_table(path, 5)] == [("a",), ("a",)]
    (said,) = layout_remarks(path)
    assert repr(name or "__index_level_0__") in said


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"drop": "size"}, "drop='size' is a text"),
        ({"categorical": "size"}, "categorical='size' is a text"),
        ({"label": True}, "there is no column True"),
        ({"max_bytes": "1GB"}, "max_bytes='1GB'"),
        ({"max_bytes": -1}, "max_bytes=-1"),
    ],
)
def test_options_that_mean_nothing_are_named(tmp_path, options, says):
    with pytest.raises((ValueError, TypeError), match=says):
        read_table(written(tmp_path, GOOD), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"encoding": "rot13"},
        {"encoding": "base64"},
        {"encoding": 5},
        {"delimiter": 5},
        {"delimiter": "é"},
        {"header": "no"},
    ],
    ids=str,
)
def test_sources_that_mean_nothing_are_named(options):
    ((name, value),) = options.items()
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        DataSource("rows.csv", **options)


def test_codecs_with_short_words_are_told(tmp_path):
    source = DataSource(written(tmp_path, GOOD), encoding="idna")
    with pytest.raises(DataFileError, match="no text in idna"):
        read_table(source)


def test_missing_labels_of_numbers_are_told(tmp_path):
    y = np.array([0.0, np.nan, 1.0])
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=y)
    with pytest.raises(DataFileError, match=r"y \(row 2\): the label is missing"):
        read_table(tmp_path / "a.npz")
    path = tmp_path / "a.parquet"
    pa.parquet.write_table(pa.table({"a": [1, 2, 3], "y": y}), path)
    with pytest.raises(DataFileError, match=r"'y' \(row 2\): the label is missing"):
        read_table(path)


def test_columns_of_bytes_are_refused_by_name(tmp_path):
    path = tmp_path / "a.parquet"
    pa.parquet.write_table(pa.table({"a": [b"x", b"\xff"], "y": [0, 1]}), path)
    with pytest.raises(DataFileError, match="column 'a' holds values of type binary"):
        read_table(path)
