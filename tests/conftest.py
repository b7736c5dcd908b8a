"""Fixtures shared by all tests: one source of randomness, one way to real data."""

import os
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def rng():
    """A generator with a fixed seed; tests use no other source of randomness."""
    return np.random.default_rng(20240613)


@pytest.fixture(scope="session")
def shared_data():
    """The folder of public data sets named by TREESVM_DATA, or a skip that says so."""
    folder = os.environ.get("TREESVM_DATA")
    if not folder:
        pytest.skip("TREESVM_DATA does not name a folder of public data sets")
    path = Path(folder)
    if not path.is_dir():
        pytest.skip(f"TREESVM_DATA={folder} is not a folder")
    return path
