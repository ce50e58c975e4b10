"""How the values of a column are spread in each class: small histograms one below the other, on one axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tamis.report._chart import WIDTH, Scale, short
from tamis.report._markup import Html, element, joined
from tamis.report._page import figure

MOST_GROUPS = 6
_N_BINS, _FEW_NUMBERS, _MOST_CATEGORIES = 30, 12, 8
_LABEL, _BARS, _GAP, _FOOT, _SIDE = 30, 34, 8, 28, 4  # heights in the picture, and the margin at both sides
_NAME_LENGTH = 9  # characters of a category under its bar
_ENDS = (0.005, 0.995)  # values beyond these quantiles are counted in the first and last bar


@dataclass(frozen=True)
class _Bins:
    """Where each row belongs: the number of its bar (-1: none), and the names of the bars."""

    places: NDArray[np.intp]
    names: list[str]
    scale: Scale | None = None


def groups_of(labels: NDArray[Any], kind: str) -> dict[str, NDArray[np.bool_]]:
    """The rows of each class, the largest classes first; of a numeric target, the rows of its three thirds."""
    if kind == "numbers":
        low, high = np.quantile(labels, [1 / 3, 2 / 3])
        return {
            f"lowest third (up to {low:.4g})": labels <= low,
            "middle third": (labels > low) & (labels <= high),
            f"highest third (above {high:.4g})": labels > high,
        }
    classes, counts = np.unique(labels, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_GROUPS]
    return {str(classes[k].item()): labels == classes[k] for k in np.sort(order)}


def distribution(series: pl.Series, groups: Mapping[str, NDArray[np.bool_]]) -> Html:
    """The histogram of a column in every group of rows.

    Parameters
    ----------
    series : polars.Series
        The column.
    groups : mapping of str to ndarray of bool
        The rows of each group, by its name.

    Returns
    -------
    Html
        A figure; bars tell their numbers under the pointer, and their heights are shares of the group's rows.
    """
    bins = _bins(series)
    counts = {name: np.bincount(bins.places[rows & (bins.places >= 0)], minlength=len(bins.names))
              for name, rows in groups.items()}  # fmt: skip
    shares = {name: count / max(1, int(groups[name].sum())) for name, count in counts.items()}
    tallest = max((float(share.max(initial=0.0)) for share in shares.values()), default=0.0) or 1.0
    step = _LABEL + _BARS + _GAP
    parts = []
    for place, name in enumerate(groups):
        floor = place * step + _LABEL + _BARS
        title = element("text", f"{name} ({int(groups[name].sum())} rows)", x=_SIDE, y=place * step + 22)
        bars = _bars(name, counts[name], shares[name] / tallest, shares[name], bins.names, floor)
        line = element("line", class_="axis", x1=_SIDE, x2=WIDTH - _SIDE, y1=floor, y2=floor)
        parts.append(joined(title, element("g", *bars, class_=f"series c{place % 6}"), line))
    height = len(groups) * step + _FOOT
    parts.append(_axis(bins, len(groups) * step + 6))
    alt = f"{series.name} in each class"
    picture = element(
        "svg", *parts, class_="plot", viewBox=Html(f"0 0 {WIDTH} {height}"), role="img", aria_label=alt
    )
    return figure(picture, class_="chart")


def _bins(series: pl.Series) -> _Bins:
    if not series.dtype.is_numeric():
        return _category_bins(series.cast(pl.String))
    values = series.cast(pl.Float64).to_numpy()
    known = values[np.isfinite(values)]
    different = np.unique(known)
    if len(different) <= _FEW_NUMBERS:
        places = np.where(np.isfinite(values), np.searchsorted(different, values), -1)
        return _Bins(places, [short(value) for value in different.tolist()])
    low, high = np.quantile(known, _ENDS)
    if low == high:
        low, high = known.min(), known.max()
    with np.errstate(invalid="ignore"):
        at = np.clip((values - low) / (high - low) * _N_BINS, 0, _N_BINS - 1)
    places = np.where(np.isfinite(values), np.nan_to_num(at), -1).astype(np.intp)
    edges = np.linspace(low, high, _N_BINS + 1).tolist()
    names = [f"{short(a)} to {short(b)}" for a, b in pairwise(edges)]
    return _Bins(places, names, Scale(float(low), float(high), _SIDE, WIDTH - _SIDE))


def _category_bins(texts: pl.Series) -> _Bins:
    """The most frequent categories, in the order of their names, and all others together."""
    counts = texts.drop_nulls().alias("value").value_counts(sort=True)
    names = sorted(counts["value"].head(_MOST_CATEGORIES).to_list())
    number = {name: place for place, name in enumerate(names)}
    others = len(names) if len(counts) > len(names) else -1
    places = np.array([-1 if text is None else number.get(text, others) for text in texts.to_list()])
    return _Bins(places.astype(np.intp), [*names, *(["others"] if others >= 0 else [])])


def _bars(
    group: str,
    counts: NDArray[np.intp],
    heights: NDArray[np.float64],
    shares: NDArray[np.float64],
    names: list[str],
    floor: float,
) -> list[Html]:
    width = (WIDTH - 2 * _SIDE) / max(1, len(names))
    gap = 1.0 if len(names) > _FEW_NUMBERS else width * 0.15
    return [
        element(
            "rect",
            element("title", f"{group}, {name}: {count} rows ({share:.1%})"),
            class_="dot",
            x=_SIDE + place * width + gap / 2,
            y=floor - _BARS * height,
            width=width - gap,
            height=_BARS * height,
        )
        for place, (name, count, height, share) in enumerate(zip(names, counts.tolist(), heights.tolist(), shares.tolist()))
        if count
    ]  # fmt: skip


def _axis(bins: _Bins, y: float) -> Html:
    if bins.scale is not None:
        ticks = [(bins.scale(value), short(value)) for value in bins.scale.ticks()]
    else:
        width = (WIDTH - 2 * _SIDE) / max(1, len(bins.names))
        ticks = [(_SIDE + (place + 0.5) * width, name) for place, name in enumerate(bins.names)]
    return joined(*(
        element("text", element("title", name), _cut(name), x=min(max(x, 20.0), WIDTH - 20.0), y=y + 14,
                text_anchor="middle", class_="faint")
        for x, name in ticks
    ))  # fmt: skip


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_LENGTH else f"{name[: _NAME_LENGTH - 1]}…"
