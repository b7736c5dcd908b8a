"""``python -m benchmarks.papers dtsvm --data DIR [--quick]``: resumes, writes the page.

Without data only the pages are written again, from the figures that are kept.
"""

import argparse
import importlib
import os
import sys
from pathlib import Path

from benchmarks.papers.page import write_counts, write_page
from benchmarks.papers.running import carry_out_here, rekey, reproduce
from benchmarks.papers.store import Store

PAPERS = ("svmmaj", "svtree", "trsd", "hlsvm", "dtsvm")
DATA = "TREESVM_DATA"


def main(argv=None):
    options = _parser().parse_args(argv)
    names = PAPERS if options.paper == "all" else (options.paper,)
    failures = 0
    for name in names:
        paper = _paper(name)
        if options.one:
            folder, answer = options.data, options.answer
            carry_out_here(paper, options.one, folder, options.quick, answer)
            return 0
        store = Store(name)
        if options.rekey:
            rekey(paper, store, options.data)
        elif options.data is not None:
            failures += reproduce(
                *(paper, store, options.data),
                quick=options.quick,
                timed=options.timed,
                cap=options.cap,
                only=options.only,
            )
        print(f"wrote {write_page(paper, store)}")
    print(f"wrote {write_counts(map(_paper, PAPERS), Store)}")
    return 1 if failures else 0


def _paper(name):
    return importlib.import_module(f"benchmarks.papers.{name}").PAPER


def _parser():
    made = argparse.ArgumentParser(prog="benchmarks.papers", description=__doc__)
    made.add_argument("paper", choices=(*PAPERS, "all"))
    folder = os.environ.get(DATA)
    made.add_argument(
        "--data", type=Path, default=Path(folder) if folder else None, metavar="DIR"
    )
    made.add_argument("--quick", action="store_true", help="fewer rows and folds")
    made.add_argument(
        "--timed",
        action="store_true",
        help="fill the time cells: on a quiet machine, nothing else running",
    )
    made.add_argument("--cap", type=float, help="seconds that a run may take")
    made.add_argument("--only", default="", help="runs whose name contains this")
    made.add_argument(
        "--rekey",
        action="store_true",
        help="keep figures under the present code's keys where it gives the same ones: "
        "of each kind of run the shortest is carried out again",
    )
    made.add_argument("--one", default="", help=argparse.SUPPRESS)
    made.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    return made


if __name__ == "__main__":
    sys.exit(main())
