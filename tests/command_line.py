"""How tests run the command line."""

import subprocess
import sys

from typer.testing import CliRunner

from tamis import cli

CSV = """code,height,colour,kind,weight
1,1.5,red,a,10
2,2.5,blue,b,11
3,,red,a,12
1,4.5,green,b,9
2,0.5,red,a,14
3,5.5,?,b,15
"""


def run(*words):
    """Run one command in this process."""
    return CliRunner().invoke(cli.app, [str(word) for word in words], catch_exceptions=False)


def ok(*words):
    """Run one command that must succeed."""
    answer = run(*words)
    assert answer.exit_code == 0, answer.stderr
    return answer


def refused(*words):
    """Run one command that must be refused, and give its one sentence."""
    answer = run(*words)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    lines = [line for line in answer.stderr.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1, answer.stderr
    assert lines[0].startswith("tamis: ")
    return lines[0]


def shell(*words, **options):
    """Run the installed command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tamis", *words], capture_output=True, text=True, timeout=120, **options
    )
