"""Any row selector with any classifier, as one scikit-learn classifier."""

from __future__ import annotations

from inspect import signature
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context, clone
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from tamis.prototypes._nearest import NearestKept
from tamis.table._arrays import unmasked
from tamis.table._encode import as_frame, encode, encode_like
from tamis.table._header import check_new_frame, note_columns
from tamis.table._table import Target
from tamis.table._target import encode_target
from tamis.table.weights import row_weights


def _weighs(selector: Any) -> bool:
    """Whether a selector of rows takes weights."""
    return "sample_weight" in signature(selector.fit_resample).parameters


def _classifier_has(method: str) -> Any:
    def check(estimator: BaseEstimator) -> bool:
        model = getattr(estimator, "classifier_", estimator.classifier)
        return method == "predict_proba" if model is None else hasattr(model, method)

    return check


class PrototypeClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Fit a classifier on the rows that a selector keeps.

    A row selector changes the number of rows, which scikit-learn's pipelines do not allow. This classifier calls the
    selector inside `fit`, so that scikit-learn's cross-validation, grid search and pipelines work with it.

    Parameters
    ----------
    selector : estimator
        Anything with ``fit_resample``: a row selector of this library, of imbalanced-learn, or its Pipeline.
    classifier : estimator or None, default=None
        What is fitted on the kept rows. None is 1-NN with the distance that the row selectors use: categorical
        columns and missing values are allowed, the lower row wins ties, and numbers are scaled by their range in all
        rows of `fit`. For `MovedPrototypes` it is the distance that its made rows moved by, with the weights of columns.

    Attributes
    ----------
    selector_ : estimator
        The fitted selector.
    classifier_ : estimator or None
        The classifier, fitted on the kept rows; None for plain 1-NN.
    classes_ : ndarray
        The classes of `fit`, sorted, including those of which no row was kept.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Examples
    --------
    >>> from tamis import CondensedNN, PrototypeClassifier
    >>> X = [[0], [1], [2], [3], [10], [11], [12], [13]]
    >>> y = ["a", "a", "a", "a", "b", "b", "b", "b"]
    >>> model = PrototypeClassifier(CondensedNN()).fit(X, y)
    >>> model.selector_.sample_indices_
    array([0, 4])
    >>> model.predict([[4], [6]])
    array(['a', 'b'], dtype='<U1')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "selector": [HasMethods(["fit_resample"])],
        "classifier": [HasMethods(["fit", "predict"]), None],
    }

    def __init__(self, selector: BaseEstimator, classifier: Any = None) -> None:
        self.selector = selector
        self.classifier = classifier

    @property
    def _weighed_part(self) -> Any:
        """What is given the weights of the rows: the classifier, or else the selector, neither of which may take them."""
        own = self.classifier is not None and has_fit_parameter(self.classifier, "sample_weight")
        return self.classifier if own else self.selector

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Select the rows and fit the classifier on them.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows.
        y : array-like, shape (n,)
            Their classes.
        sample_weight : array-like, shape (n,), or None, default=None
            Weight of each row, not negative: for the selector, if its ``fit_resample`` takes weights, and for the classifier, if it
            takes them and the rows were kept, not made. If neither does, they are refused. To 1-NN a kept row is a
            neighbour whatever its weight.

        Returns
        -------
        self
            The fitted classifier.
        """
        X, table = self._read(X)
        target = encode_target(self, X, y)
        weights = self._weights(target, sample_weight)
        self.selector_ = clone(self.selector)
        self.classes_ = target.classes
        labels = target.classes[target.codes]
        if self.classifier is None and hasattr(self.selector_, "_for_own_distance"):
            self.selector_ = self.selector_._for_own_distance(X, labels)
        extra = {} if weights is None or not _weighs(self.selector_) else {"sample_weight": weights}
        kept_X, kept_y = self.selector_.fit_resample(X, labels, **extra)
        if not len(kept_y):
            raise ValueError(
                f"PrototypeClassifier: {type(self.selector_).__name__} kept none of {len(target.codes)} rows. "
                "Use another selector, or ask it for more rows."
            )
        if self.classifier is None:
            self.classifier_: Any = None
            # rows that were made know their own places, which are finer than the values given back
            made = getattr(self.selector_, "_nearest_made", None)
            self._nearest = made or NearestKept.of(table, encode_like(self, kept_X, table.schema).values)
            self._kept_codes = np.searchsorted(self.classes_, kept_y)
        else:
            if weights is not None:
                extra = self._weights_of_kept(weights, refused=not extra)
            self.classifier_ = clone(self.classifier).fit(kept_X, kept_y, **extra)
        return self

    def _weights(self, target: Target, sample_weight: ArrayLike | None) -> NDArray[np.float64] | None:
        """The weights as an array, if there are any and somebody takes them."""
        if sample_weight is None:
            return None
        row_weights(self, target, sample_weight)  # refuses what are no weights
        if self._weighed_part is self.selector and not _weighs(self.selector):
            self._refuse_weights()
        return np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), len(target.codes))

    def _weights_of_kept(
        self, weights: NDArray[np.float64], *, refused: bool
    ) -> dict[str, NDArray[np.float64]]:
        """The weights of the kept rows for the classifier; none where it takes none, or rows were made, or else `refused`."""
        kept = getattr(self.selector_, "sample_indices_", None)
        if kept is not None and has_fit_parameter(self.classifier, "sample_weight"):
            return {"sample_weight": weights[kept]}
        if refused:
            self._refuse_weights()
        return {}

    def _refuse_weights(self) -> NoReturn:
        model = "1-NN" if self.classifier is None else type(self.classifier).__name__
        raise TypeError(
            f"PrototypeClassifier: sample_weight was given, but {type(self.selector).__name__} takes none, and {model} "
            "cannot be given those of its rows. Leave it out, or use a selector that takes weights."
        )

    def _read(self, X: ArrayLike, *, reset: bool = True) -> tuple[Any, Any]:
        """Return X unchanged if it is a frame, else as an array; and its table where plain 1-NN needs one."""
        if self.classifier is None and reset:
            nominal = getattr(self.selector, "categorical_features", "from_dtype")
            table = encode(self, X, nominal)
            return (X if as_frame(X) is not None else np.asarray(unmasked(X), dtype=np.float64)), table
        frame = as_frame(X)
        if frame is None:
            return validate_data(self, unmasked(X), dtype=None, ensure_all_finite=False, reset=reset), None
        if reset:
            note_columns(self, X, frame)
        else:
            check_new_frame(self, X, frame)
        return X, None

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the classes of new rows.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows.

        Returns
        -------
        ndarray, shape (n,)
            Their classes.
        """
        check_is_fitted(self)
        if self.classifier_ is None:
            labels: NDArray[Any] = self.classes_[self._nearest_codes(X)]
            return labels
        predicted: NDArray[Any] = self.classifier_.predict(self._read(X, reset=False)[0])
        return predicted

    @available_if(_classifier_has("predict_proba"))
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of every class of `classes_`; 0 for a class of which no row was kept."""
        check_is_fitted(self)
        if self.classifier_ is None:
            return np.eye(len(self.classes_))[self._nearest_codes(X)]
        probabilities = self.classifier_.predict_proba(self._read(X, reset=False)[0])
        return self._in_all_classes(probabilities, 0.0)

    @available_if(_classifier_has("decision_function"))
    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the classifier's ``decision_function``, with -inf for a class of which no row was kept."""
        check_is_fitted(self)
        decisions = np.asarray(self.classifier_.decision_function(self._read(X, reset=False)[0]))
        if decisions.ndim == 1 and len(self.classes_) > 2:
            decisions = np.column_stack([-decisions, decisions])
        return decisions if decisions.ndim == 1 else self._in_all_classes(decisions, -np.inf)

    def _nearest_codes(self, X: ArrayLike) -> NDArray[np.int64]:
        codes: NDArray[np.int64] = self._kept_codes[self._nearest.positions(self, X, 1)[:, 0]]
        return codes

    def _in_all_classes(self, columns: NDArray[np.float64], empty: float) -> NDArray[np.float64]:
        """Reorder columns from the classifier's classes to `classes_`; a class it does not know gets `empty`."""
        known = self.classifier_.classes_
        if len(known) == len(self.classes_):
            return columns
        whole = np.full((len(columns), len(self.classes_)), empty)
        whole[:, np.searchsorted(self.classes_, known)] = columns
        return whole

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        parts = [part for part in (self.selector, self.classifier) if part is not None]
        tags.input_tags.allow_nan = all(get_tags(part).input_tags.allow_nan for part in parts)
        tags.input_tags.categorical = all(get_tags(part).input_tags.categorical for part in parts)
        return tags
