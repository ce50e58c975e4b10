"""Information gain of stumps against every stump tried in turn."""

import numpy as np
import pytest

from tamis.features._kernels import gain as kernels


def leaf(weights):
    """F of a leaf, from its definition."""
    weights = np.asarray(weights, dtype=float)
    known, total = weights[weights > 0], weights.sum()
    return (known * np.log(known)).sum() - (total * np.log(total) if total > 0 else 0.0)


def problem(seed, n_classes=2, n=30):
    """Codes of five columns (the last two nominal, some with missing values), classes, whole weights."""
    rng = np.random.default_rng(seed)
    levels = np.array([n, 4, 3, 4, 2])
    codes = np.stack([rng.permutation(n), *(rng.integers(0, level, n) for level in levels[1:])]).astype(
        np.int32
    )
    for j in (2, 4):
        codes[j, rng.random(n) < 0.3] = levels[j]
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    return codes, levels, np.array([0, 0, 0, 1, 1], dtype=bool), labels, rng.integers(1, 9, n).astype(float)


def stumps(codes, level, nominal):
    """The rows that each stump of a column sends to the right, in order of preference."""
    missing = codes == level
    for value in range(level if nominal else level - 1):
        right = codes == value if nominal else (codes > value) & ~missing
        yield from [right, right | missing] if missing.any() else [right]
    if missing.any() and level:
        yield missing


def part(right, labels, weights, n_classes):
    """F(left) + F(right)."""
    by_class = [np.bincount(labels[rows], weights[rows], n_classes) for rows in (~right, right)]
    return sum(map(leaf, by_class))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_split_of_a_column_is_that_of_all_stumps_tried_in_turn(seed, n_classes):
    """Of every column, of two and of more classes; and so is what is found without looking at all."""
    codes, levels, nominal, labels, weights = problem(seed, n_classes)
    whole = np.bincount(labels, weights, n_classes)
    columns = np.arange(5)
    rows = np.argsort(codes, axis=1, kind="stable").astype(np.int32)
    told = (codes, rows, levels, nominal, columns, labels, weights, whole)
    found = kernels.best_parts(*told, False)
    best = [
        max(part(right, labels, weights, n_classes) for right in stumps(codes[j], levels[j], nominal[j]))
        for j in columns
    ]
    np.testing.assert_allclose(found, best, rtol=1e-10)
    if n_classes == 2:
        some = kernels.best_parts(*told, True)
        assert some.max() == found.max()
        assert (np.isneginf(some) | (some == found)).all()


@pytest.mark.parametrize("seed", range(4))
def test_leads_and_bounds_hold_for_every_stump(seed):
    """The lead is the largest gap of the classes' shares on the right; bounds by lead and by grid are never exceeded."""
    codes, levels, nominal, labels, weights = problem(seed)
    whole = np.bincount(labels, weights, 2)
    shares = kernels.shares_of_class(labels, weights, whole)
    rows = np.argsort(codes, axis=1, kind="stable").astype(np.int32)
    leads = kernels.column_leads(codes, rows, levels, nominal, np.arange(5), shares)
    grid, places = kernels.grid_bounds(whole), kernels.grid_places(labels, weights, whole)
    for j in range(5):
        all_right = list(stumps(codes[j], levels[j], nominal[j]))
        assert leads[j] == pytest.approx(max(abs(shares[right].sum()) for right in all_right))
        best = max(part(right, labels, weights, 2) for right in all_right)
        assert best <= kernels.gain_bound(leads[j], whole) + 1e-9
        assert kernels.least_lead(best, whole) <= leads[j] + 1e-9
        table = kernels.class_table(codes[j], labels, weights, levels[j], 2)
        assert kernels.may_reach(table, nominal[j], whole, grid, best - 1e-9)
        if j == 0:
            assert kernels.may_reach_along(rows[j], places, grid, best - 1e-9)
    assert not kernels.may_reach(table, True, whole, grid, 0.0 + 1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_new_weights_are_those_of_a_plain_update(seed, n_classes):
    """The earliest of the best stumps votes by majority; what it gets wrong weighs more, in whole numbers."""
    codes, levels, nominal, labels, weights = problem(seed, n_classes)
    whole = np.bincount(labels, weights, n_classes)
    for j in range(5):
        new, error = kernels.reweighted(codes[j], levels[j], nominal[j], labels, weights, whole)
        all_right = list(stumps(codes[j], levels[j], nominal[j]))
        parts = [part(right, labels, weights, n_classes) for right in all_right]
        right = all_right[next(i for i, one in enumerate(parts) if one >= max(parts) - 1e-12 * whole.sum())]
        answers = [np.argmax(np.bincount(labels[rows], weights[rows], n_classes)) for rows in (~right, right)]
        wrong = np.where(right, answers[1], answers[0]) != labels
        assert error == pytest.approx(weights[wrong].sum() / whole.sum())
        if 0 < error < 1 - 1 / n_classes:
            factor = np.where(wrong, (n_classes - 1) / error, 1 / (1 - error)) / n_classes
            np.testing.assert_array_equal(new, np.maximum(1, np.rint(weights * factor)))
        else:
            np.testing.assert_array_equal(new, weights)
