"""A fit that goes on from its checkpoint gives the model it would have given."""

import numpy as np
import pytest
from checkpointed_fits import FITS, assert_same_model, everything, rows
from sklearn.base import clone

from treesvm import DTSVMClassifier, load_model, save_model
from treesvm.persistence import Checkpoint


def pieces(folder):
    return sorted(path for path in folder.rglob("items-*.piece"))


def fitted(name, **parameters):
    X, y = rows()
    return clone(FITS[name]).set_params(**parameters).fit(X, y)


@pytest.mark.parametrize("name", FITS)
def test_model_is_the_same_after_losing_half_of_the_pieces(name, tmp_path):
    whole = fitted(name, checkpoint=Checkpoint(tmp_path, every=0.0))
    if name != "unseeded":
        assert_same_model(whole, fitted(name))
    written = pieces(tmp_path)
    assert len(written) > 2
    for path in written[::2]:
        path.unlink()
    assert_same_model(whole, fitted(name, checkpoint=tmp_path))
    assert_same_model(whole, fitted(name, checkpoint=tmp_path))  # nothing left to do


@pytest.mark.parametrize("name", ["dtsvm", "several trees", "raced"])
def test_resumed_fit_trains_fewer_leaves(name, tmp_path, monkeypatch):
    trained = []
    import treesvm.decomposition.training as training
    import treesvm.model_selection.search_fold as search_fold

    for module, function in (
        (training, "train_part"),
        (search_fold, "evaluate_leaf"),
    ):
        original = getattr(module, function)

        def counting(*args, original=original, **kwargs):
            trained.append(1)
            return original(*args, **kwargs)

        monkeypatch.setattr(module, function, counting)
    fresh = fitted(name, checkpoint=Checkpoint(tmp_path, every=0.0))
    n_fresh = len(trained)
    assert fresh.n_restored_leaves_ == 0
    for path in pieces(tmp_path)[::2]:
        path.unlink()
    trained.clear()
    resumed = fitted(name, checkpoint=tmp_path)
    assert 0 < len(trained) < n_fresh
    assert resumed.n_restored_leaves_ > 0
    trained.clear()
    fitted(name, checkpoint=tmp_path)
    assert len(trained) == 0


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "foreign"])
def test_damaged_pieces_are_done_again(damage, tmp_path):
    whole = fitted("dtsvm", checkpoint=Checkpoint(tmp_path, every=0.0))
    victim = max(pieces(tmp_path), key=lambda path: path.stat().st_size)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 0x40
    victim.write_bytes(
        {
            "cut": bytes(data[: len(data) // 2]),
            "flip": bytes(data),
            "empty": b"",
            "foreign": b"hello",
        }[damage]
    )
    with pytest.warns(UserWarning, match="damaged"):
        again = fitted("dtsvm", checkpoint=tmp_path)
    assert again.n_restored_leaves_ < again.n_leaves_
    assert_same_model(whole, again)
    assert fitted("dtsvm", checkpoint=tmp_path).n_restored_leaves_ == again.n_leaves_


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"C": 3.0}, "parameter C was 'auto', now it is 3.0"),
        ({"leaf_scaling": None}, "parameter leaf_scaling"),
        ({"random_state": 5}, "seeds of random_state"),
        ({"X": 1}, "features was"),
        ({"y": 1}, "labels was"),
        ({"n": 1}, "rows was '2000 × 6, float32', now it is '1999 × 6"),
        ({"weight": 1}, "sample_weight was"),
    ],
)
def test_checkpoint_of_another_fit_is_refused_by_name(change, named, tmp_path):
    X, y = rows()
    weight = np.ones(len(y))
    model = clone(FITS["dtsvm"]).set_params(checkpoint=tmp_path)
    model.fit(X, y, sample_weight=weight)
    if "X" in change:
        X[17, 2] += 0.25
    if "y" in change:
        y[17] = (y[17] + 1) % 3
    if "weight" in change:
        weight[17] = 2.0
    if "n" in change:
        X, y, weight = X[1:], y[1:], weight[1:]
    parameters = {k: v for k, v in change.items() if k in model.get_params()}
    before = everything(model)
    with pytest.raises(ValueError, match="another fit") as caught:
        model.set_params(**parameters).fit(X, y, sample_weight=weight)
    assert named in str(caught.value)
    assert "another folder" in str(caught.value)
    assert len(everything(model)) == len(before)  # and the old model is still there


def test_other_estimator_is_refused(tmp_path):
    fitted("dtsvm", checkpoint=tmp_path)
    with pytest.raises(ValueError, match="estimator was 'DTSVMClassifier'"):
        fitted("raced", checkpoint=tmp_path)


def test_threads_and_words_are_not_part_of_a_fit(tmp_path, capsys):
    whole = fitted("dtsvm", checkpoint=tmp_path)
    again = fitted("dtsvm", checkpoint=tmp_path, n_jobs=2, verbose=1)
    assert again.n_restored_leaves_ == whole.n_leaves_
    assert_same_model(whole, again)


def test_random_splits_of_another_run_are_refused(tmp_path):
    from sklearn.model_selection import ShuffleSplit

    X, y = rows()
    model = clone(FITS["raced"]).set_params(checkpoint=tmp_path, cv=ShuffleSplit(2))
    model.fit(X, y)
    with pytest.raises(ValueError, match="the split of cv"):
        model.fit(X, y)


@pytest.mark.parametrize(
    ("value", "words"), [("", "folder"), (7, "folder"), ("file", "is a file")]
)
def test_checkpoint_that_is_no_folder_is_refused(value, words, tmp_path):
    (tmp_path / "file").write_text("text")
    value = tmp_path / "file" if value == "file" else value
    with pytest.raises(ValueError, match=words):
        fitted("dtsvm", checkpoint=value)


def test_kernel_function_is_refused(tmp_path):
    X, y = rows(500)
    model = DTSVMClassifier(kernel=lambda a, b: a @ b.T, checkpoint=tmp_path)
    with pytest.raises(ValueError, match="named kernel"):
        model.fit(X, y)


def test_folder_is_not_part_of_the_model_file(tmp_path):
    model = fitted("dtsvm", checkpoint=tmp_path / "folder")
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.checkpoint is None
    assert_same_model(model, loaded)


def test_unfinished_files_are_cleared_away(tmp_path):
    fitted("dtsvm", checkpoint=tmp_path)
    left = tmp_path / ".items-1.piece.abc.tmp"
    left.write_bytes(b"half")
    fitted("dtsvm", checkpoint=tmp_path)
    assert not left.exists()
