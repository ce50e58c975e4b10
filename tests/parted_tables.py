"""Random tables, and the same rows in folders of files of random lengths."""

import itertools

import numpy as np
import polars as pl


def problem(seed):
    """Few values, missing ones, texts, a copy under other names, a constant; two columns that speak only together."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 90))
    values = rng.integers(0, int(rng.integers(3, 200)), (n, 4)).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan
    colour = rng.integers(0, 4, n)
    frame = pl.DataFrame(values, schema=["a", "b", "c", "d"]).fill_nan(None).with_columns(
        same=pl.col("b"), colour=pl.Series([["red", "blue", None, "green"][code] for code in colour]),
        kind=pl.Series([["x", "y", None, "z"][code] for code in colour]), one=pl.lit(1.5),
        up=pl.col("a") * 2,
    )  # fmt: skip
    turn = np.nan_to_num(values[:, 0]) > np.nanmedian(values[:, 0])
    y = np.where(rng.random(n) < 0.1, 2, turn != (colour == 1)).astype(int)
    y[:2] = [1, 0]
    weights = rng.choice([None, "whole", "fractions"])
    if weights == "whole":
        weights = rng.integers(0, 4, n).astype(float)
    elif weights == "fractions":
        weights = rng.exponential(size=n) * 1e3
    if weights is not None:
        weights[:2] = 1.0
    return frame, y, weights, rng


def written(folder, frame, y, weights, rng):
    """The rows in files of random lengths."""
    folder.mkdir()
    whole = frame.with_columns(target=pl.Series(y))
    if weights is not None:
        whole = whole.with_columns(weight=pl.Series(weights))
    cuts = np.sort(rng.choice(np.arange(1, len(frame)), int(rng.integers(1, 4)), replace=False))
    for number, (a, b) in enumerate(itertools.pairwise([0, *cuts.tolist(), len(frame)])):
        whole[a:b].write_parquet(folder / f"{number}.parquet")
    return folder
