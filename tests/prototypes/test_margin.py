"""MarginPrototypes: the plain search's rows, swap for swap, and what a swap is said to gain is what it gains."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tamis._memory import remembering
from tamis._threads import Team
from tamis.prototypes._kernels.margin import first_swap, opened, swap
from tamis.prototypes._margin import new_account
from tamis.prototypes._quota import class_quotas
from tamis.prototypes.condensed import CondensedNN
from tamis.prototypes.margin import MarginPrototypes
from tamis.table._table import Schema, Table, Target
from tests.oracles import margin_prototypes as oracle
from tests.prototypes.problems import Problem, needs_compiler, problem
from tests.settings import N_PROBLEMS

CREDITS = (0.4, 0.0, 1.0)


def passes(random: np.random.RandomState, n_rows: int, n_tried: int | None = None) -> Iterator[list[int]]:
    """The candidates of one pass after the other."""
    while True:
        yield random.permutation(n_rows)[:n_tried].tolist()


def assert_plain(selector: MarginPrototypes, one: Problem, seed: int, n_tried: int | None = None) -> None:
    """The rows, the swaps and the losses are those of the plain search on the same draws."""
    labels = one.y.tolist()
    random = np.random.RandomState(seed)
    order = random.permutation(len(labels))
    classes, codes = np.unique(one.y, return_inverse=True)
    n_kept = len(selector.sample_indices_)
    quotas = class_quotas("test", Target(codes, classes), n_kept, "proportional")
    start = np.concatenate([order[codes[order] == code][:quota] for code, quota in enumerate(quotas)])
    assert selector.start_indices_.tolist() == sorted(start.tolist())
    balanced = selector.class_weight == "balanced"
    weights = oracle.balanced_weights(labels) if balanced else [1.0] * len(labels)
    kept, swaps = oracle.margin_prototypes(
        one.distances,
        labels,
        start.tolist(),
        passes(random, len(labels), n_tried),
        weights,
        selector.self_credit,
        selector.betas,
        selector.max_passes,
    )
    assert selector.sample_indices_.tolist() == kept
    history = zip(
        *(selector.history_[name].tolist() for name in ("beta", "pass", "removed", "added", "loss"))
    )
    assert list(history) == [(*made, loss / 2**32) for *made, loss in swaps]


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_swaps_are_those_of_the_plain_search(seed: int) -> None:
    """Row for row out and in, with the loss after each swap, for two betas and either weighting."""
    one = problem(seed)
    selector = MarginPrototypes(
        1 + seed % min(7, len(one.y) - 1),
        betas=(4, 32),
        max_passes=2,
        class_weight="balanced" if seed % 2 else None,
        self_credit=CREDITS[seed % 3],
        categorical_features=one.nominal,
        random_state=seed,
    )
    assert_plain(selector.fit(one.X, one.y), one, seed)


@pytest.mark.parametrize("seed", range(0, N_PROBLEMS, 5))
def test_many_rows_and_long_searches(seed: int) -> None:
    """The same with half of the rows kept and every beta gone through."""
    one = problem(seed)
    selector = MarginPrototypes(0.5, max_passes=1, categorical_features=one.nominal, random_state=seed)
    assert_plain(selector.fit(one.X, one.y), one, seed)


def by_products(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let matrix products bound the distances of the smallest table."""
    monkeypatch.setattr("tamis.prototypes._margin.CACHED_ROWS", 0)
    monkeypatch.setattr("tamis.prototypes.margin.CACHED_ROWS", 0)
    monkeypatch.setattr("tamis.neighbors._graph.PRODUCTS_FROM_VALUES", 0)
    monkeypatch.setattr("tamis.neighbors._graph.KERNEL_COST", (1e9, 1e9))
    monkeypatch.setattr("tamis.prototypes._margin_products.LISTED", 9)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_with_products_nothing_changes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Products that bound the distances, a few candidates at a time, by one thread or two: the plain search's swaps."""
    by_products(monkeypatch)
    monkeypatch.setattr("tamis.prototypes._margin.MOST_CANDIDATES", 1 + seed % 6)
    one = problem(seed)
    settings = {"betas": (4, 16), "max_passes": 2, "categorical_features": one.nominal, "random_state": seed}
    selector = MarginPrototypes(1 + seed % min(9, len(one.y) - 1), n_jobs=1 + seed % 2, **settings)
    assert_plain(selector.fit(one.X, one.y), one, seed)


