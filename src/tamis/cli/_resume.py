"""Resume interrupted work: intermediate results are kept in a folder beside the file that will be written.

The folder records which run it belongs to, and only that run goes on with it. For a finished file, a note in the user's
cache records the run that wrote it: with ``--resume``, the same command has nothing to do, and another is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamis._files import expanded
from tamis._interrupt import promising
from tamis.cli._output import STDOUT
from tamis.cli._screen import say
from tamis.cli._sentences import UserError

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from tamis._methods import Method
    from tamis.table._dataset import Dataset
    from tamis.table.parts.parted import PartedTable

ENDING = ".unfinished"
_MOST_NOTES = 500  # how many notes of finished files are kept, the most recent ones
_BLOCK = 1 << 20  # bytes read at a time

About = Callable[[], dict[str, Any]]
"""Gives what identifies a run; see `run_of`."""


def beside(output: str | Path) -> Path:
    """The folder that holds the intermediate results of an output."""
    path = expanded(output)
    return path.with_name(f"{path.name}{ENDING}")


def check_beginning(output: str | None, *, resume: bool, force: bool) -> None:
    """Refuse to overwrite what an interrupted run left, or to resume without an output, before anything is read."""
    if output is None or output == str(STDOUT):
        if resume:
            raise UserError("--resume goes on with what lies beside an output. Add --output FILE.")
        return
    try:
        unfinished = beside(output).is_dir()
    except (OSError, ValueError):  # an impossible name, which `checked_output` refuses
        return
    if unfinished and not resume and not force:
        raise UserError(
            f"{str(beside(output))!r} holds what an interrupted run has found. Add --resume to go on with it, or --force "
            "to begin anew."
        )


def run_of(
    command: str, method: Method, estimator: BaseEstimator, table: Dataset | PartedTable, **options: Any
) -> About:
    """A function that gives what identifies this run, computed on its first call: a large table takes a moment.

    Parameters
    ----------
    command : str
        The name of the command.
    method, estimator
        The method, and its estimator with all parameters set.
    table : Dataset or PartedTable
        The table that it runs on.
    **options
        Any other options that decide what is written.

    Returns
    -------
    callable
        Takes nothing; returns a dict of names and texts.
    """

    @cache
    def about() -> dict[str, Any]:
        from tamis._identity import code, description
        from tamis.table._content import content_digest, files_digest
        from tamis.table._dataset import Dataset

        return {
            "command": command,
            "method": method.name,
            "settings": description(estimator),
            "table": content_digest(table) if isinstance(table, Dataset) else files_digest(table),
            "options": description(options),
            "code": code(),
        }

    return about


def already_done(
    path: Path | None, about: About, *, resume: bool, force: bool, page: Path | None = None
) -> bool:
    """Whether this same run has already written its file (a line says so); the work of another run is refused.

    Parameters
    ----------
    path : Path or None
        The file to write.
    about : callable
        Identifies the run; see `run_of`.
    resume, force : bool
        Whether the user gave ``--resume`` and ``--force``.
    page : Path, optional
        The report that goes with the file; if it does not exist, the work is done again.
    """
    if path is None or path == STDOUT or not resume or force:
        return False
    from tamis._identity import differences
    from tamis._memory import kept_run

    other_run = kept_run(beside(path))
    if other_run is not None:
        other = differences(about(), other_run)
        if other:
            raise UserError(
                f"{str(beside(path))!r} holds what another run has found, of other {', '.join(other)}. Give the command "
                "of that run, name another --output, or use --force to begin anew."
            )
        return False
    if not path.exists():
        return False
    if _note_of(path) != _finished(path, about):
        raise UserError(
            f"{path} is there, but it is not known to be the answer of this command, and no interrupted run left "
            "anything beside it to go on with. "
            "Name another --output, or use --force to replace it."
        )
    if page is not None and not page.exists():
        return False
    say(f"{path} is already the answer of this command: nothing is left to do.")
    return True


@contextmanager
def kept_until_written(path: Path | None, about: About, *, resume: bool, force: bool) -> Iterator[None]:
    """Keep intermediate results until the block succeeds; if no file will be written, keep none."""
    if path is None or path == STDOUT:
        yield
        return
    from tamis._identity import differences
    from tamis._memory import forget, kept_run, remembering

    folder = beside(path)
    if not resume or (force and differences(about(), kept_run(folder))):
        forget(folder)
    how_to_go_on = "the same command with --resume goes on."
    with promising(lambda: how_to_go_on if folder.is_dir() else ""), remembering(folder, about):
        yield
    _remember_finished(path, about)
    forget(folder)


def _finished(path: Path, about: About) -> dict[str, Any]:
    """The note about a finished file: a digest of its content, and the run that wrote it."""
    content = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            content.update(block)
    return {"content": content.hexdigest(), "run": about()}


def _remember_finished(path: Path, about: About) -> None:
    """Note which run wrote a file; if the cache cannot be written, there is no note, and ``--resume`` is refused."""
    from tamis._files import written

    note_file = _note_path(path)
    with suppress(OSError):
        note_file.parent.mkdir(parents=True, exist_ok=True)
        with written(note_file) as stream:
            stream.write(json.dumps(_finished(path, about)).encode())
        notes = sorted(note_file.parent.glob("*.json"), key=lambda note: note.stat().st_mtime)
        for note in notes[:-_MOST_NOTES]:
            note.unlink(missing_ok=True)


def _note_of(path: Path) -> Any:
    with suppress(OSError, ValueError):
        return json.loads(_note_path(path).read_text(encoding="utf-8"))
    return None


def _note_path(path: Path) -> Path:
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    return cache_folder() / "tamis" / "finished" / f"{name}.json"


def cache_folder() -> Path:
    """The folder in which this system keeps caches."""
    if sys.platform == "win32":
        return expanded(os.environ.get("LOCALAPPDATA") or "~")
    if sys.platform == "darwin":
        return expanded("~/Library/Caches")
    return expanded(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
