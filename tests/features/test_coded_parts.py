"""PairScan and BDSFS of a table in parts: the bits of the same table in memory, for any parts."""

import numpy as np
import polars as pl
import pytest

from tamis import BDSFS, PairScan
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


@pytest.mark.parametrize("seed", range(N_PROBLEMS // 2))
def test_boosted_choices_in_parts_have_the_bits_of_the_table_in_memory(seed, tmp_path):
    """Classes or numbers, weights of rows and classes, excluded columns."""
    frame, y, weights, rng = problem(seed)
    settings = {"excluded_features": ["c"]} if seed % 3 == 0 else {}
    if seed % 4 == 3:
        y = np.round(rng.normal(size=len(y)), 1) + 0.5
    elif seed % 4 == 2:
        settings["class_weight"] = "balanced" if seed % 8 == 2 else {0: 2.5, 1: 0.5}
    elif seed % 8 == 1:
        y[3:6] = 5
        settings["class_weight"] = {5: 0}
    folder = written(tmp_path / "parts", frame, y, weights, rng)
    whole = BDSFS(**settings).fit(frame, y, sample_weight=weights)
    parts = BDSFS(**settings).fit(folder, "target", sample_weight=None if weights is None else "weight")
    for name in ("scores_", "ranking_", "support_"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    for key, found in whole.history_.items():
        np.testing.assert_array_equal(parts.history_[key], found)
    if hasattr(whole, "classes_"):
        assert parts.classes_.tolist() == whole.classes_.tolist()


def test_boosted_choices_among_bins_are_the_same_for_any_parts(tmp_path):
    """Columns of more than 255 values, for classes; for numbers they are cut in memory too, into the same bins."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    frame = pl.DataFrame(X, schema=list("abcde"))
    for name, y in (("classes", X[:, 1] + X[:, 3] ** 2 > 1), ("numbers", X[:, 1] + X[:, 3] ** 2)):
        folders = [written(tmp_path / f"{name}{number}", frame, y, None, rng) for number in range(2)]
        one, other = (BDSFS().fit(str(folder), "target") for folder in folders)
        assert one.scores_.tolist() == other.scores_.tolist()
        assert one.history_["gain"].tolist() == other.history_["gain"].tolist()
        assert np.argsort(one.ranking_)[:2].tolist() == [3, 1] or np.argsort(one.ranking_)[:2].tolist() == [
            1,
            3,
        ]
        whole = BDSFS().fit(frame, y)
        if name == "numbers":
            assert one.scores_.tolist() == whole.scores_.tolist()
        np.testing.assert_allclose(one.scores_, whole.scores_, atol=0.005)


def test_a_column_without_values_is_a_constant_of_a_dask_array_too():
    """Of two columns, and of one alone, which no method can leave out."""
    da = pytest.importorskip("dask.array")
    X = np.column_stack([np.full(60, np.nan), np.arange(60) % 7])
    for y in (np.arange(60) % 2, (np.arange(60) % 7) + 0.5):
        for columns in ([0, 1], [0]):
            whole = BDSFS().fit(X[:, columns], y)
            parts = BDSFS().fit(da.from_array(X[:, columns], chunks=(25, 1)), da.from_array(y, chunks=25))
            assert parts.scores_.tolist() == whole.scores_.tolist()
            assert parts.ranking_.tolist() == whole.ranking_.tolist()
