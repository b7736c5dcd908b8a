"""Pages speak to outsiders, and their links work on the site and on a package index."""

import ast
import importlib.util
import inspect
import re
import tomllib
from pathlib import Path

import pytest

import treesvm

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = sorted((ROOT / "docs" / "benchmarks").glob("*.md"))
GUIDE = sorted((ROOT / "docs" / "guide").glob("[!R]*.md"))
# What belongs to our own planning and not on a page of results.
INTERNAL = re.compile(r"\bmust\b|\baim(s|ed)?\b|\bfailed\b|asked for|not settled", re.I)


def loaded(path):
    """Import a file that is in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", BENCHMARKS, ids=lambda page: page.stem)
def test_benchmark_pages_speak_to_outsiders(page):
    lines = page.read_text("utf8").splitlines()
    assert [line for line in lines if INTERNAL.search(line)] == []


@pytest.mark.parametrize(
    "line", ["Rank must rise", "not settled yet", "FAILED", "aims"]
)
def test_the_checker_sees_internal_words(line):
    assert INTERNAL.search(line)


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_every_page_of_the_guide_has_a_picture(page):
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text("utf8"))
    assert pictures
    assert all((page.parent / picture).exists() for picture in pictures)


def test_the_readme_shows_a_table_and_one_picture_before_its_code():
    text = (ROOT / "README.md").read_text("utf8")
    first = text[: text.index("```python")]
    assert "| µs a row |" in first
    assert len(re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)) == 1


def test_pages_say_of_the_league_what_was_measured():
    figures = loaded(ROOT / "docs" / "league_figures.py")
    for page, (name, block) in figures.BLOCKS.items():
        text = page.read_text("utf8")
        assert f"<!-- begin: {name} -->" in text
        assert figures.with_block(text, name, block()) == text, (
            "league.json changed: run python docs/league_figures.py"
        )


def test_the_installation_page_knows_every_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
    text = (ROOT / "docs" / "start" / "install.md").read_text("utf8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == set(project["optional-dependencies"])


def changed_defaults():
    """Return (name, parameter, default) of the changelog's note for moving on."""
    text = (ROOT / "CHANGELOG.md").read_text("utf8")
    block = text[text.index("<!-- begin: defaults") : text.index("<!-- end: defaults")]
    rows = [line.split("|")[1:-1] for line in block.splitlines() if line[:3] == "| `"]
    cells = [[cell.strip(" `") for cell in row] for row in rows]
    return [(name, parameter, now) for name, parameter, _, now, _ in cells]


@pytest.mark.parametrize(("name", "parameter", "now"), changed_defaults())
def test_the_note_for_moving_on_says_the_defaults_of_the_code(name, parameter, now):
    rooms = (treesvm, treesvm.partitions, treesvm.reporting, treesvm.datasets)
    thing = next(getattr(room, name) for room in rooms if hasattr(room, name))
    default = inspect.signature(thing).parameters[parameter].default
    assert default == ast.literal_eval(now)


def test_the_oldest_job_pins_the_lower_bounds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["plot"], *extras["onnx"]]
    needed += [*extras["dask"], *(n for n in extras["test"] if n.startswith("pandas"))]
    lower = dict(re.match(r"([\w-]+).*>=([\d.]+)", need).groups() for need in needed)
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf8")
    pins = dict(re.findall(r"([\w-]+)==([\d.]+?)(?:\.\*)?(?=\s)", workflow))
    del pins["pyparsing"]  # of Matplotlib's time; we have no bound of our own
    assert {name: pin.removesuffix(".0") for name, pin in pins.items()} == lower


def test_links_on_the_site_lead_to_its_pages():
    links = loaded(ROOT / "docs" / "repository_links.py")
    page = ROOT / "docs" / "guide" / "clusters.md"
    text = (
        "[a](../../SECURITY.md) [b](../benchmarks) [c](idea.md#top) [d](../../LICENSE)"
    )
    there = links.rewritten(text, page, ROOT)
    assert there == (
        "[a](/project/security.md) [b](/benchmarks/README.md) [c](/guide/idea.md#top) d"
    )
    led = links.rewritten("[d](../../LICENSE)", page, ROOT, "https://host/us")
    assert led == "[d](https://host/us/blob/main/LICENSE)"


def test_the_first_mention_of_a_name_leads_to_its_reference():
    links = loaded(ROOT / "docs" / "repository_links.py")
    text = "# `A`\n`A` [`B`](x.md) `c`\n```py\n`A`\n```\n`A` `B`\n"
    there = links.with_api_links(text, {"A": "/a.rst", "B": "/b.rst"})
    assert there == (
        "# `A`\n[`A`](/a.rst) [`B`](x.md) `c`\n```py\n`A`\n```\n`A` [`B`](/b.rst)\n"
    )


def test_links_of_the_readme_get_the_address_of_a_release():
    pytest.importorskip("hatchling")
    hook = loaded(ROOT / "hatch_build.py")
    text = (
        "[guide](docs/guide/README.md) ![p](docs/p.png) [web](https://a.b) [up](#top)"
    )
    assert hook.with_addresses(text, "https://host/us/", "v1") == (
        "[guide](https://host/us/blob/v1/docs/guide/README.md) "
        "![p](https://host/us/raw/v1/docs/p.png) [web](https://a.b) [up](#top)"
    )
