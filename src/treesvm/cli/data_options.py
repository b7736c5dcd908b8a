"""Options about data files, the same for all commands that read training data."""

import argparse
import contextlib
import dataclasses
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from treesvm import datasets
from treesvm.cli.console import require_counts
from treesvm.datasets.data_file import file_size
from treesvm.datasets.data_source import FORMATS, DataSource
from treesvm.datasets.encoder_spec import MISSING_RULES, SCALES, UNSEEN_RULES

_TABS = ("\\t", "tab")  # what is easier to type than a tab
_FEW_ROWS, _MOST_DIFFERENT = 20, 0.9  # of texts that hardly repeat


def add_data_options(parser, *, missing):
    """Add the options of reading training data; `missing` is a default in words."""
    add_source_options(parser)
    group = parser.add_argument_group("data")
    group.add_argument(
        "--label",
        metavar="COLUMN",
        help="label column of a table by name or position (0 is the first, -1 the "
        "last; default: the last); in .npz files the array (default: y)",
    )
    group.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="COLUMN",
        help="leave this column out (repeat for more)",
    )
    group.add_argument(
        "--categorical",
        action="append",
        default=[],
        metavar="COLUMN",
        help="this column is categories although it holds numbers (repeat for more); "
        "columns of text are categories anyway",
    )
    group.add_argument(
        "--missing",
        choices=(*MISSING_RULES, "indicator"),
        help="missing values: refuse them, fill in the column's median (of categories "
        "the most frequent) or most frequent value, or let a feature say that a value "
        f"is missing (default: {missing})",
    )
    add_counting_option(
        group, default="auto", words="from 0 if a feature 0 occurs, remembered"
    )
    group.add_argument(
        "--max-data-mb",
        type=int,
        help="refuse files whose rows would take more memory (default: half of what "
        "there is)",
    )


def add_source_options(parser):
    """Add the options of how a file is written, where its name does not tell."""
    group = parser.add_argument_group("how DATA is written")
    group.add_argument(
        "--format",
        choices=FORMATS,
        help="of other endings, and of - (default: by the ending; csv for -)",
    )
    group.add_argument(
        "--delimiter",
        metavar="C",
        help="character between the fields of CSV, tab for tabs (default: found out)",
    )
    group.add_argument(
        "--decimal",
        choices=(".", ","),
        help="of numbers in CSV (default: found out)",
    )
    group.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="the first line of CSV names the columns, or is a row (default: a row if "
        "it has numbers where the other lines have)",
    )
    group.add_argument(
        "--encoding",
        metavar="NAME",
        help="of CSV, such as latin-1 (default: utf-8)",
    )


@contextlib.contextmanager
def opened_source(options):
    """Make a DataSource of the options' data; standard input is kept while it is read.

    Data may be read more than once, which standard input cannot be.
    """
    if getattr(options, "data", None) is None:
        yield
        return
    names = ("format", "delimiter", "decimal", "header", "encoding")
    given = {name: getattr(options, name) for name in names}
    if given["delimiter"] in _TABS:
        given["delimiter"] = "\t"
    if options.data != "-":
        file_size(options.data)  # told at once if it is not there
        options.data = DataSource(options.data, **given)
        yield
        return
    given["format"] = given["format"] or "csv"
    with tempfile.TemporaryDirectory(prefix="treesvm-") as folder:
        path = Path(folder, "input")
        with open(path, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        options.data = DataSource(path, title="standard input", **given)
        yield


def other_source(options, path):
    """Return another file as a DataSource that is written as the options' data is."""
    return dataclasses.replace(
        options.data, path=path, title=None, format=options.format
    )


def say_layout(source, console):
    """Tell what was found out about how a file is written."""
    for remark in datasets.layout_remarks(source):
        console.remark(remark)


def add_counting_option(parser, *, default, words):
    """Add the option of how LIBSVM text counts features."""
    parser.add_argument(
        "--zero-based",
        action=argparse.BooleanOptionalAction,
        default=default,
        help=f"LIBSVM text counts features from 0, or from 1 (default: {words})",
    )


def data_bytes(options):
    """Return the limit of memory in bytes, None for the default."""
    require_counts(options, "max_data_mb")
    return options.max_data_mb and options.max_data_mb * 10**6


def add_encoding_options(parser):
    """Add the options of preprocessing that a model remembers."""
    group = parser.add_argument_group("preprocessing (remembered in the model)")
    group.add_argument(
        "--scale",
        choices=SCALES,
        help="scale features to [0, 1], to mean 0 and variance 1, or not at all "
        "(default: none for tree, which scales each part by itself, else minmax)",
    )
    group.add_argument(
        "--unseen",
        choices=UNSEEN_RULES,
        help="a category that training did not see sets no indicator, or is refused "
        "(default: zeros)",
    )


def encoding_rules(options, method):
    """Return how tables are encoded for a method: as given, else by its defaults."""
    is_tree = method == "tree"
    defaults = {
        "scale": "none" if is_tree else "minmax",
        "missing": "indicator" if is_tree else "error",
        "unseen": "zeros",
    }
    given = {name: getattr(options, name) for name in defaults}
    return defaults | {name: rule for name, rule in given.items() if rule is not None}


def read_training(options, console):
    """Return the Table of the training file; tell what was found out about it."""
    say_layout(options.data, console)
    if options.label is None and datasets.column_names(options.data):
        name = label_name(options)
        console.remark(f"label: {name!r}, the last column (--label names another)")
    table = datasets.read_table(
        options.data,
        label=label_of(options),
        categorical=options.categorical,
        drop=options.drop,
        zero_based=options.zero_based,
        max_bytes=data_bytes(options),
    )
    for name in () if table.is_matrix else table.names:
        _say_unique_texts(table, name, console)
    return table


def _say_unique_texts(table, name, console):
    """Tell of a column whose texts hardly repeat: names, dates or signs of numbers."""
    column = table.X[name]
    if column.dtype != object or table.n_rows < _FEW_ROWS:
        return
    texts = dict.fromkeys(text for text in column.tolist() if text is not None)
    if len(texts) > _MOST_DIFFERENT * table.n_rows:
        console.remark(
            f"column {name!r}: {len(texts):,} different texts in {table.n_rows:,} "
            f"rows, such as {next(iter(texts))!r}, tell nothing about new rows; write "
            f"them as numbers if they are some, else add --drop {shlex.quote(name)}"
        )


def label_of(options):
    """Return the label option as a name or a position."""
    if options.label is None:
        return -1
    names = datasets.column_names(options.data)
    if names is not None and options.label in names:
        return options.label
    try:
        return int(options.label)
    except ValueError:
        return options.label


def label_name(options):
    """Return the name of the label column, None in formats without columns."""
    names, label = datasets.column_names(options.data), label_of(options)
    if names is None:
        return label if options.data.kind == "npz" and isinstance(label, str) else None
    return names[label] if isinstance(label, int) else label
