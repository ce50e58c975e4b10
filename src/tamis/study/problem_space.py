"""Any ranker on any part of the problem space of the paper on ensemble feature ranking."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.ensemble._base import _set_random_states

from tamis._identity import code, description
from tamis._processes import in_parallel
from tamis.datasets._problem import Concept, Problem, make_problem
from tamis.datasets._problem import problem_space as all_points
from tamis.features._aggregation import importances
from tamis.study._problem_rows import KEY, MADE_BY, ProblemRows, key, schema
from tamis.study.roc_fs import roc_fs

if TYPE_CHECKING:
    import polars as pl
    from sklearn.base import BaseEstimator


def problem_space(
    ranker: BaseEstimator,
    points: Iterable[Problem] | None = None,
    *,
    n_datasets: int = 20,
    path: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> pl.DataFrame:
    """Judge a ranker on data sets of the problem space; one row of results per data set.

    Parameters
    ----------
    ranker : estimator
        Any selector or model with ``ranking_``, ``scores_``, ``feature_importances_`` or ``coef_`` after ``fit``.
    points : iterable of dict, optional
        Arguments of `tamis.datasets.make_problem` (`Problem`); by default all 972 points of the paper.
    n_datasets : int, default=20
        Data sets per point.
    path : path-like, optional
        A folder for the results. Results that it already holds are not computed again, so that a run that was stopped,
        or killed, continues where it stopped.
    n_jobs : int or None, default=None
        Data sets at the same time, through joblib.
    random_state : int, default=0
        The seed of data sets and rankers. With the same number every ranker gets the same data sets, whatever other
        points are asked for.
    progress : callable, optional
        Called with the number of data sets done and the number of all; first before any work.

    Returns
    -------
    polars.DataFrame
        One row per data set, in the order of the points: the seven order parameters, ``dataset`` (0, 1, ...),
        ``ranker``, ``seed``, ``auc``, ``p_b``, ``p_w`` (see `roc_fs`), ``seconds`` (of ``fit``) and ``ranks`` (of the
        relevant columns, ascending; tied columns share their mean rank). Apart from the seconds it is the same for any
        number of jobs, and whether resumed or not.

    Examples
    --------
    >>> from tamis import UnivariateAUC
    >>> from tamis.study.problem_space import problem_space
    >>> point = dict(n=50, d=20, r=2, concept="linear", redundant=False, label_noise=0.0, feature_noise=0.0)
    >>> results = problem_space(UnivariateAUC(), [point], n_datasets=3)
    >>> results.shape
    (3, 15)
    """
    import polars as pl

    wanted = _tasks(list(all_points() if points is None else points), n_datasets)
    name = _full_name(ranker)
    made_by = {
        "ranker": name,
        "ranker_described": description(ranker),
        "random_state": random_state,
        "code": " ".join(f"{library} {number}" for library, number in code().items()),
    }
    store = None if path is None else ProblemRows(Path(path), made_by)
    rows = {} if store is None else dict(store.by_key)
    left = [task for task in wanted if key(task) not in rows]
    count = len(wanted) - len(left)
    if progress:
        progress(count, len(wanted))
    try:
        for result in _run(ranker, left, n_jobs, random_state):
            row = {**result, **made_by}
            rows[key(row)] = row
            if store is not None:
                store.add(row)
            count += 1
            if progress:
                progress(count, len(wanted))
    finally:
        if store is not None:
            store.merge()
    return pl.DataFrame([rows[key(task)] for task in wanted], schema=schema()).drop(MADE_BY)


def summary(results: pl.DataFrame) -> pl.DataFrame:
    """Summarise each point as in the paper: p_b by its mean, p_w and the area by their medians, with standard errors.

    Parameters
    ----------
    results : polars.DataFrame
        The result of `problem_space`; those of several rankers may be concatenated.

    Returns
    -------
    polars.DataFrame
        One row per ranker and point: ``n_datasets``, ``p_b``, ``p_w``, ``auc``, ``auc_mean`` and the standard errors
        of the means, ``p_b_error``, ``p_w_error``, ``auc_error``.
    """
    import polars as pl

    figures = [
        pl.len().alias("n_datasets"),
        pl.mean("p_b"),
        pl.median("p_w"),
        pl.median("auc"),
        pl.mean("auc").alias("auc_mean"),
    ]
    errors = [(pl.std(name) / pl.len().sqrt()).alias(f"{name}_error") for name in ("p_b", "p_w", "auc")]
    return results.group_by(["ranker", *KEY[:-1]], maintain_order=True).agg(figures + errors)


def _tasks(points: list[Any], n_datasets: int) -> list[dict[str, Any]]:
    """One entry per data set; invalid points are refused before any work."""
    if n_datasets < 1:
        raise ValueError(f"problem_space: n_datasets={n_datasets}. Use 1 or more.")
    names = set(Problem.__annotations__)
    for point in points:
        if set(point) != names:
            wrong = sorted(set(point) ^ names)
            raise ValueError(
                f"problem_space: a point has wrong or missing keys: {', '.join(map(str, wrong))}. "
                f"Give exactly {', '.join(Problem.__annotations__)}."
            )
        if point["concept"] not in get_args(Concept):
            raise ValueError(
                f"problem_space: concept={point['concept']!r}. Use one of {', '.join(get_args(Concept))}."
            )
    tasks = [{**point, "dataset": dataset} for point in points for dataset in range(n_datasets)]
    if len({key(task) for task in tasks}) < len(tasks):
        raise ValueError("problem_space: the same point is given more than once. Give every point once.")
    return tasks


def _full_name(ranker: BaseEstimator) -> str:
    """The ranker with every parameter that is not at its default, on one line."""
    return " ".join(ranker.__repr__(N_CHAR_MAX=100_000).split())


def _seeds(task: dict[str, Any], random_state: int) -> tuple[int, int]:
    """Seeds of the data set and of the ranker; they depend on this task alone, not on what else is run."""
    words = [
        random_state,
        task["n"],
        task["d"],
        task["r"],
        get_args(Concept).index(task["concept"]),
        int(task["redundant"]),
        round(task["label_noise"] * 1e9),
        round(task["feature_noise"] * 1e9),
        task["dataset"],
    ]
    data, ranker = np.random.SeedSequence(words).generate_state(2)
    return int(data), int(ranker)


def _run(
    ranker: BaseEstimator, tasks: list[dict[str, Any]], n_jobs: int | None, random_state: int
) -> Iterator[dict[str, Any]]:
    """Results of the tasks, in the order in which they finish."""
    if tasks:
        calls = (delayed(_judged)(ranker, task, _seeds(task, random_state)) for task in tasks)
        yield from in_parallel(calls, n_jobs)


def _judged(ranker: BaseEstimator, task: dict[str, Any], seeds: tuple[int, int]) -> dict[str, Any]:
    """Generate one data set, rank its columns, and judge the ranking."""
    data = make_problem(**{name: task[name] for name in KEY[:-1]}, random_state=seeds[0])
    relevant = np.isin(data.X.columns, data.informative)
    one = clone(ranker)
    _set_random_states(one, np.random.RandomState(seeds[1]))
    X = data.X.to_numpy()
    start = time.perf_counter()
    one.fit(X, data.y)
    seconds = time.perf_counter() - start
    places = _places(one, X.shape[1])
    judged = roc_fs(relevant, scores=places)
    return {
        **task,
        "seed": seeds[0],
        "auc": judged.auc,
        "p_b": judged.p_b,
        "p_w": judged.p_w,
        "seconds": seconds,
        "ranks": np.sort(rankdata(-places)[relevant]).tolist(),
    }


def _places(ranker: BaseEstimator, n_columns: int) -> NDArray[np.float64]:
    """The negated ranking of the fitted ranker if it is complete, otherwise its scores; higher is better."""
    ranking = np.asarray(getattr(ranker, "ranking_", []))
    if np.array_equal(np.sort(ranking), np.arange(1, n_columns + 1)):
        return -ranking.astype(np.float64)
    scores: NDArray[np.float64] = importances(ranker, "auto", n_columns).mean(axis=0)
    return np.where(np.isfinite(scores), scores, -np.inf)
