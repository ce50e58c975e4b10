"""What holds for every public selector, on small tables that hypothesis makes."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, reject
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils._testing import set_random_state

from tamis.features._base import FeatureSelector
from tamis.prototypes._base import PrototypeSelector
from tests.estimators import CLASS_ROWS, EXCUSED, QUICK, REFUSES, TIES, WARNS, default, public_estimators
from tests.settings import NIGHTLY
from tests.strategies import Problem, problems, smooth_problems

ALL = public_estimators()
COLUMNS = [name for name, cls in ALL.items() if issubclass(cls, FeatureSelector)]
ROWS = [name for name, cls in ALL.items() if issubclass(cls, PrototypeSelector)]
WEIGHTED = [name for name in COLUMNS if "sample_weight" in inspect.signature(ALL[name].fit).parameters]

few = hypothesis_settings(
    max_examples=100 if NIGHTLY else 15, suppress_health_check=[HealthCheck.filter_too_much]
)
over_columns = pytest.mark.parametrize("name", COLUMNS)
over_rows = pytest.mark.parametrize("name", ROWS)
over_both = pytest.mark.parametrize("name", COLUMNS + ROWS)


@pytest.fixture(autouse=True)
def excuse(request: pytest.FixtureRequest) -> None:
    """Skip a property that a selector is excused from, with the reason; let it say what it may say."""
    name = request.node.callspec.params["name"]
    if name in WARNS:
        warnings.filterwarnings("ignore", message=WARNS[name])  # for this test: pytest restores the filters
    reason = EXCUSED.get(request.node.originalname, {}).get(name)
    if reason:
        pytest.skip(reason)


def selector(name: str, **parameters: Any) -> Any:
    """A selector whose chance is settled."""
    made = default(name, **{**QUICK.get(name, {}), **parameters})
    set_random_state(made, 0)
    return made


def drawn(data: st.DataObject, name: str, strategy: Any = problems, **options: Any) -> Problem:
    """A problem that the selector can take."""
    tags = get_tags(selector(name)).input_tags
    options.setdefault("nominal", tags.categorical)
    options.setdefault("gaps", tags.allow_nan)
    class_rows = CLASS_ROWS.get(name, 4 if name in REFUSES else 1)
    problem: Problem = data.draw(strategy(class_rows=class_rows, **options))
    if name in REFUSES:
        try:
            selector(name).fit(problem.polars(), problem.y)
        except ValueError as refusal:
            if REFUSES[name] not in str(refusal):
                raise
            reject()
    return problem


def answer(fitted: Any) -> list[np.ndarray]:
    """What a fitted selector says."""
    if hasattr(fitted, "sample_indices_"):
        return [fitted.sample_indices_]
    return [fitted.scores_, fitted.ranking_, fitted.support_]


def assert_same(first: Any, second: Any) -> None:
    """Two fitted selectors say the same, bit for bit."""
    for one, other in zip(answer(first), answer(second)):
        np.testing.assert_array_equal(one, other)


def assert_close(first: Any, second: Any) -> None:
    """Two fitted selectors say the same, but for rounding in the scores, and for ties within a search."""
    parts = list(zip(answer(first), answer(second)))
    for one, other in parts[:1] if type(first).__name__ in TIES else parts:
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@over_both
@few
@given(data=st.data())
def test_every_library_gives_the_same_answer(name: str, data: st.DataObject) -> None:
    """pandas, polars and pyarrow frames of one table are one table."""
    problem = drawn(data, name)
    first = selector(name).fit(problem.pandas(), problem.y)
    assert_same(selector(name).fit(problem.polars(), problem.y), first)
    assert_same(selector(name).fit(problem.pyarrow(), problem.y), first)


@over_both
@few
@given(data=st.data())
def test_arrays_and_frames_of_the_same_numbers_give_the_same_answer(name: str, data: st.DataObject) -> None:
    """float64 and float32, C and Fortran order, a list of lists, and a frame."""
    problem = drawn(data, name, nominal=False)
    first = selector(name).fit(problem.array(), problem.y)
    assert_same(selector(name).fit(problem.array(np.float32), problem.y), first)
    assert_same(selector(name).fit(np.asfortranarray(problem.array()), problem.y), first)
    assert_same(selector(name).fit(problem.array().tolist(), problem.y), first)
    assert_same(selector(name).fit(problem.polars(), problem.y), first)


@over_both
@few
@given(data=st.data())
def test_fit_leaves_its_input_and_parameters_alone(name: str, data: st.DataObject) -> None:
    """X, y and every parameter are after fit what they were before."""
    problem = drawn(data, name, nominal=False)
    array, frame, y = problem.array(), problem.pandas(), np.array(problem.y)
    made = selector(name)
    before = copy.deepcopy(made.get_params())
    for X in (array, frame):
        made.fit(X, y)
    np.testing.assert_array_equal(array, problem.array())
    pd.testing.assert_frame_equal(frame, problem.pandas())
    assert y.tolist() == problem.y
    assert str(made.get_params()) == str(before)


@over_both
@few
@given(data=st.data())
def test_fitting_again_copying_and_pickling_change_nothing(name: str, data: st.DataObject) -> None:
    """A refit, a clone's fit and a pickled selector all say the same; another table leaves no trace."""
    problem, other = drawn(data, name), drawn(data, name)
    fitted = selector(name).fit(problem.polars(), problem.y)
    again = selector(name).fit(other.pandas(), other.y).fit(problem.polars(), problem.y)
    assert_same(again, fitted)
    assert_same(clone(fitted).fit(problem.polars(), problem.y), fitted)
    assert_same(pickle.loads(pickle.dumps(fitted)), fitted)  # noqa: S301


