"""Names in messages: short lists, options as parameters or to be pasted into a shell, and "did you mean"."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from heapq import nlargest
from shlex import quote
from typing import TYPE_CHECKING

from tamis.table._dataset import TableError
from tamis.table._kinds import plain_number

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# Signs that a formula begins with; the last four are wide.
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NEAR = 0.6  # names are similar from this share of common letters in the same order
_MOST_COMPARED = 100  # names given to difflib
_END = 99  # letters compared at each end of a name: difflib ignores frequent letters in texts of 200 and more
_BATCH = 10_000


def check_names(names: Sequence[str], file: str, advice: str = "Rename them.") -> None:
    """Refuse column names that occur twice, and those that polars would take for a pattern (``*``, ``^...$``)."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"{file} has column names that occur more than once: {quoted(twice)}. {advice}")
    patterns = [name for name in names if name == "*" or (name.startswith("^") and name.endswith("$"))]
    if patterns:
        raise TableError(f"{file} has column names that stand for patterns: {quoted(patterns)}. Rename them.")


def listed(names: Sequence[str], most: int = 10) -> str:
    """Give the names separated by commas, the first `most` of them.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    'a, b, ... (3 in all)'
    """
    if len(names) <= most:
        return ", ".join(names)
    return ", ".join(names[:most]) + f", ... ({len(names)} in all)"


def quoted(names: Sequence[str], most: int = 10) -> str:
    """Give the names in quotes, separated by commas, the first `most` of them."""
    return listed([repr(name) for name in names], most)


class _Speech:
    """Whether messages name the options of the command line, which sets this, or the parameters of Python."""

    shell = False


speech = _Speech()


def as_option(option: str, names: Iterable[str], most: int = 20) -> str:
    r"""Give an option with names (or values): as a parameter in Python, on the command line to be pasted into a shell.

    Examples
    --------
    >>> as_option("--drop", ["a b", "c"]), as_option("--missing-values", ["-"])
    ("drop=['a b', 'c']", "missing_values=['-']")
    """
    names = list(names)
    if not speech.shell:
        more = ", ..." * (len(names) > most)
        return f"{_parameter(option)}=[{', '.join(map(repr, names[:most]))}{more}]"
    text = _pasted(names[:most]) + ",..." * (len(names) > most)
    return f"{option}={text}" if names and names[0].startswith("-") else f"{option} {text}"


def as_word(text: str) -> str:
    """A text that the reader will copy: on the command line as one word of a shell."""
    return quote(text) if speech.shell else text


def _pasted(names: Iterable[str]) -> str:
    """Names as one word of a shell: with commas between them, those that hold a comma in double quotes."""
    return quote(",".join(map(as_cell, names)))


def as_cell(name: str) -> str:
    """A name as one of a list with commas between them: one that holds a comma or a quote in double quotes."""
    return '"' + name.replace('"', '""') + '"' if '"' in name or "," in name else name


def an_option(option: str, value: str | bool | None = None) -> str:
    """Give an option by its name alone, or with a value; True is a switch.

    Examples
    --------
    >>> an_option("--target"), an_option("--drop-unlabelled", True), an_option("--encoding", "cp1252")
    ('target', 'drop_unlabelled=True', "encoding='cp1252'")
    """
    if not speech.shell:
        return _parameter(option) if value is None else f"{_parameter(option)}={value!r}"
    return option if value is None or value is True else f"{option} {value}"


def _parameter(option: str) -> str:
    return option.removeprefix("--").replace("-", "_")


def as_text(name: str) -> str:
    """Give a name as it is written to CSV: with a leading quote if a spreadsheet would take it for a formula.

    Examples
    --------
    >>> as_text("=cmd|' /C calc'!A0"), as_text("-5"), as_text("a-b")
    ("'=cmd|' /C calc'!A0", '-5', 'a-b')
    """
    return f"'{name}" if _is_formula(name) else name


def as_named(name: str) -> str:
    """Undo `as_text`.

    Examples
    --------
    >>> as_named("'=1+1"), as_named("'tis"), as_named(as_text("'=1+1"))
    ('=1+1', "'tis", "'=1+1")
    """
    return name[1:] if name.startswith("'") and _is_formula(name) else name


def _is_formula(name: str) -> bool:
    """Tell whether a name, after any leading quotes, begins like a formula and is not a number."""
    bare = name.lstrip("'")
    return bare.startswith(_FORMULA_SIGNS) and not plain_number(bare)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Give the sentence `` Did you mean 'target'?`` for the name nearest to `name`, or nothing.

    difflib would take half a minute for tens of thousands of long names. So it is given only a few candidates: among the
    names with enough letters in common, those whose beginnings and ends agree best. Of long names only the beginning and
    the end are compared.

    Examples
    --------
    >>> did_you_mean("targte", ["age", "target"])
    " Did you mean 'target'?"
    """
    wanted = _ends(name)
    folded = {_ends(candidate): candidate for candidate in names if candidate != name}
    few = list(folded)
    if len(few) > _MOST_COMPARED:
        few = _alike(wanted, few)
    if len(few) > _MOST_COMPARED:
        few = nlargest(_MOST_COMPARED, few, key=lambda other: _agreeing(wanted, other))
    near = get_close_matches(wanted, few, n=1, cutoff=_NEAR)
    if not near:
        return ""
    meant = folded[near[0]]
    cut = speech.shell and "," in meant and name in (piece.strip() for piece in meant.split(","))
    way = f" A comma ends a name: write {_pasted([meant])}." if cut else ""
    return f" Did you mean {meant!r}?{way}"


def _ends(name: str) -> str:
    """A name in lower case; only the beginning and the end of a long one."""
    short = (name if len(name) <= 2 * _END else name[:_END] + name[-_END:]).casefold()
    return short[: 2 * _END]


def _alike(wanted: str, names: list[str]) -> list[str]:
    """The names that difflib may call similar: its ratio never exceeds the share of common letters in any order."""
    import numpy as np

    alike = []
    mine = _letters([wanted])
    for start in range(0, len(names), _BATCH):
        some = names[start : start + _BATCH]
        common = np.minimum(_letters(some), mine).sum(axis=1)
        lengths = np.array([len(one) for one in some]) + len(wanted)
        alike += [some[pos] for pos in np.flatnonzero(2 * common >= _NEAR * lengths).tolist()]
    return alike


def _letters(names: list[str]) -> npt.NDArray[np.intp]:
    """How often each name has each letter, (names, 64); letters that share one of the 64 slots count as one."""
    import numpy as np

    letters = np.frombuffer("".join(names).encode("utf-32-le", "surrogatepass"), dtype=np.uint32) & 63
    owners = np.repeat(np.arange(len(names)), [len(name) for name in names])
    return np.bincount(owners * 64 + letters, minlength=64 * len(names)).reshape(len(names), 64)


def _agreeing(one: str, other: str) -> float:
    """The share of the letters of two names in a common beginning and a common end."""
    most = min(len(one), len(other))
    head = bisect_left(range(most), True, key=lambda i: one[: i + 1] != other[: i + 1])
    tail = bisect_left(range(most - head), True, key=lambda i: one[-i - 1 :] != other[-i - 1 :])
    return 2 * (head + tail) / (len(one) + len(other))
