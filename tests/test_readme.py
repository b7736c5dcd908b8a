"""The pages keep their word: their code runs, their commands and links exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("docs/guide/[!R]*.md")),
    *sorted(ROOT.glob("docs/start/*.md")),
    *sorted(ROOT.glob("docs/project/*.md")),
    *sorted(ROOT.glob("docs/*/README.md")),
]
BLOCKS = {
    page: re.findall(r"```python\n(.*?)```", page.read_text("utf8"), re.DOTALL)
    for page in PAGES
}


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [p for p in PAGES if BLOCKS[p]], ids=name_of)
def test_examples_run(page, capsys):
    names = {}  # the code of a page reads from top to bottom
    for block in BLOCKS[page]:
        exec(compile(block, name_of(page), "exec"), names)
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_exist(page):
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf8"))
    links = [link for link in links if not link.startswith(("gallery/", "api/"))]
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing  # the gallery and the API reference are made by `make docs`


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_make_targets_exist(page):
    makefile = (ROOT / "Makefile").read_text("utf8")
    targets = re.findall(r"^    make (\w+)", page.read_text("utf8"), re.MULTILINE)
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_readme_is_short():
    assert len(PAGES[0].read_text("utf8").splitlines()) < 150
