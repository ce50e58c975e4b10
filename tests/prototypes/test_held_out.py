"""Whether columns learn to count is decided on rows held out, by PrototypeClassifier alone."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

from tamis import MovedPrototypes, PrototypeClassifier
from tamis.prototypes._held_out import N_FOLDS, OUTSIDE, held_out_folds, with_weights_decided

Rows = tuple[NDArray[np.float64], NDArray[Any]]


def _rows(n_rows: int, n_noise: int, seed: int, n_classes: int = 2) -> Rows:
    """One column that tells the class, and columns of noise."""
    random = np.random.default_rng(seed)
    y = random.integers(0, n_classes, n_rows)
    return np.column_stack([y + random.normal(0, 0.3, n_rows), random.normal(size=(n_rows, n_noise))]), y


@pytest.mark.parametrize("seed", range(4))
def test_the_choice_is_what_is_right_more_often(seed: int) -> None:
    """The definition, with the public classifier and plain loops."""
    X, y = _rows(60, 1 + 2 * seed, seed)
    selector = MovedPrototypes(4, n_steps=20, random_state=seed)
    folds = held_out_folds(y, np.random.RandomState(seed))
    right = {False: 0, True: 0}
    for fold in range(N_FOLDS):
        for learn in right:
            one = clone(selector).set_params(learn_weights=learn)
            model = PrototypeClassifier(one).fit(X[folds != fold], y[folds != fold])
            right[learn] += int(np.sum(model.predict(X[folds == fold]) == y[folds == fold]))
    assert with_weights_decided(selector, X, y).learn_weights == (right[True] > right[False])


def test_noise_makes_columns_count_differently() -> None:
    """One column among thirty tells the class: weights are learnt, and the noise counts less."""
    X, y = _rows(200, 30, 0)
    model = PrototypeClassifier(MovedPrototypes(6, n_steps=60, random_state=0)).fit(X, y)
    assert model.selector_.learn_weights is True
    assert model.selector_.position_weights_[0] > 5 * np.median(model.selector_.position_weights_[1:])


def test_made_rows_for_other_models_know_no_weights() -> None:
    """`fit`, `fit_resample` and a classifier of one's own get rows for a plain distance."""
    X, y = _rows(80, 10, 1)
    auto, plain = (MovedPrototypes(4, n_steps=15, learn_weights=v, random_state=0) for v in ("auto", False))
    made = auto.fit_resample(X, y)[0]
    assert np.all(auto.position_weights_ == 1)
    assert np.array_equal(made, clone(auto).fit(X, y).prototypes_)
    inner = PrototypeClassifier(auto, classifier=PrototypeClassifier(clone(plain)))
    model = PrototypeClassifier(auto, classifier=PrototypeClassifier(clone(plain))).fit(X, y)
    assert model.selector_.learn_weights == "auto"
    assert np.array_equal(model.predict(X), inner.fit(X, y).predict(X))


def test_folds_deal_out_classes_and_spare_rare_ones() -> None:
    """A class with fewer rows than folds is never held out; many rows are drawn from, each class by its share."""
    codes = np.repeat([0, 1, 2], [31, 2, 17])
    folds = held_out_folds(codes, np.random.RandomState(0))
    assert set(folds[codes == 1]) == {-1}
    for code in (0, 2):
        dealt = np.bincount(folds[codes == code], minlength=N_FOLDS)
        assert dealt.max() - dealt.min() <= 1
        assert len(dealt) == N_FOLDS
    folds = held_out_folds(codes, np.random.RandomState(0), 25)
    assert [int(np.sum(folds[codes == code] > OUTSIDE)) for code in range(3)] == [16, 2, 8]


def test_nothing_is_decided_where_one_class_could_be_held_out() -> None:
    """Then columns count the same; the number of rows made is kept to."""
    X, y = np.arange(8.0)[:, None], np.array([0] * 6 + [1] * 2)
    model = PrototypeClassifier(MovedPrototypes(3, n_steps=5, random_state=0)).fit(X, y)
    assert model.selector_.learn_weights is False
    assert len(model.selector_.labels_) == 3


def test_a_frame_with_names_and_missing_values_is_tried_too() -> None:
    """A value that occurs in held-out rows only is no obstacle."""
    X, y = _rows(45, 2, 3, n_classes=3)
    names = ["once", *["a", "b", None, "b"] * 11]
    frame = pl.DataFrame({"n": X[:, 0], "word": names, "m": [None, *X[1:, 1].tolist()]})
    labels = np.array(["x", "y", "z"])[y]
    first, second = (
        PrototypeClassifier(MovedPrototypes(6, n_steps=10, random_state=0, n_jobs=n_jobs)).fit(frame, labels)
        for n_jobs in (1, 2)
    )
    assert first.selector_.learn_weights == second.selector_.learn_weights
    assert np.array_equal(first.selector_.positions_, second.selector_.positions_)
