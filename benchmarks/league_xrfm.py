"""xRFM, run by the Python of an environment of its own (torch is large).

    python -m venv FOLDER
    FOLDER/bin/pip install torch==2.13.0
    FOLDER/bin/pip install xrfm
    TREESVM_XRFM=FOLDER/bin/python python -m benchmarks league ...

A fifth of the training rows validates, as its authors do it; columns are standardised
and categories are indicators. After ten minutes it gives up.

This file is also what the other Python runs, so it imports nothing of this package.
"""

import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SECONDS = 600
THREADS = 2
SETTINGS = {"defaults": True, "held_out": 0.2, "seconds": SECONDS}


def python():
    """Return the Python of the environment with xRFM, or None."""
    named = os.environ.get("TREESVM_XRFM")
    return named if named and Path(named).is_file() else None


def version():
    """Return the installed version, as the other Python knows it."""
    ask = "from importlib.metadata import version; print(version('xrfm'))"
    done = subprocess.run([python(), "-c", ask], capture_output=True, text=True)
    return done.stdout.strip() or "none"


def answers(X, y, X_test, is_regression, seed):
    """Train and predict in the other environment.

    Returns
    -------
    dict or None
        "predicted" (probabilities or numbers), "fit_seconds", "predict_seconds",
        "bytes"; None if it gave up.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.npz")
        np.savez(path, X=X, y=y, X_test=X_test)
        command = [python(), __file__, str(path), str(int(is_regression)), str(seed)]
        threads = {"OMP_NUM_THREADS": str(THREADS), "MKL_NUM_THREADS": str(THREADS)}
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=SECONDS + 60,
                env=os.environ | threads,
            )
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0:
            raise RuntimeError(f"xRFM ended with {done.stderr[-2000:]}")
        found = json.loads(Path(folder, "times.json").read_text(encoding="utf8"))
        found["predicted"] = np.load(Path(folder, "predicted.npy"))
    return found if found["fit_seconds"] <= SECONDS else None


def run(path, is_regression, seed):
    """What the other Python does."""
    import torch
    from xrfm import xRFM

    torch.set_num_threads(THREADS)
    with np.load(path) as stored:
        X, y, X_test = (stored[key] for key in ("X", "y", "X_test"))
    X, X_test = X.astype(np.float32), X_test.astype(np.float32)
    order = np.random.default_rng(seed).permutation(len(y))
    n_val = len(y) // 5
    # Every class has a row that trains.
    first = {int(label): k for k, label in reversed(list(enumerate(y[order])))}
    if not is_regression:
        front = np.array(sorted(first.values()))
        order = np.concatenate([order[front], np.delete(order, front)])
    train, val = order[:-n_val], order[-n_val:]
    mean, spread = (y[train].mean(), y[train].std()) if is_regression else (0, 1)
    target = ((y - mean) / spread).astype(np.float32) if is_regression else y
    start = time.perf_counter()
    model = xRFM(
        device="cpu",
        random_state=seed,
        n_threads=THREADS,
        verbose=False,
        time_limit_s=SECONDS,
    )
    model.fit(X[train], target[train], X[val], target[val])
    fitted = time.perf_counter()
    if is_regression:
        predicted = np.asarray(model.predict(X_test)).ravel() * spread + mean
    else:
        predicted = np.asarray(model.predict_proba(X_test))
    done = time.perf_counter()
    np.save(Path(path).with_name("predicted.npy"), predicted)
    times = {
        "fit_seconds": fitted - start,
        "predict_seconds": done - fitted,
        "bytes": _size(model),
    }
    text = json.dumps(times)
    Path(path).with_name("times.json").write_text(text, encoding="utf8")


def _size(model):
    try:
        return len(pickle.dumps(model))
    except (TypeError, AttributeError, pickle.PicklingError):
        return None


if __name__ == "__main__":
    run(sys.argv[1], bool(int(sys.argv[2])), int(sys.argv[3]))
