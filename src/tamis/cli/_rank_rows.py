"""``tamis rank-rows``: the value of each row, and the rows whose label looks wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli import _options as option
from tamis.cli._sentences import UserError, guarded

if TYPE_CHECKING:
    import polars as pl

    from tamis.table._dataset import Dataset


_MOST_SHOWN = 100  # rows on the screen
_ERROR_RATE = 0.1
# Above so many rows the time is judged by so many of them: enough for the neighbours that large tables use.
_MANY_ROWS, _TRIAL_ROWS = 50_000, 20_000
_GROWTH = (
    1.6  # time is in proportion to the number of rows to this power, from 20,000 to 40,000 rows of 40 columns
)


@guarded
@option.reads_tables
def rank_rows(
    file: option.File,
    target: option.Target = None,
    top: Annotated[
        int | None, typer.Option("--top", min=1, metavar="K", help="Give the worst K rows only.")
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar="WHAT",
            help="value: what a row adds to nearest-neighbour votes. confidence: PSBoost's weight of a row as a voter.",
        ),
    ] = "value",
    neighbors: Annotated[
        int, typer.Option("--neighbors", min=1, metavar="K", help="How many nearest rows vote on a row.")
    ] = 10,
    error_rate: Annotated[
        float | None,
        typer.Option(
            "--error-rate",
            metavar="SHARE",
            help="The largest share of suspects whose label is right, by the estimate; 0.1 if left out.",
        ),
    ] = None,
    groups: option.GroupColumn = None,
    output: option.Output = None,
    report: option.Report = None,
    raw_names: option.RawNames = False,
    force: option.Force = False,
    jobs: option.Jobs = None,
    *,
    asked: option.Asked,
) -> None:
    """Rank the rows of a table by their worth, the worst first, and name those whose label looks wrong.

    Rows are counted from 1, the first line of values; rows that --drop-unlabelled leaves out are not counted. The value is
    a row's Shapley value for nearest-neighbour votes. With --groups, rows of equal values never vote on each other, and that
    column counts in no distance.
    """
    from tamis.cli._fitting import fitted_as
    from tamis.cli._folds import grouped
    from tamis.cli._output import checked_output, write_answer
    from tamis.cli._reading import Request, dataset_to_compare, read_dataset
    from tamis.cli._remarks import remark_columns
    from tamis.cli._report import checked_report, made_by, write_report
    from tamis.cli._screen import say, show_frame
    from tamis.prototypes.psboost_weights import PSBoostWeights
    from tamis.prototypes.row_values import RowValues

    if by not in ("value", "confidence"):
        raise UserError(f"--by {by}, but it must be value or confidence.")
    if by == "confidence" and report is not None:
        raise UserError(
            "--report shows rows whose label looks wrong, which --by confidence does not look for. Leave one out."
        )
    if by == "confidence" and error_rate is not None:
        raise UserError(
            "--error-rate says which rows are suspects, which --by confidence does not look for. Leave one out."
        )
    error_rate = _ERROR_RATE if error_rate is None else error_rate
    if not 0 < error_rate < 1:
        raise UserError(f"--error-rate {error_rate:g}, but it must lie between 0 and 1, such as 0.1.")
    if by == "confidence" and groups is not None:
        raise UserError(
            "--groups keeps rows from voting on each other, which --by confidence does not know. Leave one out."
        )
    path = checked_output(output, force=force)
    page = checked_report(report, force=force)
    request = Request(file, target, **asked)
    dataset, together = grouped(read_dataset(request), groups)
    dataset = dataset_to_compare(dataset, request)
    remark_columns(dataset)
    estimator: Any = RowValues(neighbors, error_rate=error_rate, n_jobs=jobs)
    if by == "confidence":
        estimator = PSBoostWeights(neighbors, n_jobs=jobs)
    say_how_long(estimator, dataset)
    fitted = fitted_as("rank-rows", estimator, dataset, together)
    answer = confident_rows(fitted, dataset) if by == "confidence" else ranked_rows(fitted, dataset)
    n_rows = answer.height
    given = answer if top is None else answer.head(min(top, n_rows))
    if path is None:
        show_frame(given.head(_MOST_SHOWN), even=True)
        if given.height > _MOST_SHOWN:
            say(f"Shown: {_MOST_SHOWN} of {given.height} rows. Add -o FILE to write all of them.")
    else:
        write_answer(given, path, force=force, raw_names=raw_names)
        say(f"Written to {path}: {given.height} of {n_rows} rows")
    if by == "confidence":
        n_below = int((fitted.weights_ < 0).sum())
        say(
            f"{n_below} of {n_rows} rows have a confidence below 0: they vote wrongly more often than rightly."
        )
        return
    said = _suspects_in_words(fitted, n_rows)
    say(said)
    if page is not None:
        from tamis.cli._screen import settings as screen
        from tamis.report._suspects_page import suspects_page
        from tamis.study._projection import projection

        suspects = [int(row) for row in fitted.suspects_]
        points, shown = projection(dataset.X)
        labels = dataset.y.tolist()
        text = suspects_page(
            dataset.name,
            answer,
            suspects,
            labels,
            points,
            shown,
            said,
            rows=dataset.X,
            made=made_by(),
            notes=screen.notes,
        )
        write_report(text, page, force=force)


def _suspects_in_words(fitted: Any, n_rows: int) -> str:
    """How many labels look wrong, how many of these may be right, and how far the classes overlap."""
    found = f"{len(fitted.suspects_)} of {n_rows} labels look wrong by the votes of the nearest rows."
    if not len(fitted.suspects_):
        return found
    return (
        f"{found} Some of them may be right: at most {fitted.error_rate:.0%} by the estimate, more where classes overlap; here "
        f"{1 - fitted.agreement_:.0%} of the nearest rows are of another class."
    )


def say_how_long(estimator: Any, dataset: Dataset) -> None:
    """Tell before a long ranking of rows about how long it will take, judged by a trial on some of them."""
    import time

    from sklearn.base import clone

    from tamis._progress import in_words
    from tamis.cli._screen import note, warnings_as_notes

    n_rows = dataset.X.height
    if n_rows <= _MANY_ROWS:
        return
    a_second_class = int((dataset.y != dataset.y[0]).argmax())  # not one class only
    rows = sorted({*range(0, n_rows, n_rows // _TRIAL_ROWS), a_second_class})
    start = time.monotonic()
    with warnings_as_notes():
        clone(estimator).fit(dataset.X[rows], dataset.y[rows])
    took = time.monotonic() - start
    note(f"{n_rows:,} rows: this may take about {in_words(took * (n_rows / len(rows)) ** _GROWTH)}.")


def ranked_rows(fitted: Any, dataset: Dataset) -> pl.DataFrame:
    """The rows from the least value to the largest, with the labels that the fitted `RowValues` suggests."""
    import numpy as np
    import polars as pl

    n_rows = len(fitted.values_)
    wrong = np.zeros(n_rows, dtype=bool)
    wrong[fitted.suspects_] = True
    answer = pl.DataFrame(
        {
            "row": np.arange(1, n_rows + 1),
            "label": dataset.y,
            "looks wrong": wrong,
            "suggested": fitted.suggested_labels_,
            "probably right": fitted.label_probabilities_,
            "value": fitted.values_,
            "margin": fitted.margins_,
        }
    )
    worst_first: pl.DataFrame = answer[np.argsort(-fitted.ranking_, kind="stable").tolist()]
    return worst_first


def confident_rows(fitted: Any, dataset: Dataset) -> pl.DataFrame:
    """The rows from the least confidence to the largest, by the fitted `PSBoostWeights`."""
    import numpy as np
    import polars as pl

    answer = pl.DataFrame(
        {
            "row": np.arange(1, len(fitted.weights_) + 1),
            "label": dataset.y,
            "confidence": fitted.weights_,
            "right": fitted.right_,
            "wrong": fitted.wrong_,
        }
    )
    worst_first: pl.DataFrame = answer[np.argsort(-fitted.ranking_, kind="stable").tolist()]
    return worst_first
