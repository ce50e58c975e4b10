"""What a boosted classifier says of single rows, column by column: a part of `StumpAdaBoost`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tamis.stumps.row_margins import MarginBound, RowMargins, margin_bound, n_stumps, n_trees, row_margins
from tamis.stumps.run import Boosted
from tamis.table._encode import encode_like

if TYPE_CHECKING:
    from tamis.pairs.columns import PairColumns

__all__ = ["ExplainedRows", "alpha_sum", "refuse_two_caps"]

Float = NDArray[np.float64]


class ExplainedRows:
    """The methods of `StumpAdaBoost` that take margins apart."""

    classes_: NDArray[Any]
    stumps_: list[Boosted]
    max_leaves: int
    _weighed: NDArray[np.bool_]
    _pairs: PairColumns
    _schema: Any

    def column_votes(self, X: ArrayLike) -> Float:
        """H_f(x), eq. (5): what the stumps of each column add to `decision_function`.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            Rows with the columns of ``fit``.

        Returns
        -------
        ndarray, shape (n, d) or (n, d, classes)
            For two classes one number per column, positive for the second class; otherwise one per class as well, NaN for a
            class without weight.
        """
        told = self._column_votes(X)[0]
        return told[:, 1] if len(self.classes_) == 2 else told.transpose(0, 2, 1)

    def row_margins(self, X: ArrayLike, y: ArrayLike | None = None) -> RowMargins:
        """What each column adds to the margin of each row: why it is classified so, and by which columns.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            Rows with the columns of ``fit``.
        y : array-like, shape (n,), optional
            Their classes; those that are predicted if not given.

        Returns
        -------
        RowMargins
            Margins, eq. (3), the part of each column in them, its conditional margin, eq. (6), and its margin fraction,
            eq. (8), with a line per row.
        """
        told, confidences = self._column_votes(X)
        codes = None if y is None else self._codes_of(y, len(told))
        totals = np.ones(len(self.classes_))
        totals[self._weighed] = [alpha_sum(stumps) for stumps in self.stumps_]
        return row_margins(told, confidences, totals, self.classes_, codes)

    def margin_bound(self, X: ArrayLike, y: ArrayLike, *, delta: float = 0.05) -> list[MarginBound]:
        """The bound on the error on new rows that the paper quotes (Theorem 2.1), one per model.

        Parameters
        ----------
        X, y : array-like
            What the classifier was fitted on, all rows of the same weight.
        delta : float, default=0.05
            The probability that the bound fails.

        Returns
        -------
        list of MarginBound
            One for two classes, otherwise one per class, against the rest. On tables of everyday size the bound is above
            1: it says how things hang together, not how large the error is.
        """
        values = encode_like(self, X, self._schema).values
        codes = self._codes_of(y, len(values))
        positives = np.flatnonzero(self._weighed)[-len(self.stumps_) :]
        seen = self._pairs.behind(values)
        nominal = np.concatenate([self._schema.nominal, [j.levels is not None for j in self._pairs.joints]])
        bounds = []
        for positive, stumps in zip(positives, self.stumps_):
            sign = np.where(codes == positive, 1.0, -1.0)
            mean = float((sign * stumps.decision(seen)).mean() / alpha_sum(stumps))
            size = float(n_stumps(seen, nominal.astype(bool)))
            if self.max_leaves > 2:
                size = n_trees(max(1.0, size / 2), self.max_leaves)
            bounds.append(margin_bound(stumps.edge, mean, len(sign), size, delta))
        return bounds

    def _column_votes(self, X: ArrayLike) -> tuple[Float, Float]:
        """H_f of each class (n, classes, d), and the confidences behind it; two classes: -H_f and H_f."""
        check_is_fitted(self)
        values = self._pairs.behind(encode_like(self, X, self._schema).values)
        models = [stumps.column_votes(values, values.shape[1]) for stumps in self.stumps_]
        told, confidences = (
            self._pairs.shared(np.stack([model[i] for model in models], axis=1)) for i in (0, 1)
        )
        if len(models) == 1:
            told, confidences = np.concatenate([-told, told], axis=1), np.repeat(confidences, 2, axis=1)
        every = np.full((len(values), len(self.classes_), told.shape[2]), np.nan)
        behind = np.zeros((len(confidences), *every.shape[1:]))
        every[:, self._weighed], behind[:, self._weighed] = told, confidences
        return every, behind

    def _codes_of(self, y: ArrayLike, n_rows: int) -> NDArray[np.int64]:
        """The numbers of given classes; others than those of ``fit`` are refused."""
        labels = np.asarray(y)
        codes = np.searchsorted(self.classes_, labels).clip(0, len(self.classes_) - 1)
        if labels.shape != (n_rows,) or not (self.classes_[codes] == labels).all():
            raise ValueError(
                f"StumpAdaBoost: y has shape {labels.shape} and must hold one of the classes {self.classes_.tolist()} "
                f"for each of the {n_rows} rows of X."
            )
        return codes


def alpha_sum(stumps: Boosted) -> float:
    """The sum of alpha of a model, 1 for a model without a stump."""
    return float(stumps.alpha.sum()) or 1.0


def refuse_two_caps(estimator: Any) -> None:
    """Refuse a cap on weights beside a soft margin, which is one."""
    if estimator.weight_cap is not None and estimator.soft_margin > 0:
        raise ValueError(
            f"{type(estimator).__name__}: weight_cap={estimator.weight_cap} and soft_margin={estimator.soft_margin}, but "
            "only one of them can limit the weights. Leave weight_cap at None or soft_margin at 0."
        )
