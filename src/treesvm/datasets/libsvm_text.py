"""Read LIBSVM's text format (svmlight): whole, or in chunks that fit any memory.

Memory: a block of text (4 MB, or the longest line), and the rows of a chunk as CSR with
float64 values and int32 columns, 12 bytes for each stored entry.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from treesvm.datasets import libsvm_parser as parser
from treesvm.datasets.data_file import DataFileError, file_size, open_bytes
from treesvm.datasets.data_source import DataSource
from treesvm.datasets.memory_limit import CHUNK_BYTES, MemoryAccount
from treesvm.files.file_path import FilePath
from treesvm.inputs.array_types import Array

BLOCK_BYTES = 4 * 2**20
MAX_LINE_BYTES = 256 * 2**20  # a longer "line" is no text, and would fill the memory
_BOM = b"\xef\xbb\xbf"

_REASONS = {
    parser.BAD_LABEL: "the label {token} is no number; labels that are names belong "
    "into a CSV file.",
    parser.NO_LABEL_END: "{token} does not belong to a number; the label must end with "
    "a space.",
    parser.BAD_INDEX: "{token} does not begin with a feature number; write "
    "features as index:value.",
    parser.NO_COLON: "a colon and a value are missing behind the feature number, "
    "there is {token}; write features as index:value.",
    parser.BAD_VALUE: "the value {token} is not a finite number; leave out features "
    "that are unknown or zero.",
    parser.LARGE_INDEX: f"the feature number {{token}} is above {parser.MAX_INDEX:,}.",
    parser.NOT_ASCENDING: "the feature {token} does not come after a smaller one; sort "
    "the features of each line and name each once.",
    parser.INDEX_ZERO: "the feature number 0 where features are counted from 1; if "
    "they are counted from 0, say so with zero_based=True (the command: --zero-based).",
}


class LibsvmRows(NamedTuple):
    """The rows of a file, and how it counts features."""

    X: sparse.csr_matrix
    y: np.ndarray
    zero_based: bool


class _Rows(NamedTuple):
    """Parsed rows: labels and the arrays of a CSR matrix."""

    labels: np.ndarray
    lengths: np.ndarray  # entries of each row
    indices: np.ndarray
    values: np.ndarray


def read_libsvm(
    path: FilePath,
    *,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    max_bytes: int | None = None,
) -> tuple[Any, Array]:
    """Read a file in LIBSVM's text format, also .gz and .bz2.

    Parameters
    ----------
    path : str or Path
    n_features : int, optional
        Width of the matrix; by default the largest feature number of the file.
    zero_based : bool or "auto", default="auto"
        Whether features are counted from 0. "auto": they are if a feature 0 occurs, as
        for scikit-learn's loader.
    max_bytes : int, optional
        Refuse files whose rows take more memory; by default half of what there is.

    Returns
    -------
    X : csr_matrix of float64, shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        int64 if all labels are whole numbers, otherwise float64.

    Raises
    ------
    DataFileError
        With file, line and column of the first mistake.
    """
    return load_libsvm(path, n_features, zero_based, max_bytes)[:2]


def load_libsvm(path, n_features=None, zero_based="auto", max_bytes=None):
    """Return the `LibsvmRows` of a file; see `read_libsvm`."""
    path = DataSource.of(path)
    # Rows take about as much as their text, which is known before it is read.
    MemoryAccount(path, max_bytes).charge(file_size(path))
    least = 0 if zero_based == "auto" else 1 - bool(zero_based)
    account, blocks = MemoryAccount(path, max_bytes), []
    for block in _parsed_blocks(path, least):
        account.charge(2 * sum(part.nbytes for part in block))  # parts and their union
        blocks.append(block)
    if not blocks:
        raise DataFileError(path, "there is no row in it.")
    rows = _Rows(*(np.concatenate(part) for part in zip(*blocks, strict=True)))
    if zero_based == "auto":
        zero_based = len(rows.indices) > 0 and rows.indices.min() == 0
        if not zero_based:
            rows = rows._replace(indices=rows.indices - np.int32(1))
    X = _matrix(path, rows, n_features)
    return LibsvmRows(X, whole_numbers(rows.labels), bool(zero_based))


def iter_libsvm(
    path: FilePath,
    chunk_rows: int = 50_000,
    *,
    n_features: int | None = None,
    zero_based: bool | str = False,
) -> Iterator[tuple[Any, Array]]:
    """Yield (X, y) of at most `chunk_rows` rows and 256 MB or so; see `read_libsvm`.

    The index base must be said here, since a feature 0 may come late. Labels are
    float64. Without `n_features` each chunk is as wide as its largest feature number.
    """
    if chunk_rows < 1:
        raise ValueError(f"chunk_rows={chunk_rows}; use 1 or more.")
    held: list[_Rows] = []
    for block in _parsed_blocks(path, 1 - bool(zero_based)):
        start, edges = 0, np.r_[0, np.cumsum(block.lengths, dtype=np.int64)]
        while start < len(block.labels):
            room = chunk_rows - _n_rows(held)
            stop = min(start + room, len(block.labels))
            entries = slice(edges[start], edges[stop])
            held.append(
                _Rows(
                    block.labels[start:stop],
                    block.lengths[start:stop],
                    block.indices[entries],
                    block.values[entries],
                )
            )
            start = stop
            n_bytes = sum(array.nbytes for part in held for array in part)
            if n_bytes >= CHUNK_BYTES or _n_rows(held) == chunk_rows:
                yield _joined(path, held, n_features)
                held = []
    if held:
        yield _joined(path, held, n_features)


def whole_numbers(labels):
    """Return labels as int64 if all of them are whole numbers."""
    if np.all(labels == np.floor(labels)) and np.all(np.abs(labels) < 2**53):
        return labels.astype(np.int64)
    return labels


def _n_rows(held):
    return sum(len(part.labels) for part in held)


def _joined(path, held, n_features):
    """Return X and y of parsed rows."""
    rows = _Rows(*(np.concatenate(part) for part in zip(*held, strict=True)))
    return _matrix(path, rows, n_features), rows.labels


def _matrix(path, rows, n_features):
    """Return the CSR matrix of parsed rows."""
    indices = rows.indices
    width = int(indices.max()) + 1 if len(indices) else 0
    if n_features is not None and width > n_features:
        raise DataFileError(
            path, f"it has {width} features, more than n_features={n_features}."
        )
    indptr = np.r_[0, np.cumsum(rows.lengths, dtype=np.int64)]
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    shape = (len(rows.labels), width if n_features is None else n_features)
    X = sparse.csr_matrix((rows.values, indices, indptr), shape=shape)
    X.has_sorted_indices = X.has_canonical_format = True
    return X


def _parsed_blocks(path, least_index):
    """Yield the rows of one block of text after the other."""
    n_lines = 0
    for text in _text_blocks(path):
        rows, n_here = _parse(path, text, least_index, n_lines)
        n_lines += n_here
        if len(rows.labels):
            yield rows


def _text_blocks(path):
    """Yield bytes that end at ends of lines."""
    with open_bytes(path) as file:
        rest, is_first, n_lines = b"", True, 0
        while block := file.read(BLOCK_BYTES):
            if is_first:
                block, is_first = block.removeprefix(_BOM), False
            cut = block.rfind(b"\n") + 1
            if cut == 0:
                rest += block
                if len(rest) > MAX_LINE_BYTES:
                    raise DataFileError(path, _too_long(), line=n_lines + 1)
                continue
            yield rest + block[:cut]
            n_lines += rest.count(b"\n") + block.count(b"\n")
            rest = block[cut:]
        if rest:
            yield rest


def _too_long():
    return (
        f"the line is longer than {MAX_LINE_BYTES // 2**20} MB; this is not a file in "
        "LIBSVM's text format."
    )


def _parse(path, text, least_index, n_lines_before):
    """Return the rows of whole lines and how many lines they are."""
    n_rows = text.count(b"\n") + (not text.endswith(b"\n"))
    n_entries = text.count(b":")
    labels, indptr = np.empty(n_rows), np.zeros(n_rows + 1, np.int64)
    indices, values = np.empty(n_entries, np.int32), np.empty(n_entries)
    hard, place = np.empty((n_rows + n_entries, 3), np.int64), np.empty(5, np.int64)
    codes = np.frombuffer(text, np.uint8)
    mistake = parser.parse_block(
        codes, least_index, labels, indptr, indices, values, hard, place
    )
    n_rows, n_entries, n_hard, n_lines, byte = map(int, place)
    if mistake:
        raise _located(path, text, byte, mistake, n_lines_before)
    for entry, start, end in hard[:n_hard].tolist():
        number = float(text[start:end])
        if not math.isfinite(number):
            mistake = parser.BAD_VALUE if entry >= 0 else parser.BAD_LABEL
            raise _located(path, text, start, mistake, n_lines_before)
        if entry >= 0:
            values[entry] = number
        else:
            labels[-1 - entry] = number
    lengths = np.diff(indptr[: n_rows + 1])
    return _Rows(labels[:n_rows], lengths, indices[:n_entries], values[:n_entries]), (
        n_lines
    )


def _located(path, text, byte, mistake, n_lines_before):
    """Return the error for a mistake at a byte of the text."""
    line = n_lines_before + text.count(b"\n", 0, byte) + 1
    column = byte - text.rfind(b"\n", 0, byte)
    rest = text[byte : byte + 200].split(b"\n")[0].rstrip()
    shown = rest.split(b" ")[0][:30].decode("utf8", "replace")
    quoted = repr(shown) if shown else "a blank" if rest else "the end of the line"
    reason = _REASONS[mistake].format(token=quoted)
    return DataFileError(path, reason, line=line, column=column)
