"""``tamis compare``: which columns and which rows to keep, and how sure that is."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis._interrupt import promising
from tamis.cli import _options as option
from tamis.cli._reading import check_exists
from tamis.cli._sentences import UserError, guarded, leave, said
from tamis.table._names import as_cell

if TYPE_CHECKING:
    from tamis.study import Comparison, Recommendation
    from tamis.table._dataset import Dataset

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_MANY_ROWS = 5000  # of a larger table, a sample is drawn
_TRIED_ROWS, _LONG = 500, 10.0  # the time is estimated for so many rows, and told if it is so many seconds
_WRITING_SECONDS = 3.0  # part of the budget set aside for writing the results and the report


def _existing(files: list[str]) -> list[str]:
    for file in files:
        check_exists(file)
    return files


Files = Annotated[
    list[str],
    typer.Argument(
        callback=_existing, metavar="FILE", help="Tables, or names of data sets.", show_default=False
    ),
]


@guarded
@option.reads_tables
def compare(
    files: Files,
    target: option.Target = None,
    target_kind: option.TargetKind = "auto",
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--methods",
            "-m",
            metavar="A,B",
            help="Methods, or quick, columns, rows, peers for all of a kind; quick if left out.",
        ),
    ] = None,
    classifier: Annotated[
        list[str] | None,
        typer.Option(
            "--classifier",
            "--model",
            "-c",
            metavar="A,B",
            help="1-nn, linear, boosting, for numbers 5-nn, ridge, boosting (all three if left out), or a class to import, such "
            "as sklearn.svm.SVC.",
        ),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            help="accuracy, balanced_accuracy (the default), roc_auc or log_loss; for numbers r2 (the default), rmse, mae or "
            "concordance; or any scorer of scikit-learn by its name, such as f1_macro.",
            show_default=False,
        ),
    ] = None,
    folds: Annotated[int, typer.Option("--folds", min=2, help="Folds of every repetition.")] = 5,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="How often the folds are made.")] = 2,
    groups: option.GroupColumn = None,
    time_column: option.TimeColumn = None,
    weights: option.WeightColumn = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="TIME", help="Stop after 90s, 10m or 2h with what there is."),
    ] = None,
    report: option.Report = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Write the results (Parquet, JSON) to this folder."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what an interrupted run has done.")
    ] = False,
    sample: option.Sample = None,
    force: option.Force = False,
    seed: option.Seed = None,
    jobs: option.Jobs = None,
    *,
    asked: option.Asked,
) -> None:
    """Compare methods on rows held out: what to keep, how sure, and a report to look at."""
    start = time.monotonic()
    from tamis.cli._folds import check_folds, grouped
    from tamis.cli._judges import check_names, models_of
    from tamis.cli._output import checked_folder, make_folder
    from tamis.cli._reading import Request, read_dataset, split_names
    from tamis.cli._remarks import remark_columns
    from tamis.cli._report import checked_report
    from tamis.cli._sample import parsed_sample
    from tamis.cli._screen import answer
    from tamis.cli._time import in_time_order, later_rows, with_time_as_text
    from tamis.cli._weights import check_weights, weighed
    from tamis.study._summary import summary

    seconds = parsed_budget(budget)
    page = checked_report(report, force=force or resume)
    folder = None if output is None else checked_folder(output, force=force or resume)
    names, classifiers = split_names(methods) or None, split_names(classifier) or None
    rows = parsed_sample(sample)
    check_names(names, classifiers, score)
    check_folds(groups, time_column)
    check_weights(weights, target, (groups, time_column))
    requests = [
        Request(file, target, **with_time_as_text(asked, time_column, file), target_kind=target_kind)
        for file in files
    ]
    datasets = []
    for request in requests:
        whole = read_dataset(request, without_codes=True, keep=(groups, time_column, weights))
        dataset, together = grouped(in_time_order(whole, time_column), groups)
        datasets.append((*weighed(dataset, weights), together))
    for dataset, *_ in datasets:
        remark_columns(dataset)
    datasets = [_drawn(*one, rows, seed) for one in datasets]
    if folder is not None:
        make_folder(folder)
    comparisons = []
    for number, (dataset, counts, together) in enumerate(datasets):
        left = None if seconds is None else seconds - _WRITING_SECONDS - (time.monotonic() - start)
        given = {
            "methods": names or ["quick"], "models": models_of(classifiers, dataset), "target_kind": dataset.target_kind, "cv": folds if time_column is None else later_rows(dataset, folds), "repeats": repeats, "groups": together, "sample_weight": counts, "score": score,
            "random_state": seed or 0, "n_jobs": jobs, "resume": resume,
            "budget": None if left is None else max(1.0, left / (len(datasets) - number)),
        }  # fmt: skip
        file = None if folder is None else folder / f"{_prefix(datasets, number)}journal.jsonl"
        if seconds is None and not resume:
            _say_how_long(dataset, given)
        with _journal(file, dataset, given) as path:
            comparison = _compared(dataset, {**given, "path": path})
        _show(dataset, comparison)
        comparisons.append((dataset, comparison))
        if folder is not None:
            _write(folder, _prefix(datasets, number), dataset, comparison)
    answer("tables", [{"table": dataset.name, **summary(one)} for dataset, one in comparisons])
    if not any(one.advice for _, one in comparisons):
        leave("nothing was finished in time. Give a longer --budget, or a smaller --sample.", 1)
    if page is not None:
        read_so = partial(_said_again, asked, (groups, time_column), weights, seed)
        _write_page(page, files, comparisons, read_so, force or resume)


def _said_again(
    asked: dict[str, Any], left_out: Iterable[str | None], weights: str | None, seed: int | None, weighs: bool
) -> list[str]:
    """The options that a command needs to see the table as this one did: how it is read, and without a column that only ordered rows.

    The column of weights is named as such if the method `weighs` rows, and left out else.
    """
    unused = filter(None, (*left_out, None if weighs else weights))
    asked = {**asked, "drop": [*(asked.get("drop") or ()), *map(as_cell, unused)]}
    asked["weights"] = weights if weighs else None
    words: list[str] = []
    for name, given in asked.items():
        option = f"--{name.replace('_', '-')}"
        for one in given if isinstance(given, list | tuple) else [given] if given else []:
            words += (
                [option] if one is True else [f"{option}={one}"] if one.startswith("-") else [option, one]
            )
    return words + ([] if seed is None else ["--seed", str(seed)])


def parsed_budget(text: str | None) -> float | None:
    """Seconds from 90, 90s, 10m or 2h."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smh]?)", text.strip().lower())
    if not match or float(match[1]) == 0:
        raise UserError(f"--budget {text!r} is no time. Write, say, 90s, 10m or 2h.")
    return float(match[1]) * _UNITS[match[2]]


