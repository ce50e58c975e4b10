"""Doing the folds of a comparison: in this process, through joblib, or against the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from joblib import delayed

from tamis._journal import Journal
from tamis._parameters import n_workers
from tamis._processes import in_parallel
from tamis._progress import Progress as Counted
from tamis._progress import passing_on_ctrl_c
from tamis.study._comparison import Comparison
from tamis.study._contenders import BASELINE, compiles_long, searches
from tamis.study._fold import Data, Fold, fold_answers, judged_fold
from tamis.study._pool import TOO_LONG, Lost, Workers

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

_SHORTEST_SECONDS = 1.5  # the least time that a fold is given before it is postponed
_RESERVE_SHARE, _RESERVE_MOST = 0.15, 60.0  # of the budget, for fitting the recommended method on all rows

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Clock:
    """When the folds must end, and when everything must, on the clock of `time.monotonic`."""

    start: float
    folds_end: float
    end: float

    @classmethod
    def of(cls, start: float, budget: float) -> Clock:
        reserve = min(_RESERVE_SHARE * budget, _RESERVE_MOST)
        return cls(start, start + budget - reserve, start + budget)


class Run:
    """A comparison in progress: its folds, and what to do with their answers."""

    def __init__(
        self,
        study: Comparison,
        data: Data,
        n_jobs: int | None,
        progress: Progress | None,
        journal: Journal | None,
    ) -> None:
        self.study, self.data, self.n_jobs = study, data, n_jobs
        self.progress, self.journal = progress, journal
        self.done, self.total = 0, 0
        self.counted: Counted | None = None

    def tell(self, what: str) -> None:
        if self.progress is not None:
            self.progress(self.done, self.total, what)

    def as_many_as_wanted(self, folds: list[Fold], clock: Clock | None, who: BaseEstimator) -> None:
        """All folds; interrupted after two of every method, those that are done, unless the journal lets another run go on."""
        if self.journal is not None:
            with passing_on_ctrl_c():
                self.all_folds(folds, clock)
            return
        least = 2 * len({fold.method for fold in folds})
        rests = "the comparison rests on these"
        self.counted = Counted(who, "folds", len(folds), least=least, rests=rests, name="compare")
        with self.counted:
            self.all_folds(folds, clock)

    def all_folds(self, folds: list[Fold], clock: Clock | None) -> None:
        known: dict[tuple[str, int], dict[str, Any]] = {}
        if self.journal is not None:
            whole = (answer for answer in self.journal.answers if not answer.get("cut"))
            known = {(answer["method"], answer["split"]): answer for answer in whole}
        self.total = len(folds)
        waiting = []
        for fold in folds:
            answer = known.get((fold.method, fold.split))
            if answer is None:
                waiting.append(fold)
            else:
                self.take(fold, answer, fresh=False)
        self.tell("begun")
        if clock is None:
            self._unhurried(waiting)
        else:
            self._hurried(waiting, clock)

    def take(self, fold: Fold, answer: dict[str, Any], *, fresh: bool = True) -> None:
        """Store one answer; a method that refuses any fold is left out."""
        old = [
            one for one in self.study.answers if one["split"] == fold.split and one["method"] == fold.method
        ]
        for one in old:  # provisional answers, which the new one replaces
            self.study.answers.remove(one)
        self.done += not old
        if fresh and self.journal is not None:
            self.journal.add(answer)
        if "refused" in answer:
            self.leave_out(fold.method, answer["refused"])
        elif fold.method not in self.study.left_out:
            self.study.answers.append(answer)
            if fold.method == BASELINE["columns"] and BASELINE["rows"] in self.study.sifts:
                self._take_all_rows(fold, answer)
        self.tell(fold.method)
        if self.counted is not None:
            self.counted()

    def _take_all_rows(self, fold: Fold, answer: dict[str, Any]) -> None:
        """Enter the answer of "all columns" also under "all rows": both keep the whole table."""
        answers = self.study.answers
        answers[:] = [
            one for one in answers if (one["method"], one["split"]) != (BASELINE["rows"], fold.split)
        ]
        step = {**answer["steps"][0], "n_kept": len(fold.train)}
        self.study.answers.append({**answer, "method": BASELINE["rows"], "steps": [step]})

    def leave_out(self, method: str, why: str) -> None:
        self.study.left_out.setdefault(method, why)
        self.study.answers[:] = [answer for answer in self.study.answers if answer["method"] != method]

    def _unhurried(self, folds: list[Fold]) -> None:
        calls = (delayed(_with_fold)(fold, self.data) for fold in self._wanted(folds))
        for fold, answer in in_parallel(calls, self.n_jobs):
            self.take(fold, answer)

    def _wanted(self, folds: list[Fold]) -> Iterator[Fold]:
        """The folds of methods that have not refused the table meanwhile."""
        for fold in folds:
            if fold.method not in self.study.left_out:
                yield fold
            else:
                self.total -= 1

    def _hurried(self, folds: list[Fold], clock: Clock) -> None:
        """First one answer from every method, then more folds; a fold that takes too long is ended and tried again later.

        Ending a fold costs seconds, since a new process must be started. So methods that search get their first fold
        after the second fold of the others, and a model that was too slow on all columns is not tried on them again.
        Methods that may compile for long wait until the others have done the same fold.
        """

        def turn(fold: Fold) -> float:
            return fold.split + 1.5 * searches(fold.selector) + 0.4 * compiles_long(fold.selector)

        span = clock.folds_end - clock.start
        share = n_workers(self.n_jobs) * span / max(1, len({fold.method for fold in folds}))
        first = max(_SHORTEST_SECONDS, share / 2)
        left = sorted(folds, key=turn)
        with Workers(self.data, n_workers(self.n_jobs)) as workers:

            def done(wanted: list[Fold], seconds: float | None) -> None:
                """Do some of the remaining folds, each within `seconds`."""
                nonlocal left
                # no further model is started shortly before the process would be ended
                limited = [replace(fold, limit=None if seconds is None else 0.7 * seconds) for fold in wanted]
                named = {(fold.method, fold.split) for fold in wanted}
                others = [fold for fold in left if (fold.method, fold.split) not in named]
                undone = others + self._against_the_clock(workers, limited, clock, seconds)
                left = sorted((one for one in undone if one.method not in self.study.left_out), key=turn)

            done([fold for fold in left if turn(fold) < 2], first)
            done(
                [fold for fold in left if self.study.n_splits(fold.method) == 0 and fold.split == 0],
                4 * first,
            )
            done([fold for fold in left if self.study.n_splits(fold.method) > 0], 4 * first)
            done(left, None)
            cut = {(answer["method"], answer["split"]) for answer in self.study.answers if answer.get("cut")}
            again = [replace(fold, limit=None) for fold in folds if (fold.method, fold.split) in cut]
            self._against_the_clock(workers, again, clock, None)
        for fold in left:
            if fold.split == 0 and self.study.n_splits(fold.method) == 0:
                self.study.left_out.setdefault(
                    fold.method, f"no fold was done in the budget of {clock.end - clock.start:.0f} seconds."
                )

    def _against_the_clock(
        self, workers: Workers, folds: list[Fold], clock: Clock, seconds: float | None
    ) -> list[Fold]:
        """Do folds, each within `seconds`; return those that were postponed or not reached."""
        slow: set[str] = set()
        quick: dict[str, tuple[str, ...]] = {}  # the models that finished in time, if another one did not
        undone = {(fold.method, fold.split): fold for fold in folds}

        def turn(fold: Fold) -> Fold | None:
            if fold.method in slow or fold.method in self.study.left_out:
                return None
            return replace(fold, models=quick.get(_width(fold)))

        patience = None if seconds is None else lambda fold: seconds
        for fold, answer in workers.work(
            fold_answers, folds, deadline=clock.folds_end, patience=patience, turn=turn
        ):
            if isinstance(answer, Lost):
                if answer.why == TOO_LONG:
                    slow.add(fold.method)
                else:  # not written to the journal: it may succeed next time
                    self.leave_out(fold.method, answer.why)
                continue
            if answer.get("cut"):
                quick[_width(fold)] = _judged(answer)
            undone.pop((fold.method, fold.split))
            self.take(fold, answer)
        return list(undone.values())


def _width(fold: Fold) -> str:
    """The key under which the time of models is remembered; the same for all methods that keep all columns."""
    return fold.method if fold.sifts == "columns" and fold.selector is not None else BASELINE["columns"]


def _judged(answer: dict[str, Any]) -> tuple[str, ...]:
    """The models that have at least one score."""
    steps = answer["steps"]
    return tuple(
        name for name in steps[0]["scores"] if any(step["scores"][name][-1] is not None for step in steps)
    )


def _with_fold(fold: Fold, data: Data) -> tuple[Fold, dict[str, Any]]:
    return fold, judged_fold(fold, data)
