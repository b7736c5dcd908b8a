"""The thesis' sets: split, missing values and scaling use training rows only."""

import numpy as np
import pytest

from benchmarks import svmmaj_problems as problems
from benchmarks.data import MissingData
from benchmarks.papers.svmmaj import THESIS


def test_odd_rows_train_and_even_rows_test():
    train, test = problems.odd_and_even(5)
    assert train.tolist() == [0, 2, 4]  # the 1st, 3rd and 5th row
    assert test.tolist() == [1, 3]


def test_random_halves_part_the_rows():
    train, test = problems.random_halves(11, seed=3)
    assert len(train) == 6
    assert sorted([*train, *test]) == list(range(11))
    again, _ = problems.random_halves(11, seed=3)
    np.testing.assert_array_equal(train, again)


def test_missing_values_become_the_training_median():
    X = np.array([[1.0], [100.0], [np.nan], [np.nan], [3.0], [200.0]])
    A, B = problems.prepared(X, *problems.odd_and_even(6))
    # Training values 1, (2), 3: mean 2, deviation sqrt(2/3).
    np.testing.assert_allclose(A[:, 0], np.array([-1.0, 0.0, 1.0]) * np.sqrt(1.5))
    np.testing.assert_allclose(B[1, 0], 0.0, atol=1e-12)
    np.testing.assert_allclose(B[0, 0], 98.0 * np.sqrt(1.5))


def test_codes_for_missing_values_are_read(tmp_path):
    X = np.array([[-1.0, 2.0], [4.0, -1.0]])
    np.savez(tmp_path / "breast_cancer_wisconsin.npz", X=X, y=[2, 4])
    loaded, y = problems.load(tmp_path, "breast_cancer_wisconsin")
    assert np.isnan(loaded).tolist() == [[True, False], [False, True]]
    assert y.tolist() == [2, 4]
    with pytest.raises(MissingData):
        problems.load(tmp_path, "sonar")


def test_every_set_has_both_tables():
    assert len(THESIS) == 7
    assert all(len(table) == 3 for pair in THESIS.values() for table in pair)
