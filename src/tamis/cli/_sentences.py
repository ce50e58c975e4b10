"""Errors as one sentence, and text that is safe to print on a terminal."""

from __future__ import annotations

import errno
import functools
import inspect
import os
import re
import traceback
import unicodedata
from collections.abc import Callable
from typing import Annotated, Any, NoReturn, ParamSpec, TypeVar, get_args, get_type_hints

import typer

from tamis._interrupt import EXIT_CODE, NOT_WRITTEN, interrupted

P = ParamSpec("P")
R = TypeVar("R")

# Invisible characters that reorder or hide the text around them.
_DECEPTIVE = frozenset("\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


_SYSTEM_ERROR = re.compile(r"\(os error ([0-9]+)\)")
_ADVICE = {
    errno.ENOSPC: "Make room, or write to another disk.",
    errno.EDQUOT: "Make room, or write to another disk.",
    errno.EFBIG: "Write to a disk that takes larger files.",
    errno.EROFS: "Write to another folder.",
    errno.EACCES: "Use a folder that you may write to, and files that you may read.",
    errno.ENOENT: "It was there, and is gone: put it back, and run again.",
}


_PANEL = "What is shown"
EVERYWHERE: dict[str, Any] = {
    "quiet": Annotated[
        bool, typer.Option("--quiet", "-q", help="No notes and no bars.", rich_help_panel=_PANEL)
    ],
    "verbose": Annotated[
        bool,
        typer.Option(
            "--verbose",
            help="Say how long each step took; show where an error comes from.",
            rich_help_panel=_PANEL,
        ),
    ],
    "as_json": Annotated[
        bool, typer.Option("--json", help="Print the answer as JSON on stdout.", rich_help_panel=_PANEL)
    ],
}
"""The options of every command."""


class UserError(Exception):
    """An error that the user can put right; its text is the whole message."""


def plain(text: Any) -> str:
    r"""Text with every control or invisible character written as an escape (``\x1b``, ``\n``).

    Parameters
    ----------
    text : object
        A name from a file, a path, a message: any text from outside.

    Returns
    -------
    str
        Safe to print on a terminal.
    """
    return "".join(_written_out(one) if _hidden(one) else one for one in str(text))


def said(error: BaseException) -> str:
    """The text of an error, on one line and with single spaces."""
    return plain(" ".join(str(error).split()) or type(error).__name__)


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn a user's error into one sentence and exit code 2, and Ctrl-C into exit code 130.

    The command also gets the options that every command has: ``--quiet``, ``--verbose`` and ``--json``.
    """

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> R:
        from tamis.cli._screen import shown_as
        from tamis.table._names import speech

        speech.shell = True  # messages name options
        asked = {name: bool(kwargs.pop(name, False)) for name in EVERYWHERE}
        try:
            with shown_as(**asked):
                return command(*args, **kwargs)
        except UserError as error:
            if asked["verbose"]:
                traceback.print_exception(error)
            leave(said(error), 2)
        except KeyboardInterrupt as stopped:
            leave(f"interrupted; {plain(stopped) or NOT_WRITTEN}", EXIT_CODE)
        except MemoryError:
            leave(
                "there is not enough memory for this table and these settings. Use fewer rows or columns, or smaller "
                "numbers in --set.",
                2,
            )
        except Exception as error:
            if interrupted(error):
                leave(f"interrupted; {NOT_WRITTEN}", EXIT_CODE)
            sentence = outside(error)
            if sentence is None:
                raise
            leave(sentence, 2)
        finally:
            speech.shell = False

    return extended(run, command, EVERYWHERE)


def extended(
    run: Callable[..., R], command: Callable[..., R], more: dict[str, Any], without: str = ""
) -> Callable[..., R]:
    """Give `run` the signature that typer reads: the parameters of `command` but for `without`, and then `more`."""
    hints = {**get_type_hints(command, include_extras=True), **more}
    own = [
        one.replace(annotation=hints[one.name])
        for one in inspect.signature(command).parameters.values()
        if one.name != without
    ]
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if get_args(kind)[0] is bool else None,
            annotation=kind,
        )
        for name, kind in more.items()
    ]
    run.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    run.__annotations__ = hints
    return run


def outside(error: Exception) -> str | None:
    """The message for an error that comes from the disk or a file, wherever it occurred; None for any other error.

    Parameters
    ----------
    error : Exception
        An OSError, a TableError, or an error of polars that reports an error of the system.

    Returns
    -------
    str or None
        One sentence, with advice. None also for a closed pipe (``tamis ... | head``), which is no error of the disk.
    """
    if isinstance(error, OSError) and error.errno is not None:
        if error.errno == errno.EPIPE:
            return None
        where = "" if error.filename is None else f" ({error.filename})"
        return (
            f"{error.strerror}{where}. {_ADVICE.get(error.errno, 'What was not finished was not written.')}"
        )
    from tamis.table._dataset import TableError

    if isinstance(error, TableError):
        return said(error)
    by_polars = isinstance(error, OSError) or type(error).__module__.startswith("polars")
    match = _SYSTEM_ERROR.search(str(error)) if by_polars else None
    return None if match is None else outside(OSError(int(match[1]), os.strerror(int(match[1]))))


def leave(sentence: str, code: int) -> NoReturn:
    """Print one sentence on stderr and exit."""
    typer.echo(f"tamis: {sentence.removeprefix('tamis: ')}", err=True)
    raise typer.Exit(code)


def _hidden(character: str) -> bool:
    return character in _DECEPTIVE or unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


def _written_out(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")
