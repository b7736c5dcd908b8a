"""``treesvm export``: a model as an ONNX model or as a C file."""

from pathlib import Path

from treesvm import export, reporting
from treesvm.cli.console import check_output
from treesvm.cli.model_options import add_model_options, loaded_model

EXAMPLES = """examples:
  treesvm export flowers.treesvm -o flowers.onnx     for any runtime of ONNX
  treesvm export flowers.treesvm -o flowers.c        C99, without any dependency
"""


def add_options(parser):
    """Describe the command's options."""
    add_model_options(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        required=True,
        help="file to write; its ending says what: .onnx (needs: pip install "
        "'treesvm[onnx]') or .c",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace a file that exists"
    )


def run(options, console):
    """Load, export, and tell the sizes."""
    target = Path(options.output)
    export.checked_ending(target)
    check_output("-o", target, [options.model], may_replace=options.force)
    made = export.export_model(loaded_model(options), target)
    words = f"{made.path}: {reporting.bytes_text(made.n_bytes)}"
    if made.object_bytes is not None:
        words += f", compiled {reporting.bytes_text(made.object_bytes)}"
    if made.opsets is not None:
        words += ", opset " + ", ".join(f"{d} {n}" for d, n in made.opsets.items())
    console.table(words)
    console.result(made._asdict())
    return 0
