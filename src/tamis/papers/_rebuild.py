"""Run a paper's tasks and write its folder; a run that was stopped, or killed, continues where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib import delayed

from tamis._files import written
from tamis._identity import libraries, source_digest
from tamis._processes import in_parallel
from tamis._version import __version__
from tamis.papers import paper as paper_named
from tamis.papers._paper import Figure, Paper, Size, Task
from tamis.papers._store import Store
from tamis.papers._view import View

RUN = "run.json"
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Rebuilt:
    """A paper that was rebuilt: its measurements, and the files written."""

    view: View
    folder: Path
    files: tuple[str, ...]


def rebuild(
    name: str,
    folder: str | os.PathLike[str],
    *,
    size: Size | None = None,
    table: str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Rebuilt:
    """Rebuild a paper's tables and figures.

    Parameters
    ----------
    name : str
        The paper, one of `tamis.papers.NAMES`.
    folder : path-like
        The folder for measurements, pages and pictures. What it already holds is not run again: a stopped run is
        resumed, and a small one can be extended.
    size : Size, optional
        How much is run; quick by default.
    table : str, optional
        One table or figure of the paper; all by default.
    seed : int, default=0
        The seed of everything random.
    n_jobs : int, optional
        Tasks at the same time, through joblib. The result does not depend on it.
    progress : callable, optional
        Called with the number of tasks done and the number of all; first before any work.

    Returns
    -------
    Rebuilt
        The measurements, and the files: ``page.md``, ``page.html``, pictures, ``results.parquet`` (one row per
        measurement), ``seconds.parquet`` (how long each took; the only file that differs from run to run) and
        ``run.json`` (what was run, by which code, on which data).
    """
    paper, size = paper_named(name), size or Size()
    if table is not None and table not in paper.tables:
        raise ValueError(f"rebuild: table={table!r}. {name} has {', '.join(map(repr, paper.tables))}.")
    if seed < 0 or (size.repeats is not None and size.repeats < 1):
        raise ValueError(f"rebuild: seed={seed}, repeats={size.repeats}. Use 0 or more, and 1 or more.")
    here = digests(paper)
    path = Path(folder)
    run = _opened(path, paper, seed, here)
    plan = paper.tasks(size, tuple(data_set for data_set in paper.data_sets if data_set in run["data"]))
    store = Store(path)
    done = store.done()
    _refuse_larger(path, done - set(plan), run)
    path.mkdir(parents=True, exist_ok=True)
    run.update(level=size.level, repeats=size.repeats)
    wanted = [task for task in plan if table is None or task.table == table]
    left = [task for task in wanted if task not in done and task.data_set in here]
    _noted(path, run, new=bool(left))
    _measure(paper, left, len(wanted), seed, n_jobs, store, progress)
    store.merge(plan)
    from tamis.papers._report import write_pages

    view, run = measured(path, table)
    return Rebuilt(view, path, write_pages(view, path, run))


def measured(folder: str | os.PathLike[str], table: str | None = None) -> tuple[View, dict[str, Any]]:
    """Return the measurements that a folder holds, and what its ``run.json`` says; nothing is run."""
    path = Path(folder)
    run = _run_of(path)
    paper = paper_named(run["paper"])
    left_out = tuple(name for name in paper.data_sets if name not in run["data"])
    view = View(paper, Store(path).frame(), Size(run["level"], run["repeats"]), left_out, table)
    return view, run


def digests(paper: Paper) -> dict[str, str]:
    """The available data sets of a paper, with the start of the sha256 of each as it was read."""
    from tamis import datasets
    from tamis.table import TableError

    by_name = {}
    for name in paper.data_sets:
        if name in paper.generated:
            by_name[name] = "generated"
            continue
        try:
            data = datasets.load(name, download_if_missing=False)
        except TableError:
            continue
        content = data.X.write_csv() + "\n".join(map(str, data.y.tolist()))
        by_name[name] = hashlib.sha256(content.encode()).hexdigest()[:16]
    return by_name


def _run_of(path: Path) -> dict[str, Any]:
    """What the ``run.json`` of a folder says."""
    try:
        run = json.loads((path / RUN).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        run = None
    kinds = {"paper": str, "level": str, "repeats": int | None, "data": dict, "code": list}
    if not isinstance(run, dict) or not all(isinstance(run.get(key), kind) for key, kind in kinds.items()):
        raise ValueError(
            f"rebuild: {str(path / RUN)!r} was not written by a run. Give another folder, or remove this one."
        )
    return run


def _opened(path: Path, paper: Paper, seed: int, data: dict[str, str]) -> dict[str, Any]:
    """The description of the run in a folder; another run than the one asked for is an error."""
    if path.exists() and not path.is_dir():
        raise ValueError(f"rebuild: {str(path)!r} is a file. Give a folder for the results.")
    run: dict[str, Any] = {"paper": paper.name, "seed": seed, "tamis": __version__, "code": [], "data": {}}
    if (path / RUN).exists():
        run = _run_of(path)
        for key, value in (("paper", paper.name), ("seed", seed)):
            if run.get(key) != value:
                raise ValueError(
                    f"rebuild: {str(path)!r} holds a run with {key}={run.get(key)!r}, not {value!r}. "
                    "Give another folder, or remove this one."
                )
        for name, digest in data.items():
            if run["data"].get(name, digest) != digest:
                raise ValueError(
                    f"rebuild: {str(path)!r} was made with another version of the data set {name!r}. "
                    "Give another folder, or remove this one."
                )
    run["data"] = {
        name: digest for name, digest in {**run["data"], **data}.items() if name in paper.data_sets
    }
    return run


def _refuse_larger(path: Path, more: set[Task], run: dict[str, Any]) -> None:
    """A run may grow, since every task has its own seed, but not shrink."""
    if more:
        size = Size(run["level"], run["repeats"]).words
        raise ValueError(
            f"rebuild: {str(path)!r} holds a run ({size}) with {len(more)} tasks that this one lacks, such as "
            f"{' '.join(map(str, min(more)))}. Ask for as many repeats or more, or give another folder."
        )


def _refuse_other_version(path: Path, run: dict[str, Any], digest: str) -> None:
    """Refuse measurements of another version; warn about those of other sources of the same version."""
    if run["tamis"] != __version__:
        raise ValueError(
            f"rebuild: {str(path)!r} holds measurements of tamis {run['tamis']}, and this is {__version__}. "
            "Give another folder, or remove this one."
        )
    if run["code"] and digest not in run["code"]:
        warnings.warn(
            f"{str(path)!r} holds measurements by other sources of tamis {__version__} ({', '.join(run['code'])}), which "
            f"are kept; its page names them beside these ({digest}). Give another folder to measure everything anew.",
            stacklevel=4,
        )


def _noted(path: Path, run: dict[str, Any], *, new: bool) -> None:
    """Write the description of the run, with the code if anything new is run."""
    if new:
        digest = source_digest()
        _refuse_other_version(path, run, digest)
        run["code"] = [*run["code"], *([] if digest in run["code"] else [digest])]
        run["libraries"] = libraries()
    with written(path / RUN) as file:
        file.write((json.dumps(run, indent=1, sort_keys=True) + "\n").encode("utf-8"))


def _measure(
    paper: Paper,
    left: list[Task],
    n_all: int,
    seed: int,
    n_jobs: int | None,
    store: Store,
    progress: Progress | None,
) -> None:
    """Run the remaining tasks and store their figures."""
    count = n_all - len(left)
    if progress:
        progress(count, n_all)
    try:
        for task, figures in _figures(paper.name, left, seed, n_jobs):
            store.add(task, figures)
            count += 1
            if progress:
                progress(count, n_all)
    finally:
        store.close()


def _figures(
    name: str, tasks: list[Task], seed: int, n_jobs: int | None
) -> Iterator[tuple[Task, list[Figure]]]:
    """Tasks with their figures, in the order in which they finish."""
    if tasks:
        yield from in_parallel((delayed(_done)(name, task, seed) for task in tasks), n_jobs)


def _done(name: str, task: Task, seed: int) -> tuple[Task, list[Figure]]:
    return task, paper_named(name).measured(task, seed)
