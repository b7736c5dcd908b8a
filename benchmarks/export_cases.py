"""The cases of the benchmark of exports."""

import numpy as np

from benchmarks import data
from benchmarks.export_answers import (
    differences,
    in_c,
    in_onnx,
    onnx_session,
    reference,
)
from benchmarks.records import CaseResult, Record, fewer
from benchmarks.timing import measure
from treesvm import DTSVMClassifier, HLSVMClassifier, KernelSVC, compress
from treesvm.export import to_c, to_onnx
from treesvm.export.c_compiler import compiler, object_bytes

_SETS = ("covtype", "letter", "magic", "pendigits", "shuttle", "eeg_eye_state")
_TRAINING_ROWS = 6_000
_ASKED_ROWS = 10_000
_SCORE_ERROR = 1e-5


def _rows(context, name, n_train, n_asked):
    """Return training rows and labels, and rows to ask, in single precision."""
    found = data.load(context.data, name)
    X, y = found.X, found.y
    if found.X_test is not None:
        X, y = np.vstack([X, found.X_test]), np.concatenate([y, found.y_test])
    train = data.sample_rows(len(y), n_train, seed=0)
    (X,) = data.scale(X[train], X)[1:]
    X = X.astype(np.float32)
    return X[train], y[train], X[data.sample_rows(len(y), n_asked, seed=1)]


def _models(X, y):
    """Yield (name, fitted model)."""
    leaves = DTSVMClassifier(max_leaf_size=800, probability=False, random_state=0).fit(
        X, y
    )
    yield "DTSVM, laplacian", leaves
    options = {"kernel": "rbf", "leaf_scaling": "quantile", "random_state": 0}
    gaussian = DTSVMClassifier(max_leaf_size=800, probability=False, **options).fit(
        X, y
    )
    yield "DTSVM, rbf, quantiles", gaussian
    yield "compressed DTSVM", compress(leaves, X, y, random_state=0)
    yield "KernelSVC, rbf", KernelSVC(C=10.0, break_ties=True).fit(X[::3], y[::3])
    yield "H-LSVM", HLSVMClassifier(random_state=0).fit(X, y)


def equality_case(context):
    """Labels and scores of both targets against Python's."""
    context.start_ours()
    n_asked = 500 if context.quick else _ASKED_ROWS
    n_train = 600 if context.quick else _TRAINING_ROWS
    table, worst, wrong = [], 0.0, 0
    for name in _SETS[:2] if context.quick else _SETS:
        X, y, asked = _rows(context, name, n_train, n_asked)
        for kind, model in _models(X, y):
            line = {"set": name, "model": kind, "rows": len(asked)}
            for target, apart, size in _compared(model, asked):
                line[f"{target}: labels"] = apart.n_labels
                line[f"{target}: scores"] = apart.score
                line[f"{target}: kB"] = round(size / 1000, 1)
                worst, wrong = max(worst, apart.score), wrong + apart.n_labels
                line["unclear"] = apart.n_unclear
            table.append(line)
    claims = [
        fewer(
            "labels that differ where the best score leads by 1e-5", wrong, 0.0, unit=""
        ),
        fewer("largest relative difference of scores", worst, _SCORE_ERROR, unit=""),
    ]
    return CaseResult(claims=claims, tables={"Answers of exported models": table})


def _compared(model, asked):
    """Yield (target, differences, bytes); C is left out without a compiler."""
    known = reference(model, asked)
    made = to_onnx(model)
    labels, scores = in_onnx(onnx_session(made), asked)
    if isinstance(model, HLSVMClassifier):  # its second output are probabilities
        n_classes = len(model.classes_)
        scores = scores[:, 1:] - scores[:, :1] if n_classes == 2 else scores
    yield "ONNX", differences(known, labels, scores), len(made.SerializeToString())
    if compiler() is None:
        return
    text = to_c(model)
    labels, scores, _ = in_c(text, asked, model, known.scores.shape[1])
    yield "C", differences(known, labels, scores), object_bytes(text.encode("ascii"))


def speed_case(context):
    """Microseconds for a row: C, the compiled predictor, batches of both."""
    context.start_ours()
    problems = {
        "H-LSVM, covtype": ("covtype", HLSVMClassifier(random_state=0), 484_176),
        "DTSVM, covtype": ("covtype", DTSVMClassifier(random_state=0), 60_000),
        "DTSVM, letter": ("letter", DTSVMClassifier(random_state=0), 15_000),
    }
    result, table = CaseResult(), []
    for name, (set_name, model, n_train) in problems.items():
        n_train = 3_000 if context.quick else n_train
        X, y, asked = _rows(context, set_name, n_train, 10_000)
        model.fit(X, y)
        line = {"model": name} | _times(model, asked, context.repeat)
        table.append(line)
        result.records += [
            Record("speed", way, name, seconds / 1e6)
            for way, seconds in line.items()
            if way != "model" and seconds is not None
        ]
        if name == "H-LSVM, covtype" and line["C, one row"] is not None:
            claim = fewer(f"{name}: a row in C", line["C, one row"], 0.5, unit="µs")
            result.claims.append(claim)
    result.tables["Microseconds for a row, one thread"] = table
    return result


def _times(model, asked, repeat):
    """Return microseconds for a row, by way of asking."""
    answer, some = model.predictor(), list(asked[:1000])
    session = onnx_session(to_onnx(model))
    ways = {
        "predict, batch": (lambda: model.predict(asked), len(asked)),
        "onnxruntime, batch": (lambda: in_onnx(session, asked), len(asked)),
        "predictor(), one row": (lambda: [answer(x) for x in some], len(some)),
        "onnxruntime, one row": (
            lambda: [in_onnx(session, x[None]) for x in some], len(some),
        ),
    }  # fmt: skip
    found = {}
    for name, (work, n_rows) in ways.items():
        timing = measure(work, repeat=max(repeat, 2), warm_up=work)
        found[name] = 1e6 * timing.seconds / n_rows
    found["C, one row"] = None
    if compiler() is not None:
        n_scores = len(model.classes_)
        _, _, seconds = in_c(to_c(model), asked, model, n_scores, repeat=repeat + 2)
        found["C, one row"] = 1e6 * seconds
    return found
