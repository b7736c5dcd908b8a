"""Data files in, arrays out; and generated problems."""

from treesvm.datasets.column_encoder import ColumnEncoder
from treesvm.datasets.data_file import DataFileError
from treesvm.datasets.frames import as_table
from treesvm.datasets.generators import make_spirals, make_waves
from treesvm.datasets.libsvm_text import iter_libsvm, read_libsvm
from treesvm.datasets.npz_arrays import iter_npz, read_npz
from treesvm.datasets.reading import iter_table, read_csv, read_parquet, read_table
from treesvm.datasets.table import Table
from treesvm.datasets.table_model import TableModel

__all__ = [
    "ColumnEncoder",
    "DataFileError",
    "Table",
    "TableModel",
    "as_table",
    "iter_libsvm",
    "iter_npz",
    "iter_table",
    "make_spirals",
    "make_waves",
    "read_csv",
    "read_libsvm",
    "read_npz",
    "read_parquet",
    "read_table",
]
