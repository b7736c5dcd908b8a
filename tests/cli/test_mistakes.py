"""A user's mistake is one line with the way out; nothing is left half-written."""

import gzip
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from treesvm import datasets
from treesvm.datasets import libsvm_text

# Packed without the time: test names must be the same in all processes.
PACKED = gzip.compress(b"1 1:2\n1 b:2\n", mtime=0)


@pytest.fixture
def model(run, spirals):
    """The name of a small model file."""
    assert run("train", spirals, "--method", "dtsvm", "-o", "m", "-q")[0] == 0
    return "m"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.svm", b"1 1:2\n1 1:x\n", "a.svm, line 2, column 5"),
        ("a.svm", b"\x89PNG\r\n\x1a\n", "a.svm, line 1, column 1"),
        ("a.svm.gz", b"1 1:2\n", "damaged"),
        ("a.svm.gz", PACKED, "line 2, column 3"),
        ("a.csv", b"", "a.csv, line 1: it is empty"),
        ("a.csv", b"x,y\n1,a\n2\n", "a.csv, line 3: fields: 1, in the first line: 2"),
        ("a.csv", b"x,y\n" + b"".join(b"1,%d,\n" % i for i in range(3)), "fields: 3"),
        (
            "a.csv",
            b"x,y\n" + b"".join(b'1,"1,%03d.5"\n' % i for i in range(60)),
            "60 different texts in 60 rows, such as '1,000.5'",
        ),
        ("a.csv", b"x,y\n1,a\n2,b\nz3,a\n", "a.csv, line 4, column 1"),
        ("a.csv", b"x,y\n1,a\n,b\n", "a.csv, line 3: column 'x'"),
        ("a.csv", b"x,y\n1,a\n2,a\n", "one class only, 'a'"),
        ("a.csv", b"x,y\n1,a\n2,\n", "line 3, column 2: column 'y': the label is"),
        ("a.csv", b'x,t,y\n1,"a\nb",2\n', "line 2, column 2: a quoted field goes on"),
        ("a.csv", "größe,y\n1,a\n".encode("latin-1"), "--encoding latin-1"),
        ("a.csv", b"y\na\nb\n", "beside the label column 'y' there is no feature"),
        ("a.npz", b"nothing", "not a readable .npz"),
        ("a.parquet", b"nothing", "a.parquet"),
        ("a.xls", b"nothing", "unknown ending"),
        ("a.svm", b"", "no row"),
        ("a.svm", b"1\n0\n", "no row has a feature"),
    ],
)
def test_damaged_training_files(run, tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    code, out, err = run("train", name, "--method", "dtsvm", "-o", "m")
    assert (code, out) == (1, "")
    assert words in err
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("train", "absent.csv"), "no such file"),
        (("train", "flowers.csv", "--label", "none"), "there are: size, colour"),
        (
            ("train", "flowers.csv", "--method", "hlsvm", "--C", 3),
            "--C does not",
        ),
        (("train", "flowers.csv", "--method", "svm", "--search"), "--search"),
        (("train", "flowers.csv", "--search", "--C", 3), "leave out --C"),
        (("train", "flowers.csv", "--method", "tree", "--C", 3), "--C does not"),
        (("train", "flowers.csv", "--time-limit", 0), "time_limit=0"),
        (("train", "flowers.csv", "--C", 3, "--time-limit", 1), "--time-limit does"),
        (("train", "flowers.csv", "--task", "regression"), "is no number, which"),
        (
            ("train", "flowers.csv", "--task", "regression", "--method", "hlsvm"),
            "for regression there are: tree, dtsvm, svm",
        ),
        (
            ("train", "flowers.csv", "--method", "tree", "--cluster", "local"),
            "--cluster trains the classifiers",
        ),
        (("train", "flowers.csv", "--C", -1, "--missing", "median"), "C=-1"),
        (("train", "flowers.csv", "-o", "no/folder/m"), "folder that exists"),
        (("train", "flowers.csv", "--jobs", 100_000), "--jobs 100000"),
        (("train", "flowers.csv", "--max-data-mb", 0), "--max-data-mb 0"),
        (("compare", "--max-data-mb", 5), "need DATA"),
        (("train", "flowers.csv", "--missing", "median", "--test", 1.5), "between 0"),
        (("compare", "flowers.csv", "--methods", "svn"), "no method 'svn'"),
        (("compare", "--label", "x"), "need DATA"),
        (("compare", "--rows", 3), "--rows 3"),
        (("inspect", "flowers.csv"), "flowers.csv"),
        (("inspect", "absent"), "absent"),
    ],
)
def test_wrong_arguments(run, flowers, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert words in err


def test_dates_of_parquet_are_told_with_the_way_out(run, tmp_path):
    when = pa.array([0, 1], pa.timestamp("s"))
    table = pa.table({"when": when, "x": [1.0, 2.0], "y": ["a", "b"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    code, _, err = run("train", "a.parquet")
    assert code == 1
    assert "a.parquet: column 'when' holds dates" in err
    assert "--drop" in err
    rest = ("--drop", "when", "--method", "dtsvm", "-q")
    assert run("train", "a.parquet", *rest)[0] == 0


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["1,a", "2,a"] * 9, "all labels are 'a', and there is nothing to learn"),
        (["1,a", "2,b"], "without the test rows (1 of 2) there is one label only"),
    ],
)
def test_labels_that_say_nothing_are_told_before_anything_is_compiled(
    run, tmp_path, rows, words
):
    (tmp_path / "a.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    code, out, err = run("compare", "a.csv")
    assert (code, out) == (1, "")
    assert words in err
    assert "compiling" not in err


def test_a_gamma_that_is_none(run, flowers):
    code, _, err = run("train", flowers, "--gamma", "wide")
    assert code == 2
    assert "'wide' is no width; use a positive number or one of median" in err


def test_what_is_guessed_and_what_is_of_no_use_is_said(run, tmp_path):
    rows = [f"id-{i},{i % 7},{'ab'[i % 2]}" for i in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["my id,x,kind", *rows]) + "\n")
    code, _, err = run("train", "a.csv", "--method", "dtsvm")
    assert code == 0
    assert "label: 'kind', the last column (--label names another)" in err
    assert "column 'my id': 40 different texts in 40 rows, such as 'id-0'" in err
    assert "--drop 'my id'" in err
    rest = ("--method", "dtsvm", "--force", "--label", "kind", "--drop", "my id")
    err = run("train", "a.csv", *rest)[2]
    assert "the last column" not in err
    assert "different texts" not in err


def test_probabilities_that_nobody_asked_for(run, spirals):
    run("train", spirals, "--method", "svm", "-o", "m", "-q")
    code, _, err = run("predict", "m", spirals, "--proba")
    assert code == 1
    assert "--probability" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--json",), "give -o OUT"),
        (("--chunk-rows", 0), "--chunk-rows 0"),
        (("--max-model-mb", 0), "--max-model-mb 0"),
    ],
)
def test_wrong_predict_arguments(run, model, spirals, arguments, words):
    code, _, err = run("predict", model, spirals, *arguments)
    assert code == 1
    assert words in err


