"""What is printed: tables, notes, and progress of long work.

On a terminal rich draws; anywhere else the text is plain and as wide as it needs to be.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import typer

from tamis.cli._sentences import plain

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

_WIDE = 10_000


def console(*, err: bool = False) -> Console:
    """Where to print; names are never read as rich's markup."""
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
) -> None:
    """Print a table.

    Parameters
    ----------
    headings : sequence of str
        One per column.
    rows : iterable of sequences
        The cells; numbers are shortened to six digits, truth is "yes", and None is empty.
    left : iterable of int
        The columns set to the left; the others are set to the right.
    folded : iterable of int, optional
        The columns whose cells may take several lines on a narrow terminal; by default those set to the left.
    """
    from rich.table import Table

    screen = console()
    drawn = Table(
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    sides = set(left)
    narrowed = sides if folded is None else set(folded)
    for position, heading in enumerate(headings):
        drawn.add_column(
            plain(heading),
            justify="left" if position in sides else "right",
            overflow="fold",
            no_wrap=position not in narrowed,
        )
    for row in rows:
        drawn.add_row(*(cell(value) for value in row))
    if screen.is_terminal:
        screen.print(drawn)
        return
    with screen.capture() as captured:
        screen.print(drawn)
    for line in captured.get().splitlines():
        typer.echo(line.rstrip())


def show_frame(frame: pl.DataFrame) -> None:
    """Print a polars table; texts are set to the left, numbers to the right."""
    texts = [j for j, dtype in enumerate(frame.dtypes) if not dtype.is_numeric()]
    show_table(frame.columns, frame.iter_rows(), left=texts)


def cell(value: Any) -> str:
    """One value as it stands in a table on the screen."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return plain(value)


def say(text: str = "") -> None:
    """Print one line on stdout."""
    typer.echo(plain(text))


def note(text: str) -> None:
    """Print a remark on stderr."""
    typer.echo(f"note: {plain(' '.join(text.split()))}", err=True)


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner on stderr while the block runs, on a terminal only; print its warnings as notes."""
    screen = console(err=True)
    with (
        warnings_as_notes(),
        screen.status(plain(what)) if screen.is_terminal else contextlib.nullcontext(),
    ):
        yield


@contextlib.contextmanager
def progress_bar(name: str, *, lines: bool = False) -> Iterator[Callable[..., None]]:
    """The progress of long work: a bar on stderr, on a terminal only.

    Parameters
    ----------
    name : str
        What is under way.
    lines : bool, default=False
        Whether there is a line on stderr for every tenth where there is no terminal.

    Yields
    ------
    callable
        To be given how much is done, of how much, and (optional) what is done now.
    """
    screen = console(err=True)
    if not screen.is_terminal:
        yield _tenths(name) if lines else lambda done, total, what="": None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description}", markup=False)
    with Progress(
        text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=screen, transient=True
    ) as drawn:
        task = drawn.add_task(plain(name), total=None)

        def show(done: int, total: int, what: str = "") -> None:
            named = f"{plain(name)}: {plain(what)}" if what else plain(name)
            drawn.update(task, completed=done, total=total, description=named)

        yield show


def _tenths(name: str) -> Callable[..., None]:
    """Prints a line on stderr whenever another tenth is done, the first at once."""
    shown = -1

    def line(done: int, total: int, what: str = "") -> None:
        nonlocal shown
        tenth = 10 * done // max(total, 1)
        if tenth > shown:
            shown = tenth
            typer.echo(f"{plain(name)}: {done} of {total}", err=True)

    return line


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print what the block warns of as notes, each once, when it has ended well."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        yield
    for message in dict.fromkeys(
        str(w.message) for w in caught if issubclass(w.category, UserWarning | RuntimeWarning)
    ):
        note(message)
