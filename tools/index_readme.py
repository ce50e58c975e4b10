"""The README as a package index shows it: relative links begin with the address of the repository and the release's tag.

`pyproject.toml` names this as a hook of the build. Where ``[project.urls]`` has no ``Repository``, links stay as they are; a release is
refused then (`tools/release_check.py`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # only a build has hatchling
    MetadataHookInterface = object

_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?!https?:|mailto:|#)(?P<path>[^)\s]+)\)")
_VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)


class IndexReadme(MetadataHookInterface):  # type: ignore[misc, valid-type]
    """Sets the field `readme` when the package is built."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the text with absolute links into the metadata."""
        root = Path(self.root)
        text = (root / "README.md").read_text(encoding="utf-8")
        version = _VERSION.search((root / "src/tamis/_version.py").read_text(encoding="utf-8"))
        source = metadata.get("urls", {}).get("Repository", "")
        if source and version:
            text = with_absolute_links(text, source, f"v{version[1]}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def with_absolute_links(text: str, source: str, tag: str) -> str:
    """Markdown whose relative links lead to the files of the repository at `source`, as they are at the tag; pictures to their bytes."""

    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link["image"] else "blob"
        return f"{link['image']}[{link['text']}]({source.rstrip('/')}/{kind}/{tag}/{link['path']})"

    return _LINK.sub(absolute, text)
