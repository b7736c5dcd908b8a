"""The site: `make docs` builds it without a network and lets no warning pass."""

import os
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "src")]
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "2")

from api_pages import hidden_methods, page_of_name, write_api_pages  # noqa: E402
from repository_links import (  # noqa: E402
    ROOT_PAGES,
    contents_of,
    rewritten,
    with_api_links,
)

import treesvm  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
ADDRESS = PROJECT.get("urls", {}).get("Source", "")  # empty until a release fills it

project = "treesvm"
author = "The treesvm developers"
project_copyright = author
version = release = treesvm.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
exclude_patterns = ["_build"]
templates_path = ["_templates"]

write_api_pages(HERE / "api")
autosummary_generate = sorted(str(page) for page in (HERE / "api").glob("*.rst"))
autosummary_context = {"not_ours": hidden_methods()}
default_role = "obj"  # `TreeSVC` in a docstring leads to its page
autodoc_typehints = "none"  # numpydoc's sections say the types
toc_object_entries_show_parents = "hide"  # predict(), not TreeSVC.predict()
numpydoc_class_members_toctree = False
numpydoc_show_inherited_class_members = False
numpydoc_show_class_members = False

myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath", "colon_fence"]

# What an example needs besides; without it, the example is shown, not run.
NEEDS = {
    "dask": ("dask", "distributed"),
    "polars": ("polars",),
    "skrub": ("skrub",),
    "rank_tests": ("scikit_posthocs",),
}
missing = [name for name, modules in NEEDS.items() if not all(map(find_spec, modules))]
sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": (
        rf"/plot_(?!\w*(?:{'|'.join(missing)}))" if missing else r"/plot_"
    ),
    "ignore_pattern": r"(__init__|conftest)\.py",
    "within_subsection_order": "gallery_style.ByInterest",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "matplotlib_animations": False,
    "reset_modules": ("matplotlib", "gallery_style.set_style"),
    "thumbnail_size": (480, 336),
}

html_theme = "pydata_sphinx_theme"
html_title = "treesvm"
html_static_path = ["_static"]
html_css_files = ["treesvm.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "project/*": [], "gallery/index": []}
html_theme_options = {
    "logo": {"text": "treesvm"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "icon_links": (
        [{"name": "Source", "url": ADDRESS, "icon": "fa-solid fa-code"}]
        if ADDRESS
        else []
    ),
}


def read_source(app, docname, source):
    """Pages are written for a code host; their links are led to pages of the site."""
    if docname in ROOT_PAGES:
        path = ROOT / ROOT_PAGES[docname]
        app.env.note_dependency(str(path))
        source[0] = path.read_text("utf8")
    else:
        path = Path(app.env.doc2path(docname)).resolve()
    if path.suffix == ".md":
        contents = contents_of(source[0], path) if path.name == "README.md" else ""
        text = rewritten(source[0], path, ROOT, ADDRESS)
        source[0] = with_api_links(text, page_of_name()) + contents


def setup(app):
    app.connect("source-read", read_source)
