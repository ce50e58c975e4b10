"""What kept rows are worth."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.neighbors import KNeighborsClassifier

from tamis import MarginPrototypes, MovedPrototypes, RandomPrototypes
from tamis.study import _kept_accuracy
from tamis.study._kept_accuracy import kept_accuracy


class FirstRows(BaseEstimator):
    """Keeps the first rows, and remembers what it was given."""

    seen = None

    def __init__(self, n_prototypes=4):
        self.n_prototypes = n_prototypes

    def fit_resample(self, X, y):
        """The first rows."""
        FirstRows.seen.append((X, y))
        return X[: self.n_prototypes], y[: self.n_prototypes]


def line(n_rows):
    """A column of different numbers, and classes that overlap."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n_rows)
    return pl.DataFrame({"x": x}), np.where(x + 0.5 * rng.normal(size=n_rows) > 0.5, "a", "b").astype(object)


def test_it_is_the_nearest_neighbour_rule_on_rows_that_had_no_part_in_the_choice():
    """The nearest kept row answers about the rows held out; classes count alike, and the same fraction is kept."""
    rows, y = line(200)
    FirstRows.seen = []
    found = kept_accuracy(FirstRows(16), rows, y)
    (known, classes), x = FirstRows.seen[0], rows["x"].to_numpy()
    held = np.flatnonzero(~np.isin(x, known["x"]))
    assert found.n_asked == len(held) == sum(np.unique(y, return_counts=True)[1] // 4)
    assert found.n_kept == round(16 * len(known) / 200)
    kept = known["x"].to_numpy()[: found.n_kept]
    for points, labels, share in (
        (kept, classes[: len(kept)], found.kept),
        (known["x"].to_numpy(), classes, found.every),
    ):
        right = labels[np.abs(x[held, None] - points).argmin(axis=1)] == y[held]
        by_class = [right[y[held] == one] for one in "ab"]
        assert share == pytest.approx(np.mean([one.mean() for one in by_class]))
        if points is kept:
            variance = sum(one.mean() * (1 - one.mean()) / len(one) for one in by_class)
            assert found.error == pytest.approx(np.sqrt(variance) / 2)
    assert 0 <= found.drawn <= 1


def test_rare_classes_are_held_out_too():
    """A class of two rows has one on either side; a class of one row is not asked about."""
    rows, y = line(100)
    y[:2], y[2] = "rare", "once"
    found = kept_accuracy(RandomPrototypes(0.9, random_state=0), rows, y)
    assert set(found.by_class) == {"a", "b", "rare"}


def test_whole_groups_are_held_out():
    """Rows of a group are on one side; a selector that takes groups is given those of the rows to choose among."""

    class Grouped(FirstRows):
        def fit_resample(self, X, y, *, groups):
            self.given.append((X["x"].to_list(), groups))
            return super().fit_resample(X, y)

    Grouped.given, FirstRows.seen = [], []
    rows, y = line(120)
    groups = np.arange(120) // 5
    found = kept_accuracy(Grouped(8), rows, y, groups)
    known, given = Grouped.given[0]
    assert found.n_asked == 30
    assert given.tolist() == [groups[rows["x"].to_list().index(value)] for value in known]
    assert len(np.unique(given)) * 5 == len(known) == 90


def test_large_tables_are_judged_by_a_draw(monkeypatch):
    """No more rows than the limits are chosen from, and asked about."""
    monkeypatch.setattr(_kept_accuracy, "MOST_ROWS", 80)
    monkeypatch.setattr(_kept_accuracy, "MOST_ASKED", 10)
    rows, y = line(400)
    found = kept_accuracy(RandomPrototypes(0.5, random_state=0), rows, y)
    assert found.n_asked == 10
    assert found.n_kept <= 40


def test_made_rows_are_judged():
    """A method that makes rows is judged by the rows that it makes of the others; the same call gives the same answer."""
    rows, y = line(120)
    found = kept_accuracy(MovedPrototypes(4, random_state=0), rows, y)
    assert found.n_kept == 3
    assert found == replace(kept_accuracy(MovedPrototypes(4, random_state=0), rows, y))


def test_there_is_none_where_nothing_can_be_asked():
    """Few rows, one class among those to choose from, or a selector that asks for more rows than there are."""
    rows, y = line(40)
    assert kept_accuracy(FirstRows(2), rows[:19], y[:19]) is None
    assert kept_accuracy(FirstRows(2), rows, np.array(["a"] * 40)) is None
    assert kept_accuracy(RandomPrototypes(class_quota={"a": int((y == "a").sum())}), rows, y) is None


def test_weights_for_rare_classes_help_them():
    """On rows held out, balanced class weights give more right answers per class where a class is rare."""
    rng = np.random.default_rng(1)
    y = (np.arange(1500) < 15).astype(int)
    rows = pl.DataFrame(rng.normal(size=(1500, 4)) + 1.5 * y[:, None])
    n_kept, alike = {}, {}
    for weight in (None, "balanced"):
        selector = MarginPrototypes(0.1, class_weight=weight, random_state=0).fit(rows, y)
        n_kept[weight] = int(y[selector.sample_indices_].sum())
        asked = rng.normal(size=(2000, 4)) + 1.5 * (np.arange(2000) < 1000)[:, None]
        kept = selector.sample_indices_.tolist()
        said = KNeighborsClassifier(1).fit(rows[kept].to_numpy(), y[kept]).predict(asked)
        alike[weight] = np.mean(said == (np.arange(2000) < 1000))
    assert n_kept["balanced"] > n_kept[None]
    assert alike["balanced"] > alike[None]