def test_a_file_of_other_columns_and_one_too_small_for_a_search(run, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n3,a\n")
    code, out, _ = run("train", "a.csv", "--time-limit", 0.2)
    assert code == 0
    assert "inf" not in out.replace("information", "")
    (tmp_path / "b.csv").write_text("1,2,3\n4,5,6\n")  # no header, no such width
    code, _, err = run("predict", "a.treesvm", "b.csv")
    assert code == 1
    assert "b.csv: columns are missing: 'x'. Rows without a header have just" in err
    (tmp_path / "c.svm").write_text("1 1:2 2:3\n")
    code, _, err = run("predict", "a.treesvm", "c.svm")
    assert code == 1
    assert "c.svm: " in err


def test_usage_errors_and_help(run):
    assert run()[0] == 2
    assert run("train")[0] == 2
    assert run("train", "x", "--method", "magic")[0] == 2
    code, out, _ = run("train", "--help")
    assert code == 0
    assert "examples:" in out
    assert "exit codes" in out


def test_a_mistake_late_in_a_file_keeps_the_old_output(run, model, tmp_path):
    (tmp_path / "late.svm").write_text("1 1:0.5 2:0.5\n" * 500 + "1 1:0.5 2:oops\n")
    (tmp_path / "out.txt").write_text("old")
    before = set(os.listdir(tmp_path))
    code, _, err = run(
        "predict", model, "late.svm", "-o", "out.txt", "--chunk-rows", 10
    )
    assert code == 1
    assert "line 501, column 11" in err
    assert (tmp_path / "out.txt").read_text() == "old"
    assert set(os.listdir(tmp_path)) == before


def test_ctrl_c_keeps_the_old_output(run, model, spirals, tmp_path, monkeypatch):
    def interrupted(model, path, write, **options):
        write("half a")
        raise KeyboardInterrupt

    monkeypatch.setattr(datasets, "predict_file", interrupted)
    (tmp_path / "out.txt").write_text("old")
    before = set(os.listdir(tmp_path))
    code, _, err = run("predict", model, spirals, "-o", "out.txt")
    assert code == 130
    assert "stopped" in err
    assert (tmp_path / "out.txt").read_text() == "old"
    assert set(os.listdir(tmp_path)) == before


def _interrupt(child, number):
    """Send a signal, such as that of Ctrl-C, until the child ends; return what it said.

    The first one may come while the reader is being compiled, which swallows it.
    """
    for _ in range(12):
        time.sleep(0.2)
        child.send_signal(number)
        try:
            return child.communicate(timeout=5)[1]
        except subprocess.TimeoutExpired:
            continue
    child.kill()
    return child.communicate()[1]


def test_no_result_replaces_an_input(run, model, spirals, tmp_path):
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "link").symlink_to(spirals)
    for arguments in (
        ("train", spirals, "-o", "link"),
        ("train", spirals, "-o", model, "--test", model),
        ("predict", model, spirals, "-o", model),
        ("predict", model, spirals, "-o", spirals),
        ("compare", spirals, "--report", spirals),
    ):
        code, _, err = run(*arguments)
        assert code == 1
        assert "give another name" in err
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX systems")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_a_real_signal_stops_a_child(run, model, tmp_path, number, code):
    fifo = tmp_path / "endless.svm"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "treesvm", "predict", model, fifo, "-o", "out.txt"]
    child = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        # A run in the background of a shell ignores Ctrl-C, and so would its child.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    # Opening blocks until the child reads, so that the signal meets it at work.
    with open(fifo, "wb", buffering=0) as pipe:
        pipe.write(b"1 1:0.5 2:0.5\n" * 100)
        err = _interrupt(child, number)
    assert child.returncode == code
    assert "Traceback" not in err
    assert not [n for n in os.listdir(tmp_path) if n.startswith((".out", "out"))]


def test_damaged_data_files_always_name_the_line(tmp_path, rng):
    """A sample of what ``python -m benchmarks hostile`` does a thousand times."""
    from benchmarks.hostile_data import damaged_files, judge

    verdicts = [judge(case, tmp_path) for case in damaged_files(60, seed=5)]
    assert not [v for v in verdicts if not v.is_good]


def test_blocks_end_between_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(libsvm_text, "BLOCK_BYTES", 7)
    path = tmp_path / "a.svm"
    path.write_text("1 1:0.25 2:3\n0 1:1\n" * 5)
    X, y = libsvm_text.read_libsvm(path)
    assert X.shape == (10, 2)
    assert np.array_equal(y, [1, 0] * 5)
