"""Condensing in parts."""

import numpy as np
import polars as pl
import pytest

from tamis import CondensedNN, MarginPrototypes, PSBoost, RandomPrototypes
from tamis.prototypes.in_parts import condense_parts


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, "a", "b")
    return rng.normal(size=(n, 3)) + 2.0 * (y == "a")[:, np.newaxis], y


def test_one_part_condenses_what_the_method_keeps_of_the_whole():
    """With one part, the second pass sees exactly what the method keeps of the table."""
    X, y = rows()
    first = CondensedNN(random_state=0).fit(X, y).sample_indices_
    found = condense_parts(CondensedNN(random_state=0), X, y, n_parts=1, random_state=0)
    second = CondensedNN(random_state=0).fit(X[first], y[first]).sample_indices_
    np.testing.assert_array_equal(found.sample_indices_, first[second])


@pytest.mark.parametrize("selector", [CondensedNN(random_state=0), PSBoost(n_prototypes=12)])
def test_kept_rows_match_their_indices(selector):
    """Kept rows are those that the indices name, ascending, of both classes; jobs change nothing; so for a frame."""
    X, y = rows()
    found = condense_parts(selector, X, y, n_parts=4, random_state=1)
    np.testing.assert_array_equal(X[found.sample_indices_], found.X_)
    np.testing.assert_array_equal(y[found.sample_indices_], found.y_)
    assert (np.diff(found.sample_indices_) > 0).all()
    assert set(found.y_) == {"a", "b"}
    assert len(found.y_) <= found.n_between_ < found.n_rows_ == len(y)
    again = condense_parts(selector, pl.DataFrame(X), y, n_parts=4, random_state=1, n_jobs=2)
    np.testing.assert_array_equal(again.sample_indices_, found.sample_indices_)
    assert again.X_.equals(pl.DataFrame(X)[found.sample_indices_.tolist()])


def test_parts_smaller_than_what_is_wanted_go_whole_into_the_second_pass():
    """Where a part has no more rows than are wanted, the second pass chooses among all of them."""
    X, y = rows(60)
    found = condense_parts(PSBoost(n_prototypes=20), X, y, n_parts=4, random_state=0)
    assert found.n_between_ == 60
    np.testing.assert_array_equal(found.sample_indices_, PSBoost(n_prototypes=20).fit(X, y).sample_indices_)


def test_a_fraction_is_one_of_all_rows(tmp_path):
    """A fifth of the parts is a fifth of the table, and not taken once more; so where a part has one class and enters whole."""
    X, y = rows()
    found = condense_parts(MarginPrototypes(0.2, random_state=0), X, y, n_parts=3, random_state=0)
    assert len(found.sample_indices_) == found.n_between_ == 60
    assert found.selector_ is None
    frame = pl.DataFrame(X).with_columns(kind=pl.Series(y)).sort("kind")
    for part in range(3):
        frame[100 * part : 100 * (part + 1)].write_parquet(tmp_path / f"{part}.parquet")
    found = condense_parts(MarginPrototypes(0.2, random_state=0), tmp_path, "kind")
    assert len(found.sample_indices_) == 60 < found.n_between_
    assert set(found.y_) == {"a", "b"}
    by_class = RandomPrototypes(class_quota={"a": 3, "b": 5}, random_state=0)
    assert len(condense_parts(by_class, X, y, n_parts=3, random_state=0).y_) == 8


def test_a_folder_of_parquet_is_condensed_file_by_file(tmp_path):
    """Rows count through the files in the order of their names; a file of one class goes into the second pass."""
    X, y = rows()
    frame = pl.DataFrame(X).with_columns(kind=pl.Series(y)).sort("kind")
    frame[:200].write_parquet(tmp_path / "1.parquet")
    frame[200:].write_parquet(tmp_path / "2.parquet")
    found = condense_parts(CondensedNN(random_state=0), tmp_path, "kind")
    kept = frame[found.sample_indices_.tolist()]
    assert kept.drop("kind").equals(found.X_)
    assert kept["kind"].to_list() == found.y_.tolist()
    assert found.n_between_ >= 100


def test_wrong_numbers_of_parts_are_refused(tmp_path):
    """No parts, more parts than rows, and parts of what lies in parts are refused."""
    X, y = rows(20)
    for n_parts in (None, 0, 21):
        with pytest.raises(ValueError, match=f"n_parts={n_parts}. Use a number from 1 to 20"):
            condense_parts(CondensedNN(), X, y, n_parts=n_parts)
    with pytest.raises(ValueError, match="already lies in parts"):
        condense_parts(CondensedNN(), tmp_path, "kind", n_parts=2)