def _drawn(
    dataset: Dataset, counts: Any, together: Any, asked: Any, seed: int | None
) -> tuple[Dataset, Any, Any]:
    """The table, its weights and its groups. Of a large table, a sample of the rows; a table with groups is always used whole."""
    from tamis.cli._sample import sample_of

    rows = None if together is not None else sample_of(dataset, asked, _MANY_ROWS, "a comparison", seed)
    if rows is None:
        return dataset, counts, together
    few = replace(dataset, X=dataset.X[rows.tolist()], y=dataset.y[rows])
    return few, None if counts is None else counts[rows], None


@contextmanager
def _journal(file: Path | None, dataset: Dataset, given: dict[str, Any]) -> Iterator[Path]:
    """The file that results are added to as they come: `file`, or one in the user's cache until all are there."""
    if file is not None:
        yield file
        return
    from hashlib import sha256

    from tamis._identity import description
    from tamis.cli._resume import cache_folder
    from tamis.table._content import content_digest

    what = {name: value for name, value in given.items() if name not in ("budget", "n_jobs", "resume")}
    name = sha256(f"{content_digest(dataset)} {description(what)}".encode()).hexdigest()
    folder = cache_folder() / "tamis" / "comparisons"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # the cache cannot be written: this run cannot be resumed
        folder = Path(mkdtemp())
    path = folder / f"{name[:32]}.jsonl"
    yield path
    path.unlink(missing_ok=True)


def _prefix(datasets: list[Any], number: int) -> str:
    return "" if len(datasets) == 1 else f"{number + 1}-"


def _compared(dataset: Dataset, given: dict[str, Any]) -> Comparison:
    from tamis.cli._screen import progress_bar, warnings_as_notes
    from tamis.study import compare as compared

    try:
        with (
            promising(lambda: "the same command with --resume goes on."),
            warnings_as_notes(),
            progress_bar(f"comparing on {dataset.name}", lines=True) as progress,
        ):
            return compared(dataset.X, dataset.y, progress=progress, **given)
    except (ValueError, OSError) as error:
        raise UserError(said(error).removeprefix("compare: ")) from error


def _say_how_long(dataset: Dataset, given: dict[str, Any]) -> None:
    """Tell before a long comparison starts about how long it will take, judged by two small ones."""
    from joblib import effective_n_jobs

    from tamis._progress import in_words
    from tamis.cli._screen import note, working
    from tamis.study._estimate import expected_seconds

    if dataset.X.height < _TRIED_ROWS or given["groups"] is not None:
        return
    cv = given["cv"]
    n_splits = cv * given["repeats"] if isinstance(cv, int) else len(cv)
    with working("estimating the time"):
        seconds = expected_seconds(dataset.X, dataset.y, given, n_splits)
    if seconds is not None and seconds / effective_n_jobs(given["n_jobs"]) >= _LONG:
        took = in_words(seconds / effective_n_jobs(given["n_jobs"]))
        note(f"this may take about {took}; --budget 1m, say, ends sooner with what there is.")