def test_stored_passes_are_repeated_with_products(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fit that remembers the passes of an earlier one makes the same swaps."""
    by_products(monkeypatch)
    X, y = blobs()
    selector = MarginPrototypes(6, betas=(4, 16), max_passes=2, random_state=0)
    with remembering(tmp_path):
        first = selector.fit(X[:90], y[:90]).history_
        again = selector.fit(X[:90], y[:90]).history_
    assert len(first["loss"])
    for name, values in first.items():
        np.testing.assert_array_equal(values, again[name])


@pytest.mark.parametrize("seed", range(0, N_PROBLEMS, 5))
def test_without_a_cache_nothing_changes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Distances measured when they are needed, in blocks, by two threads: the swaps of the plain search."""
    monkeypatch.setattr("tamis.prototypes._margin.CACHED_ROWS", 0)
    monkeypatch.setattr("tamis.prototypes.margin.CACHED_ROWS", 0)
    monkeypatch.setattr("tamis.prototypes._condense.BLOCK_ROWS", 7)
    one = problem(seed)
    settings = {"betas": (4, 16), "max_passes": 2, "categorical_features": one.nominal, "random_state": seed}
    selector = MarginPrototypes(min(8, len(one.y) - 1), n_jobs=2, **settings)
    assert_plain(selector.fit(one.X, one.y), one, seed)


@pytest.mark.parametrize("seed", range(0, N_PROBLEMS, 5))
def test_candidates_are_drawn_for_every_pass(seed: int) -> None:
    """n_candidates=5 tries the first five rows of each pass's permutation."""
    one = problem(seed)
    selector = MarginPrototypes(
        0.2, n_candidates=5, max_passes=4, categorical_features=one.nominal, random_state=seed
    )
    assert_plain(selector.fit(one.X, one.y), one, seed, 5)


@pytest.mark.parametrize("seed", range(0, N_PROBLEMS, 3))
def test_a_swap_gains_what_it_was_said_to(seed: int) -> None:
    """What a candidate is worth before the swap, the swap's own account, and both losses summed anew agree."""
    one = problem(seed)
    classes, codes = np.unique(one.y, return_inverse=True)
    weights = np.stack([np.ones(len(codes)), np.full(len(codes), 1.0 - CREDITS[seed % 3])])
    start = np.arange(0, len(codes), 3)
    table = Table(one.X, Schema(one.nominal, (None,) * one.X.shape[1]))
    random = np.random.default_rng(seed)
    with Team(1) as team:
        account, _ = new_account(table, Target(codes, classes), start, weights, team)
        before = opened(account, 8.0)
        for _ in range(10):
            candidates = random.permutation(len(codes))
            place, slot, said = first_swap(account, candidates, 8.0, before, -np.inf)
            rise = swap(account, slot, candidates[place], 8.0)
            terms, removal = account.terms.copy(), account.removal.copy()
            anew, _ = new_account(table, Target(codes, classes), account.kept, weights, team)
            after = opened(anew, 8.0)
            assert said == rise == after - before
            np.testing.assert_array_equal(account.near, anew.near)
            np.testing.assert_array_equal(terms, anew.terms)
            np.testing.assert_array_equal(removal, anew.removal)
            before = after


def blobs() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=(700, 3)), random.integers(0, 3, 700)])
    return X, (X[:, 0] > X[:, 1]).astype(int) + (X[:, 2] > 1)


