"""Papers regenerated: keys, resuming, the cap, states of cells, the page."""

import importlib.util
import json
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from benchmarks.data import MissingData
from benchmarks.papers import __main__ as command
from benchmarks.papers import cells, explanations, page, running
from benchmarks.papers.cells import EQUAL, Cell, Extra, Paper, Picture, Run, Table
from benchmarks.papers.reached_code import reached
from benchmarks.papers.store import Store, key_of


def mean_of(folder, quick, name, factor=1.0):
    """Runs once for every line that it leaves in a file."""
    with open(Path(folder) / "calls.txt", "a", encoding="utf8") as file:
        file.write("called\n")
    with np.load(Path(folder) / f"{name}.npz") as stored:
        return {"mean": factor * float(stored["X"].mean()), "quick": quick}


def sleeper(folder, quick):
    import time

    time.sleep(60)


def breaker(folder, quick):
    raise ZeroDivisionError("on purpose")


def draw(axes, figures):
    axes.plot([found["mean"] for found in figures.values()])


def toy_paper(runs):
    width = cells.Tolerance(0.5)
    table = Table(
        "Table 1: means",
        [
            Cell("a", "mean", 2.0, "a", "mean", width),
            Cell("b", "mean", 9.0, "a", "mean", width),
            Cell("c", "mean", 9.5, "a", "mean", width),
            Cell("d", "mean", 1.0, missing="no data"),
            Cell("e", "mean", 1.0, "slow", "mean", width),
            Cell("f", "seconds", 1.0, "a", "mean", width, timed=True),
            Cell("g", "twice", 4.0, "twice", "mean", EQUAL),
        ],
        "A note.",
    )
    extra = Extra("Beside it", {"a": ("a", {"mean": "mean"})}, "Of all rows.")
    picture = Picture("means", "Figure 1", "The paper: a line.", ("a",), draw)
    return Paper(
        *("toy", "A toy paper", "How it was measured.", runs, [table]),
        [extra],
        [picture],
        {"twice": lambda figures_of: {"mean": 2 * figures_of("a")["mean"]}},
    )


@pytest.fixture
def folder(tmp_path):
    np.savez(tmp_path / "small.npz", X=np.full((3, 2), 2.0))
    return tmp_path


@pytest.fixture
def toy(folder, monkeypatch):
    """The toy paper where the child process finds it, and its store."""
    # The child imports it from this file, so both see the same functions.
    runs = [Run("a", mean_of, {"name": "small"}, ("small",))]
    return toy_paper(runs), Store("toy", folder / "results")


def here(monkeypatch):
    """Carry runs out in this process: what they compute is not the question."""

    def carry_out(paper, run, key, store, folder, slot, cap, timed):
        figures = run.work(folder, slot == "quick", **run.parameters)
        store.put(run, key, slot, figures=figures, seconds=0.0, timed=timed)
        return True

    monkeypatch.setattr(running, "_carry_out", carry_out)


def calls(folder):
    return len((folder / "calls.txt").read_text().splitlines())


def test_key_follows_code_data_and_parameters(folder):
    run = Run("a", mean_of, {"name": "small"}, ("small",))
    key = key_of(run, folder)
    other = Run("a", mean_of, {"name": "small", "factor": 2.0}, ("small",))
    assert key_of(other, folder)["parameters"] != key["parameters"]
    changed = Run("a", sleeper, {"name": "small"}, ("small",))
    assert key_of(changed, folder)["code"] != key["code"]
    more = Run("a", mean_of, {"name": "small"}, ("small",), ("benchmarks/timing.py",))
    assert key_of(more, folder)["code"] != key["code"]
    elsewhere = folder / "other"
    elsewhere.mkdir()
    np.savez(elsewhere / "small.npz", X=np.full((3, 2), 3.0))
    assert key_of(run, elsewhere)["data"] != key["data"]
    with pytest.raises(MissingData):
        key_of(Run("a", mean_of, {}, ("large",)), folder)


