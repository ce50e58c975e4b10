"""``tamis study problem-space``: judge a ranker on problems whose relevant columns are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis._files import written
from tamis._interrupt import promising
from tamis.cli import _options as option
from tamis.cli._help import Command
from tamis.cli._sentences import UserError, guarded, said

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


study = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Judge rankers on problems whose relevant columns are known.",
)
_PICTURES = (".png", ".svg", ".pdf")

Whole = list[int] | None
Picture = str | None


def _only(flag: str, what: str) -> Any:
    return typer.Option(flag, metavar="X", help=f"Only these {what}; may be given several times.")


@study.command("problem-space", cls=Command)
@guarded
def problem_space(
    method: option.MethodName = None,
    n: Annotated[Whole, _only("--rows", "numbers of rows")] = None,
    d: Annotated[Whole, _only("--columns", "numbers of columns: 100, 200, 500")] = None,
    r: Annotated[Whole, _only("--relevant", "numbers of relevant columns")] = None,
    concept: Annotated[list[str] | None, _only("--concept", "concepts: linear, ball, two, xor")] = None,
    redundant: Annotated[
        bool | None,
        typer.Option("--redundant/--no-redundant", help="Only with, or only without, redundant columns."),
    ] = None,
    label_noise: Annotated[list[float] | None, _only("--label-noise", "shares of wrong labels")] = None,
    feature_noise: Annotated[list[float] | None, _only("--feature-noise", "deviations of the values")] = None,
    n_datasets: Annotated[
        int, typer.Option("--datasets", min=1, metavar="N", help="Data sets a point.")
    ] = 20,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Keep the results here; a stopped run goes on from there.",
        ),
    ] = None,
    curves: Annotated[
        Picture, typer.Option("--curves", metavar="FILE", help="Draw the ROC-FS curves (.png .svg .pdf).")
    ] = None,
    heat_map: Annotated[
        Picture, typer.Option("--map", metavar="FILE", help="Draw the areas over the space (.png .svg .pdf).")
    ] = None,
    settings: option.Settings = None,
    seed: option.Seed = None,
    jobs: option.Jobs = None,
) -> None:
    """Judge a ranker on problems whose relevant columns are known, and print one line per point.

    The space has 972 points: 100, 200 or 500 columns, of which a twentieth, a tenth or a fifth are relevant; half as
    many, as many, or twice as many rows; a linear or a round concept; redundant columns or none; three shares of wrong
    labels, and three amounts of noise on the values. The options choose a part of it. The concepts two and xor, which
    are run only when named, stand for the round one at the same points.
    """
    from tamis.cli._estimator import chosen_estimator
    from tamis.cli._screen import say, show_frame

    pictures = {"roc_fs_curves": _picture_path(curves), "area_map": _picture_path(heat_map)}
    _, estimator = chosen_estimator(method, "columns", settings)
    asked = {
        "n": n,
        "d": d,
        "r": r,
        "concept": concept,
        "redundant": None if redundant is None else [redundant],
        "label_noise": label_noise,
        "feature_noise": feature_noise,
    }
    points = _chosen_points({name: values for name, values in asked.items() if values})
    results = _results(estimator, points, n_datasets=n_datasets, output=output, seed=seed, jobs=jobs)
    show_frame(_short(results))
    if output is not None:
        say(f"Written to {Path(output) / 'results.parquet'}: {results.height} data sets")
    for name, path in pictures.items():
        if path is not None:
            _draw(name, results, path)


def _chosen_points(asked: dict[str, list[Any]]) -> list[Any]:
    """The points of the space that have, for each option given, one of its values."""
    from typing import get_args

    from tamis.datasets._problem import Concept
    from tamis.datasets._problem import problem_space as all_points

    space: list[Any] = list(all_points())
    balls = [point for point in space if point["concept"] == "ball"]
    for concept in asked.get("concept", []):
        if concept not in get_args(Concept):
            raise UserError(f"--concept {concept}: use one of {', '.join(get_args(Concept))}.")
        if concept in ("two", "xor"):
            space += [
                {**point, "concept": concept} for point in balls if concept == "two" or point["r"] % 2 == 0
            ]
    for name, values in asked.items():
        left = [point for point in space if point[name] in values]
        if not left:
            known = sorted({point[name] for point in space})
            raise UserError(
                f"no point of the space has {name} of {', '.join(map(str, values))} with the other options. "
                f"There is: {', '.join(map(str, known))}."
            )
        space = left
    unique = {tuple(point.values()): point for point in space}
    return list(unique.values())


def _results(
    estimator: BaseEstimator, points: list[Any], *, n_datasets: int, output: Any, seed: Any, jobs: Any
) -> Any:
    """The results of all points: those in the folder are read, the others are run, with a progress bar."""
    from tamis.cli._screen import progress_bar
    from tamis.study.problem_space import problem_space as run

    hint = "" if output is None else f"what was done is in {output}, and the same command goes on from there."
    try:
        with promising(lambda: hint), progress_bar("data sets") as progress:
            return run(
                estimator,
                points,
                n_datasets=n_datasets,
                path=output,
                n_jobs=jobs,
                random_state=0 if seed is None else seed,
                progress=progress,
            )
    except (OSError, ValueError) as error:
        raise UserError(said(error)) from error


def _short(results: Any) -> Any:
    """The table that is printed, with one line per point."""
    import polars as pl

    from tamis.study.problem_space import summary

    figures = ["n_datasets", "p_b", "p_w", "auc", "auc_mean", "auc_error"]
    keys = ["n", "d", "r", "concept", "redundant", "label_noise", "feature_noise"]
    return summary(results).select(*keys, *[pl.col(name).cast(pl.Float64).round(3) for name in figures])


def _picture_path(given: str | None) -> Path | None:
    """The file that a picture goes to; a wrong ending or a missing folder is refused before any work starts."""
    if given is None:
        return None
    path = Path(given)
    if path.suffix.lower() not in _PICTURES:
        raise UserError(
            f"{given!r} is no picture that can be drawn. End its name with {', '.join(_PICTURES)}."
        )
    if not path.parent.is_dir():
        raise UserError(f"there is no folder {str(path.parent)!r} to write {path.name!r} to.")
    return path


def _draw(name: str, results: Any, path: Path) -> None:
    from tamis.cli._screen import say
    from tamis.study import problem_space_pictures

    try:
        with written(path) as file:
            figure = getattr(problem_space_pictures, name)(results)
            figure.savefig(file, format=path.suffix.lower().removeprefix("."), dpi=110)
    except (ImportError, OSError, ValueError) as error:
        raise UserError(f"{str(path)!r} cannot be drawn: {said(error)}") from error
    say(f"Drawn: {path}")
