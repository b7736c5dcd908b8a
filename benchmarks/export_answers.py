"""How far the answers of exported models are from those of Python."""

import tempfile
from typing import NamedTuple

import numpy as np
import onnxruntime

from benchmarks.c_driver import answers_in_c

CLEAR = 1e-5  # a lead of the best score above the second that no rounding may turn


class Differences(NamedTuple):
    n_labels: int  # that differ although the best score leads clearly
    n_unclear: int  # rows without a clear lead
    score: float  # largest difference of scores, relative to 1 + their size


class Reference(NamedTuple):
    """What Python says of rows in single precision."""

    labels: np.ndarray
    scores: np.ndarray  # (n_rows, n_scores), summed in double precision


def reference(model, X):
    """Return the answers of `predict`, and the scores of each row by itself."""
    decide = model.predictor().decision
    scores = np.array([np.atleast_1d(decide(x)) for x in X.astype(np.float64)])
    return Reference(model.predict(X), scores)


def differences(known, labels, scores):
    """Return how labels and scores differ from a `Reference`."""
    by_class = known.scores
    if by_class.shape[1] == 1:
        by_class = np.hstack([-by_class, by_class])
    best = np.sort(by_class, axis=1)
    is_clear = best[:, -1] - best[:, -2] > CLEAR
    apart = np.abs(scores - known.scores) / (1.0 + np.abs(known.scores))
    n_labels = int(np.sum((labels != known.labels) & is_clear))
    return Differences(n_labels, int(np.sum(~is_clear)), float(apart.max()))


def onnx_session(made, threads=1):
    """Return a session of onnxruntime with so many threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(
        made.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def in_onnx(session, X):
    """Return the label and the second output of every row."""
    return session.run(None, {"X": X})


def in_c(text, X, model, n_scores, repeat=1):
    """Return labels, scores and seconds for a row."""
    with tempfile.TemporaryDirectory() as folder:
        found = answers_in_c(text, X, n_scores, folder, repeat=repeat)
    return model.classes_[found.answers.astype(int)], found.scores, found.seconds
