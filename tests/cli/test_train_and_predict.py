"""Train a model file, look into it, answer files with it."""

import csv
import gzip
import io
import json
import re
import shutil
import sys
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from treesvm import HLSVMClassifier, TreeSVC, load_model
from treesvm.datasets import Table, TableModel, make_spirals, read_libsvm
from treesvm.persistence import save_model


def test_train_inspect_predict_a_table(run, flowers):
    code, out, _ = run(
        *("train", flowers, "--label", "kind", "--test", "0.25", "--time-limit", 1)
    )
    assert code == 0
    for name in ("accuracy", "balanced accuracy", "mean F1", "log loss", "base rate"):
        assert f"test {name} " in out
    assert "TreeSVC" in out
    assert "support vectors met by a row" in out
    code, out, _ = run("inspect", "flowers.treesvm")
    assert code == 0
    assert "size, colour (3 categories), weight" in out
    assert "kernel=" in out
    assert "C=" in out
    assert "gamma of the machines" in out
    code, out, err = run("predict", "flowers.treesvm", flowers)
    assert code == 0
    assert set(out.split()) == set("abc")
    assert len(out.splitlines()) == 400
    assert "400 rows, accuracy = 9" in err
    assert re.search(r"balanced = 9.*, base rate = 3", err)


@pytest.mark.parametrize("method", ["dtsvm", "hlsvm", "svm", "partition-tree"])
def test_methods_answer_as_in_python(run, spirals, method):
    assert run("train", spirals, "--method", method, "-o", "m", "-q")[0] == 0
    X, y = read_libsvm(spirals)
    code, out, _ = run("predict", "m", spirals, "--chunk-rows", 100)
    assert code == 0
    expected = load_model("m").predict(X)
    assert np.array_equal(np.array(out.split(), int), expected)
    assert np.mean(expected == y) > 0.9


@pytest.mark.parametrize("method", ["dtsvm", "svm"])
def test_kernel_and_weights_are_those_that_were_asked_for(run, spirals, method):
    asked = ("--kernel", "laplacian", "--feature-weights", "learned")
    assert run("train", spirals, "--method", method, *asked, "-o", "m", "-q")[0] == 0
    parameters = load_model("m").estimator.get_params()
    assert parameters["kernel"] == "laplacian"
    assert parameters["feature_weights"] == "learned"
    code, _, err = run("train", spirals, "--method", "hlsvm", *asked, "-o", "h")
    assert (code, "--kernel does not belong to --method hlsvm" in err) == (1, True)


@pytest.fixture
def houses(tmp_path, rng):
    """A CSV file whose label is a price."""
    size, floor = rng.uniform(30, 200, 300), rng.choice(["low", "high"], 300)
    price = 1000.5 + 30 * size + 500 * (floor == "high") + rng.normal(0, 50, 300)
    rows = zip(size, floor, price, strict=True)
    lines = [f"{a:.2f},{b},{c:.2f}" for a, b, c in rows]
    path = tmp_path / "houses.csv"
    path.write_text("\n".join(["size,floor,price", *lines]) + "\n")
    return path


def test_numbers_are_predicted_where_labels_are_numbers(run, houses):
    code, out, err = run("train", houses, "--time-limit", 1, "--test", 0.3)
    assert code == 0
    assert re.search(r"task: regression, since .* 300 .*--task classification", err)
    assert "TreeSVR" in out
    assert float(re.search(r"test R² +([\d.]+)", out)[1]) > 0.9
    assert "test mean absolute error" in out
    code, out, err = run("predict", "houses.treesvm", houses, "-o", "out.csv")
    assert re.search(r"300 rows, R² = 0\.9\d+, mean absolute error = \d", err)
    with open("out.csv", encoding="utf8", newline="") as file:
        head, *rows = csv.reader(file)
    model = load_model("houses.treesvm")
    table = next(model.iter_file(houses))
    assert head == ["prediction"]
    np.testing.assert_array_equal([float(r[0]) for r in rows], model.predict(table))
    code, _, err = run("predict", "houses.treesvm", houses, "--proba")
    assert (code, "leave out --proba" in err) == (1, True)


