"""Write docs/cli.md, the reference of the command line, from the commands themselves: ``python tools/cli_reference.py``."""

from __future__ import annotations

import os
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
HEAD = """# The command line

Every command with its options, as its `--help` prints them; `python tools/cli_reference.py` makes this page.
"""


def reference() -> str:
    """The page as it should be."""
    os.environ["COLUMNS"] = os.environ["TERMINAL_WIDTH"] = "100"
    from typer.testing import CliRunner

    from tamis.cli import app
    from tamis.cli._help import GROUPS

    runner = CliRunner()
    parts = [HEAD]
    for heading, names in GROUPS.items():
        parts.append(f"\n## {heading}\n")
        for name in names:
            words = [name, "problem-space"] if name == "study" else [name]
            text = runner.invoke(app, [*words, "--help"], prog_name="tamis", terminal_width=100).stdout
            lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
            parts.append(f"\n### tamis {' '.join(words)}\n\n```text\n{lines}\n```\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