def code_of(work_text, folder, others=""):
    """The code part of the key of a `work` that is written to a file and imported."""
    name = f"written_{len(list(folder.glob('written_*.py')))}"
    path = folder / f"{name}.py"
    path.write_text(f"{others}\n\n{work_text}", encoding="utf8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    texts = reached(module.work)
    return [text.replace(name, "written") for text in texts]


def test_comments_and_docstrings_change_no_key(folder):
    first = 'def work():\n    """One."""\n    return 1  # why\n'
    assert code_of(first, folder) == code_of("def work():\n    return 1\n", folder)
    assert code_of(first, folder) != code_of("def work():\n    return 2\n", folder)


def test_key_follows_what_a_run_reaches_and_nothing_else(folder):
    work = "def work():\n    return helper() + WIDTH\n"
    others = (
        "WIDTH = {}\n\ndef helper():\n    return {}\n\ndef other():\n    return {}\n"
    )
    code = code_of(work, folder, others.format(1, 1, 1))
    assert code_of(work, folder, others.format(1, 1, 2)) == code  # never named
    assert code_of(work, folder, others.format(1, 2, 1)) != code
    assert code_of(work, folder, others.format(2, 1, 1)) != code


def test_key_follows_imports_from_the_benchmarks(folder):
    others = "from benchmarks import timing\nfrom benchmarks.data import scale\n"
    work = "def work():\n    return timing.measure(scale)\n"
    names = [text.split(":")[0] for text in code_of(work, folder, others)]
    assert {"timing.measure", "data.scale", "written.work"} <= set(names)
    assert "data.load" not in names


def test_runs_resume_until_something_changes(toy, folder, monkeypatch):
    paper, store = toy
    here(monkeypatch)
    assert running.reproduce(paper, store, folder) == 0
    assert running.reproduce(paper, Store("toy", folder / "results"), folder) == 0
    assert calls(folder) == 1  # read back from the file
    changed = Run("a", mean_of, {"name": "small", "factor": 2.0}, ("small",))
    running.reproduce(toy_paper([changed]), store, folder)
    assert calls(folder) == 2
    assert store.entry("a")["figures"]["mean"] == 4.0
    running.reproduce(toy_paper([changed]), store, folder, quick=True)
    assert calls(folder) == 2  # full figures serve a quick command as well
    running.reproduce(toy_paper([changed]), store, folder, timed=True)
    assert calls(folder) == 3
    assert store.entry("a")["timed"]


def test_runs_for_times_wait_for_a_quiet_machine(toy, folder, monkeypatch):
    here(monkeypatch)
    own = Run("f", mean_of, {"name": "small"}, ("small",), only_for_times=True)
    paper, store = toy_paper([own]), toy[1]
    paper.tables[0].cells.append(Cell("h", "seconds", 1.0, "f", "mean", timed=True))
    running.reproduce(paper, store, folder)
    assert store.entry("f") == {}
    running.reproduce(paper, store, folder, timed=True)
    assert store.entry("f")["timed"]


def test_a_run_waits_for_the_one_it_follows(toy, folder, monkeypatch, capsys):
    here(monkeypatch)
    (first,) = toy[0].runs
    parameters = {"name": "small", "factor": 3.0}
    second = Run("b", mean_of, parameters, ("small",), seconds=1.0, after="a")
    running.reproduce(toy_paper([second]), toy[1], folder)
    assert "b: skipped: a comes first" in capsys.readouterr().out
    running.reproduce(toy_paper([first]), toy[1], folder)
    running.reproduce(toy_paper([second]), toy[1], folder)
    assert toy[1].entry("b")["figures"]["mean"] == 6.0


def test_moved_code_keeps_its_figures(toy, folder, monkeypatch, capsys):
    """Where the shortest run of its kind gives the same figures, and only there."""
    store = toy[1]
    here(monkeypatch)
    names = {"a": 3.0, "b": 1.0}

    def runs(*sources, factor=1.0):
        parameters = {"name": "small", "factor": factor}
        return [Run(n, mean_of, parameters, ("small",), sources) for n in names]

    running.reproduce(toy_paper(runs()), store, folder)
    for run in runs():  # "b" is the shorter one
        store.put(run, key_of(run, folder), "full", **entry_of(store, run, names))
    old = {name: store.entry(name) for name in names}
    asked = []

    def child(paper, run, folder, slot, cap):
        asked.append(run.name)
        return {**old[run.name]["figures"], "s": 5.0}  # a time may differ

    monkeypatch.setattr(running, "_figures_of_child", child)
    moved = toy_paper(runs("benchmarks/timing.py"))
    running.rekey(moved, store, folder)
    assert asked == ["b"]
    for name in names:
        assert store.entry(name)["key"] != old[name]["key"]
        assert store.entry(name)["figures"] == old[name]["figures"]
    running.rekey(moved, store, folder)
    assert asked == ["b"]  # nothing is stale any more
    changed = toy_paper(runs("benchmarks/data.py"))
    kept = store.entry("a")
    monkeypatch.setattr(running, "_figures_of_child", lambda *a: {"mean": 2.5})
    running.rekey(changed, store, folder)
    assert store.entry("a") == kept
    assert "b: differs in mean, quick: nothing is kept" in capsys.readouterr().out
    running.rekey(toy_paper(runs(factor=2.0)), store, folder)
    assert store.entry("a") == kept  # other parameters are another run


def entry_of(store, run, seconds):
    return {
        "figures": store.entry(run.name)["figures"],
        "seconds": seconds[run.name],
        "timed": False,
    }


def test_times_are_told_from_other_figures():
    known = {"s": 1.0, "± training s": 2.0, "s at 1500": 3.0, "selection CVS": 4.0}
    assert running.differences(known, {"s": 9.0}) == []
    known |= {"training": 99.0, "accuracy at 1500": 98.0, "vectors": 7}
    found = {**known, "vectors": 8, "training": 98.0, "C": 1.0}
    assert running.differences(known, found) == ["training", "vectors", "C"]


def test_last_digits_of_a_figure_are_no_difference():
    known = {"R": 85.64224772, "gap": [1.0, 2.0], "vectors": 10**7, "chosen": "C=1"}
    assert running.differences(known, {**known, "R": 85.64224777}) == []
    assert running.differences(known, {**known, "gap": [1.0, 2.0 + 1e-9]}) == []
    for other in (
        {"R": 85.643},
        {"gap": [1.0, 2.1]},
        {"gap": [1.0]},
        {"vectors": 10**7 + 1},
        {"chosen": "C=2"},
        {"R": None},
    ):
        assert running.differences(known, {**known, **other}) == list(other)


def test_missing_data_is_skipped(toy, folder, monkeypatch, capsys):
    here(monkeypatch)
    paper = toy_paper([Run("a", mean_of, {"name": "large"}, ("large",))])
    assert running.reproduce(paper, toy[1], folder) == 0
    assert "large.npz is not there" in capsys.readouterr().out


def test_a_run_beyond_the_cap_is_not_started(toy, folder):
    store = toy[1]
    run = Run("slow", sleeper, seconds=3 * cells.HOUR)
    assert running.reproduce(toy_paper([run]), store, folder) == 0
    assert store.entry("slow")["estimate"] == 3 * cells.HOUR
    # Not started is not ended: a better estimate or a larger cap starts it.
    assert not store.is_done(run, key_of(run, folder), quick=False, cap=cells.HOUR)


def test_a_child_that_is_too_slow_or_fails(toy, folder, monkeypatch, capsys):
    """The child here is any command: what counts is its end."""
    paper, store = toy
    run = paper.runs[0]
    script = {"text": "import time; time.sleep(60)"}
    original = running.subprocess.run

    def start(command, **options):
        return original([sys.executable, "-c", script["text"]], **options)

    monkeypatch.setattr(running.subprocess, "run", start)
    assert running.reproduce(paper, store, folder, cap=0.5, quick=True) == 0
    assert "figures" not in store.entry("a", "quick")
    key = key_of(run, folder)
    assert store.is_done(run, key, quick=True, cap=0.5)
    assert not store.is_done(run, key, quick=True, cap=5.0)
    script["text"] = "raise ZeroDivisionError('on purpose')"
    assert running.reproduce(paper, store, folder, cap=100) == 1
    assert "on purpose" in capsys.readouterr().out
    assert store.entry(run.name) == {}  # a failure is tried again


def test_the_childs_side_writes_figures(toy, folder):
    running.carry_out_here(toy[0], "a", folder, True, folder / "answer.json")
    found = json.loads((folder / "answer.json").read_text())
    assert found == {"mean": 2.0, "quick": True}


def test_page_shows_ours_and_theirs(toy, folder, monkeypatch):
    here(monkeypatch)
    paper, store = toy
    slow = Run("slow", sleeper, seconds=3 * cells.HOUR)
    paper = toy_paper([*paper.runs, slow])
    running.reproduce(paper, store, folder)
    entries = [{"table": "Table 1*", "row": "b", "text": "The paper has other rows."}]
    text = page.write_page(paper, store, folder / "docs", entries).read_text()
    lines = [line for line in text.split("## Beside it")[0].splitlines() if "|" in line]
    rows = {line.split("|")[1].strip(): line for line in lines}
    assert "2 (2)" in rows["a"]
    assert "**2** [a] (9)" in rows["b"]
    assert "[a] The paper has other rows." in text
    assert "**2** (9.5)" in rows["c"]
    assert "no data (1)" in rows["d"]
    assert "not run, about 3 h (1)" in rows["e"]
    assert "to be timed (1)" in rows["f"]
    assert "4 (4)" in rows["g"]  # computed from the figures of another run
    counts = [cell.strip() for cell in rows["Table 1"].split("|")[2:-1]]
    # in the paper, no data, beyond an hour, to be had, regenerated, within, explained,
    # open, quick, not run, to be timed
    assert counts == ["7", "1", "1", "5", "4", "2", "1", "1", "0", "0", "1"]
    assert (folder / "docs" / "figures" / "toy-means.svg").exists()
    assert "make reproduce PAPER=toy DATA=folder" in text


def test_counts_of_all_papers_stand_in_the_readme(toy, folder, monkeypatch):
    here(monkeypatch)
    paper, store = toy
    running.reproduce(paper, store, folder)
    readme = folder / "README.md"
    marks = f"{page.COUNTS_BEGIN}\nold\n{page.COUNTS_END}"
    readme.write_text(f"Before.\n\n{marks}\n\nAfter.\n", encoding="utf8")
    for _ in range(2):  # written over what was written
        page.write_counts([paper], lambda name: store, folder, lambda name: [])
    text = readme.read_text(encoding="utf8")
    assert text.startswith("Before.")
    assert text.endswith("After.\n")
    assert "old" not in text
    (line,) = [line for line in text.splitlines() if "[toy](toy.md)" in line]
    counts = [cell.strip() for cell in line.split("|")[2:-1]]
    assert counts == ["7", "1", "0", "6", "4", "2", "0", "2", "0", "1", "1"]


def test_a_cell_takes_as_long_as_what_it_follows_from(toy, folder):
    """Whether a cell is to be had is asked of the run that is not there."""
    slow = Run("slow", sleeper, seconds=3 * cells.HOUR)
    timed = Run("its time", sleeper, seconds=1.0, only_for_times=True, after="slow")
    derived = {"twice": lambda figures_of: {"mean": figures_of("slow")}}
    paper = Paper("toy", "A toy paper", "", [slow, timed], [], derived=derived)
    store = page.WithDerived(toy[1], paper)
    assert store.estimate("its time") == store.estimate("twice") == 3 * cells.HOUR
    cell = Cell("a", "seconds", 1.0, "its time", "s", timed=True)
    assert page.state_of(cell, store, [], "Table 1")[0] == page.TOO_LONG
    toy[1].put(slow, {}, "full", figures={"mean": 1.0}, seconds=0.0, timed=False)
    assert store.estimate("its time") == 1.0
    assert page.state_of(cell, store, [], "Table 1")[0] == "to be timed"


def test_spread_over_folds_is_shown(toy, folder):
    paper, store = toy
    run = paper.runs[0]
    figures = {"mean": 2.0, "± mean": 0.123}
    key = key_of(run, folder)
    store.put(run, key, "full", figures=figures, seconds=0.0, timed=False)
    text = page.write_page(paper, store, folder / "docs", []).read_text()
    assert "2 ± 0.12 (2)" in text


def test_other_readings_stand_beside_a_figure(toy, folder):
    run = toy[0].runs[0]
    figures = {"mean": 2.0, "median": 1.5}
    toy[1].put(run, {}, "full", figures=figures, seconds=0.0, timed=False)
    beside = {"median": "median", "mode": "mode"}  # the run has no mode
    cell = Cell("a", "mean", 2.0, "a", "mean", EQUAL, beside=beside)
    paper = Paper("toy", "A toy paper", "", [run], [Table("Table 1", [cell])])
    text = page.write_page(paper, toy[1], folder / "docs", []).read_text()
    assert "2; median 1.5 (2)" in text


def test_page_marks_quick_runs(toy, folder, monkeypatch):
    here(monkeypatch)
    paper, store = toy
    running.reproduce(paper, store, folder, quick=True)
    text = page.write_page(paper, store, folder / "docs", []).read_text()
    assert "2 q (2)" in text
    assert "4 q (4)" in text


def test_tolerances():
    width, factor = cells.Tolerance(1.0), cells.Tolerance(2.0, is_factor=True)
    assert width.holds(3.0, 2.0)
    assert not width.holds(3.1, 2.0)
    assert factor.holds(4.0, 2.0)
    assert factor.holds(1.0, 2.0)
    assert not factor.holds(4.1, 2.0)
    assert not factor.holds(0.0, 2.0)
    assert factor.holds(0.0, 0.0)
    ticking = cells.Tolerance(2.0, is_factor=True, floor=0.01)
    assert ticking.holds(0.0, 0.02)
    assert not ticking.holds(0.0, 0.021)
    assert str(ticking) == "a factor of 2 from 0.01 up"


@pytest.mark.parametrize("name", command.PAPERS)
def test_every_cell_of_a_paper_has_its_run(name):
    module = __import__(f"benchmarks.papers.{name}", fromlist=["PAPER"])
    paper = module.PAPER
    known = {run.name for run in paper.runs}
    assert len(known) == len(paper.runs)
    for cell in paper.cells():
        assert bool(cell.run) != bool(cell.missing)
        assert not cell.run or cell.run in known | set(paper.derived)
    for extra in paper.extras:
        assert {run for run, _ in extra.rows.values()} <= known | set(paper.derived)
    for picture in paper.pictures:
        assert set(picture.runs) <= known
    for run in paper.runs:
        assert not run.after or run.after in known
        assert all((page.ROOT / source).is_file() for source in run.sources)


def test_explanations_name_tables_that_exist():
    stored = json.loads(explanations.PATH.read_text(encoding="utf8"))
    assert set(stored) <= set(command.PAPERS)
    for name, entries in stored.items():
        module = __import__(f"benchmarks.papers.{name}", fromlist=["PAPER"])
        pairs = [(t.title, c) for t in module.PAPER.tables for c in t.cells]
        for entry in entries:
            found = [
                cell for title, cell in pairs if explanations.find([entry], title, cell)
            ]
            assert found, entry


def test_command_writes_pages_without_data(monkeypatch, folder, toy, capsys):
    paper, store = toy
    module = types.ModuleType("benchmarks.papers.toy")
    module.PAPER = paper
    monkeypatch.setitem(sys.modules, "benchmarks.papers.toy", module)
    monkeypatch.setattr(command, "PAPERS", ("toy",))
    monkeypatch.setattr(command, "Store", lambda name: store)
    written = []
    monkeypatch.setattr(command, "write_page", lambda *a: written.append(a) or "page")
    monkeypatch.setattr(command, "write_counts", lambda *a: "counts")
    monkeypatch.delenv(command.DATA, raising=False)
    assert command.main(["all"]) == 0
    assert written == [(paper, store)]
