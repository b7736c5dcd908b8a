"""Ten thousand damaged model files, each opened under limits and then asked."""

import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.damaged_models import RAW, SIGNED
from benchmarks.limited_child import BYTES, SECONDS, open_all
from benchmarks.model_samples import sample_rows, samples
from benchmarks.records import CaseResult, Claim, Record
from benchmarks.zip_bombs import BOMBS
from treesvm import load_model
from treesvm.persistence import ModelFileError

N_FILES, N_QUICK = 10_000, 300
_BATCH = 1_000
_BOMB_SHARE = 0.01
_SIGNED_SHARE = 0.65
_MAX_WIDTH = 1000  # rows that wide are made to ask a model that was accepted
_FINE = ("refused", "loaded and answered", "loaded, rows refused")


def models_case(context):
    """Make the files, open them in children, count what happened."""
    n_files = N_QUICK if context.quick else N_FILES
    start = time.perf_counter()
    kinds, answers = damaged_and_opened(n_files)
    seconds = time.perf_counter() - start
    bad = [a for a in answers if a["outcome"] not in _FINE]
    slowest = max(a["seconds"] for a in answers)
    largest = max(a["peak_mb"] for a in answers)
    signed_share = sum(kind in SIGNED for kind in kinds) / len(kinds)
    record = Record("models", "treesvm load_model", "damaged files", seconds=seconds)
    few = {"higher_is_better": False}
    claims = [
        Claim("model files that did harm", float(len(bad)), 0.0, unit="files", **few),
        Claim("valid checksums, wrong contents", 100 * signed_share, 50.0, unit="%"),
        Claim("slowest file", slowest, SECONDS, unit="s", **few),
        Claim("largest peak", largest, BYTES / 2**20, unit="MB", **few),
    ]
    notes = [f"{a['outcome']}: {a.get('note', '')}" for a in bad[:5]]
    table = {"Damaged model files": outcome_rows(kinds, answers)}
    return CaseResult([record], claims, table, notes)


def damaged_and_opened(n_files, seed=0):
    """Return the kind of damage and the answer of the child for every file."""
    good, bombs = samples(), {}
    kinds, answers = [], []
    for first in range(0, n_files, _BATCH):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number in range(first, min(first + _BATCH, n_files)):
                kind, data = damaged(number, seed, good, bombs)
                path = Path(folder, f"{number}.model")
                path.write_bytes(data)
                kinds.append(kind)
                paths.append(path)
            answers += open_all("benchmarks.hostile_models:opener", paths, folder)
    return kinds, answers


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


def opener():
    """Return what a child does with a path, after loading and asking every sample."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    watch = {"is_on": False}
    for sample in samples():
        with tempfile.NamedTemporaryFile() as file:
            file.write(sample.data)
            file.flush()
            _open(file.name, watch)
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


def outcome_rows(kinds, answers):
    """One row for each kind of damage: how many, what happened, slowest, largest."""
    rows = []
    for kind in (*SIGNED, *RAW, *BOMBS):
        own = [a for k, a in zip(kinds, answers, strict=True) if k == kind]
        if not own:
            continue
        counts = Counter(a["outcome"] for a in own)
        fine = {outcome: counts.pop(outcome, 0) for outcome in _FINE}
        rows.append(
            {
                "damage": kind,
                "signed": "yes" if kind in SIGNED else "no",
                "files": len(own),
                **fine,
                "harm": sum(counts.values()),
                "slowest s": max(a["seconds"] for a in own),
                "peak MB": max(a["peak_mb"] for a in own),
            }
        )
    return rows
