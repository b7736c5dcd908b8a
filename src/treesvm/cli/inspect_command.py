"""``treesvm inspect``: what is inside a model file."""

import os

from treesvm import reporting
from treesvm.cli.console import require_counts
from treesvm.cli.model_options import add_model_options, loaded_model

EXAMPLES = """examples:
  treesvm inspect flowers.treesvm
  treesvm inspect flowers.treesvm --tree --depth 3
"""


def add_options(parser):
    """Describe the command's options."""
    add_model_options(parser)
    parser.add_argument("--tree", action="store_true", help="draw the tree as text")
    parser.add_argument(
        "--depth", type=int, help="levels of the tree to draw (default: 4)"
    )


def run(options, console):
    """Print the facts, and the tree if it was asked for."""
    if options.depth is not None and not options.tree:
        raise ValueError("--depth is about --tree; add it.")
    require_counts(options, "depth")
    model = loaded_model(options)
    size = reporting.bytes_text(os.stat(options.model).st_size)
    facts = {"file": f"{options.model} ({size})"} | reporting.model_facts(model)
    console.table(reporting.fact_lines(facts))
    if options.tree:
        facts["tree"] = reporting.tree_text(model, max_depth=options.depth or 4)
        console.table("\n" + facts["tree"])
    console.result(facts)
    return 0
