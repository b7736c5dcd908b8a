"""Small files that describe large tables are refused by name, before they are made."""

import gzip
import os
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from treesvm.datasets import (
    ColumnEncoder,
    DataFileError,
    Table,
    arrow_tables,
    csv_layout,
    iter_libsvm,
    iter_table,
    libsvm_text,
    read_table,
    table_model,
)
from treesvm.datasets.memory_limit import default_limit
from treesvm.datasets.spooling import spool_file

MEGABYTE = 10**6


def refused(path, words, **options):
    """Read a table that is refused; return the most memory that this took."""
    tracemalloc.start()
    with pytest.raises(DataFileError, match=words) as error:
        read_table(path, **options)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.name in str(error.value)
    return most


def test_the_limit_is_some_of_the_memory():
    assert 2**26 < default_limit() < 2**50


@pytest.mark.parametrize(
    ("name", "line"), [("a.svm.gz", b"1 1:1 2:3\n"), ("a.csv.gz", b"1,2,3\n")]
)
def test_packed_rows_are_counted_while_they_are_read(tmp_path, name, line):
    path = tmp_path / name
    path.write_bytes(gzip.compress(line * 10**6))
    assert path.stat().st_size < 40_000
    most = refused(path, "limit is 2.0 MB; .*--max-data-mb", max_bytes=2 * MEGABYTE)
    assert most < 300 * MEGABYTE
    assert read_table(path, max_bytes=500 * MEGABYTE).n_rows == 10**6


@pytest.mark.parametrize("name", ["a.svm", "a.csv"])
def test_text_is_refused_before_it_is_read(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"no number\n" * 10**5)  # reading it would find the mistake
    refused(path, "1.0 MB of memory or more", max_bytes=MEGABYTE // 2)


def test_a_huge_feature_number_costs_nothing(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 999999999:1\n0 1:1\n")
    table = read_table(path)
    assert table.X.shape == (2, 999_999_999)
    with pytest.raises(DataFileError, match="999,999,999 encoded features"):
        ColumnEncoder.learn(table, max_bytes=2**34)
    with pytest.raises(DataFileError, match="999,999,999 encoded features"):
        spool_file(path, tmp_path, max_bytes=2**34)


def test_wide_tables_are_read_in_linear_time_or_refused(tmp_path):
    path = tmp_path / "a.csv"
    names = [f"c{j}" for j in range(20_000)]
    path.write_text("\n".join([",".join(names), *[",".join(["1"] * 20_000)] * 2]))
    assert len(read_table(path).X) == 19_999
    refused(path, "its columns would take 160.0 MB", max_bytes=100 * MEGABYTE)


def test_many_categories_are_counted_before_they_are_encoded():
    texts = np.array([f"t{j}" for j in range(900)], dtype=object)
    table = Table({f"c{j}": texts for j in range(20)})
    with pytest.raises(DataFileError, match="18,000 encoded features would take 132"):
        ColumnEncoder.learn(table, max_bytes=100 * MEGABYTE)
    assert ColumnEncoder.learn(table, max_bytes=200 * MEGABYTE).n_features == 18_000


def test_sparse_tables_stay_sparse():
    X = sparse.random(1000, 50_000, 1e-3, format="csr", random_state=0)
    encoder = ColumnEncoder.learn(Table(X), max_bytes=10 * MEGABYTE)
    assert encoder.transform(Table(X)).nnz == X.nnz


def test_endless_lines_have_a_place(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow_tables, "BLOCK_BYTES", 5000)
    monkeypatch.setattr(csv_layout, "MAX_LINE_BYTES", 5000)
    path = tmp_path / "a.csv.gz"
    for n_before in (0, 1, 700, 5000):
        path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * n_before + b"1" * 20_000))
        with pytest.raises(DataFileError, match="longer than") as error:
            read_table(path)
        assert error.value.line == n_before + 2
    path.write_bytes(gzip.compress(b"a" * 20_000))
    with pytest.raises(DataFileError, match=r"line 1: the line is longer"):
        read_table(path)


def test_chunks_are_bounded_in_bytes_too(tmp_path, monkeypatch):
    for module in (libsvm_text, arrow_tables, table_model):
        monkeypatch.setattr(module, "CHUNK_BYTES", 1000)
    monkeypatch.setattr(libsvm_text, "BLOCK_BYTES", 500)
    monkeypatch.setattr(arrow_tables, "BLOCK_BYTES", 500)
    (tmp_path / "a.svm").write_text("1 1:1 2:3\n" * 300)
    (tmp_path / "a.csv").write_text("a,b\n" + "1,2\n" * 300)
    sizes = [len(y) for _, y in iter_libsvm(tmp_path / "a.svm", 10_000)]
    assert sum(sizes) == 300
    assert max(sizes) < 100
    tables = list(iter_table(tmp_path / "a.csv", 10_000))
    assert sum(table.n_rows for table in tables) == 300
    assert max(table.n_rows for table in tables) < 200
    assert [t.first_row for t in tables[:2]] == [1, 1 + tables[0].n_rows]


@pytest.mark.skipif(os.name != "posix", reason="needs pipes")
@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.npz"])
def test_what_is_read_twice_is_no_pipe(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(DataFileError, match="pipe or a device"):
        read_table(tmp_path / name)
    os.mkfifo(tmp_path / "a.svm")
    with pytest.raises(DataFileError, match="pipe or a device"):
        spool_file(tmp_path / "a.svm", tmp_path)


def test_bytes_are_paths(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    np.savez(tmp_path / "a.npz", X=np.eye(2))
    for name in ("a.svm", "a.csv", "a.npz"):
        assert read_table(os.fsencode(tmp_path / name)).n_rows > 0
        assert len(list(iter_table(os.fsencode(tmp_path / name)))) == 1
