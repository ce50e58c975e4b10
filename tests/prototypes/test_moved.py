"""MovedPrototypes: the plain loops' way step by step, made rows as they were asked for, and what must not matter."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.neighbors import KNeighborsClassifier

from tamis import MarginPrototypes, MovedPrototypes, PrototypeClassifier, RandomPrototypes, SelectorCV
from tamis._memory import remembering
from tamis._threads import Team
from tamis.prototypes._moved import NEVER, State, Steps, Task, _draws, _one_step, folded, voted_start
from tamis.prototypes._points import PointSpace
from tamis.prototypes.in_parts import condense_parts
from tamis.table._encode import encode_like
from tamis.table._table import Schema, Table, Target
from tests.oracles import moved_prototypes as oracle
from tests.prototypes.problems import Problem, problem
from tests.settings import N_PROBLEMS

N_STEPS = 20


def read(one: Problem) -> tuple[Table, Target]:
    """A problem as the engine reads it."""
    categories, values = [], one.X.copy()
    for j, nominal in enumerate(one.nominal):
        known = np.unique(one.X[~np.isnan(one.X[:, j]), j]) if nominal else None
        categories.append(known)
        if known is not None:
            codes = np.searchsorted(known, np.nan_to_num(one.X[:, j])).astype(float)
            values[:, j] = np.where(np.isnan(one.X[:, j]), np.nan, codes)
    classes, codes = np.unique(one.y, return_inverse=True)
    return Table(values, Schema(one.nominal, tuple(categories))), Target(codes, classes)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_first_steps_are_those_of_the_plain_loops(seed: int) -> None:
    """Every one of 20 steps along the plain way, to 1e-9: loss, prototypes, weights, running means.

    Which prototype is nearest is decided by the same sums in the same order, and most steps agree to 1e-15. What is left
    are the last bits of exp, and of the mean and median that a step is measured in; where the pulls at a coordinate all
    but cancel, Adam divides what is left by its own size. So that this is not carried on from step to step, each begins
    where the plain one did.
    """
    one = problem(seed)
    table, target = read(one)
    random = np.random.RandomState(seed)
    start = np.sort(random.permutation(len(one.y))[: random.randint(2, 9)])
    start = start[np.argsort(target.codes[start], kind="stable")]
    weights = random.choice([0.5, 1.0, 1.5], len(one.y))
    steps = Steps(
        *(N_STEPS, (8.0, 16.0), 0.1, float(random.choice([0.0, 0.5]))),
        *(0.05 * float(seed % 2), 0.5 if seed % 4 > 1 else NEVER),
    )
    space = PointSpace.of(table)
    points = space.points(table.values)
    labels = target.codes[start]
    drawn = list(islice(_draws(random, labels, len(one.y), steps.resting), N_STEPS))
    rows = oracle.points(one.X.tolist(), one.nominal)
    plain_start = [oracle.filled(rows, target.codes.tolist(), None)[row] for row in start]
    first = points.filled(start, target.codes)
    np.testing.assert_allclose(first, plain_start, atol=1e-13)
    task, state = Task(space, points, target.codes, weights, labels), State.at(first)
    unit = task.unit_of_step(first)
    plain = oracle.trajectory(
        rows,
        target.codes.tolist(),
        weights.tolist(),
        first.tolist(),
        labels.tolist(),
        [awake.tolist() for _, awake in drawn],
        vars(steps),
        [np.flatnonzero(space.coordinates() == column).tolist() for column in np.flatnonzero(one.nominal)],
    )
    for number, (loss, plain_state) in enumerate(plain):
        found = _one_step(task, state, steps, number, unit, drawn[number], Team(1))
        assert found == pytest.approx(loss, abs=1e-9)
        for name, expected in zip(vars(state), plain_state):
            np.testing.assert_allclose(getattr(state, name), expected, rtol=1e-9, atol=1e-9)
        state = State(*(np.array(part) for part in plain_state))


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_new_rows_find_the_nearest_made_row(seed: int) -> None:
    """The lowest of the nearest by plain sums, values never seen adding nothing; copies of made rows tie."""
    one = problem(seed)
    model = MovedPrototypes(
        min(6, len(one.y)), n_steps=seed % 3, categorical_features=one.nominal, random_state=0
    )
    classifier = PrototypeClassifier(model).fit(one.X, one.y)
    fitted = classifier.selector_
    new = oracle.points(one.X.tolist(), one.nominal, np.concatenate([one.X, one.new]).tolist())
    places = range(len(fitted.positions_))
    found = [
        oracle.nearest(x, fitted.positions_.tolist(), places, fitted.position_weights_.tolist())[0]
        for x in new
    ]
    predicted = classifier.predict(np.concatenate([one.X, one.new]))
    assert predicted.tolist() == fitted.labels_[found].tolist()


def colours(n_rows: int, seed: int) -> tuple[Any, Any]:
    """A number and a colour that tell the class, each now and then, and three colours that do not."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n_rows)
    frame = pl.DataFrame(
        {
            "a": random.normal(size=n_rows) + y,
            "b": np.array(["red", "green"])[y ^ (random.random(n_rows) < 0.3)],
        }
    )
    others = [pl.Series(name, random.choice(["red", "green", "blue"], n_rows)) for name in "cde"]
    return frame.with_columns(others), y


