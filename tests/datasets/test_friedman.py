"""Friedman's functions, with relevant columns that are known."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1, make_friedman2, make_friedman3

from tamis import datasets
from tamis.datasets import make_friedman
from tamis.datasets._friedman import _clean


@pytest.mark.parametrize(
    ("function", "theirs"), [(1, make_friedman1), (2, make_friedman2), (3, make_friedman3)]
)
def test_the_functions_are_scikit_learns(function, theirs):
    """The target without noise is scikit-learn's for the same columns."""
    X, y = theirs(200, random_state=0)
    np.testing.assert_allclose(_clean(X, function), y)
    made = make_friedman(function, 3000, irrelevant=7, noise=0, random_state=1)
    own = made.X.select(made.informative).to_numpy()
    np.testing.assert_allclose(_clean(own, function), made.y)
    many, _ = theirs(3000, random_state=0)
    n = len(made.informative)
    np.testing.assert_allclose(own.min(axis=0), many.min(axis=0)[:n], atol=0.01 * many.max(axis=0)[:n].max())
    np.testing.assert_allclose(own.max(axis=0), many.max(axis=0)[:n], rtol=0.01)


def test_irrelevant_columns_look_like_the_others():
    """They have the ranges of the relevant ones in turn, stand among them, and say nothing about the target."""
    made = make_friedman(2, 4000, irrelevant=8, random_state=0)
    assert made.X.width == 12
    assert made.X.columns != sorted(made.X.columns)
    for j in range(8):
        column, other = made.X[f"i{j + 1}"], made.X[f"x{j % 4 + 1}"]
        assert column.max() == pytest.approx(other.max(), rel=0.02)
        assert abs(np.corrcoef(column, made.y)[0, 1]) < 0.06


def test_the_noise_is_as_large_as_asked():
    """In units of the spread of the function; heavy tails have no such spread, and outliers."""
    for noise in (0.0, 1 / 3, 1.0):
        made = make_friedman(1, 5000, noise=noise, random_state=0)
        clean = _clean(made.X.select(made.informative).to_numpy(), 1)
        assert (made.y - clean).std() == pytest.approx(noise * clean.std(), rel=0.05, abs=1e-12)
    heavy = make_friedman(1, 5000, heavy_tails=True, random_state=0)
    clean = _clean(heavy.X.select(heavy.informative).to_numpy(), 1)
    assert np.abs(heavy.y - clean).max() > 20 * np.median(np.abs(heavy.y - clean))


def test_a_seed_repeats_itself_and_names_load():
    """The same seed, the same table; load gives the one of seed 0."""
    one, other = (make_friedman(3, irrelevant=21, random_state=0) for _ in range(2))
    named = datasets.load("friedman3")
    assert one.X.equals(other.X)
    assert one.X.equals(named.X)
    assert np.array_equal(one.y, named.y)
    assert named.target_kind == "numbers"
    for entry in datasets.describe():
        if entry.name.startswith("friedman") and entry.origin == "generated":
            made = datasets.load(entry.name)
            assert (made.X.height, made.X.width) == (entry.rows, entry.columns)
            assert made.informative == entry.informative


@pytest.mark.parametrize(
    "wrong", [{"function": 4}, {"function": True}, {"n": 1}, {"noise": -1}, {"irrelevant": -1}]
)
def test_wrong_arguments_are_named(wrong):
    """Each is refused with its name."""
    with pytest.raises(ValueError, match=f"make_friedman: {next(iter(wrong))}="):
        make_friedman(**wrong)
