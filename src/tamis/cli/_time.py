"""``tamis compare --time``: rows in the order of a column, and folds that hold out later rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tamis.cli._reading import is_data_set
from tamis.cli._screen import note
from tamis.cli._sentences import UserError

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from tamis.cli._options import Asked
    from tamis.table._dataset import Dataset

_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%d %b %Y", "%b %d, %Y")
_TIMES = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", "T%H:%M:%S%.f", " %H:%M:%S%.f")


def with_time_as_text(asked: Asked, name: str | None, file: str) -> Asked:
    """The options about the columns of a file, with that of times among the nominal ones: dates are not left out then."""
    if name is None or is_data_set(file):
        return asked
    quoted = '"' + name.replace('"', '""') + '"'
    return {**asked, "nominal": [*(asked["nominal"] or ()), quoted]}


def in_time_order(dataset: Dataset, name: str | None) -> Dataset:
    """The rows in the order of a column of times, which is taken out of the table; equal times keep their order."""
    if name is None:
        return dataset
    if name not in dataset.X.columns:
        raise UserError(f"no column {name!r} in {dataset.name} for --time.")
    if dataset.X.width == 1:
        raise UserError(f"no columns are left in {dataset.name} besides the target and {name!r}.")
    order = time_order(dataset, name)
    return replace(dataset, X=dataset.X.drop(name)[order], y=dataset.y[order])


def time_order(dataset: Dataset, name: str) -> NDArray[np.intp]:
    """The rows in the order of a column of times; equal times keep their order."""
    import numpy as np

    times = _as_times(dataset.X[name], dataset.name)
    return np.argsort(times.to_numpy(), kind="stable")


def later_rows(
    dataset: Dataset, n_folds: int, advice: str = "Use fewer --folds."
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Splits of rows in the order of time: each holds out the rows that come after its training rows."""
    import numpy as np
    from sklearn.model_selection import TimeSeriesSplit

    n_rows = dataset.X.height
    if n_rows < 2 * (n_folds + 1):
        raise UserError(f"{n_rows} rows are too few for {n_folds} folds in time. {advice}")
    splits = list(TimeSeriesSplit(n_folds).split(np.zeros(n_rows)))
    if dataset.target_kind == "numbers":
        return splits
    usable = [split for split in splits if len(np.unique(dataset.y[split[0]])) > 1]
    if not usable:
        raise UserError(f"in the order of time, all early rows of {dataset.name} have one class. {advice}")
    if len(usable) < len(splits):
        note(
            f"{len(splits) - len(usable)} of {n_folds} folds are left out: their training rows have one class only."
        )
    return usable


def _as_times(texts: pl.Series, file: str) -> pl.Series:
    """Dates, times or numbers from texts; an error if some are missing, or are neither."""
    import polars as pl

    if texts.null_count():
        raise UserError(
            f"{texts.null_count()} rows of {file} have no value in {texts.name!r}, so --time cannot order them. Leave these "
            "rows out, or fill in their times."
        )
    words = texts.cast(pl.String)
    numbers = words.cast(pl.Float64, strict=False)
    if not numbers.null_count():
        return numbers
    for form in (date + time for date in _DATES for time in _TIMES):
        times = words.str.to_datetime(form, strict=False, time_unit="us")
        if not times.null_count():
            if (
                form.startswith("%d/%m")
                and not words.str.to_datetime(f"%m/%d{form[5:]}", strict=False).null_count()
            ):
                note(
                    f"{texts.name!r} is read with the day before the month, as in {words[0]}; write dates as 2024-12-31 to be sure."
                )
            return times
    raise UserError(
        f"{texts.name!r} of {file} holds neither dates nor numbers, such as {words[0]!r}, so --time cannot order its rows. "
        "Write dates as 2024-12-31."
    )
