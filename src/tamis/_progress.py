"""Long work step by step: a bar or lines where they are asked for, and what happens when it is interrupted.

`Progress` counts the steps of a `fit`, shows them if `verbose` asks for it, tells scikit-learn's callbacks, and turns Ctrl-C into
a fit that rests on the steps that were done. `shown` draws: a bar in a terminal or a notebook, a line for every tenth elsewhere.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from tamis._interrupt import hears_ctrl_c, interrupted

if TYPE_CHECKING:
    from rich.console import Console
    from sklearn.base import BaseEstimator

Show = Callable[..., None]
"""Called with the number of steps done, the number of all steps (None if it is not known), and the name of the current one."""

_BLOCKS = 30  # the length of a bar in a notebook
_working: list[Progress] = []  # the work that is under way in this process, the outermost first
_lock = threading.Lock()
_passing_on: ContextVar[bool] = ContextVar("passing_on", default=False)


class Stopped(Exception):  # noqa: N818 - not an error
    """A callback asked for the end of the work."""


class Progress:
    """Counts the steps of long work: a block that ends early, instead of failing, when it is interrupted after enough of them.

    Inside of other work that is counted, and in the processes that work for another one, nothing is shown and Ctrl-C is
    passed on: the outermost work decides. In a command, and where work can be gone on with later, Ctrl-C is passed on as well.

    Parameters
    ----------
    estimator : estimator
        Whose work it is; with `verbose`, and with callbacks where it has any.
    unit : str
        What a step is, in the plural.
    total : int or None
        How many steps there are at most; None if that is not known.
    least : int or None, default=1
        After how many steps there is something to keep; None: never before the end.
    rests : str, default="the result rests on these"
        What becomes of an interrupted fit: the end of the sentence that is said then.
    listener : callable, optional
        Told of every step as `Show` is, whatever `verbose` says.
    name : str, optional
        Who is at work; by default the class of the estimator.
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        unit: str,
        total: int | None,
        *,
        least: int | None = 1,
        rests: str = "the result rests on these",
        listener: Show | None = None,
        name: str | None = None,
    ) -> None:
        self.name, self.unit, self.total, self.least, self.rests = (
            *(name or type(estimator).__name__, unit, total, least, rests),
        )
        self.done, self.cut_short = 0, False
        self._estimator = estimator
        self._show = listener
        self._drawing: Any = None
        self._context: Any = None

    def __enter__(self) -> Self:
        with _lock:
            self._outermost = not _working and not _is_worker()
            self._decides = self._outermost and not _passing_on.get() and not hears_ctrl_c()
            _working.append(self)
        try:
            self._begin()
        except BaseException:
            self._leave()
            raise
        return self

    def _begin(self) -> None:
        if getattr(self._estimator, "_skl_callbacks", None):
            self._context = self._estimator._init_callback_context(max_subtasks=self.total)
            self._context.call_on_fit_task_begin(estimator=self._estimator)
        if self._outermost and self._estimator.get_params(deep=False).get("verbose"):
            self._draw(self.unit)

    def _draw(self, what: str) -> None:
        self._drawing = shown(f"{self.name}: {what}")
        show: Show = self._drawing.__enter__()
        show(0, self.total)
        self._show = show

    def now(self, what: str) -> None:
        """Say what is being done."""
        if self._show is not None:
            self._show(self.done, self.total, what)

    def again(self, what: str) -> None:
        """Begin to count from 0 again, under another heading."""
        self.done = 0
        if self._drawing is not None:
            self._drawing.__exit__(None, None, None)
            self._draw(what)

    def __call__(self, n_more: int = 1, what: str = "") -> None:
        """Count some steps as done.

        Parameters
        ----------
        n_more : int, default=1
            How many.
        what : str, default=""
            What there is to say of them.
        """
        self.done += n_more
        self.now(what)
        if self._context is not None:
            task = self._context.subcontext(task_name=self.unit)
            task.call_on_fit_task_begin(estimator=self._estimator)
            if task.call_on_fit_task_end(estimator=self._estimator):
                raise Stopped

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._leave()
        if self._context is not None and error is None:
            self._context.call_on_fit_task_end(estimator=self._estimator)
        enough = self.least is not None and self.done >= self.least
        if isinstance(error, Stopped):
            self.cut_short = enough
            if not enough:
                raise RuntimeError(
                    f"{self.name}: a callback stopped the fit after {self.done} {self.unit}, "
                    "before there was anything to keep. Stop it later."
                ) from None
        elif self._decides and enough and interrupted(error):
            self.cut_short = True
            of_all = "" if self.total is None else f" of {self.total:,}"
            warnings.warn(
                f"{self.name}: interrupted after {self.done:,}{of_all} {self.unit}; {self.rests}.",
                stacklevel=4,
            )
        elif self._outermost and interrupted(error) and not isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt from None  # a library that failed in another way because of it
        return self.cut_short

    def _leave(self) -> None:
        with _lock:
            _working.remove(self)
        if self._drawing is not None:
            self._drawing.__exit__(None, None, None)