@over_both
@few
@given(data=st.data())
def test_the_type_of_the_labels_does_not_matter(name: str, data: st.DataObject) -> None:
    """Numbers of several widths, texts, categories and objects in the same order are the same classes."""
    problem = drawn(data, name)
    codes = np.unique(problem.y, return_inverse=True)[1]
    X = problem.polars()
    first = selector(name).fit(X, codes)
    texts = np.array(["a", "b", "c", "d"])[codes]
    for y in (
        codes.astype(np.int8),
        codes.astype(float),
        codes - 7,
        texts,
        texts.astype(object),
        texts.tolist(),
    ):
        assert_same(selector(name).fit(X, y), first)
    assert_same(selector(name).fit(X, pd.Series(texts, dtype="category")), first)


@over_both
@few
@given(data=st.data())
def test_the_names_of_the_classes_do_not_matter(name: str, data: st.DataObject) -> None:
    """Labels in reverse order give the same answer, but for rounding."""
    problem = drawn(data, name, smooth_problems)
    first = selector(name).fit(problem.polars(), problem.y)
    assert_close(selector(name).fit(problem.polars(), [-label for label in problem.y]), first)


@over_columns
@few
@given(data=st.data())
def test_permuting_columns_permutes_the_answer(name: str, data: st.DataObject) -> None:
    """Where no two scores are equal, which stands first does not matter."""
    problem = drawn(data, name, smooth_problems)
    X = problem.polars()
    first = selector(name).fit(X, problem.y)
    if len(np.unique(first.scores_.round(9))) < len(first.scores_):
        return
    order = data.draw(st.permutations(range(X.shape[1])))
    permuted = selector(name).fit(X[:, order], problem.y)
    np.testing.assert_allclose(permuted.scores_, first.scores_[order], rtol=1e-9, atol=1e-12)
    if name not in TIES:
        np.testing.assert_array_equal(permuted.ranking_, first.ranking_[order])
        np.testing.assert_array_equal(permuted.support_, first.support_[order])


@over_rows
@few
@given(data=st.data())
def test_permuting_columns_keeps_the_rows(name: str, data: st.DataObject) -> None:
    """The order of the columns does not decide which rows are kept."""
    problem = drawn(data, name, smooth_problems)
    X = problem.polars()
    order = data.draw(st.permutations(range(X.shape[1])))
    assert_same(selector(name).fit(X[:, order], problem.y), selector(name).fit(X, problem.y))