@pytest.mark.parametrize("seed", range(3))
def test_made_rows_are_as_good_as_they_come_back(seed: int) -> None:
    """With real values the positions are those of the rows given back; PrototypeClassifier alone measures finer."""
    X, y = colours(200, seed)
    model = MovedPrototypes(8, random_state=0, n_steps=60).fit(X, y)
    back = model._nearest_made.space.points(
        encode_like(model, model.prototypes_, model._nearest_made.space.schema).values
    )
    assert set(np.unique(model.positions_[:, 1:])) == {0.0, 0.5**0.5}
    np.testing.assert_array_equal(back.values[:, 1:] > 0, model.positions_[:, 1:] > 0)
    finer = PrototypeClassifier(MovedPrototypes(8, random_state=0, n_steps=60)).fit(X, y).selector_
    assert finer.real_values is False
    assert len(np.unique(finer.positions_[:, 1:])) > 2


def test_real_values_lose_less_when_made_rows_know_of_them() -> None:
    """On ten tables of colours the rows that moved with real values are right more often than those rounded at the end."""
    right = [0.0, 0.0]
    for seed in range(10):
        X, y = colours(600, seed)
        for place, real in enumerate((False, True)):
            made, labels = MovedPrototypes(6, real_values=real, random_state=0).fit_resample(X[:200], y[:200])
            rule = PrototypeClassifier(RandomPrototypes(1.0)).fit(made, labels)
            right[place] += float(np.mean(rule.predict(X[200:]) == y[200:]))
    assert right[1] > right[0]


