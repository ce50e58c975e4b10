"""Figures about comparisons: score against size, stability, and critical differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tamis.report._display import COLOURS, GREY, Display, line_style
from tamis.study import Comparison, RankTest
from tamis.study._contenders import BASELINE
from tamis.study._scores import DEFAULT_SCORE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator


Points = tuple[Any, Any, Any]


class _CurvesDisplay(Display):
    """Curves with bands against a number of columns or rows."""

    curves: dict[str, Points]
    x_label: str
    y_label: str

    def _draw(self, ax: Axes) -> None:
        widest = 1.0
        methods = [name for name in self.curves if name not in BASELINE.values()]
        for name, (x, y, error) in self.curves.items():
            sizes, means, errors = (np.asarray(part, dtype=np.float64) for part in (x, y, error))
            # the baseline keeps everything and is grey, so that a method has the same colour in all figures
            style: dict[str, Any] = (
                line_style(methods.index(name)) if name in methods else {"color": GREY, "linestyle": "--"}
            )
            ax.plot(sizes, means, marker="o", markersize=3, label=name, **style)
            if len(self.curves) <= 3:
                ax.fill_between(
                    sizes, means - errors, means + errors, color=style["color"], alpha=0.15, linewidth=0
                )
            if len(sizes) and np.nanmin(sizes) > 0:
                widest = max(widest, float(np.nanmax(sizes) / np.nanmin(sizes)))
        if widest > 20:
            ax.set_xscale("log")
        ax.set(xlabel=self.x_label, ylabel=self.y_label)
        if len(self.curves) > 6:
            ax.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        elif len(self.curves) > 1:
            ax.legend(fontsize=8, frameon=False)
        ax.set_title(self._title())

    def _title(self) -> str:
        raise TypeError(f"{type(self).__name__} has no title.")


class SizeCurveDisplay(_CurvesDisplay):
    """Score against the number of columns or rows that are kept.

    Parameters
    ----------
    curves : mapping of str to (sizes, means, errors)
        A curve for each method.
    kind : {"columns", "rows"}, default="columns"
        What is kept.
    score : str, default="score"
        The name of the score; higher is better.

    Examples
    --------
    >>> from tamis.report import SizeCurveDisplay
    >>> SizeCurveDisplay({"mine": ([1, 2, 3], [0.7, 0.9, 0.8], [0.1, 0.1, 0.1])}).plot().ax_.get_title()
    'mine is best, with 2 columns'
    """

    def __init__(self, curves: Mapping[str, Points], *, kind: str = "columns", score: str = "score") -> None:
        self.curves, self.kind, self.score = dict(curves), kind, score
        self.x_label, self.y_label = f"{kind} kept", score.replace("_", " ")

    @classmethod
    def from_results(
        cls, comparison: Comparison, *, kind: str = "columns", model: str | None = None,
        score: str | None = None, ax: Axes | None = None,
    ) -> Self:  # fmt: skip
        """Draw a comparison, by one model (its first by default) and one score (the default one of its kind of target)."""
        score = DEFAULT_SCORE[comparison.target_kind] if score is None else score
        model = comparison.models[0] if model is None else model
        curves = {}
        for name in comparison.methods(kind, baseline=True):
            curve = comparison.curve(name, model, score)
            curves[name] = (curve.n_kept, curve.mean, np.nan_to_num(curve.error))
        return cls(curves, kind=kind, score=f"{score}, {model}").plot(ax)

    @classmethod
    def from_estimator(cls, estimator: BaseEstimator, *, ax: Axes | None = None) -> Self:
        """Draw the scores that a fitted SelectorCV found at each size."""
        check_is_fitted(estimator)
        results = estimator.cv_results_
        kind = "rows" if hasattr(estimator, "sample_indices_") else "columns"
        curve = (results["size"], results["mean_test_score"], results["standard_error"])
        return cls({type(estimator.selector).__name__: curve}, kind=kind).plot(ax)

    def _title(self) -> str:
        tops = {name: float(np.nanmax(y)) for name, (_, y, _) in self.curves.items() if not np.isnan(y).all()}
        if not tops:
            return "nothing was scored"
        best = max(tops, key=lambda name: tops[name])
        x, y, _ = self.curves[best]
        return f"{best} is best, with {float(np.asarray(x)[int(np.nanargmax(y))]):.4g} {self.kind}"


class StabilityDisplay(_CurvesDisplay):
    """Nogueira's stability index against the number of columns kept.

    Parameters
    ----------
    curves : mapping of str to (sizes, indices, half widths of the intervals)
        A curve for each method.

    Examples
    --------
    >>> from tamis.report import StabilityDisplay
    >>> StabilityDisplay({"mine": ([1, 2], [1.0, 0.5], [0.0, 0.1])}).plot().ax_.get_title()
    'mine is the most stable: 0.75 on average'
    """

    x_label = "columns kept"
    y_label = "stability (1: always the same columns)"

    def __init__(self, curves: Mapping[str, Points]) -> None:
        self.curves = dict(curves)

    @classmethod
    def from_results(cls, comparison: Comparison, *, ax: Axes | None = None) -> Self:
        """Draw the column methods of a comparison."""
        curves = {}
        for name in comparison.methods("columns"):
            sizes = comparison.curve(name, comparison.models[0]).n_kept
            judged = [comparison.stability(name, step) for step in range(len(sizes))]
            curves[name] = (
                sizes,
                [one.index for one in judged],
                [(one.high - one.low) / 2 for one in judged],
            )
        return cls(curves).plot(ax)

    def _title(self) -> str:
        means = {
            name: float(np.nanmean(y)) for name, (_, y, _) in self.curves.items() if not np.isnan(y).all()
        }
        if not means:
            return "stability needs two splits or more"
        best = max(means, key=lambda name: means[name])
        return f"{best} is the most stable: {means[best]:.2f} on average"


class CriticalDifferenceDisplay(Display):
    """Mean ranks over several tables; a bar joins methods between which Nemenyi's test finds no difference.

    Parameters
    ----------
    tested : RankTest
        What `tamis.study.friedman_nemenyi` returned.

    Examples
    --------
    >>> from tamis.report import CriticalDifferenceDisplay
    >>> from tamis.study import friedman_nemenyi
    >>> tested = friedman_nemenyi([[0.9, 0.8], [0.8, 0.7], [0.9, 0.6]], ["mine", "theirs"])
    >>> CriticalDifferenceDisplay.from_results(tested).ax_.get_title()
    'mine ranks best over 3 tables, but not reliably'
    """

    def __init__(self, tested: RankTest) -> None:
        self.tested = tested

    @classmethod
    def from_results(cls, tested: RankTest, *, ax: Axes | None = None) -> Self:
        """Draw what `friedman_nemenyi` returned."""
        return cls(tested).plot(ax)

    def _draw(self, ax: Axes) -> None:
        tested = self.tested
        order = np.argsort(tested.mean_ranks, kind="stable")
        for place, j in enumerate(order):
            rank = tested.mean_ranks[j]
            ax.plot([1, rank], [place, place], color="#c3c8cf", linewidth=1)
            ax.plot(rank, place, "o", color=COLOURS[0])
            ax.text(rank + 0.08, place, f"{rank:.2f}", va="center", fontsize=8)
        ax.set_yticks(range(len(order)), [tested.names[j].replace("$", r"\$") for j in order], fontsize=8)
        ax.invert_yaxis()
        places = {int(j): place for place, j in enumerate(order)}
        right = len(order) + 0.6
        for number, group in enumerate(tested.cliques()):
            rows = [places[j] for j in group]
            x = right + 0.15 * number
            ax.plot(
                [x, x],
                [min(rows) - 0.2, max(rows) + 0.2],
                color=COLOURS[1],
                linewidth=4,
                solid_capstyle="butt",
            )
        ax.set_xlim(1, right + 0.15 * max(1, len(tested.cliques())) + 0.2)
        ax.set_xlabel(
            f"mean rank (critical difference {tested.critical_difference:.2f}; bars: not told apart)"
        )
        best, groups = order[0], tested.cliques()
        alone = not any(int(best) in group for group in groups)
        ax.set_title(
            f"{tested.names[best]} ranks best over {tested.n_datasets} tables, {'reliably' if alone else 'but not reliably'}"
        )
