"""The league's bookkeeping: cuts, what counts as measured, ranks."""

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
from benchmarks import league_cells, league_ranks, league_tables  # noqa: E402
from benchmarks.league_methods import METHODS, SEARCHED  # noqa: E402
from benchmarks.league_store import LeagueStore, code_version  # noqa: E402


def stored(folder, name, **arrays):
    path = folder / ("league" if name[:2] in ("c_", "r_") else "") / f"{name}.npz"
    path.parent.mkdir(exist_ok=True)
    np.savez(path, **arrays)


def test_a_table_has_categories_where_codes_are_no_measurement(tmp_path):
    X = np.tile(np.arange(4.0), (30, 1)) + np.arange(30)[:, None] % 3
    stored(tmp_path, "c_cmc", X=np.hstack([X, X, X]), y=np.arange(30) % 2)
    table = league_tables.load_table(tmp_path, "c_cmc")
    kinds = [str(kind) for kind in table.X.dtypes]
    assert kinds.index("category") == league_tables.CATEGORIES["c_cmc"][0]
    assert kinds.count("category") == 1
    assert league_tables.names(tmp_path) == ["c_cmc"]


def test_a_cut_parts_the_rows_and_numbers_the_classes(tmp_path):
    y = np.array([5] * 40 + [7] * 40 + [9])
    stored(tmp_path, "banana", X=np.arange(81.0)[:, None], y=y)
    rows = league_tables.cut(league_tables.load_table(tmp_path, "banana"), 1)
    seen = np.concatenate([rows.X.iloc[:, 0], rows.X_test.iloc[:, 0]])
    assert sorted(seen) == list(range(81))
    assert np.array_equal(np.unique(rows.y), np.arange(rows.y.max() + 1))
    # The only row of class 9 trains, or nobody can know it.
    assert (rows.y.max() == 2) != (-1 in rows.y_test)


def test_blocks_of_time_stay_whole(tmp_path):
    stored(tmp_path, "eeg_eye_state", X=np.arange(100.0)[:, None], y=np.arange(100) % 2)
    rows = league_tables.cut(league_tables.load_table(tmp_path, "eeg_eye_state"), 0)
    blocks = {int(value) // 10 for value in rows.X.iloc[:, 0]}
    assert len(blocks) * 10 == len(rows.y)


def test_the_official_test_part_is_kept(tmp_path):
    X = np.arange(10.0)[:, None]
    stored(tmp_path, "svmguide1", X=X, y=X[:, 0] > 4, X_test=X + 20, y_test=X[:, 0] > 2)
    rows = league_tables.cut(league_tables.load_table(tmp_path, "svmguide1"), 0)
    assert rows.X_test.iloc[:, 0].min() == 20
    assert len(rows.y) == 10


def record(table, method, error, seed=0):
    return {"table": table, "seed": seed, "method": method, "n_test": 100} | (
        {"gave_up": "too large"} if error is None else {"error": error}
    )


def test_a_store_keeps_the_latest_record_of_a_cell(tmp_path):
    path = tmp_path / "league.json"
    store = LeagueStore(path)
    store.put(record("a", "one", 0.1))
    store.put(record("a", "one", 0.2))
    store.put(record("a", "two", 0.3))
    again = LeagueStore(path)
    assert again.find("a", 0, "one")["error"] == 0.2
    assert len(again.records) == 2
    assert again.find("a", 1, "one") is None


def test_the_version_of_the_code_ignores_docstrings(tmp_path):
    path = tmp_path / "kernels" / "kernel.py"
    path.parent.mkdir()
    path.write_text('def f(x):\n    """One text."""\n    return x\n')
    before = code_version(tmp_path)
    path.write_text('def f(x):\n    """Another."""  # why\n    return x\n')
    assert code_version(tmp_path) == before
    path.write_text('def f(x):\n    """Another."""\n    return x + 1\n')
    assert code_version(tmp_path) != before


def test_ranks_and_ratios_of_tables_that_all_have_answered():
    records = [
        record("a", "one", 0.1),
        record("a", "two", 0.2),
        record("b", "one", 0.3),
        record("b", "two", 0.3),
        record("c", "one", 0.0),
        record("c", "two", None),
    ]
    tables, losses = league_ranks.losses_by_table(records, ["one", "two"])
    assert tables == ["a", "b"]
    assert league_ranks.mean_ranks(losses).tolist() == [1.25, 1.75]
    assert league_ranks.relative(losses) == pytest.approx([1.0, np.sqrt(2.0)])
    lines = league_ranks.summary(
        [r | {"fit_seconds": 1.0, "micros": 1.0, "bytes": 1} for r in records],
        ["one", "two"],
    )
    assert [line["method"] for line in lines] == ["one", "two"]


def test_no_error_counts_as_half_a_row():
    _, losses = league_ranks.losses_by_table([record("a", "one", 0.0)], ["one"])
    assert losses[0, 0] == 0.005


def test_times_of_a_busy_machine_do_not_count():
    quiet = {**record("a", "ours", 0.1), "fit_seconds": 1.0}
    busy = {**record("b", "ours", 0.1), "fit_seconds": 9.0, "busy": True}
    (line,) = league_ranks.summary([quiet, busy], ["ours"])
    assert line["median fit, s"] == 1.0
    assert line["tables"] == 2
    (line,) = league_ranks.summary([busy], ["ours"])
    assert line["median fit, s"] == 9.0


def test_a_limit_counts_processor_seconds_on_a_busy_machine():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    y = (X["a"] + X["b"] > 0).to_numpy().astype(int)
    rows = league_tables.Cut(X[:60], y[:60], X[60:], y[60:])
    searched = next(m for m in METHODS if m.name == SEARCHED)
    found = league_cells.measure(searched, rows, False, 0, is_busy=True)
    assert found["n_test"] == 20
    assert 0.0 < found["fit_seconds"] < 60.0
    hasty = searched._replace(settings={"time_limit": 1e-9})
    assert league_cells.measure(hasty, rows, False, 0, is_busy=True) is None
