"""Other readings of the papers' tables: they agree with the page where nothing is read otherwise, and say what they change."""

import numpy as np
import pytest

from tamis import StumpAdaBoost
from tamis.papers import _fs2boost_readings as of_columns
from tamis.papers import _psboost_readings as of_rows
from tamis.papers import _sbsmf_readings as of_margins
from tamis.papers import fs2boost, psboost
from tamis.papers._paper import Task
from tamis.papers._tables import Numbers, loaded


@pytest.mark.parametrize("name", ["monks1_test", "glass2", "heart_cleveland"])
def test_the_reading_of_the_page_has_the_figures_of_the_page(name):
    """k = 9 and nothing else: SFS, FS2Boost and all columns as in Table 1."""
    figures = {
        f.method: f.value
        for f in fs2boost.PAPER.measured(Task("1", "paper", name, 0), 0)
        if f.figure == "accuracy"
    }
    found = of_columns._accuracies(loaded(name), of_columns.Reading(9))
    assert found == pytest.approx([figures[column] for column in fs2boost.COLUMNS], abs=1e-9)


def test_columns_are_scaled_as_a_reading_says():
    """Distances by deviation or unscaled are those of plain arithmetic, up to a common factor and a step of 2**-20."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 3)) * [1.0, 5.0, 40.0]
    data = Numbers(values, np.zeros(3, bool), np.arange(30) % 2, ("a", "b", "c"), ())
    for scale, unit in (("deviation", values.std(axis=0)), ("nothing", np.ones(3))):
        reading = of_columns.Reading(3, metric="l2", scale=scale, plain=True)
        found = of_columns.coordinates(data, reading)
        apart = ((found[:, None] - found[None]) ** 2).sum(axis=2)
        expected = (((values[:, None] - values[None]) / unit) ** 2).sum(axis=2)
        np.testing.assert_allclose(apart / apart.max(), expected / expected.max(), rtol=1e-9, atol=1e-12)


def test_categories_and_gaps_keep_their_distance():
    """Only numbers that are there are scaled otherwise."""
    data = loaded("horse_colic")
    plain = of_columns.coordinates(data, of_columns.Reading(9))
    scaled = of_columns.coordinates(data, of_columns.Reading(9, scale="deviation"))
    fixed = data.nominal | np.isnan(data.values)
    np.testing.assert_array_equal(scaled[fixed], plain[fixed])
    assert (scaled[~fixed] != plain[~fixed]).any()


def test_every_reading_of_a_set_is_measured():
    """Monks 1 has another version, Hard another noise; names are different."""
    names = [reading.name for reading in of_columns.READINGS]
    assert len(set(names)) == len(names)
    figures = fs2boost.PAPER.measured(Task("readings", "paper", "monks1_test", 0), 0)
    told = {f.setting for f in figures}
    assert {"k = 1, other version of the set", "k = 9, both versions of the set"} <= told
    assert "k = 1, noise 0" not in told
    figures = psboost.PAPER.measured(Task("readings", "paper", "horse_colic", 0), 0)
    assert {of_rows.FILLED, of_rows.PLAIN, of_rows.TIES} <= {f.setting for f in figures}
    assert {"noise 0", "noise 0.2"} <= {
        setting for setting, _ in of_rows.versions("led", loaded("house_votes"), 0)
    }


def test_votes_with_equal_weights_are_plain_votes():
    """The class of most of the five nearest, of tied classes that of the nearest row; weights turn a vote."""
    near, y = np.array([[0, 1, 2, 3], [3, 2, 1, 0]]), np.array([0, 0, 1, 1])
    assert of_rows._voted(near, y, np.ones(4)).tolist() == [0, 1]
    assert of_rows._voted(near, y, np.array([1.0, 1, 3, 1])).tolist() == [1, 1]
    assert of_rows._voted(near, y, np.array([1.0, 1, -3, 1])).tolist() == [0, 0]


def test_weights_of_all_rows_are_measured():
    """With and without weights, in a vote and in a tree."""
    figures = psboost.PAPER.measured(Task("weights", "honest", "led", 0), 0)
    assert [f.method for f in figures] == list(of_rows.VOTES)
    assert all(40 < f.value <= 100 for f in figures)


def test_readings_of_sbsmf_judge_every_method_and_rank_anew_what_is_boosted():
    """Four judges for all, eight rankings for the two boosted methods; the bound of Theorem 2.1 is the classifier's own."""
    data = loaded("ionosphere")
    few = Numbers(data.values[::4, :6], data.nominal[:6], data.codes[::4], data.columns[:6], ())
    found = {
        (figure.method, figure.setting): figure.value for figure in of_margins.read_figures("few", few, 0)
    }
    assert len(found) == 5 * 4 + 2 * 8
    assert {setting for _, setting in found} == set(of_margins.READINGS)
    assert all(40 <= value <= 100 for value in found.values())
    bound = {figure.figure: figure.value for figure in of_margins.bound_figures(few)}
    (expected,) = StumpAdaBoost().fit(few.values, few.codes).margin_bound(few.values, few.codes)
    assert bound["bound"] == expected.bound
