"""The examples of the manual run and print what the pages say; names, figures, pictures and links are there."""

import importlib
import os
import re
import runpy
import shlex

import pytest
import sklearn
from sklearn.utils.fixes import parse_version
from typer.main import get_command

from tamis import cli
from tamis._methods import methods
from tests import test_readme
from tests.command_line import ok

DOCS = test_readme.ROOT / "docs"
MADE = {"_build", "generated"}  # by `make docs`
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if path.relative_to(DOCS).parts[0] not in MADE]
READ = [*PAGES, test_readme.ROOT / "README.md"]
METHODS = [path for path in sorted((DOCS / "methods").glob("*.md")) if path.stem != "index"]
ROOMS = ("tamis", "tamis.study", "tamis.report", "tamis.datasets", "tamis.table")
NAMES = [f"{room}.{name}" for room in ROOMS for name in importlib.import_module(room).__all__]
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
    shown = capsys.readouterr().out
    if "Sieve(" in text and parse_version(sklearn.__version__) < parse_version("1.8"):
        assert bool(shown) == bool(
            printed
        )  # its forests are scikit-learn's, which draws other trees since 1.8
    else:
        assert shown == printed


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


@pytest.mark.parametrize("page", METHODS, ids=lambda page: page.stem)
def test_every_method_page_has_an_example_a_picture_and_a_place_in_the_list(page):
    """A method page has its parts, runs Python, shows a picture and a formula, and is listed in docs/methods/index.md."""
    text = page.read_text(encoding="utf-8")
    for part in ("for", "The idea", "Parameters that matter", "Cost"):
        assert re.search(rf"^## .*\b{part}$", text, flags=re.MULTILINE)
    assert "\n## When not to use " in text
    assert "```python\n" in text
    assert "\n$$\n" in text
    assert "](../pictures/" in text
    assert f"]({page.name})" in (DOCS / "methods" / "index.md").read_text(encoding="utf-8")


def test_every_picture_is_shown_and_small():
    """No picture lies unused, and each is below 80 kB."""
    shown = {
        name
        for page in PAGES
        for name in re.findall(r"pictures/(\w+\.png)\)", page.read_text(encoding="utf-8"))
    }
    assert {path.name for path in (DOCS / "pictures").iterdir()} == shown
    assert all(path.stat().st_size < LIMIT for path in (DOCS / "pictures").iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_a_page(name):
    """A public name stands in the list from which the API pages are made, and some other page speaks of it."""
    short = name.rpartition(".")[2]
    listed = (DOCS / "api.rst").read_text(encoding="utf-8")
    assert f"\n   {name}\n" in listed or (short == "__version__" and short in listed)
    if short != "__version__":
        word = re.compile(rf"\b{short}\b")
        assert any(word.search(page.read_text(encoding="utf-8")) for page in READ)


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.name)
def test_a_method_stands_in_every_list(method):
    """`tamis methods` prints a method; its class has one page with it in the title, README's table and api.rst name both."""
    word = re.compile(rf"\b{method.estimator}\b")
    (page,) = (one for one in METHODS if word.search(one.read_text(encoding="utf-8").partition("\n")[0]))
    readme = test_readme.README.partition("## The methods")[2].partition("\n## ")[0]
    (line,) = (one for one in readme.splitlines() if f"`{method.name}`" in one)
    assert line.startswith(f"| {method.sifts} | [")
    assert word.search(line)
    assert f"(docs/methods/{page.name})" in line
    section = (
        (DOCS / "api.rst").read_text(encoding="utf-8").partition(f"\n{method.sifts.capitalize()}\n---")[2]
    )
    assert f"\n   tamis.{method.estimator}\n" in section.partition("\n---")[0]
    (printed,) = (one for one in ok("methods").stdout.splitlines() if one.split()[0] == method.name)
    assert printed.split()[1:3] == [method.sifts, method.estimator]
    assert printed.endswith(method.summary)


@pytest.mark.parametrize("page", READ, ids=lambda page: page.stem)
def test_figures_stand_in_the_file_they_name(page):
    """In a line of a table that links to results of a benchmark, every figure is one of these results, rounded."""
    for line in page.read_text(encoding="utf-8").splitlines():
        links = re.findall(r"\]\(([^)]*benchmarks/results/[^)]+)\)", line)
        if line.startswith("|") and links:
            text = "".join((page.parent / link).read_text(encoding="utf-8") for link in links)
            results = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text.replace(",", ""))]
            words = re.sub(r"\]\([^)]*\)", "]", line)
            for figure in re.findall(r"\d+\.\d+|\d+(?= times)", words):
                places = len(figure.partition(".")[2])
                near = 0.5 * 10**-places * (1 + 1e-9)
                assert any(abs(number - float(figure)) <= near for number in results), (line, figure)


def test_quoted_tables_are_up_to_date():
    """Tables that repeat the results of a benchmark, and lists of methods, are what `python docs/quoted.py` writes."""
    for page, text in runpy.run_path(str(DOCS / "quoted.py"))["up_to_date"]().items():
        assert page.read_text(encoding="utf-8") == text, "Run python docs/quoted.py."


@pytest.mark.parametrize("page", READ, ids=lambda page: page.stem)
def test_commands_and_options_exist(page):
    """A command that a page names, also where it is not run, is one of the command line with these options."""
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`(tamis [^`]+)`|^ {4}(tamis .+)$", text, flags=re.MULTILINE)
    for line in ("".join(either).partition("  #")[0] for either in named):
        root, words = get_command(cli.app), line.split()[1:]
        command = root
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        known = {"--help", *(option for parameter in command.params for option in parameter.opts)}
        assert command is not root, line
        assert {word for word in words if word.startswith("--")} <= known, line


def test_the_reference_of_the_command_line_is_current():
    """docs/cli.md has every option of every command with its help; python tools/cli_reference.py writes it."""
    page = " ".join((DOCS / "cli.md").read_text(encoding="utf-8").split())
    root = get_command(cli.app)
    commands = {**root.commands, "study problem-space": root.commands["study"].commands["problem-space"]}
    for name, command in commands.items():
        if name == "study":
            continue
        section = page.partition(f"### tamis {name} ")[2].partition("### tamis ")[0]
        for parameter in command.params:
            told = " ".join((parameter.help or "").split())
            assert told in section, f"{name}: {parameter.name}"
            assert all(option in section for option in parameter.opts if option.startswith("-"))


def test_every_line_of_the_papers_has_a_name_a_test_and_a_page():
    """Four cells a row, none of them empty; tests and pages exist; the rows of each paper have their own heading."""
    page = DOCS / "papers" / "completeness.md"
    text = page.read_text(encoding="utf-8")
    parts = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert [part.partition("\n")[0] for part in parts] == ["FS2Boost", "PSBoost", "EFR", "SBS-MF"]
    for part in parts:
        rows = re.findall(r"^\| (?!---|in the paper)(.+) \|$", part, flags=re.MULTILINE)
        assert rows
        for row in rows:
            cells = [cell.strip() for cell in re.split(r"(?<!\\) \| ", row)]
            assert len(cells) == 4, row
            assert all(cells), row
            tests = re.findall(r"[\w/]+\.py", cells[2])
            assert tests, row
            assert all((DOCS.parent / "tests" / name).is_file() for name in tests), row
            links = re.findall(r"\]\(([^)#]+)", cells[3])
            assert links, row
            assert all((page.parent / link).resolve().is_file() for link in links), row
