"""The README's examples run as they stand, and its links and commands exist."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tamis import cli

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.DOTALL)
PYTHON = [text for language, text in BLOCKS if language == "python"]
SHELL = [text for language, text in BLOCKS if language == "sh"]


@pytest.mark.parametrize("text", PYTHON)
def test_python_examples_run(text, tmp_path, monkeypatch):
    """A Python example runs, and is at most ten statements long."""
    monkeypatch.chdir(tmp_path)
    exec(compile(text, "README.md", "exec"), {"__name__": "readme"})  # noqa: S102
    assert len([line for line in text.splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("text", SHELL)
def test_commands_run_in_order(text, tmp_path, monkeypatch):
    """The lines of a command-line example run one after the other in one folder."""
    monkeypatch.chdir(tmp_path)
    for line in text.splitlines():
        program, *words = shlex.split(line)
        assert program == "tamis"
        answer = CliRunner().invoke(cli.app, words, catch_exceptions=False)
        assert answer.exit_code == 0, answer.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"smaller.csv", "fewer.parquet"}


def test_there_are_examples():
    """There is one Python example and one for the command line."""
    assert (len(PYTHON), len(SHELL)) == (1, 1)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_links_and_make_targets_exist(name):
    """Files that a page links to, and targets that it makes, are there."""
    text = (ROOT / name).read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (ROOT / link).exists()
    targets = set(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    )
    assert set(re.findall(r"\bmake ([a-z][a-z-]*)\b(?![:.\w])", text)) - {"targets"} <= targets | {"it"}


def test_the_citation_names_this_version():
    """The version in CITATION.cff is the package's."""
    import tamis

    assert f"\nversion: {tamis.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
