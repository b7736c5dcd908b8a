"""Saving: whole files or none, and clear words for what cannot be saved."""

import errno
import hashlib
import os
import signal
import stat
import subprocess
import sys
import textwrap
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit

from treesvm import (
    DTSVMClassifier,
    HLSVMClassifier,
    KernelSVC,
    SVMMajClassifier,
    load_model,
    save_model,
)
from treesvm.files import array_files
from treesvm.files.atomic_file import replaced_file


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, (X[:, 0] > 0).astype(int)


@pytest.fixture(scope="module")
def model(rows):
    return HLSVMClassifier(random_state=0).fit(*rows)


class FullDisk:
    """A file that takes some bytes and then raises, as a full disk does."""

    def __init__(self, file, error, n_bytes):
        self._file, self._error, self._left = file, error, n_bytes

    def write(self, data):
        self._left -= len(data)
        if self._left < 0:
            raise self._error
        return self._file.write(data)

    def __getattr__(self, name):
        return getattr(self._file, name)


@pytest.mark.parametrize("n_bytes", [0, 100, 1000, 2000])
@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()]
)
def test_failed_write_keeps_the_old_file(error, n_bytes, model, tmp_path, monkeypatch):
    path = tmp_path / "a.model"
    save_model(model, path)
    before = path.read_bytes()
    write = array_files._write_members

    def failing(file, *rest):
        return write(FullDisk(file, error, n_bytes), *rest)

    monkeypatch.setattr(array_files, "_write_members", failing)
    with pytest.raises(type(error)):
        save_model(model, path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.model"]


def test_failed_first_write_leaves_nothing(model, tmp_path, monkeypatch):
    def failing(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match="No space"):
        save_model(model, tmp_path / "a.model")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_killed_writer_leaves_the_old_file(model, rows, tmp_path):
    path = tmp_path / "a.model"
    save_model(model, path)
    before = path.read_bytes()
    source = """
        import os, signal, sys
        from treesvm import load_model, save_model
        from treesvm.files import atomic_file
        model = load_model(sys.argv[1])
        atomic_file.os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
        save_model(model, sys.argv[1])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(source), str(path)])
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == before
    np.testing.assert_array_equal(
        load_model(path).predict(rows[0]), model.predict(rows[0])
    )
    assert len(os.listdir(tmp_path)) == 2
    save_model(model, path)
    assert os.listdir(tmp_path) == ["a.model"]


def test_writers_of_one_name_leave_each_other_alone(tmp_path):
    path = tmp_path / "a[1].model"
    with replaced_file(path) as first:
        first.write(b"first")
        with replaced_file(path) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.skipif(os.name != "posix", reason="needs pipes")
def test_a_pipe_gets_the_model_and_stays_a_pipe(model, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        received = pool.submit(pipe.read_bytes)
        save_model(model, pipe)
        (tmp_path / "copy").write_bytes(received.result(20))
    assert pipe.is_fifo()
    save_model(model, tmp_path / "a.model")
    assert (tmp_path / "copy").read_bytes() == (tmp_path / "a.model").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="needs devices")
def test_a_device_stays_a_device(model, tmp_path):
    device = tmp_path / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o600, os.makedev(1, 3))
        save_model(model, device)
    except PermissionError:  # only root makes devices, and not in all containers
        device = Path(os.devnull)
        save_model(model, device)
    assert device.is_char_device()


def test_links_are_followed_and_modes_kept(model, tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    save_model(model, target)
    target.chmod(0o640)
    link.symlink_to(target)
    save_model(model, link)
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_folder_and_missing_folder(model, tmp_path):
    with pytest.raises(IsADirectoryError, match="name of a file"):
        save_model(model, tmp_path)
    with pytest.raises(FileNotFoundError, match=r"make it first: '.*nowhere'$"):
        save_model(model, tmp_path / "nowhere" / "a.model")
    with pytest.raises(OSError, match=r"aaa'$"):
        save_model(model, tmp_path / ("a" * 300))
    with pytest.raises(IsADirectoryError, match="name of a file"):
        save_model(model, f"{tmp_path / 'new'}{os.sep}")
    with pytest.raises(ValueError, match="null character"):
        save_model(model, f"{tmp_path / 'a'}\0.model")
    save_model(model, os.fsencode(tmp_path / "a.model"))
    assert load_model(os.fsencode(tmp_path / "a.model")).n_features_in_ == 3
    assert os.listdir(tmp_path) == ["a.model"]
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "nowhere")


def test_names_of_all_lengths_that_the_system_takes(model, tmp_path):
    path = tmp_path / ("a" * 250)
    left = tmp_path / f".{hashlib.sha256(os.fsencode(path.name)).hexdigest()}"
    left.with_suffix(f".{'0' * 16}.tmp").touch()  # of a process that was killed
    save_model(model, path)
    assert load_model(path).n_features_in_ == 3
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_device_is_named(model):
    with pytest.raises(OSError, match=r"'/dev/full'$"):
        save_model(model, "/dev/full")


def test_plain_tools_can_read_the_file(model, tmp_path):
    save_model(model, tmp_path / "a.model")
    with np.load(tmp_path / "a.model", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["trees.left"], model.trees_[0].left)
    assert zipfile.ZipFile(tmp_path / "a.model").testzip() is None


def test_what_cannot_be_saved_is_said(rows, tmp_path):
    X, y = rows
    path = tmp_path / "a.model"
    with pytest.raises(NotFittedError):
        save_model(KernelSVC(), path)
    with pytest.raises(ValueError, match="LogisticRegression cannot be kept"):
        save_model(LogisticRegression().fit(X, y), path)
    called = KernelSVC(kernel=lambda a, b: a @ b.T).fit(X, y)
    with pytest.raises(ValueError, match="Python function"):
        save_model(called, path)
    drawn = HLSVMClassifier(random_state=np.random.RandomState(0)).fit(X, y)
    with pytest.raises(ValueError, match=r"set_params\(random_state=..."):
        save_model(drawn, path)
    save_model(drawn.set_params(random_state=0), path)
    split = PredefinedSplit(np.arange(60) % 3)
    searched = SVMMajClassifier(alpha="cv", cv=split).fit(X, y)
    with pytest.raises(ValueError, match="cv is a value of type PredefinedSplit"):
        save_model(searched, path)


def test_subclass_is_not_saved_as_its_parent(rows, tmp_path):
    class Mine(KernelSVC):
        pass

    with pytest.raises(ValueError, match="Mine cannot be kept"):
        save_model(Mine().fit(*rows), tmp_path / "a.model")


def test_labels_that_no_file_can_hold(rows, tmp_path):
    X, y = rows
    model = HLSVMClassifier(random_state=0).fit(X, y)
    for classes in (
        np.array([None, "a"], dtype=object),
        np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"),
        np.array(["a", "b\0"], dtype=object),
        np.array([1, 2**70], dtype=object),
        np.array(["a", "\ud800"]),
    ):
        model.classes_ = classes
        with pytest.raises(ValueError, match=r"labels|characters"):
            save_model(model, tmp_path / "a.model")
    assert os.listdir(tmp_path) == []


def test_model_changed_after_fit_is_refused_when_saved(rows, tmp_path):
    model = DTSVMClassifier(max_leaf_size=20).fit(*rows)
    model.decompositions_[0].partition.tree.left[0] = 0
    with pytest.raises(ValueError, match="cannot be saved"):
        save_model(model, tmp_path / "a.model")


def test_parameters_of_all_simple_types_come_back(rows, tmp_path):
    X, y = rows
    weights = {0: 2.0, np.int64(1): np.float32(1.0)}
    model = KernelSVC(class_weight=weights, C=np.float64(2.0)).fit(X, y)
    save_model(model, tmp_path / "a.model")
    again = load_model(tmp_path / "a.model")
    assert again.class_weight == {0: 2.0, 1: 1.0}
    assert again.C == 2.0


def test_arrays_of_zeros_are_not_taken_for_a_bomb(tmp_path):
    path = tmp_path / "zeros"
    arrays = {"zeros": np.zeros(3 * 2**20)}
    with path.open("x+b") as file:
        array_files.write_archive(file, {"format": 1}, arrays)
        _, found = array_files.read_archive(file, 2**30)
    np.testing.assert_array_equal(found["zeros"], arrays["zeros"])
