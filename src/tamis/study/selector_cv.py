"""The number of columns or rows to keep, by resampling in which the whole selection is repeated in every fold."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.metrics import check_scoring
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from tamis._callbacks import CallbackSupportMixin
from tamis._parameters import JOBS, capped
from tamis._progress import Progress
from tamis._shared import Shared
from tamis.features._base import FeatureSelector
from tamis.features._curves import (
    chosen_size,
    column_order,
    column_sizes,
    columns_of,
    groups_for,
    size_results,
    sized,
    takes_weights,
    weights_for,
)
from tamis.features._splits import splits_by
from tamis.study._size_curves import fold_curve, kept_weights
from tamis.table._arrays import unmasked
from tamis.table._encode import as_frame, encode, gives_a_frame
from tamis.table._header import check_new_frame, note_columns
from tamis.table._rows import rows_of
from tamis.table._table import Numbers, Target
from tamis.table.weights import any_weights, scale_of

_ROW_SHARES = (0.02, 0.05, 0.1, 0.2, 0.5)


def _sifts_rows(search: Any) -> bool:
    return hasattr(search.selector, "fit_resample")


def _sifts_columns(search: Any) -> bool:
    return not _sifts_rows(search)


def _model_has(name: str) -> Any:
    return lambda search: hasattr(getattr(search, "estimator_", search.estimator), name)


class SelectorCV(CallbackSupportMixin, SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Choose how much to keep, for any selector of columns or rows.

    In every fold the selector is fitted once, on the training rows only. Its ranking gives the columns of every size, on
    which the model is fitted and then scored on the rows held out. The size is chosen by the mean scores, and the
    selector is fitted once more on all rows with that size.

    Parameters
    ----------
    selector : estimator
        A selector of columns with ``ranking_``, ``scores_``, ``feature_importances_`` or ``coef_`` after ``fit``
        (of this library, or scikit-learn's RFE, SelectKBest, SelectFromModel, ...; one without any of these, such as
        SequentialFeatureSelector, is fitted once per size), or a selector of rows with ``fit_resample`` and the
        parameter ``n_prototypes``, which is fitted once per size.
    estimator : estimator
        The model that judges a selection: a classifier, or a regressor for a numeric target.
    cv : int, splitter or iterable, default=None
        As in scikit-learn; None is 5 folds, stratified for a classifier, in the order of the rows for a regressor.
    scoring : str, callable or None, default=None
        As in scikit-learn; None is the estimator's own score.
    rule : {"one_standard_error", "level", "best"}, default="one_standard_error"
        "best" takes the size with the highest mean score, the smaller one on ties. "one_standard_error" takes the
        smallest size whose mean is within one standard error of that. "level", which is what `Sieve` does, takes the smallest
        size that is behind it by at most half the standard error of the difference over the folds: less is lost on few rows,
        where scores differ much from fold to fold, and more is kept.
    sizes : sequence, default=None
        The sizes tried: numbers of columns, or numbers or shares of rows. None tries every number of columns up to 60 and
        then about 20 more, evenly on a log scale, up to all columns (without the constants and copies that selectors of
        this library rank last); for rows 2, 5, 10, 20 and 50 %.
    n_jobs : int or None, default=None
        Folds that run at the same time. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress is shown on stderr: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    n_features_ : int
        The chosen number of columns (column selectors).
    size_ : int or float
        The chosen size, as it stands in `sizes`.
    cv_results_ : dict of arrays
        ``size``, ``mean_test_score``, ``std_test_score``, ``standard_error`` and ``split0_test_score``, ...; one entry per
        size, ascending. The best score is optimistic, and so is that of the chosen size: see the Notes.
    support_, ranking_ : ndarray, shape (d,)
        The columns kept, and the selector's ranking on all rows (1 is best; absent if the selector has none).
    sample_indices_ : ndarray of int
        The rows kept, ascending (row selectors; absent if rows are made, which are then in ``selector_.prototypes_``).
    selector_, estimator_ : estimator
        The selector fitted on all rows; the model fitted on what was kept.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    The cost is one fit of the selector per fold (per size and fold for selectors without a ranking), and one fit of the
    model per size and fold. The score of the chosen size is optimistic, since it is picked from many (on noise by a tenth):
    for an honest estimate put the whole search inside another cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from tamis import SelectorCV, UnivariateAUC
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SelectorCV(UnivariateAUC(), KNeighborsClassifier(), cv=5).fit(X, y)
    >>> search.n_features_
    2
    >>> search.transform(X).shape
    (150, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "selector": [HasMethods(["fit"])],
        "estimator": [HasMethods(["fit"])],
        "cv": ["cv_object"],
        "scoring": [None, str, callable],
        "rule": [StrOptions({"one_standard_error", "level", "best"})],
        "sizes": [None, "array-like"],
        "n_jobs": JOBS,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        selector: BaseEstimator,
        estimator: BaseEstimator,
        *,
        cv: Any = None,
        scoring: Any = None,
        rule: str = "one_standard_error",
        sizes: Sequence[float] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.selector = selector
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.sizes = sizes
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the size and select.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table, of whatever kind the selector and the model take.
        y : array-like, shape (n,)
            The classes, or numbers for a regressor.
        sample_weight : array-like, shape (n,), optional
            Weight of each row, not negative, handed on as given: to the selector, which must take them, to the score, and to the
            model where it takes them (on rows that are made it has none).
        groups : array-like, shape (n,), optional
            Rows that must stay together, for a splitter that asks for them, and for a selector that takes them (`ReliefF`, `Simba`).

        Returns
        -------
        self
            The fitted search.
        """
        X, y = self._checked(X, y)
        rows = _sifts_rows(self)
        weights = self._checked_weights(y, sample_weight)
        sizes = self._all_sizes(X, rows)
        score = check_scoring(self.estimator, scoring=self.scoring)
        splits = splits_by("SelectorCV", self.cv, X, y, groups, classifier=is_classifier(self.estimator))
        if not splits:
            raise ValueError(
                f"SelectorCV: cv={self.cv!r} makes no splits of the rows. Use one split or more."
            )
        together = None if groups is None else np.asarray(groups)
        shared, scores = Shared((X, y, weights, together)), []
        rests = "these choose the size; now everything is fitted on all rows"
        with Progress(self, "folds", len(splits), least=min(2, len(splits)), rests=rests) as progress:
            for one in Parallel(n_jobs=capped(self.n_jobs), return_as="generator")(
                delayed(fold_curve)(clone(self.selector), clone(self.estimator), score, shared, *split, sizes)
                for split in splits
            ):
                scores.append(one)
                progress()
        self.size_ = chosen_size(sizes, np.asarray(scores), self.rule, "SelectorCV")
        self.cv_results_ = size_results(sizes, np.asarray(scores))
        self._select(X, y, rows, weights, together)
        return self

    def _checked(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, Any]:
        """X unchanged if it is a frame, as an array otherwise."""
        if y is None:
            raise ValueError(
                "SelectorCV: requires y to be passed, but the target y is None. Give the class of every row."
            )
        frame = as_frame(X)
        if frame is None:
            X, y = unmasked(X), unmasked(y)
            return validate_data(self, X, y, dtype=None, ensure_all_finite=False, ensure_min_samples=2)  # type: ignore[no-any-return]
        note_columns(self, X, frame)
        check_consistent_length(X, y)
        return X, np.asarray(unmasked(y))

    def _checked_weights(self, y: Any, sample_weight: ArrayLike | None) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        if not takes_weights(self.selector):
            raise TypeError(
                f"SelectorCV: sample_weight was given, but {type(self.selector).__name__} takes none. Leave it out, or use a "
                "selector whose fit has sample_weight."
            )
        target: Target | Numbers
        if is_classifier(self.estimator):
            classes, codes = np.unique(y, return_inverse=True)
            target = Target(codes.astype(np.int64), classes)
        else:
            target = Numbers(np.asarray(y, dtype=np.float64))
        return any_weights(self, target, sample_weight) * scale_of(
            sample_weight
        )  # as given, since some selectors count rows

    def _all_sizes(self, X: Any, rows: bool) -> list[Any]:
        n_rows, n_columns = X.shape
        limit = n_rows if rows else n_columns
        if self.sizes is None:
            return list(_ROW_SHARES) if rows else self._column_sizes(X)
        size: Any
        for size in self.sizes:
            if isinstance(size, bool | np.bool_) or not isinstance(size, Real):
                raise ValueError(
                    f"SelectorCV: sizes holds {size!r}, which is not a number. Use a list of numbers."
                )
        sizes = sorted(set(np.asarray(self.sizes).tolist()))
        for size in sizes:
            share = rows and isinstance(size, float) and 0 < size <= 1
            if not share and (not 1 <= size <= limit or size != int(size)):
                what = "rows (or shares between 0 and 1)" if rows else "columns"
                raise ValueError(
                    f"SelectorCV: sizes holds {size}, but X has {limit} {what.split()[0]}. "
                    f"Use numbers of {what} from 1 to {limit}."
                )
        if not sizes:
            raise ValueError("SelectorCV: sizes is empty. Give at least one size, or None.")
        return [size if isinstance(size, float) and size < 1 else int(size) for size in sizes]

    def _column_sizes(self, X: Any) -> list[int]:
        """The sizes to try; for a selector of this library of what it may keep that is neither constant nor a copy, else of all columns."""
        if not isinstance(self.selector, FeatureSelector):
            return column_sizes(int(X.shape[1]))
        selector = clone(self.selector)
        table = selector._without_excluded(encode(selector, X, selector.categorical_features))
        least = 1 if selector._units is None else selector._units.least
        n_columns = max(least, len(selector._distinct(table).columns))
        return [size for size in column_sizes(n_columns) if size >= least]

    def _select(
        self, X: Any, y: Any, rows: bool, weights: NDArray[np.float64] | None, groups: NDArray[Any] | None
    ) -> None:
        """Fit selector and model on all rows with the chosen size."""
        self.selector_ = clone(self.selector)
        extra = weights_for(self.selector_, weights)
        if not rows:
            extra |= groups_for(self.selector_, groups)
        if rows:
            self.selector_.set_params(n_prototypes=self.size_)
            kept_X, kept_y = self.selector_.fit_resample(X, y, **extra)
            if hasattr(self.selector_, "sample_indices_"):
                self.sample_indices_ = self.selector_.sample_indices_
            weights = kept_weights(self.selector_, weights)
        else:
            if "n_features_to_select" in self.selector_.get_params(deep=False):
                self.selector_.set_params(n_features_to_select=self.size_)
            order = column_order(self.selector_, X, y, **extra)
            self.support_ = np.zeros(X.shape[1], dtype=bool)
            if order is None:
                self.selector_ = sized(self.selector, self.size_).fit(X, y, **extra)
                self.support_ = np.asarray(self.selector_.get_support())
            else:
                units = getattr(self.selector_, "_units", None)
                kept = order[: self.size_] if units is None else units.firsts(order, self.size_)
                self.support_[kept] = True
                self.ranking_ = np.empty(len(order), dtype=np.int64)
                self.ranking_[order] = np.arange(1, len(order) + 1)
            self.n_features_ = int(self.support_.sum())
            kept_X, kept_y = columns_of(X, np.flatnonzero(self.support_)), y
        self.estimator_ = clone(self.estimator).fit(kept_X, kept_y, **weights_for(self.estimator, weights))
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = self.estimator_.classes_

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: ArrayLike) -> Any:
        """Keep the chosen columns; a frame gives a frame of the same library."""
        check_is_fitted(self)
        frame = as_frame(X)
        if frame is None or not gives_a_frame(self, frame):
            return super().transform(unmasked(X))
        check_new_frame(self, X, frame)
        return columns_of(X, np.flatnonzero(self.support_))

    @available_if(_sifts_rows)
    def fit_resample(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, Any]:
        """Choose the size and return the kept rows and their classes."""
        self.fit(X, y)
        if not hasattr(self, "sample_indices_"):
            made: tuple[Any, Any] = clone(self.selector_).fit_resample(X, y)
            return made
        return rows_of(X, self.sample_indices_), rows_of(y, self.sample_indices_)

    @available_if(_model_has("predict"))
    def predict(self, X: ArrayLike) -> Any:
        """Predict with the model fitted on what was kept."""
        return self._judged("predict", X)

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: ArrayLike) -> Any:
        """Class probabilities of the model fitted on what was kept."""
        return self._judged("predict_proba", X)

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: ArrayLike) -> Any:
        """Decision values of the model fitted on what was kept."""
        return self._judged("decision_function", X)

    @available_if(_model_has("score"))
    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Score of the model fitted on what was kept."""
        return float(self._judged("score", X, y))

    def _judged(self, method: str, X: ArrayLike, *rest: Any) -> Any:
        """The result of a method of the fitted model on the kept columns of X."""
        check_is_fitted(self)
        columns = X
        if _sifts_rows(self):
            frame = as_frame(X)
            if frame is None:
                columns = validate_data(self, unmasked(X), dtype=None, ensure_all_finite=False, reset=False)
            else:
                check_new_frame(self, X, frame)
        else:
            columns = self.transform(X)
        return getattr(self.estimator_, method)(columns, *rest)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        model = get_tags(self.estimator)
        tags.estimator_type = model.estimator_type
        tags.classifier_tags = deepcopy(model.classifier_tags)
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        if _sifts_rows(self):
            tags.transformer_tags = None
        return tags


# scikit-learn wraps `transform` for set_output when the class is created, which would hide the condition.
for _name in (
    "transform",
    "fit_transform",
    "inverse_transform",
    "get_support",
    "get_feature_names_out",
    "set_output",
):
    setattr(SelectorCV, _name, available_if(_sifts_columns)(getattr(SelectorCV, _name)))
