"""What is advised, done for the whole table: the kept columns or rows, and predictions for rows held out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.study._comparison import Comparison
from tamis.study._contenders import BASELINE, makes_rows
from tamis.study._fold import Data, Rows, held_out, whole_selection
from tamis.study._pool import Lost, worked
from tamis.study._recommend import Recommendation
from tamis.study._shuffled import Shuffled, both_ways


def final_selection(
    study: Comparison, said: Recommendation, selectors: dict[str, Any], data: Data, end: float | None
) -> dict[str, Any] | None:
    """What the recommended method keeps of the whole table; None if that is everything, rows are made, or the time is up."""
    if said.chosen.method == BASELINE[said.sifts] or makes_rows(selectors[said.chosen.method]):
        return None
    chosen, sizes = said.chosen, study.sizes[said.chosen.method]
    job = (selectors[chosen.method], said.sifts, sizes[chosen.step] if sizes else None)
    if end is None:
        fitted = _whole(job, data)
    else:
        answers = [answer for _, answer in worked(_whole, [job], data, n_jobs=1, deadline=end)]
        if not answers or isinstance(answers[0], Lost):
            return None
        fitted = answers[0]
    return {"method": chosen.method, "model": chosen.model, "step": chosen.step, **fitted}


def final_predictions(
    study: Comparison, said: Recommendation, splits: list[tuple[Rows, Rows]], data: Data, end: float | None
) -> NDArray[np.float64] | None:
    """Predictions for the rows held out in the first repetition, with what is advised; None if the time is up."""
    chosen = said.chosen
    done = [answer["split"] for answer in study.answers if answer["method"] == chosen.method]
    kept = study.kept(chosen.method, chosen.step)
    tasks = [
        (*splits[split], np.flatnonzero(mask)) for split, mask in zip(done, kept) if study.repeats[split] == 0
    ]
    if end is None:
        return held_out(chosen.model, tasks, data)
    job = (chosen.model, tasks)
    answers = [answer for _, answer in worked(_held_out, [job], data, n_jobs=1, deadline=end)]
    return None if not answers or isinstance(answers[0], Lost) else answers[0]


def final_shuffled(
    study: Comparison,
    said: Recommendation,
    selectors: dict[str, Any],
    splits: list[tuple[Rows, Rows]],
    data: Data,
    end: float | None,
) -> Shuffled | None:
    """What is advised, judged in the first two splits with the target as it is and shuffled; None if the time is up."""
    chosen, sizes = said.chosen, study.sizes[said.chosen.method]
    size = sizes[chosen.step] if sizes else None
    seed = study.settings["random_state"]
    job = (selectors.get(chosen.method), said.sifts, size, splits[:2], chosen.model, seed)
    if end is None:
        return _both_ways(job, data)
    answers = [answer for _, answer in worked(_both_ways, [job], data, n_jobs=1, deadline=end)]
    return None if not answers or isinstance(answers[0], Lost) else answers[0]


def _both_ways(job: tuple[Any, ...], data: Data) -> Shuffled | None:
    selector, sifts, size, splits, judge, seed = job
    return both_ways(selector, sifts, size, data, splits, judge, seed)


def _held_out(job: tuple[str, Any], data: Data) -> NDArray[np.float64]:
    return held_out(*job, data)


def _whole(job: tuple[Any, str, Any], data: Data) -> dict[str, Any]:
    selector, kind, size = job
    return whole_selection(selector, kind, size, data)
