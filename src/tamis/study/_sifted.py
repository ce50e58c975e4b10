"""The result of `Sieve` in five lines: what to keep, its score, how stable it is, the cost of keeping less, remarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tamis.features._sieve_reasons import NO_BETTER
from tamis.study._chance import against_chance, chance_of, chance_of_numbers
from tamis.study._rate import rate_text
from tamis.study._scores import weighted_mean
from tamis.table._names import as_cell, as_option, listed

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


_MOST_NAMES = 12
_SAYS = "says what "  # before the name of a column that says the same, in the reasons of `Sieve`
_SCORE = {"classes": "balanced_accuracy", "numbers": "r2"}


@dataclass(frozen=True)
class Sifted:
    """Five sentences, and before them what casts doubt on all of them.

    Attributes
    ----------
    keep, worth, sure, less, noticed : str
        One line each.
    beaten : bool
        Whether the kept columns do better than chance on unseen rows.
    doubts : tuple of str
        Columns that may be known only after the outcome, and what is left without them.
    """

    keep: str
    worth: str
    sure: str
    less: str
    noticed: str
    beaten: bool
    doubts: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences, in order."""
        return *self.doubts, self.keep, self.worth, self.sure, self.less, self.noticed

    def doubted(self, leaks: Mapping[str, str], without: Sifted | None) -> Sifted:
        """The same, beginning with the columns that predict the target by themselves, each with what it does, and the rest without them."""
        names = list(leaks)
        told = "; ".join(f"{as_cell(name)} alone {does}" for name, does in leaks.items())
        known = "is it" if len(names) == 1 else "are they"
        doubts = [f"Caution: {told}: {known} known before the outcome? If not: {as_option('--drop', names)}"]
        if without is not None:
            it = "it" if len(names) == 1 else "them"
            doubts.append(f"Without {it}: {without.keep[0].lower()}{without.keep[1:]} {without.worth}")
        return replace(self, doubts=tuple(doubts))


