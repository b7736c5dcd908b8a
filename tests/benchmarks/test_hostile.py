"""A sample of ``python -m benchmarks hostile``, and how its counts are kept."""

import warnings

import numpy as np

from benchmarks import hostile_arrays, hostile_tables, hostile_tally
from benchmarks.hostile_tally import counted, merged, run_batches

# Those that once did harm, and some; `python -m benchmarks.hostile_arrays N` runs one.
ARRAYS = [*range(48), 298, 395, 502, 766, 1334, 3181, 4571, 4596, 6318, 7848]
TABLES = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 68, 545, 737]


def test_arrays_are_answered_rightly_or_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    harm = {}
    for number in ARRAYS:
        case, _, words = hostile_arrays.drawn(number, tmp_path)
        outcome = hostile_arrays.judge(case)
        if outcome not in hostile_arrays.FINE:
            harm[number] = f"{words}: {outcome}"
    assert not harm


def test_tables_are_answered_rightly_or_refused_by_name():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = {number: hostile_tables.judge(number) for number in TABLES}
    harm = {
        k: words for k, words in outcomes.items() if words not in hostile_tables.FINE
    }
    assert not harm


def test_judge_notices_wrong_answers():
    right = {"predict": np.arange(20) % 3, "decision_function": np.linspace(-1, 1, 20)}
    wrong = {name: answer[::-1] for name, answer in right.items()}
    compared = hostile_arrays._compared
    assert compared(right, right, np.arange(3)) == "right answer"
    for name in right:
        assert "differ" in compared(right | {name: wrong[name]}, right, np.arange(3))


def test_batches_go_on_and_harm_is_run_again(tmp_path, monkeypatch):
    monkeypatch.setattr(hostile_tally, "BATCHES", tmp_path / "batches")
    monkeypatch.setattr(hostile_tally, "RECORD", tmp_path / "hostile.json")
    ran, is_broken = [], True

    def work(numbers):
        ran.extend(numbers)
        bad = "crash" if is_broken else "refused"
        return [
            ("odd" if n % 2 else "even", answer("refused" if n != 5 else bad))
            for n in numbers
        ]

    first = run_batches("arrays", 12, 4, work, ("refused",))
    assert sorted(ran) == list(range(12))
    assert [number for number, *_ in first["harm"]] == [5]
    ran.clear()
    is_broken = False
    second = run_batches("arrays", 12, 4, work, ("refused",))
    assert ran == [4, 5, 6, 7]
    assert second["harm"] == []
    assert second["kinds"]["odd"]["outcomes"] == {"refused": 6}
    assert '"cases": 12' in (tmp_path / "hostile.json").read_text("utf8")


def answer(outcome):
    return {"outcome": outcome, "seconds": 1.0, "peak_mb": 2.0}


def test_counts_add_up():
    one = counted(
        [0, 1], [("a", answer("refused")), ("b", answer("crash"))], ("refused",)
    )
    total = merged([one, one])
    assert total["n_items"] == 4
    assert total["kinds"]["a"]["outcomes"] == {"refused": 2}
    assert total["kinds"]["b"]["outcomes"] == {"harm": 2}
    assert total["harm"] == [[1, "b", "crash"]] * 2
