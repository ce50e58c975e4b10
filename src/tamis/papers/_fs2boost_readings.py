"""Other readings of the FS2Boost paper's Table 1: what its text leaves open, tried on every set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tamis._memory import Memory
from tamis._progress import Progress
from tamis.features._search import MemoisedVotes, Rules, Search, columns_of
from tamis.features.fs2boost import FS2Boost
from tamis.neighbors import MixedSpace
from tamis.papers._paper import Figure
from tamis.papers._readings import MAKERS, noisy
from tamis.papers._tables import Float, Numbers, loaded
from tamis.votes.criterion import NeighborVotes, TwoClassProblems

VERSIONS = {
    "monks1_test": "monks1_train",
    "monks2_test": "monks2_train",
    "monks3_test": "monks3_train",
    "echocardiogram": "echocardiogram_alive1",
}
"""Sets of which another version is known."""

JOINED = {"monks1_test": 556, "monks2_test": 601, "monks3_test": 554}
"""Sets whose two versions are parts of one, and how many rows both have; the two of echocardiogram are the same patients."""


@dataclass(frozen=True)
class Reading:
    """One way to read the experiment.

    Attributes
    ----------
    k : int
        The number of neighbours.
    words : str
        What else is read otherwise than on the rest of the page; empty for nothing.
    metric : str
        Differences ("l1") or their squares ("l2").
    lowest : bool
        Exactly k neighbours, the lower row first, instead of all as near as the k-th.
    scale : str
        What a numeric column is divided by: its "range", its standard "deviation", or "nothing".
    plain : bool
        Whether categories enter as the numbers of their codes, with missing values filled in.
    patience : int
        The stop: at this many additions in a row without progress.
    version : str
        Which rows: "" for those of the page, "other" for the other version of the set, "both" for all rows of the two.
    noise : float or None
        The noise of a generated set; None for that of the page.
    """

    k: int
    words: str = ""
    metric: str = "l1"
    lowest: bool = False
    scale: str = "range"
    plain: bool = False
    patience: int = 1
    version: str = ""
    noise: float | None = None

    @property
    def name(self) -> str:
        """The reading in words."""
        return f"k = {self.k}{', ' if self.words else ''}{self.words}"


SOME = (1, 5, 9)
READINGS = (
    *(Reading(k) for k in (1, 3, 5, 15)),
    *(Reading(k, "squares", metric="l2") for k in SOME),
    *(Reading(k, "exactly k", lowest=True) for k in SOME),
    *(Reading(k, "scaled by deviation", scale="deviation") for k in SOME),
    *(Reading(k, "codes as numbers", plain=True) for k in SOME),
    *(
        Reading(k, "codes as numbers, squares, by deviation", "l2", scale="deviation", plain=True)
        for k in SOME
    ),
    *(Reading(k, "codes as numbers, squares, not scaled", "l2", scale="nothing", plain=True) for k in SOME),
    *(Reading(k, "patience 4", patience=4) for k in SOME),
    *(Reading(k, "other version of the set", version="other") for k in SOME),
    *(Reading(k, "both versions of the set", version="both") for k in SOME),
    *(Reading(k, f"noise {noise:g}", noise=noise) for k in (1, 9) for noise in (0.0, 0.05, 0.15, 0.2)),
)


def read_figures(name: str, data: Numbers, columns: tuple[str, str, str], seed: int) -> Iterator[Figure]:
    """Leave-one-out accuracy over the columns of SFS, of FS2Boost and over all columns, for every reading of a set."""
    for reading in READINGS:
        rows = _rows(name, data, reading, seed)
        if rows is None:
            continue
        values = _accuracies(rows, reading)
        yield from (Figure(column, reading.name, "accuracy", value) for column, value in zip(columns, values))


def _rows(name: str, data: Numbers, reading: Reading, seed: int) -> Numbers | None:
    """The rows of a reading of the set; None where it has no such reading."""
    if reading.noise is not None:
        return noisy(name, len(data.codes), reading.noise, seed) if name in MAKERS else None
    if not reading.version:
        return data
    if name not in VERSIONS:
        return None
    other = loaded(VERSIONS[name])
    if reading.version == "other":
        return other
    if len(other.codes) + len(data.codes) != JOINED.get(name):
        return None
    return Numbers(
        np.concatenate([data.values, other.values]),
        data.nominal,
        np.concatenate([data.codes, other.codes]),
        data.columns,
        data.informative,
    )


def _accuracies(data: Numbers, reading: Reading) -> tuple[float, float, float]:
    """The three figures of a row of Table 1, in percent."""
    every = tuple(range(len(data.columns)))
    accuracy = _measure(data, reading, "accuracy")
    by_accuracy = _kept(accuracy, reading, len(every))
    by_z = _kept(_measure(data, reading, "z"), reading, len(every))
    errors = [accuracy.paths((), [chosen])[0][0][-1] for chosen in (by_accuracy, by_z, every)]
    return tuple(100 * (1 - float(error)) for error in errors)  # type: ignore[return-value]


def _measure(data: Numbers, reading: Reading, criterion: str) -> MemoisedVotes:
    """The criterion of sets of columns under a reading."""
    counts = np.bincount(data.codes)
    votes = NeighborVotes(
        coordinates(data, reading),
        data.codes,
        TwoClassProblems.of(counts, np.ones(len(counts))),
        criterion=criterion,
        n_neighbors=min(reading.k, len(data.codes) - 1),
        squared=reading.metric == "l2",
        lowest=reading.lowest,
    )
    return MemoisedVotes(votes, Memory.none())


def _kept(measure: MemoisedVotes, reading: Reading, n_columns: int) -> tuple[int, ...]:
    """The columns that a forward search keeps."""
    selector = FS2Boost(patience=reading.patience)
    rules = Rules(
        units=tuple((column,) for column in range(n_columns)),
        locked=frozenset(),
        forward=True,
        floating=False,
        tol=selector.tol,
        patience=reading.patience,
        cap=n_columns,
        n_wanted=None,
    )
    search = Search(measure, rules, selector.n_rounds).run(Progress(selector, "moves", None, least=None))
    return columns_of(search.kept())


def coordinates(data: Numbers, reading: Reading) -> Float:
    """The rows as coordinates of their distance: those of `MixedSpace`, with the numeric columns scaled as the reading says.

    Where all columns are numbers, they are shrunk together so that no term is above that of `MixedSpace`.
    """
    nominal = np.zeros_like(data.nominal) if reading.plain else data.nominal
    values = data.filled().values if reading.plain else data.values
    scaled: Float = MixedSpace.fit(values, nominal, reading.metric).scaled(values).coordinates
    if reading.scale == "range":
        return scaled
    spread = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    unit = np.nanstd(values, axis=0) if reading.scale == "deviation" else np.ones(len(spread))
    factors = np.divide(spread, unit, out=np.ones(len(spread)), where=(unit > 0) & ~nominal)
    if reading.plain:
        factors = factors / factors.max()
    return np.where(nominal | np.isnan(values), scaled, scaled * factors)
