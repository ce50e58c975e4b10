"""The null picture: what the same steps find where the target is shuffled and nothing can be found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.report._answer import judged_by
from tamis.report._chart import share_bar
from tamis.report._markup import element
from tamis.report._page import Section, table
from tamis.study._scores import score_in_words, shown
from tamis.study._shuffled import Shuffled
from tamis.table._names import listed

TITLE = "The same with the target shuffled"


def null_section(
    told: Shuffled | Sequence[int] | None, n_kept: int = 0, prefix: str = "", suffix: str = ""
) -> Section | None:
    """A section that sets what was found beside what is found by chance; None if there is nothing to tell.

    Parameters
    ----------
    told : Shuffled, sequence of int or None
        Scores both ways; or how many columns are kept with the target shuffled, each time.
    n_kept : int
        How many are kept with the target as it is.
    prefix, suffix : str
        What comes before and after the title.
    """
    if told is None:
        return None
    blocks = _scores(told) if isinstance(told, Shuffled) else _counts(told, n_kept)
    return Section(f"{prefix}{TITLE}{suffix}", blocks)


def _scores(told: Shuffled) -> list[Any]:
    score = score_in_words(told.score)
    words = (
        f"About {_counted(told.n_kept, told.sifts)} chosen on some rows and judged on others ({judged_by(told.model)}, {score}), in {len(told.own)} splits: with the target "
        "as it is, and with its values in random order, where nothing can be found. That is what chance looks like. "
    )
    words += (
        "Every split does better than any with the target shuffled."
        if told.better
        else "The target as it is does no better in some split: what is shown on this page may be chance."
    )
    rows = []
    for name, values in (("as it is", told.own), ("shuffled", told.null)):
        mean = float(np.mean(values))
        bar = element("span", share_bar(min(1.0, max(0.0, mean))), class_="share")
        each = ", ".join(shown(told.score, one) for one in values)
        rows.append([name, shown(told.score, mean), *([bar] if _as_share(told) else []), each])
    heads = ["target", f"mean {score}", *(["as bar"] if _as_share(told) else []), "each split"]
    return [words, table(heads, rows, caption="The target as it is, and shuffled")]


def _counted(n_kept: float, sifts: str) -> str:
    """How many columns or rows, with the verb: "1 column is", "4 rows are"."""
    return f"1 {sifts[:-1]} is" if round(n_kept) == 1 else f"{n_kept:.0f} {sifts} are"


def _as_share(told: Shuffled) -> bool:
    """Whether the scores lie between 0 and 1, or below where nothing is found."""
    return told.score in ("accuracy", "balanced_accuracy", "roc_auc", "r2", "concordance")


def _counts(told: Sequence[int], n_kept: int) -> list[Any]:
    some = sum(one > 0 for one in told)
    words = (
        f"With the target in random order nothing can be found; {listed([str(one) for one in told])} columns are kept then, in {len(told)} shuffles. "
        f"With the target as it is: {n_kept}."
    )
    words += " Columns that are kept where nothing can be found are kept by chance." if some else ""
    rows = [["as it is", n_kept], *(["shuffled", one] for one in told)]
    return [words, table(["target", "columns kept"], rows, caption="The target as it is, and shuffled")]
