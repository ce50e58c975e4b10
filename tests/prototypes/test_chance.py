"""RandomPrototypes: fair draws, decided by the seed alone."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tamis import RandomPrototypes

X = np.arange(12.0).reshape(6, 2)
Y = np.array(["a", "a", "a", "a", "b", "b"])


def test_rows_are_drawn_without_replacement() -> None:
    """As many different rows as asked for."""
    for seed in range(20):
        rows = RandomPrototypes(4, random_state=seed).fit(X, Y).sample_indices_
        assert len(set(rows.tolist())) == 4
        assert rows.min() >= 0
        assert rows.max() < 6


def test_the_seed_decides_the_draw() -> None:
    """The same seed gives the same rows, an int as a generator of that seed; another seed may not."""
    first = RandomPrototypes(3, random_state=1).fit(X, Y).sample_indices_
    again = RandomPrototypes(3, random_state=np.random.RandomState(1)).fit(X, Y).sample_indices_
    np.testing.assert_array_equal(first, again)
    draws = {tuple(RandomPrototypes(3, random_state=seed).fit(X, Y).sample_indices_) for seed in range(50)}
    assert len(draws) > 10


def test_the_values_do_not_matter() -> None:
    """Chance does not look at X, nor, without quotas, at y."""
    first = RandomPrototypes(3, random_state=1).fit(X, Y).sample_indices_
    other = RandomPrototypes(3, random_state=1).fit(pd.DataFrame({"t": list("pqrstu")}), Y[::-1])
    np.testing.assert_array_equal(first, other.sample_indices_)


def test_every_set_of_rows_is_drawn_as_often() -> None:
    """900 draws of 2 of 6 rows: each of the 15 pairs about 60 times, chi-square within its 99.9 % limit."""
    seeds = np.random.RandomState(0)
    selector = RandomPrototypes(2, random_state=seeds)
    counts = dict.fromkeys(combinations(range(6), 2), 0)
    for _ in range(900):
        counts[tuple(selector.fit(X, Y).sample_indices_.tolist())] += 1
    deviation = sum((count - 60) ** 2 / 60 for count in counts.values())
    assert deviation < 36.12  # chi-square, 14 degrees of freedom


@pytest.mark.parametrize(("wanted", "shares"), [(3, [2, 1]), (2, [1, 1]), (0.5, [2, 1]), (1.0, [4, 2])])
def test_proportional_quotas_keep_the_classes_shares(wanted: float, shares: list[int]) -> None:
    """Each class has its share of the kept rows, in every draw."""
    for seed in range(10):
        _, labels = RandomPrototypes(wanted, class_quota="proportional", random_state=seed).fit_resample(X, Y)
        assert [np.sum(labels == "a"), np.sum(labels == "b")] == shares


def test_quotas_by_label() -> None:
    """A dict says how many rows of each class, whatever n_prototypes says."""
    selector = RandomPrototypes(100, class_quota={"b": 2, "a": 1}, random_state=0)
    _, labels = selector.fit_resample(X, Y)
    assert sorted(labels) == ["a", "b", "b"]


def test_within_a_class_every_row_is_drawn_as_often() -> None:
    """400 draws of one of four rows: each about 100 times, chi-square within its 99.9 % limit."""
    selector = RandomPrototypes(class_quota={"a": 1}, random_state=np.random.RandomState(0))
    rows = [int(selector.fit(X, Y).sample_indices_[0]) for _ in range(400)]
    counts = np.bincount(rows, minlength=6)
    assert counts[4:].tolist() == [0, 0]
    assert np.sum((counts[:4] - 100) ** 2 / 100) < 16.27  # chi-square, 3 degrees of freedom


@pytest.mark.parametrize("quota", ["prop", 5, ["a"]])
def test_what_is_no_quota_is_refused(quota: object) -> None:
    """The values allowed stand in the error."""
    with pytest.raises(
        ValueError, match="'class_quota' parameter of RandomPrototypes must be None, a str among"
    ):
        RandomPrototypes(class_quota=quota).fit(X, Y)
