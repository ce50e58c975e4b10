"""The section of a ranking's page on rows: which fit their class least, and which of the kept columns say so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.report._page import Section, table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from tamis.table._dataset import Dataset

MOST_ROWS = 10
MOST_VOTES = 50_000_000  # one number each: rows times classes times kept columns
_MOST_SAID = 3  # columns that are named for and against


def hard_rows(selector: BaseEstimator, data: Dataset) -> Section | None:
    """The rows of smallest margin in the model behind a ranking, fitted on the kept columns.

    Parameters
    ----------
    selector : estimator
        The fitted selector; with a method ``classifier`` for the model behind it.
    data : Dataset
        What it was fitted on.

    Returns
    -------
    Section or None
        None where there is no such model, or the table is very large. With a line per row: its class, what it is taken for, its margin, and what each column adds to it.
    """
    if data.target_kind != "classes" or not hasattr(selector, "classifier") or not selector.support_.any():
        return None
    n_votes = len(data.y) * len(np.unique(data.y)) * int(selector.support_.sum())
    if n_votes > MOST_VOTES:
        return None
    names = [name for name, kept in zip(data.X.columns, selector.support_) if kept]
    kept = data.X[names]
    model = selector.classifier().fit(kept, data.y)
    told = model.row_margins(kept, data.y)
    rows: list[list[Any]] = []
    for row in np.argsort(told.margins, kind="stable")[:MOST_ROWS].tolist():
        parts = told.parts[row]
        order = np.argsort(parts, kind="stable")
        against = [j for j in order[:_MOST_SAID].tolist() if parts[j] < 0]
        towards = [j for j in order[::-1][:_MOST_SAID].tolist() if parts[j] > 0]
        margin = float(told.margins[row])
        told_apart = [
            ", ".join(f"{names[j]} = {_value(kept[names[j]][row])} ({parts[j]:+.2f})" for j in columns)
            for columns in (against, towards)
        ]
        rows.append(
            [
                row + 1,
                told.labels[row],
                told.labels[row] if margin > 0 else told.rivals[row],
                margin,
                *told_apart,
            ]
        )
    words = (
        f"The {len(rows)} rows of smallest margin in the boosted model on the kept columns: below 0 a row is on the wrong side. What the "
        "columns add to a margin adds up to it; the largest parts are named. Such rows may be labelled wrongly, or need another column."
    )
    heads = ["row", "class", "taken for", "margin", "against its class", "for its class"]
    return Section(
        "The rows that fit their class least", [words, table(heads, rows, caption="Smallest margin first")]
    )


def _value(value: Any) -> str:
    """A value in a few characters."""
    if value is None or value != value:
        return "missing"
    text = f"{value:.4g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= 40 else f"{text[:39]}…"
