"""Run the cases of one benchmark, store them, print them, keep its page true."""

import importlib
import json
import pkgutil
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

import benchmarks
from benchmarks import report
from benchmarks.data import MissingData
from benchmarks.rival_cache import RivalCache

DONE, SKIPPED, FAILED = "done", "skipped", "failed"


class OursSkipped(Exception):
    """Raised where our own part would begin when only rivals are wanted."""


@dataclass(frozen=True)
class LeagueChoice:
    """Which cells of the league are measured; everything by default."""

    core: bool = False
    sets: tuple = ()
    methods: tuple = ()
    seeds: tuple = ()
    minutes: float | None = None
    keeps_older: bool = False  # results of older code count, too


@dataclass(frozen=True)
class Context:
    """What a case may look at."""

    data: Path
    rivals: RivalCache
    quick: bool = False
    repeat: int = 3
    rivals_only: bool = False
    league: LeagueChoice = LeagueChoice()

    def start_ours(self):
        """A case calls this between the rivals' part and ours."""
        if self.rivals_only:
            raise OursSkipped


def names():
    """Modules of this package that define CASES: the benchmarks there are."""
    found = []
    for module in pkgutil.iter_modules(benchmarks.__path__):
        source = Path(benchmarks.__path__[0], f"{module.name}.py")
        if source.exists() and "\nCASES = " in source.read_text(encoding="utf8"):
            found.append(module.name)
    return found


def run(name, context, out, *, only=(), docs=None):
    """Run the cases; return how many of them failed.

    A case fails when it raises or when too few of our solves converged. A case whose
    data is missing is skipped, and the output says so; where all were, none succeeded,
    and all count as failed.
    """
    module = importlib.import_module(f"benchmarks.{name}")
    cases = {case: module.CASES[case] for case in only or module.CASES}
    folder = Path(out) / name
    outcomes = [_run_case(name, *case, context, folder) for case in cases.items()]
    failures = outcomes.count(FAILED)
    if outcomes.count(SKIPPED) == len(outcomes):
        print(f"\nnothing was measured: no case of {name} found its data")
        failures = len(outcomes)
    if docs is not None:
        blocks = stored_blocks(folder, module.CASES)
        report.update_page(Path(docs) / f"{name}.md", blocks, f"Benchmark: {name}")
    return failures


def _run_case(name, case, work, context, folder):
    """Run one case; return its outcome."""
    print(f"\n## {case}", flush=True)
    start = time.perf_counter()
    try:
        result = work(context)
    except MissingData as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    except OursSkipped:
        print(f"rivals done in {time.perf_counter() - start:.0f} s")
        return DONE
    except Exception:  # one broken case must not cost the hours of the others
        print(f"failed:\n{traceback.format_exc()}")
        return FAILED
    stored = result.as_json(name)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(stored, indent=1, ensure_ascii=False)
    (folder / f"{case}.json").write_text(text, encoding="utf8")
    print(report.case_text(stored))
    for record in result.too_few_converged():
        share = f"{record.converged_share:.0%}"
        print(f"failed: only {share} of the solves converged ({record.data})")
    return FAILED if result.too_few_converged() else DONE


def stored_blocks(folder, cases):
    """The page's blocks from the latest result of every case."""
    blocks = {}
    for case in cases:
        path = folder / f"{case}.json"
        if path.exists():
            stored = json.loads(path.read_text(encoding="utf8"))
            blocks[case] = report.case_text(stored)
    return blocks
