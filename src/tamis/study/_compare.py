"""Every method on the same splits of a table: selection inside every fold, scores on the rows held out."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from tamis._identity import code, description, digest
from tamis._journal import Journal
from tamis.features._curves import finds_its_number, takes_weights
from tamis.study._chance import chance_of, chance_of_numbers, chance_with
from tamis.study._comparison import Comparison
from tamis.study._contenders import BASELINE, contenders, sifts
from tamis.study._final import final_predictions, final_selection, final_shuffled
from tamis.study._fold import Data, Fold
from tamis.study._models import MODELS, model
from tamis.study._recommend import recommend
from tamis.study._run import Clock, Progress, Run
from tamis.study._scores import checked_score, measured, refuse_score_without_weights
from tamis.study._splits import splits_of, splits_of_counted, strata
from tamis.table._encode import as_frame, encode
from tamis.table._table import Target
from tamis.table._target import encode_any_target
from tamis.table.weights import any_weights, group_codes, scale_of

ROW_SHARES = (0.02, 0.05, 0.1, 0.2, 0.5)
_MOST_COLUMNS = 512  # the largest size tried by default, besides all columns


def compare(
    X: ArrayLike,
    y: ArrayLike,
    methods: Any = None,
    *,
    models: Any = None,
    cv: Any = 5,
    repeats: int = 2,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    column_sizes: Any = None,
    row_sizes: Any = None,
    score: str | None = None,
    target_kind: str = "auto",
    budget: float | None = None,
    path: str | os.PathLike[str] | None = None,
    resume: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Compare selectors of columns and of rows on one table.

    In every split each method is fitted on the training rows alone, once where it gives a ranking; what it keeps at
    each size is given to every model, which is scored on the rows held out. At the end the recommended method is
    fitted on the whole table.

    Parameters
    ----------
    X : array-like or frame, shape (n, d)
        The table.
    y : array-like, shape (n,)
        Its classes, or numbers.
    methods : iterable of str and estimators, or mapping of str to estimator, default=None
        Names of the command line ("sbs-mf"; "quick", "columns", "rows" or "peers" for all of a kind), and any selectors with
        ``fit`` and a ranking or a size, or with ``fit_resample``, none of them fitted. What finds its number itself
        (`SelectorCV`, scikit-learn's RFECV, Boruta) is judged at that. None is every method of this library. Methods that take
        classes only are left out if the target is numeric, which `left_out` says.
    models : iterable of str, or mapping of str to estimator, default=None
        The models that judge a selection; None is "1-nn", "linear" and "boosting", or "5-nn", "ridge" and "boosting" if the
        target is numeric.
    cv : int, splitter or iterable, default=5
        An int makes stratified folds, shuffled anew in each repetition, and grouped if `groups` is given. A numeric target is
        stratified by its quantiles, tenths where there are enough rows.
    repeats : int, default=2
        How often the folds are made, if `cv` is an int.
    groups : array-like, shape (n,), optional
        Rows that must stay together in the folds; selectors of columns that take groups, such as `ReliefF`, get them.
    sample_weight : array-like, shape (n,), optional
        What each row counts, not negative: in every method and model whose ``fit`` takes weights (`unweighted` of the result names
        the others), in the scores on the rows held out, and in those of chance. Kept rows keep their weights, made ones have
        none. A row of weight 0 is left out as if it were not there; folds are drawn whatever the others weigh. Models take the
        weights as they are, as numbers of rows: if only ratios are known, their mean should be 1.
    column_sizes, row_sizes : sequence, optional
        The sizes tried: numbers of columns; numbers or shares of the training rows. By default 1 to 5, then growing by a
        factor of the square root of 2 up to 20, and of 2 up to 512; and 2, 5, 10, 20 and 50 % of the rows.
    score : str, optional
        The score by which the recommended method is chosen: "accuracy", "balanced_accuracy" (the default), "roc_auc" or
        "log_loss"; for a numeric target "r2" (the default), "rmse", "mae" or "concordance"; or the name of any scorer of
        scikit-learn, such as "f1_macro", which is then measured too.
    target_kind : {"auto", "classes", "numbers"}, default="auto"
        What `y` holds. "auto": numbers if it holds floats with fractions, or more than 20 different floats.
    budget : float, optional
        Seconds. Folds run in processes that are ended when the time is up; the result is what was finished by then.
        Quick methods come first: a fold that takes more than its share of the time skips its last models, or is
        postponed.
    path : path-like, optional
        A file to which every answer is written as soon as it is known.
    resume : bool, default=False
        Continue with the answers in `path`.
    n_jobs : int or None, default=None
        Folds that run at the same time, through joblib, or with a budget in processes of our own. Scores do not depend on
        it.
    random_state : int, default=0
        The seed of the folds, and of the methods given by name.
    progress : callable, optional
        Called with the number of folds done, the number of all folds, and a description of the last one.

    Returns
    -------
    Comparison
        Scores, selections, stability and time. Its `advice` is the result of `tamis.study.recommend` by `score`.

    Notes
    -----
    Keeping everything is scored once per split; it is among the methods as "all columns" and "all rows".

    Examples
    --------
    >>> from tamis.datasets import load
    >>> from tamis.study import compare
    >>> votes = load("house_votes")  # 435 rows, 16 columns
    >>> comparison = compare(votes.X, votes.y, ["univariate-auc", "bdsfs"], models=["linear"], repeats=1)
    >>> said = comparison.advice["columns"]
    >>> said.chosen.method, said.chosen.n_kept
    ('univariate-auc', 1.0)
    >>> [comparison.columns[j] for j in said.always]
    ['physician-fee-freeze']
    """
    start = time.monotonic()
    _check(budget, repeats)
    methods, models = _listed(methods), _listed(models)
    by_name = _by_name(methods) and _by_name(models)
    X, y, names, weights, content = _read(X, y, target_kind, sample_weight, by_name=by_name)
    kind_of_y = content["target"]
    score = checked_score("compare", score, kind_of_y)
    if weights is not None:
        refuse_score_without_weights("compare", score, kind_of_y)
    selectors, left_out = contenders(methods, random_state, kind_of_y)
    judges = _judges(models, kind_of_y)
    together = None if groups is None else group_codes("compare", len(y), groups)
    data = Data(X, y, judges, kind_of_y, score, weights, together)
    counted = y if weights is None else y[data.counted]
    layers = strata(counted, cv) if kind_of_y == "numbers" else counted
    if weights is None:
        splits, repeat_of = splits_of(layers, cv, repeats, groups, random_state)
    else:
        splits, repeat_of = splits_of_counted(data.counted, layers, cv, repeats, groups, random_state)
    kinds = _kinds(selectors)
    tried = {"columns": column_sizes, "rows": row_sizes}
    limits = {"columns": len(names), "rows": len(counted)}
    sizes = {
        name: _sizes(selectors.get(name), kind, limits[kind], tried[kind]) for name, kind in kinds.items()
    }
    chance = (chance_of if kind_of_y == "classes" else chance_of_numbers)(y, splits, weights)
    study = Comparison(
        columns=names,
        n_rows=len(counted),
        classes=tuple(np.unique(counted).tolist()) if kind_of_y == "classes" else (),
        sifts=kinds,
        sizes=sizes,
        models=tuple(judges),
        repeats=tuple(repeat_of),
        test_share=float(np.mean([len(test) / len(train) for train, test in splits])),
        answers=[],
        chance=chance_with(chance, y, splits, measured(kind_of_y, score), weights),
        left_out=left_out,
        target_kind=kind_of_y,
        settings={"score": score, "budget": budget, "random_state": random_state, "n_jobs": n_jobs},
        unweighted=None if weights is None else _unweighted(selectors, judges),
    )
    about = {
        "code": code(),
        **content,
        "methods": {name: description(selector) for name, selector in selectors.items()},
        "models": {name: description(judge) for name, judge in judges.items()},
        "sizes": sizes,
        "scores": measured(kind_of_y, score),
        "splits": digest(*(part for split in splits for part in split)),
        **({} if together is None else {"groups": digest(together)}),
    }
    journal = None if path is None else Journal(path, about, resume)
    run = Run(study, data, n_jobs, progress, journal)
    try:
        folds = [
            Fold(name, selectors.get(name), kinds[name], number, train, test, sizes[name])
            for number, (train, test) in enumerate(splits)
            for name in kinds
            if not (name == BASELINE["rows"] and BASELINE["columns"] in kinds)  # they are the same
        ]
        run.as_many_as_wanted(folds, None if budget is None else Clock.of(start, budget), Comparing())
    finally:
        if journal is not None:
            journal.close()
    positions = {name: position for position, name in enumerate(kinds)}
    study.answers.sort(key=lambda answer: (answer["split"], positions[answer["method"]]))
    end = None if budget is None else start + budget
    said = {kind: recommend(study, kind, score=score) for kind in BASELINE if kind in kinds.values()}
    advice = {kind: one for kind, one in said.items() if one is not None}
    fitted = {kind: final_selection(study, one, selectors, run.data, end) for kind, one in advice.items()}
    final = {kind: one for kind, one in fitted.items() if one is not None}
    told = {
        kind: final_shuffled(study, one, selectors, splits, run.data, end) for kind, one in advice.items()
    }
    shuffled = {kind: one for kind, one in told.items() if one is not None}
    predicted = None
    if kind_of_y == "numbers" and "columns" in advice:
        predicted = final_predictions(study, advice["columns"], splits, run.data, end)
    return replace(study, advice=advice, final=final, predicted=predicted, shuffled=shuffled)


