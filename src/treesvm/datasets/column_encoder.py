"""Turn tables into matrices, the same way at training and at prediction.

Columns are found by name; categories become indicators or statistics of the target;
missing values are filled in or refused; features are scaled.  All of it is learned from
the training rows and written down in a `spec` of plain JSON values.
"""

from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import sparse

from treesvm.datasets.category_codings import (
    coded_column,
    level_codes,
    out_of_fold_means,
    target_columns,
)
from treesvm.datasets.column_blocks import (
    coded_categories,
    filled_numbers,
    missing_error,
)
from treesvm.datasets.data_file import DataFileError
from treesvm.datasets.encoder_spec import (
    MISSING_RULES,
    SCALES,
    UNSEEN_RULES,
    checked_spec,
    column_features,
)
from treesvm.datasets.feature_scales import in_scale, scales_of
from treesvm.datasets.memory_limit import MemoryAccount
from treesvm.datasets.table import Table, is_sparse, listed
from treesvm.inputs.array_types import ArrayLike

_LARGEST = 1e300  # sums of a hundred million such numbers are finite
_FEATURE_BYTES = 150  # shift and factor, as arrays and as Python's numbers
MAX_CATEGORIES = 1_000  # more are names or numbers of single rows, not categories


class ColumnEncoder:
    """What is remembered of the training table.

    Made by `learn` or `fit_training`, or from a spec.

    Parameters
    ----------
    spec : dict
        See `treesvm.datasets.encoder_spec`.

    Examples
    --------
    >>> import numpy as np
    >>> from treesvm.datasets import ColumnEncoder, Table
    >>> colour = np.array(["red", "blue", "red"], dtype=object)
    >>> table = Table({"colour": colour, "size": np.array([1.0, 2.0, 3.0])})
    >>> ColumnEncoder.learn(table).transform(table).shape
    (3, 3)
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
        _check_rule("missing", missing, MISSING_RULES)
        _check_rule("unseen", unseen, UNSEEN_RULES)
        _check_rule("scale", scale, SCALES)
        rules = {"missing": missing, "unseen": unseen, "scale": scale}

        def learned(name):
            return _column_spec(table, name, missing)

        plain, X = cls._unscaled(table, learned, rules, max_bytes)
        return plain._with_scaling(*scales_of(X, scale))

    @classmethod
    def fit_training(
        cls,
        table: Table,
        target: ArrayLike,
        *,
        n_classes: int | None = None,
        seed: int = 0,
        max_onehot: int = 12,
        missing: str = "indicator",
        scale: str = "none",
        max_bytes: int | None = None,
    ) -> tuple[Self, Any]:
        """Learn from a training table and its target; encode its rows.

        Columns of many categories become means of the target (see
        `treesvm.datasets.category_codings`), and those of a training row come from the
        rows of other folds, without its own label. So encode training rows here, and
        only later rows by `transform`, which answers missing values and categories that
        training did not have.

        Parameters
        ----------
        table : Table
        target : array-like of shape (n_rows,)
            Numbers, or codes of classes from 0.
        n_classes : int, optional
            Number of classes; by default the target is numbers.
        seed : int
            Of the folds.
        max_onehot : int
            Most categories, missing values included, that get an indicator each.
        missing : {"indicator", "error", "median", "most_frequent"}
            "indicator": numbers get the median and, in columns that lack values in
            training, an indicator; in columns of text they are one more category. For
            the others and `scale` and `max_bytes` see `learn`.

        Returns
        -------
        encoder : ColumnEncoder
        X : ndarray or csr_matrix of shape (n_rows, n_features)
        """
        target = np.asarray(target)
        if target.shape != (table.n_rows,):
            raise ValueError(
                f"the target has the shape {target.shape}, the table "
                f"{table.n_rows:,} rows; give one number for each."
            )
        targets = target_columns(target, n_classes)

        def learned(name):
            if table.X[name].dtype == object:
                return coded_column(table, name, missing, targets, max_onehot)
            return _column_spec(table, name, missing)

        rules = {"missing": missing, "unseen": "zeros", "scale": scale}
        plain, X = cls._unscaled(table, learned, rules, max_bytes)
        plain._put_out_of_fold_means(X, table, targets, seed)
        shift, factor = scales_of(X, scale)
        # A column without values has no scale: what comes later says nothing.
        factor[_is_empty(table)[plain.column_of_feature]] = 0.0
        return plain._with_scaling(shift, factor), in_scale(X, shift, factor)

    @classmethod
    def _unscaled(cls, table, learned, rules, max_bytes):
        """Return the encoder without scale, and its rows if the memory takes them."""
        if table.is_matrix:
            spec = _matrix_spec(table, rules["missing"])
        else:
            spec = {"kind": "columns", "columns": list(map(learned, table.X))}
        width = _width(spec)
        MemoryAccount(table.path, max_bytes).charge(
            _encoded_bytes(table, spec, width), f"a table of {width:,} encoded features"
        )
        unscaled = {"shift": [0.0] * width, "factor": [1.0] * width}
        plain = cls({**spec, **rules, **unscaled})
        X = plain.transform(table)
        plain._check_magnitude(X)
        return plain, X

    def _check_magnitude(self, X):
        """Raise a ValueError for numbers whose sums and differences overflow."""
        values = X.data if sparse.issparse(X) else X
        if max(values.max(initial=0.0), -values.min(initial=0.0)) <= _LARGEST:
            return
        first = int(np.flatnonzero(np.abs(values) > _LARGEST)[0])
        feature = X.indices[first] if sparse.issparse(X) else first % X.shape[1]
        place = int(self.column_of_feature[feature])
        name = f"feature {place + 1}"
        if self.column_names is not None:
            name = f"column {self.column_names[place]!r}"
        raise ValueError(
            f"{name} holds {values.flat[first]:.3g}, and sums of such numbers "
            f"overflow; divide it, so that no value is beyond {_LARGEST:.0e}."
        )

    def _with_scaling(self, shift, factor):
        scaling = {"shift": shift.tolist(), "factor": factor.tolist()}
        return ColumnEncoder({**self.spec, **scaling})

    def _put_out_of_fold_means(self, X, table, targets, seed):
        """Replace in X what `transform` made of the training rows' own labels."""
        for place, column in enumerate(self.spec.get("columns", ())):
            if column.get("coding", {}).get("kind") == "means":
                categories = column["categories"]
                codes = level_codes(table.X[column["name"]], categories, column["fill"])
                means = out_of_fold_means(codes, len(categories), targets, seed)
                X[:, self.column_of_feature == place] = means

    @property
    def n_features(self) -> int:
        """Width of the matrices that `transform` returns."""
        return len(self._shift)

    @cached_property
    def column_of_feature(self) -> np.ndarray:
        """Place of the column that each encoded feature comes from."""
        if self.spec["kind"] == "matrix":
            more = np.array(self.spec.get("indicators", []), dtype=np.intp)
            return np.concatenate([np.arange(self.spec["n_features"]), more])
        widths = [len(column_features(column)) for column in self.spec["columns"]]
        return np.repeat(np.arange(len(widths)), widths)

    def by_column(self, values: np.ndarray) -> np.ndarray:
        """Return values of encoded features, along axis 1, summed to their columns."""
        n_columns = int(self.column_of_feature.max()) + 1
        out = np.zeros((n_columns, values.shape[0], *values.shape[2:]))
        np.add.at(out, self.column_of_feature, values.swapaxes(0, 1))
        return out.swapaxes(0, 1)

    @property
    def feature_names(self) -> list[str] | None:
        """Names of the encoded features, such as "colour=red"; None for a matrix."""
        if self.spec["kind"] == "matrix":
            return None
        return [name for c in self.spec["columns"] for name in column_features(c)]

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
                + listed(self.column_names),
            )
        wanted = [column["name"] for column in self.spec["columns"]]
        absent = [name for name in wanted if name not in table.X]
        if absent:
            raise DataFileError(table.path, f"columns are missing: {listed(absent)}")
        X = np.empty((table.n_rows, self.n_features))
        start = 0
        for column in self.spec["columns"]:
            if column["kind"] == "text":
                block = coded_categories(table, column, self.spec["unseen"])
            else:
                block = filled_numbers(table, column)
            X[:, start : start + block.shape[1]] = block
            start += block.shape[1]
        return in_scale(X, self._shift, self._factor)

    def _encoded_matrix(self, table):
        """Encode a matrix: width, storage, missing values, scale."""
        if not table.is_matrix:
            raise DataFileError(
                table.path,
                "the model was trained on a matrix without column names, this file "
                "has columns; use the format of the training file.",
            )
        X, width = table.X, self.spec["n_features"]
        if is_sparse(table):
            X = _with_width(X, width)
        elif X.shape[1] != width:
            raise DataFileError(
                table.path, f"it has {X.shape[1]} features, the model wants {width}."
            )
        if self.spec["storage"] == "sparse":
            X = sparse.csr_matrix(X, dtype=float)
            return in_scale(X, self._shift, self._factor)
        X = X.toarray() if sparse.issparse(X) else np.array(X, dtype=float)
        lacking = np.isnan(X)
        if lacking.any():
            fill = self.spec["fill"]
            if fill is None:
                row, place = map(int, np.argwhere(lacking)[0])
                raise missing_error(table, row, f"feature {place + 1}")
            X = np.where(lacking, np.array(fill, dtype=float), X)
        indicators = self.spec.get("indicators")
        if indicators:
            X = np.hstack([X, lacking[:, indicators]])
        return in_scale(X, self._shift, self._factor)


