"""Any row selector with any classifier, as one scikit-learn classifier."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context, clone
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from tamis.prototypes._nearest import NearestKept
from tamis.table._arrays import unmasked
from tamis.table._encode import as_frame, check_new_frame, encode, encode_like
from tamis.table._target import encode_target


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

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Select the rows and fit the classifier on them.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows.
        y : array-like, shape (n,)
            Their classes.

        Returns
        -------
        self
            The fitted classifier.
        """
        X, table = self._read(X)
        target = encode_target(self, X, y)
        self.selector_ = clone(self.selector)
        self.classes_ = target.classes
        labels = target.classes[target.codes]
        if self.classifier is None and hasattr(self.selector_, "_for_own_distance"):
            self.selector_ = self.selector_._for_own_distance(X, labels)
        kept_X, kept_y = self.selector_.fit_resample(X, labels)
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
            self.classifier_ = clone(self.classifier).fit(kept_X, kept_y)
        return self

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
            validate_data(self, X, skip_check_array=True)
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
