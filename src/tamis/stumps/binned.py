"""Tables in the form in which the histogram engine reads them: one byte per value, or less, once for all models."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis._threads import Team, threads
from tamis.stumps._kernels import binning, bundling, cutting
from tamis.stumps._kernels.ordering import Order, Table
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.histogram_run import HistogramRun
from tamis.stumps.problems import Problem, nominal_flags, refuse_other_rows

__all__ = ["BinnedTable", "binned_table"]

Float = NDArray[np.float64]
SAMPLE_SIZE = 4096
BUNDLE_BINS = 32  # columns of more bins are not bundled
BUNDLE_ROWS = 4096  # tables of fewer rows have no bundles
LARGE_BIN = 0.02  # part of the rows in a bin from which it should be simple where it can be


@dataclass
class BinnedTable:
    """A table whose values are coded in bytes, for all models on it; made by `binned_table`.

    Attributes
    ----------
    table : Table
        The values and their codes. The words may have been narrowed to fewer columns.
    order : Order
        Rows in order of value, filled as searches ask for them, by one model at a time: see `lock`.
    nominal : ndarray of shape (d,)
        Which columns are nominal (categorical).
    mixed : ndarray of shape (d, 256)
        Which bins hold, or may hold, several values.
    unit : ndarray of shape (d,)
        The unit of each column; -1 for a column that was left out.
    n_cells : ndarray of shape (units,)
        The cells of each unit that is a bundle; 0 for units of one column.
    whole : ndarray of shape (units,)
        The number of each unit before any was left out.
    """

    table: Table
    order: Order
    nominal: NDArray[np.bool_]
    mixed: NDArray[np.bool_]
    unit: NDArray[np.int64]
    n_cells: NDArray[np.int64]
    whole: NDArray[np.int64]
    lock: Any = field(default_factory=threading.RLock, repr=False)
    _narrow: BinnedTable | None = field(default=None, repr=False)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return int(self.table.words.shape[1])

    @property
    def n_columns(self) -> int:
        """Columns of the table."""
        return len(self.nominal)

    def n_threads(self, n_jobs: int | None) -> int:
        """How many threads are worth their trouble: as many as there are."""
        return threads(n_jobs)

    def n_kept(self, n_problems: int) -> int:
        """Rounds of a model that are kept to go back to: they take at most half the memory of the table.

        Where these are not all that first use a column, some rounds are repeated.
        """
        return max(4, self.n_columns // 2)

    def new_run(
        self, problem: Problem, columns: NDArray[np.int64], settings: Settings, n_kept: int, team: Team
    ) -> HistogramRun:
        """A model of no rounds."""
        refuse_other_rows(problem, self.n_rows)
        return HistogramRun(self, problem, columns, settings, n_kept=n_kept, team=team)

    def narrowed(self, columns: NDArray[np.int64]) -> BinnedTable:
        """The same table with the words of the given columns only, if these fill at most three quarters of them.

        Models on the same columns get the same object. Rows in order of value are shared with this one.
        """
        source = self if self._narrow is None or (self._narrow.unit[columns] < 0).any() else self._narrow
        wanted = np.unique(source.unit[columns])
        if 4 * len(wanted) > 3 * len(source.whole):
            return source
        unit = np.full(self.n_columns, -1)
        unit[columns] = np.searchsorted(wanted, source.unit[columns])
        self._narrow = replace(
            self,
            table=self.table._replace(words=binning.pick_units(source.table.words, wanted)),
            unit=unit,
            n_cells=source.n_cells[wanted],
            whole=source.whole[wanted],
            _narrow=None,
        )
        return self._narrow

    def arranged(self, positive: NDArray[np.bool_]) -> BinnedTable:
        """The same table, or a copy of its codes, with the positive rows side by side."""
        positions = np.flatnonzero(positive[self.table.row_of])
        if len(positions) == 0 or positions[-1] - positions[0] + 1 == len(positions):
            return self
        source = np.argsort(~positive[self.table.row_of], kind="stable")
        table = self.table._replace(row_of=self.table.row_of[source], words=self.table.words[:, source])
        order = new_order(self.n_rows, self.n_columns)
        return replace(self, table=table, order=order, lock=threading.RLock(), _narrow=None)


def binned_table(
    values: ArrayLike,
    nominal: ArrayLike | None = None,
    *,
    classes: ArrayLike | None = None,
    n_jobs: int | None = None,
    max_bins: int = binning.MAX_BINS,
    bundle: bool | None = None,
) -> BinnedTable:
    """Cut every column into bins and code every value in a byte, once for all models on the table.

    Parameters
    ----------
    values : array-like of shape (n, d)
        Numbers, NaN for missing values; a nominal (categorical) column holds codes. Infinity is not allowed. A float64
        array in C or Fortran order is kept, not copied.
    nominal : array-like of bool, shape (d,), optional
        Which columns are nominal; none if not given.
    classes : array-like of shape (n,), optional
        The class of each row. Rows of a class are laid side by side, so that models of one class against the rest share
        the codes. Without it a model copies the codes (an eighth of the table) into the order it needs.
    n_jobs : int, optional
        Threads; 1 if None, all processors if -1.
    max_bins : int, default=255
        The most bins of a column, from 1 to 255. Fewer leave more to be searched row by row; no result depends on it.
    bundle : bool, optional
        Whether columns of few values share bytes; if not given, in tables of 4,096 rows or more. No result depends
        on it.

    Returns
    -------
    BinnedTable
        What `boost` and `eliminate` read.

    Notes
    -----
    Thresholds come from 4,096 rows spread evenly over the table. A column that shows at most `max_bins` distinct values
    there has a bin for each; otherwise values of 1 % or more have their own, and the rest falls into bins of about equal
    size, whose rows are sorted when a search first needs them. Nominal columns are treated alike: with more codes than
    bins, several codes share a bin. A value that the sample does not show costs time and changes nothing.
    """
    table: Float = np.asarray(values, dtype=np.float64)
    n_rows, n_columns = table.shape
    if not (table.flags.c_contiguous or table.flags.f_contiguous):
        table = np.ascontiguousarray(table)  # once, here
    flags = nominal_flags("binned_table", table, nominal)
    if not 1 <= max_bins <= binning.MAX_BINS:
        raise ValueError(f"binned_table: max_bins={max_bins}. Use 1 to {binning.MAX_BINS}.")
    if n_rows >= 1 << 31:
        raise ValueError(
            f"binned_table: values has {n_rows} rows, at most {(1 << 31) - 1} fit. Use a sample of the rows."
        )
    row_of = np.arange(n_rows) if classes is None else np.argsort(_numbered(classes), kind="stable")
    sampled = np.arange(min(n_rows, SAMPLE_SIZE)) * n_rows // min(n_rows, SAMPLE_SIZE)
    samples = binning.take_rows(*binning.flat(table), sampled, n_columns)
    cut_values, n_bins, checked, mixed = cutting.cut_points(np.sort(samples, axis=1), max_bins)
    parted = False
    may_bundle = (n_bins <= BUNDLE_BINS) & (n_rows >= BUNDLE_ROWS if bundle is None else bundle)
    coded = None
    while (
        coded is None
    ):  # once more where bundles grow too large, or a large bin holds values not in the sample
        cuts = binning.Cuts(cut_values, n_bins, checked, *binning.grids(cut_values, n_bins))
        layout = _layout(samples, cuts, may_bundle, len(sampled) == n_rows)
        coded = _coded(table, cuts, layout, row_of, threads(n_jobs), may_bundle)
        if coded is not None and not parted:
            parted = True
            coded = None if _part_large_bins(cuts, layout, coded) else coded
    words, bin_of, n_cells, unequal = coded
    return BinnedTable(
        table=Table(*binning.flat(table), row_of, words, bin_of, cut_values),
        order=new_order(n_rows, n_columns),
        nominal=flags,
        mixed=(mixed > 0) | unequal,
        unit=layout.unit,
        n_cells=n_cells,
        whole=np.arange(len(n_cells)),
    )


def _numbered(classes: ArrayLike) -> NDArray[Any]:
    """The classes as numbers in the same order, small ones where that can be had at once: these are sorted fast."""
    given = np.asarray(classes)
    if given.dtype.kind in "biu" and given.min() >= 0 and given.max() < 1 << 15:
        return given.astype(np.int16)
    return np.unique(given, return_inverse=True)[1].astype(np.int16 if len(given) < 1 << 15 else np.int64)


def new_order(n_rows: int, n_columns: int) -> Order:
    """An empty `Order`; its largest array takes memory only where it is written."""
    rows = np.empty((n_columns, n_rows), dtype=np.uint32)
    return Order(rows, np.full((n_columns, 257), -1), np.zeros((n_columns, 256), dtype=np.bool_))


def _layout(
    samples: Float, cuts: binning.Cuts, may_bundle: NDArray[np.bool_], complete: bool
) -> binning.Layout:
    """Give every column a unit: columns of few bins to bundles, as a sample of the rows suggests."""
    n_columns = len(may_bundle)
    bundle = np.full(n_columns, -1)
    shift = np.zeros(n_columns, dtype=np.int64)
    gap_bin = np.full(n_columns, -1)
    columns = np.flatnonzero(may_bundle)
    if len(columns):
        codes = binning.code_sample(samples, cuts, columns)
        plan = bundling.plan_bundles(codes, cuts.n_bins[columns], complete)
        shared = np.bincount(plan[0])[plan[0]] > 1
        columns = columns[shared]
        bundle[columns] = np.unique(plan[0][shared], return_inverse=True)[1]
        shift[columns] = plan[1][shared]
        gap_bin[columns] = plan[2][shared]
    n_single = int((bundle < 0).sum())
    unit = np.where(bundle < 0, np.cumsum(bundle < 0) - 1, n_single + bundle)
    return binning.Layout(unit, bundle, shift, gap_bin, n_single, int(bundle.max()) + 1)


def _coded(
    values: Float,
    cuts: binning.Cuts,
    layout: binning.Layout,
    row_of: NDArray[np.int64],
    n_threads: int,
    may_bundle: NDArray[np.bool_],
) -> tuple[Any, ...] | None:
    """Code all rows: words, bin_of, n_cells and the bins that are not simple after all, of checked columns.

    None, with `may_bundle` narrowed, to try again.
    """
    n_rows, n_columns = values.shape
    n_units = layout.n_single + layout.n_bundles
    words = np.empty((-(-n_units // 4), n_rows), dtype=np.uint32)
    target = np.empty(n_rows, dtype=np.int64)
    target[row_of] = np.arange(n_rows)
    chunk = binning.Chunk(
        np.zeros((n_threads, n_columns, 256), dtype=np.uint8),
        np.zeros((n_threads, layout.n_bundles, 256), dtype=np.int64),
        np.zeros((n_threads, layout.n_bundles), dtype=np.int64),
    )
    with Team(n_threads) as team:
        team.each(binning.code_rows, *binning.flat(values), cuts, layout, target, words, chunk)
    bin_of = np.tile(np.arange(256, dtype=np.uint8), (n_columns, 1))
    n_cells = np.zeros(4 * len(words), dtype=np.int64)
    for bundle in range(layout.n_bundles):
        members = np.flatnonzero(layout.bundle == bundle)
        keys = _joined_cells(chunk, bundle, words, layout.n_single + bundle, target)
        if keys is None:
            may_bundle[members] = False
            continue
        n_cells[layout.n_single + bundle] = len(keys)
        for column in members:
            bin_of[column] = bundling.cell_bins(
                keys, layout.shift[column], cuts.n_bins[column], layout.gap_bin[column]
            )
    if may_bundle[layout.bundle >= 0].all():
        return words, bin_of, n_cells, chunk.mixed.any(axis=0)
    return None


def _part_large_bins(cuts: binning.Cuts, layout: binning.Layout, coded: tuple[Any, ...]) -> bool:
    """Cut again where a value that the sample did not show shares a bin with very many rows; whether there is such."""
    words, bin_of, _, mixed = coded
    changed = False
    for column in np.flatnonzero(cuts.checked & mixed[:, :255].any(axis=1)):
        counts = binning.bin_counts(words, layout.unit[column], bin_of[column])
        large = mixed[column] & (counts > LARGE_BIN * words.shape[1])
        if large.any():
            n_bins = cutting.part_bins(cuts.values[column], cuts.n_bins[column], large)
            changed |= n_bins > cuts.n_bins[column]
            cuts.n_bins[column] = n_bins
    return changed


def _joined_cells(
    chunk: binning.Chunk, bundle: int, words: NDArray[np.uint32], unit: int, target: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """The keys of a bundle's cells, numbered alike in all ranges of rows; None if there are too many, or a missing value broke it."""
    n_ranges = len(chunk.n_cells)
    if (chunk.n_cells[:, bundle] < 0).any():
        return None
    cell_of: dict[int, int] = {}
    for part in range(n_ranges):
        keys = chunk.keys[part, bundle, : chunk.n_cells[part, bundle]].tolist()
        name = np.array([cell_of.setdefault(key, len(cell_of)) for key in keys], dtype=np.int64)
        if len(cell_of) > bundling.MAX_CELLS:
            return None
        if (name != np.arange(len(name))).any():
            n_rows = len(target)
            first, last = part * n_rows // n_ranges, (part + 1) * n_rows // n_ranges
            binning.rename_cells(words, unit, name, target[first:last])
    return np.array(list(cell_of), dtype=np.int64)
