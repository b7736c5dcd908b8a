"""Where the command's words go: results to standard output, remarks to the error."""

import contextlib
import json
import os
import sys
from pathlib import Path

from treesvm.files.atomic_file import replaced_file


class Console:
    """Prints what was asked for.

    Parameters
    ----------
    quiet : bool
        Leave out remarks and tables; errors are still told.
    as_json : bool
        Print one JSON object instead of tables.
    """

    def __init__(self, quiet=False, as_json=False):
        self.quiet, self.as_json = quiet, as_json

    @property
    def shows_progress(self):
        """Whether a line that rewrites itself makes sense."""
        return not self.quiet and sys.stderr.isatty()

    def remark(self, text):
        """Tell what is going on, on standard error."""
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    def table(self, text):
        """Print a result for people."""
        if not self.quiet and not self.as_json:
            print(text, flush=True)

    def result(self, values):
        """Print a result for programs, if they asked for it."""
        if self.as_json:
            print(json.dumps(values, default=_plain, ensure_ascii=False, indent=1))


def _plain(value):
    """Return what JSON can hold: numbers and lists of NumPy's, else text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def rows_text(n_rows):
    """Return a number of rows in words."""
    return "1 row" if n_rows == 1 else f"{n_rows:,} rows"


def require_counts(options, *names):
    """Refuse options that are below 1."""
    for name in names:
        value = getattr(options, name)
        if value is not None and value < 1:
            raise ValueError(f"--{name.replace('_', '-')} {value}: use 1 or more.")


def add_output_options(parser, layouts, words):
    """Add where answers are written, and how."""
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="file to write (default: standard output)"
    )
    parser.add_argument(
        "--layout",
        choices=tuple(layouts),
        help=f"{words} (default: csv if OUT ends with .csv, otherwise {layouts[0]})",
    )


def checked_layout(options, console, default):
    """Return how answers are written, after a look at where they go."""
    if console.as_json and options.output in (None, "-"):
        raise ValueError("--json prints the summary to standard output; give -o OUT.")
    check_output("-o", options.output, [options.model, options.data])
    is_csv = str(options.output).lower().endswith(".csv")
    return options.layout or ("csv" if is_csv else default)


def check_output(option, path, inputs, *, may_replace=True):
    """Refuse a place for a result before the work: a folder, or one of the inputs.

    Without `may_replace`, any file that exists.
    """
    if path is None or str(path) == "-":
        return
    if Path(path).is_dir() or not Path(path).absolute().parent.is_dir():
        raise ValueError(f"{option} {path}: give a file name in a folder that exists.")
    if not Path(path).is_file():  # a terminal may be read from and written to
        return
    for other in inputs:
        if other and os.path.exists(other) and os.path.samefile(path, other):
            raise ValueError(
                f"{option} {path}: the command reads {other}, which is the same "
                "file and would be replaced; give another name."
            )
    if not may_replace:
        raise ValueError(
            f"{option} {path}: there is such a file; add --force to replace it, or "
            "give another name."
        )


@contextlib.contextmanager
def output(path):
    """Yield a function that writes text to a file, or to standard output.

    A file appears under its name only when it is complete: whatever stops the writing,
    an older file of that name stays as it was.
    """
    if path is None or str(path) == "-":
        yield sys.stdout.write
        sys.stdout.flush()
        return
    with replaced_file(path) as file:
        yield lambda text: file.write(text.encode("utf8"))
