"""The examples of the method pages run and print what the pages say; their pictures and links exist."""

import os
import re
import shlex

import pytest

from tests import test_readme
from tests.command_line import ok

DOCS = test_readme.ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", flags=re.DOTALL | re.MULTILINE)
LIMIT = 80_000
compiled = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="takes minutes with the compiler off"
)


def blocks(language):
    """Each fenced block of a language, with the output that follows it, named by its page."""
    return [
        pytest.param(text, printed, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, (kind, text, printed) in enumerate(FENCE.findall(page.read_text(encoding="utf-8")))
        if kind == language
    ]


@compiled
@pytest.mark.parametrize(("text", "printed"), blocks("python"))
def test_python_examples_print_what_the_page_says(text, printed, tmp_path, monkeypatch, capsys):
    """A Python example runs as README's do, and what it prints stands in the block after it."""
    test_readme.test_python_examples_run(text, tmp_path, monkeypatch)
    assert capsys.readouterr().out == printed


@compiled
@pytest.mark.parametrize(("text", "printed"), blocks("sh"))
def test_commands_run_in_order(text, printed, tmp_path, monkeypatch):
    """The lines of a command-line example run one after the other in one folder."""
    monkeypatch.chdir(tmp_path)
    for line in text.splitlines():
        program, *words = shlex.split(line)
        assert program == "tamis"
        ok(*words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_pictures_exist(page):
    """Every file that a page links to or shows is there."""
    for link in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).is_file(), link


@pytest.mark.parametrize("page", sorted((DOCS / "methods").glob("*.md")), ids=lambda page: page.stem)
def test_every_method_page_has_an_example_a_picture_and_a_place_in_the_list(page):
    """A method page runs Python, shows a picture, and is listed in docs/index.md."""
    text = page.read_text(encoding="utf-8")
    assert "```python\n" in text
    assert "](../pictures/" in text
    assert f"](methods/{page.name})" in (DOCS / "index.md").read_text(encoding="utf-8")


def test_every_picture_is_shown_and_small():
    """No picture lies unused, and each is below 80 kB."""
    shown = {
        name
        for page in PAGES
        for name in re.findall(r"pictures/(\w+\.png)\)", page.read_text(encoding="utf-8"))
    }
    assert {path.name for path in (DOCS / "pictures").iterdir()} == shown
    assert all(path.stat().st_size < LIMIT for path in (DOCS / "pictures").iterdir())
