"""The README of a package index: its relative links become addresses of the release.

The address is "Source" of ``[project.urls]`` in pyproject.toml, which a release fills.
As long as it is empty the README is taken as it is.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?\[[^\]]*\])\(([^)#:\s]+)\)")


def with_addresses(text, address, tag):
    """Return Markdown whose relative links and pictures point to a tag's files."""

    def lead(match):
        kind = "raw" if match[1].startswith("!") else "blob"
        return f"{match[1]}({address.rstrip('/')}/{kind}/{tag}/{match[2]})"

    return _LINK.sub(lead, text)


class ReadmeHook(MetadataHookInterface):
    """Sets the metadata's `readme`."""

    def update(self, metadata):
        text = Path(self.root, "README.md").read_text("utf8")
        address = metadata.get("urls", {}).get("Source", "")
        if address:
            text = with_addresses(text, address, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
