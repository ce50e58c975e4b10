"""Do docstrings and signatures agree? numpydoc's validation of every name in docs/api.rst (a step of `make check`).

Usage: ``python tools/check_docstrings.py``. What it finds is printed, one finding a line, and the exit code is 1.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import Validator, validate

API = Path(__file__).resolve().parent.parent / "docs" / "api.rst"

# numpydoc's codes that are not asked for here, and why. All others are.
LEFT_OUT = {
    "ES01": "a summary can be enough",
    "EX01": "examples stand in the class; tests/test_api.py runs them",
    "GL01": "the summary begins beside the quotes (ruff's D212)",
    "GL08": "ruff finds names without a docstring; dataclasses bring methods without one",
    "PR08": "an option may be named first, in the spelling that it is typed in",
    "PR09": "a description may end in a list of values",
    "RT03": "as PR08",
    "RT05": "as PR09",
    "SA01": "the manual's pages lead on",
    "SS05": "a function is described by what it returns, and numpydoc takes every noun in -s for a verb",
    "SS06": "ruff keeps lines within their length",
}
# A docstring without any section, such as "The classes of the rows of X.", may say in its sentence what goes in and out.
OF_SECTIONS = {"PR01", "RT01", "YD01"}


def public_names() -> list[str]:
    """Dotted names of everything that the reference of the manual lists."""
    return re.findall(r"^   (tamis\.[\w.]+)$", API.read_text(encoding="utf-8"), re.MULTILINE)


def with_methods(name: str) -> Iterator[str]:
    """The name, and the public methods and properties that our own code gives it."""
    yield name
    thing = Validator._load_obj(name)
    if inspect.isclass(thing):
        for member, value in inspect.getmembers(thing):
            function = value.fget if isinstance(value, property) else value
            if not member.startswith("_") and str(getattr(function, "__module__", "")).startswith("tamis"):
                yield f"{name}.{member}"


def undocumented_fields(thing: Any) -> set[str]:
    """Fields of a dataclass that its section Attributes does not name: they are its parameters and attributes in one."""
    sections = NumpyDocString(inspect.getdoc(thing) or "")
    named = {name for entry in sections["Attributes"] for name in entry.name.split(", ")}
    return {field.name for field in dataclasses.fields(thing)} - named


def findings(name: str) -> list[str]:
    """What numpydoc says against one docstring."""
    report, thing = validate(name), Validator._load_obj(name)
    skipped = set(LEFT_OUT) if "\n----" in report["docstring"] else set(LEFT_OUT) | OF_SECTIONS
    if inspect.isclass(thing) and dataclasses.is_dataclass(thing) and not undocumented_fields(thing):
        skipped.add("PR01")
    return [
        f"{name}: {code} {' '.join(said.split())}" for code, said in report["errors"] if code not in skipped
    ]


def main() -> int:
    """Print what was found; 1 if anything was."""
    names = [each for name in public_names() for each in with_methods(name)]
    found = [line for name in names for line in findings(name)]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(names)} public docstrings checked by numpydoc, {len(found)} findings.")
    return 1 if found or not names else 0


if __name__ == "__main__":
    sys.exit(main())
