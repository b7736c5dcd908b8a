"""Time, memory and objective: the instruments behind every record."""

import numpy as np
import pytest
from sklearn.svm import SVC

from benchmarks import memory, timing
from benchmarks.certificates import certify


def test_measure_warms_up_and_keeps_a_result():
    calls = []
    done = timing.measure(
        lambda: calls.append("run") or len(calls),
        repeat=3,
        warm_up=lambda: calls.append("warm"),
    )
    assert calls == ["warm", "run", "run", "run"]
    assert done.result in {2, 3, 4}
    assert done.seconds >= 0.0


def allocate(megabytes):
    """Target of the memory test: data before the work, more during it."""
    kept = np.ones(2**17 * 10)
    return lambda: float(np.ones(2**17 * megabytes).sum() + kept[0])


def test_child_reports_its_own_peak():
    peak = memory.peak_memory("tests.benchmarks.test_measuring:allocate", megabytes=200)
    assert peak.result == 2**17 * 200 + 1
    assert 190 < peak.peak_mb - peak.start_mb < 300


def test_child_that_fails_says_why():
    with pytest.raises(RuntimeError, match="no_such_module"):
        memory.peak_memory("no_such_module:work")


@pytest.mark.parametrize("n_classes", [2, 4])
def test_certificate_closes_the_gap_of_an_exact_svc(rng, n_classes):
    X = rng.normal(size=(80, 3))
    y = rng.integers(n_classes, size=80)
    machine = SVC(C=2.0, gamma=0.5, tol=1e-8).fit(X, y)
    certificate = certify(machine, X, y, 2.0, 0.5)
    assert 0.0 <= certificate.relative_gap < 1e-6
