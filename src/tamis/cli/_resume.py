"""Going on with work that was interrupted: what it has found is kept beside the file that it will be written to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tamis.cli._screen import say
from tamis.cli._sentences import UserError

ENDING = ".unfinished"


def beside(output: str | Path) -> Path:
    """The folder that holds what is found on the way to an output."""
    path = Path(output).expanduser()
    return path.with_name(f"{path.name}{ENDING}")


def finished(output: str | None, *, resume: bool, force: bool) -> bool:
    """Whether nothing is left to go on with, which is said; a run that would write over another's work is refused."""
    if output is None:
        if resume:
            raise UserError("--resume goes on with what lies beside an output. Add --output FILE.")
        return False
    try:
        there = beside(output).is_dir()
    except OSError:  # a name that cannot be: it is refused where the output is looked at
        return False
    if resume:
        done = Path(output).expanduser().exists() and not there and not force
        if done:
            say(f"{output} is there, and nothing beside it to go on with.")
        return done
    if there and not force:
        raise UserError(
            f"{str(beside(output))!r} holds what an interrupted run has found. Add --resume to go on with it, or --force "
            "to begin anew."
        )
    return False


@contextmanager
def kept_until_written(path: Path | None, *, resume: bool) -> Iterator[None]:
    """Keep what long work finds until the block ends well; nothing is kept where nothing will be written."""
    if path is None:
        yield
        return
    from tamis._memory import forget, remembering

    folder = beside(path)
    if not resume:
        forget(folder)
    try:
        with remembering(folder):
            yield
    except KeyboardInterrupt:
        if folder.is_dir():
            raise UserError("interrupted; the same command with --resume goes on.") from None
        raise
    forget(folder)
