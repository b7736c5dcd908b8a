"""Train a model file, look into it, answer files with it."""

import csv
import gzip
import io
import json
import shutil

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from treesvm import HLSVMClassifier, load_model
from treesvm.datasets import make_spirals, read_libsvm
from treesvm.persistence import save_model


def test_train_inspect_predict_a_table(run, flowers):
    code, out, _ = run(
        "train", flowers, "--label", "kind", "--missing", "median", "--test", "0.25"
    )
    assert code == 0
    assert "test accuracy" in out
    assert "support vectors met by a row" in out
    code, out, _ = run("inspect", "flowers.treesvm")
    assert code == 0
    assert "size, colour (3 categories), weight" in out
    code, out, err = run("predict", "flowers.treesvm", flowers)
    assert code == 0
    assert set(out.split()) == set("abc")
    assert len(out.splitlines()) == 400
    assert "400 rows, accuracy = 9" in err


@pytest.mark.parametrize("method", ["dtsvm", "hlsvm", "svm", "partition-tree"])
def test_methods_answer_as_in_python(run, spirals, method):
    assert run("train", spirals, "--method", method, "-o", "m", "-q")[0] == 0
    X, y = read_libsvm(spirals)
    code, out, _ = run("predict", "m", spirals, "--chunk-rows", 100)
    assert code == 0
    expected = load_model("m").predict(X)
    assert np.array_equal(np.array(out.split(), int), expected)
    assert np.mean(expected == y) > 0.9


def test_search_with_json(run, spirals):
    code, out, _ = run(
        *("train", spirals, "--search", "--max-leaf-size", 300, "--json", "-o", "m")
    )
    assert code == 0
    facts = json.loads(out)
    assert facts["model"] == "DTSVMClassifierCV"
    assert facts["accuracy on the training rows"] > 0.9
    assert facts["found C"] > 0


def test_probabilities_and_decisions(run, spirals):
    run("train", spirals, "--probability", "-o", "m", "-q")
    code, out, _ = run("predict", "m", spirals, "--proba")
    lines = out.splitlines()
    assert (code, lines[0]) == (0, "labels 0 1")
    label, *shares = lines[1].split()
    assert sum(map(float, shares)) == pytest.approx(1.0)
    assert np.argmax([float(share) for share in shares]) == int(label)
    assert run("predict", "m", spirals, "--decision", "-o", "out.csv")[0] == 0
    with open("out.csv", encoding="utf8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["label", "decision"]
    assert all((float(value) > 0) == (label == "1") for label, value in rows[1:])


def test_columns_in_another_order_without_labels(run, flowers, tmp_path):
    run("train", flowers, "--missing", "most_frequent", "-q")
    _, expected, _ = run("predict", "flowers.treesvm", flowers)
    rows = list(csv.DictReader(io.StringIO(flowers.read_text())))
    turned = tmp_path / "turned.csv.gz"
    with gzip.open(turned, "wt", newline="") as file:
        writer = csv.DictWriter(
            file, ["weight", "note", "colour", "size"], extrasaction="ignore"
        )
        writer.writeheader()
        writer.writerows({**row, "note": "x"} for row in rows)
    code, out, err = run("predict", "flowers.treesvm", turned, "--chunk-rows", 50)
    assert (code, out) == (0, expected)
    assert "accuracy" not in err


def test_label_first_and_no_header(run, tmp_path, rng):
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] > 0).astype(int)
    np.savetxt(tmp_path / "all.csv", np.c_[y, X], delimiter=",", fmt="%.5f")
    np.savetxt(tmp_path / "rows.csv", X, delimiter=",", fmt="%.5f")
    assert run("train", "all.csv", "--label", 0, "-q")[0] == 0
    code, out, _ = run("predict", "all.treesvm", "rows.csv")
    assert code == 0
    assert np.mean(np.array(out.split(), float) == y) > 0.95


def test_test_file_and_other_formats(run, spirals, tmp_path):
    X, y = read_libsvm(spirals)
    np.savez(tmp_path / "rows.npz", X=X.toarray(), y=y)
    code, out, _ = run("train", "rows.npz", "--test", "rows.npz", "--method", "hlsvm")
    assert code == 0
    assert "test rows" in out
    shutil.copy(spirals, tmp_path / "copy.svm")
    assert run("train", spirals, "--test", "copy.svm", "-q")[0] == 0


def test_predicting_with_an_estimator_saved_in_python(run, spirals):
    X, y = read_libsvm(spirals)
    model = HLSVMClassifier(random_state=0).fit(X, y)
    save_model(model, "bare")
    code, out, _ = run("predict", "bare", spirals)
    assert code == 0
    assert np.array_equal(np.array(out.split(), int), model.predict(X))


def test_tree_is_drawn(run, spirals):
    run("train", spirals, "--max-leaf-size", 50, "-o", "m", "-q")
    code, out, _ = run("inspect", "m", "--tree", "--depth", 2)
    assert code == 0
    assert "the first 2 levels" in out
    code, out, _ = run("inspect", "m", "--tree", "--json")
    assert json.loads(out)["tree"].count("class:") > 2


def test_predict_json_counts_rows(run, spirals):
    run("train", spirals, "-o", "m", "-q")
    code, out, err = run("predict", "m", spirals, "-o", "out.txt", "--json", "-q")
    assert code == 0
    assert json.loads(out)["n_rows"] == 600
    assert err == ""


@pytest.mark.parametrize("is_zero_based", [True, False])
def test_how_features_are_counted_is_found_and_kept(run, tmp_path, is_zero_based):
    X, y = make_spirals(300)
    dump_svmlight_file(X, y, "rows.svm", zero_based=is_zero_based)
    assert run("train", "rows.svm", "-o", "m", "-q")[0] == 0
    assert load_model("m").source_["zero_based"] is is_zero_based
    _, out, err = run("predict", "m", "rows.svm")
    assert "accuracy = 9" in err
    other = "--no-zero-based" if is_zero_based else "--zero-based"
    code, changed, err = run("predict", "m", "rows.svm", other)
    assert (code, "--zero-based" in err) == (int(is_zero_based), is_zero_based)
    assert changed != out


def test_warmup_fits_every_public_estimator(run):
    code, out, err = run("warmup", "--json")
    assert code == 0
    assert {"DTSVMClassifier", "KernelSVR"} <= json.loads(out)["estimators"].keys()
    assert "HLSVMClassifier" in err
