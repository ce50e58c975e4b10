"""What is advised rests on splits that all candidates share."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tamis import UnivariateAUC
from tamis.cli._compare import _choice_in_words
from tamis.study import compare
from tamis.study._advice import names_kept, provisional, verdict
from tamis.study._recommend import _shared_splits, recommend
from tamis.study._scores import shown


@pytest.mark.parametrize(
    ("done", "enough", "shared"),
    [
        (["1111", "1111"], "11", "1111"),
        (["1111", "1000"], "10", "1111"),  # one easy split crowns nobody
        (["1111", "1100"], "11", "1100"),
        (["1110", "0001"], "10", "1110"),
        (["1110", "0111", "1000"], "110", "0110"),
        (["1000", "1000"], "11", "1000"),
    ],
)
def test_candidates_are_judged_on_the_splits_they_share(done, enough, shared):
    """Those with the fewest splits are left aside until the others share half of the most."""
    table = np.array([[sign == "1" for sign in row] for row in done])
    stay, splits = _shared_splits(table)
    assert stay.tolist() == [sign == "1" for sign in enough]
    assert splits.tolist() == [sign == "1" for sign in shared]


def test_a_budget_that_ended_early_is_called_provisional():
    """With fewer splits than asked for the advice says so; a method of one lucky split is not advised."""
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 5))
    y = (X[:, 0] > 0).astype(int)
    found = compare(X, y, ["univariate-auc", "gram-schmidt"], models=["linear"], cv=3, repeats=1)
    assert provisional(found.advice["columns"]) == ""
    lucky = [one for one in found.answers if one["method"] != "gram-schmidt" or one["split"] == 0]
    for one in lucky:
        if one["method"] == "gram-schmidt":
            for step in one["steps"]:
                step["scores"]["linear"][:3] = [1.0, 1.0, 1.0]
    found.answers[:] = lucky
    said = recommend(found)
    assert said.chosen.method != "gram-schmidt"
    assert said.n_splits == 3
    found.answers[:] = [one for one in found.answers if one["split"] == 0]
    said = recommend(found)
    assert provisional(said) == " (provisional: 1 of 3 splits)"
    assert "(provisional: 1 of 3 splits)" in verdict(found, said)


def test_a_comparison_tells_names():
    """The advised columns by name, and the same in a notebook, with every text escaped."""
    random = np.random.default_rng(0)
    X = pl.DataFrame(random.normal(size=(60, 3)), schema=["<b>", "c", "d"])
    found = compare(X, X["<b>"].to_numpy() > 0, ["univariate-auc"], models=["linear"], cv=3, repeats=1)
    assert found.kept_names()[0] == "<b>"
    assert found.kept_names("rows") == []
    assert "columns: &lt;b&gt;" in found._repr_html_()
    late = replace(found, final={})  # the time was up before the choice was fitted on all rows
    assert late.kept_names() == []
    said = late.advice["columns"]
    assert names_kept(late, said)[0] == "<b>"
    assert len(names_kept(late, said)) == said.chosen.n_kept
    assert "<b>" in _choice_in_words(late, said)


def test_nothing_is_shown_below_zero_that_rounds_to_it():
    """A score of chance that is nearly 0 has no sign."""
    assert [shown("r2", value) for value in (-0.0001, 0.0, -0.25)] == ["0.000", "0.000", "-0.250"]


def test_selectors_have_feature_importances():
    """Under scikit-learn's name they are the scores, and there are none before fit."""
    X = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    selector = UnivariateAUC()
    assert not hasattr(selector, "feature_importances_")
    selector.fit(X, [0, 1, 0, 1])
    assert selector.feature_importances_.tolist() == selector.scores_.tolist()
