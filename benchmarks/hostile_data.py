"""Damaged data files, and a large one streamed.

``data``: files of every format are damaged at random. Each must be read (a change may
leave a good file) or refused with a message; in LIBSVM text and CSV the message names
the line. ``stream``: two million rows are answered by `treesvm predict` in a child
process, whose peak memory is the claim. ``reading``: LIBSVM text beside scikit-learn.
"""

import gzip
import io
import random
import tempfile
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_svmlight_file

from benchmarks.hostile_cases import harm_notes, judged
from benchmarks.hostile_tally import kind_rows, run_batches
from benchmarks.limited_child import Limits
from benchmarks.memory import peak_memory
from benchmarks.records import CaseResult, Claim, fewer
from benchmarks.timing import measure
from treesvm.cli.main import main
from treesvm.datasets import DataFileError, make_waves, read_libsvm, read_table

_N_FILES, _BATCH = 10_000, 1_000
_FINE = ("refused", "read")
_LIMITS = Limits(seconds=5.0, n_bytes=2 * 2**30)
_STREAM_ROWS = 2_000_000
_MAX_SECONDS, _MAX_MB = 2.0, 1024
_NASTY = (b"\x00", b"\xff\xfe", b"nan", b"1e999", b'"', b":", b",", b"\n", b"--", b"x")


class Case(NamedTuple):
    """One damaged file."""

    name: str
    content: bytes
    has_lines: bool  # its mistakes have a line


class Verdict(NamedTuple):
    """What happened to it."""

    name: str
    is_good: bool
    is_refused: bool
    words: str


def damaged_files(n_files, seed):
    """Yield damaged files of all formats in turn."""
    formats = list(_good_files().items())
    for number in range(n_files):
        yield damaged_file(number, formats, seed)


def damaged_file(number, formats, seed=0):
    """Return one damaged file; it depends on number and seed only."""
    rng = random.Random(f"{seed} {number}")
    ending, content = formats[number % len(formats)]
    changed = _damage(rng, content, is_text=ending in (".svm", ".csv"))
    # Half of the packed files are damaged inside, half outside.
    if ending.endswith(".gz") and number % 2:
        inside = _damage(rng, gzip.decompress(content), is_text=True)
        changed = gzip.compress(inside)
    return Case(f"{number}{ending}", changed, ending in (".svm", ".csv"))


def _good_files():
    """Return {ending: content} of files that can be read."""
    X, y = make_waves(60, 4)
    rows = list(zip(X.tolist(), y.tolist(), strict=True))
    svm = "".join(
        f"{label} " + " ".join(f"{j}:{v:.4f}" for j, v in enumerate(x, 1)) + "\n"
        for x, label in rows
    ).encode()
    lines = ["a,b,c,colour,label"]
    for x, label in rows:
        numbers = ",".join(f"{v:.4f}" for v in x[:3])
        lines.append(f"{numbers},{'red' if x[3] > 0.5 else 'blue'},{'xyz'[label]}")
    packed = io.BytesIO()
    np.savez_compressed(packed, X=X, y=y)
    files = {
        ".svm": svm,
        ".csv": ("\n".join(lines) + "\n").encode(),
        ".svm.gz": gzip.compress(svm),
        ".npz": packed.getvalue(),
    }
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        del files[".csv"]
        return files
    buffer = io.BytesIO()
    columns = {f"c{j}": X[:, j] for j in range(4)} | {"label": y}
    pa.parquet.write_table(pa.table(columns), buffer)
    return files | {".parquet": buffer.getvalue()}


def _damage(rng, content, *, is_text):
    """Change a file in one of six ways."""
    place = rng.randrange(len(content))
    kind = rng.randrange(6)
    if kind == 0:
        return content[:place]
    if kind == 1:
        return content[:place] + rng.choice(_NASTY) + content[place:]
    if kind == 2:
        return content[:place] + rng.randbytes(1) + content[place + 1 :]
    if kind == 3:
        return content[:place] + content[place + rng.randrange(1, 40) :]
    if kind == 4 and is_text:
        lines = content.split(b"\n")
        number = rng.randrange(len(lines))
        lines[number] += rng.choice((b",1", b" 3:1", b" 1:", b"\t\t", b"'"))
        return b"\n".join(lines)
    return content[:place] + rng.randbytes(rng.randrange(1, 200)) + content[place:]


def judge(case, folder):
    """Read a damaged file; say whether it was read or refused as it should be."""
    path = Path(folder) / case.name
    path.write_bytes(case.content)
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read_table(path)
    except DataFileError as error:
        # A file without any row has no line to name.
        is_placed = error.line is not None or "no row" in str(error)
        words, is_good = str(error), is_placed or not case.has_lines
        is_refused = True
    except Exception as error:  # anything else is what must not happen
        words, is_good, is_refused = f"{type(error).__name__}: {error}", False, True
    else:
        words, is_good, is_refused = "", True, False
    finally:
        path.unlink()
    took = time.perf_counter() - start
    if took > _MAX_SECONDS:
        words, is_good = f"took {took:.1f} s", False
    return Verdict(case.name, is_good, is_refused, words)


