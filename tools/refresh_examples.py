"""Run the Python examples of the manual and write what they print into the block after each.

    python tools/refresh_examples.py [PAGE ...]     # all pages of docs/ if none is named

Look at the difference before you commit it: what a page says around an example may be true no longer.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


def printed(text: str) -> str:
    """What an example prints, run in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(  # noqa: S603
            [sys.executable, "-c", text],
            cwd=folder,
            env=os.environ,
            capture_output=True,
            text=True,
            check=True,
        )
    return run.stdout


def refreshed(page: Path) -> bool:
    """Whether anything on a page has changed."""
    before = page.read_text(encoding="utf-8")
    after = EXAMPLE.sub(
        lambda found: found[0][: found.start(2) - found.start()] + printed(found[1]) + "```", before
    )
    if after != before:
        page.write_text(after, encoding="utf-8")
    return after != before


def main() -> None:
    """Refresh the named pages, or all."""
    pages = [Path(name) for name in sys.argv[1:]] or sorted(DOCS.rglob("*.md"))
    for page in pages:
        if "_build" not in page.parts and refreshed(page):
            print(page)


if __name__ == "__main__":
    main()
