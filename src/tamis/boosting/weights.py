"""Weights of rows and classes: what sample_weight and class_weight mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight

from tamis.table._table import Table, Target


def row_weights(
    estimator: Any, table: Table, target: Target, sample_weight: Any, class_weight: Any
) -> NDArray[np.float64]:
    """Weight of each row: its `sample_weight` times the weight of its class.

    "balanced" gives every class the same weight in all: its rows weigh W / (C W_c), with W the weight of all rows
    and W_c of the class's. A dict names the weights of classes; those not named have 1.
    """
    who = type(estimator).__name__
    weights: NDArray[np.float64] = np.ones(table.n_rows)
    if sample_weight is not None:
        weights = np.array(
            _check_sample_weight(sample_weight, table.values, dtype=np.float64, ensure_non_negative=True)
        )
    held = np.bincount(target.codes, weights=weights, minlength=target.n_classes)
    if (held > 0).sum() < 2:
        raise ValueError(
            f"{who}: sample_weight leaves weight to {int((held > 0).sum())} class, at least 2 classes are needed."
        )
    if isinstance(class_weight, dict):
        labels = target.classes.tolist()
        unknown = [label for label in class_weight if label not in labels]
        if unknown:
            raise ValueError(
                f"{who}: class_weight names {unknown[0]!r}, which is no class of y. Classes: {labels}."
            )
        factors = np.asarray([float(class_weight.get(label, 1.0)) for label in labels])
        if not (np.isfinite(factors) & (factors >= 0)).all():
            raise ValueError(f"{who}: class_weight must hold finite numbers that are not negative.")
    elif class_weight == "balanced":
        factors = held.sum() / (np.count_nonzero(held) * np.where(held > 0, held, np.inf))
    else:
        return weights
    weights *= factors[target.codes]
    return weights


def class_shares(target: Target, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Each class's share of the rows, or of their weight."""
    held = np.bincount(target.codes, weights=weights, minlength=target.n_classes).astype(np.float64)
    shares: NDArray[np.float64] = held / held.sum()
    return shares
