"""Damaged and hostile files: a clear error, or a model that answers."""

import contextlib
import gc
import io
import json
import warnings
import zipfile

import numpy as np
import pytest
from scipy import sparse

from benchmarks.damaged_models import RAW, SIGNED, signed, take_apart
from benchmarks.model_samples import sample_rows, samples
from benchmarks.zip_bombs import BOMBS, zip_of
from treesvm import KernelSVC, load_model, save_model
from treesvm.files.array_files import HEADER
from treesvm.persistence import ModelFileError

SAMPLES = {sample.name: sample for sample in samples()}
TREE = SAMPLES["DTSVMClassifier"]
# Making these takes seconds; benchmarks/hostile_models.py has all of them.
QUICK_BOMBS = sorted(BOMBS.keys() - {"honest bomb", "hidden bomb", "lying directory"})


@pytest.fixture
def load(tmp_path):
    def load(data, **options):
        path = tmp_path / "stranger.model"
        path.write_bytes(data)
        return load_model(path, **options)

    return load


def parts_of(sample):
    header = json.loads(json.dumps(sample.header))
    return header, {name: array.copy() for name, array in sample.arrays.items()}


def ask(model):
    """An accepted model answers, or says that the rows do not fit."""
    fitted = model if hasattr(model, "n_features_in_") else model.estimator
    width = fitted.n_features_in_
    if width > 1000:
        return
    rows = np.resize(sample_rows()[0], (5, width))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model.predict(rows)
        except ValueError:
            return


@pytest.mark.parametrize("kind", SIGNED | RAW)
@pytest.mark.parametrize("name", SAMPLES)
def test_damage_is_refused_or_harmless(kind, name, load):
    for seed in range(4):
        data = (SIGNED | RAW)[kind](SAMPLES[name], np.random.default_rng(seed))
        model = None
        with contextlib.suppress(ModelFileError):
            model = load(data)
        if model is not None:
            ask(model)


@pytest.mark.parametrize("kind", QUICK_BOMBS)
def test_bombs(kind, load):
    data = BOMBS[kind](TREE)
    if kind in ("many parts", "many machines"):
        assert load(data).n_leaves_ > 10_000
        gc.collect()
        return
    with pytest.raises(ModelFileError):
        load(data)


def test_zeros_beyond_what_numbers_compress_to_are_a_bomb(load):
    data = zip_of([(HEADER, [bytes(2**20)] * 20)])
    with pytest.raises(ModelFileError, match="zip bomb"):
        load(data)


@pytest.mark.parametrize("size", [0, 1, 21, 22, 100])
def test_short_files(size, load):
    with pytest.raises(ModelFileError, match=r"stranger\.model: "):
        load(TREE.data[:size])
    with pytest.raises(ModelFileError):
        load(bytes(size))


def test_limit_is_the_callers(load):
    with pytest.raises(ModelFileError, match="larger max_bytes"):
        load(TREE.data, max_bytes=1000)
    load(TREE.data, max_bytes=2**30)


def test_pickles_are_never_opened(tmp_path, load):
    path = tmp_path / "objects.npz"
    np.savez(path, a=np.array([{}], dtype=object))
    with pytest.raises(ModelFileError, match="header"):
        load(path.read_bytes())


def test_other_zip_files_and_pipes_are_refused(tmp_path, load):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ModelFileError, match="not a model file"):
        load((tmp_path / "a.zip").read_bytes())
    with pytest.raises(ModelFileError, match="not a regular file"):
        load_model(tmp_path)


def change(name, values):
    """Put values at places of an array: ``{place: value}``."""

    def changed(header, arrays):
        for place, value in values.items():
            arrays[name][place] = value

    return changed


def set_header(*path, value):
    def changed(header, arrays):
        node = header
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = value

    return changed


