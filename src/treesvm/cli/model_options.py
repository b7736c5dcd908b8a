"""The model file of the commands that read one."""

import treesvm
from treesvm.cli.console import require_counts


def add_model_options(parser):
    """Add the model file and how large it may be."""
    parser.add_argument("model", metavar="MODEL", help="file written by treesvm train")
    parser.add_argument(
        "--max-model-mb",
        type=int,
        default=512,
        help="refuse models that would take more memory; raise it for files that you "
        "trust (default: 512)",
    )


def loaded_model(options):
    """Return the model of the file."""
    require_counts(options, "max_model_mb")
    limit = options.max_model_mb * 2**20
    return treesvm.load_model(options.model, max_bytes=limit)
