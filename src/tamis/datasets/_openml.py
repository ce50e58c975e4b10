"""Data sets from OpenML, through the user's scikit-learn."""

from __future__ import annotations

import warnings
from dataclasses import replace
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.datasets._files import dataset_of, differences

if TYPE_CHECKING:
    import polars as pl

    from tamis.datasets._entry import Entry
    from tamis.table._dataset import Dataset


def openml_dataset(entry: Entry) -> Dataset:
    """Download a data set (scikit-learn stores it in its own folder), with notes on how it differs from the known one.

    Raises
    ------
    ConnectionError
        If the network or OpenML does not answer, or answers with something else.
    """
    where = entry.openml
    assert where is not None  # noqa: S101  (the caller asks only for sets that OpenML has)
    bunch = _fetched(where["data_id"])
    note = f"From OpenML: {where['name']}, version {where['version']}, number {where['data_id']}."
    dataset = dataset_of(entry, _frame(bunch, where), [note])
    return replace(dataset, notes=(*dataset.notes, *differences(entry, dataset)))


def _fetched(data_id: int) -> Any:
    """Return scikit-learn's bunch, with codes for categorical columns, so that pandas is not needed."""
    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="A network error occurred", category=UserWarning)
        try:
            return fetch_openml(data_id=data_id, as_frame=False, parser="liac-arff")
        except (OSError, ValueError, HTTPException) as error:
            raise ConnectionError(str(error)) from error


def _frame(bunch: Any, where: Any) -> pl.DataFrame:
    """Return OpenML's table as a frame whose last column, ``target``, is the class."""
    import polars as pl

    columns: dict[str, pl.Series] = {}
    names = [name for name in bunch.feature_names if name not in where.get("drop", ())]
    for position, name in enumerate(names):
        values = bunch.data[:, bunch.feature_names.index(name)].astype(np.float64)
        title = f"{where['prefix']}{position + 1}" if "prefix" in where else name
        known = bunch.categories.get(name)
        if known is None:
            columns[title] = _numbers(values)
        else:
            texts = [None if np.isnan(code) else str(known[int(code)]) for code in values.tolist()]
            columns[title] = pl.Series(texts, dtype=pl.String)
    columns["target"] = pl.Series([str(label) for label in bunch.target], dtype=pl.String)
    return pl.DataFrame(columns)


def _numbers(values: np.ndarray[Any, np.dtype[np.float64]]) -> pl.Series:
    """Return numbers as integers if all are whole, with NaN as missing."""
    import polars as pl

    column = pl.Series(values).fill_nan(None)
    present = values[~np.isnan(values)]
    whole = bool(np.all(present == np.rint(present)) and np.all(np.abs(present) < 2**53))
    return column.cast(pl.Int64) if whole else column