WRONG = {
    "cycle": (change("trees.left", {0: 0}), "its own ancestor"),
    "child twice": (change("trees.left", {0: 2}), "no parent or several"),
    "half a leaf": (change("trees.right", {0: -1}), "half a leaf"),
    "no such node": (change("trees.left", {0: 10**6}), "links to no node"),
    "no such feature": (change("trees.feature", {0: 4}), "does not exist"),
    "bad threshold": (change("trees.threshold", {0: np.nan}), "NaN or infinity"),
    "negative weight": (change("trees.value", {(0, 0): -1.0}), "below 0"),
    "no such class": (change("parts.code", {0: 3}), "above 2"),
    "no machine": (change("parts.has_machine", {...: False}), "no leaf"),
    "bad coefficient": (change("machines.coefficients", {0: np.inf}), "NaN or inf"),
    "huge vector": (change("vectors.dense", {0: 1e308}), "beyond 1e\\+16"),
    "huge coefficient": (change("machines.coefficients", {0: -1e301}), "beyond 1e"),
    "checkpoint": (
        set_header("parameters", "checkpoint", value="/etc"),
        "a place on your disk",
    ),
    "bad vector": (change("vectors.dense", {0: np.nan}), "NaN or infinity"),
    "bad column": (change("machines.columns", {0: 4}), "above 3"),
    "bad row": (change("machines.support", {0: 10**9}), "beyond the training rows"),
    "bad count": (change("machines.class_counts", {0: 10**6}), "do not add up"),
    "bad size": (change("machines.sizes", {(0, 0): 2**50}), "do not add up"),
    "class order": (change("machines.present", {0: 2}), "not sorted"),
    "label twice": (change("classes", {1: "setosa"}), "not sorted or occur twice"),
    "format": (set_header("format", value=99), "newer treesvm"),
    "old format": (set_header("format", value=0), "never existed"),
    "class": (set_header("class", value="os.system"), "unknown class"),
    "wrapper": (set_header("wrapper", value={"class": "os", "spec": 1}), "unknown"),
    "C": (set_header("parameters", "C", value=-1), "C=-1"),
    "n_jobs": (set_header("parameters", "n_jobs", value=10**9), "n_jobs"),
    "other parameter": (set_header("parameters", "more", value=1), "no parameter"),
    "kernel": (
        set_header("parameters", "kernel", value="linear"),
        "where its parameters say",
    ),
    "gamma": (change("kernels.gamma", {0: -1.0}), "below"),
    "huge gamma": (change("kernels.gamma", {0: 1e308}), "above 1e"),
    "no partition": (
        set_header("state", "members", "partitions", value=[]),
        "no partition",
    ),
    "other partition": (
        set_header("state", "members", "partitions", value=[["random", 2, -1]]),
        "unknown or damaged",
    ),
    "scaling": (
        set_header("state", "members", "machines", "scaling", value="os"),
        "unknown kind",
    ),
    "field": (set_header("state", "trees_", value=None), "no use for it"),
    "slope": (set_header("state", "calibration", "slope", value=-1.0), "slope"),
    "no slope": (set_header("state", "calibration", value=None), "probabilities"),
    "width": (
        set_header("state", "features", "n_features", value=2),
        "does not exist|above 1",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_signed_nonsense_is_named(name, load):
    damage, message = WRONG[name]
    header, arrays = parts_of(TREE)
    damage(header, arrays)
    with pytest.raises(ModelFileError, match=message):
        load(signed(header, arrays))


WRONG_TABLES = {
    "slope": (change("committee.slopes", {0: 0.0}), "below"),
    "offset": (set_header("state", "committee", "offset", value="a"), "'offset'"),
    "shares": (change("committee.shares", {0: 0.5}), "shares .* add up to 1"),
    "no share": (change("committee.shares", {0: 0.0}), "below"),
    "weights": (change("committee.weights", {0: 2.0}), "weights .* add up to 1"),
    "no members": (set_header("state", "members_", value={}), "no members"),
    "theta": (set_header("state", "best_theta_", value=None), "out of range"),
    "C": (set_header("state", "best_theta_", "dict", 0, 1, value=-1), "out of range"),
    "kernel": (
        set_header("state", "best_theta_", "dict", 2, 1, value="os"),
        "out of range",
    ),
    "stopped": (set_header("state", "stopped_early_", value=1), "out of range"),
    "long text": (
        set_header(
            *("state", "search_results_", "dict", 0, 1, "array", 0), value="a" * 10**5
        ),
        "long text",
    ),
    "columns": (set_header("state", "encoder", "columns", value=[]), "no list"),
    "name": (
        set_header("state", "encoder", "columns", 0, "name", value="height"),
        "wants other columns",
    ),
    "category": (
        set_header("state", "encoder", "columns", 1, "categories", value=["a", "a"]),
        "not different texts",
    ),
    "factor": (change("encoder.factor", {0: np.inf}), "NaN or infinity"),
    "classes inside": (change("member0.classes", {2: 3}), "other features or classes"),
}


@pytest.mark.parametrize("name", WRONG_TABLES)
def test_signed_nonsense_of_a_front_door_is_named(name, load):
    damage, message = WRONG_TABLES[name]
    header, arrays = parts_of(SAMPLES["TreeSVC frame"])
    damage(header, arrays)
    with pytest.raises(ModelFileError, match=message):
        load(signed(header, arrays))


@pytest.mark.parametrize("name", ["target_mean_", "target_scale_"])
def test_units_of_a_target_are_positive_numbers(name, load):
    for value in (None, {"float": "nan"}, "a", 0.0 if "scale" in name else []):
        header, arrays = parts_of(SAMPLES["TreeSVR"])
        header["state"][name] = value
        with pytest.raises(ModelFileError, match=name):
            load(signed(header, arrays))


def test_every_number_of_sparse_vectors_is_checked(tmp_path, load):
    X, y = sample_rows()
    path = tmp_path / "sparse.model"
    save_model(KernelSVC().fit(sparse.csr_matrix(X), y), path)
    sample = take_apart("sparse", path.read_bytes())
    sample.arrays["vectors.data"][-1] = 1e308
    with pytest.raises(ModelFileError, match=r"'vectors\.data' .* beyond"):
        load(signed(sample.header, sample.arrays))


def test_text_that_is_no_text(load):
    header, arrays = parts_of(TREE)
    arrays["classes"].view(np.uint32)[0] = 0x110000
    with pytest.raises(ModelFileError, match="invalid characters"):
        load(signed(header, arrays))


def test_wrong_checksum_is_named(load):
    header, arrays = parts_of(TREE)
    data = signed(header, arrays)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    old = members["trees.threshold.npy"]
    members["trees.threshold.npy"] = old[:-8] + np.float64(1.5).tobytes()
    with pytest.raises(ModelFileError, match="checksum of array"):
        load(zip_of([(name, [data]) for name, data in members.items()]))


def test_file_that_asks_for_too_much_memory_is_refused(load, monkeypatch):
    def read(*_):
        raise MemoryError

    monkeypatch.setattr("treesvm.persistence.model_file.read_archive", read)
    with pytest.raises(
        ModelFileError, match="not enough memory for it; lower max_bytes"
    ):
        load(b"some bytes")


def test_front_door_that_claims_to_be_of_the_first_format(load):
    header, arrays = parts_of(SAMPLES["TreeSVC frame"])
    with pytest.raises(ModelFileError, match="format 1 had no TreeSVC"):
        load(signed(header | {"format": 1}, arrays))
