"""The null picture: the same steps with the target shuffled."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tamis import Decoys, RandomPrototypes, UnivariateAUC
from tamis.report._null_section import null_section
from tamis.study import compare
from tamis.study._shuffled import Shuffled, against_shuffled, kept_when_shuffled
from tests.report.test_page import read


def table(n=200, seed=0):
    """Two columns of signal, six of noise, one of them with gaps, and a category."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 8))
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    frame = pl.DataFrame(X, schema=[f"c{j}" for j in range(8)])
    gaps = [None if value < 0.1 else one for value, one in zip(random.random(n), X[:, 7])]
    return frame.with_columns(pl.Series("c7", gaps), pl.Series("place", random.choice(["a", "b"], n))), y


def test_columns_beat_a_shuffled_target_and_noise_does_not():
    """Signal is found on both halves; with the target shuffled the score is near chance."""
    X, y = table()
    told = against_shuffled(UnivariateAUC(), "columns", 2, X, y)
    assert told.better
    assert min(told.own) > 0.8
    assert np.abs(np.array(told.null) - 0.5).max() < 0.15
    assert told.n_kept == 2
    noise = np.random.default_rng(1).permutation(y)
    told = against_shuffled(UnivariateAUC(), "columns", 2, X, noise)
    assert np.abs(np.array(told.own) - 0.5).max() < 0.15


def test_numbers_rows_and_many_rows():
    """r2 of a numeric target, kept rows judged by the nearest, and at most 2,000 rows."""
    X, y = table()
    number = X["c0"].to_numpy() * 2 + X["c1"].to_numpy()
    told = against_shuffled(
        UnivariateAUC(target_kind="numbers"), "columns", 2, X, number, target_kind="numbers"
    )
    assert told.score == "r2"
    assert told.better
    rows = against_shuffled(RandomPrototypes(random_state=0), "rows", 0.3, X, y)
    assert rows.model == "1-nn"
    assert rows.n_kept == pytest.approx(30, abs=1)
    long, labels = table(2300)
    assert against_shuffled(UnivariateAUC(), "columns", 2, long, labels).better


def test_what_cannot_be_split_has_no_null():
    """Two rows, or a method that refuses."""
    X, y = table(4)
    assert against_shuffled(UnivariateAUC(), "columns", 2, X[:2], y[:2]) is None
    assert null_section(None) is None


def test_decoys_keep_nothing_of_a_shuffled_target():
    """How many columns, three times."""
    X, y = table()
    kept = kept_when_shuffled(Decoys(UnivariateAUC(), random_state=0), X, y)
    assert len(kept) == 3
    assert sum(one > 0 for one in kept) <= 1


def test_a_comparison_has_a_null_and_its_page_shows_it(tmp_path):
    """What is advised, in two splits, both ways; with no time left there is none."""
    X, y = table(120)
    found = compare(X, y, ["univariate-auc"], models=["1-nn"], cv=3, repeats=1)
    told = found.shuffled["columns"]
    assert len(told.own) == len(told.null) == 2
    assert (told.model, told.score) == ("1-nn", "balanced_accuracy")
    chosen = found.advice["columns"].chosen
    if chosen.method == "univariate-auc":
        curve = found.curve(chosen.method, chosen.model)
        assert told.own == pytest.approx(curve.values[chosen.step][:2].tolist())
    found.report(tmp_path / "page.html")
    assert "The same with the target shuffled" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_section_says_whether_chance_is_beaten():
    """In words and in numbers."""
    good = Shuffled("columns", 3.0, "boosting", "balanced_accuracy", (0.9, 0.8), (0.52, 0.48))
    bad = Shuffled("columns", 3.0, "boosting", "rmse", (2.0, 2.1), (2.2, 1.9))
    assert good.better
    assert not bad.better
    from tamis.report._page import page

    for told, words, figure in ((good, "better than any", "0.850"), (bad, "may be chance", "2.05")):
        text = page("t", [null_section(told)])
        read(text)
        assert words in text
        assert figure in text
    text = page("t", [null_section([0, 2, 0], 5)])
    assert "0, 2, 0 columns" in text
