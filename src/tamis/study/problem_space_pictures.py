"""Pictures of a run over the problem space: ROC-FS curves with their bands, and a map of the areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

Float = NDArray[np.float64]
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
_STYLES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (1, 1)))
_MOST_MAPS = 12


def roc_fs_curves(results: pl.DataFrame) -> Any:
    """Mean ROC-FS curve of every concept and number of rows, with the middle half of the data sets as a band.

    Parameters
    ----------
    results : polars.DataFrame
        What `tamis.study.problem_space.problem_space` returned.

    Returns
    -------
    matplotlib.figure.Figure
        One panel per concept, one curve per ratio of rows to columns.
    """
    import polars as pl

    known = results.filter(pl.col("ranks").is_not_null())
    if not known.height:
        raise ValueError("roc_fs_curves: the results hold no ranks of relevant columns. Run the space again.")
    concepts = known["concept"].unique(maintain_order=True).to_list()
    figure, panels = _panels(len(concepts), 3.6)
    for panel, concept in zip(panels, concepts):
        here = known.filter(pl.col("concept") == concept).with_columns(ratio=pl.col("n") / pl.col("d"))
        for number, (key, group) in enumerate(here.sort("ratio").group_by("ratio", maintain_order=True)):
            grid, curves = curves_of(group)
            low, high = np.quantile(curves, [0.25, 0.75], axis=0)
            colour = _COLOURS[number % len(_COLOURS)]
            style: Any = _STYLES[number % len(_STYLES)]
            panel.fill_between(grid, low, high, color=colour, alpha=0.2, linewidth=0)
            label = f"n = {key[0]:g} d ({group.height} data sets)"
            panel.plot(grid, curves.mean(axis=0), color=colour, linestyle=style, label=label)
        panel.plot([0, 1], [0, 1], color="#666666", linewidth=0.8)
        panel.set(title=concept, xlabel="share of irrelevant columns taken", xlim=(0, 1), ylim=(0, 1.01))
        panel.legend(loc="lower right", fontsize=7)
    panels[0].set_ylabel("share of relevant columns found")
    return figure


def curves_of(results: pl.DataFrame) -> tuple[Float, Float]:
    """The ROC-FS curves of data sets on a common grid.

    Parameters
    ----------
    results : polars.DataFrame
        Rows with ``d``, ``r`` and ``ranks``.

    Returns
    -------
    grid : ndarray, shape (101,)
        Shares of the irrelevant columns.
    curves : ndarray, shape (data sets, 101)
        Share of the relevant columns that are ranked before more than that share of the irrelevant ones.
    """
    grid = np.linspace(0, 1, 101)
    curves = []
    for row in results.select("d", "r", "ranks").to_dicts():
        ranks = np.asarray(row["ranks"])
        before = np.maximum(ranks - np.arange(1, row["r"] + 1), 0)  # irrelevant columns ahead of each
        shares = np.sort(before) / (row["d"] - row["r"])
        curves.append(np.searchsorted(shares, grid + 1e-12, side="right") / row["r"])
    return grid, np.asarray(curves)


def area_map(results: pl.DataFrame) -> Any:
    """Mean area under ROC-FS over the order parameters.

    Parameters
    ----------
    results : polars.DataFrame
        What `tamis.study.problem_space.problem_space` returned.

    Returns
    -------
    matplotlib.figure.Figure
        One map for each d, concept and redundancy (the first twelve); rows and share of relevant columns downwards,
        noise sideways.
    """
    import polars as pl

    keys = ["d", "concept", "redundant"]
    groups = list(results.sort(keys, maintain_order=True).group_by(keys, maintain_order=True))[:_MOST_MAPS]
    figure, panels = _panels(len(groups), 4.2)
    image = None
    for panel, (key, group) in zip(panels, groups):
        means = group.group_by("n", "r", "label_noise", "feature_noise").agg(pl.mean("auc"))
        down = sorted({(row["n"], row["r"]) for row in means.to_dicts()})
        side = sorted({(row["label_noise"], row["feature_noise"]) for row in means.to_dicts()})
        cells = np.full((len(down), len(side)), np.nan)
        for row in means.to_dicts():
            cell = down.index((row["n"], row["r"])), side.index((row["label_noise"], row["feature_noise"]))
            cells[cell] = row["auc"]
        image = panel.imshow(cells, vmin=0.4, vmax=1, cmap="cividis", aspect="auto")
        for (i, j), value in np.ndenumerate(cells):
            if np.isfinite(value):
                ink = "black" if value > 0.7 else "white"
                panel.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=6, color=ink)
        panel.set_yticks(range(len(down)), [f"n={n}, r={r}" for n, r in down], fontsize=7)
        panel.set_xticks(range(len(side)), [f"{e:.0%}\n{s:g}" for e, s in side], fontsize=7)
        panel.set_title(f"d={key[0]}, {key[1]}" + (", redundant" if key[2] else ""), fontsize=9)
        panel.set_xlabel("wrong labels, noise on values", fontsize=8)
    figure.colorbar(image, ax=panels, label="mean area under ROC-FS", shrink=0.8)
    return figure


def _panels(count: int, width: float) -> tuple[Any, list[Any]]:
    """A figure with `count` panels, at most four per row; matplotlib is imported here."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib. Install it with: pip install 'tamis[plot]'") from error
    across = min(count, 4)
    down = -(-count // across)
    figure = Figure(figsize=(width * across + 0.6, 3.4 * down), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(down, across, squeeze=False).ravel().tolist()
    for panel in panels[count:]:
        panel.set_visible(False)
    return figure, panels[:count]
