"""``tamis demo``: every method on one real table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli import _options as option
from tamis.cli._sentences import UserError, guarded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tamis._methods import Method, Sifts
    from tamis.table._dataset import Dataset

DATA_SET = "credit_crx"


@guarded
def demo(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write to.")
    ] = "tamis-demo",
    force: option.Force = False,
) -> None:
    """Rank the columns and condense the rows of a real table with every method there is."""
    from tamis._methods import methods
    from tamis.cli._output import checked_folder, make_folder, write_answer
    from tamis.cli._reading import Request, read_dataset
    from tamis.cli._screen import say
    from tamis.cli._warm import compile_ahead

    folder = checked_folder(output, force=force)
    dataset = read_dataset(Request(DATA_SET))
    rows, columns = dataset.X.shape
    missing = sum(dataset.X.null_count().row(0))
    say(f"{DATA_SET}: {rows} rows, {columns} columns, {missing} missing values. {dataset.description}")
    compile_ahead(methods(), dataset)
    answers = {
        **_column_answers(dataset),
        **_row_answers(dataset),
    }
    make_folder(folder)
    for name, frame in answers.items():
        write_answer(frame, folder / name, force=force, names="column" if "column" in frame.columns else None)
    say()
    say("Seconds are those of this run; the first run on a machine also compiles.")
    say(f"Written to {folder}: {', '.join(answers)}")
    say()
    say("The answer:")
    for line in _answer_lines(answers):
        say(f"  {line}")


def _answer_lines(answers: dict[str, Any]) -> list[str]:
    """What the default methods and ``--made`` keep of this table, and the command for a table of one's own."""
    import polars as pl

    from tamis.cli._condense import DEFAULT as ROWS
    from tamis.cli._condense import MADE
    from tamis.cli._estimator import DEFAULT as COLUMNS
    from tamis.table._names import listed

    ranked = answers["ranking.json"].filter(pl.col("method") == COLUMNS).sort("rank")
    kept = ranked.filter("kept")["column"].to_list()
    next_best = ranked.filter(~pl.col("kept"))["column"].to_list()[:2]
    rows = {
        name: (count, of)
        for name, count, of in answers["rows.csv"].select("method", "rows kept", "of").rows()
    }
    further = f"; the next are {listed(next_best)}" if next_best else ""
    return [
        f"columns: keep {len(kept)} of {ranked.height} ({COLUMNS}): {listed(kept, 12)}{further}.",
        f"rows: {rows[ROWS][0]} of {rows[ROWS][1]} rows will do ({ROWS}), or {rows[MADE][0]} made ones ({MADE}).",
        "your own table: tamis sift your-table.csv --target your-column",
    ]


def _column_answers(dataset: Dataset) -> dict[str, Any]:
    """Rank the columns with every method that can; print the ranks side by side, and return them as tables."""
    import polars as pl

    from tamis.cli._fitting import ranked_columns
    from tamis.cli._screen import cell, say, show_table

    frames = []
    side_by_side = pl.DataFrame({"column": dataset.X.columns})
    kept: dict[str, dict[str, bool]] = {}
    seconds = []
    for method, selector, elapsed in _timed_fits("columns", dataset):
        answer = ranked_columns(selector, dataset, kept=True)
        # Some methods name their score otherwise (see `ranked_columns`); it is always the third column.
        score = pl.col(answer.columns[2]).alias("score")
        frames.append(answer.select(pl.lit(method.name).alias("method"), "rank", "column", score, "kept"))
        ranks = answer.select("column", pl.col("rank").alias(method.name))
        side_by_side = side_by_side.join(ranks, on="column", how="left", maintain_order="left")
        kept[method.name] = dict(zip(answer["column"], answer["kept"]))
        seconds.append(elapsed)
    names = list(kept)
    side_by_side = side_by_side.sort(names[0])
    say()
    say(f"Rank of each column by each method (1 is best, * is kept), sorted by {names[0]}:")
    show_table(
        ("column", *names),
        [
            *(
                (
                    row["column"],
                    *(f"{'* ' if kept[name][row['column']] else ''}{row[name]}" for name in names),
                )
                for row in side_by_side.iter_rows(named=True)
            ),
            ("seconds", *(cell(round(elapsed, 3)) for elapsed in seconds)),
        ],
        left=(0,),
    )
    return {"ranks.csv": side_by_side, "ranking.json": pl.concat(frames)}


def _row_answers(dataset: Dataset) -> dict[str, Any]:
    """Condense the rows with every method that can; print what is kept, and return it as tables."""
    import polars as pl

    from tamis.cli._fitting import class_counts, kept_labels, kept_rows
    from tamis.cli._screen import say, show_table

    answers, lines = {}, []
    for method, selector, elapsed in _timed_fits("rows", dataset):
        labels = kept_labels(selector, dataset)
        lines.append(
            {
                "method": method.name,
                "rows kept": len(labels),
                "of": dataset.X.height,
                "rows of each class": class_counts(labels),
                "seconds": round(elapsed, 3),
            }
        )
        answers[f"rows-{method.name}.csv"] = kept_rows(selector, dataset)
    say()
    say("Rows kept by each method:")
    show_table(list(lines[0]), (list(line.values()) for line in lines), left=(0, 3))
    return {"rows.csv": pl.DataFrame(lines), **answers}


def _timed_fits(sifts: Sifts, dataset: Dataset) -> Iterator[tuple[Method, Any, float]]:
    """Each method with its fitted estimator and the seconds that fitting took; a note names a method that cannot."""
    from time import perf_counter

    from tamis._methods import methods
    from tamis.cli._estimator import make_estimator
    from tamis.cli._fitting import fitted
    from tamis.cli._screen import note

    for method in methods(sifts):
        estimator = make_estimator(method, {})
        start = perf_counter()
        try:
            fitted(estimator, method, dataset)
        except UserError as error:
            note(f"{method.name} is left out: {error}")
            continue
        yield method, estimator, perf_counter() - start
