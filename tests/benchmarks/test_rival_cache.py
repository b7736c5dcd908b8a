"""The cache measures once, survives interruption, and tells keys apart."""

import pytest

from benchmarks.rival_cache import RivalCache

KEY = {"method": "slow", "params": {"C": 1.0}, "data": "abc"}


def counting(value):
    calls = []

    def compute():
        calls.append(1)
        return value

    return compute, calls


def test_computes_once_and_reads_back_after_reopening(tmp_path):
    path = tmp_path / "deep" / "rivals.jsonl"
    compute, calls = counting({"seconds": 1.5, "sizes": (1, 2)})
    first = RivalCache(path).fetch(KEY, compute)
    second = RivalCache(path).fetch(dict(reversed(KEY.items())), compute)
    assert first == second == {"seconds": 1.5, "sizes": [1, 2]}
    assert len(calls) == 1


def test_another_parameter_is_another_entry(tmp_path):
    cache = RivalCache(tmp_path / "rivals.jsonl")
    cache.fetch(KEY, lambda: 1)
    other = {**KEY, "params": {"C": 10.0}}
    assert KEY in cache
    assert other not in cache
    assert cache.fetch(other, lambda: 2) == 2
    assert len(cache) == 2


def test_torn_last_line_is_ignored_and_closed(tmp_path):
    path = tmp_path / "rivals.jsonl"
    RivalCache(path).fetch(KEY, lambda: 1)
    with open(path, "a", encoding="utf8") as file:
        file.write('{"key": {"method": "sl')
    cache = RivalCache(path)
    assert len(cache) == 1
    cache.fetch({**KEY, "data": "def"}, lambda: 2)
    assert len(RivalCache(path)) == 2


def test_failed_computation_stores_nothing(tmp_path):
    cache = RivalCache(tmp_path / "rivals.jsonl")
    with pytest.raises(ZeroDivisionError):
        cache.fetch(KEY, lambda: 1 / 0)
    assert KEY not in cache
    assert not cache.path.exists()
