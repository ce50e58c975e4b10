"""Tables in parts with a numeric target: the same bits as in memory, for any parts."""

import itertools
from copy import deepcopy

import numpy as np
import polars as pl
import pytest

from tamis import SBSMF, StumpBoostRegressor
from tamis.stumps import least_squares
from tamis.stumps.engine import boost, eliminate
from tamis.stumps.least_squares import Steps, cell_table
from tamis.stumps.part_numbers import CellPart, PartCells, part_fingerprint
from tests.oracles import least_squares as oracle
from tests.settings import N_PROBLEMS
from tests.stumps.test_least_squares import N_ROUNDS, assert_same_model, random_problem
from tests.stumps.test_parts import LocalParts, cut
from tests.stumps.test_sorted_run import assert_same_elimination


def parted(table, problem, ends):
    """The same table, its rows in parts elsewhere."""
    parts = []
    for a, b in itertools.pairwise(ends):
        codes, target, weights = table.codes[:, a:b], problem.target[a:b], problem.weights[a:b]
        codes = np.ascontiguousarray(codes)
        sums = np.stack(least_squares.cell_sums(codes, table.starts, weights, target))
        parts.append(deepcopy(CellPart(codes, target, weights, sums)))
    none = np.empty((table.n_columns, 0), dtype=np.uint8)
    return PartCells(none, table.starts, table.nominal, table.bins, LocalParts(parts))


@pytest.mark.parametrize("seed", range(N_PROBLEMS // 2))
def test_parts_equal_the_oracle(seed, monkeypatch):
    """Models and eliminations of any parts are the oracle's, also with room for the joint weights of two stumps only."""
    rng, values, nominal, y, weights, rate = random_problem(7000 + seed)
    whole, problem = cell_table(values, nominal), Steps.of(y, weights)
    if seed % 2:
        monkeypatch.setattr(least_squares, "JOINT_BYTES", 16 * int(whole.starts[-1]))
    table = parted(whole, problem, cut(len(y), rng, int(rng.integers(1, 6))))
    expected = oracle.boost(values, nominal, y, N_ROUNDS, weights, None, rate)
    assert_same_model(boost(table, [problem], N_ROUNDS, learning_rate=rate)[0], expected)
    gone = oracle.eliminate(values, nominal, y, N_ROUNDS, weights, learning_rate=rate)
    for n_kept in (1, 3):
        found = eliminate(table, [problem], N_ROUNDS, learning_rate=rate, n_kept=n_kept)
        assert_same_elimination(found, gone)


def mixed(n=1500, seed=0):
    """Many values and few, texts, missing values, a constant; a numeric target and weights."""
    rng = np.random.default_rng(seed)
    texts = [["red", "blue", None][code] for code in rng.integers(0, 3, n)]
    gaps = np.where(rng.random(n) < 0.2, None, rng.normal(size=n)).tolist()
    frame = pl.DataFrame({
        "many": rng.normal(size=n), "few": rng.integers(0, 5, n), "colour": texts, "noise": rng.normal(size=n),
        "one": np.ones(n), "gaps": pl.Series(gaps, dtype=pl.Float64),
    })  # fmt: skip
    y = frame["many"].to_numpy() + np.array([text == "red" for text in texts]) + rng.normal(size=n)
    return frame, y, np.round(3 * rng.random(n))


def written(folder, frame, ends):
    """The rows in files."""
    folder.mkdir()
    for number, (a, b) in enumerate(itertools.pairwise(ends)):
        frame[a:b].write_parquet(folder / f"{number}.parquet")
    return folder


def assert_same_ranking(first, second):
    assert first.ranking_.tolist() == second.ranking_.tolist()
    assert first.scores_.tolist() == second.scores_.tolist()
    for key, values in first.history_.items():
        assert values.tolist() == second.history_[key].tolist()


@pytest.mark.parametrize(
    "settings", [{}, {"loss": "ranks"}, {"criterion": "contribution_ratio", "step": 0.3}]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_folder_ranks_as_the_table_in_memory(tmp_path, settings, weighted):
    """For any files and threads: rows of weight 0 are left out in both."""
    frame, y, weights = mixed()
    given = weights if weighted else None
    whole = SBSMF(n_rounds=30, **settings).fit(frame, y, given)
    rows = frame.with_columns(y=y, w=weights) if weighted else frame.with_columns(y=y)
    for number, ends in enumerate(([0, 1500], [0, 3, 700, 701, 1500])):
        folder = written(tmp_path / str(number), rows, ends)
        found = SBSMF(n_rounds=30, n_jobs=number + 1, **settings).fit(folder, "y", "w" if weighted else None)
        assert_same_ranking(found, whole)
        assert not hasattr(found, "classes_")


def test_the_regressor_reads_a_folder(tmp_path):
    """It predicts what the regressor of the table in memory predicts, bit for bit."""
    frame, y, _ = mixed()
    folder = written(tmp_path / "parts", frame.with_columns(y=y), [0, 400, 1500])
    model, whole = StumpBoostRegressor(40).fit(folder, "y"), StumpBoostRegressor(40).fit(frame, y)
    assert model.predict(frame).tolist() == whole.predict(frame).tolist()
    assert model.margin_fractions_.tolist() == whole.margin_fractions_.tolist()


def test_what_the_target_of_a_folder_holds(tmp_path):
    """Floats with fractions are numbers, whole numbers classes, unless told; what is neither is refused."""
    frame, y, _ = mixed(200)
    few = np.arange(200) % 7
    folder = written(tmp_path / "a", frame.with_columns(y=few), [0, 90, 200])
    assert hasattr(SBSMF(n_rounds=3).fit(folder, "y"), "classes_")
    told = SBSMF(n_rounds=3, target_kind="numbers").fit(folder, "y")
    assert_same_ranking(told, SBSMF(n_rounds=3, target_kind="numbers").fit(frame, few))
    assert not hasattr(
        SBSMF(n_rounds=3).fit(written(tmp_path / "b", frame.with_columns(y=y), [0, 200]), "y"), "classes_"
    )
    for number, (bad, words) in enumerate(
        [
            (np.where(np.arange(200) == 5, np.inf, y), "infinity"),
            (np.full(200, 0.5), "one number only"),
            (np.array(["a", "b"])[few % 2], "no numbers"),
        ]
    ):
        folder = written(tmp_path / f"bad{number}", frame.with_columns(y=bad), [0, 90, 200])
        with pytest.raises(ValueError, match=words):
            SBSMF(n_rounds=3, target_kind="numbers").fit(folder, "y")
    with pytest.raises(ValueError, match=r"weight_cap=3\.0, which is for classes"):
        SBSMF(weight_cap=3.0, target_kind="numbers").fit(tmp_path / "a", "y")


def test_another_part_has_another_fingerprint():
    """A code, a target or a weight that differs is told."""
    _, values, nominal, y, weights, _ = random_problem(1)
    table, problem = cell_table(values, nominal), Steps.of(y, weights)
    (part,) = parted(table, problem, [0, len(y)]).parts.parts
    first = part_fingerprint(part)
    for name in ("codes", "target", "weights"):
        changed = deepcopy(part)
        getattr(changed, name)[..., 0] += 1
        assert part_fingerprint(changed) != first
