"""C files say what the models say, under strict flags and sanitizers."""

import re

import numpy as np
import pandas as pd
import pytest
from exported_models import (
    all_models,
    asked_rows,
    decomposed_machines,
    front_doors,
    kernel_machines,
    linear_machines,
    noisy_committees,
    random_parts,
    regressors,
    training_rows,
)

from benchmarks.c_driver import SANITIZED, STRICT, answers_in_c
from treesvm import DTSVMClassifier, HLSVMClassifier, TreeSVC
from treesvm.export import to_c
from treesvm.export.c_compiler import compiler, object_bytes
from treesvm.export.c_text import array, comment, string
from treesvm.export.plan import plan_of
from treesvm.export.rounding import rounded_down

needs_compiler = pytest.mark.skipif(
    compiler() is None, reason="there is no C compiler: the variable CC, or cc"
)
HOSTILE = [
    "*/ int evil = 1; /*", 'quote " and \\', "line\nbreak\r\t", "??/ ??' trigraph",
    "// \\", "é ∑ 漢字 \U0001f600", "%s %n", "x" * 10_000, "",
]  # fmt: skip


def check_answers(model, text, X, folder, flags=(*STRICT, "-O1")):
    """The program's answers are those of the model."""
    rows = X.astype(np.float64)
    n_scores = 0
    if hasattr(model, "classes_"):
        known = model.decision_function(rows).reshape(len(rows), -1)
        n_scores = known.shape[1]
    found = answers_in_c(text, X, n_scores, folder, flags=flags)
    if not n_scores:
        np.testing.assert_allclose(found.answers, model.predict(rows), rtol=1e-6)
        return
    labels = model.classes_[found.answers.astype(int)]
    np.testing.assert_array_equal(labels, model.predict(rows))
    np.testing.assert_allclose(found.scores, known, rtol=1e-6, atol=1e-6)


@needs_compiler
@pytest.mark.parametrize(
    "source",
    [
        kernel_machines, decomposed_machines, linear_machines, front_doors, regressors,
        noisy_committees, random_parts,
    ],
)  # fmt: skip
def test_every_model_answers_as_in_python(source, tmp_path):
    for name, model in all_models(source).items():
        try:
            check_answers(model, to_c(model), asked_rows(model), tmp_path)
        except (AssertionError, RuntimeError) as error:
            raise AssertionError(f"{name}: {error}") from error


@needs_compiler
@pytest.mark.parametrize(
    "name",
    [
        "decomposed_machines: leaves",
        "decomposed_machines: support vector trees, shared=False",
        "decomposed_machines: quantiles",
        "decomposed_machines: committee",
        "linear_machines: ovo",
    ],
)
def test_sanitizers_find_nothing(name, tmp_path):
    model = all_models(decomposed_machines, linear_machines)[name]
    check_answers(model, to_c(model), asked_rows(model), tmp_path, SANITIZED)


def test_shares_that_would_turn_answers_are_among_the_models():
    for name, model in all_models(noisy_committees).items():
        if len(model.decompositions_) > 1 or "no shares" in name:
            continue
        scores, parts = model.decompositions_[0].says(asked_rows(model).astype(float))
        shift = plan_of(model).calibrations[0][1][parts]
        assert (np.argmax(scores + shift, axis=1) != scores.argmax(axis=1)).any()


@needs_compiler
def test_missing_numbers_are_filled(tmp_path):
    model = all_models(front_doors)["front_doors: TreeSVC"]
    X = training_rows()[0].copy()
    X[::2, 1] = np.nan
    check_answers(model, to_c(model), X, tmp_path, SANITIZED)


@needs_compiler
def test_rows_on_the_cuts_go_the_same_way(tmp_path, rng):
    X = rng.integers(0, 1000, (400, 2)).astype(np.float32) / np.float32(7)
    y = (X[:, 0] > 70) ^ (X[:, 1] > 70)
    model = DTSVMClassifier(max_leaf_size=30, random_state=0).fit(X, y)
    tree = model.trees_[0]
    cuts = tree.threshold[~tree.is_leaf]
    near = rounded_down(cuts)
    rows = X[rng.integers(len(X), size=3 * len(cuts))].copy()
    features = np.tile(tree.feature[~tree.is_leaf], 3)
    sides = [np.nextafter(near, np.float32(side)) for side in (-np.inf, np.inf)]
    rows[np.arange(len(rows)), features] = np.concatenate([near, *sides])
    check_answers(model, to_c(model), rows, tmp_path)


