"""The candidates benchmark's own parts: published figures, folds, verdicts."""

import json

import numpy as np
import pytest

from benchmarks import candidates_problems as problems
from benchmarks import candidates_verdict as verdict
from benchmarks.candidates_tables import METHODS, _n_folds, fold_scores
from benchmarks.papers import trsd_published as paper
from benchmarks.records import Record


def test_published_tables_are_whole():
    names = set(paper.seconds())
    assert len(names) == 18
    assert names > {*problems.SMALL, *problems.LARGE, *problems.WAVEFORM}
    assert set(paper.accuracies()) == {(n, s) for n in names for s in problems.SHARES}
    assert paper.accuracies()["banana", 0.1]["TRSD"] == (88.8, 0.4)
    assert "FLD" not in paper.accuracies()["checkerboard", 0.2]


def test_checkerboard_is_a_board():
    X, y = problems.checkerboard()
    assert X.shape == (1000, 2)
    inside = (np.abs(X % 1 - 0.5) < 0.2).all(axis=1)
    square = np.floor(X[inside])
    np.testing.assert_array_equal(square.sum(axis=1) % 2, y[inside])
    assert abs(y.mean() - 0.5) < 0.05


def test_folds_on_large_sets():
    assert _n_folds("banana", "CBD", 0.3) == 9
    assert _n_folds("a9a", "TRSD", 0.1) == 9
    assert _n_folds("a9a", "TRSD", 0.2) == 3
    assert _n_folds("a9a", "SVM", 0.1) == 2
    assert _n_folds("a9a", "SVM", 0.2) == 0
    assert _n_folds("a9a", "CBD", 0.2) == 2
    assert _n_folds("ijcnn1", "CBD", 0.2) == 0
    assert _n_folds("ijcnn1", "TRSD", 0.1) == 9


@pytest.fixture
def scores(rng):
    found = {m: 80 + rng.normal(size=9) for m in METHODS}
    found["TRSD"] = found["RandomRows"] + 5 + 0.01 * rng.normal(size=9)
    found["CVS"] = found["RandomRows"] - 20.0
    return found


def test_signs(scores):
    assert verdict._paired_sign(scores, "TRSD") == 1
    assert verdict._paired_sign(scores, "CVS") == -1
    mean, error = verdict._gain(scores, "TRSD")
    assert mean == pytest.approx(5.0, abs=0.05)
    assert error < 0.01


def test_dunn_signs(scores):
    pytest.importorskip("scikit_posthocs")
    assert verdict._dunn_sign(scores, "TRSD", "CVS") == 1
    assert verdict._dunn_sign(scores, "CVS", "TRSD") == -1
    scores["CVS"] = scores["CVS"][:3]  # too few folds to be compared
    assert verdict._dunn_sign(scores, "TRSD", "CVS") == 0


def test_scores_come_back_from_records():
    def record(method, share, values):
        note = json.dumps(values)
        return Record(
            "small", f"treesvm {method}", "iris", 0.0, params=share, note=note
        )

    records = [record("SVM", "0.1", [1.0, 2.0]), record("TRSD", "0.2", [3.0, 4.0])]
    found = fold_scores(records, "iris", 0.2)
    assert found["SVM"].tolist() == [1.0, 2.0]
    assert found["TRSD"].tolist() == [3.0, 4.0]
    assert not fold_scores(records, "other", 0.2)
