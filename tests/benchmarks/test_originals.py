"""Originals as publishers offer them become the sets that benchmarks read."""

import bz2
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import io as matlab
from sklearn.datasets import dump_svmlight_file

from benchmarks import data, originals

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def made(tmp_path):
    """Write originals by name, convert one set, read it as the benchmarks do."""

    def convert(name, files):
        raw = tmp_path / "raw" / "somewhere"
        raw.mkdir(parents=True)
        for file, content in files.items():
            content = content.encode() if isinstance(content, str) else content
            (raw / file).write_bytes(content)
        said = []
        assert originals.convert(raw.parent, tmp_path, [name], said.append) == 1
        return data.load(tmp_path, name), np.load(tmp_path / f"{name}.npz")

    return convert


def test_numbers_with_the_label_last_packed(made):
    text = "2596,51,3,5\n2590,56,2,5\n2804,139,9,2\n"
    found, stored = made("covtype", {"covtype.data.gz": gzip.compress(text.encode())})
    assert found.X.tolist() == [[2596, 51, 3], [2590, 56, 2], [2804, 139, 9]]
    assert found.y.tolist() == [5, 5, 2]
    assert stored["X"].dtype == np.uint16


def test_letters_become_codes(made):
    found, _ = made("letter", {"letter-recognition.data": "T,2,8\nA,1,1\nZ,0,15\n"})
    assert found.y.tolist() == [19, 0, 25]
    assert found.X.tolist() == [[2, 8], [1, 1], [0, 15]]


def test_adult_has_categories_a_comment_and_points(made):
    def row(work, label):
        cells = [
            "39",
            work,
            "77516",
            *["x"] * 1,
            "13",
            *["x"] * 5,
            "1",
            "0",
            "40",
            "US",
        ]
        return ", ".join([*cells, label])

    text = "\n".join([row("State-gov", "<=50K"), row("Private", ">50K"), ""])
    test = "|1x3 Cross validator\n" + row("?", ">50K.") + "\n"
    found, stored = made("adult", {"adult.data": text, "adult.test": test})
    categories = json.loads(stored["categories"].item())
    assert categories["workclass"] == ["Private", "State-gov"]
    assert stored["X"][:, 1].tolist() == [1, 0]
    assert stored["X_test"][0, 1] == -1  # missing
    assert (found.y.tolist(), found.y_test.tolist()) == ([0, 1], [1])
    assert found.X.shape[1] == 6 + 2 + 7


@pytest.mark.parametrize(
    ("name", "file", "text", "X", "y"),
    [
        (
            "house_votes_84",
            "house-votes-84.data",
            "republican,n,y,?\ndemocrat,y,y,n\n",
            [[-1, 1, 0], [1, 1, -1]],
            [1, 0],
        ),
        (
            "breast_cancer_wisconsin",
            "breast-cancer-wisconsin.data",
            "1000025,5,?,2\n1002945,3,4,4\n",
            [[5, -1], [3, 4]],
            [2, 4],
        ),
        ("satimage", "sat.trn", "92 115 3\n84 102 7\n", [[92, 115], [84, 102]], [2, 5]),
        (
            "magic",
            "magic04.data",
            "28.5,16.25,g\n1.5,2,h\n",
            [[28.5, 16.25], [1.5, 2]],
            [1, 0],
        ),
        ("mushroom", "agaricus-lepiota.data", None, None, [1, 0]),
        (
            "hepatitis",
            "hepatitis.data",
            "2,30,1.5\n1,?,2\n",
            [[30, 1.5], [np.nan, 2]],
            [2, 1],
        ),
    ],
)
def test_other_texts(made, name, file, text, X, y):
    if name == "mushroom":
        text = "p" + ",x" * 10 + ",?" + ",x" * 11 + "\ne" + ",b" * 22 + "\n"
        X = np.zeros((2, 22))
        X[0] = 1
        X[0, 10] = -1
    files = {file: text}
    if name == "satimage":
        files["sat.tst"] = text
    found, stored = made(name, files)
    np.testing.assert_array_equal(stored["X"], X)
    assert found.y.tolist() == y


