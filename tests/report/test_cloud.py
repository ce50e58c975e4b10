"""Predicted against true numbers in the report."""

import re

import numpy as np
import pytest

from tamis.report._chart import Scale
from tamis.report._cloud import MOST_POINTS, prediction_charts


def points(picture):
    """The centres of the dots."""
    found = re.findall(r'<circle class="dot" cx="([-\d.e]+)" cy="([-\d.e]+)"', picture)
    return np.array(found, dtype=float)


def test_a_right_prediction_lies_on_the_line():
    """Dots of equal numbers lie on the guide line; residuals of 0 lie on the line of 0."""
    true = np.array([1.0, 2.0, 3.0, 4.0])
    first, second = prediction_charts(true, true, "a model")
    ends = re.search(r'<line class="axis" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"/><g', first)
    x1, y1, x2, y2 = map(float, ends.groups())
    for x, y in points(first):
        assert (x - x1) * (y2 - y1) == pytest.approx((y - y1) * (x2 - x1), abs=20)
    assert len(set(points(second)[:, 1])) == 1
    assert "Half of the rows are predicted to within 0 of the truth" in first


def test_rows_without_a_prediction_are_not_drawn():
    """NaN is left out, with one row left there is nothing to draw; many rows are thinned, and that is said."""
    true = np.arange(5.0)
    first, second = prediction_charts(true, [0.5, np.nan, 2.5, 2.0, np.nan], "a model")
    assert len(points(first)) == len(points(second)) == 3
    assert "the largest error is +1, in row 4" in second
    assert "the largest error is -2990, in row 5" in prediction_charts(true, [0, 1, 2, 3, 2994], "a model")[1]
    assert prediction_charts(true, [1.0, *[np.nan] * 4], "a model") == []
    many = np.random.default_rng(0).normal(size=(2, 3000))
    assert len(points(prediction_charts(*many, "a model")[0])) == MOST_POINTS
    assert f"{MOST_POINTS} of 3000 rows are drawn." in prediction_charts(*many, "a model")[0]


def test_names_are_escaped_and_extreme_numbers_drawn():
    """A model's name cannot run; equal, tiny and huge numbers have positions."""
    first, _ = prediction_charts([1.0, 2.0], [1.0, 1.0], "<script>alert(1)</script>")
    assert "<script>" not in first
    for true in ([1e-12, 2e-12, 4e-12], [1e200, -1e200, 0.0], [5.0, 5.0, 5.0]):
        for picture in prediction_charts(true, np.array(true) * 0.9, "a model"):
            assert np.isfinite(points(picture)).all()


def test_ticks_of_tiny_numbers_differ():
    """An axis of a billionth has as many marks as one of ones."""
    assert len(set(Scale(0, 1e-12, 0, 1).ticks())) == len(set(Scale(0, 1, 0, 1).ticks())) > 3


def test_ticks_of_counts_are_whole():
    """Between 1 and 4 columns there is no half of one."""
    assert Scale(1, 4, 0, 1, whole=True).ticks() == [1, 2, 3, 4]
    assert 1.5 in Scale(1, 4, 0, 1).ticks()
