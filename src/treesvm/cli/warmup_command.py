"""``treesvm warmup``: compile before the first fit, such as when an image is built."""

from treesvm import reporting

EXAMPLES = """examples:
  treesvm warmup
  NUMBA_CACHE_DIR=/opt/cache treesvm warmup      keep the compiled code there
"""


def add_options(parser):
    """There are none but the general ones."""


def run(options, console):
    """Compile, and tell how long it took."""
    seconds = reporting.warm_up(
        lambda name, took: console.remark(f"{name:30} {took:6.1f} s"),
    )
    total = sum(seconds.values())
    console.table(f"compiled in {total:.1f} s")
    console.result({"seconds": total, "estimators": seconds})
    return 0