def test_libsvm_text_dense_and_sparse(made, tmp_path, rng):
    X = (rng.uniform(size=(20, 6)) < 0.4).astype(float)
    X[0, 5] = 1
    y = rng.choice([-1, 1], 20)
    files = {}
    for name, rows in (("ijcnn1", slice(0, 12)), ("ijcnn1.t", slice(12, 20))):
        dump_svmlight_file(X[rows], y[rows], str(tmp_path / name), zero_based=False)
        files[name + ".bz2"] = bz2.compress((tmp_path / name).read_bytes())
    found, _ = made("ijcnn1", files)
    np.testing.assert_array_equal(np.vstack([found.X, found.X_test]), X)
    assert np.concatenate([found.y, found.y_test]).tolist() == y.tolist()
    raw = tmp_path / "raw" / "somewhere"
    (raw / "ijcnn1.bz2").rename(raw / "a9a.bz2")
    (raw / "ijcnn1.t.bz2").rename(raw / "a9a.t.bz2")
    assert originals.convert(tmp_path / "raw", tmp_path, ["a9a"], str) == 1
    again = data.load(tmp_path, "a9a")
    np.testing.assert_array_equal(again.X.toarray(), X[:12])
    assert again.X_test.shape == (8, 6)


def test_images_of_bytes(made, rng):
    images = rng.integers(0, 255, (5, 3, 2)).astype(np.uint8)
    labels = np.arange(5, dtype=np.uint8)
    head = bytes([0, 0, 8, 3]) + np.array([5, 3, 2], ">i4").tobytes()
    label_head = bytes([0, 0, 8, 1]) + np.array([5], ">i4").tobytes()
    files = {}
    for part in ("train", "t10k"):
        files[f"{part}-images-idx3-ubyte.gz"] = gzip.compress(head + images.tobytes())
        files[f"{part}-labels-idx1-ubyte"] = label_head + labels.tobytes()
    found, _ = made("mnist", files)
    assert np.array_equal(found.X_test, images.reshape(5, 6))
    assert np.array_equal(found.y, labels)


def test_matlab_texts_and_tables_of_the_league(made, tmp_path, rng):
    X, y = rng.normal(size=(9, 2)).astype(np.float32), rng.choice([-1, 1], 9)
    path = tmp_path / "benchmarks.mat"
    matlab.savemat(path, {"banana": {"x": X, "t": y[:, None]}})
    found, _ = made("banana", {"benchmarks.mat": path.read_bytes()})
    np.testing.assert_allclose(found.X, X)
    assert found.y.tolist() == y.tolist()
    raw = tmp_path / "raw"
    table = "a\ttarget\tb\n1\t2.5\t3\n4\t-1.5\t6\n"
    (raw / "537_houses.tsv.gz").write_bytes(gzip.compress(table.encode()))
    (raw / "Hill_Valley_with_noise.tsv.gz").write_bytes(
        gzip.compress(b"x\ttarget\n0.5\t1\n1.5\t0\n")
    )
    names = ["league/r_houses", "league/c_hill_valley_with_noise"]
    assert originals.convert(raw, tmp_path, names, str) == 2
    houses, hills = (data.load(tmp_path, name) for name in names)
    assert houses.X.tolist() == [[1, 3], [4, 6]]
    assert houses.y.tolist() == [2.5, -1.5]
    assert hills.y.tolist() == [1, 0]
    texts = "pets\tcat dog cat\ncars\twheel dog\npets\tcat wheel\n"
    for part in ("train", "test"):
        (raw / f"20ng-{part}-all-terms.txt").write_text(texts)
    assert originals.convert(raw, tmp_path, ["news20_bydate_counts"], str) == 1
    news = data.load(tmp_path, "news20_bydate_counts")
    assert news.X.toarray().tolist() == [[2, 1, 0], [0, 1, 1], [1, 0, 1]]
    assert news.y_test.tolist() == [1, 0, 1]


def test_nothing_written_is_a_failure(tmp_path, capsys):
    (tmp_path / "raw").mkdir()
    out = str(tmp_path / "out")
    assert originals.main([str(tmp_path / "raw"), out]) == 1
    assert "covtype.data is not in" in capsys.readouterr().out
    assert originals.main([str(tmp_path / "raw"), out, "nothing"]) == 2
    assert originals.main([str(tmp_path / "absent"), out]) == 2


def test_the_page_names_every_set():
    page = (ROOT / "docs" / "benchmarks" / "data.md").read_text("utf8")
    assert originals.page_table() in page
    for name in originals.SETS:
        assert f"`{name.removeprefix('league/')}`" in page
