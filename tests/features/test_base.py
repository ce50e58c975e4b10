"""What every column selector shares, shown on a selector whose scores are given."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from tamis import SelectorCV, UnivariateAUC
from tamis.features._base import FeatureSelector

Y = ["u", "v", "u", "v"]
ROWS = {"number": [1, 2, 3, 4], "text": ["b", None, "a", "b"], "flag": [True, False, None, True]}
LEVELS = ["x", None, "y", "x"]


class Given(FeatureSelector):
    """Scores, an order and a stop rule as the test gives them."""

    def __init__(
        self,
        n_features_to_select: Any = None,
        *,
        scores: Any = (1.0, 3.0, 2.0, 4.0),
        order: Any = None,
        n_kept: Any = None,
        history: Any = None,
        fixed_features: Any = None,
        excluded_features: Any = None,
        feature_groups: Any = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.scores = scores
        self.order = order
        self.n_kept = n_kept
        self.history = history
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any) -> Self:
        self._validate_params()
        self._table(X, y)
        order = None if self.order is None else np.asarray(self.order)
        self._store(np.asarray(self.scores, dtype=float), order, n_kept=self.n_kept, history=self.history)
        return self


def array() -> np.ndarray:
    return np.arange(16.0).reshape(4, 4)


def pandas_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "number": np.array(ROWS["number"], dtype=np.int8),
            "text": ROWS["text"],
            "flag": pd.array(ROWS["flag"], dtype="boolean"),
            "level": pd.Categorical(LEVELS, categories=["y", "x", "unused"]),
        },
        index=[7, 5, 5, 1],
    )


def polars_frame() -> pl.DataFrame:
    return pl.DataFrame(
        {**ROWS, "level": pl.Series(LEVELS, dtype=pl.Enum(["y", "x", "unused"]))}
    ).with_columns(pl.col("number").cast(pl.Int8))


def pyarrow_table() -> pa.Table:
    return pa.table({**ROWS, "level": pa.array(LEVELS).dictionary_encode()})


FRAMES = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": pyarrow_table}


def names_of(frame: Any) -> list[str]:
    return list(frame.column_names if isinstance(frame, pa.Table) else frame.columns)


def test_ranking_is_a_permutation_by_falling_score() -> None:
    """1 is best, whatever is selected; half of the columns are kept where nothing is said."""
    selector = Given().fit(array(), Y)
    assert selector.ranking_.tolist() == [4, 2, 3, 1]
    assert selector.support_.tolist() == [False, True, False, True]
    assert selector.n_features_ == 2
    assert selector.scores_.tolist() == [1.0, 3.0, 2.0, 4.0]


def test_ties_go_to_the_lower_column() -> None:
    """Of equal scores the column further left ranks higher."""
    assert Given(scores=[2.0, 5.0, 2.0, 5.0]).fit(array(), Y).ranking_.tolist() == [3, 1, 4, 2]


def test_an_order_of_its_own_outweighs_the_scores() -> None:
    """A method that searches ranks by its order, best first."""
    selector = Given(1, order=[2, 0, 3, 1]).fit(array(), Y)
    assert selector.ranking_.tolist() == [2, 4, 1, 3]
    assert selector.get_support(indices=True).tolist() == [2]


@pytest.mark.parametrize(
    ("wanted", "size"),
    [(None, 2), (1, 1), (4, 4), (np.int64(3), 3), (0.5, 2), (0.74, 2), (0.75, 3), (0.01, 1), (1.0, 4)],
)
def test_size_is_a_number_or_a_fraction(wanted: Any, size: int) -> None:
    """An int is a number of columns; a fraction is rounded down, to one column at least; 1.0 is all of them."""
    selector = Given(wanted).fit(array(), Y)
    assert selector.n_features_ == size
    assert selector.support_.sum() == size
    assert selector.transform(array()).shape == (4, size)


def test_fractions_are_not_cut_by_rounding_errors() -> None:
    """0.29 of 100 columns is 29, though 0.29 * 100 is a little less as a float."""
    assert Given(0.29, scores=np.arange(100.0)).fit(np.zeros((4, 100)), Y).n_features_ == 29


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_half_of_the_columns_is_at_least_one(columns: int) -> None:
    """Without a size one column of one, two or three is kept."""
    assert Given(scores=np.arange(columns)).fit(np.zeros((4, columns)), Y).n_features_ == 1


def test_the_methods_own_stop_rule_counts_only_where_no_size_is_given() -> None:
    """`n_kept` is used with None, and the caller's size before it."""
    assert Given(n_kept=3).fit(array(), Y).n_features_ == 3
    assert Given(1, n_kept=3).fit(array(), Y).n_features_ == 1


def test_history_is_kept_where_there_is_one() -> None:
    """A method without steps has no history_."""
    assert not hasattr(Given().fit(array(), Y), "history_")
    assert Given(history={"step": np.arange(2)}).fit(array(), Y).history_["step"].tolist() == [0, 1]


@pytest.mark.parametrize("wanted", [0, -1, 0.0, 1.5, "half", float("nan"), [1]])
def test_what_is_no_size_is_refused(wanted: Any) -> None:
    """The parameter, the values allowed and the value given stand in the error."""
    with pytest.raises(ValueError, match=r"'n_features_to_select' parameter of Given must be .* Got "):
        Given(wanted).fit(array(), Y)