@pytest.mark.parametrize("method", ["dtsvm", "svm"])
def test_other_regressors(run, houses, method):
    code, out, _ = run("train", houses, "--method", method, "--C", 1e4, "--json")
    assert code == 0
    facts = json.loads(out)
    assert facts["model"] in ("DTSVRegressor", "KernelSVR")
    assert facts["R² on the training rows"] > 0.9
    code, out, _ = run("inspect", "houses.treesvm", "--json")
    assert json.loads(out)["parameters"]["C"] == 1e4


def test_inspect_tells_what_a_fit_chose(run, spirals):
    code, out, err = run("train", spirals, "--method", "dtsvm", "-o", "m")
    assert (code, "parameters  " in out, "treesvm inspect m" in err) == (0, False, True)
    facts = json.loads(run("inspect", "m", "--json")[1])
    chosen = load_model("m").estimator
    assert facts["parameters"]["kernel"] == "auto"
    assert facts["parameters"]["class_weight"] is None
    assert facts["used"] == {
        "C": chosen.C_,
        "gamma_scale": chosen.gamma_scale_,
        "kernel": chosen.kernel_,
    }
    text = run("inspect", "m")[1]
    assert f"kernel={chosen.kernel_}" in text
    assert max(map(len, text.splitlines())) <= 88


def test_the_task_is_the_users(run, houses, tmp_path):
    few = tmp_path / "few.csv"
    few.write_text("x,y\n" + "".join(f"{i},{i % 7 / 2}\n" for i in range(70)))
    code, out, _ = run("train", few, "--method", "svm", "--json")
    assert (code, json.loads(out)["model"]) == (0, "KernelSVC")
    assert json.loads(out)["classes"][:3] == ["0.0", "0.5", "1.0"]
    arguments = ("--method", "svm", "--task", "regression", "--json", "--force")
    code, out, err = run("train", few, *arguments)
    assert (code, json.loads(out)["model"]) == (0, "KernelSVR")
    assert "task:" not in err


def test_two_classes_have_an_auc(run, spirals):
    code, out, _ = run("train", spirals, "--time-limit", 1, "--test", 0.3, "--json")
    assert code == 0
    facts = json.loads(out)
    assert facts["test AUC"] > 0.9
    assert facts["test base rate"] == pytest.approx(0.5, abs=0.05)
    assert (
        facts["used"]["kernel"] in facts["parameters of its DTSVMClassifier"].values()
    )


def test_search_with_json(run, spirals):
    code, out, _ = run(
        *("train", spirals, "--search", "--max-leaf-size", 300, "--json", "-o", "m")
    )
    assert code == 0
    facts = json.loads(out)
    assert facts["model"] == "DTSVMClassifierCV"
    assert facts["accuracy on the training rows"] > 0.9
    assert facts["used"]["C"] > 0


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
    run(*("train", flowers, "--method", "dtsvm", "--missing", "most_frequent", "-q"))
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
    assert run("train", "all.csv", "--label", 0, "-q", "--time-limit", 1)[0] == 0
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
    assert run("train", spirals, "--test", "copy.svm", "-q", "--time-limit", 1)[0] == 0


def test_predicting_with_an_estimator_saved_in_python(run, spirals):
    X, y = read_libsvm(spirals)
    model = HLSVMClassifier(random_state=0).fit(X, y)
    save_model(model, "bare")
    code, out, _ = run("predict", "bare", spirals)
    assert code == 0
    assert np.array_equal(np.array(out.split(), int), model.predict(X))


def test_predicting_with_a_front_door_saved_in_python(run, flowers):
    frame = pd.read_csv(flowers)
    model = TreeSVC(time_limit=1, random_state=0)
    model.fit(frame.drop(columns="kind"), frame["kind"])
    save_model(model, "bare")
    code, out, _ = run("predict", "bare", flowers)
    assert code == 0
    assert out.split() == model.predict(frame.drop(columns="kind")).tolist()


