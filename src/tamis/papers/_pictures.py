"""Pictures as PNG bytes; without matplotlib a sentence replaces them."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tamis.report._blocks import Block, Picture, Text

COLOURS = (
    "#1f5fa8",
    "#c8501e",
    "#2a8a57",
    "#8b5fb0",
    "#b08b1e",
    "#3aa0a8",
    "#a83a6b",
    "#6b6b6b",
    "#1c232b",
    "#d4749f",
)
MARKERS = "osD^vPX*hd"
Line = tuple[Sequence[float], Sequence[float]]


def curves(
    filename: str,
    alt: str,
    lines: Mapping[str, Line],
    x_label: str,
    y_label: str,
    caption: str = "",
    *,
    log: bool = False,
    diagonal: bool = False,
) -> Block:
    """Return lines of points, one per method; a method with one point is a single mark."""

    def draw(figure: Any) -> None:
        _lines(figure.add_subplot(), lines, x_label, y_label, log=log, diagonal=diagonal)

    return drawn(filename, alt, caption, draw, (7.2, 4.4))


def panels(
    filename: str,
    alt: str,
    parts: Mapping[str, Mapping[str, Line]],
    x_label: str,
    y_label: str,
    caption: str = "",
    *,
    log: bool = False,
    diagonal: bool = False,
) -> Block:
    """Return several pictures of lines side by side, two per row, with one legend."""

    def draw(figure: Any) -> None:
        n_rows = (len(parts) + 1) // 2
        axes = figure.subplots(n_rows, 2, squeeze=False, sharey=True).ravel()
        for axis, (title, lines) in zip(axes, parts.items()):
            _lines(axis, lines, x_label, y_label, log=log, diagonal=diagonal, legend=False)
            axis.set_title(title, fontsize=10)
        for axis in axes[len(parts) :]:
            axis.set_visible(False)
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8, frameon=False)

    return drawn(filename, alt, caption, draw, (9.0, 3.6 * ((len(parts) + 1) // 2) + 0.6))


def grouped_bars(
    filename: str,
    alt: str,
    names: Sequence[str],
    groups: Mapping[str, Sequence[float]],
    y_label: str,
    caption: str = "",
    *,
    from_zero: bool = False,
    level: float | None = None,
) -> Block:
    """Return bars from zero, or points, one group per name; `level` is drawn as a dotted line."""

    def draw(figure: Any) -> None:
        axis = figure.add_subplot()
        width = 0.8 / len(groups)
        everything = np.array(list(groups.values()), dtype=float)
        for place, (label, values) in enumerate(groups.items()):
            at = np.arange(len(names)) + (place - (len(groups) - 1) / 2) * width
            if from_zero:
                axis.bar(at, values, width, label=label, color=COLOURS[place])
            else:  # points: a bar that does not start at zero would mislead
                axis.plot(at, values, MARKERS[place], markersize=6, label=label, color=COLOURS[place])
        axis.set_xticks(
            np.arange(len(names)),
            names,
            rotation=30 if len(names) > 8 else 0,
            ha="right" if len(names) > 8 else "center",
            fontsize=8,
        )
        if not from_zero:
            low, high = np.nanmin(everything), np.nanmax(everything)
            axis.set_ylim(low - 0.35 * (high - low), high + 0.12 * (high - low))
        axis.axhline(0, color="#6b6b6b", linewidth=0.8)
        if level is not None:
            axis.axhline(level, color=COLOURS[1], linewidth=1.2, linestyle=":", label="mean")
        axis.set_ylabel(y_label)
        axis.legend(fontsize=8, frameon=False)
        _quiet(axis)

    return drawn(filename, alt, caption, draw, (max(6.4, 0.55 * len(names) + 2), 3.8))


def drawn(filename: str, alt: str, caption: str, draw: Any, size: tuple[float, float]) -> Block:
    """Return what `draw` puts on a figure, or a sentence where matplotlib is missing."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return Text(f"Picture left out ({alt}): matplotlib is not installed. Install tamis[plot].")
    figure = Figure(figsize=size, dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure)
    target = io.BytesIO()
    figure.savefig(target, format="png", metadata={"Software": None})
    return Picture(filename, target.getvalue(), alt, caption)


def _lines(
    axis: Any,
    lines: Mapping[str, Line],
    x_label: str,
    y_label: str,
    *,
    log: bool,
    diagonal: bool,
    legend: bool = True,
) -> None:
    if diagonal:
        axis.plot([0, 1], [0, 1], color="#9a9a9a", linewidth=0.8, linestyle=":")
    for place, (name, (x, y)) in enumerate(lines.items()):
        marker = MARKERS[place % len(MARKERS)] if len(x) < 30 else ""
        axis.plot(
            x, y, marker=marker, markersize=4, linewidth=1.4, color=COLOURS[place % len(COLOURS)], label=name
        )
    if log:
        axis.set_xscale("log")
        low, high = axis.get_xlim()
        axis.set_xticks([tick for tick in (1, 2, 5, 10, 20, 50, 100) if low <= tick <= high])
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.minorticks_off()
    axis.set_xlabel(x_label, fontsize=9)
    axis.set_ylabel(y_label, fontsize=9)
    if legend:
        axis.legend(fontsize=8, frameon=False)
    _quiet(axis)


def _quiet(axis: Any) -> None:
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=8)
    axis.grid(axis="y", color="#e4e6e9", linewidth=0.6)
    axis.set_axisbelow(True)
