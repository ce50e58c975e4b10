"""Folds being done: in this process, through joblib, or against the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from joblib import delayed

from tamis._journal import Journal
from tamis._parameters import n_workers
from tamis._processes import in_parallel
from tamis.study._comparison import Comparison
from tamis.study._contenders import BASELINE, compiles_long, searches
from tamis.study._fold import Data, Fold, fold_answers, judged_fold
from tamis.study._pool import TOO_LONG, Lost, Workers

_SHORTEST_SECONDS = 1.5  # that a fold is given before it is put off
_RESERVE_SHARE, _RESERVE_MOST = 0.15, 60.0  # of the budget, for fitting the recommended method on all rows

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Clock:
    """When folds must end, on the clock of `time.monotonic`, and when all must."""

    start: float
    folds_end: float
    end: float

    @classmethod
    def of(cls, start: float, budget: float) -> Clock:
        reserve = min(_RESERVE_SHARE * budget, _RESERVE_MOST)
        return cls(start, start + budget - reserve, start + budget)


class Run:
    """Folds being done: in this process, through joblib, or against the clock."""

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

    def tell(self, what: str) -> None:
        if self.progress is not None:
            self.progress(self.done, self.total, what)

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
        """Keep one answer; a refusal in any fold leaves the method out."""
        old = [
            one for one in self.study.answers if one["split"] == fold.split and one["method"] == fold.method
        ]
        for one in old:  # it was cut short, and is told anew
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

    def _take_all_rows(self, fold: Fold, answer: dict[str, Any]) -> None:
        """All columns are all rows: judged once, told twice."""
        told = self.study.answers
        told[:] = [one for one in told if (one["method"], one["split"]) != (BASELINE["rows"], fold.split)]
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
        """Folds of methods that have not refused meanwhile."""
        for fold in folds:
            if fold.method not in self.study.left_out:
                yield fold
            else:
                self.total -= 1

    def _hurried(self, folds: list[Fold], clock: Clock) -> None:
        """First an answer of every method, then more folds: one that takes too long is ended, and tried later.

        To end one costs seconds, for which a new process must be begun. So methods that search have their first fold
        after the second of the others, and a model that was too slow on all columns is not begun on them again. What
        may have to be compiled for long waits until the others have had the same fold.
        """

        def turn(fold: Fold) -> float:
            return fold.split + 1.5 * searches(fold.selector) + 0.4 * compiles_long(fold.selector)

        span = clock.folds_end - clock.start
        share = n_workers(self.n_jobs) * span / max(1, len({fold.method for fold in folds}))
        first = max(_SHORTEST_SECONDS, share / 2)
        left = sorted(folds, key=turn)
        with Workers(self.data, n_workers(self.n_jobs)) as workers:

            def done(wanted: list[Fold], seconds: float | None) -> None:
                """Do some of the folds that are left, each in so many seconds."""
                nonlocal left
                # models stop by themselves before they are ended
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
        """Do folds, each in so many seconds; what was put off or not reached is returned."""
        slow: set[str] = set()
        quick: dict[str, tuple[str, ...]] = {}  # the models that were reached in time, where another was not
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
                else:  # not for the journal: it may go better next time
                    self.leave_out(fold.method, answer.why)
                continue
            if answer.get("cut"):
                quick[_width(fold)] = _judged(answer)
            undone.pop((fold.method, fold.split))
            self.take(fold, answer)
        return list(undone.values())


def _width(fold: Fold) -> str:
    """What tells how long models take: whatever keeps all columns has the same."""
    return fold.method if fold.sifts == "columns" and fold.selector is not None else BASELINE["columns"]


def _judged(answer: dict[str, Any]) -> tuple[str, ...]:
    """The models that have scored anything."""
    steps = answer["steps"]
    return tuple(
        name for name in steps[0]["scores"] if any(step["scores"][name][-1] is not None for step in steps)
    )


def _with_fold(fold: Fold, data: Data) -> tuple[Fold, dict[str, Any]]:
    return fold, judged_fold(fold, data)