def test_more_columns_than_there_are_is_refused() -> None:
    """Asking for 5 of 4 columns names both numbers."""
    with pytest.raises(
        ValueError, match=r"^Given: n_features_to_select=5, but X has 4 features\. Use .* 1 to 4"
    ):
        Given(5).fit(array(), Y)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("wanted", [0.5, 1.0])
def test_a_frame_gives_the_same_kind_of_frame(kind: str, wanted: float) -> None:
    """The kept columns come back as they were: library, dtypes, gaps and index."""
    frame = FRAMES[kind]()
    kept = Given(wanted).fit(frame, Y).transform(frame)
    names = ["text", "level"] if wanted == 0.5 else names_of(frame)
    expected = frame.select(names) if kind != "pandas" else frame[names]
    assert type(kept) is type(frame)
    if kind == "pandas":
        pd.testing.assert_frame_equal(kept, expected)
    elif kind == "polars":
        assert kept.equals(expected)
        assert kept.schema == expected.schema
    else:
        assert kept.equals(expected)
    assert names_of(frame) == [*ROWS, "level"]


@pytest.mark.parametrize("given", FRAMES)
@pytest.mark.parametrize("wanted", ["pandas", "polars"])
def test_set_output_gives_the_frame_asked_for_with_its_dtypes(given: str, wanted: str) -> None:
    """From any library to the other: an integer stays an integer, a category a category."""
    frame = FRAMES[given]()
    selector = Given(1.0).fit(frame, Y).set_output(transform=wanted)
    kept = selector.transform(frame)
    assert type(kept).__module__.startswith(wanted)
    assert names_of(kept) == names_of(frame)
    dtypes = dict(zip(names_of(kept), map(str, kept.dtypes)))
    assert dtypes["number"].lower().startswith("int")
    assert dtypes["level"].startswith("category" if wanted == "pandas" else ("Categorical", "Enum"))
    assert (list(kept.index) if given == wanted == "pandas" else [7, 5, 5, 1]) == [7, 5, 5, 1]


@pytest.mark.parametrize("wanted", ["pandas", "polars"])
def test_the_global_output_setting_is_heard(wanted: str) -> None:
    """scikit-learn's own configuration decides where set_output did not."""
    with sklearn.config_context(transform_output=wanted):
        kept = Given(1).fit_transform(array(), Y)
    assert type(kept).__module__.startswith(wanted)
    assert names_of(kept) == ["x3"]


def test_an_array_gives_an_array() -> None:
    """An array in, the kept columns out, dtype unchanged."""
    kept = Given(2).fit(array(), Y).transform(array().astype(np.float32))
    assert kept.dtype == np.float32
    np.testing.assert_array_equal(kept, array()[:, [1, 3]])


def test_a_frame_without_text_names_gives_an_array() -> None:
    """Integer names are no names: scikit-learn's own way, by position."""
    frame = pd.DataFrame(array())
    kept = Given(2).fit(frame, Y).transform(frame)
    np.testing.assert_array_equal(kept, array()[:, [1, 3]])


def test_names_of_the_kept_columns() -> None:
    """get_feature_names_out gives names of a frame, and x0, x1, ... otherwise."""
    assert Given(2).fit(polars_frame(), Y).get_feature_names_out().tolist() == ["text", "level"]
    assert Given(2).fit(array(), Y).get_feature_names_out().tolist() == ["x1", "x3"]


def test_new_rows_must_have_the_fitted_columns() -> None:
    """Renamed, reordered and missing columns are scikit-learn's errors; a lazy frame is to be collected."""
    selector = Given(2).fit(polars_frame(), Y)
    with pytest.raises(ValueError, match="unseen at fit time:\n- count"):
        selector.transform(polars_frame().rename({"number": "count"}))
    with pytest.raises(ValueError, match="must be in the same order"):
        selector.transform(polars_frame().select("text", "number", "flag", "level"))
    with pytest.raises(ValueError, match="yet now missing:\n- level"):
        selector.transform(polars_frame().drop("level"))
    with pytest.raises(TypeError, match="Collect it first"):
        selector.transform(polars_frame().lazy())
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        selector.transform(np.zeros((1, 4)))


@pytest.mark.parametrize("frame", [pandas_frame, polars_frame, array])
def test_transform_before_fit_is_refused(frame: Any) -> None:
    """NotFittedError, whatever is given."""
    with pytest.raises(NotFittedError):
        Given().transform(frame())


def test_gaps_and_nominal_columns_are_announced() -> None:
    """The tags tell scikit-learn that labels are needed and that gaps and categories are data."""
    tags = Given().__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.allow_nan
    assert tags.input_tags.categorical
    assert not tags.input_tags.string
    assert not tags.input_tags.sparse


def test_a_frame_with_numbers_as_names_comes_back_as_a_frame():
    """pandas' default names 0, 1, 2 are kept, by a selector and by SelectorCV; an array stays an array."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 4)))
    y = X[2] > 0
    for selector in (
        UnivariateAUC(1).fit(X, y),
        SelectorCV(UnivariateAUC(), DecisionTreeClassifier(), sizes=[1]).fit(X, y),
    ):
        kept = selector.transform(X)
        assert isinstance(kept, pd.DataFrame)
        assert kept.columns.tolist() == [2]
        assert isinstance(selector.transform(X.to_numpy()), np.ndarray)