def _check(budget: float | None, repeats: int) -> None:
    if budget is not None and not budget > 0:
        raise ValueError(f"compare: budget={budget}, but it must be a number of seconds above 0.")
    if repeats < 1:
        raise ValueError(f"compare: repeats={repeats}, but folds must be made at least once.")


def _listed(given: Any) -> Any:
    """The same, but a one-time iterator as a list."""
    return (
        given if given is None or isinstance(given, str | Mapping) or hasattr(given, "fit") else list(given)
    )


def _judges(models: Any, target_kind: str) -> dict[str, Any]:
    """The models that judge, by name."""
    if models is None:
        models = MODELS[target_kind]
    if isinstance(models, Mapping):
        judges = {str(name): judge for name, judge in models.items()}
    else:
        listed = [models] if isinstance(models, str) or hasattr(models, "fit") else list(models)
        judges = {
            one if isinstance(one, str) else type(one).__name__: model(one, target_kind)
            if isinstance(one, str)
            else one
            for one in listed
        }
    for name, judge in judges.items():
        if not hasattr(judge, "fit") or not hasattr(judge, "predict"):
            raise TypeError(f"compare: the model {name!r} is {judge!r}, which has no fit and predict.")
    if not judges:
        raise ValueError("compare: models is empty. Name at least one, or None for three.")
    return judges