def test_thresholds_are_rounded_down(rng):
    x = np.unique(rng.normal(size=500).astype(np.float32))
    middles = (x[:-1].astype(float) + x[1:]) / 2
    cuts = np.concatenate([x, middles, [1e300, -1e300, 0.1]])
    single = rounded_down(cuts)
    for cut, rounded in zip(cuts, single, strict=True):
        np.testing.assert_array_equal(x <= rounded, x <= cut)


@needs_compiler
def test_hostile_names_stay_in_strings_and_comments(tmp_path):
    X, y, _ = training_rows()
    for number in range(0, len(HOSTILE), 3):
        classes = np.array(HOSTILE[number : number + 3], dtype=object)
        names = [*HOSTILE[number : number + 3], "plain"]
        frame = pd.DataFrame(X, columns=[f"{name}{j}" for j, name in enumerate(names)])
        model = HLSVMClassifier(random_state=0).fit(frame, classes[y])
        text = to_c(model)
        assert "evil = 1" not in re.sub(r'/\*.*?\*/|"[^"]*"', "", text, flags=re.S)
        check = model.classes_
        found = answers_in_c(text, X, 3, tmp_path, flags=SANITIZED)
        said = check[found.answers.astype(int)]
        np.testing.assert_array_equal(said, model.predict(frame))


@pytest.mark.parametrize("text", HOSTILE)
def test_strings_and_comments_hold_plain_characters_only(text):
    made = string(text)
    codes = re.findall(r"\\(\d{3})|([^\\\"'{}, ])|( )", made)
    assert not re.search(r'[?*/"\n]', made.strip('"'))
    assert made.isascii()
    assert len(codes) >= len(text.encode("utf8"))
    assert not re.search(r'[?*/\\"\n]', comment(text))
    assert len(comment(text)) < 1000


@needs_compiler
def test_names_of_classes_come_back_whole(tmp_path):
    import ctypes
    import subprocess

    X, y, _ = training_rows()
    for number in range(0, len(HOSTILE), 3):
        classes = np.array(HOSTILE[number : number + 3], dtype=object)
        model = HLSVMClassifier(random_state=0).fit(X, classes[y])
        source, made = tmp_path / "m.c", tmp_path / f"m{number}.so"
        source.write_text(to_c(model), encoding="ascii")
        command = [compiler(), *STRICT, "-shared", "-fPIC", source, "-o", made, "-lm"]
        subprocess.run(command, check=True)
        class_name = ctypes.CDLL(str(made)).class_name
        class_name.restype = ctypes.c_char_p
        said = [class_name(code).decode("utf8") for code in range(3)]
        assert said == model.classes_.tolist()
        assert class_name(3) == b""


def test_tables_take_the_smallest_type_that_is_exact():
    assert "const short t[]" in array("t", [1, -32767])
    assert "const int t[]" in array("t", [32768])
    assert "const float t[]" in array("t", np.array([0.5, 3.0]))
    assert "const double t[]" in array("t", np.array([0.1]))
    assert "-INFINITY" in array("t", np.array([-np.inf]))
    assert "{\n0\n}" in array("t", np.zeros(0, int))


def test_nothing_is_allocated_and_no_global_is_written():
    X, y, _ = training_rows()
    text = to_c(DTSVMClassifier(max_leaf_size=40, random_state=0).fit(X, y))
    assert not re.search(r"\b(malloc|calloc|alloca|free)\(", text)
    outside = re.findall(r"^static (?!const).*[^)]$", text, flags=re.M)
    assert outside == []  # tables are const, the others are functions


def test_columns_of_text_are_named():
    X, y, _ = training_rows()
    frame = pd.DataFrame({"size": X[:, 0], "colour": np.array(["r", "g", "b"])[y]})
    model = TreeSVC(time_limit=0.3).fit(frame, y)
    with pytest.raises(ValueError, match="column 'colour' holds text"):
        to_c(model)


def test_without_compiler_there_is_no_size(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    assert object_bytes(b"int a;") is None


@needs_compiler
def test_a_file_that_does_not_compile_has_no_size():
    assert object_bytes(b"int;;; x") is None
    assert object_bytes(b"int x;") > 0
