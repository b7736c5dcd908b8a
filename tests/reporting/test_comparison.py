"""Methods are measured on the same rows; the report holds everything inside."""

import html
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

from treesvm import DTSVMClassifier, reporting
from treesvm.datasets import (
    Table,
    embedded_tables,
    make_spirals,
    make_words,
    train_test_rows,
)
from treesvm.reporting import LOOKS, MethodResult, time_budget
from treesvm.reporting.charts import leaf_histogram, score_against_cost
from treesvm.reporting.methods import METHODS, available
from treesvm.reporting.number_text import (
    bytes_text,
    seconds_text,
    short_number,
    times_text,
)
from treesvm.reporting.summary import in_user_units
from treesvm.reporting.svg import round_steps, text_width
from treesvm.reporting.time_budget import fit_within
from treesvm.reporting.tree_outline import outline
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
        Table(*make_spirals(6800)),  # enough that the machines of leaves cut them
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
    assert (spirals.n_train, spirals.n_test) == (5100, 1700)
    for r in spirals.results:
        assert 0.5 < r.score <= 1.0
        assert min(r.fit_seconds, r.predict_microseconds, r.size_bytes) > 0
        assert r.numbers_met >= r.cost > 0
    by_name = {r.method: r for r in spirals.results}
    assert by_name["dtsvm"].score > by_name["linear"].score + 0.1
    assert by_name["svm"].cost == by_name["svm"].model.n_support_.sum()
    assert by_name["linear"].unit == "hyperplanes"
    assert "limit 2 s; found" in by_name["tree-svc"].note


def test_a_report_is_whole_and_fetches_nothing(spirals):
    page = reporting.html_report([spirals], when="2024-06-13")
    assert "spirals &lt;b&gt;" in page
    assert page.count("data:image/png;base64,") == len(QUICK)
    assert page.count("<svg") >= 4
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    for place in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{place}"' in page
    assert "default-src 'none'" in page
    for r in spirals.results:
        assert r.title in page
        assert html.escape(LOOKS[r.method].about) in page
    assert "tree speed" not in page  # no slogan over a user's data


def test_the_report_tells_what_matters_and_why(flowers):
    table = Table(flowers["X"], flowers["y"])
    made = reporting.compare_table(table, "flowers", methods=["cart", "dtsvm"])
    page = reporting.html_report([made])
    assert "What matters to the DTSVM" in page
    assert re.search(r"One test row: the DTSVM says [ab]", page)
    row = made.example
    assert (
        f"<span>a rather long name = {row.X['a rather long name'][0]:.6g}</span>"
        in page
    )
    assert f"<span>colour = {row.X['colour'][0]}</span>" in page
    shares = [float(t) for t in re.findall(r"<b>([\d.]+)%</b>", page)]
    assert sum(shares) == pytest.approx(100, abs=0.2)


@pytest.fixture
def flowers(rng):
    """Columns in the user's units, one of them text."""
    size, colour = rng.uniform(1000, 5000, 300), rng.choice(["red", "blue"], 300)
    columns = {"a rather long name": size, "colour": colour.astype(object)}
    y = np.where((size > 4000) ^ (colour == "red"), "a", "b")
    return {"X": columns, "y": y}


