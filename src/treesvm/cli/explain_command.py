"""``treesvm explain``: what each column of a row adds to its answer."""

from treesvm import datasets
from treesvm.cli.console import (
    add_output_options,
    checked_layout,
    output,
    require_counts,
    rows_text,
)
from treesvm.cli.data_options import add_source_options, say_layout
from treesvm.cli.model_options import add_model_options, loaded_model
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
    add_output_options(
        parser,
        EXPLANATION_LAYOUTS,
        "text: the columns that matter most; csv: a line for each row, a number for "
        "each column",
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
    require_counts(options, "row", "most")
    layout = checked_layout(options, console, "text")
    model = datasets.TableModel.of(loaded_model(options))
    say_layout(options.data, console)
    with output(options.output) as write:
        n_rows = datasets.explain_file(
            model,
            options.data,
            write,
            layout=layout,
            row=options.row,
            n_most=options.most,
        )
    has_classes = hasattr(model.estimator, "classes_")
    words = "speaks for the answer" if has_classes else "raises the number"
    console.remark(f"{rows_text(n_rows)}: Shapley values; what {words} is positive")
    console.result({"n_rows": n_rows})
    return 0
