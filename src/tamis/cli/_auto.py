"""``--keep auto``: as many columns as resampling says, for any method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tamis.cli._screen import note, progress_bar, warnings_as_notes
from tamis.cli._sentences import UserError, said

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from tamis._methods import Method
    from tamis.table._dataset import Dataset
    from tamis.table.parts.parted import PartedTable

AUTO = "auto"
_FOLDS = 5
_UNITS = ("fixed_features", "excluded_features", "feature_groups")


def is_auto(keep: str | None) -> bool:
    """Whether ``--keep`` asks for as many columns as resampling says."""
    return keep is not None and keep.strip().lower() == AUTO


def check_auto(estimator: BaseEstimator) -> None:
    """Refuse ``--keep auto`` beside a size in ``--set``, before any work starts."""
    if estimator.n_features_to_select is not None:
        raise UserError("--keep and --set n_features_to_select say the same thing twice. Give one of them.")


def with_auto_size(
    estimator: BaseEstimator,
    method: Method,
    table: Dataset | PartedTable,
    seed: int | None,
    jobs: int | None,
    groups: str | None = None,
    time_column: str | None = None,
    weights: NDArray[Any] | None = None,
) -> BaseEstimator:
    """The estimator with the number of columns that resampling chooses; a sieve, which resamples itself, as it is.

    The method becomes the only member of a sieve: every fold ranks anew, and a small forest is scored at each number of
    columns on the rows held out, by groups or in the order of time if asked, all with the `weights` of the rows. The fewest columns that are level with the best
    number are kept.
    """
    from tamis import Sieve
    from tamis.cli._estimator import sieve_jobs
    from tamis.cli._folds import groups_of, row_folds
    from tamis.table._dataset import Dataset

    if not isinstance(table, Dataset):
        if isinstance(estimator, Sieve):
            return estimator
        raise UserError(
            f"--keep auto resamples rows, and {method.name} reads a table in parts whole. Add --sample-rows N, or give a "
            "number, such as --keep 10."
        )
    together = groups_of(table, groups)
    table, folds = row_folds(table, groups, time_column, _FOLDS)
    if isinstance(estimator, Sieve):
        return estimator if isinstance(folds, int) else estimator.set_params(cv=folds)
    given = estimator.get_params(deep=False)
    units = {name: given[name] for name in _UNITS if name in given}
    member = type(estimator)(**{**given, **dict.fromkeys(units)})
    sieve = Sieve(members=[(method.name, member)], search=False, explain=False, **units)
    sieve.set_params(target_kind=table.target_kind, cv=folds)
    sieve.set_params(categorical_features=estimator.categorical_features, random_state=seed or 0)
    sieve.set_params(n_jobs=sieve_jobs(jobs))
    try:
        with warnings_as_notes(), progress_bar(f"{method.name} at every number of columns") as show:
            sieve._tell = show
            sieve.fit(table.X, table.y, sample_weight=weights, groups=together)
    except ValueError as error:
        raise UserError(said(error).replace("Sieve: ", f"{method.name} with --keep auto: ", 1)) from error
    note_size(sieve)
    return estimator.set_params(n_features_to_select=sieve.n_features_)


def note_size(sieve: BaseEstimator) -> None:
    """Say how a sieve chose the number of columns; nothing for other selectors, for which `with_auto_size` said it."""
    from tamis import Sieve

    if not isinstance(sieve, Sieve):
        return
    results = getattr(sieve, "cv_results_", None)
    if results is None:
        note(
            "--keep auto: the classes are too small to be split, so half of the columns that differ are kept."
        )
        return
    means, sizes = results["mean_test_score"], results["size"].tolist()
    best = int(means.argmax())
    chosen = max(step for step, size in enumerate(sizes) if size <= sieve.n_features_)
    columns = f"{sieve.n_features_} column{'s' * (sieve.n_features_ != 1)}"
    score = "accuracy, averaged over the classes," if hasattr(sieve, "classes_") else "r2"
    judged = f"held-out {score} {means[chosen]:.3f}"
    if chosen == best:
        note(f"--keep auto: {columns}, the best number tried ({judged}).")
        return
    note(
        f"--keep auto: {columns}, the fewest that are level with the best number ({judged}; with {sizes[best]} columns "
        f"{means[best]:.3f} ± {results['standard_error'][best]:.3f})."
    )