def streamed(model, data, out):
    """What the child of a memory measurement runs."""

    def work():
        code = main(["predict", model, data, "-o", out, "--quiet"])
        with open(out, "rb") as file:
            blocks = iter(lambda: file.read(2**20), b"")
            n_rows = sum(block.count(b"\n") for block in blocks)
        return {"code": code, "n_rows": n_rows}

    return work


def damage_case(context):
    """Ten thousand damaged files of all formats, read in children with limits."""
    context.start_ours()
    n_files = 100 if context.quick else _N_FILES
    total = run_batches(
        "data", n_files, min(_BATCH, n_files), _judged, _FINE, quick=context.quick
    )
    work = "damaged data files without a message and its place"
    n_bad = float(len(total["harm"]))
    claims = [
        Claim("damaged data files", total["n_items"], n_files, unit="files"),
        fewer(work, n_bad, 0, unit="files"),
    ]
    table = {"Damaged data files": kind_rows(total, _FINE, "format")}
    return CaseResult(claims=claims, tables=table, notes=harm_notes(total))


def _judged(numbers):
    """Return the format and the answer of the child for every number."""
    formats, target = list(_good_files()), "benchmarks.hostile_data:opener"

    def described(number, _):
        return formats[number % len(formats)], ""

    return judged(target, described, numbers, _LIMITS)


def opener(folder):
    """Return what a child does with a number: make the file and read it."""
    formats = list(_good_files().items())
    for number in range(len(formats)):  # loads what reads each format
        judge(damaged_file(number, formats, "warm"), folder)

    def act(item, watch):
        watch["is_on"] = False  # readers import as they go, and files are removed
        verdict = judge(damaged_file(int(item), formats), folder)
        if not verdict.is_good:
            return verdict.words or "not good"
        return "refused" if verdict.is_refused else "read"

    return act


def stream_case(context):
    """Two million rows of LIBSVM text and of CSV, answered in a child process."""
    context.start_ours()
    n_rows = 20_000 if context.quick else _STREAM_ROWS
    result, rows = CaseResult(), []
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".svm", ".csv"):
            data = Path(folder) / f"{ending[1:]}{ending}"
            _write_rows(data, n_rows)
            model, out = data.with_suffix(".model"), data.with_suffix(".txt")
            small = Path(folder) / f"small{ending}"
            _write_rows(small, 5_000)
            main(["train", str(small), "-o", str(model), "--quiet"])
            start = time.perf_counter()
            peak = peak_memory(
                "benchmarks.hostile_data:streamed",
                model=str(model),
                data=str(data),
                out=str(out),
            )
            seconds = time.perf_counter() - start
            assert peak.result == {"code": 0, "n_rows": n_rows}
            rows.append(
                {
                    "file": ending,
                    "rows": n_rows,
                    "MB on disk": round(data.stat().st_size / 2**20),
                    "seconds": round(seconds, 1),
                    "peak MB": round(peak.peak_mb),
                }
            )
            work = f"{n_rows:,} rows of {ending} streamed through predict"
            result.claims.append(fewer(work, peak.peak_mb, _MAX_MB, unit="MB"))
            data.unlink()
    result.tables["streamed predictions of a DTSVM"] = rows
    return result


def _write_rows(path, n_rows):
    """Write waves as LIBSVM text or CSV, a block at a time."""
    X, y = make_waves(min(n_rows, 20_000))
    if path.suffix == ".csv":
        head = ",".join(f"f{j}" for j in range(X.shape[1])) + ",label\n"
        pairs = zip(X.tolist(), y.tolist(), strict=True)
        lines = [",".join(f"{v:.5f}" for v in x) + f",{label}\n" for x, label in pairs]
    else:
        head = ""
        pairs = zip(X.tolist(), y.tolist(), strict=True)
        lines = [
            f"{label} " + " ".join(f"{j}:{v:.5f}" for j, v in enumerate(x, 1)) + "\n"
            for x, label in pairs
        ]
    block = "".join(lines).encode()
    with open(path, "wb") as file:
        file.write(head.encode())
        for _ in range(max(n_rows // len(lines), 1)):
            file.write(block)


def reading_case(context):
    """LIBSVM text, beside scikit-learn's reader."""
    n_rows = 2_000 if context.quick else 100_000
    result, rows = CaseResult(), []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.svm"
        _write_rows(path, n_rows)
        read_libsvm(path)  # compiled before it is timed
        theirs = measure(lambda: load_svmlight_file(str(path)), repeat=context.repeat)
        context.start_ours()
        ours = measure(lambda: read_libsvm(path), repeat=context.repeat)
    assert (ours.result[0] != theirs.result[0]).nnz == 0
    times = {"ours s": ours.seconds, "scikit-learn s": theirs.seconds}
    rows.append({"rows": n_rows, **times})
    result.tables["reading LIBSVM text"] = rows
    ratio = theirs.seconds / ours.seconds
    result.claims.append(Claim("LIBSVM text against scikit-learn's reader", ratio, 0.5))
    return result


HOSTILE_CASES = {
    "data": damage_case,
    "stream": stream_case,
    "reading": reading_case,
}
