"""What is printed: tables, notes, and the progress of long work.

On a terminal, rich draws; anywhere else, the text is plain and as wide as it needs to be.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import typer

from tamis._progress import shown
from tamis.cli._sentences import plain

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from rich.status import Status

_WIDE = 10_000  # characters per line where there is no terminal


@dataclass
class Settings:
    """How the running command prints: what ``--quiet``, ``--verbose`` and ``--json`` ask for.

    Parameters
    ----------
    quiet, verbose : bool
        Whether to print no notes and no bars; whether to print the time of each step, and tracebacks of errors.
    answer : dict or None
        With ``--json``, the object that is printed at the end; otherwise None.
    piped : bool
        Whether a table goes to stdout (``-o -``), so that all else goes to stderr.
    notes : list of str
        The notes so far, for the report.
    """

    quiet: bool = False
    verbose: bool = False
    answer: dict[str, Any] | None = None
    piped: bool = False
    notes: list[str] = field(default_factory=list)


settings = Settings()


@contextlib.contextmanager
def shown_as(*, quiet: bool, verbose: bool, as_json: bool) -> Iterator[None]:
    """Apply these settings to what the block prints; with ``--json``, print it as one object on stdout at the end."""
    before = replace(settings)
    settings.quiet, settings.verbose, settings.piped = quiet, verbose, False
    settings.answer, settings.notes = {} if as_json else None, []
    try:
        yield
        if settings.answer is not None:
            typer.echo(json.dumps(settings.answer, ensure_ascii=False, indent=2, default=_plain_value))
    finally:
        for one in fields(Settings):
            setattr(settings, one.name, getattr(before, one.name))


def answer(name: str, value: Any) -> None:
    """Add a named value to the object that ``--json`` prints."""
    if settings.answer is not None:
        settings.answer[name] = value


def _plain_value(value: Any) -> Any:
    """NumPy scalars and arrays as Python numbers and lists, and anything else as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def console(*, err: bool = False) -> Console:
    """A console for stdout or stderr, which never takes a name for rich's markup."""
    from rich.console import Console

    screen = Console(stderr=err, markup=False, highlight=False, emoji=False)
    if not screen.is_terminal:
        screen.width = _WIDE
    return screen


def show_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    left: Iterable[int] = (),
    folded: Iterable[int] | None = None,
    even: bool = False,
) -> None:
    """Print a table.

    Parameters
    ----------
    headings : sequence of str
        One per column.
    rows : iterable of sequences
        The cells. Floats are shortened to six digits, True is "yes", False and None are empty.
    left : iterable of int
        The columns aligned left; the others are aligned right.
    folded : iterable of int, optional
        The columns whose cells may take several lines on a narrow terminal; by default those aligned left.
    even : bool, default=False
        Whether the fractions of a column are shortened to the same number of decimals, as on a report.
    """
    from rich.table import Table

    if settings.answer is not None:
        records = [dict(zip(headings, row)) for row in rows]
        settings.answer.setdefault("table", []).extend(records)
        return
    screen = console(err=settings.piped)
    drawn = Table(
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    left_aligned = set(left)
    wrapped = left_aligned if folded is None else set(folded)
    for position, heading in enumerate(headings):
        drawn.add_column(
            plain(heading),
            justify="left" if position in left_aligned else "right",
            overflow="fold",
            no_wrap=position not in wrapped,
        )
    cells = [list(row) for row in rows]
    if even and cells:
        from tamis.table._decimals import even_decimals

        cells = [list(row) for row in zip(*map(even_decimals, zip(*cells)))]
    for row in cells:
        drawn.add_row(*(cell(value) for value in row))
    if screen.is_terminal:
        screen.print(drawn)
        return
    with screen.capture() as captured:
        screen.print(drawn)
    for line in captured.get().splitlines():
        typer.echo(line.rstrip(), err=settings.piped)


def show_frame(frame: pl.DataFrame, *, even: bool = False) -> None:
    """Print a polars table, with texts aligned left and numbers aligned right; `even` as in `show_table`."""
    texts = [j for j, dtype in enumerate(frame.dtypes) if not dtype.is_numeric()]
    show_table(frame.columns, frame.iter_rows(), left=texts, even=even)


def cell(value: Any) -> str:
    """One value as a table on the screen shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return plain(value)


def say(text: str = "") -> None:
    """Print one line on stdout; with ``--json``, add it to the lines of the object that is printed."""
    if settings.answer is None:
        typer.echo(plain(text), err=settings.piped)
    elif text:
        settings.answer.setdefault("lines", []).append(plain(text))


def note(text: str) -> None:
    """Print a remark on stderr, unless ``--quiet`` is given; reports show it in any case."""
    settings.notes.append(" ".join(text.split()))
    if settings.quiet:
        return
    typer.echo(f"note: {plain(' '.join(text.split()))}", err=True)


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner on stderr while the block runs, on a terminal only; print its warnings as notes."""
    screen, start = console(err=True), time.monotonic()
    with (
        warnings_as_notes(),
        screen.status(plain(what))
        if screen.is_terminal and not settings.quiet
        else contextlib.nullcontext() as shown,
        _compiling_told(plain(what), shown),
    ):
        yield
    if settings.verbose:
        note(f"{what}: {time.monotonic() - start:.1f} s")


@contextlib.contextmanager
def _compiling_told(what: str, shown: Status | None) -> Iterator[None]:
    """Say beside the spinner that loops are being compiled, while they are, if what compiles them is loaded."""
    jit = sys.modules.get("tamis._jit")
    if shown is None or jit is None:
        yield
        return
    jit.compiling.told = lambda begins: shown.update(f"{what} (compiling, once)" if begins else what)
    try:
        yield
    finally:
        jit.compiling.told = None


@contextlib.contextmanager
def progress_bar(name: str, *, lines: bool = False) -> Iterator[Callable[..., None]]:
    """The progress of long work: a bar on stderr with the share done and the time left, on a terminal only.

    Parameters
    ----------
    name : str
        The name of the work.
    lines : bool, default=False
        Whether to print a line on stderr for every tenth of the work if there is no terminal.

    Yields
    ------
    callable
        Call it with the number of steps done, the number of all steps, and optionally the name of the current one.
    """
    screen = console(err=True)
    if settings.quiet or not (screen.is_terminal or lines):
        yield lambda done, total, what="": None
        return
    with shown(plain(name), screen) as show:
        yield lambda done, total, what="": show(done, total, plain(what))


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print the warnings of the block as notes, each once, after it ends without an error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        yield
    for message in dict.fromkeys(
        str(w.message) for w in caught if issubclass(w.category, UserWarning | RuntimeWarning)
    ):
        note(message)
