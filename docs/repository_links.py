"""Links between files of the repository, led to pages of the site.

The Markdown pages are read on a code host too, so they link to each other and to the
rest of the repository by relative paths. On the site a path that is a page becomes that
page, a folder its README, and any other file a link to the project's address, or, as
long as there is none, plain text.
"""

import re
from pathlib import Path

# Files beside the folder docs/ that are pages of the site.
ROOT_PAGES = {
    "project/changelog": "CHANGELOG.md",
    "project/contributing": "CONTRIBUTING.md",
    "project/security": "SECURITY.md",
    "project/conduct": "CODE_OF_CONDUCT.md",
}
_PAGE_OF = {file: f"docs/{page}.md" for page, file in ROOT_PAGES.items()}
# A public name in backticks; what comes before the bar is passed over as it is.
_NAME = re.compile(
    r"^```.*?^```|^#.*?$|<!--.*?-->|!?\[[^\]]*\]\([^)]*\)|`(?P<name>\w+)`",
    re.DOTALL | re.MULTILINE,
)
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def rewritten(text, path, root, address=""):
    """Return a page's text with links that work on the site.

    Parameters
    ----------
    text : str
        Markdown of the page, which may have been read from elsewhere than where the
        site shows it.
    path : Path
        The file in the repository; its links are relative to it.
    root : Path
        The repository.
    address : str
        Of the repository on a code host, or empty.
    """

    def lead(match):
        words, target, anchor = match[1], match[2], match[3] or ""
        file = (path.parent / target).resolve()
        if not file.is_relative_to(root) or not file.exists():
            return match[0]
        name = file.relative_to(root).as_posix()
        if file.is_dir() and (file / "README.md").exists():
            name += "/README.md"
        name = _PAGE_OF.get(name, name)
        example = re.fullmatch(r"examples/(plot_\w+)\.py", name)
        if example:
            return f"[{words}](/gallery/{example[1]}.rst)"
        if name.startswith("docs/") and Path(name).suffix in (".md", ".rst"):
            return f"[{words}](/{name.removeprefix('docs/')}{anchor})"
        return f"[{words}]({address}/blob/main/{name})" if address else words

    return _LINK.sub(lead, text)


def with_api_links(text, page_of):
    """Return a page whose first mention of a public name leads to its reference.

    Parameters
    ----------
    text : str
        Markdown. Code blocks, headings, links and pictures stay as they are.
    page_of : dict of str to str
        {name: page of the reference}
    """
    left = dict(page_of)

    def lead(match):
        page = left.pop(match["name"], None) if match["name"] else None
        return f"[{match[0]}]({page})" if page else match[0]

    return _NAME.sub(lead, text)


def contents_of(text, path):
    """Return a table of contents for a folder's README: its pages as it names them.

    Pages of the folder that it does not name follow, so that none is left out.
    """
    docs = Path(__file__).resolve().parent
    named = [(path.parent / match[2]).resolve() for match in _LINK.finditer(text)]
    own = [page for page in named if page.parent in (path.parent, docs)]
    others = sorted(path.parent.glob("*.md"))
    pages = [p for p in dict.fromkeys(own + others) if p.suffix == ".md" and p != path]
    lines = [f"/{p.relative_to(docs).with_suffix('').as_posix()}" for p in pages]
    return "\n".join(["", "```{toctree}", ":hidden:", "", *lines, "```", ""])