def _show(dataset: Dataset, comparison: Comparison) -> None:
    """Print how the choice compares with chance, and then the choice itself."""
    from tamis.cli._screen import note, say
    from tamis.study._advice import verdict, weights_in_words

    if comparison.unweighted is not None:
        note(weights_in_words(comparison))
    for why in dict.fromkeys(comparison.left_out.values()):
        named = [method for method, reason in comparison.left_out.items() if reason == why]
        note(f"{', '.join(named)} {'is' if len(named) == 1 else 'are'} left out: {why}")
    for kind, advice in comparison.advice.items():
        say(f"{dataset.name}, {kind}: {verdict(comparison, advice)}.")
        say(f"  {_choice_in_words(comparison, advice)}")


def _choice_in_words(comparison: Comparison, advice: Recommendation) -> str:
    """The choice, and its score on the rows that it was made on."""
    from tamis.study._advice import names_kept, scored
    from tamis.study._scores import shown, sign_of
    from tamis.table._names import listed

    sign, kind, one, test = sign_of(advice.score), advice.sifts, advice.chosen, advice.against_chance
    if test is not None and not test.beaten:
        one = advice.best
        return (
            f"The best of {advice.n_candidates} choices looks better, as the best of many does: {one.n_kept:.0f} {kind} by "
            f"{one.method} with {one.model}, {scored(advice.score, sign * one.mean, one.error)}."
        )
    kept = [as_cell(name) for name in names_kept(comparison, advice)] if kind == "columns" else []
    everything = (
        f"; with all {kind} {shown(advice.score, sign * advice.everything.mean)}" if advice.everything else ""
    )
    return (
        f"By {one.method} with {one.model}{': ' * bool(kept)}{listed(kept, 20)} "
        f"(on the rows that chose: {scored(advice.score, sign * one.mean, one.error)}{everything})."
    )


def _write(folder: Path, prefix: str, dataset: Dataset, comparison: Comparison) -> None:
    from tamis.cli._screen import say
    from tamis.study._summary import summary
    from tamis.table._write import write, write_json

    write(comparison.scores(), folder / f"{prefix}scores.parquet", True)
    write(comparison.selections(), folder / f"{prefix}selections.parquet", True)
    write_json({"table": dataset.name, **summary(comparison)}, folder / f"{prefix}summary.json", True)
    say(f"Written to {folder}: {prefix}scores.parquet, {prefix}selections.parquet, {prefix}summary.json")


def _command(
    dataset: Dataset, file: str, comparison: Comparison, kind: str, read_so: Callable[[bool], list[str]]
) -> str:
    """The command that writes the table with the recommended columns or rows; empty if there are none."""
    from tamis._methods import METHODS
    from tamis.table._target import MOST_CLASSES_OF_FLOATS

    one, final = comparison.advice[kind].chosen, comparison.final.get(kind, {})
    known = {method.name: method for method in METHODS}
    if one.method not in known or not (final.get("kept") or known[one.method].makes):
        return ""
    name, output = ("select", "smaller.csv") if kind == "columns" else ("condense", "fewer.csv")
    weighs = comparison.unweighted is not None and one.method not in comparison.unweighted["methods"]
    words = [name, file, "--target", dataset.target, *read_so(weighs), "--method", one.method]
    many = len(set(dataset.y.tolist())) > MOST_CLASSES_OF_FLOATS
    if kind == "columns" and dataset.y.dtype.kind in "fiu" and many != (dataset.target_kind == "numbers"):
        words += ["--target-kind", dataset.target_kind]
    if comparison.sizes[one.method]:
        size = comparison.sizes[one.method][one.step] if known[one.method].makes else len(final["kept"])
        words += ["--keep", str(size)]
    return shlex.join(["tamis", *words, "--output", output])


def _write_page(
    path: Path,
    files: list[str],
    compared: list[tuple[Dataset, Comparison]],
    read_so: Callable[[bool], list[str]],
    force: bool,
) -> None:
    from tamis.cli._report import made_by, write_report
    from tamis.cli._screen import settings
    from tamis.report._study_page import Studied, study_page
    from tamis.study._projection import projection
    from tamis.study._summary import over_tables

    studies = []
    for file, (dataset, comparison) in zip(files, compared):
        points, shown = projection(dataset.X) if "rows" in comparison.final else (None, 0.0)
        commands = {kind: _command(dataset, file, comparison, kind, read_so) for kind in comparison.advice}
        notes = settings.notes if len(compared) == 1 else ()
        labels = dataset.y.tolist()
        studies.append(Studied(dataset.name, comparison, labels, points, shown, commands, notes))
    ranks = over_tables([comparison for _, comparison in compared])
    write_report(study_page(studies, ranks=ranks, made=made_by()), path, force=force)
