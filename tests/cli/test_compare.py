"""The comparison as a command, its report in a browser, predictions in bounds."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.memory import peak_memory

ROOT = Path(__file__).resolve().parents[2]


def test_compare_a_file(run, flowers):
    code, out, _ = run(
        *("compare", flowers, "--methods", "linear,cart,hlsvm,tree-svc"),
        *("--report", "report.html", "--time-limit", 1),
    )
    assert code == 0
    assert "Linear SVM" in out
    assert "TreeSVC" in out
    assert re.search("(is|are) the most accurate", out)
    page = Path("report.html").read_text(encoding="utf8")
    assert "H-LSVM" in page
    assert "flowers.csv" in page


def test_compare_embedded_data_as_json(run):
    code, out, _ = run(
        *("compare", "--rows", 400, "--methods", "linear,dtsvm", "--json")
    )
    assert code == 0
    values = json.loads(out)
    assert [len(v["results"]) for v in values] == [2] * 5
    assert values[4]["task"] == "regression"


def test_the_installed_command():
    command = shutil.which("treesvm", path=str(Path(sys.executable).parent))
    start = [command] if command else [sys.executable, "-m", "treesvm"]
    done = subprocess.run([*start, "--version"], capture_output=True, text=True)
    assert done.returncode == 0
    assert re.fullmatch(r"treesvm \d+\.\d+.*\n", done.stdout)


def test_predicting_a_large_file_needs_little_memory(run, spirals, tmp_path):
    assert run("train", spirals, "--method", "hlsvm", "-o", "m", "-q")[0] == 0
    text = spirals.read_bytes()
    with open("large.svm", "wb") as file:
        for _ in range(500):  # 300,000 rows; as a table with answers some 60 MB
            file.write(text)
    peaks = [
        peak_memory(
            "benchmarks.hostile_data:streamed",
            model=str(tmp_path / "m"),
            data=str(tmp_path / name),
            out=str(tmp_path / "out.txt"),
        )
        for name in ("spirals.svm", "large.svm")
    ]
    assert peaks[1].result["n_rows"] == 300_000
    assert (tmp_path / "out.txt").read_bytes().count(b"\n") == 300_000
    assert peaks[1].peak_mb - peaks[0].peak_mb < 60


def browser():
    """Return a Chromium, or skip saying so."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    pytest.skip("no Chromium is installed to look at the report with")


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_report_fits_phone_and_desktop(run, spirals, tmp_path, width):
    chromium = browser()
    arguments = ("--methods", "linear,cart,dtsvm,hlsvm", "--report", "r.html", "-q")
    long = spirals.rename(tmp_path / "a_file_whose_name_is_longer_than_a_phone.svm")
    assert run("compare", long, *arguments)[0] == 0
    # Chromium's own window may not be as narrow as a phone: a frame may.
    page = tmp_path / "frame.html"
    page.write_text(
        f'<iframe id="f" src="r.html" style="border:0;width:{width}px;height:900px">'
        "</iframe><script>onload = () => { const d = document.getElementById('f')"
        ".contentDocument; const w = d.documentElement.scrollWidth;"
        "const low = [...d.querySelectorAll('svg')].filter("
        "s => s.getBoundingClientRect().height < 100).length;"
        "const broken = [...d.images].filter(i => !i.naturalWidth).length;"
        "document.body.dataset.seen = [w, low, broken, d.images.length,"
        "d.querySelectorAll('svg').length].join(' ') }</script>"
    )
    done = subprocess.run(
        [
            *(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *("--allow-file-access-from-files", "--virtual-time-budget=5000"),
            *(f"--user-data-dir={tmp_path / 'profile'}", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    seen = re.search(r'data-seen="([\d ]+)"', done.stdout)
    assert seen, done.stderr[-1000:]
    scroll_width, low, broken, n_images, n_charts = map(int, seen.group(1).split())
    assert scroll_width <= width
    assert (low, broken, n_images) == (0, 0, 4)
    assert n_charts == 3
