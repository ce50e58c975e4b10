"""UnivariateAUC against pairs counted by hand, by plain loops, by SciPy and by scikit-learn."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from tamis import UnivariateAUC
from tests.oracles.auc import column_scores
from tests.settings import N_PROBLEMS

NAN = float("nan")
LAST_BIT = 2.0**-52


def problem(seed: int) -> dict[str, Any]:
    """A small table with ties, gaps, constants, small classes and sometimes nominal columns."""
    rng = np.random.default_rng(seed)
    n, d, c = rng.integers(2, 25), rng.integers(1, 6), rng.integers(2, 5)
    X = rng.integers(-3, 4, (n, d)) / 2.0
    if seed % 3 == 0:
        X = rng.normal(size=(n, d))
    X[rng.random(X.shape) < rng.choice([0, 0.2, 0.6])] = NAN
    y = rng.integers(0, c, n)
    y[:2] = [0, 1]
    nominal = np.flatnonzero(rng.random(d) < 0.3).tolist() if seed % 2 else []
    return {"X": X, "y": y, "nominal": nominal, "rng": rng, "folded": bool(rng.integers(2))}


def fitted(task: dict[str, Any], **weights: Any) -> np.ndarray:
    selector = UnivariateAUC(folded=task["folded"], categorical_features=task["nominal"])
    scores: np.ndarray = selector.fit(task["X"], task["y"], **weights).scores_
    return scores


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_scores_equal_pairs_counted_one_by_one(seed: int) -> None:
    """Two classes: the float nearest to the exact fraction. More: up to the rounding of the mean."""
    task = problem(seed)
    expected = column_scores(task["X"], task["y"], folded=task["folded"], nominal=task["nominal"])
    n_classes = len(set(task["y"]))
    np.testing.assert_allclose(fitted(task), expected, rtol=0, atol=0 if n_classes == 2 else LAST_BIT)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_weighted_scores_equal_pairs_counted_one_by_one(seed: int) -> None:
    """Integer weights are exact as well, zeros among them; other weights agree to 1e-12."""
    task = problem(seed)
    n_classes = len(set(task["y"]))
    whole = task["rng"].integers(0, 4, len(task["y"]))
    whole[:2] = 1
    expected = column_scores(task["X"], task["y"], whole, folded=task["folded"], nominal=task["nominal"])
    np.testing.assert_allclose(
        fitted(task, sample_weight=whole), expected, rtol=0, atol=0 if n_classes == 2 else LAST_BIT
    )
    broken = task["rng"].exponential(size=len(task["y"]))
    task["folded"] = False  # where half of the weight is reached hangs on a sum's last bit
    expected = column_scores(task["X"], task["y"], broken, folded=False, nominal=task["nominal"])
    np.testing.assert_allclose(fitted(task, sample_weight=broken), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_a_row_of_weight_k_counts_as_the_row_given_k_times(seed: int) -> None:
    """Bit for bit the same, folded and nominal columns included; weight 0 is a row left out."""
    task = problem(seed)
    weights = task["rng"].integers(0, 4, len(task["y"]))
    weights[:2] = 1
    repeated = {**task, "X": np.repeat(task["X"], weights, axis=0), "y": np.repeat(task["y"], weights)}
    np.testing.assert_array_equal(fitted(task, sample_weight=weights), fitted(repeated))


@pytest.mark.parametrize("seed", range(10))
def test_scipy_and_scikit_learn_agree_on_two_classes_without_gaps(seed: int) -> None:
    """max(U, n1 n2 - U) / (n1 n2) of SciPy; the ROC area of scikit-learn, with weights too."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, (30, 3)) * 1.0, np.arange(30) % 3 == 0
    weights = rng.random(30)
    won = np.array([mannwhitneyu(column[y], column[~y]).statistic for column in X.T])
    np.testing.assert_array_equal(UnivariateAUC().fit(X, y).scores_, np.maximum(won, 200 - won) / 200)
    area = np.array([roc_auc_score(y, column, sample_weight=weights) for column in X.T])
    scores = UnivariateAUC().fit(X, y, sample_weight=weights).scores_
    np.testing.assert_allclose(scores, np.maximum(area, 1 - area), rtol=0, atol=1e-12)


