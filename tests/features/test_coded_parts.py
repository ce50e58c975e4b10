"""PairScan of a table in parts: the bits of the same table in memory, for any parts."""

import numpy as np
import polars as pl
import pytest

from tamis import PairScan
from tests.parted_tables import problem, written
from tests.settings import N_PROBLEMS


def assert_same(first, second):
    """Every bit of what is known of columns and pairs."""
    for name in ("scores_", "ranking_", "partners_", "support_", "p_values_"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    for key, found in first.pairs_.items():
        np.testing.assert_array_equal(second.pairs_[key], found)


@pytest.mark.parametrize("seed", range(N_PROBLEMS // 2))
def test_parts_have_the_bits_of_the_table_in_memory(seed, tmp_path):
    """Classes or numbers, weights, columns that are excluded; copies and constants are found in parts as well."""
    frame, y, weights, rng = problem(seed)
    settings = {"excluded_features": ["c"]} if seed % 3 == 0 else {}
    if seed % 4 == 3:
        y = np.round(rng.normal(size=len(y)), 1) + 0.5
    folder = written(tmp_path / "parts", frame, y, weights, rng)
    whole = PairScan(**settings).fit(frame, y, sample_weight=weights)
    parts = PairScan(**settings, n_jobs=1 + seed % 2).fit(
        str(folder), "target", sample_weight=None if weights is None else "weight"
    )
    assert_same(whole, parts)
    assert hasattr(whole, "classes_") == hasattr(parts, "classes_")
    assert parts.feature_names_in_.tolist() == frame.columns


def test_many_values_are_cut_into_bins(tmp_path):
    """For any parts the same; what is found is what the whole table says."""
    rng = np.random.default_rng(0)
    X = rng.random((3000, 6))
    y = (X[:, 1] > 0.5) != (X[:, 4] > 0.5)
    frame = pl.DataFrame(X, schema=list("abcdef"))
    one = PairScan(2).fit(str(written(tmp_path / "one", frame, y, None, rng)), "target")
    other = PairScan(2).fit(str(written(tmp_path / "other", frame, y, None, rng)), "target")
    assert_same(one, other)
    assert one.get_support(indices=True).tolist() == [1, 4]
    whole = PairScan(2).fit(frame, y)
    np.testing.assert_allclose(one.scores_[[1, 4]], whole.scores_[[1, 4]], rtol=0.02)


def test_what_no_table_can_have_is_refused_in_parts_too(tmp_path):
    """One class, or one number of weight."""
    frame, y, _, rng = problem(0)
    folder = written(tmp_path / "parts", frame, np.zeros(len(y), dtype=int), None, rng)
    with pytest.raises(ValueError, match="one class only"):
        PairScan().fit(str(folder), "target")
    numbers = np.where(np.arange(len(y)) < 3, 0.5, 1.5)
    folder = written(tmp_path / "numbers", frame, numbers, (numbers > 1).astype(float), rng)
    with pytest.raises(ValueError, match="one number"):
        PairScan(target_kind="numbers").fit(str(folder), "target", sample_weight="weight")
