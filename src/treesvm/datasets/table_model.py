"""An estimator together with the preprocessing that its training table needed."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score

from treesvm.datasets.column_encoder import ColumnEncoder
from treesvm.datasets.data_file import DataFileError
from treesvm.datasets.frames import as_table
from treesvm.datasets.memory_limit import CHUNK_BYTES
from treesvm.datasets.reading import column_names, iter_table
from treesvm.datasets.table import Table, listed
from treesvm.files.file_path import FilePath
from treesvm.inputs.array_types import Array, ArrayLike

_FRONT_DOOR = {"scale": "none", "missing": "indicator", "unseen": "zeros"}
_MAX_DENSE = 1_000  # features; wider rows are usually sparse


class TableModel:
    """An estimator for data files and frames: columns in, labels or numbers out.

    Remembers column names and order, categories, fillings for missing values and the
    scale of the training table, and applies them before the estimator answers. It can
    be saved and loaded with `save_model` and `load_model`.

    Parameters
    ----------
    estimator : classifier or regressor
        Fitted by `fit`.
    scale : {"minmax", "standard", "none"}, default="minmax"
        How numbers are scaled.
    missing : {"error", "median", "most_frequent", "indicator"}, default="error"
        What is put in place of missing values.
    unseen : {"zeros", "error"}, default="zeros"
        See `ColumnEncoder.learn`. With ``missing="indicator"`` the columns are encoded
        by `ColumnEncoder.fit_training`, which always answers unseen categories. With
        ``scale="none"`` besides, `TreeSVC` and `TreeSVR` encode the table themselves.

    Attributes
    ----------
    encoder_ : ColumnEncoder
        How columns became features.
    source_ : dict
        How the training file was read: "label" (name of its label column or None) and
        "zero_based" (of LIBSVM text).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from treesvm.datasets import Table, TableModel
    >>> colour = np.array(["red", "blue", "red", "blue"], dtype=object)
    >>> columns = {"colour": colour, "size": np.arange(4.0)}
    >>> table = Table(columns, y=np.array([1, 0, 1, 0]))
    >>> model = TableModel(LogisticRegression()).fit(table)
    >>> model.predict(table).tolist()
    [1, 0, 1, 0]
    """

    def __init__(
        self,
        estimator: Any,
        *,
        scale: str = "minmax",
        missing: str = "error",
        unseen: str = "zeros",
    ) -> None:
        self.estimator = estimator
        self.scale = scale
        self.missing = missing
        self.unseen = unseen

    @classmethod
    def of(cls, model: Any) -> Self:
        """Return a TableModel around a fitted estimator, which sees rows as they are.

        A TableModel is returned as it is.
        """
        if isinstance(model, cls):
            return model
        source = {"label": None, "zero_based": False}
        if _takes_tables(model):
            return cls.from_model_file({"encoder": None, "source": source}, model)
        width, names = model.n_features_in_, getattr(model, "feature_names_in_", None)
        rules = {"scale": "none", "missing": "error", "unseen": "zeros"}
        spec: dict[str, Any] = rules | {"shift": [0.0] * width, "factor": [1.0] * width}
        if names is None:
            storage = "dense" if width <= _MAX_DENSE else "sparse"
            spec |= {"kind": "matrix", "n_features": width, "fill": None}
            spec["storage"] = storage
        else:
            columns = [{"name": n, "kind": "number", "fill": None} for n in names]
            spec |= {"kind": "columns", "columns": columns}
        return cls.from_model_file({"encoder": spec, "source": source}, model)

    def fit(
        self,
        table: Any,
        y: ArrayLike | None = None,
        *,
        label: str | None = None,
        max_bytes: int | None = None,
    ) -> Self:
        """Learn the preprocessing and fit the estimator.

        Parameters
        ----------
        table : Table, DataFrame or matrix of shape (n_rows, n_features)
        y : array-like of shape (n_rows,), optional
            Labels or numbers, if the table has none.
        label : str, optional
            Name of the label column, so that `iter_file` can leave it out.
        max_bytes : int, optional
            See `ColumnEncoder.learn`.
        """
        table = as_table(table)
        y = table.y if y is None else np.asarray(y)
        if y is None:
            raise ValueError(f"{table.path}: there are no labels to learn from.")
        rules: dict[str, Any] = {
            "scale": self.scale,
            "missing": self.missing,
            "unseen": self.unseen,
        }
        if _takes_tables(self.estimator) and rules == _FRONT_DOOR:
            encoder = self.estimator.fit(table, y).encoder_
        else:
            is_numeric = is_regressor(self.estimator)
            rules["max_bytes"] = max_bytes
            encoder, X = encoded_training(table, y, is_numeric=is_numeric, **rules)
            self.estimator.fit(X, y)
        self.encoder_ = encoder
        self.source_ = {"label": label, "zero_based": table.zero_based}
        return self

    def estimator_rows(self, table: Any) -> Any:
        """Return rows as the estimator takes them: encoded, or as a Table."""
        self._check_fitted()
        table = as_table(table)
        return table if self._has_own_encoder else self.encoder_.transform(table)

    def _check_fitted(self):
        if not hasattr(self, "encoder_"):
            raise NotFittedError("this TableModel is not fitted yet; call fit first.")

    @property
    def _has_own_encoder(self):
        """Whether the estimator encodes columns itself."""
        return getattr(self.estimator, "encoder_", None) is self.encoder_

    @property
    def classes_(self) -> Array:
        """Labels that the estimator knows."""
        return self.estimator.classes_

    def predict(self, table: Any) -> Array:
        """Return the label or number of every row.

        Parameters
        ----------
        table : Table or DataFrame
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self.estimator.predict(self.estimator_rows(table))

    def predict_proba(self, table: Any) -> Array:
        """Return class probabilities, if the estimator has them.

        Parameters
        ----------
        table : Table or DataFrame
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return self.estimator.predict_proba(self.estimator_rows(table))

    def decision_function(self, table: Any) -> Array:
        """Return the estimator's decision values.

        Parameters
        ----------
        table : Table or DataFrame
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
        """
        return self.estimator.decision_function(self.estimator_rows(table))

    def explain(self, table: Any) -> Array:
        """Return what each column adds to the answers: Shapley values.

        Parameters
        ----------
        table : Table or DataFrame
            Rows to explain.

        Returns
        -------
        ndarray of shape (n_rows, n_columns), or (n_rows, n_columns, n_classes)
            See `DTSVMClassifier.explain`; those of the features that a column became
            are summed.

        Raises
        ------
        ValueError
            If the estimator has no ``explain``.
        """
        if not hasattr(self.estimator, "explain"):
            raise ValueError(
                f"a {type(self.estimator).__name__} does not explain its answers; "
                "train a TreeSVC, TreeSVR or DTSVMClassifier (the command: --method "
                "tree or dtsvm)."
            )
        values = self.estimator.explain(self.estimator_rows(table))
        return values if self._has_own_encoder else self.encoder_.by_column(values)

    def score(self, table: Any, y: ArrayLike | None = None) -> float:
        """Return the share of rows whose label is right, or R² of a regressor."""
        table = as_table(table)
        y = table.y if y is None else y
        answers = self.predict(table)
        if is_regressor(self.estimator):
            return float(r2_score(y, answers))
        return float(np.mean(answers == y))

    def iter_file(self, path: FilePath, chunk_rows: int = 50_000) -> Iterator[Table]:
        """Yield Tables of a file that this model can answer, in bounded memory.

        A label column of the training table's name is read as labels where it is
        present; other unknown columns are left out. Rows that become wide are yielded
        fewer at a time.
        """
        self._check_fitted()
        if self.encoder_.spec.get("storage") != "sparse":
            most = CHUNK_BYTES // (8 * self.encoder_.n_features)
            chunk_rows = min(chunk_rows, max(most, 1))
        names, wanted = column_names(path), self.encoder_.column_names
        label, drop = self.source_["label"], ()
        if names is not None:
            # Without header, as many columns as features are the features.
            is_whole = wanted is not None and len(names) == len(wanted)
            label = None if is_whole or label not in names else label
            known = names if wanted is None or is_whole else {*wanted, label}
            drop = [name for name in names if name not in known]
            if len(drop) + (label is not None) == len(names):
                way_out = ""
                if names[0] == "column 1":
                    way_out = " Rows without a header have just these, in this order."
                reason = f"columns are missing: {listed(wanted)}{way_out}"
                raise DataFileError(path, reason)
        yield from iter_table(
            path,
            chunk_rows,
            label=label,
            drop=drop,
            kinds=self.encoder_.kinds,
            names=wanted,
            zero_based=bool(self.source_["zero_based"]),
        )

    def model_file_parts(self) -> tuple[dict[str, Any], Any]:
        """Return (JSON-able spec, fitted estimator), all there is to save."""
        self._check_fitted()
        spec = None if self._has_own_encoder else self.encoder_.spec
        return {"encoder": spec, "source": self.source_}, self.estimator

    @classmethod
    def from_model_file(cls, spec: dict[str, Any], estimator: Any) -> Self:
        """Rebuild from `model_file_parts`; raise a ValueError if they do not fit."""
        if not isinstance(spec, dict) or not isinstance(spec.get("source"), dict):
            raise ValueError("the preprocessing in the model is damaged: no source.")
        source = spec["source"]
        label, zero_based = source.get("label"), source.get("zero_based")
        if not (label is None or isinstance(label, str)) or zero_based not in (0, 1):
            raise ValueError("the preprocessing in the model is damaged: its source.")
        if "encoder" not in spec:
            raise ValueError("the preprocessing in the model is damaged: no encoder.")
        is_own = spec["encoder"] is None and _takes_tables(estimator)
        encoder = estimator.encoder_ if is_own else ColumnEncoder(spec["encoder"])
        if not is_own and encoder.n_features != estimator.n_features_in_:
            raise ValueError(
                f"the preprocessing makes {encoder.n_features} features, the estimator "
                f"wants {estimator.n_features_in_}."
            )
        rules = {name: encoder.spec[name] for name in ("scale", "missing", "unseen")}
        model = cls(estimator, **rules)
        model.encoder_ = encoder
        model.source_ = {"label": label, "zero_based": bool(zero_based)}
        return model


def encoded_training(table, y, *, missing, unseen, is_numeric, **rules):
    """Return the encoder of a training table, and its rows; `y` is numbers or labels.

    With ``missing="indicator"`` by `ColumnEncoder.fit_training`, else by `learn`.
    """
    if missing != "indicator":
        rules |= {"missing": missing, "unseen": unseen}
        encoder = ColumnEncoder.learn(table, **rules)
        return encoder, encoder.transform(table)
    if unseen != "zeros":
        raise ValueError(
            f"unseen={unseen!r} is not possible with missing='indicator'; use "
            "unseen='zeros', or missing='median'."
        )
    n_classes = None
    if not is_numeric:
        labels, y = np.unique(y, return_inverse=True)
        n_classes = len(labels)
    return ColumnEncoder.fit_training(table, y, n_classes=n_classes, **rules)


def _takes_tables(estimator):
    """Whether an estimator encodes columns itself, as `TreeSVC` does."""
    return getattr(estimator, "takes_tables", False)