def test_three_classes_by_hand() -> None:
    """Classes a: 1, 2; b: 3; c: 4 on the values 1..4. a against the rest 1, b 2/3, c 1: mean by shares 11/12."""
    scores = UnivariateAUC().fit([[1], [2], [3], [4]], list("aabc")).scores_
    np.testing.assert_allclose(scores, [11 / 12], rtol=0, atol=LAST_BIT)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([1, 2, 3, 4], 1),  # every pair won
        ([4, 3, 2, 1], 1),  # every pair lost: whichever way round
        ([1, 3, 2, 4], 0.75),  # three of four pairs won
        ([1, 2, 2, 4], 0.875),  # one pair tied
        ([5, 5, 5, 5], 0.5),  # a constant
        ([NAN, 1, 2, 2], 0.75),  # pairs of the gap count half: 1/2, 1/2, 1, 1
        ([NAN, NAN, 2, 1], 1),  # being missing tells the classes apart
        ([NAN, NAN, NAN, NAN], 0.5),  # nothing known
    ],
)
def test_one_column_by_hand(column: list[float], expected: float) -> None:
    """Four rows of the classes 0, 0, 1, 1."""
    assert UnivariateAUC().fit(np.c_[column], [0, 0, 1, 1]).scores_.tolist() == [expected]


def test_folded_finds_a_class_in_the_middle() -> None:
    """Class 1 inside, class 0 at both ends: nothing by order, everything by distance from the median 0."""
    X, y = np.c_[[-5, 4, -1, 1, 0]], [0, 0, 1, 1, 1]
    assert UnivariateAUC().fit(X, y).scores_.tolist() == [0.5]
    assert UnivariateAUC(folded=True).fit(X, y).scores_.tolist() == [1]


def test_a_nominal_column_is_judged_by_its_best_value() -> None:
    """Of the values x, y, z only z tells the classes apart; by order of their names nothing would."""
    frame = pd.DataFrame({"a": list("xyxzzy")})
    y = [0, 0, 0, 1, 1, 1]
    # z against the rest: 2 of 3 rows of class 1 inside, none of class 0: (3 * 2 + 3 * 1 / 2) / 9
    assert UnivariateAUC().fit(frame, y).scores_.tolist() == [7.5 / 9]


TINY = 5e-324  # the smallest positive float


def ranks(exact: list[Fraction]) -> np.ndarray:
    """Positions of exact numbers among their distinct values, as one column."""
    return np.c_[np.searchsorted(sorted(set(exact)), exact).astype(float)]


@pytest.mark.parametrize(
    "column",
    [
        [-1e308, 1.2e308, -1.1e308, 1.7e308, 1e308],  # distances beyond the largest float
        [-1.7e308, 1.7e308, -1.6e308, 1.5e308],  # the two middle values add up to little
        [1.7e308, 1.6e308, 1.5e308, -1e308],  # their sum is beyond the largest float
        [1 * TINY, 2 * TINY, 4 * TINY, 0.0, 5 * TINY],  # half of the median is no float
        [1 * TINY, 0.0, 5 * TINY, 9 * TINY],
        [-(2.0**63), 2.0**63, 0.0, 1.0, -1.0],
        [2.0**53, 2.0**53 - 1, -(2.0**53), 7.0, 0.0],
    ],
)
@pytest.mark.parametrize("y", [[0, 1, 0, 1, 1], [0, 1, 2, 0, 1], [1, 0, 0, 0, 0]])
def test_extreme_values_neither_overflow_nor_vanish(column: list[float], y: list[int]) -> None:
    """Folded and plain, the order of huge and of tiny values is that of exact arithmetic."""
    y = y[: len(column)]
    exact = [Fraction(value) for value in column]
    middle = sorted(exact)[(len(exact) - 1) // 2] / 2 + sorted(exact)[len(exact) // 2] / 2
    plain = column_scores(ranks(exact), y)
    away = column_scores(ranks([abs(value - middle) for value in exact]), y)
    np.testing.assert_allclose(UnivariateAUC().fit(np.c_[column], y).scores_, plain, rtol=0, atol=LAST_BIT)
    scores = UnivariateAUC(folded=True).fit(np.c_[column], y).scores_
    np.testing.assert_allclose(scores, np.maximum(plain, away), rtol=0, atol=LAST_BIT)


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-3, 1e200, 1e307])
def test_only_ratios_of_weights_count(scale: float) -> None:
    """Weights of any size give the same score; nothing overflows or vanishes."""
    X, y = np.c_[[1.0, 3, 2, NAN, 5], [2.0, 2, 1, 1, 3]], [0, 0, 1, 1, 2]
    weights = np.array([1, 2, 1, 3, 2])
    selector = UnivariateAUC(folded=True)
    expected = selector.fit(X, y, sample_weight=weights).scores_
    scaled = selector.fit(X, y, sample_weight=weights * scale).scores_
    np.testing.assert_allclose(scaled, expected, rtol=0, atol=1e-3 if scale < 1e-300 else 1e-12)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("classes", [2, 3])