def sifted(
    sieve: BaseEstimator,
    names: Sequence[str],
    y: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
) -> Sifted:
    """Put a fitted sieve into words.

    Parameters
    ----------
    sieve : Sieve
        Fitted with the quick model; the size chosen by resampling, or given.
    names : sequence of str
        The names of the columns.
    y : ndarray, shape (n,)
        The classes, or the numbers.
    weights : ndarray, shape (n,), or None
        What each row counts, as the sieve was told.

    Returns
    -------
    Sifted
        The five lines.
    """
    numeric = not hasattr(sieve, "classes_")
    largest = float(np.abs(y).max()) if numeric else 1.0
    names = [as_cell(name) for name in names]
    kept = [names[j] for j in np.argsort(sieve.ranking_)[: sieve.n_features_]]
    keep = f"Keep {len(kept)} of {len(names)} columns: {listed(kept, _MOST_NAMES)}."
    noticed = _noticed(sieve, names)
    if hasattr(sieve, "verdicts_"):
        return _at_rate(sieve, names, kept, noticed)
    scores = getattr(sieve, "fold_scores_", np.empty(0))
    if len(scores) == 1:
        unknown = "not known: one fold only could be judged, with two classes to learn from."
        return Sifted(keep, f"Worth: {unknown}", _agreed(sieve), f"Keeping less: {unknown}", noticed, True)
    if not len(scores):
        small = "there are too few rows" if numeric else "the classes are too small"
        why = "the number was given" if sieve.n_features_to_select else f"{small} to be split"
        unknown = f"not known: {why}."
        return Sifted(keep, f"Worth: {unknown}", _agreed(sieve), f"Keeping less: {unknown}", noticed, True)
    used, n_each = np.arange(len(scores)), min(sieve._n_each, len(scores))
    if numeric:
        chance = chance_of_numbers(y / largest, sieve._splits, weights)
    else:
        chance = chance_of(y, sieve._splits, weights)
    score = _SCORE["numbers" if numeric else "classes"]
    train, test = sieve._splits[0]
    verdict = against_chance(scores, 0.0, chance, score, used, used // n_each, len(test) / len(train))
    beaten = verdict is not None and verdict.beaten
    by_chance = float(chance.scores[:, chance.names.index(score)].mean())
    if not beaten:
        chance_wins = (
            "Nothing here beats chance."
            if n_each > 2
            else "Two folds are too few to show that this beats chance."
        )
        keep = f"{chance_wins} The least bad are {len(kept)} of {len(names)} columns: {listed(kept, _MOST_NAMES)}."
    error = float(scores.std(ddof=1) / np.sqrt(n_each))  # repetitions hold out the same rows again
    results = sieve.cv_results_
    every = float(results["mean_test_score"][-1])
    weighed = weights is not None
    if numeric:
        shares = y / largest
        spread = largest * float(
            np.sqrt(weighted_mean((shares - weighted_mean(shares, weights)) ** 2, weights))
        )
        about = spread * np.sqrt(max(0.0, 1 - scores.mean()))
        worth = (
            f"Worth: r2 {scores.mean():.2f} on rows not seen{', which count by their weights' * weighed} (standard error {error:.2f}), an error of about {_quantity(about)} (RMSE) where "
            f"the target's spread is {_quantity(spread)}; chance {_two_digits(by_chance)}, all {len(names)} columns {every:.2f}."
        )
        return Sifted(keep, worth, _sure(sieve, names, kept), _less(sieve), noticed, beaten)
    worth = (
        f"Worth: {_share(scores.mean())} right on rows not seen, classes counting alike{' and rows by their weights' * weighed} (standard error {_share(error)}); "
        f"chance {_share(by_chance)}, all {len(names)} columns {_share(every)}."
    )
    return Sifted(keep, worth, _sure(sieve, names, kept), _less(sieve), noticed, beaten)


def _at_rate(sieve: BaseEstimator, names: Sequence[str], kept: list[str], noticed: str) -> Sifted:
    """The five lines where decoys decided: the rate says how sure it is, and what is undecided stands where less would."""
    keep = f"Keep {len(kept)} of {len(names)} columns: {listed(kept, _MOST_NAMES)}."
    if not kept:
        keep = f"Keep none of {len(names)} columns: none beats its decoys often enough."
    order = np.argsort(sieve.ranking_)
    open_ = [names[j] for j in order if sieve.verdicts_[j] == "undecided"]
    more = f"Undecided: {listed(open_, _MOST_NAMES)}." if open_ else "Undecided: no column."
    unknown = "Worth: not known: a rate was asked for, and nothing was resampled."
    return Sifted(keep, unknown, f"Sure: {rate_text(sieve.decoys_)}", more, noticed, bool(kept))


def _two_digits(value: float) -> str:
    """Two digits after the point; what rounds to 0 has no sign."""
    return f"{round(value, 2) + 0.0:.2f}"


def _quantity(value: float) -> str:
    """Three digits, and thousands written out."""
    return f"{value:,.0f}" if 1000 <= value < 1e9 else f"{value:.3g}"


def _sure(sieve: BaseEstimator, names: Sequence[str], kept: list[str]) -> str:
    """How often the kept columns are kept again when a fold of the rows is left out."""
    share, n_folds = sieve.kept_share_, len(sieve.fold_scores_)
    always = int((share[sieve.support_] >= 1).sum())
    if len(kept) == 1:
        words = f"Sure: it is {'kept' if always else 'not kept'} in all {n_folds} folds"
    else:
        words = f"Sure: {always} of the {len(kept)} are kept in all {n_folds} folds"
    order = np.argsort(sieve.ranking_)
    times = np.round(share * n_folds).astype(int)
    unsure = [f"{names[j]} in {times[j]}" for j in order if sieve.support_[j] and 0 < times[j] < n_folds]
    never = [names[j] for j in order if sieve.support_[j] and times[j] == 0]
    left = [f"{names[j]} in {times[j]}" for j in order if not sieve.support_[j] and share[j] >= 0.5]
    words += f", {listed(unsure, 4)}" if unsure else ""
    words += f"; not sure, since no fold keeps it: {listed(never, 4)}" if never else ""
    words += f"; left out, but kept in other folds: {listed(left, 4)}" if left else ""
    return f"{words}; {_agreed(sieve).removeprefix('Sure: ')}"


def _agreed(sieve: BaseEstimator) -> str:
    """How far the members agree with the choice."""
    mean = float(sieve.agreement_[sieve.support_].mean())
    if sieve.n_features_ == 1:
        return f"Sure: {_share(mean)} of the methods would keep it by themselves."
    return f"Sure: on average a method by itself would keep {_share(mean)} of them."


def _less(sieve: BaseEstimator) -> str:
    """The score of smaller sizes."""
    told = _points if hasattr(sieve, "classes_") else _of_r2
    sizes, means = sieve.cv_results_["size"].tolist(), sieve.cv_results_["mean_test_score"].tolist()
    smaller = [step for step, size in enumerate(sizes) if size < sieve.n_features_]
    if not smaller:
        return "Keeping less: there is no less than one column."
    chosen = max(step for step, size in enumerate(sizes) if size <= sieve.n_features_)
    shown = sorted({smaller[-1], smaller[len(smaller) // 2], smaller[0]}, reverse=True)
    costs = [
        f"with {sizes[step]} column{'s' * (sizes[step] != 1)} {told(means[chosen] - means[step])}"
        for step in shown
    ]
    return f"Keeping less: {', '.join(costs)}."


def _noticed(sieve: BaseEstimator, names: Sequence[str]) -> str:
    """Constants, copies, redundant columns, and how many columns look like chance."""
    reasons = sieve.reasons_
    parts = []
    for word, columns in (
        *(
            (constant, [names[j] for j, text in enumerate(reasons) if text == constant])
            for constant in sorted({text for text in reasons if text.startswith("constant")})
        ),
        (
            "a copy",
            [f"{names[j]} ({text})" for j, text in enumerate(reasons) if text.startswith("the same as")],
        ),
        (
            "only together",
            [
                f"{names[j]} ({text})"
                for j, text in enumerate(reasons)
                if text.startswith(("only with", "with many"))
            ],
        ),
        ("much the same", [_twins(names[j], text) for j, text in enumerate(reasons) if _SAYS in text]),
    ):
        if columns:
            parts.append(f"{word}: {listed(columns, 4)}")
    for what, n in (
        ("no better than chance by itself", reasons.count("chance")),
        (NO_BETTER, sum(text.endswith(NO_BETTER) for text in reasons)),
    ):
        if n:
            parts.append(f"{what}: {n} column{'s' * (n != 1)}")
    return f"Noticed: {'; '.join(parts)}." if parts else "Noticed: nothing out of the ordinary."


def _twins(name: str, reason: str) -> str:
    """A column and the one that says the same, out of its reason: "says what age says (rank correlation .97)"."""
    return f"{name} and {as_cell(reason.partition(_SAYS)[2].rpartition(' says (')[0])}"


def _share(value: float) -> str:
    """Per cent: with a digit after the point near 0 and near 100, which only a whole is."""
    if 0.1 <= value < 0.995 or value == 1:
        return f"{100 * value:.0f} %"
    return f"{min(99.9, 100 * value) if value < 1 else 100 * value:.1f} %"


def _points(lost: float) -> str:
    if round(1000 * abs(lost)) == 0:
        return "nothing is lost"
    return f"{100 * abs(lost):.1f} points {'lost' if lost > 0 else 'gained'}"


def _of_r2(lost: float) -> str:
    if round(100 * abs(lost)) == 0:
        return "nothing is lost"
    return f"{abs(lost):.2f} of r2 {'lost' if lost > 0 else 'gained'}"
