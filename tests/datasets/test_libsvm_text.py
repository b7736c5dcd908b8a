"""LIBSVM text: equal to scikit-learn's reader, and every mistake has its place."""

import bz2
import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from treesvm.datasets import DataFileError, iter_libsvm, libsvm_text, read_libsvm


@pytest.fixture
def written(tmp_path):
    """A file of random rows, its matrix and its labels."""
    X = sparse.random(300, 40, 0.2, format="csr", random_state=3)
    X.data = np.where(np.arange(X.nnz) % 3 == 0, np.round(X.data, 3), X.data * 1e-30)
    y = np.arange(300) % 3 - 1
    path = tmp_path / "rows.svm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    return path, load_svmlight_file(str(path), n_features=40)[0], y


def read_text(tmp_path, text, **options):
    path = tmp_path / "some.svm"
    path.write_bytes(text)
    return read_libsvm(path, **options)


def test_equals_scikit_learn_bit_by_bit(written):
    path, theirs, labels = written
    X, y = read_libsvm(path, n_features=40)
    assert np.array_equal(X.toarray(), theirs.toarray())
    assert np.array_equal(y, labels)
    assert y.dtype == np.int64


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip), (".bz2", bz2)])
def test_reads_compressed_files(written, ending, pack):
    path, X, _ = written
    packed = path.with_name(path.name + ending)
    packed.write_bytes(pack.compress(path.read_bytes()))
    assert np.array_equal(read_libsvm(packed, n_features=40)[0].toarray(), X.toarray())


@pytest.mark.parametrize("block_bytes", [64, 1000, 2**22])
@pytest.mark.parametrize("chunk_rows", [1, 7, 300, 1000])
def test_chunks_make_up_the_file(written, block_bytes, chunk_rows, monkeypatch):
    path, X, y = written
    monkeypatch.setattr(libsvm_text, "BLOCK_BYTES", block_bytes)
    chunks = list(iter_libsvm(path, chunk_rows, n_features=40))
    assert all(len(labels) == chunk_rows for _, labels in chunks[:-1])
    rows = sparse.vstack([rows for rows, _ in chunks])
    assert np.array_equal(rows.toarray(), X.toarray())
    assert np.array_equal(np.concatenate([labels for _, labels in chunks]), y)


@given(st.floats(-1e300, 1e300), st.integers(0, 20))
def test_numbers_are_what_python_reads(tmp_path_factory, number, digits):
    path = tmp_path_factory.mktemp("numbers") / "one.svm"
    texts = [repr(number), f"{number:.{digits}e}", f"{number:.{digits}f}"]
    features = " ".join(f"{j}:{text}" for j, text in enumerate(texts, 1))
    path.write_text(f"{number!r} {features}\n")
    X, y = read_libsvm(path, zero_based=False)
    assert X.toarray()[0].tolist() == [float(text) for text in texts]
    assert y[0] == number


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (b"1 1:2\n+ 3:4\n", 2, 1),
        (b"1 1:2\ncat 3:4\n", 2, 1),
        (b"1 1:2\n1x 3:4\n", 2, 2),
        (b"1 1:2\n# note\n1 2:x\n", 3, 5),
        (b"1 1:2\n\n1 2:1e999", 3, 5),
        (b"1 1:2\n1 2:nan\n", 2, 5),
        (b"1 1:2\n1 2:inf\n", 2, 5),
        (b"1 1:2\n1 2:1e\n", 2, 5),
        (b"1 1:2\n1 2:3:4\n", 2, 5),
        (b"1 1:2\n1 2:\n", 2, 5),
        (b"1 1:2\r\n1 2 3:4\r\n", 2, 4),
        (b"1 1:2\n1 2:1 2:2\n", 2, 7),
        (b"1 1:2\n1 qid:1 2:2\n", 2, 3),
        (b"1 1:2\n1 99999999999999999999:2\n", 2, 3),
        (b"1 1:2\n\x00\x01\x02", 2, 1),
        (b"1 -1:2\n", 1, 3),
    ],
)
def test_mistakes_are_placed(tmp_path, text, line, column):
    with pytest.raises(DataFileError, match=rf"some\.svm, line {line}, column") as info:
        read_text(tmp_path, text)
    assert (info.value.line, info.value.column) == (line, column)


def test_lines_are_counted_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(libsvm_text, "BLOCK_BYTES", 50)
    with pytest.raises(DataFileError, match="line 1001, column 7"):
        read_text(tmp_path, b"1 1:2 # first\n" * 1000 + b"1 1:2 b:3\n")


def test_index_base(tmp_path):
    assert read_text(tmp_path, b"1 1:5\n0 2:6\n")[0].shape == (2, 2)
    assert read_text(tmp_path, b"1 0:5\n0 2:6\n")[0].shape == (2, 3)
    assert read_text(tmp_path, b"1 1:5\n", zero_based=True)[0].shape == (1, 2)
    with pytest.raises(DataFileError, match=r"line 2, column 3: .*zero_based=True"):
        read_text(tmp_path, b"1 1:5\n1 0:5\n", zero_based=False)


def test_comments_blank_lines_and_other_ends_of_lines(tmp_path):
    text = b"\xef\xbb\xbf# a note\r\n\r\n1 2:3 # more\r\n   \n-1\n+1.0 1:1\t2:-4e0"
    X, y = read_text(tmp_path, text)
    assert X.toarray().tolist() == [[0, 3], [0, 0], [1, -4]]
    assert y.tolist() == [1, -1, 1]


def test_files_that_are_none(tmp_path):
    with pytest.raises(DataFileError, match="no such file"):
        read_libsvm(tmp_path / "absent.svm")
    with pytest.raises(DataFileError, match="folder"):
        read_libsvm(tmp_path)
    with pytest.raises(DataFileError, match="no row"):
        read_text(tmp_path, b"# nothing\n")
    damaged = tmp_path / "half.svm.gz"
    damaged.write_bytes(gzip.compress(b"1 1:1\n" * 10_000)[:-20])
    with pytest.raises(DataFileError, match="damaged"):
        read_libsvm(damaged)


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(libsvm_text, "BLOCK_BYTES", 100)
    monkeypatch.setattr(libsvm_text, "MAX_LINE_BYTES", 1000)
    with pytest.raises(DataFileError, match="line 2: the line is longer"):
        read_text(tmp_path, b"1 1:1\n" + b"9" * 3000)
    with pytest.raises(DataFileError, match="n_features=1"):
        read_text(tmp_path, b"1 2:1\n", n_features=1)
