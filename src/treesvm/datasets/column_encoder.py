"""Turn tables into matrices, the same way at training and at prediction.

Columns are found by name; categories become one indicator each; missing values are
filled in or refused; features are scaled.  All of it is learned from the training rows
and written down in a `spec` of plain JSON values.
"""

from typing import Any, Self

import numpy as np
from scipy import sparse

from treesvm.datasets.data_file import DataFileError
from treesvm.datasets.encoder_spec import checked_spec
from treesvm.datasets.memory_limit import MemoryAccount
from treesvm.datasets.table import Table, is_sparse

_FEATURE_BYTES = 150  # shift and factor, as arrays and as Python's numbers
MAX_CATEGORIES = 1_000  # more are names or numbers of single rows, not categories


class ColumnEncoder:
    """What is remembered of the training table; made by `learn` or from a spec.

    Parameters
    ----------
    spec : dict
        See `treesvm.datasets.encoder_spec`.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        self.spec = checked_spec(spec)
        self._shift = np.array(spec["shift"], dtype=float)
        self._factor = np.array(spec["factor"], dtype=float)

    @classmethod
    def learn(
        cls,
        table: Table,
        *,
        scale: str = "minmax",
        missing: str = "error",
        unseen: str = "zeros",
        max_bytes: int | None = None,
    ) -> Self:
        """Learn from a training table.

        Parameters
        ----------
        table : Table
        scale : {"minmax", "standard", "none"}
            To [0, 1], or to mean 0 and variance 1. Sparse matrices are divided only
            (by the largest absolute value, or the standard deviation): zeros stay.
        missing : {"error", "median", "most_frequent"}
            Refuse missing values, or fill in the column's median (of categories the
            most frequent) or its most frequent value.
        unseen : {"zeros", "error"}
            A category that training did not see sets no indicator, or is refused.
        max_bytes : int, optional
            Refuse tables that take more memory once they are encoded; by default half
            of what there is.
        """
        rules = {"missing": missing, "unseen": unseen, "scale": scale}
        if table.is_matrix:
            spec = _matrix_spec(table, missing)
        else:
            columns = [_column_spec(table, name, missing) for name in table.X]
            spec = {"kind": "columns", "columns": columns}
        width = _width(spec)
        MemoryAccount(table.path, max_bytes).charge(
            _encoded_bytes(table, spec, width), f"a table of {width:,} encoded features"
        )
        unscaled = {"shift": [0.0] * width, "factor": [1.0] * width}
        plain = cls({**spec, **rules, **unscaled})
        shift, factor = _scaling(plain.transform(table), scale)
        scaling = {"shift": shift.tolist(), "factor": factor.tolist()}
        return cls({**spec, **rules, **scaling})

    @property
    def n_features(self) -> int:
        """Width of the matrices that `transform` returns."""
        return len(self._shift)

    @property
    def feature_names(self) -> list[str] | None:
        """Names of the encoded features, such as "colour=red"; None for a matrix."""
        if self.spec["kind"] == "matrix":
            return None
        names = []
        for column in self.spec["columns"]:
            if column["kind"] == "number":
                names.append(column["name"])
            else:
                names += [f"{column['name']}={c}" for c in column["categories"]]
        return names

    @property
    def column_names(self) -> list[str] | None:
        """Names of the columns that a table must have; None for a matrix."""
        if self.spec["kind"] == "matrix":
            return None
        return [column["name"] for column in self.spec["columns"]]

    @property
    def kinds(self) -> dict[str, str] | None:
        """{column name: "number" or "text"}; None for a matrix."""
        if self.spec["kind"] == "matrix":
            return None
        return {column["name"]: column["kind"] for column in self.spec["columns"]}

    def transform(self, table: Table) -> Any:
        """Return the encoded rows, float64 of shape (n_rows, n_features).

        Raises
        ------
        DataFileError
            Where columns are missing, or values that may not be.
        """
        if self.spec["kind"] == "matrix":
            return self._encoded_matrix(table)
        if table.is_matrix:
            raise DataFileError(
                table.path,
                "the model wants named columns, this file has none: "
                + _listed(self.column_names),
            )
        wanted = [column["name"] for column in self.spec["columns"]]
        absent = [name for name in wanted if name not in table.X]
        if absent:
            raise DataFileError(table.path, f"columns are missing: {_listed(absent)}")
        X = np.empty((table.n_rows, self.n_features))
        start = 0
        for place, column in enumerate(self.spec["columns"]):
            encode = _indicators if column["kind"] == "text" else _filled
            block = encode(table, place, column, self.spec["unseen"])
            X[:, start : start + block.shape[1]] = block
            start += block.shape[1]
        X -= self._shift
        X *= self._factor
        return X

    def _encoded_matrix(self, table):
        """Encode a matrix: width, storage, missing values, scale."""
        if not table.is_matrix:
            raise DataFileError(
                table.path,
                "the model was trained on a matrix without column names, this file "
                "has columns; use the format of the training file.",
            )
        X, width = table.X, self.n_features
        if is_sparse(table):
            X = _with_width(X, width)
        elif X.shape[1] != width:
            raise DataFileError(
                table.path, f"it has {X.shape[1]} features, the model wants {width}."
            )
        if self.spec["storage"] == "sparse":
            X = sparse.csr_matrix(X, dtype=float)
            return X @ sparse.diags_array(self._factor)
        X = X.toarray() if sparse.issparse(X) else np.array(X, dtype=float)
        lacking = np.isnan(X)
        if lacking.any():
            fill = self.spec["fill"]
            if fill is None:
                row, place = map(int, np.argwhere(lacking)[0])
                raise _missing_error(table, row, f"feature {place + 1}")
            X = np.where(lacking, np.array(fill, dtype=float), X)
        X -= self._shift
        X *= self._factor
        return X


def _with_width(X, width):
    """Pad or cut a sparse matrix: a feature that training never saw says nothing."""
    if X.shape[1] > width:
        return X[:, :width]
    if X.shape[1] < width:
        return sparse.csr_matrix((X.data, X.indices, X.indptr), (X.shape[0], width))
    return X


def _filled(table, place, column, _):
    """Return a column of numbers without missing ones, as a matrix."""
    values = table.X[column["name"]]
    if values.dtype == object:
        raise DataFileError(
            table.path, f"column {column['name']!r} must hold numbers, it holds text."
        )
    lacking = np.isnan(values)
    if lacking.any():
        if column["fill"] is None:
            row = int(lacking.argmax())
            raise _missing_error(table, row, f"column {column['name']!r}")
        values = np.where(lacking, column["fill"], values)
    return values[:, None]


def _indicators(table, place, column, unseen):
    """Return one indicator for each category."""
    values = table.X[column["name"]]
    if values.dtype != object:
        raise DataFileError(
            table.path, f"column {column['name']!r} must hold text, it holds numbers."
        )
    code = {category: j for j, category in enumerate(column["categories"])}
    code[None] = code.get(column["fill"], -2)
    codes = np.array([code.get(value, -1) for value in values], dtype=np.int64)
    if (codes == -2).any():
        row = int((codes == -2).argmax())
        raise _missing_error(table, row, f"column {column['name']!r}")
    if unseen == "error" and (codes == -1).any():
        row = int((codes == -1).argmax())
        raise DataFileError(
            table.path,
            f"column {column['name']!r}{table.place_of(row)}: the category "
            f"{values[row]!r} was not seen in training; train with unseen='zeros' to "
            "allow it.",
            line=table.line_of(row),
        )
    return (codes[:, None] == np.arange(len(column["categories"]))).astype(float)


def _missing_error(table, row, what):
    return DataFileError(
        table.path,
        f"{what}{table.place_of(row)}: the value is missing; train with "
        "missing='median' or 'most_frequent' (the command: --missing) to fill it in.",
        line=table.line_of(row),
    )


def _column_spec(table, name, missing):
    """Learn one column."""
    values = table.X[name]
    if values.dtype != object:
        known = values[~np.isnan(values)]
        fill = None if missing == "error" else _typical(table, name, known, missing)
        return {"name": name, "kind": "number", "fill": fill}
    known = [value for value in values if value is not None]
    categories, counts = np.unique(np.array(known, dtype=str), return_counts=True)
    if len(categories) > MAX_CATEGORIES:
        raise DataFileError(
            table.path,
            f"column {name!r} has {len(categories):,} different texts, more than "
            f"{MAX_CATEGORIES:,} categories; drop it if it names the rows.",
        )
    if len(categories) == 0:
        raise DataFileError(table.path, f"column {name!r} has no values; drop it.")
    fill = None if missing == "error" else str(categories[counts.argmax()])
    return {
        "name": name,
        "kind": "text",
        "categories": categories.tolist(),
        "fill": fill,
    }


def _typical(table, name, known, missing):
    """Return the median or the most frequent of numbers."""
    if len(known) == 0:
        raise DataFileError(table.path, f"column {name!r} has no values; drop it.")
    if missing == "median":
        return float(np.median(known))
    values, counts = np.unique(known, return_counts=True)
    return float(values[counts.argmax()])


def _matrix_spec(table, missing):
    """Learn the width, storage and fillings of a matrix."""
    X, fill, storage = table.X, None, "dense"
    if is_sparse(table):
        # Dense rows are faster and, from a third of entries on, no larger than twice.
        storage = "dense" if 3 * X.nnz >= X.shape[0] * X.shape[1] else "sparse"
    elif missing != "error":
        columns = (X[:, j] for j in range(X.shape[1]))
        fill = [
            _typical(table, f"feature {j + 1}", c[~np.isnan(c)].astype(float), missing)
            for j, c in enumerate(columns)
        ]
    width = int(X.shape[1])
    if width == 0:
        reason = "no row has a feature; there is nothing to learn from but labels."
        raise DataFileError(table.path, reason)
    return {"kind": "matrix", "n_features": width, "storage": storage, "fill": fill}


def _encoded_bytes(table, spec, width):
    """Return what the matrix and the numbers of each feature will take."""
    is_sparse_matrix = spec.get("storage") == "sparse"
    n_cells = 1.5 * table.X.nnz if is_sparse_matrix else table.n_rows * width
    return 8 * n_cells + _FEATURE_BYTES * width


def _width(spec):
    """Number of encoded features."""
    if spec["kind"] == "matrix":
        return spec["n_features"]
    return sum(len(column.get("categories", "1")) for column in spec["columns"])


def _scaling(X, scale):
    """Return (shift, factor) of each feature; constant ones keep their size."""
    width = X.shape[1]
    if scale == "none" or X.shape[0] == 0:
        return np.zeros(width), np.ones(width)
    if sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        spread = np.sqrt(np.maximum(square - mean**2, 0.0))
        if scale == "minmax":
            spread = np.abs(X).max(axis=0).toarray().ravel()
        shift = np.zeros(width)
    elif scale == "minmax":
        shift, spread = X.min(axis=0), np.ptp(X, axis=0)
    else:
        shift, spread = X.mean(axis=0), X.std(axis=0)
    is_flat = ~(spread > 1e-300)  # smaller spreads would overflow as a divisor
    return shift, 1.0 / np.where(is_flat, 1.0, spread)


def _listed(names):
    return ", ".join(map(repr, names[:10])) + (" …" if len(names) > 10 else "") + "."