def blobs(n_rows: int = 300, n_columns: int = 4, seed: int = 0) -> tuple[Any, Any]:
    """Two overlapping classes."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n_rows)
    return random.normal(size=(n_rows, n_columns)) + y[:, np.newaxis], y


def test_without_steps_the_rows_are_those_that_margin_prototypes_keeps() -> None:
    """The start is what MarginPrototypes keeps with the same seed; numbers come back as they were."""
    X, y = blobs()
    made, labels = MovedPrototypes(10, n_steps=0, random_state=3).fit_resample(X, y)
    kept = MarginPrototypes(10, random_state=3).fit(X, y).sample_indices_
    kept = kept[np.argsort(y[kept], kind="stable")]
    np.testing.assert_allclose(made, X[kept], rtol=1e-12)
    assert labels.tolist() == y[kept].tolist()


@pytest.mark.parametrize("seed", range(10))
def test_weights_are_folded_as_by_plain_loops(seed: int) -> None:
    """The same places; equal weights move nothing, and a column without weight brings all to the centre there."""
    random = np.random.default_rng(seed)
    places, counts = random.normal(size=(6, 4)), random.choice([0.0, 0.5, 2.0, 3.0], 4)
    found = folded(places, counts)
    np.testing.assert_allclose(found, oracle.folded(places.tolist(), counts.tolist()), atol=1e-12)
    np.testing.assert_allclose(folded(places, np.ones(4)), places, atol=1e-12)
    if counts.any():
        assert np.allclose(found.std(axis=0)[counts == 0], 0.0)


def test_folded_weights_of_none_and_all_change_no_answer() -> None:
    """Where columns count either nothing or the same, plain distances to folded places find what the weighted ones did."""
    random = np.random.default_rng(3)
    places, rows = random.normal(size=(7, 6)), random.normal(size=(200, 6))
    counts = np.array([2.0, 0.0, 2.0, 0.0, 0.0, 2.0])
    weighted = ((rows[:, np.newaxis] - places) ** 2 * counts).sum(axis=2)
    plain = ((rows[:, np.newaxis] - folded(places, counts)) ** 2).sum(axis=2)
    assert weighted.argmin(axis=1).tolist() == plain.argmin(axis=1).tolist()


def test_steps_lower_the_loss() -> None:
    """On an easy table the mean loss of the last step is well below that of the first."""
    X, y = blobs()
    loss = MovedPrototypes(6, resting=0.0, learn_weights=False, random_state=0).fit(X, y).history_["loss"]
    assert len(loss) == 200
    assert loss[-1] < 0.9 * loss[0]


@pytest.mark.parametrize("n_rows", [300, 5000])
def test_threads_change_no_bit(n_rows: int) -> None:
    """One thread and three, for all rows a step and for parts of them."""
    X, y = blobs(n_rows)
    settings: dict[str, Any] = {"n_steps": 30, "random_state": 0, "learn_weights": True}
    start = MovedPrototypes(40, **settings)
    one, three = (start.set_params(n_jobs=jobs).fit(X, y).positions_.copy() for jobs in (1, 3))
    assert one.tobytes() == three.tobytes()


def test_a_run_that_is_remembered_gives_the_same_bits(tmp_path: Path) -> None:
    """A second fit takes every run of steps from the memory; one that lacks the last run goes on from there."""
    X, y = blobs()
    model = MovedPrototypes(12, n_steps=60, random_state=0)
    alone = model.fit(X, y).positions_.tobytes()
    with remembering(tmp_path):
        assert model.fit(X, y).positions_.tobytes() == alone
        n_parts = len(list(tmp_path.iterdir()))
        for file in sorted(tmp_path.iterdir(), key=lambda file: file.stat().st_mtime_ns)[-1:]:
            file.unlink()
        assert model.fit(X, y).positions_.tobytes() == alone
        assert len(list(tmp_path.iterdir())) == n_parts


@pytest.mark.parametrize("library", ["pandas", "polars", "list", "float32"])
def test_made_rows_come_in_the_form_of_the_table(library: str) -> None:
    """A frame of the same library, columns and categories; a list; an array of the same floats."""
    X, y = blobs(60, 3)
    if library == "list":
        made, labels = MovedPrototypes(4, random_state=0).fit_resample(X.tolist(), y.tolist())
        assert isinstance(made, list)
        assert isinstance(labels, list)
        return
    if library == "float32":
        assert MovedPrototypes(4, random_state=0).fit_resample(X.astype(np.float32), y)[0].dtype == np.float32
        return
    texts = np.where(X[:, 2] > 0.5, "yes", "no")
    frame: Any = pd.DataFrame({"a": X[:, 0], "b": (10 * X[:, 1]).astype(int), "c": pd.Categorical(texts)})
    if library == "polars":
        frame = pl.DataFrame({"a": X[:, 0], "b": (10 * X[:, 1]).astype(int), "c": texts})
    made, labels = MovedPrototypes(4, random_state=0).fit_resample(frame, y)
    assert type(made) is type(frame)
    assert list(made.columns) == ["a", "b", "c"]
    assert made["c"].dtype == frame["c"].dtype
    assert set(made["c"].to_list() if library == "polars" else made["c"]) <= {"yes", "no"}
    assert len(made) == len(labels) == 4


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_without_values_comes_back_without(library: Any) -> None:
    """Missing, as the library of the frame has it: null in polars, and not NaN."""
    X, y = blobs(60, 2)
    frame = library({"a": X[:, 0], "empty": [None] * 60, "b": X[:, 1]})
    made = nw.from_native(MovedPrototypes(4, random_state=0).fit_resample(frame, y)[0], eager_only=True)
    assert made["empty"].null_count() == 4
    assert not any(isinstance(value, float) for value in made.to_arrow()["empty"].to_pylist())


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "frame"])
def test_made_rows_are_finite_where_numbers_are_as_large_as_can_be(kind: str) -> None:
    """A made row that moved beyond the largest number of its kind is there, not at infinity."""
    random = np.random.RandomState(0)
    dtype = np.float32 if kind == "frame" else np.dtype(kind)
    largest = np.finfo(dtype).max
    X = np.where(random.random_sample((40, 3)) < 0.5, largest, 0).astype(dtype)
    y = np.where((X[:, 0] > 0) ^ (random.random_sample(40) < 0.3), "a", "b")
    table: Any = pl.DataFrame(X) if kind == "frame" else X
    made = np.asarray(MovedPrototypes(10, learn_weights=False, random_state=0).fit_resample(table, y)[0])
    assert made.dtype == dtype
    assert np.abs(made).max() == largest


def test_missing_values_pull_at_nothing() -> None:
    """A column that is missing throughout changes nothing, and stays missing; made rows have no other gap."""
    X, y = blobs(80, 2)
    X[::7, 0] = np.nan
    wide = np.column_stack([X, np.full(len(X), np.nan)])
    narrow = MovedPrototypes(6, resting=0.0, random_state=0).fit(X, y).prototypes_
    made = MovedPrototypes(6, resting=0.0, random_state=0).fit(wide, y).prototypes_
    assert np.isnan(made[:, 2]).all()
    assert not np.isnan(narrow).any()


def test_weights_count_as_rows_do() -> None:
    """A class that weighs ten times as much loses fewer rows; equal weights change no bit."""
    X, y = blobs(400)
    model = MovedPrototypes(4, random_state=0)
    plain = model.fit(X, y).positions_.tobytes()
    assert model.fit(X, y, np.full(len(y), 4.0)).positions_.tobytes() == plain
    even = PrototypeClassifier(MovedPrototypes(4, random_state=0)).fit(X, y).predict(X)
    heavy = PrototypeClassifier(MovedPrototypes(4, class_weight={1: 10}, random_state=0)).fit(X, y).predict(X)
    assert (heavy == 1).sum() > (even == 1).sum()


def test_rows_that_their_neighbours_vote_for_come_first() -> None:
    """A row among others of another class is no start while others will do."""
    X = np.array([[0.0], [0.1], [0.2], [0.3], [0.15], [5.0], [5.1], [5.2], [5.3], [5.4]])
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    table = Table(X, Schema(np.array([False]), (None,)))
    for seed in range(20):
        start = voted_start(table, Target(y, np.array([0, 1])), 8, np.random.RandomState(seed), None)
        assert 4 not in start


@pytest.mark.parametrize("constant", [False, True])
def test_one_row_of_a_class_and_constant_columns(constant: bool) -> None:
    """Every class is met where there are enough made rows, and constants stay what they were."""
    X, y = blobs(40, 2)
    X[:, 1] = 7.0
    X[:, 0] *= not constant
    y[0] = 2
    made, labels = MovedPrototypes(10, random_state=0).fit_resample(X, y)
    assert (made[:, 1] == 7.0).all()
    assert np.isfinite(made).all()
    assert len(labels) == 10


@pytest.mark.parametrize("betas", [(8,), (0, 4), (8, 501), ["a", "b"], (8, 16, 32)])
def test_betas_that_are_none(betas: Any) -> None:
    """Anything but two numbers above 0 and up to 500 is refused by name."""
    with pytest.raises(ValueError, match=r"MovedPrototypes: betas=.*Use, say"):
        MovedPrototypes(2, betas=betas).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    "wrong", [{"step_size": 1e300}, {"learn_weights": "x"}, {"n_steps": -1}, {"n_prototypes": "all"}]
)
def test_values_that_are_none(wrong: dict[str, Any]) -> None:
    """Refused by name, also where rows held out would be tried first."""
    X, y = blobs(30, 2)
    for model in (MovedPrototypes(**wrong), PrototypeClassifier(MovedPrototypes(**wrong))):
        with pytest.raises(
            ValueError, match=f"The '{next(iter(wrong))}' parameter of MovedPrototypes must be"
        ):
            model.fit(X, y)


def test_selector_cv_finds_a_number_of_made_rows() -> None:
    """SelectorCV gives the made rows of the size it chose; there are no indices to tell."""
    X, y = blobs(120)
    search = SelectorCV(
        MovedPrototypes(random_state=0, n_steps=20), KNeighborsClassifier(1), sizes=[4, 20], cv=3
    )
    made, labels = search.fit_resample(X, y)
    assert len(made) == len(labels) == search.size_
    assert not hasattr(search, "sample_indices_")


def test_made_rows_are_not_made_in_parts() -> None:
    """condense_parts refuses by name, before any work."""
    X, y = blobs(40)
    with pytest.raises(ValueError, match=r"condense_parts: MovedPrototypes makes rows"):
        condense_parts(MovedPrototypes(4), X, y, n_parts=2)
