"""The tables of benchmarks/columns.py: real ones, and the same with columns added that a ranker should leave behind.

A table is plain numbers: nominal columns are codes, missing values are NaN. Tables that do not ship with tamis are read
from the folder named by TAMIS_DATA (name.csv.gz, the class in the last column), or come with scikit-learn.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

N_TRAIN = 600
N_TEST = 1500
TIMES = 3  # so many columns are added for each that was there
VARIANTS = ("plain", "noise", "copies", "products")

# Choices are made on the tables of the first half; the second confirms them.
FIRST_HALF = (
    "adult_train", "authorship", "breast_cancer", "coil2000", "covtype", "credit_crx", "digits", "glass2", "hepatitis",
    "horse_colic", "ionosphere", "madelon", "mfeat_zernike", "mushroom", "pima", "splice", "tic_tac_toe", "waveform_40",
)  # fmt: skip
SECOND_HALF = (
    "ann_thyroid", "australian", "breast_w", "churn", "dna", "echocardiogram", "german", "heart_cleveland",
    "hill_valley_noise", "house_votes", "kr_vs_kp", "magic", "mfeat_fourier", "musk1", "spambase", "vehicle", "wine",
    "wine_quality_white",
)  # fmt: skip


@dataclass(frozen=True)
class Task:
    """A ranking problem: rank on the training rows, judge on the others."""

    X: np.ndarray  # (n, d) float64
    nominal: np.ndarray  # (d,) bool
    y: np.ndarray  # (n,) codes
    train: np.ndarray  # rows
    test: np.ndarray
    own: np.ndarray  # (d,) bool: the table's own columns

    @property
    def sizes(self) -> list[int]:
        """At how many columns a ranking is judged: an eighth, a quarter, a half and all of the table's own."""
        parts = (8, 4, 2) if self.own.all() else (8, 4, 2, 1)
        return sorted({max(1, round(self.n_true / part)) for part in parts})

    @property
    def n_true(self) -> int:
        """How many columns are the table's own."""
        return int(self.own.sum())


@cache
def table(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Values, which columns are nominal, and codes of the classes; None where the table cannot be had."""
    frame_y = frame_of(name)
    if frame_y is None:
        return None
    frame, y = frame_y
    columns, nominal = [], []
    for column in frame.get_columns():
        nominal.append(not column.dtype.is_numeric())
        if nominal[-1]:
            column = column.cast(pl.String)
            column = column.rank("dense") - 1
        columns.append(column.cast(pl.Float64).fill_null(float("nan")).to_numpy())
    return np.column_stack(columns), np.array(nominal), np.unique(y, return_inverse=True)[1]


def frame_of(name: str):
    from sklearn import datasets as outside

    from tamis import datasets
    from tamis.table import TableError, read

    if name in ("digits", "breast_cancer", "wine"):
        X, y = getattr(outside, f"load_{name}")(return_X_y=True)
        return pl.DataFrame(X, schema=[f"x{j}" for j in range(X.shape[1])]), y
    if name in datasets.names():
        try:
            found = datasets.load(name, download_if_missing=False)
        except TableError:
            return None
        return found.X, found.y
    path = Path(os.environ.get("TAMIS_DATA", ".")) / f"{name}.csv.gz"
    if not path.exists():
        return None
    found = read(path)
    return found.X, found.y


def task(name: str, variant: str, seed: int) -> Task | None:
    """A split of a table, with columns added; the same for every ranker.

    The columns are in random order: a ranker that leaves many columns at the same score, the lower one first, would else have
    the table's own ones for nothing.
    """
    found = table(name)
    if found is None:
        return None
    X, nominal, y = found
    random = np.random.default_rng([sum(name.encode()), VARIANTS.index(variant), seed])
    train, test = _split(y, random)
    rows = np.concatenate([train, test])
    X, y = X[rows], y[rows]
    n_train, n_true = len(train), X.shape[1]
    if variant != "plain":
        X, nominal = _extended(X, nominal, variant, random)
    mixed = random.permutation(X.shape[1])
    X, nominal, own = X[:, mixed], np.asarray(nominal)[mixed], mixed < n_true
    return Task(X, nominal, y, np.arange(n_train), np.arange(n_train, len(rows)), own)


def _split(y: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows, each class in its share; three fifths of a small table are for training."""
    share = min(N_TRAIN / len(y), 0.6)
    train, test = [], []
    for label in np.unique(y):
        rows = random.permutation(np.flatnonzero(y == label))
        cut = max(2, round(share * len(rows)))
        train.append(rows[:cut])
        test.append(rows[cut : cut + max(1, round(N_TEST * len(rows) / len(y)))])
    return random.permutation(np.concatenate(train)), random.permutation(np.concatenate(test))


def _extended(X, nominal, variant, random):
    """The table with columns behind its own: pure noise, copies with noise, or products of two columns."""
    n, d = X.shape
    filled = np.where(np.isnan(X), np.nanmean(np.where(np.isnan(X).all(axis=0), 0.0, X), axis=0), X)
    spread = filled.std(axis=0)
    standard = (filled - filled.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    added, kinds = [], []
    for k in range(TIMES * d):
        j = k % d
        if variant == "products":
            a, b = random.choice(d, size=2, replace=d < 2)
            added.append(standard[:, a] * standard[:, b])
            kinds.append(False)
        elif nominal[j]:
            shuffled = random.permutation(X[:, j])
            if variant == "copies":
                shuffled = np.where(random.random(n) < 0.5, shuffled, X[:, j])
            added.append(shuffled)
            kinds.append(True)
        else:
            noise = random.normal(size=n)
            added.append(noise if variant == "noise" else standard[:, j] + noise)
            kinds.append(False)
    return np.column_stack([X, *added]), np.concatenate([nominal, kinds])
