"""The columns of a frame as scikit-learn notes them, whatever the versions of scikit-learn and of the frame's library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import sklearn
from numpy.typing import ArrayLike
from sklearn.utils.validation import validate_data

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

_KNOWS_FRAMES = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)


class _Header:
    """What scikit-learn before 1.9 asks a frame that is none of pandas, in a protocol that polars left in its version 2."""

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self.shape = frame.shape
        self.names = frame.columns

    def __dataframe__(self) -> _Header:
        return self

    def column_names(self) -> list[str]:
        return self.names


def note_columns(
    estimator: BaseEstimator, X: ArrayLike, frame: nw.DataFrame[Any], *, reset: bool = True
) -> None:
    """Set `n_features_in_` and `feature_names_in_`; without `reset`, raise scikit-learn's errors where they differ."""
    known = _KNOWS_FRAMES or hasattr(X, "iloc")
    validate_data(estimator, X if known else _Header(frame), skip_check_array=True, reset=reset)


def check_new_frame(estimator: BaseEstimator, X: ArrayLike, frame: nw.DataFrame[Any]) -> None:
    """Raise scikit-learn's errors for a frame whose columns differ from the fitted ones, or without rows."""
    note_columns(estimator, X, frame, reset=False)
    if not frame.shape[0]:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={frame.shape}) while a minimum of 1 is required by "
            f"{type(estimator).__name__}."
        )
