"""Data files and the command, in this process."""

import numpy as np
import pytest

from treesvm.cli.main import main
from treesvm.datasets import make_spirals


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Call the command in a folder of its own; return (code, out, err)."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stopped:  # argparse's way to say 2, and 0 for --help
            code = stopped.code
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return code, captured.out, captured.err

    return call


@pytest.fixture
def flowers(tmp_path):
    """A CSV file with numbers, categories, gaps and labels that are names."""
    rng = np.random.default_rng(1)
    lines = ["size,colour,weight,kind"]
    for _ in range(400):
        kind = rng.integers(3)
        size = rng.normal(3.0 * kind)
        colour = ("red", "blue", "green")[kind if rng.uniform() < 0.7 else 0]
        weight = "" if rng.uniform() < 0.05 else f"{size + rng.normal():.3f}"
        lines.append(f"{size:.3f},{colour},{weight},{'abc'[kind]}")
    path = tmp_path / "flowers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def spirals(tmp_path):
    """LIBSVM text of 600 rows."""
    X, y = make_spirals(600)
    rows = zip(y, X, strict=True)
    text = "".join(f"{label} 1:{a:.6f} 2:{b:.6f}\n" for label, (a, b) in rows)
    path = tmp_path / "spirals.svm"
    path.write_text(text)
    return path
