"""``treesvm explain``: what each column of a row adds to its answer."""

import treesvm
from treesvm import datasets
from treesvm.cli.console import check_output, output
from treesvm.cli.data_options import add_source_options, say_layout
from treesvm.cli.model_options import add_model_options, model_bytes
from treesvm.datasets.answer_layouts import EXPLANATION_LAYOUTS

EXAMPLES = """examples:
  treesvm explain flowers.treesvm new.csv --row 3
  treesvm explain flowers.treesvm new.csv -o why.csv
"""


def add_options(parser):
    """Describe the command's options."""
    add_model_options(parser)
    parser.add_argument("data", metavar="DATA", help="rows to explain")
    parser.add_argument("--row", type=int, metavar="N", help="only this one, from 1")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="file to write (default: standard output)"
    )
    parser.add_argument(
        "--layout",
        choices=EXPLANATION_LAYOUTS,
        help="text: the columns that matter most; csv: a line for each row, a number "
        "for each column (default: csv if OUT ends with .csv, otherwise text)",
    )
    parser.add_argument(
        "--most",
        type=int,
        default=10,
        metavar="K",
        help="columns in text (default: 10)",
    )
    add_source_options(parser)


def run(options, console):
    """Stream the explanations."""
    for name in ("row", "most"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise ValueError(f"--{name} {value}: use 1 or more.")
    if console.as_json and options.output in (None, "-"):
        raise ValueError("--json prints the summary to standard output; give -o OUT.")
    check_output("-o", options.output, [options.model, options.data])
    is_csv = str(options.output).lower().endswith(".csv")
    loaded = treesvm.load_model(options.model, max_bytes=model_bytes(options))
    say_layout(options.data, console)
    with output(options.output) as write:
        n_rows = datasets.explain_file(
            datasets.TableModel.of(loaded),
            options.data,
            write,
            layout=options.layout or ("csv" if is_csv else "text"),
            row=options.row,
            n_most=options.most,
        )
    rows = "1 row" if n_rows == 1 else f"{n_rows:,} rows"
    console.remark(f"{rows}: Shapley values; what speaks for the answer is positive")
    console.result({"n_rows": n_rows})
    return 0
