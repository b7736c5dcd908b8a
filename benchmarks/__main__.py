"""The command: ``python -m benchmarks NAME --data DIR``."""

import argparse
import sys
from pathlib import Path

from benchmarks import runner
from benchmarks.rival_cache import RivalCache, default_path


def parser():
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.add_argument("name", choices=runner.names(), help="which benchmark")
    made.add_argument(
        "--data",
        type=Path,
        default=Path(),
        help="folder of .npz sets (cases that need one are skipped without)",
    )
    made.add_argument("--case", action="append", default=[], help="only these cases")
    made.add_argument("--quick", action="store_true", help="small versions")
    made.add_argument("--repeat", type=int, default=3, help="best of so many runs")
    made.add_argument("--out", type=Path, default=Path("benchmark-results"))
    made.add_argument("--cache", type=Path, help=f"rival results ({default_path()})")
    made.add_argument(
        "--docs",
        type=Path,
        help="folder whose NAME.md gets the tables (docs/benchmarks; not with --quick)",
    )
    made.add_argument(
        "--rivals-only", action="store_true", help="only fill the cache of slow rivals"
    )
    _add_league(made.add_argument_group("which cells of the league to measure"))
    return made


def _add_league(group):
    group.add_argument("--core", action="store_true", help="20 sets, within two hours")
    group.add_argument("--sets", nargs="+", default=[], help="only these tables")
    group.add_argument(
        "--methods", nargs="+", default=[], help="names begin with these"
    )
    group.add_argument("--seeds", nargs="+", type=int, default=[])
    group.add_argument("--minutes", type=float, help="then no new cell is begun")
    group.add_argument(
        "--keep-older",
        action="store_true",
        help="do not measure again what older code or packages have measured",
    )


def main(arguments=None):
    options = parser().parse_args(arguments)
    if not options.data.is_dir():
        print(f"nothing was measured: --data {options.data} is not a folder")
        return 1
    context = runner.Context(
        data=options.data,
        rivals=RivalCache(options.cache),
        quick=options.quick,
        repeat=1 if options.quick else options.repeat,
        rivals_only=options.rivals_only,
        league=runner.LeagueChoice(
            core=options.core,
            sets=tuple(options.sets),
            methods=tuple(options.methods),
            seeds=tuple(options.seeds),
            minutes=options.minutes,
            keeps_older=options.keep_older,
        ),
    )
    docs = options.docs
    if docs is None and not options.quick and not options.rivals_only:
        docs = Path("docs/benchmarks")
    out = options.out / "quick" if options.quick else options.out
    failures = runner.run(options.name, context, out, only=options.case, docs=docs)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