def test_tree_is_drawn(run, spirals):
    run("train", spirals, "--max-leaf-size", 50, "-o", "m", "-q")
    code, out, _ = run("inspect", "m", "--tree", "--depth", 2)
    assert code == 0
    assert "the first 2 levels" in out
    code, out, _ = run("inspect", "m", "--tree", "--json")
    assert json.loads(out)["tree"].count("class:") > 2


def test_predict_json_counts_rows(run, spirals):
    run("train", spirals, "-o", "m", "-q", "--method", "hlsvm")
    code, out, err = run("predict", "m", spirals, "-o", "out.txt", "--json", "-q")
    assert code == 0
    assert json.loads(out)["n_rows"] == 600
    assert err == ""


@pytest.mark.parametrize("is_zero_based", [True, False])
def test_how_features_are_counted_is_found_and_kept(run, tmp_path, is_zero_based):
    X, y = make_spirals(300)
    dump_svmlight_file(X, y, "rows.svm", zero_based=is_zero_based)
    assert run("train", "rows.svm", "-o", "m", "-q", "--method", "dtsvm")[0] == 0
    assert load_model("m").source_["zero_based"] is is_zero_based
    _, out, err = run("predict", "m", "rows.svm")
    assert re.search(r"accuracy = (9|100)", err)
    other = "--no-zero-based" if is_zero_based else "--zero-based"
    code, changed, err = run("predict", "m", "rows.svm", other)
    assert (code, "--zero-based" in err) == (int(is_zero_based), is_zero_based)
    assert changed != out


def test_warmup_fits_every_public_estimator(run):
    code, out, err = run("warmup", "--json")
    assert code == 0
    assert {"DTSVMClassifier", "KernelSVR"} <= json.loads(out)["estimators"].keys()
    assert "HLSVMClassifier" in err


def test_a_model_is_replaced_only_by_force(run, spirals):
    arguments = ("train", spirals, "--method", "hlsvm", "-o", "m", "-q")
    assert run(*arguments)[0] == 0
    before = Path("m").read_bytes()
    code, _, err = run(*arguments, "--max-depth", 2)
    assert (code, "--force" in err) == (1, True)
    assert Path("m").read_bytes() == before
    assert run(*arguments, "--max-depth", 2, "--force")[0] == 0
    assert Path("m").read_bytes() != before


def test_compiling_is_told_apart(run, spirals, monkeypatch):
    def compiling_fit(self, *arguments, **options):
        numba.njit(lambda x: x + 1)(1)
        return real_fit(self, *arguments, **options)

    real_fit = TableModel.fit
    monkeypatch.setattr(TableModel, "fit", compiling_fit)
    _, out, _ = run("train", spirals, "--method", "hlsvm", "-o", "m", "--json")
    facts = json.loads(out)
    assert facts["seconds of compiling, once"] > 0.005
    assert facts["training seconds"] > 0


def test_other_tables_and_standard_input(run, flowers, tmp_path, monkeypatch):
    text = flowers.read_text().replace(",", ";").replace(".", ",")
    lines = [f"{i};{line}" for i, line in enumerate(text.splitlines())]
    lines[0] = lines[0][1:]
    (tmp_path / "german.dat").write_bytes("\n".join(lines).encode("latin-1"))
    arguments = ("--method", "dtsvm", "--missing", "median", "--label", "kind")
    code, _, err = run("train", "german.dat", "--format", "csv", *arguments)
    assert code == 0
    for words in ("semicolons", "a comma", "without a name is an index and left out"):
        assert words in err
    assert run("train", flowers, *arguments, "-q")[0] == 0
    _, expected, _ = run("predict", "flowers.treesvm", flowers)
    asked = ("--delimiter", ";", "--decimal", ",", "--encoding", "latin-1")
    code, out, _ = run("predict", "german.treesvm", "german.dat", "--format", "csv")
    assert (code, out) == (0, expected)

    def feed(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))

    feed((tmp_path / "german.dat").read_bytes())
    code, out, _ = run("predict", "flowers.treesvm", "-", *asked)
    assert (code, out) == (0, expected)
    feed(b"size,colour,weight\n1,red\n")
    code, _, err = run("predict", "flowers.treesvm", "-")
    assert code == 1
    assert "standard input, line 2" in err
    feed(flowers.read_bytes())
    code, _, err = run("train", "-", *arguments)
    assert (code, "give -o MODEL" in err) == (1, True)
    feed(flowers.read_bytes())
    assert run("train", "-", *arguments, "-o", "piped", "-q")[0] == 0
    assert run("predict", "piped", flowers)[1] == expected
    code, _, err = run("predict", "flowers.treesvm", "german.dat")
    assert "--format" in err


