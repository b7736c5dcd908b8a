"""The model file of the commands that read one."""


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


def model_bytes(options):
    """Return the limit in bytes."""
    if options.max_model_mb < 1:
        raise ValueError(f"--max-model-mb {options.max_model_mb}: use 1 or more.")
    return options.max_model_mb * 2**20
