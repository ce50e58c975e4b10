"""Rows that must stay together, in every row selector."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis._methods import methods
from tamis.prototypes._whole_groups import whole_groups
from tests.oracles import prototypes as oracle

KEEP_ROWS = sorted({method.estimator for method in methods() if method.sifts == "rows" and not method.makes})


@pytest.mark.parametrize("seed", range(50))
def test_groups_are_those_of_plain_loops(seed: int) -> None:
    """Of any kept rows and any groups."""
    random = np.random.default_rng(seed)
    n_rows = int(random.integers(1, 30))
    groups = random.integers(0, 1 + seed % 9, n_rows)
    kept = np.sort(random.permutation(n_rows)[: random.integers(1, n_rows + 1)])
    expected = oracle.whole_groups(kept.tolist(), groups.tolist())
    assert whole_groups(kept, np.unique(groups, return_inverse=True)[1]).tolist() == expected


@pytest.mark.parametrize("name", KEEP_ROWS)
def test_every_row_selector_keeps_whole_groups(name: str) -> None:
    """No group is cut, some are left out, and each row alone is as no groups at all."""
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 3)
    y = np.where(random.random(60) < 0.5, "a", "b")[groups]
    X = random.normal(size=(180, 3)) + 1.5 * (y == "a")[:, np.newaxis]
    selector: Any = getattr(tamis, name)()
    if "random_state" in selector.get_params():
        selector.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*kept.*rows of the")
        plain = selector.fit(X, y).sample_indices_.tolist()
        kept_X, kept_y = selector.fit_resample(X, y, groups=groups)
        kept = selector.sample_indices_
        assert set(np.bincount(groups[kept], minlength=60)) == {0, 3}
        assert len(kept) == len(kept_X) == len(kept_y) <= max(3, len(plain))
        if hasattr(selector, "prototype_weights_"):
            assert len(selector.prototype_weights_) == len(kept)
        assert selector.fit(X, y, groups=np.arange(180)).sample_indices_.tolist() == plain
        assert (
            selector.fit(X, y, groups=[f"g{group}" for group in groups]).sample_indices_.tolist()
            == kept.tolist()
        )


@pytest.mark.parametrize(
    "estimator", [tamis.CondensedNN(), tamis.PSBoost(2), tamis.RowValues(), tamis.ReliefF()]
)
@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2], r"groups has the shape \(2,\), but X has 4 rows. Give one group per row"),
        ([1.0, np.nan, 2.0, 2.0], "groups has missing values. Give every row a group"),
        (["a", None, "b", "b"], "groups has missing values"),
        (pd.Series(["a", None, "b", "b"], dtype="string"), "groups has missing values"),
        (
            np.array(["2020-01-01", "NaT", "2021-01-01", "2021-01-01"], dtype="M8[s]"),
            "groups has missing values",
        ),
    ],
)
def test_groups_that_are_none(estimator: Any, groups: Any, message: str) -> None:
    """Too few groups and missing ones are refused by name, before any work."""
    with pytest.raises(ValueError, match=f"{type(estimator).__name__}: {message}"):
        estimator.fit([[0], [1], [2], [3]], ["a", "a", "b", "b"], groups=groups)
