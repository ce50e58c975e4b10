"""The result of a comparison: scores of every method, size and model in every split, and what was kept."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.study._chance import Chance
from tamis.study._contenders import BASELINE
from tamis.study._scores import checked_score, measured, sign_of
from tamis.study._stability import Stability, stability
from tamis.study._statistics import corrected_error

if TYPE_CHECKING:
    import polars as pl

    from tamis.study._recommend import Recommendation
    from tamis.study._shuffled import Shuffled

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """Scores of one method and model against the number kept.

    Parameters
    ----------
    method, model : str
        The method and the model.
    n_kept : ndarray, shape (s,)
        Mean number of columns or rows kept at each size.
    values : ndarray, shape (s, j)
        The score at each size in each split; higher is better (losses are negated). NaN if there is none.
    mean, error : ndarray, shape (s,)
        Their mean over the splits, and its standard error, corrected for overlapping training sets.
    """

    method: str
    model: str
    n_kept: Float
    values: Float
    mean: Float
    error: Float


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of `tamis.study.compare`.

    Parameters
    ----------
    columns : tuple of str
        The names of the table's columns.
    n_rows : int
        The number of its rows; of those of positive weight, if there are weights.
    classes : tuple
        Its classes; empty if the target is numeric.
    sifts : dict of str to str
        What each method keeps: "columns" or "rows"; includes the baselines that keep everything.
    sizes : dict of str to list
        The sizes at which each method was tried.
    models : tuple of str
        The models that judged.
    repeats : tuple of int
        For each split, the repetition of the folds to which it belongs.
    test_share : float
        Test rows divided by training rows, in one split.
    answers : list of dict
        The result of each method in each split.
    chance : Chance or None
        The scores of chance in each split.
    left_out : dict of str to str
        Methods that refused the table or did not finish in time, and why.
    final : dict of str to dict
        For "columns" and "rows", if there were such methods: what the recommended method keeps of the whole table.
    settings : dict
        The settings, in words; "score" is the score that decides.
    advice : dict of str to Recommendation
        For "columns" and "rows", if there are results: what `recommend` gives by that score.
    target_kind : {"classes", "numbers"}
        What the target holds.
    predicted : ndarray, shape (n,), or None
        For a numeric target: what the advised method, size and model predict for each row, fitted in the splits of the first
        repetition without it. NaN for a row that was never held out.
    shuffled : dict of str to Shuffled
        For "columns" and "rows", if there was time: what is advised in two splits, with the target as it is and in random order.
    unweighted : dict of str to tuple of str, or None
        The "methods" and the "models" whose fit takes no weights, so that all rows of weight count alike in it. None if no weights
        were given.
    """

    columns: tuple[str, ...]
    n_rows: int
    classes: tuple[Any, ...]
    sifts: dict[str, str]
    sizes: dict[str, list[Any]]
    models: tuple[str, ...]
    repeats: tuple[int, ...]
    test_share: float
    answers: list[dict[str, Any]]
    chance: Chance | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    final: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    advice: dict[str, Recommendation] = field(default_factory=dict)
    target_kind: str = "classes"
    predicted: Float | None = None
    shuffled: dict[str, Shuffled] = field(default_factory=dict)
    unweighted: dict[str, tuple[str, ...]] | None = None

    def __repr__(self) -> str:
        done, methods = len(self.answers), sum(name not in self.left_out for name in self.sifts)
        return (
            f"<Comparison of {methods} methods on {self.n_rows} rows x {len(self.columns)} columns: "
            f"{done} of {len(self.sifts) * len(self.repeats)} folds done>"
        )

    def _repr_html_(self) -> str:
        """What is advised, for notebooks."""
        from html import escape

        from tamis.study._advice import verdict

        lines = [f"{kind}: {verdict(self, said)}." for kind, said in self.advice.items()]
        kept = [
            f"{kind}: {', '.join(self.kept_names(kind))}" for kind in self.advice if self.kept_names(kind)
        ]
        return "".join(f"<p>{escape(line)}</p>" for line in (repr(self), *lines, *kept))

    def kept_names(self, sifts: str = "columns") -> list[str]:
        """The names of the columns that the advised method keeps of the whole table, best first; none for rows."""
        final = self.final.get(sifts, {})
        if sifts != "columns" or not final:
            return []
        kept = set(final["kept"])
        order = [j for j in final["order"] if j in kept] or sorted(kept)
        return [self.columns[j] for j in order]

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        name: str = "table",
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        overwrite: bool = False,
    ) -> None:
        """Write the comparison as one HTML page, the same as ``tamis compare --report`` writes.

        Parameters
        ----------
        path : path-like
            The file, which ends in .html.
        name : str, default="table"
            What the page calls the table.
        X, y : array-like, optional
            The table and its target: with them the page shows the kept rows, or what was predicted for a numeric target.
        overwrite : bool, default=False
            Whether an existing file may be overwritten.
        """
        from tamis._version import __version__
        from tamis.study._projection import projection
        from tamis.table._write import write_text

        if not os.fspath(path).lower().endswith((".html", ".htm")):
            raise ValueError(
                f"report: path={os.fspath(path)!r}, but a report is an HTML file. Let its name end in .html."
            )
        if not overwrite and os.path.lexists(path):
            raise ValueError(
                f"report: {os.fspath(path)} is already there. Use overwrite=True to replace it, or another name."
            )
        drawn = import_module(
            "tamis.report._study_page"
        )  # the room above this one, asked for on request only
        points, shown = (None, 0.0) if X is None or y is None or "rows" not in self.final else projection(X)
        told = self if y is not None else replace(self, predicted=None)
        labels = [] if y is None else np.asarray(y).tolist()
        study = drawn.Studied(name, told, labels, points, shown)
        write_text(drawn.study_page([study], made={"Made with": f"tamis {__version__}"}), path, overwrite)

    def methods(self, sifts: str, *, baseline: bool = False) -> list[str]:
        """The methods that keep columns, or rows, and finished at least one split."""
        done = {answer["method"] for answer in self.answers}
        return [
            name
            for name, kind in self.sifts.items()
            if kind == sifts and name in done and (baseline or name != BASELINE[sifts])
        ]

    def n_splits(self, method: str) -> int:
        """The number of splits that a method finished."""
        return sum(answer["method"] == method for answer in self.answers)

    def curve(self, method: str, model: str, score: str | None = None) -> Curve:
        """Scores of a method and a model against the number kept.

        Parameters
        ----------
        method, model : str
            The method and the model.
        score : {"accuracy", "balanced_accuracy", "roc_auc", "log_loss", "r2", "rmse", "mae", "concordance"}, optional
            The score; None is "balanced_accuracy", or "r2" if the target is numeric. The log loss, "rmse" and "mae" are
            negated, so that higher is always better.

        Returns
        -------
        Curve
            One entry per size.
        """
        score = checked_score("curve", score, self.target_kind)
        names = measured(self.target_kind, self.settings.get("score"))
        if score not in names:
            raise ValueError(f"curve: {score!r} was not measured. Measured: {', '.join(names)}.")
        position, sign = names.index(score), sign_of(score)
        n_steps = max(1, len(self.sizes[method]))
        values = np.full((n_steps, len(self.repeats)), np.nan)
        counts = np.full((n_steps, len(self.repeats)), np.nan)
        for answer in self.answers:
            if answer["method"] == method:
                for row, step in enumerate(answer["steps"]):
                    value_on_split = step["scores"][model][position]
                    values[row, answer["split"]] = np.nan if value_on_split is None else sign * value_on_split
                    counts[row, answer["split"]] = step["n_kept"]
        done = ~np.isnan(counts).all(axis=0)
        n_kept = counts[:, done].mean(axis=1) if done.any() else np.full(n_steps, np.nan)
        mean, error = self._summary(values)
        return Curve(method, model, n_kept, values, mean, error)

    def judged(self, method: str, model: str, step: int) -> NDArray[np.bool_]:
        """In which splits a model was tried on a method's size number `step`, whether or not it could be fitted."""
        tried = np.zeros(len(self.repeats), dtype=bool)
        for answer in self.answers:
            if answer["method"] == method:
                tried[answer["split"]] = answer["steps"][step]["scores"][model][-1] is not None
        return tried

    def _summary(self, values: Float) -> tuple[Float, Float]:
        mean, error = np.full(len(values), np.nan), np.full(len(values), np.nan)
        for row, scores in enumerate(values):
            there = scores[~np.isnan(scores)]
            if len(there):
                mean[row], error[row] = there.mean(), corrected_error(there, self.test_share)
        return mean, error

    def kept(self, method: str, step: int) -> NDArray[np.bool_]:
        """Which columns a method kept at its size number `step`, one row per split that it finished."""
        if self.sifts[method] == "rows":
            raise ValueError(f"kept: {method} keeps rows, and every split has other rows.")
        rows = []
        for answer in self.answers:
            if answer["method"] == method:
                mask = np.zeros(len(self.columns), dtype=bool)
                if answer["order"] is not None:
                    mask[answer["order"][: answer["steps"][step]["n_kept"]]] = True
                elif answer["steps"][step]["kept"] is not None:
                    mask[answer["steps"][step]["kept"]] = True
                else:
                    mask[:] = True
                rows.append(mask)
        return np.array(rows, dtype=bool).reshape(len(rows), len(self.columns))

    def stability(self, method: str, step: int) -> Stability:
        """How similar the columns are that a method kept at its size number `step` in the splits."""
        return stability(self.kept(method, step))

    def mean_ranks(self, method: str) -> tuple[Float, Float] | None:
        """Mean and standard deviation of every column's rank over the splits; None for a method without a ranking."""
        orders = [answer["order"] for answer in self.answers if answer["method"] == method]
        if not orders or any(order is None for order in orders):
            return None
        ranks = np.empty((len(orders), len(self.columns)))
        for row, order in zip(ranks, orders):
            row[order] = np.arange(1, len(order) + 1)
        return ranks.mean(axis=0), ranks.std(axis=0)

    def seconds(self, method: str) -> float:
        """Mean seconds of selection in one split."""
        return float(np.mean([answer["seconds"] for answer in self.answers if answer["method"] == method]))

    def failures(self) -> dict[str, str]:
        """Models that could not be fitted somewhere, each with the method, size and message of its first failure."""
        reasons: dict[str, str] = {}
        for answer in self.answers:
            for step in answer["steps"]:
                for model, why in step["failed"].items():
                    reasons.setdefault(model, f"{answer['method']}, {step['n_kept']} kept: {why}")
        return reasons

    def scores(self) -> pl.DataFrame:
        """All scores as a table: one row per method, split, size and model."""
        import polars as pl

        names_measured = measured(self.target_kind, self.settings.get("score"))
        rows = [
            {
                "sifts": self.sifts[answer["method"]],
                "method": answer["method"],
                "repeat": self.repeats[answer["split"]],
                "split": answer["split"],
                "step": number,
                "n_kept": step["n_kept"],
                "model": model,
                **dict(zip((*names_measured, "model_seconds"), scores)),
                "select_seconds": answer["seconds"],
            }
            for answer in self.answers
            for number, step in enumerate(answer["steps"])
            for model, scores in step["scores"].items()
        ]
        kinds: dict[str, Any] = dict.fromkeys(("sifts", "method", "model"), pl.String)
        kinds |= dict.fromkeys(("repeat", "split", "step", "n_kept"), pl.Int64)
        names = ("sifts", "method", "repeat", "split", "step", "n_kept", "model", *names_measured)
        schema: dict[str, Any] = {
            name: kinds.get(name, pl.Float64) for name in (*names, "model_seconds", "select_seconds")
        }
        return pl.DataFrame(rows, schema=schema)

    def selections(self) -> pl.DataFrame:
        """What was kept: for methods with a ranking one row per split (best column first), for others one per split and size."""
        import polars as pl

        rows: list[dict[str, Any]] = []
        for answer in self.answers:
            common = {"method": answer["method"], "split": answer["split"]}
            if answer["order"] is not None:
                rows.append({**common, "step": None, "kept": answer["order"]})
            rows.extend(
                {**common, "step": number, "kept": step["kept"]}
                for number, step in enumerate(answer["steps"])
                if step["kept"] is not None
            )
        schema: dict[str, Any] = {
            "method": pl.String,
            "split": pl.Int64,
            "step": pl.Int64,
            "kept": pl.List(pl.Int64),
        }
        return pl.DataFrame(rows, schema=schema)
