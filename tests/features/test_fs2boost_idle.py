"""FS2Boost and columns that say nothing new: constants, copies, and whatever leaves Z as it is."""

import numpy as np
import polars as pl
import pytest

from tamis import FS2Boost, datasets, stabilised_rounds

SEARCHES = [
    {"direction": direction, "floating": floating}
    for direction in ("forward", "backward")
    for floating in (False, True)
]


def exclusive_or(n_rows=80, seed=0):
    """Columns a to e; the class is the exclusive or of b and d."""
    X = np.random.default_rng(seed).integers(0, 2, size=(n_rows, 5))
    return pl.DataFrame(X, schema=list("abcde")), X[:, 1] ^ X[:, 3]


@pytest.mark.parametrize("options", SEARCHES)
@pytest.mark.parametrize(("name", "n_constants"), [("tic_tac_toe", 3), ("monks1_train", 4)])
def test_constants_use_up_no_patience(name, n_constants, options):
    """With constants before, among and behind them, the columns of a real table are found as without."""
    data = datasets.load(name)
    alone = FS2Boost(**options).fit(data.X, data.y)
    constants = [pl.lit(float(number)).alias(f"constant {number}") for number in range(n_constants)]
    for place in (0, 3, data.X.shape[1]):
        columns = [*data.X.columns[:place], *constants, *data.X.columns[place:]]
        fitted = FS2Boost(**options).fit(data.X.select(columns), data.y)
        assert fitted.get_feature_names_out().tolist() == alone.get_feature_names_out().tolist()
        assert fitted.criterion_ == alone.criterion_


@pytest.mark.parametrize("criterion", ["z", "z_prime", "z_prime_literal"])
def test_what_leaves_z_as_it_is_neither_comes_nor_uses_up_patience(criterion):
    """Columns in other units stand beside themselves: the neighbours over one of them are those over all of them."""
    X, y = exclusive_or()
    larger = X.select(
        (pl.col(name) * scale).alias(f"{name}{scale}") for name in X.columns for scale in (1, 2, 3)
    )
    alone = FS2Boost(criterion=criterion, patience=2).fit(X, y)
    fitted = FS2Boost(criterion=criterion, patience=2).fit(larger, y)
    assert {"b", "d"} <= set(alone.get_feature_names_out())
    assert {"b", "d"} <= {name[0] for name in fitted.get_feature_names_out()}
    assert (np.diff(fitted.history_["criterion"]) != 0).all()


def test_a_column_that_tells_nothing_goes_at_no_cost():
    """Backward, three columns that leave Z as it is go first, and patience is left for those that do not."""
    X, y = exclusive_or()
    copies = X.select(*(f"{name}" for name in "bd"), *((3 * pl.col("b")).alias(f"b{k}") for k in range(3)))
    fitted = FS2Boost(direction="backward", patience=1, metric="l2").fit(copies, y)
    moves = fitted.history_
    idle = moves["criterion"][1:] == moves["criterion"][:-1]
    ends = np.flatnonzero(~moves["progress"][1:] & ~idle)
    assert len(ends) <= 1


def test_where_all_leave_z_as_it_is_the_first_comes():
    """Three columns that say something only together are found, though the first two leave Z at 1."""
    X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 4)
    y = X.sum(axis=1) % 2
    fitted = FS2Boost(vote="sign", n_neighbors=3).fit(X, y)
    assert fitted.history_["criterion"].tolist()[:2] == [1.0, 1.0]
    assert fitted.get_support(indices=True).tolist() == [0, 1, 2]


@pytest.mark.parametrize("options", SEARCHES)
def test_a_fixed_constant_stays_and_an_excluded_one_is_last(options):
    """What the user fixes is kept whatever it is; what the user excludes comes behind constants."""
    X, y = exclusive_or()
    X = X.with_columns(one=pl.lit(1), two=pl.lit(2), three=pl.lit(3))
    fitted = FS2Boost(fixed_features=["two"], excluded_features=["a"], **options).fit(X, y)
    assert {"b", "d", "two"} <= set(fitted.get_feature_names_out())
    assert not fitted.support_[[X.columns.index(name) for name in ("a", "one", "three")]].any()
    assert [X.columns[j] for j in np.argsort(fitted.ranking_)][-3:] == ["one", "three", "a"]


