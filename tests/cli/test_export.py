"""``treesvm export``: by its ending, never over a file unless told to."""

import json

import pytest


@pytest.fixture
def model(run, flowers):
    """A small model of a table with categories and gaps."""
    flags = ("--label", "kind", "--time-limit", 0.3, "-o", "m.treesvm", "-q")
    assert run("train", flowers, *flags)[0] == 0
    return "m.treesvm"


@pytest.fixture
def numbers(run, spirals):
    """A small model of numbers."""
    flags = ("--method", "hlsvm", "-o", "n.treesvm", "-q")
    assert run("train", spirals, *flags)[0] == 0
    return "n.treesvm"


def test_export_tells_sizes_and_versions(run, model, numbers, tmp_path):
    pytest.importorskip("onnx")
    code, out, _ = run("export", model, "-o", "m.onnx")
    assert code == 0
    assert "opset ai.onnx 18" in out
    code, out, _ = run("export", numbers, "-o", "m.c", "--json")
    assert code == 0
    assert json.loads(out)["n_bytes"] == (tmp_path / "m.c").stat().st_size


def test_what_is_refused_leaves_files_alone(run, model, numbers, tmp_path):
    (tmp_path / "old.c").write_text("mine")
    for arguments, words in (
        ((numbers, "-o", "old.c"), "add --force to replace it"),
        ((model, "-o", "old.c", "--force"), "column 'colour' holds text"),
        ((numbers, "-o", "m.exe"), "unknown ending; use one of .onnx, .c"),
        ((numbers, "-o", numbers), "unknown ending"),
        (("absent", "-o", "m.c"), "no such file"),
    ):
        code, out, err = run("export", *arguments)
        assert (code, out) == (1, "")
        assert words in err
    assert (tmp_path / "old.c").read_text() == "mine"
    assert run("export", numbers, "-o", "old.c", "--force")[0] == 0
    assert "predict" in (tmp_path / "old.c").read_text()
