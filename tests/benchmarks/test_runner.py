"""The runner: cases, skips, failures, the stored results and the page."""

import json
import sys
import types

import pytest

from benchmarks import __main__ as command
from benchmarks import report, runner
from benchmarks.data import MissingData
from benchmarks.records import CaseResult, Claim, Record
from benchmarks.rival_cache import RivalCache


def fine_case(context):
    context.start_ours()
    record = Record("fine", "treesvm", "toy", seconds=0.5, converged_share=1.0)
    claim = Claim("toy fit against slow", value=6.0, must=5.0, aim=10.0)
    return CaseResult([record], [claim], {"Points": [{"C": 1.0, "gap": 1e-5}]})


def short_case(context):
    record = Record("short", "treesvm", "toy", seconds=0.5, converged_share=0.8)
    return CaseResult([record], [Claim("fast but unsolved", value=9.0, must=5.0)])


def missing_case(context):
    raise MissingData("toy.npz is not there")


@pytest.fixture
def context(tmp_path):
    return runner.Context(data=tmp_path, rivals=RivalCache(tmp_path / "rivals.jsonl"))


@pytest.fixture
def toy(monkeypatch):
    """A benchmark called toy whose cases a test may replace."""
    module = types.ModuleType("benchmarks.toy")
    module.CASES = {"fine": fine_case}
    monkeypatch.setitem(sys.modules, "benchmarks.toy", module)
    return module


def test_case_is_stored_and_shown_on_the_page(toy, context, tmp_path, capsys):
    assert runner.run("toy", context, tmp_path / "out", docs=tmp_path / "docs") == 0
    stored = json.loads((tmp_path / "out" / "toy" / "fine.json").read_text("utf8"))
    record = stored["records"][0]
    assert record["benchmark"] == "toy"
    assert {"numpy", "cpu", "cores", "timestamp"} <= record.keys()
    assert not any(isinstance(value, dict | list) for value in record.values())
    page = (tmp_path / "docs" / "toy.md").read_text("utf8")
    assert page.count("| ≥ 5×  | holds |") == 2  # in the summary and in the case
    assert "holds" in capsys.readouterr().out


def test_page_keeps_prose_around_the_blocks(toy, context, tmp_path):
    page = tmp_path / "toy.md"
    page.write_text(
        "# Mine\n\nbefore \\1\n<!-- begin: fine -->\nstale\n"
        "<!-- end: fine -->\nafter\n",
        encoding="utf8",
    )
    for _ in range(2):
        runner.run("toy", context, tmp_path / "out", docs=tmp_path)
    text = page.read_text("utf8")
    assert text.startswith("# Mine\n\nbefore \\1\n")
    assert "after" in text
    assert "gone" not in text
    assert text.count("<!-- begin: fine -->") == 1


def test_summary_keeps_claims_that_another_machine_measured(toy, context, tmp_path):
    for number, case in enumerate((fine_case, short_case)):
        toy.CASES = {case.__name__: case}
        runner.run("toy", context, tmp_path / f"machine {number}", docs=tmp_path)
    text = (tmp_path / "toy.md").read_text("utf8")
    summary = text.split("<!-- begin: summary -->")[1].split("<!-- end")[0]
    assert "toy fit against slow" in summary
    assert "fast but unsolved" in summary


def test_too_few_converged_solves_fail(toy, context, tmp_path, capsys):
    toy.CASES = {"short": short_case}
    assert runner.run("toy", context, tmp_path / "out", docs=tmp_path) == 1
    assert "failed: only 80% of the solves converged" in capsys.readouterr().out
    page = (tmp_path / "toy.md").read_text("utf8")
    assert page.count("not counted: too few solves converged") == 2  # summary and case
    assert "holds" not in page


def test_missing_data_is_skipped_and_said(toy, context, tmp_path, capsys):
    toy.CASES = {"missing": missing_case, "fine": fine_case}
    assert runner.run("toy", context, tmp_path / "out") == 0
    output = capsys.readouterr().out
    assert "skipped: toy.npz is not there" in output
    assert "holds" in output


def test_a_run_in_which_all_was_skipped_fails(toy, context, tmp_path, capsys):
    toy.CASES = {"one": missing_case, "two": missing_case}
    assert runner.run("toy", context, tmp_path / "out") == 2
    assert "nothing was measured" in capsys.readouterr().out


def test_broken_case_fails_and_the_others_still_run(toy, context, tmp_path, capsys):
    toy.CASES = {"broken": lambda context: 1 / 0, "fine": fine_case}
    assert runner.run("toy", context, tmp_path / "out") == 1
    output = capsys.readouterr().out
    assert "ZeroDivisionError" in output
    assert "holds" in output


def test_rivals_only_stops_before_ours(toy, context, tmp_path):
    only = runner.Context(context.data, context.rivals, rivals_only=True)
    assert runner.run("toy", only, tmp_path / "out") == 0
    assert not (tmp_path / "out" / "toy" / "fine.json").exists()


def test_command_without_data_folder_says_so(tmp_path, capsys):
    assert command.main(["engine", "--data", str(tmp_path / "nowhere")]) == 1
    assert "is not a folder" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "higher", "verdict"),
    [
        (12, True, "holds"),
        (7, True, "holds"),
        (3, True, "does not hold"),
        (3, False, "holds"),
        (12, False, "does not hold"),
    ],
)
def test_verdicts(value, higher, verdict):
    must, aim = (5, 10) if higher else (10, 5)
    claim = Claim("w", value, must=must, aim=aim, higher_is_better=higher)
    assert claim.verdict == verdict


def test_aim_is_the_claim_where_there_is_no_other():
    assert Claim("w", 7.0, aim=10.0).verdict == "does not hold"
    assert Claim("w", 7.0, must=5.0, aim=10.0).bound == 5.0


@pytest.mark.parametrize(("load", "warned"), [(0.5, False), (7.5, True), (None, False)])
def test_busy_machine_is_told(load, warned):
    stamp = {**CaseResult().as_json("toy")["environment"], "load": load, "cores": 2}
    stored = {"claims": [], "tables": {}, "notes": [], "environment": stamp}
    assert ("Busy machine" in report.case_text(stored)) == warned
    assert "Busy machine" not in report.case_text(stored | {"timed": False})


def test_numbers_are_short():
    shown = [report.number(v) for v in (1234567, 0.123456, 1e-7, None, True, "a")]
    assert shown == ["1,234,567", "0.1235", "1.00e-07", "–", "True", "a"]
