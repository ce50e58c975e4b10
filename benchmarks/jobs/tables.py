"""The tables of the race: real ones that tamis ships, and normal ones of any size."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

N_INFORMATIVE = 5
N_JUDGED = 2_000  # rows on which an answer is judged, at most


class Case(NamedTuple):
    """One table of one series: "real", "rows" (columns stay) or "columns" (rows stay)."""

    series: str
    name: str
    rows: int = 0
    columns: int = 0


class Data(NamedTuple):
    """A table in two halves: work is done on the first, and judged on the second."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


def real(*names: str) -> list[Case]:
    """Data sets that tamis ships."""
    return [Case("real", name) for name in names]


def growing_rows(sizes: tuple[int, ...], columns: int) -> list[Case]:
    """Tables of more and more rows."""
    return [Case("rows", f"{rows} x {columns}", rows, columns) for rows in sizes]


def growing_columns(rows: int, sizes: tuple[int, ...]) -> list[Case]:
    """Tables of more and more columns."""
    return [Case("columns", f"{rows} x {columns}", rows, columns) for columns in sizes]


def data_of(case: Case) -> Data:
    """The table of a case; the same for every contender."""
    if case.series == "real":
        X, y = _numbers(case.name)
        order = np.random.default_rng(0).permutation(len(y))
        half = len(y) // 2
        return _scaled(X[order[:half]], y[order[:half]], X[order[half:]], y[order[half:]])
    rng = np.random.default_rng(0)
    X = rng.standard_normal((case.rows + N_JUDGED, case.columns))
    told = X[:, :N_INFORMATIVE].sum(axis=1) + rng.standard_normal(len(X))
    y = (told > 0).astype(np.int64)
    X[:, N_INFORMATIVE : 2 * N_INFORMATIVE] += 0.5 * X[:, :N_INFORMATIVE]  # five more that only repeat them
    return Data(X[: case.rows], y[: case.rows], X[case.rows :], y[case.rows :])


def _numbers(name: str) -> tuple[Any, Any]:
    """A data set of numbers only."""
    from tamis import datasets

    table = datasets.load(name)
    return table.X.to_numpy().astype(np.float64), np.unique(table.y, return_inverse=True)[1]


def _scaled(X: Any, y: Any, X_test: Any, y_test: Any) -> Data:
    scaler = StandardScaler().fit(X)
    return Data(scaler.transform(X), y, scaler.transform(X_test), y_test)


def columns_judged(data: Data, order: Any) -> dict[str, float]:
    """Balanced accuracy of 5-nearest-neighbours on the second half, with the five first columns of an order."""
    best = np.asarray(order)[:N_INFORMATIVE]
    model = KNeighborsClassifier(5).fit(data.X[:N_JUDGED, best], data.y[:N_JUDGED])
    return {"quality": _balanced(data, model.predict(data.X_test[:N_JUDGED, best]))}


def rows_judged(data: Data, kept: Any) -> dict[str, float]:
    """Balanced accuracy of the nearest neighbour among the kept rows, on the second half, and how many are kept."""
    X, y = kept
    model = KNeighborsClassifier(1).fit(X, y)
    return {"quality": _balanced(data, model.predict(data.X_test[:N_JUDGED])), "kept": len(y)}


def _balanced(data: Data, predicted: Any) -> float:
    return float(balanced_accuracy_score(data.y_test[:N_JUDGED], predicted))