class Comparing(BaseEstimator):
    """Stands in for an estimator when a table is read, for error messages."""


def _by_name(given: Any) -> bool:
    """Whether all methods or models were given by name: those are ours, and do not need the names of columns."""
    if isinstance(given, Mapping) or hasattr(given, "fit"):
        return False
    return given is None or isinstance(given, str) or all(isinstance(one, str) for one in given)


def _unweighted(selectors: dict[str, Any], judges: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """The methods and models that take no weights, by name."""
    both = {"methods": selectors, "models": judges}
    return {
        what: tuple(name for name, one in named.items() if not takes_weights(one))
        for what, named in both.items()
    }


def _read(
    X: ArrayLike, y: ArrayLike, target_kind: str, sample_weight: ArrayLike | None, *, by_name: bool
) -> tuple[Any, NDArray[Any], tuple[str, ...], NDArray[np.float64] | None, dict[str, str]]:
    """The table as it was given (a frame) or as numbers, its target, its column names, weights, and digests of its content.

    Selecting columns from a frame with thousands of numeric columns is several times slower than from an array; so it
    becomes an array if no method can ask for its names.
    """
    reader = Comparing()
    table = encode(reader, X)
    target = encode_any_target(reader, X, y, target_kind, min_rows=4)
    names = getattr(reader, "feature_names_in_", None)
    columns = [f"x{j}" for j in range(table.n_columns)] if names is None else [str(name) for name in names]
    frame = as_frame(X)
    numbers = frame is None or (by_name and not table.nominal.any())
    data = np.ascontiguousarray(table.values) if numbers else X
    content = {
        "columns": description(columns),
        "kinds of columns": description((table.nominal, table.schema.categories, _dtypes(frame, by_name))),
    }
    weights = None
    if sample_weight is not None:
        weights = any_weights(reader, target, sample_weight) * scale_of(sample_weight)
        content["weights"] = digest(weights)
    if isinstance(target, Target):
        told = {"target": "classes", "data": digest(table.values, target.codes)}
        content |= {**told, "classes": description(target.classes)}
        return data, target.classes[target.codes], tuple(columns), weights, content
    content |= {"target": "numbers", "data": digest(table.values, target.values)}
    return data, target.values, tuple(columns), weights, content


def _dtypes(frame: Any, by_name: bool) -> str:
    """What methods that are not ours may see of a frame besides its values: its library and schema."""
    return "" if frame is None or by_name else f"{type(frame.to_native()).__module__} {frame.schema}"


def _kinds(selectors: dict[str, Any]) -> dict[str, str]:
    """What every method keeps, columns or rows; the baselines that keep everything come first."""
    kinds = {name: sifts(selector) for name, selector in selectors.items()}
    return {BASELINE[kind]: kind for kind in dict.fromkeys(kinds.values())} | kinds


def _sizes(selector: BaseEstimator, kind: str, limit: int, given: Any) -> list[Any]:
    """The sizes at which a method is tried, ascending, up to `limit`; empty if it chooses its own number."""
    if selector is None:
        return []
    if finds_its_number(selector) if kind == "columns" else "n_prototypes" not in selector.get_params(False):
        return []
    if given is None:
        return list(ROW_SHARES) if kind == "rows" else _column_sizes(limit)
    sizes = sorted(set(np.asarray(given).tolist()))
    for size in sizes:
        share = kind == "rows" and isinstance(size, float) and 0 < size < 1
        if not share and not (size == int(size) and 1 <= size <= limit):
            raise ValueError(
                f"compare: {kind[:-1]}_sizes holds {size}, but X has {limit} {kind}. Use numbers from 1 to {limit}"
                f"{' or shares between 0 and 1' * (kind == 'rows')}."
            )
    if not sizes:
        raise ValueError(f"compare: {kind[:-1]}_sizes is empty. Give at least one size, or None.")
    return [size if isinstance(size, float) and size < 1 else int(size) for size in sizes]


def _column_sizes(n_columns: int) -> list[int]:
    """1 to 5, then by factors of the square root of 2 up to 20 and of 2 up to 512, below the number of columns."""
    sizes = [1, 2, 3, 4, 5, 7, 10, 14, 20, 32, 64, 128, 256, _MOST_COLUMNS]
    return [size for size in sizes if size < n_columns] or [n_columns]
