"""scikit-learn's callbacks, where the version at hand has them."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: this scikit-learn has no callbacks."""


__all__ = ["CallbackSupportMixin", "unheard"]


def unheard(estimator: BaseEstimator) -> Any:
    """The estimator without callbacks: a clone that works inside of a fit is not the fit that they were set for."""
    if hasattr(estimator, "set_callbacks"):
        estimator.set_callbacks()
    return estimator
