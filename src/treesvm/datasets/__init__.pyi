from treesvm.datasets.column_encoder import ColumnEncoder
from treesvm.datasets.data_file import DataFileError
from treesvm.datasets.data_source import DataSource
from treesvm.datasets.embedded import embedded_tables
from treesvm.datasets.explained_rows import ExplainedRow, explain_file, explain_table
from treesvm.datasets.frames import as_table
from treesvm.datasets.generators import make_spirals, make_waves, make_words
from treesvm.datasets.held_out import train_test_rows
from treesvm.datasets.label_task import as_target, task_of
from treesvm.datasets.libsvm_text import iter_libsvm, read_libsvm
from treesvm.datasets.reading import (
    column_names,
    iter_table,
    layout_remarks,
    read_table,
)
from treesvm.datasets.streaming import StreamSummary, predict_file
from treesvm.datasets.table import Table
from treesvm.datasets.table_model import TableModel

__all__ = [
    "ColumnEncoder",
    "DataFileError",
    "DataSource",
    "ExplainedRow",
    "StreamSummary",
    "Table",
    "TableModel",
    "as_table",
    "as_target",
    "column_names",
    "embedded_tables",
    "explain_file",
    "explain_table",
    "iter_libsvm",
    "iter_table",
    "layout_remarks",
    "make_spirals",
    "make_waves",
    "make_words",
    "predict_file",
    "read_libsvm",
    "read_table",
    "task_of",
    "train_test_rows",
]
