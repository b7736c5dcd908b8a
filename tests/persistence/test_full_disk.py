"""A full disk: the error names the file, and what was there before is intact."""

import os
import shutil
import subprocess

import numpy as np
import pytest

from treesvm import DTSVMClassifier, KernelSVC, load_model, save_model
from treesvm.cli.main import main
from treesvm.datasets import make_waves
from treesvm.persistence import Checkpoint


@pytest.fixture(scope="module")
def full_disk(tmp_path_factory):
    """A folder of half a megabyte."""
    folder = tmp_path_factory.mktemp("disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)]
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small disk is mounted by root only")
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no small disk can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def disk(full_disk):
    """The same, empty."""
    for path in full_disk.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return full_disk


def noise(n_rows=4000):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_rows, 40)), rng.integers(0, 2, n_rows)


def test_model_is_kept(disk):
    path = disk / "some.model"
    small = KernelSVC().fit(*make_waves(40))
    save_model(small, path)
    before = path.read_bytes()
    X, y = noise()
    with pytest.raises(OSError, match=r"some\.model"):
        save_model(DTSVMClassifier(max_leaf_size=500).fit(X, y), path)
    assert path.read_bytes() == before
    assert [p.name for p in disk.iterdir()] == ["some.model"]
    load_model(path)


def test_fit_says_where_its_checkpoint_did_not_fit(disk):
    X, y = noise()
    model = DTSVMClassifier(
        max_leaf_size=500, checkpoint=Checkpoint(disk / "kept", every=0.0)
    )
    with pytest.raises(OSError, match="kept"):
        model.fit(X, y)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("kind", ["answers", "report"])
def test_results_of_the_command_are_kept(kind, disk, tmp_path, capsys):
    X, y = noise(60_000 if kind == "answers" else 300)
    data, model = tmp_path / "rows.npz", tmp_path / "a.model"
    np.savez(data, X=X[:, :2], y=np.where(y, "a rather long label", "another label"))
    old = disk / ("out.txt" if kind == "answers" else "out.html")
    old.write_text("before", encoding="utf8")
    if kind == "report":  # nothing is left for it
        with (
            pytest.raises(OSError, match="No space"),
            open(disk / "filler", "wb") as file,
        ):
            file.write(bytes(2**20))
        command = ["compare", str(data), "--report", str(old), "--methods", "hlsvm"]
    else:
        trained = ["train", str(data), "-o", str(model), "--method", "hlsvm", "--quiet"]
        assert main(trained) == 0
        command = ["predict", str(model), str(data), "-o", str(old), "--quiet"]
    capsys.readouterr()
    assert main(command) != 0
    words = capsys.readouterr().err
    assert old.name in words
    assert "space" in words
    assert old.read_text("utf8") == "before"
    assert not [p for p in disk.iterdir() if p.name not in (old.name, "filler")]
