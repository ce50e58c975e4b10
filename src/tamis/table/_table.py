"""The one form in which engines receive a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Labels = NDArray[Any]


@dataclass(frozen=True)
class Schema:
    """What a fitted estimator knows about its columns, so that new rows are read in the same way.

    Parameters
    ----------
    nominal : ndarray of bool, shape (d,)
        Which columns are categorical.
    categories : tuple of length d
        For a categorical column its values in code order (texts, or numbers where a numeric column was named
        categorical); None for a numeric column.
    """

    nominal: NDArray[np.bool_]
    categories: tuple[Labels | None, ...]


@dataclass(frozen=True)
class Table:
    """Rows and columns as plain numbers: what every engine and kernel works on.

    Parameters
    ----------
    values : ndarray of float64, shape (n, d)
        A numeric column holds its values, a categorical column its codes 0, 1, ...; NaN is a missing value in either. A value
        that was never seen in `fit` has the code after the last. The array may have any memory order.
    schema : Schema
        The kinds of the columns and the categorical columns' values.
    """

    values: Float
    schema: Schema

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.values.shape[1])

    @property
    def nominal(self) -> NDArray[np.bool_]:
        """Which columns are categorical."""
        return self.schema.nominal


@dataclass(frozen=True)
class Target:
    """The labels as codes.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,)
        Position of each row's label in `classes`.
    classes : ndarray, shape (c,)
        The labels, sorted.
    """

    codes: NDArray[np.int64]
    classes: Labels

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def counts(self) -> NDArray[np.int64]:
        """Rows of each class."""
        return np.bincount(self.codes, minlength=self.n_classes)


@dataclass(frozen=True)
class Numbers:
    """A numeric target.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        The number of each row; finite, and not all the same.
    """

    values: Float
