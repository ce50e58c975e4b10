"""Notes about the data: codes left out, columns that may leak the target, nearly equal columns, rare classes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from tamis.cli._screen import note
from tamis.table._names import as_option, listed, quoted

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from tamis.table._dataset import Dataset
    from tamis.table._table import Table

#: A text column with more categories than the first number, and fewer rows per category than the second, holds codes.
MANY_CATEGORIES, FEW_ROWS_EACH = 50, 20
#: A column whose own area under the ROC curve is this large may be known only after the outcome (a leak).
SUSPICIOUS_AREA = 0.99
#: Columns whose rank correlation is this large are twins: nearly equal.
TWINS = 0.95

_LEAST_ROWS = 30  # in smaller tables, a column may separate the classes by chance
_MOST_ROWS = 20_000  # of more rows, this many are looked at
_MOST_COLUMNS = 1000  # among more columns, no twins are looked for


def without_codes(dataset: Dataset, asked: Collection[str]) -> Dataset:
    """Leave out identifiers and codes of many categories, unless the user named them; a note says why.

    A method that meets each value only once or a few times can only learn the values by heart.
    """
    from dataclasses import replace

    codes = {name: why for name, why in codes_of(dataset.X).items() if name not in asked}
    if not codes or len(codes) == dataset.X.width:
        return dataset
    note_codes(codes, [name for name in codes if not dataset.X[name].dtype.is_numeric()])
    return replace(dataset, X=dataset.X.drop(list(codes)))


def without_codes_to_compare(dataset: Dataset, asked: Collection[str]) -> Dataset:
    """The table that rows are compared in: without identifiers and codes, which the answer has all the same; a note says so."""
    from dataclasses import replace

    codes = {name: why for name, why in codes_of(dataset.X).items() if name not in asked}
    if not codes or len(codes) == dataset.X.width:
        return dataset
    what, ways = _codes_in_words(codes, [name for name in codes if not dataset.X[name].dtype.is_numeric()])
    note(f"rows are compared without their codes: {what}. {ways} compares these too.")
    return replace(dataset, X=dataset.X.drop(list(codes)))


def note_codes(codes: Mapping[str, str], texts: Collection[str]) -> None:
    """Say which columns are left out as codes, why, and how they are used; `texts` are those that hold texts."""
    what, ways = _codes_in_words(codes, texts)
    note(f"left out as codes, which can only be learnt by heart: {what}. {ways} uses them.")


def _codes_in_words(codes: Mapping[str, str], texts: Collection[str]) -> tuple[str, str]:
    """The codes with the reasons, and the options that use them."""
    what = listed([f"{name!r} ({why})" for name, why in codes.items()])
    numbers = [name for name in codes if name not in texts]
    ways = [as_option("--nominal", texts)] * bool(texts) + [as_option("--numeric", numbers)] * bool(numbers)
    return what, " ".join(ways)


def codes_of(frame: pl.DataFrame) -> dict[str, str]:
    """The columns that are identifiers or codes of many categories, each with the reason."""
    import polars as pl

    from tamis.table.reading.checks import is_identifier
    from tamis.table.reading.facts import CODE_NAME, column_facts

    codes = {}
    for series in frame.iter_columns():
        if series.dtype.is_integer():
            if is_identifier(column_facts(series)):
                codes[series.name] = "every value differs"
            elif (
                CODE_NAME.search(series.name)
                and (n_different := series.drop_nulls().n_unique()) > MANY_CATEGORIES
            ):
                codes[series.name] = f"{n_different} numbers, by its name not quantities"
        elif series.dtype in (pl.String, pl.Categorical):
            n_known, n_different = len(series) - series.null_count(), series.drop_nulls().n_unique()
            if n_known == n_different >= 10:
                codes[series.name] = "every value differs"
            elif n_different > MANY_CATEGORIES and n_known < FEW_ROWS_EACH * n_different:
                codes[series.name] = f"{n_different} categories in {n_known} rows"
    return codes


def _known_area(values: NDArray[np.float64], nominal: bool, codes: NDArray[np.int64]) -> float:
    """The area under the ROC curve of a column with missing values, over the rows that have a value.

    It is 0.5 if these rows are few, or lack a class.
    """
    import numpy as np

    from tamis.features.univariate import UnivariateAUC

    known = ~np.isnan(values)
    if known.sum() < _LEAST_ROWS or len(np.unique(codes[known])) < len(np.unique(codes)):
        return 0.5
    categorical = [0] if nominal else None
    fitted = UnivariateAUC(categorical_features=categorical).fit(values[known, None], codes[known])
    return float(fitted.scores_[0])


def rows_looked_at(n_rows: int) -> NDArray[np.intp]:
    """The rows that remarks about columns rest on: all, or some evenly spread."""
    import numpy as np

    return np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS)).astype(np.intp)


def remark_columns(dataset: Dataset, *, leaks_noted: bool = True) -> dict[str, str]:
    """Note columns that alone tell the class, or order the rows by a numeric target, and nearly equal columns.

    Returns
    -------
    dict of str to str
        Up to three columns of the first sort, each with what it does; with `leaks_noted` false, they are not noted.
    """
    import numpy as np

    from tamis.features.univariate import UnivariateAUC, class_weights, column_scores
    from tamis.table._table import Numbers

    n_rows, names = dataset.X.height, dataset.X.columns
    if n_rows < _LEAST_ROWS or len(names) < 2:
        return {}
    rows = rows_looked_at(n_rows)
    labels = dataset.y[rows]
    if len(np.unique(labels)) < 2:
        return {}
    selector = UnivariateAUC(target_kind=dataset.target_kind)
    table, target = selector._table_of_any(dataset.X[rows.tolist()], labels)
    if isinstance(target, Numbers):
        from tamis.features._concordance import concordance_scores

        does = "orders the rows by the target (share of concordant pairs {:.3f})"
        scores = concordance_scores(table, target, None, folded=False)
    else:
        does = "tells the class (area under the ROC curve {:.3f})"
        scores = column_scores(table, class_weights(np.ones(table.n_rows), target), folded=False)
        for column in np.flatnonzero(
            np.isnan(table.values).any(axis=0) & (scores < SUSPICIOUS_AREA)
        ).tolist():
            scores[column] = _known_area(table.values[:, column], bool(table.nominal[column]), target.codes)
    leaks = {
        names[column]: does.format(scores[column])
        for column in np.flatnonzero(scores >= SUSPICIOUS_AREA).tolist()[:3]
    }
    if leaks_noted and leaks:
        from tamis.report._answer import LEAK

        for name, says in leaks.items():
            note(f"{name!r} alone {says}. {LEAK} If not: {as_option('--drop', [name])}")
    _remark_twins(names, table)
    return leaks


def _remark_twins(names: list[str], table: Table) -> None:
    """Note groups of columns that are nearly equal."""
    import numpy as np

    from tamis.features._twins import twin_groups

    if len(names) > _MOST_COLUMNS:
        return
    groups = twin_groups(table, TWINS, missing_alike=False)
    twins = [np.flatnonzero(groups == group).tolist() for group in np.flatnonzero(np.bincount(groups) > 1)]
    told = [quoted([names[column] for column in twin], 4) for twin in twins]
    if told:
        note(
            f"nearly equal columns, of which any one will do: {'; '.join(told[:5])}{'; ...' * (len(told) > 5)}."
        )


def remark_rare_classes(labels: NDArray[Any], kept: NDArray[np.intp], estimator: BaseEstimator) -> None:
    """Note the classes that keep less than half of their share of the rows, and the option that changes it."""
    import numpy as np

    classes, codes = np.unique(labels, return_inverse=True)
    had, has = np.bincount(codes), np.bincount(codes[kept], minlength=len(classes))
    short = np.flatnonzero(2 * has * len(labels) < had * len(kept))
    if not len(short):
        return
    told = listed([f"{has[k]} of {had[k]} rows of {classes[k].item()!r}" for k in short], 3)
    settings = estimator.get_params()
    way = ""
    if settings.get("class_weight", "none") is None:
        way = " --set class_weight=balanced keeps more of them."
    elif settings.get("class_quota", "none") is None:
        way = " --set class_quota=proportional keeps their share."
    note(f"rare classes keep less than their share: {told}.{way}")
