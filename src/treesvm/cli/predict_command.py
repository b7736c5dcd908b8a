"""``treesvm predict``: answers for a file of any size, chunk by chunk."""

from treesvm import datasets
from treesvm.cli.console import (
    add_output_options,
    checked_layout,
    output,
    require_counts,
    rows_text,
)
from treesvm.cli.data_options import (
    add_counting_option,
    add_source_options,
    say_layout,
)
from treesvm.cli.model_options import add_model_options, loaded_model
from treesvm.datasets.answer_layouts import LAYOUTS

EXAMPLES = """examples:
  treesvm predict flowers.treesvm new.csv                    labels, one a line
  treesvm predict flowers.treesvm new.csv -o out.csv --proba
  treesvm predict prices.treesvm new.csv -o out.csv          numbers, of a regressor
  treesvm predict covtype.treesvm huge.libsvm.gz -o labels.txt
  cat new.csv | treesvm predict flowers.treesvm - > labels.txt
"""


def add_options(parser):
    """Describe the command's options."""
    add_model_options(parser)
    parser.add_argument("data", metavar="DATA", help="rows to answer")
    add_output_options(
        parser,
        tuple(LAYOUTS),
        "labels: one line a row as svm-predict writes it; csv: with a header",
    )
    add_source_options(parser)
    add_counting_option(parser, default=None, words="as the training file did")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--proba", action="store_true", help="class probabilities behind each label"
    )
    kind.add_argument(
        "--decision", action="store_true", help="decision values behind each label"
    )
    parser.add_argument(
        "--chunk-rows",
        type=int,
        default=20_000,
        help="rows in memory at a time (default: 20000)",
    )


def run(options, console):
    """Stream the answers."""
    require_counts(options, "chunk_rows")
    layout = checked_layout(options, console, "labels")
    model = datasets.TableModel.of(loaded_model(options))
    if options.zero_based is not None:
        model.source_["zero_based"] = options.zero_based
    kind = "proba" if options.proba else "decision" if options.decision else "labels"
    say_layout(options.data, console)
    with output(options.output) as write:
        summary = datasets.predict_file(
            model,
            options.data,
            write,
            answer=kind,
            layout=layout,
            chunk_rows=options.chunk_rows,
        )
    words = rows_text(summary.n_rows)
    if summary.n_labelled:
        words += ", " + _quality(summary)
    console.remark(words)
    console.result(summary._asdict())
    return 0


def _quality(summary):
    """Return in words how answers and labels agree."""
    if summary.n_right is not None:
        share = summary.n_right / summary.n_labelled
        return (
            f"accuracy = {share:.4%} ({summary.n_right}/{summary.n_labelled}), "
            f"balanced = {summary.balanced_accuracy:.2%}, "
            f"base rate = {summary.base_rate:.2%}"
        )
    r2 = "" if summary.r2 is None else f"R² = {summary.r2:.4f}, "
    return f"{r2}mean absolute error = {summary.mean_absolute_error:.4g}"