def test_trees_are_told_in_the_users_units_and_inner_nodes_are_no_leaves(flowers):
    table = Table(flowers["X"], flowers["y"])
    made = reporting.compare_table(table, "flowers", methods=["dtsvm"])
    model = DTSVMClassifier(max_leaf_size=5, random_state=0)
    X = made.encoder.transform(table)
    model.fit(X, np.where(table.X["a rather long name"] // 100 % 2, "a", "b"))
    tree = in_user_units(model.trees_[0], made.encoder.spec)
    text = outline(tree, model.classes_, made.feature_names)
    limits = [
        float(t) for t in re.findall(r"long name ≤ ([\d.]+)", text.replace(",", ""))
    ]
    assert limits
    assert all(1000 < limit < 5000 for limit in limits)
    n_leaves = text.count('class="leaf"')
    deeper = [int(n) for n in re.findall(r"… (\d+) leaves", text)]
    assert deeper
    assert n_leaves + sum(deeper) == tree.n_leaves


def test_numbers_are_compared_by_regressors(rng):
    X = rng.uniform(size=(500, 3))
    table = Table(X, 100 * np.sin(6 * X[:, 0]) + X[:, 1])
    seen = []
    made = reporting.compare_table(
        table,
        "s",
        methods=["linear", "svm", "histgb", "hlsvm", "dtsvm"],
        svm_seconds=2.0,
        on_result=seen.append,
    )
    assert [r.title for r in seen] == ["Ridge", "RBF SVR", "HistGradientB.", "DTSVR"]
    by_name = {r.method: r for r in made.results}
    assert by_name["svm"].score > 0.95 > by_name["linear"].score
    assert by_name["svm"].cost == len(by_name["svm"].model.regressor_.support_)
    assert made.as_json()["results"][0]["r2"] == by_name["linear"].score
    page = reporting.html_report([made])
    assert "R² against prediction cost" in page
    assert "R² = " in headline(made)
    line = table_line(seen[1], made.task)
    assert f"{by_name['svm'].score:.3f}" in line
    with pytest.raises(ValueError, match="hlsvm does regression"):
        reporting.compare_table(table, "s", methods=["hlsvm"])


def test_wide_and_sparse_rows():
    made = reporting.compare_table(
        Table(*make_words(300, 400)), "w", methods=["linear", "histgb", "dtsvm"]
    )
    assert [r.score is None for r in made.results] == [False, True, False]
    assert made.results[1].note == "not measured: it takes no sparse rows"
    assert "takes no sparse rows" in reporting.html_report([made])


def test_the_fastest_and_the_most_accurate_are_named_whoever_they_are(spirals):
    said = headline(spirals)
    able = [r for r in spirals.results if r.cost > 0]
    quick = min(able, key=lambda r: r.predict_microseconds)
    assert f"{quick.title} answers fastest" in said
    assert times_text(310.4) == "310"
    assert times_text(12345) == "12,000"
    assert times_text(2.74) == "2.7"


def test_names_in_the_chart_cover_nothing():
    """Boxes of all names, with dots in one place and in a row at the top."""
    made = [
        MethodResult(
            key, look.title, key in ("dtsvm", "hlsvm"), 1, score, 1, 1, 1, "", 9
        )
        for (key, look), score in zip(
            LOOKS.items(), [1.0] * 6 + [0.99] * 5, strict=True
        )
    ]
    svg = score_against_cost(made)
    names = re.findall(
        r'class="name( ours)?" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">([^<]+)',
        svg,
    )
    boxes = []
    for ours, x, y, side, title in names:
        width = (8.3 if ours else 7.4) * len(title)
        start = float(x) - width if side == "end" else float(x)
        assert start > 46  # right of the axis and its ticks
        boxes.append((start, float(y) - 12, start + width, float(y) + 4))
    assert len(boxes) == len(LOOKS)
    for k, a in enumerate(boxes):
        for b in boxes[k + 1 :]:
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert apart


@pytest.mark.parametrize("sizes", [[3], [1, 2, 3, 4, 5], [1500] * 9 + [37], [7] * 1000])
def test_leaf_sizes_are_whole_rows(sizes):
    svg = leaf_histogram(np.array(sizes), np.zeros(len(sizes), bool))
    ticks = re.findall(r'class="tick"[^>]*>([^<]+)', svg)
    assert ticks
    assert all(re.fullmatch(r"[\d,]+k?", tick) for tick in ticks)


def test_words_of_a_comparison(spirals):
    best = max(spirals.results, key=lambda r: (r.score, -r.predict_microseconds))
    ahead = replace(best, score=best.score + 0.001)
    others = [r for r in spirals.results if r is not best]
    alone = replace(spirals, results=(*others, ahead))
    assert headline(alone).startswith(f"{best.title} is the most accurate")
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
    assert made.results[0].score is not None
    assert made.results[1].note == "not measured: no luck today"
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
    with pytest.raises(ValueError, match="and there is nothing to learn"):
        train_test_rows(np.ones(10), 0.5, 0)
    with pytest.raises(ValueError, match="no labels"):
        reporting.compare_table(Table(np.ones((4, 2))), "s")


def test_histogram_cost_counts_tests():
    X, y = make_spirals(400)
    model = METHODS["histgb"].make(0, None).set_params(max_iter=3, max_depth=2)
    cost = METHODS["histgb"].cost(model.fit(X, y), X)
    assert 3 <= cost.met <= 6


def test_boosted_cost_counts_tests(rng):
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    X, y = make_spirals(400)
    model = lightgbm.LGBMClassifier(n_estimators=3, max_depth=2, n_jobs=1, verbose=-1)
    model.fit(X, y)
    cost = METHODS["lightgbm"].cost(model, X)
    assert 3 <= cost.met <= 6


def test_embedded_data_is_there():
    tables = dict(embedded_tables(500))
    assert [t.n_rows for t in tables.values()] == [1797, 500, 500, 500, 500]


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


def test_one_that_wins_everything_is_named_once(spirals):
    one, other = spirals.done[:2]
    both = replace(one, score=0.99, fit_seconds=1e-6, predict_microseconds=1e-6)
    won = replace(spirals, results=(both, replace(other, score=0.9)))
    first = f"{one.title} is the most accurate with 99.00%; it answers fastest and "
    assert headline(won).startswith(first + "trains fastest.")


def test_scores_below_the_picture_are_written_beside_the_name(spirals):
    results = [replace(r, score=0.5) for r in spirals.done[:2]]
    worse = replace(results[1], score=-0.074)
    assert f">{worse.title}<" in score_against_cost(results, "regression")
    svg = score_against_cost([results[0], worse], "regression")
    assert f">{worse.title}: -0.074<" in svg


def test_equals_are_named_together(spirals):
    one, other = (replace(r, score=0.98761) for r in spirals.done[:2])
    tied = replace(spirals, results=(one, replace(other, score=0.98764)))
    names = f"{one.title} and {other.title} are the most accurate with 98.76%."
    assert headline(tied).startswith(names)


def test_names_of_capitals_get_the_room_they_need():
    assert text_width("DTSVM", is_bold=True) > 52  # DejaVu Sans Bold, measured
    assert text_width("HistGradientB.") > 95