@over_columns
@few
@given(data=st.data())
def test_a_ranking_is_a_permutation_and_the_size_is_kept(name: str, data: st.DataObject) -> None:
    """1..d each once; an int or a fraction of columns is kept, and those are the best ranked."""
    problem = drawn(data, name)
    d = len(problem.columns)
    wanted = data.draw(st.none() | st.integers(1, d) | st.floats(0.01, 1.0))
    fitted = selector(name, n_features_to_select=wanted).fit(problem.pandas(), problem.y)
    assert sorted(fitted.ranking_) == list(range(1, d + 1))
    assert fitted.scores_.shape == (d,)
    assert not np.isnan(fitted.scores_).any()
    assert fitted.support_.sum() == fitted.n_features_
    np.testing.assert_array_equal(fitted.support_, fitted.ranking_ <= fitted.n_features_)
    if isinstance(wanted, int):
        assert fitted.n_features_ == wanted
    elif wanted is not None:
        assert fitted.n_features_ == max(1, int(wanted * d + 1e-9))


@over_columns
@few
@given(data=st.data())
def test_a_frame_is_cut_to_the_kept_columns(name: str, data: st.DataObject) -> None:
    """The same library, the same dtypes (a category stays one), the same rows; set_output is heard."""
    problem = drawn(data, name)
    fitted = selector(name).fit(problem.pandas(), problem.y)
    kept = fitted.get_feature_names_out().tolist()
    pd.testing.assert_frame_equal(fitted.transform(problem.pandas()), problem.pandas()[kept])
    assert fitted.transform(problem.pyarrow()).equals(problem.pyarrow().select(kept))
    cut = fitted.transform(problem.polars())
    assert cut.equals(problem.polars().select(kept))
    assert cut.schema == problem.polars().select(kept).schema
    asked = fitted.set_output(transform="polars").transform(problem.pandas())
    assert type(asked).__module__.startswith("polars")
    assert asked.columns == kept
    asked = fitted.set_output(transform="pandas").transform(problem.pandas())
    pd.testing.assert_frame_equal(asked, problem.pandas()[kept])


@pytest.mark.parametrize("name", WEIGHTED)
@few
@given(data=st.data())
def test_a_row_of_weight_k_is_a_row_given_k_times(name: str, data: st.DataObject) -> None:
    """Integer weights mean repeated rows."""
    problem = drawn(data, name)
    n = len(problem.y)
    weights = data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    rows = np.repeat(np.arange(n), weights)
    weighted = selector(name).fit(problem.polars(), problem.y, sample_weight=weights)
    repeated = selector(name).fit(problem.polars()[rows], np.array(problem.y)[rows])
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(weighted.ranking_, repeated.ranking_)


@over_rows
@few
@given(data=st.data())
def test_the_kept_rows_are_those_of_the_indices(name: str, data: st.DataObject) -> None:
    """Ascending, each once; every kind of table and labels is cut by them, index and dtypes kept."""
    problem = drawn(data, name)
    frame = problem.pandas()
    made = selector(name)
    kept, y_kept = made.fit_resample(frame, pd.Series(problem.y, index=frame.index))
    rows = made.sample_indices_
    assert len(rows) > 0 or name in WARNS
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert set(rows.tolist()) <= set(range(len(problem.y)))
    pd.testing.assert_frame_equal(kept, frame.iloc[rows])
    pd.testing.assert_series_equal(y_kept, pd.Series(problem.y, index=frame.index).iloc[rows])
    kept, y_kept = made.fit_resample(problem.polars(), problem.y)
    assert kept.equals(problem.polars()[rows.tolist()])
    assert y_kept == [problem.y[row] for row in rows]
    kept, y_kept = made.fit_resample(problem.pyarrow(), pa.array(problem.y))
    assert kept.equals(problem.pyarrow().take(rows))
    assert y_kept.to_pylist() == [problem.y[row] for row in rows]


@pytest.mark.parametrize("name", [name for name in ROWS if "n_prototypes" in default(name).get_params()])
@few
@given(data=st.data())
def test_the_number_of_rows_asked_for_is_kept(name: str, data: st.DataObject) -> None:
    """An int is a number of rows, a fraction is rounded down to one row at least."""
    problem = drawn(data, name)
    n = len(problem.y)
    wanted = data.draw(st.integers(1, n) | st.floats(0.01, 1.0))
    rows = selector(name, n_prototypes=wanted).fit(problem.pandas(), problem.y).sample_indices_
    assert len(rows) == (wanted if isinstance(wanted, int) else max(1, int(wanted * n + 1e-9)))