def test_equal_columns_have_equal_scores_wherever_they_stand(seed: int, classes: int) -> None:
    """Bit for bit, with broken weights, and alone as among many: so that ties go to the lower column."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 300))
    X = np.repeat(rng.normal(size=(n, 1)).round(1), rng.integers(2, 40), axis=1)
    y, weights = np.arange(n) % classes, rng.random(n)
    selector = UnivariateAUC().fit(X, y, sample_weight=weights)
    alone = UnivariateAUC().fit(X[:, :1], y, sample_weight=weights)
    assert set(selector.scores_) == set(alone.scores_)
    assert selector.ranking_.tolist() == list(range(1, X.shape[1] + 1))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("classes", [2, 4])
def test_the_order_of_the_classes_shows_in_no_bit(seed: int, classes: int) -> None:
    """Labels in reverse order give the same scores, broken weights included."""
    rng = np.random.default_rng(seed)
    X, y, weights = rng.normal(size=(50, 4)).round(1), np.arange(50) % classes, rng.random(50)
    selector = UnivariateAUC(folded=True, categorical_features=[0, 1])
    first = selector.fit(X, y, sample_weight=weights).scores_
    np.testing.assert_array_equal(selector.fit(X, -y, sample_weight=weights).scores_, first)


@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed", "read-only", "float32", "int8", "list"])
def test_the_form_of_an_array_does_not_matter(order: str) -> None:
    """Memory order, strides, flags and number types leave the scores alone, and the array too."""
    rng = np.random.default_rng(3)
    plain = rng.integers(-9, 9, (20, 6)) * 1.0
    forms: dict[str, Any] = {
        "C": plain.copy(),
        "F": np.asfortranarray(plain),
        "strided": np.repeat(np.repeat(plain, 2, axis=0), 3, axis=1)[::2, ::3],
        "reversed": plain[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": plain.copy(),
        "float32": plain.astype(np.float32),
        "int8": plain.astype(np.int8),
        "list": plain.tolist(),
    }
    X = forms[order]
    if order == "read-only":
        X.flags.writeable = False
    y = np.arange(20) % 3
    selector = UnivariateAUC(folded=True).fit(X, y)
    np.testing.assert_array_equal(selector.scores_, UnivariateAUC(folded=True).fit(plain, y).scores_)
    np.testing.assert_array_equal(X, plain)


def test_the_smallest_table() -> None:
    """Two rows, one column, two classes of one row each."""
    selector = UnivariateAUC().fit([[3.0], [3.5]], ["yes", "no"])
    assert selector.scores_.tolist() == [1]
    assert selector.support_.tolist() == [True]
    assert selector.classes_.tolist() == ["no", "yes"]


def test_many_blocks_give_the_answer_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wide table is worked through in blocks of columns, which shows nowhere."""
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 5, (12, 7)) * 1.0, np.arange(12) % 2
    X[rng.random(X.shape) < 0.2] = NAN
    weights = rng.random(12)
    whole = UnivariateAUC(folded=True).fit(X, y, sample_weight=weights).scores_
    monkeypatch.setattr("tamis.features.univariate._BLOCK", 25)
    np.testing.assert_array_equal(UnivariateAUC(folded=True).fit(X, y, sample_weight=weights).scores_, whole)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, 1, -1], "Negative values in data passed to `sample_weight`"),
        ([1, 1], r"sample_weight.shape == \(2,\), expected \(4,\)"),
        ([1, 1, 1, NAN], "sample_weight contains NaN"),
        # the words of scikit-learn, or our own where it is older
        (
            [0, 0, 0, 0],
            "must contain at least one non-zero|UnivariateAUC: sample_weight leaves weight to 0 classes",
        ),
        (
            [1, 1, 0, 0],
            "UnivariateAUC: sample_weight leaves weight to 1 class, but at least 2 classes are needed",
        ),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights: list[float], message: str) -> None:
    """Negative, too few, missing and all-zero weights, and weights that leave one class."""
    with pytest.raises(ValueError, match=message):
        UnivariateAUC().fit([[1], [2], [3], [4]], [0, 0, 1, 1], sample_weight=weights)


def test_a_class_without_weight_is_a_class_left_out() -> None:
    """Its rows count in no pair; classes_ still names it."""
    X, y = np.c_[[1.0, 2, 2, 3, 9]], [0, 0, 1, 1, 2]
    selector = UnivariateAUC().fit(X, y, sample_weight=[1, 1, 1, 1, 0])
    np.testing.assert_array_equal(selector.scores_, UnivariateAUC().fit(X[:4], y[:4]).scores_)
    assert selector.classes_.tolist() == [0, 1, 2]
