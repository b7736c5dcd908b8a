"""A data file together with what its name does not tell."""

import os
from dataclasses import dataclass
from typing import Any, Self

from treesvm.datasets.data_file import DataFileError, endings

FORMATS = ("csv", "tsv", "libsvm", "parquet", "npz")
_READABLE = (
    "LIBSVM text (.svm .libsvm .txt), .csv, .tsv (these also .gz .bz2), .parquet, .npz"
)
_LIBSVM = (".svm", ".libsvm", ".svmlight", ".t", ".tr", ".scale", ".txt", "")
_OF_TEXT = ("delimiter", "decimal", "header", "encoding")


@dataclass(frozen=True)
class DataSource:
    """A data file, and how it is read; whatever reads a path takes it.

    Parameters
    ----------
    path : str or Path
        Of the file.
    format : {"csv", "tsv", "libsvm", "parquet", "npz"}, optional
        By default chosen by the ending.
    delimiter : str, optional
        One character between the fields of CSV; by default found in the first lines
        (comma, semicolon, tab or bar), a tab for TSV.
    decimal : {".", ","}, optional
        Of numbers in CSV; by default a comma if numbers in the first lines have one,
        and fields are not separated by it.
    header : bool, optional
        Whether the first line of CSV names the columns; by default it does unless it
        holds numbers only.
    encoding : str, optional
        Of CSV; by default UTF-8, or UTF-16 if the file begins with its mark.
    title : str, optional
        What messages call the file; by default its path.

    Examples
    --------
    >>> from treesvm.datasets import DataSource
    >>> DataSource("prices.dat", format="csv", decimal=",").kind
    'csv'
    """

    path: Any
    format: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None
    encoding: str | None = None
    title: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", os.fsdecode(self.path))
        if self.format not in (None, *FORMATS):
            raise ValueError(
                f"format={self.format!r}; there are: {', '.join(FORMATS)}."
            )
        mark = self.delimiter
        is_mark = isinstance(mark, str) and len(mark) == 1 and mark.isascii()
        if mark is not None and (not is_mark or mark in '"\r\n'):
            raise ValueError(f"delimiter={mark!r}; use one character, such as ';'.")
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimal={self.decimal!r}; use '.' or ','.")
        if self.decimal == "," and self.delimiter == ",":
            raise ValueError("delimiter and decimal are both ','; one is another.")
        if self.header not in (None, True, False):
            raise ValueError(f"header={self.header!r}; use True or False.")
        try:
            "".encode(self.encoding or "utf-8")  # refuses what is no encoding of text
        except (LookupError, TypeError, ValueError) as error:
            raise ValueError(
                f"encoding={self.encoding!r} is unknown; use a name such as 'latin-1'."
            ) from error
        given = [name for name in _OF_TEXT if getattr(self, name) is not None]
        if given and self.kind != "csv":
            raise DataFileError(
                self, f"{given[0]} is about CSV, and this is {self.kind}; leave it out."
            )

    @classmethod
    def of(cls, path: Any) -> Self:
        """Return a path as a DataSource; one that is one already as it is."""
        return path if isinstance(path, cls) else cls(path)

    @property
    def kind(self) -> str:
        """One of "libsvm", "csv", "parquet" and "npz", as given or by the ending."""
        if self.format is not None:
            return "csv" if self.format == "tsv" else self.format
        ending, packed = endings(self.path)
        if ending in (".csv", ".tsv"):
            return "csv"
        if not packed and ending in (".parquet", ".pq"):
            return "parquet"
        if not packed and ending == ".npz":
            return "npz"
        if ending in _LIBSVM or ending[1:].isdigit():
            return "libsvm"
        raise DataFileError(
            self,
            f"unknown ending {ending!r}; readable are {_READABLE}. Say what it is with "
            "DataSource(path, format=...) (the command: --format).",
        )

    @property
    def is_tsv(self) -> bool:
        """Whether fields are separated by tabs, by its format or ending."""
        return "tsv" in (self.format, endings(self.path)[0][1:])

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.title or self.path
