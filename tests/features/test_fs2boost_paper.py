"""FS2Boost as the paper prints it, and searches that leave columns unmeasured."""

import numpy as np
import polars as pl
import pytest

from tamis import FS2Boost, datasets
from tests.features.test_fs2boost import search_options, selector_of
from tests.oracles import columns
from tests.oracles import fs2boost as oracle
from tests.settings import N_PROBLEMS
from tests.votes.problems import vote_problem


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_preset_is_figure_two(seed):
    """Same columns in the same order, same Z; constants and copies, which the figure does not know, aside."""
    problem = vote_problem(seed)
    selector = selector_of(problem, preset="paper").fit(problem.values, problem.codes)
    first = columns.first_equals(problem.values, problem.nominal)
    told = [j for j in range(problem.n_columns) if first[j] == j] or [0]
    z, chosen = oracle.figure_two(problem.oracle(even=False), told, 0.003)
    assert np.argsort(selector.ranking_)[: selector.n_features_].tolist() == chosen
    assert selector.criterion_ == pytest.approx(z, abs=1e-12)


def test_the_preset_keeps_what_patience_one_keeps():
    """On a real table; what contradicts the preset is refused by name."""
    data = datasets.load("heart_cleveland")
    preset = FS2Boost(preset="paper").fit(data.X, data.y)
    np.testing.assert_array_equal(preset.support_, FS2Boost(patience=1).fit(data.X, data.y).support_)
    for setting in ({"patience": 2}, {"direction": "backward"}, {"floating": True}):
        name = next(iter(setting))
        with pytest.raises(
            ValueError, match=f"FS2Boost: preset='paper' means {name}=.*but {name}=.*was given too"
        ):
            FS2Boost(preset="paper", **setting).fit(data.X, data.y)


def test_where_no_description_is_in_two_classes_z_prime_is_z():
    """As the paper remarks: then all readings of iFS2Boost are FS2Boost, step by step."""
    data = datasets.load("glass2")
    X = data.X.unique(maintain_order=True)
    y = np.asarray(data.y)[[data.X.rows().index(row) for row in X.rows()]]
    X = X.select(X.columns[0]).with_columns(
        pl.Series("number", np.arange(len(y), dtype=float)), X["Al"], X["Mg"]
    )
    settings = {"fixed_features": ["number"], "n_rounds": 10, "preset": "paper"}
    plain = FS2Boost(**settings).fit(X, y)
    for criterion in ("z_prime", "z_prime_minimised", "z_prime_literal"):
        primed = FS2Boost(**settings, criterion=criterion).fit(X, y)
        np.testing.assert_allclose(
            primed.history_["criterion"], plain.history_["criterion"], rtol=0, atol=1e-12
        )
        np.testing.assert_allclose(
            primed.history_["z_prime"], plain.history_["criterion"], rtol=0, atol=1e-12
        )


def test_the_readings_of_z_prime_differ_where_descriptions_do():
    """Two rows of one description and two classes: Z' leaves them out, Z does not; the two readings of Z' are two."""
    data = datasets.load("monks1_test")
    values = {
        criterion: FS2Boost(1, criterion=criterion, n_rounds=5).fit(data.X, data.y).history_["candidates"][0]
        for criterion in ("z", "z_prime", "z_prime_minimised", "z_prime_literal")
    }
    told = {criterion: tuple(np.round(found, 9)) for criterion, found in values.items()}
    assert len(set(told.values())) >= 3


@pytest.mark.parametrize("seed", range(2 * N_PROBLEMS))
def test_a_bounded_search_keeps_what_the_full_search_keeps(seed):
    """Same moves, same values, same columns, with every rule; what is measured has the same bits."""
    problem = vote_problem(seed)
    if seed % 2:  # few values, so that the bound says something
        few = np.random.default_rng(seed).integers(0, 2, size=problem.values.shape).astype(float)
        problem = problem._replace(values=few)
    options = search_options(problem, seed)[0]
    full = selector_of(problem, **options).fit(problem.values, problem.codes)
    bounded = selector_of(problem, **options, bounded=True).fit(problem.values, problem.codes)
    for part in ("feature", "added", "n_features", "criterion", "z_prime", "progress"):
        np.testing.assert_array_equal(bounded.history_[part], full.history_[part])
    np.testing.assert_array_equal(bounded.support_, full.support_)
    assert (bounded.scores_ >= full.scores_ - 1e-12).all()
    if (
        np.isfinite(bounded.history_["candidates"][0]).sum()
        == np.isfinite(full.history_["candidates"][0]).sum()
    ):
        np.testing.assert_allclose(bounded.scores_, full.scores_, rtol=0, atol=1e-12)
    assert bounded.criterion_ == full.criterion_
    measured = ~np.isnan(bounded.history_["candidates"])
    np.testing.assert_array_equal(
        bounded.history_["candidates"][measured], full.history_["candidates"][measured]
    )


@pytest.mark.parametrize("estimator", [None, "stump"])
@pytest.mark.parametrize("name", ["monks1_test", "house_votes"])
def test_bounds_leave_columns_unmeasured(name, estimator):
    """On tables of few values some candidates are never boosted, and the answer is that of the full search."""
    data = datasets.load(name)
    settings = {"estimator": estimator, "n_rounds": 3, "max_features": 3}
    full = FS2Boost(**settings).fit(data.X, data.y)
    bounded = FS2Boost(**settings, bounded=True).fit(data.X, data.y)
    np.testing.assert_array_equal(bounded.history_["feature"], full.history_["feature"])
    np.testing.assert_array_equal(bounded.support_, full.support_)
    n_measured = [(~np.isnan(one.history_["candidates"])).sum() for one in (bounded, full)]
    assert n_measured[0] < n_measured[1]
