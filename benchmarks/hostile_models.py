"""A hundred thousand damaged model files, each opened under limits and then asked."""

import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.damaged_models import RAW, SIGNED
from benchmarks.hostile_tally import kind_rows, run_batches
from benchmarks.limited_child import LIMITS, open_all
from benchmarks.model_samples import sample_rows, samples
from benchmarks.records import CaseResult, Claim, Record, fewer
from benchmarks.zip_bombs import BOMBS
from treesvm import load_model
from treesvm.persistence import ModelFileError

N_FILES, N_QUICK = 100_000, 300
_BATCH = 2_000
_BOMB_SHARE = 0.01
_SIGNED_SHARE = 0.65
_MAX_WIDTH = 1000  # rows that wide are made to ask a model that was accepted
FINE = ("refused", "loaded and answered", "loaded, rows refused")


def models_case(context):
    """Make the files, open them in children, count what happened."""
    n_files = N_QUICK if context.quick else N_FILES
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        good = write_samples(Path(folder, "good"))
        total = run_batches(
            "models",
            n_files,
            min(_BATCH, n_files),
            lambda numbers: opened(numbers, good, folder),
            FINE,
            quick=context.quick,
        )
    seconds = time.perf_counter() - start
    kinds = total["kinds"]
    n_signed = sum(sum(kinds[k]["outcomes"].values()) for k in kinds if k in SIGNED)
    slowest = max(own["slowest"] for own in kinds.values())
    largest = max(own["peak_mb"] for own in kinds.values())
    record = Record("models", "treesvm load_model", "damaged files", seconds=seconds)
    share, n_bad = 100 * n_signed / total["n_items"], float(len(total["harm"]))
    claims = [
        Claim("damaged model files", total["n_items"], n_files, unit="files"),
        fewer("model files that did harm", n_bad, 0.0, unit="files"),
        Claim("valid checksums, wrong contents", share, 50.0, unit="%"),
        fewer("slowest file", slowest, LIMITS.seconds, unit="s"),
        fewer("largest peak", largest, LIMITS.n_bytes / 2**20, unit="MB"),
    ]
    notes = [f"{kind}: {words}" for _, kind, words in total["harm"][:5]]
    table = {"Damaged model files": kind_rows(total, FINE, "damage")}
    return CaseResult([record], claims, table, notes)


def write_samples(folder):
    """Write a file of every sample; return the samples."""
    folder.mkdir()
    good = samples()
    for number, sample in enumerate(good):
        (folder / f"{number}.model").write_bytes(sample.data)
    return good


def opened(numbers, good, folder, seed=0):
    """Return the kind of damage and the answer of the child for every number.

    The folder holds the samples, see `write_samples`.
    """
    bombs, kinds, paths = {}, [], []
    with tempfile.TemporaryDirectory(dir=folder) as batch:
        for number in numbers:
            kind, data = damaged(number, seed, good, bombs)
            path = Path(batch, f"{number}.model")
            path.write_bytes(data)
            kinds.append(kind)
            paths.append(path)
        answers = open_all("benchmarks.hostile_models:opener", paths, folder)
    return list(zip(kinds, answers, strict=True))


def damaged(number, seed, good, bombs):
    """Return kind and bytes of one bad file; it depends on number and seed only."""
    rng = np.random.default_rng([seed, number])
    sample = good[number % len(good)]
    draw = rng.random()
    if draw < _BOMB_SHARE:
        kind = list(BOMBS)[rng.integers(len(BOMBS))]
        if kind not in bombs:  # large ones take seconds to make
            bombs[kind] = BOMBS[kind](sample)
        return kind, bombs[kind]
    table = SIGNED if draw < _BOMB_SHARE + _SIGNED_SHARE else RAW
    kind = list(table)[rng.integers(len(table))]
    return kind, table[kind](sample, rng)


def opener(folder):
    """Return what a child does with a path, after loading and asking every sample."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    watch = {"is_on": False}
    for path in sorted(Path(folder, "good").iterdir()):
        _open(path, watch)
    return _open


def _open(path, watch):
    """Load one file and ask it; return what happened in a word or two."""
    try:
        model = load_model(path)
    except ModelFileError:
        return "refused"
    except MemoryError:
        return "out of memory"
    except Exception as error:  # that is what this looks for
        return f"{type(error).__name__}: {error}"[:200]
    watch["is_on"] = False  # asking may compile for types that were not met before
    return _ask(model)


def _ask(model):
    """Ask an accepted model; its answers may be nonsense, but must come."""
    fitted = model if hasattr(model, "n_features_in_") else model.estimator
    width = fitted.n_features_in_
    if width > _MAX_WIDTH:
        return "loaded and answered"
    rows = np.resize(sample_rows()[0], (20, width))
    try:
        model.predict(rows)
        if hasattr(model, "predictor"):
            model.predictor()(rows[0])
    except ValueError:
        return "loaded, rows refused"
    except Exception as error:
        return f"asking: {type(error).__name__}: {error}"[:200]
    return "loaded and answered"
