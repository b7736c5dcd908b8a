"""Methods are measured on the same rows; the report holds everything inside."""

import re

import numpy as np
import pytest
from sklearn.svm import SVC

from treesvm import reporting
from treesvm.datasets import Table, embedded_tables, make_spirals, train_test_rows
from treesvm.reporting import time_budget
from treesvm.reporting.methods import METHODS, available
from treesvm.reporting.number_text import bytes_text, seconds_text, short_number
from treesvm.reporting.svg import round_steps
from treesvm.reporting.time_budget import fit_within
from treesvm.reporting.words import headline, table_head, table_line

QUICK = [
    "linear",
    "svm",
    "cart",
    "partition-tree",
    "hlsvm",
    "trsd",
    "svtree",
    "dtsvm",
    "tree-svc",
]


@pytest.fixture(scope="module")
def spirals():
    """All quick methods on a plane."""
    seen = []
    made = reporting.compare_table(
        Table(*make_spirals(2500)),
        "spirals <b>",
        methods=QUICK,
        svm_seconds=5.0,
        time_limit=2.0,
        on_result=seen.append,
    )
    assert tuple(seen) == made.results
    return made


def test_every_method_is_measured(spirals):
    assert [r.method for r in spirals.results] == QUICK
    assert (spirals.n_train, spirals.n_test) == (1875, 625)
    for r in spirals.results:
        assert 0.5 < r.accuracy <= 1.0
        assert min(r.fit_seconds, r.predict_microseconds, r.size_bytes) > 0
        assert r.numbers_met >= r.cost > 0
    by_name = {r.method: r for r in spirals.results}
    assert by_name["dtsvm"].accuracy > by_name["linear"].accuracy + 0.1
    assert by_name["svm"].cost == by_name["svm"].model.n_support_.sum()
    assert by_name["linear"].unit == "hyperplanes"
    assert "limit 2 s; found" in by_name["tree-svc"].note


def test_a_report_is_whole_and_fetches_nothing(spirals):
    page = reporting.html_report([spirals], when="2024-06-13")
    assert "spirals &lt;b&gt;" in page
    assert page.count("data:image/png;base64,") == len(QUICK)
    assert page.count("<svg") >= 4
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert "default-src 'none'" in page
    for r in spirals.results:
        assert r.title in page


def test_words_of_a_comparison(spirals):
    best = max(spirals.results, key=lambda r: r.accuracy)
    assert headline(spirals).startswith(f"{best.title} is the most accurate")
    lines = [table_head(), *(table_line(r) for r in spirals.results)]
    assert len({len(line.split("\n")[0]) for line in lines}) == 1


def test_plain_values_for_programs(spirals):
    values = spirals.as_json()
    assert values["classes"] == ["0", "1"]
    assert "model" not in values["results"][0]


def test_one_failing_method_does_not_cost_the_others(monkeypatch):
    class Broken(SVC):
        def fit(self, X, y):
            raise ValueError("no luck today")

    broken = METHODS["cart"]._replace(make=lambda seed, n_jobs: Broken())
    monkeypatch.setitem(METHODS, "cart", broken)
    table = Table(*make_spirals(300))
    made = reporting.compare_table(table, "s", methods=["linear", "cart"])
    assert made.results[0].accuracy is not None
    assert made.results[1].note == "failed: no luck today"
    assert "no luck today" in reporting.html_report([made])
    assert "no luck today" in table_line(made.results[1])


def test_budget_stops_before_all_rows_and_keeps_every_class(monkeypatch, rng):
    monkeypatch.setattr(time_budget, "_FIRST_ROWS", 50)
    X, y = make_spirals(3000)
    y[:2] = 7  # a rare class
    model, n_rows, seconds = fit_within(SVC(), X, y, 0.0)
    assert (n_rows, len(model.classes_)) == (50, 3)
    assert seconds > 0
    model, n_rows, _ = fit_within(SVC(), X, y, 60.0)
    assert n_rows == 3000


def test_a_method_that_gave_up_says_so(monkeypatch):
    monkeypatch.setattr(time_budget, "_FIRST_ROWS", 50)
    table = Table(*make_spirals(400))
    made = reporting.compare_table(table, "s", methods=["svm"], svm_seconds=0.0)
    assert "gave up at 50 of 300 rows" in made.results[0].note
    assert "gave up at 50 of 300 rows" in headline(made)


def test_unknown_methods_and_bad_splits():
    with pytest.raises(ValueError, match="no method 'svn'; there are: linear"):
        available(["svn"])
    with pytest.raises(ValueError, match="between 0 and 1"):
        train_test_rows(np.arange(10), 1.5, 0)
    with pytest.raises(ValueError, match="all labels are the same"):
        train_test_rows(np.ones(10), 0.5, 0)
    with pytest.raises(ValueError, match="no labels"):
        reporting.compare_table(Table(np.ones((4, 2))), "s")


def test_histogram_cost_counts_tests():
    X, y = make_spirals(400)
    model = METHODS["histgb"].make(0, None).set_params(max_iter=3, max_depth=2)
    cost = METHODS["histgb"].cost(model.fit(X, y), X)
    assert 3 <= cost.met <= 6


def test_numbers_are_not_compared_as_classes(rng):
    table = Table(rng.normal(size=(100, 2)), rng.normal(size=100))
    with pytest.raises(ValueError, match=r"100 different numbers.*about classes"):
        reporting.compare_table(table, "s", methods=["linear"])


def test_boosted_cost_counts_tests(rng):
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    X, y = make_spirals(400)
    model = lightgbm.LGBMClassifier(n_estimators=3, max_depth=2, n_jobs=1, verbose=-1)
    model.fit(X, y)
    cost = METHODS["lightgbm"].cost(model, X)
    assert 3 <= cost.met <= 6


def test_embedded_data_is_there():
    tables = dict(embedded_tables(500))
    assert [t.n_rows for t in tables.values()] == [1797, 500, 500]


def test_short_numbers():
    assert [short_number(v) for v in (0.0314, 380.2, 12345.0, 3.4e6)] == [
        "0.0314",
        "380",
        "12.3k",
        "3.4M",
    ]
    assert (seconds_text(3e-6), seconds_text(0.25), seconds_text(300)) == (
        "3 µs",
        "250 ms",
        "300 s",
    )
    assert (bytes_text(12), bytes_text(2048), bytes_text(3 * 2**20)) == (
        "12 B",
        "2 kB",
        "3 MB",
    )
    assert bytes_text(1020 * 2**10) == "1,020 kB"
    assert round_steps(0.0, 97.0) == [0, 20, 40, 60, 80, 100]