@contextmanager
def passing_on_ctrl_c() -> Iterator[None]:
    """Inside, Ctrl-C is passed on whatever is done: the work will be gone on with."""
    token = _passing_on.set(True)
    try:
        yield
    finally:
        _passing_on.reset(token)


def _is_worker() -> bool:
    """Whether this process works for another one, which hears Ctrl-C as well."""
    return multiprocessing.current_process().name != "MainProcess"


@contextmanager
def shown(name: str, screen: Console | None = None) -> Iterator[Show]:
    """Show the progress of long work on stderr.

    Parameters
    ----------
    name : str
        The name of the work; it is never taken for markup.
    screen : Console, optional
        Where a bar is drawn.

    Yields
    ------
    callable
        See `Show`.
    """
    from rich.console import Console

    screen = Console(stderr=True, markup=False, highlight=False, emoji=False) if screen is None else screen
    if screen.is_jupyter:
        yield _notebook_bar(name)
    elif screen.is_terminal:
        with _terminal_bar(name, screen) as show:
            yield show
    else:
        yield tenths(name)


@contextmanager
def _terminal_bar(name: str, screen: Console) -> Iterator[Show]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        *(BarColumn(), TaskProgressColumn(), MofNCompleteColumn()),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("left"),
    )
    with Bars(*columns, console=screen, transient=True) as drawn:
        task = drawn.add_task(name, total=None)

        def show(done: int, total: int | None, what: str = "") -> None:
            drawn.update(task, completed=done, total=total, description=f"{name}: {what}" if what else name)

        yield show


def _notebook_bar(name: str) -> Show:
    """A line below the cell that is written anew; it needs no widgets."""
    from IPython.display import display  # type: ignore[import-not-found]  # there where notebooks are

    line = _Line(name)
    handle = display({"text/plain": name}, raw=True, display_id=True)

    def show(done: int, total: int | None, what: str = "") -> None:
        full = 0 if not total else _BLOCKS * min(done, total) // total
        bar = f" [{'#' * full}{'.' * (_BLOCKS - full)}]" if total else ""
        text = line.of(done, total, what)
        handle.update({"text/plain": text.replace(f"{name}:", f"{name}{bar}", 1)}, raw=True)

    return show


def tenths(name: str) -> Show:
    """A function that prints a line on stderr at once, and for every tenth done; for every call if the end is not known."""
    line, shown_tenth = _Line(name), -1

    def show(done: int, total: int | None, what: str = "") -> None:
        nonlocal shown_tenth
        text = line.of(done, total, what)
        tenth = done if total is None else 10 * done // max(total, 1)
        if tenth > shown_tenth:
            shown_tenth = tenth
            print(text, file=sys.stderr, flush=True)

    return show


class _Line:
    """How much is done and about how long the rest takes, in words."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start: tuple[float, int] | None = None

    def of(self, done: int, total: int | None, what: str = "") -> str:
        now = time.monotonic()
        if self._start is None:  # steps that a resumed run finds done do not count in the estimate
            self._start = now, done
        began, before = self._start
        left = ""
        if total is not None and before < done < total:
            left = f", about {in_words((now - began) * (total - done) / (done - before))} left"
        of_all = "" if total is None else f" of {total:,}"
        return f"{self._name}: {done:,}{of_all}{f', {what}' if what else ''}{left}"


def in_words(seconds: float) -> str:
    """A duration in words: 40 seconds, 3 minutes, 2.5 hours."""
    if seconds < 90:
        return f"{max(1, round(seconds))} second{'s' * (round(seconds) > 1)}"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
