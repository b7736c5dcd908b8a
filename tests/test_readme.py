"""The README keeps its word: its example runs, its commands and links exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("source", EXAMPLES, ids=range(len(EXAMPLES)))
def test_example_runs(source, capsys):
    exec(compile(source, "README.md", "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("target", re.findall(r"^    make (\w+)", README, re.MULTILINE))
def test_make_target_exists(target):
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", README))
def test_linked_file_exists(link):
    assert (ROOT / link).exists()