@pytest.mark.parametrize("method", ["tree", "dtsvm"])
def test_explaining_rows(run, flowers, method):
    missing = () if method == "tree" else ("--missing", "median")
    limit = ("--time-limit", 1) if method == "tree" else ()
    assert run("train", flowers, "--method", method, *missing, *limit, "-q")[0] == 0
    code, out, err = run("explain", "flowers.treesvm", flowers, "--row", 7, "--most", 2)
    assert (code, "Shapley" in err) == (0, True)
    assert re.match(r"row 7: [abc]\n  (size|colour|weight) = \S+ +[+-]\d", out)
    assert "1 other column " in out
    assert run("explain", "flowers.treesvm", flowers, "-o", "why.csv")[0] == 0
    why = pd.read_csv("why.csv")
    assert list(why) == ["row", "answer", "size", "colour", "weight"]
    model = load_model("flowers.treesvm")
    table = next(model.iter_file(flowers))
    codes = np.searchsorted(model.classes_, why["answer"])
    shares = model.explain(table)[np.arange(400), :, codes]
    np.testing.assert_allclose(why.iloc[:, 2:], shares)
    assert why["answer"].tolist() == model.predict(table).tolist()
    code, _, err = run("explain", "flowers.treesvm", flowers, "--row", 401)
    assert (code, "400 rows, and no row 401" in err) == (1, True)


def test_two_classes_and_numbers_are_explained(run, spirals, houses):
    assert run("train", spirals, "--method", "dtsvm", "-o", "m", "-q")[0] == 0
    code, out, _ = run("explain", "m", spirals, "--layout", "csv")
    rows = np.array([line.split(",") for line in out.splitlines()[1:]], float)
    signs = np.where(rows[:, 1] == 1, 1, -1)[:, None]
    X, _ = read_libsvm(spirals)
    model = TableModel.of(load_model("m"))
    expected = model.estimator.explain(model.estimator_rows(Table(X)))
    np.testing.assert_allclose(rows[:, 2:] * signs, expected)
    assert run("train", houses, "--method", "dtsvm", "-q")[0] == 0
    code, out, _ = run("explain", "houses.treesvm", houses, "--row", 1)
    assert re.match(r"row 1: [\d.]+\n", out)
    assert run("train", spirals, "--method", "hlsvm", "-o", "h", "-q")[0] == 0
    code, _, err = run("explain", "h", spirals)
    assert (code, "does not explain" in err) == (1, True)


@pytest.mark.parametrize("method", ["dtsvm", "hlsvm"])
def test_thresholds_are_in_the_users_units(run, tmp_path, rng, method):
    X = rng.uniform(1000, 5000, size=(400, 1))
    lines = [f"{x:.3f},{int(x > 4000)}" for x in X[:, 0]]
    (tmp_path / "rows.csv").write_text("metres,far\n" + "\n".join(lines) + "\n")
    small = ("--max-leaf-size", 100) if method == "dtsvm" else ()
    assert run("train", "rows.csv", "--method", method, *small, "-q")[0] == 0
    _, out, _ = run("inspect", "rows.treesvm", "--tree")
    if method == "dtsvm":
        found = [float(t) for t in re.findall(r"metres <= ([\d.]+)", out)]
    else:
        pairs = re.findall(r"([+-][\d.]+) metres <= (-?[\d.]+)", out)
        found = [float(limit) / float(weight) for weight, limit in pairs]
    assert min(abs(limit - 4000) for limit in found) < 60
