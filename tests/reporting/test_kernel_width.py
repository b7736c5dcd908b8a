"""Rivals get a sensible gamma, from training rows alone."""

import numpy as np
import pytest
from scipy import sparse

from treesvm.datasets import make_waves
from treesvm.reporting.kernel_width import chosen_gamma
from treesvm.reporting.running import compare


def test_rough_borders_want_narrow_kernels():
    X, smooth = make_waves(3000, 2, frequency=3.0)
    rough = make_waves(3000, 2, frequency=20.0)[1]
    assert chosen_gamma(X, rough) > 4 * chosen_gamma(X, smooth)


def test_few_constant_and_sparse_rows():
    X, y = make_waves(400, 3)
    assert chosen_gamma(sparse.csr_matrix(X), y) == pytest.approx(chosen_gamma(X, y))
    assert chosen_gamma(np.ones((6, 2)), np.array([0, 1] * 3)) > 0
    assert chosen_gamma(X[:3], np.array([0, 1, 2])) > 0


def test_the_comparison_says_what_was_chosen():
    X, y = make_waves(900, 3)
    found = compare((X[:600], y[:600]), (X[600:], y[600:]), "waves", methods=["svm"])
    (result,) = found.results
    assert f"gamma={chosen_gamma(X[:600], y[:600]):.3g} judged" in result.note
    assert result.model.gamma == chosen_gamma(X[:600], y[:600])