@needs_compiler
def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same swaps for one thread and for three, with and without the cache."""
    X, y = blobs()
    cached = MarginPrototypes(0.05, random_state=0).fit(X, y)
    monkeypatch.setattr("tamis.prototypes._margin.CACHED_ROWS", 100)
    monkeypatch.setattr("tamis.prototypes.margin.CACHED_ROWS", 100)
    for n_jobs in (1, 3):
        other = MarginPrototypes(0.05, random_state=0, n_jobs=n_jobs).fit(X, y)
        for name, values in cached.history_.items():
            np.testing.assert_array_equal(values, other.history_[name])


@needs_compiler
def test_the_loss_falls_with_every_swap() -> None:
    """Within a beta each swap leaves less, and the kept rows classify more rows than those of the start."""
    X, y = blobs()
    selector = MarginPrototypes(0.03, random_state=0).fit(X, y)
    history = selector.history_
    for beta in selector.betas:
        assert (np.diff(history["loss"][history["beta"] == beta]) < 0).all()
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))

    def right(kept: np.ndarray) -> float:
        distances = ((scaled[:, np.newaxis] - scaled[kept]) ** 2).sum(axis=2)
        return float(np.mean(y[kept][distances.argmin(axis=1)] == y))

    assert right(selector.sample_indices_) > right(selector.start_indices_)


def test_renaming_classes_changes_nothing() -> None:
    """Two classes under other names in the same order keep the same rows."""
    X, y = blobs()
    X, y = X[:60], y[:60]
    one = MarginPrototypes(6, random_state=0).fit(X, y)
    other = MarginPrototypes(6, random_state=0).fit(X, np.array(["k", "l", "m"])[y])
    np.testing.assert_array_equal(one.sample_indices_, other.sample_indices_)


def test_balanced_weights_are_those_of_the_dict() -> None:
    """class_weight="balanced" is the root of n / (n_classes n_class); a dict says the same in full."""
    X, y = blobs()
    X, y = X[:80], y[:80]
    counts = np.bincount(y)
    named = {label: float(np.sqrt(80 / (len(counts) * count))) for label, count in enumerate(counts)}
    balanced = MarginPrototypes(7, class_weight="balanced", random_state=0).fit(X, y)
    by_name = MarginPrototypes(7, class_weight=named, random_state=0).fit(X, y)
    np.testing.assert_array_equal(balanced.history_["loss"], by_name.history_["loss"])


@needs_compiler
def test_as_many_as_condensing_keeps() -> None:
    """n_prototypes="condensed" is the number of rows that CondensedNN keeps."""
    X, y = blobs()
    size = len(CondensedNN().fit(X, y).sample_indices_)
    kept = MarginPrototypes("condensed", betas=[8], max_passes=1, random_state=0).fit(X, y).sample_indices_
    assert len(kept) == size


def test_all_rows_leave_nothing_to_swap() -> None:
    """With every row kept there is no candidate."""
    X, y = blobs()
    selector = MarginPrototypes(1.0, random_state=0).fit(X[:20], y[:20])
    assert selector.sample_indices_.tolist() == list(range(20))
    assert len(selector.history_["loss"]) == 0


def test_passes_are_told_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """verbose=1 prints one line a pass, with the swaps and the loss; by default nothing is printed."""
    X, y = blobs()
    MarginPrototypes(5, random_state=0).fit(X[:50], y[:50])
    assert capsys.readouterr() == ("", "")
    selector = MarginPrototypes(5, betas=[4], random_state=0, verbose=1).fit(X[:50], y[:50])
    lines = capsys.readouterr().err.splitlines()[1:]
    n_swaps = [int(line.split(": ")[3].split(" ")[0]) for line in lines]
    assert lines[0].startswith("MarginPrototypes: passes: 1, beta 4, pass 1: ")
    assert sum(n_swaps) == len(selector.history_["loss"])
    assert n_swaps[-1] == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_prototypes": 7}, r"MarginPrototypes: n_prototypes=7, but X has 4 rows. Use a value from 1 to 4"),
        ({"betas": ()}, r"MarginPrototypes: betas=\(\), but there must be at least one"),
        ({"betas": (4, 501)}, r"each above 0 and up to 500. Use, say, \(4, 8, 16, 32\)"),
        ({"betas": "48"}, r"'betas' parameter of MarginPrototypes must be an array-like"),
        ({"betas": ["steep"]}, r"betas=\['steep'\] are not all numbers"),
        ({"betas": (4, float("nan"))}, r"each above 0 and up to 500"),
        (
            {"class_weight": {"c": 1}},
            r"class_weight names 'c', which is no class of y. Classes: 'a', 'b'",
        ),
        (
            {"class_weight": {"a": -1}},
            r"class_weight gives 'a' the weight -1. Use a finite number that is not negative",
        ),
        ({"class_weight": {"a": 0, "b": 0}}, r"class_weight leaves weight to 0 classes"),
        (
            {"class_weight": {"a": float("inf")}},
            r"class_weight gives 'a' the weight inf. Use a finite number",
        ),
        ({"self_credit": 1.5}, r"'self_credit' parameter of MarginPrototypes must be"),
        ({"n_candidates": 0}, r"'n_candidates' parameter of MarginPrototypes must be"),
    ],
)
def test_what_cannot_be_is_refused(settings: dict[str, Any], message: str) -> None:
    """Name and value stand in the error."""
    with pytest.raises(ValueError, match=message):
        MarginPrototypes(**settings).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