@pytest.mark.parametrize("options", SEARCHES)
def test_a_copy_of_what_is_fixed_comes_late_and_one_of_what_is_excluded_does_not(options):
    """The original is the first that may be kept: one that is fixed before all others, never one that is excluded."""
    X, y = exclusive_or()
    X = X.with_columns(again=pl.col("b"), anew=pl.col("d"))
    fitted = FS2Boost(fixed_features=["again"], excluded_features=["d"], **options).fit(X, y)
    kept = set(fitted.get_feature_names_out())
    assert {"again", "anew"} <= kept
    assert not kept & {"b", "d"}
    assert [X.columns[j] for j in np.argsort(fitted.ranking_)][-2:] == ["b", "d"]


def test_a_group_comes_with_its_constants_and_copies():
    """Columns that the user ties together come and go together, whatever they say; a group of constants is one."""
    X, y = exclusive_or()
    X = X.with_columns(again=pl.col("b"), one=pl.lit(1), two=pl.lit(2), three=pl.lit(3))
    fitted = FS2Boost(feature_groups=[["b", "one", "again"], ["two", "three"]]).fit(X, y)
    kept = set(fitted.get_feature_names_out())
    assert {"b", "one", "again", "d"} <= kept
    assert not kept & {"two", "three"}
    assert sorted(fitted.ranking_[-2:]) == [8, 9]


@pytest.mark.parametrize("options", SEARCHES)
@pytest.mark.parametrize("limit", [{"n_features_to_select": 1}, {"max_features": 1}])
def test_a_constant_is_kept_where_nothing_else_fits(limit, options):
    """All columns but two constants come in groups of two: a limit of one column leaves the first constant."""
    X, y = exclusive_or()
    X = X.select(*"abcd", pl.lit(1).alias("one"), pl.lit(2).alias("two"))
    fitted = FS2Boost(**limit, **options, feature_groups=[["a", "c"], ["b", "d"]]).fit(X, y)
    assert fitted.get_feature_names_out().tolist() == ["one"]


@pytest.mark.parametrize("options", SEARCHES)
def test_a_size_takes_copies_and_constants_when_nothing_else_is_left(options):
    """All that differ first, then copies as their originals stand, then constants; the search itself ends before."""
    X, y = exclusive_or()
    X = X.select("e", pl.lit(1).alias("one"), *"abcd", pl.col("d").alias("again"), pl.lit(2).alias("two"))
    for size, more in ((5, set()), (6, {"again"}), (7, {"again", "one"}), (8, {"again", "one", "two"})):
        fitted = FS2Boost(size, **options).fit(X, y)
        assert set(fitted.get_feature_names_out()) == {*"abcde", *more}
        assert fitted.history_["n_features"].max() <= 5
    found = stabilised_rounds(X, y, 3, selector=FS2Boost(7, **options))
    assert found.supports.sum(axis=1).tolist() == [7, 7, 7]


def test_a_column_constant_in_the_rows_searched_is_constant():
    """Where rows are drawn, a column is judged by these: what they cannot tell comes last."""
    X, y = exclusive_or(n_rows=200)
    with pytest.warns(UserWarning, match="max_rows"):
        rows = FS2Boost(max_rows=40, random_state=0).fit(X, y).search_rows_
    outside = np.setdiff1d(np.arange(200), rows)
    X = X.select(pl.Series("rare", (np.arange(200) == outside[0]) * 1), *X.columns)
    with pytest.warns(UserWarning, match="max_rows"):
        fitted = FS2Boost(max_rows=40, random_state=0).fit(X, y)
    assert fitted.ranking_[0] == 6
