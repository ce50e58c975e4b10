"""Values for ``--set`` that nobody should type, and a judge of what the command line makes of them."""

from __future__ import annotations

import inspect
import io
import re
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import typer
from sklearn.utils._param_validation import StrOptions

from tamis._methods import METHODS, Method
from tamis.cli._condense import condense
from tamis.cli._rank import rank

NUMBERS = (
    "0", "1", "-1", "2", "3", "5", "7", "64", "255", "256", "2147483647", "2147483648", "4294967296", "9007199254740993",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "12345678901234567890", "1" + "0" * 400,
    "0.0", "-0.0", "0.5", "1.0", "1.5", "-0.5", "1e-320", "1e-9", "1e9", "1e308", "1e999", "-1e999", "1j",
)  # fmt: skip
WORDS = (
    "True", "False", "None", "true", "nan", "inf", "x", "", " ", "'x'", "auto", "balanced", "condensed", "*", "..", "a,b",
    "a" * 5000, "\x1b[31m", "\u202ex", "\ud800", "\x00", "{", "[" * 300, "b'x'", "...", "0x" + "f" * 5000, "lambda: 0", "__import__('os')",
)  # fmt: skip
LISTS = (
    "[]", "()", "[0]", "[1]", "[-1]", "[0, 1]", "[99]", "[12345678901234567890]", "[0.5]", "[1e308]", "[1e-320]", "[1e999]",
    "[True]", "[True, False, True, False]", "[None]", "['height']", "['nothing']", "['height', 'height']", "[[0, 1]]",
    "[[0], ['height']]", "[[]]", "[{}]", "[[[1]]]", "[4, 4]", "[1, [2]]", "[b'x']", "{1}", "{'height'}", "('height', 1)",
)  # fmt: skip
DICTS = (
    "{}", "{'a': 1}", "{'a': 0}", "{'a': 0, 'b': 0}", "{'a': -1}", "{'a': None}", "{'u': None}", "{'u': 1}", "{'a': True}",
    "{'a': '1'}", "{'a': 1e-320}", "{'a': 1e308}", "{'a': 1e308, 'b': 1e-320}", "{'a': 1e308, 'b': 1e308}", "{'a': 1e999}",
    "{'a': [1]}", "{'a': 12345678901234567890}", "{'a': 1" + "0" * 400 + "}", "{0: 1}", "{None: 1}", "{('a',): 1}",
    "{'a': 0.25, 'b': 0.75}", "{'a': 3, 'b': 4}",
)  # fmt: skip
VALUES = NUMBERS + WORDS + LISTS + DICTS

# Two classes and three, numbers, names, gaps, ties.
ROWS = [
    (i % 4, (i * 7 % 11) / 2 if i % 6 else "", ("red", "blue", "green")[i * i % 3], i * 5 % 13)
    for i in range(24)
]
TABLES = {
    "two.csv": "ab",
    "three.csv": "abc",
}
_TRACE = re.compile(r"Traceback|Warning|Error\b|Exception")


HEAVY = ("64", "255", "256", "2147483647")  # of what is done so often: a case may work for hours


class Case(NamedTuple):
    """One command with one setting."""

    method: str
    setting: str
    table: str


def write_tables(folder: Path) -> None:
    """Write the tables that cases name."""
    for name, classes in TABLES.items():
        lines = [
            f"{a},{b},{c},{d},{classes[(i * i + d) % len(classes)]}" for i, (a, b, c, d) in enumerate(ROWS)
        ]
        (folder / name).write_text("\n".join(["code,height,colour,weight,kind", *lines]) + "\n")


def cases() -> Iterator[Case]:
    """Every value for every parameter of every method, the parameter's own words among them."""
    for method in METHODS:
        for parameter, words in parameters(method).items():
            for value in (*VALUES, *words):
                for table in TABLES:
                    yield Case(method.name, f"{parameter}={value}", table)


def parameters(method: Method) -> dict[str, list[str]]:
    """The parameters of a method that can be set, and the words that each knows."""
    made = method.estimator_class()
    found = {}
    for name in inspect.signature(made).parameters:
        known = made._parameter_constraints.get(name, [])
        words = {word for one in known if isinstance(one, StrOptions) for word in one.options}
        found[name] = sorted(words)
    return found


def judged(case: Case, folder: Path) -> tuple[str, str]:
    """Run one command in this process: what came of it ("answered", "refused" or "found"), and the words."""
    method = next(method for method in METHODS if method.name == case.method)
    command = rank if method.sifts == "columns" else condense
    printed, said, code = io.StringIO(), io.StringIO(), 0
    with warnings.catch_warnings(), redirect_stdout(printed), redirect_stderr(said):
        warnings.simplefilter("default")
        try:
            command([str(folder / case.table)], method=case.method, settings=[case.setting])
        except typer.Exit as left:
            code = left.exit_code
        except Exception as error:
            return "found", f"{type(error).__name__}: {error}"
    lines = [line for line in said.getvalue().splitlines() if not line.startswith("note: ")]
    if code == 0:
        bad = [line for line in lines if _TRACE.search(line)]
        if method.sifts == "columns":
            bad += [line for line in printed.getvalue().splitlines() if re.search(r"\b(nan|inf)\b", line)]
        return ("found", " ".join(bad)) if bad else ("answered", "")
    if code == 2 and len(lines) == 1 and lines[0].startswith("tamis: ") and not printed.getvalue():
        return "refused", lines[0]
    return "found", f"exit code {code}: {said.getvalue()[-500:]}"
