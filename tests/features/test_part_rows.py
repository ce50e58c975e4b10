"""Methods that look at the rows of a table in parts as they are: the bits of the same table in memory, for any parts."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from tamis import SBSMF, GramSchmidt, Sieve, UnivariateAUC
from tamis.table.parts import rows as part_rows
from tests.parted_tables import problem, written
from tests.settings import N_PROBLEMS


def several(y, rng):
    """Many and unequal classes, one of a single row."""
    y = rng.choice(7, len(y), p=[0.5, 0.3, 0.1, 0.04, 0.03, 0.02, 0.01])
    y[:2], y[2] = [0, 1], 9
    return y


def tasks(seed, tmp_path):
    """A table in memory, and the same in files: classes, many classes or numbers; weights; many values; texts."""
    frame, y, weights, rng = problem(seed)
    if seed % 3 == 1:
        y = several(y, rng)
    elif seed % 3 == 2:
        y = np.round(rng.normal(size=len(y)), 1) + 0.5
    frame = frame.with_columns(wide=pl.Series(rng.normal(size=len(y))), twin=pl.col("a"))
    folder = written(tmp_path / "parts", frame, y, weights, rng)
    return frame, y, weights, folder, "weight" if weights is not None else None


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_areas_in_parts_have_the_bits_of_the_table_in_memory(seed, tmp_path, monkeypatch):
    """Classes or numbers, weights, excluded columns, folded or not; a block may hold one column."""
    if seed % 2:
        monkeypatch.setattr(part_rows, "BLOCK_BYTES", 1)
    frame, y, weights, folder, weight = tasks(seed, tmp_path)
    settings = {"folded": seed % 4 == 0, "excluded_features": ["c"] if seed % 5 == 0 else None}
    whole = UnivariateAUC(**settings).fit(frame, y, sample_weight=weights)
    parts = UnivariateAUC(**settings).fit(folder, "target", sample_weight=weight)
    for name in ("scores_", "ranking_", "support_"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    assert hasattr(whole, "classes_") == hasattr(parts, "classes_")
    assert parts.feature_names_in_.tolist() == frame.columns


@pytest.mark.parametrize("seed", range(N_PROBLEMS // 2))
def test_projections_in_parts_have_the_bits_of_the_table_in_memory(seed, tmp_path, monkeypatch):
    """By scalar products where there are many rows for each view, by the views themselves where there are not."""
    monkeypatch.setattr("tamis.features._gram_products.ROWS_PER_VIEW", 1 if seed % 3 else 16)
    frame, y, weights, folder, weight = tasks(seed, tmp_path)
    settings = {
        "stop": "probe",
        "centered": seed % 2 == 0,
        "excluded_features": ["c"] if seed % 5 == 0 else None,
    }
    whole = GramSchmidt(**settings).fit(frame, y, sample_weight=weights)
    parts = GramSchmidt(**settings).fit(folder, "target", sample_weight=weight)
    for name in ("scores_", "ranking_", "support_"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    for key, found in whole.history_.items():
        np.testing.assert_array_equal(parts.history_[key], found)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_eliminations_in_parts_have_the_bits_of_the_table_in_memory(seed, tmp_path):
    """Classes, several or two, or numbers; weights that are whole or not; copies, constants and excluded columns."""
    frame, y, weights, folder, weight = tasks(seed, tmp_path)
    settings = {
        "n_rounds": 12,
        "class_weight": "balanced" if seed % 4 else None,
        "step": 0.5 if seed % 5 == 0 else 1,
        "excluded_features": ["b"] if seed % 7 == 0 else None,
    }
    whole = SBSMF(**settings).fit(frame, y, sample_weight=weights)
    parts = SBSMF(**settings).fit(folder, "target", sample_weight=weight)
    for name in ("scores_", "ranking_", "support_"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    for key, found in whole.history_.items():
        np.testing.assert_array_equal(parts.history_[key], found)


def assert_same_sieve(whole, parts):
    """Every bit of a sieve's answer."""
    for name in ("scores_", "ranking_", "support_", "member_ranks_", "agreement_"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    assert whole.reasons_ == parts.reasons_
    if hasattr(whole, "cv_results_"):
        for key, found in whole.cv_results_.items():
            np.testing.assert_array_equal(found, parts.cv_results_[key])
        for one, other in zip(whole._splits, parts._splits):
            np.testing.assert_array_equal(one[1], other[1])


@pytest.mark.parametrize("seed", range(max(6, N_PROBLEMS // 8)))
def test_a_sieve_in_parts_draws_the_rows_of_the_table_in_memory(seed, tmp_path):
    """With fewer rows than there are, and all of them; the size by resampling as well."""
    frame, y, weights, folder, weight = tasks(seed, tmp_path)
    settings = {
        "members": [("areas", UnivariateAUC()), ("cosine", GramSchmidt())],
        "max_rows": 25 if seed % 2 else 2000,
        "cv": 2,
        "random_state": seed,
    }
    whole = Sieve(**settings).fit(frame, y, sample_weight=weights)
    parts = Sieve(**settings).fit(str(folder), "target", sample_weight=weight)
    assert_same_sieve(whole, parts)


def test_a_sieve_of_the_default_members_and_a_judge_of_frames(tmp_path):
    """The default members; a model that is given the columns as they came; folds given as rows of the whole table."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(rng.normal(size=(300, 4)), schema=list("abcd"))
    y = np.where(frame["a"] + frame["c"] > 0, "yes", "no")
    folder = written(tmp_path / "parts", frame, y, None, rng)
    halves = [(np.arange(0, 300, 2), np.arange(1, 300, 2)), (np.arange(1, 300, 2), np.arange(0, 300, 2))]
    for settings in ({"cv": 2}, {"estimator": LogisticRegression(), "cv": halves}):
        one = Sieve(max_rows=120, random_state=1, **settings)
        whole = one.fit(frame, y)
        parts = Sieve(**one.get_params(deep=False)).fit(folder, "target")
        assert_same_sieve(whole, parts)
        assert parts.classes_.tolist() == ["no", "yes"]


def test_dask_collections_are_read_without_a_cluster():
    """An array and a frame of pandas with categories, in chunks."""
    da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    whole = UnivariateAUC().fit(X, y)
    parts = UnivariateAUC().fit(da.from_array(X, chunks=(70, 2)), y)
    assert parts.scores_.tolist() == whole.scores_.tolist()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["kind"] = pd.Categorical(np.array(["x", "y", "z"])[rng.integers(0, 3, 200)])
    chunks = dd.from_pandas(frame, npartitions=3), dd.from_pandas(pd.Series(y), npartitions=3)
    assert UnivariateAUC().fit(*chunks).scores_.tolist() == UnivariateAUC().fit(frame, y).scores_.tolist()
    members = [("areas", UnivariateAUC()), ("boosted", SBSMF(n_rounds=5))]
    settings = {"members": members, "cv": 2, "max_rows": 80, "random_state": 0}
    assert_same_sieve(Sieve(**settings).fit(frame, y), Sieve(**settings).fit(*chunks))


def test_what_cannot_be_is_refused_in_parts_too(tmp_path):
    """One class, one number, infinities, and parts that do not fit together."""
    frame, y, _, rng = problem(0)
    folder = written(tmp_path / "one", frame, np.zeros(len(y), dtype=int), None, rng)
    with pytest.raises(ValueError, match="one class only"):
        UnivariateAUC().fit(str(folder), "target")
    folder = written(tmp_path / "numbers", frame, np.full(len(y), 1.5), None, rng)
    with pytest.raises(ValueError, match="one number only"):
        UnivariateAUC(target_kind="numbers").fit(str(folder), "target")
    da = pytest.importorskip("dask.array")
    X = np.ones((20, 2))
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="UnivariateAUC: Input X contains infinity"):
        UnivariateAUC().fit(da.from_array(X, chunks=(6, 2)), np.arange(20) % 2)
