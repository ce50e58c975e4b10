"""Fixed, excluded and grouped columns, in every selector of columns."""

import numpy as np
import pandas as pd
import pytest

from tamis import UnivariateAUC
from tamis.features._base import FeatureSelector
from tests.estimators import default, public_estimators

SELECTORS = sorted(name for name, made in public_estimators().items() if issubclass(made, FeatureSelector))


def told(name, **parameters):
    """A selector that draws the same every time, fitted on a table whose columns c and e make the class."""
    X = np.random.default_rng(0).normal(size=(60, 7))
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    selector = default(name, **parameters)
    if "random_state" in selector.get_params():
        selector.set_params(random_state=0)
    return selector.fit(frame, (X[:, 2] + X[:, 4] > 0).astype(int))


@pytest.mark.parametrize("name", SELECTORS)
def test_fixed_stand_first_excluded_last_and_groups_side_by_side(name):
    """By name; a group that does not fit is left out whole."""
    rules = {"fixed_features": ["b"], "excluded_features": ["c"], "feature_groups": [["a", "e"], ["f", "g"]]}
    found = told(name, n_features_to_select=4, **rules)
    order = [found.feature_names_in_[j] for j in np.argsort(found.ranking_)]
    assert order[0] == "b"
    assert order[-1] == "c"
    assert abs(order.index("a") - order.index("e")) == 1
    assert abs(order.index("f") - order.index("g")) == 1
    kept = set(found.get_feature_names_out())
    assert len(kept) <= 4
    assert "b" in kept
    assert "c" not in kept
    assert len(kept & {"a", "e"}) != 1
    assert len(kept & {"f", "g"}) != 1


@pytest.mark.parametrize("name", sorted(set(SELECTORS) - {"EFR", "ROGER", "SampledEFR"}))
def test_an_excluded_column_changes_nothing_else(name):
    """The others stand as if it were not in the table; what draws column by column meets other draws."""
    X = np.random.default_rng(1).normal(size=(60, 5))
    y = (X[:, 0] + X[:, 3] > 0).astype(int)
    with_it, without = default(name, excluded_features=[2]), default(name)
    for one in (with_it, without):
        if "random_state" in one.get_params():
            one.set_params(random_state=0)
    order = np.argsort(with_it.fit(X, y).ranking_)
    assert order[-1] == 2
    alone = np.argsort(without.fit(np.delete(X, 2, axis=1), y).ranking_)
    np.testing.assert_array_equal(order[:-1], np.array([0, 1, 3, 4])[alone])


def test_fixed_columns_are_kept_where_no_size_is_asked_for():
    """As many as there are, at least."""
    found = told("UnivariateAUC", fixed_features=list("abcdfg"))
    assert found.n_features_ == 6
    assert found.support_.tolist() == [True, True, True, True, False, True, True]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"fixed_features": [0], "excluded_features": [0]}, "in fixed_features and in excluded_features"),
        ({"fixed_features": [0, 1], "n_features_to_select": 1}, "fixed_features names 2 columns, more than"),
        ({"excluded_features": [0, 1, 2]}, "excluded_features names all 3 columns"),
        ({"feature_groups": [[0, 1], [1, 2]]}, r"is in feature_groups\[0\] and in"),
    ],
)
def test_rules_that_cannot_be_are_refused(parameters, message):
    """Before any work."""
    with pytest.raises(ValueError, match=f"UnivariateAUC: .*{message}"):
        UnivariateAUC(**parameters).fit([[1, 2, 3], [2, 3, 5], [4, 1, 1]], [0, 1, 1])