def _check_rule(name, value, allowed):
    if value not in allowed:
        words = ", ".join(allowed)
        raise ValueError(f"{name}={value!r} is not possible; use one of {words}.")


def _with_width(X, width):
    """Pad or cut a sparse matrix: a feature that training never saw says nothing."""
    if X.shape[1] > width:
        return X[:, :width]
    if X.shape[1] < width:
        return sparse.csr_matrix((X.data, X.indices, X.indptr), (X.shape[0], width))
    return X


def _column_spec(table, name, missing):
    """Learn one column."""
    values = table.X[name]
    if values.dtype != object:
        known = values[~np.isnan(values)]
        fill = None if missing == "error" else _typical(table, name, known, missing)
        column = {"name": name, "kind": "number", "fill": fill}
        if missing == "indicator" and 0 < len(known) < len(values):
            column["indicator"] = True
        return column
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
    if len(known) == 0 and missing == "indicator":
        return 0.0
    if len(known) == 0:
        raise DataFileError(table.path, f"column {name!r} has no values; drop it.")
    if missing in ("median", "indicator"):
        return 2.0 * float(np.median(known / 2.0))  # the sum of two may overflow
    values, counts = np.unique(known, return_counts=True)
    return float(values[counts.argmax()])


def _matrix_spec(table, missing):
    """Learn the width, storage and fillings of a matrix."""
    X, fill, storage = table.X, None, "dense"
    if is_sparse(table):
        # Dense rows are faster and, from a third of entries on, no larger than twice.
        storage = "dense" if 3 * X.nnz >= X.shape[0] * X.shape[1] else "sparse"
    elif missing != "error":
        columns = (np.array(X[:, j], dtype=float) for j in range(X.shape[1]))
        fill = [
            _typical(table, f"feature {j + 1}", c[~np.isnan(c)], missing)
            for j, c in enumerate(columns)
        ]
    width = int(X.shape[1])
    if width == 0:
        reason = "no row has a feature; there is nothing to learn from but labels."
        raise DataFileError(table.path, reason)
    spec = {"kind": "matrix", "n_features": width, "storage": storage, "fill": fill}
    if missing == "indicator" and not is_sparse(table):
        lacking = np.isnan(X)
        some = lacking.any(axis=0) & ~lacking.all(axis=0)
        spec["indicators"] = np.flatnonzero(some).tolist()
    return spec


def _is_empty(table):
    """Whether each column of numbers lacks all values."""
    if is_sparse(table):
        return np.zeros(table.X.shape[1], dtype=bool)
    if table.is_matrix:
        return np.isnan(table.X).all(axis=0)
    columns = table.X.values()
    return np.array([c.dtype != object and bool(np.isnan(c).all()) for c in columns])


def _encoded_bytes(table, spec, width):
    """Return what the matrix and the numbers of each feature will take."""
    is_sparse_matrix = spec.get("storage") == "sparse"
    n_cells = 1.5 * table.X.nnz if is_sparse_matrix else table.n_rows * width
    return 8 * n_cells + _FEATURE_BYTES * width


def _width(spec):
    """Number of encoded features."""
    if spec["kind"] == "matrix":
        return spec["n_features"] + len(spec.get("indicators", ()))
    return sum(len(column_features(column)) for column in spec["columns"])
