"""What the papers' runs measure, on small pieces of them."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from tamis.features.bdsfs import BDSFS
from tamis.papers import efr, fs2boost, paper, psboost, sbsmf
from tamis.papers._paper import Estimate, Printed, Size, Task, seed_of
from tamis.papers._rankers import N_CHOICES, FirstBDSFS, order
from tamis.papers._tables import Numbers, nearest_accuracy, tied_accuracy, vote_accuracy
from tamis.papers._view import mismatch
from tamis.papers._words import paired_mark


def numeric(n=40, d=3, seed=0):
    random = np.random.default_rng(seed)
    values = random.random((n, d))
    codes = (values[:, 0] + 0.3 * random.random(n) > 0.6).astype(np.int64)
    return Numbers(values, np.zeros(d, dtype=bool), codes, ("a", "b", "c")[:d], ())


def test_nearest_accuracy_is_that_of_scikit_learn():
    """On numeric columns scaled to their range, without ties."""
    data = numeric()
    learnt, held = np.arange(25), np.arange(25, 40)
    low, high = data.values[learnt].min(axis=0), data.values[learnt].max(axis=0)
    scaled = (data.values - low) / (high - low)
    model = KNeighborsClassifier(1).fit(scaled[learnt], data.codes[learnt])
    assert nearest_accuracy(data, learnt, held) == pytest.approx(
        100 * model.score(scaled[held], data.codes[held])
    )


def test_all_rows_at_the_smallest_distance_vote():
    """Three rows alike of classes 1, 0, 0: the lowest says 1, the vote says 0."""
    data = Numbers(
        np.array([[0.0], [0.0], [0.0], [9.0], [0.0]]),
        np.array([False]),
        np.array([1, 0, 0, 1, 0]),
        ("a",),
        (),
    )
    learnt, held = np.arange(4), np.array([4])
    assert nearest_accuracy(data, learnt, held) == 0
    assert tied_accuracy(data, learnt, held) == 100


def test_leave_one_out_leaves_the_row_out():
    """Two pairs of near rows with other classes: each row is classified by its neighbour, wrongly."""
    data = Numbers(
        np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([False]), np.array([0, 1, 0, 1]), ("a",), ()
    )
    assert vote_accuracy(data, np.arange(4), None, 1) == 0


@pytest.mark.parametrize("name", ["fs2boost", "psboost", "efr", "sbsmf"])
@pytest.mark.parametrize("level", ["quick", "full"])
def test_tasks_differ_and_belong_to_tables(name, level):
    """No task is planned twice, and every table of the paper has one."""
    known = paper(name)
    tasks = known.tasks(Size(level), tuple(known.data_sets))
    assert len(set(tasks)) == len(tasks)
    assert {task.table for task in tasks} == set(known.tables)


def test_lightgbm_takes_part_where_it_is_installed(monkeypatch):
    """Ten folds a set in a full run, none in a quick one or where there is no LightGBM; a page without it says nothing."""
    sets = tuple(sbsmf.PAPER.data_sets)
    for spec, level, expected in ((None, "full", 0), (object(), "full", 50), (object(), "quick", 0)):
        monkeypatch.setattr(sbsmf, "find_spec", lambda name, spec=spec: spec)
        tasks = sbsmf.PAPER.tasks(Size(level), sets)
        assert sum(task.protocol == "lightgbm" for task in tasks) == expected


def test_psboost_keeps_as_many_rows_as_hart():
    """On two classes PSB, MC and Ran keep what CNN keeps; the figures repeat themselves."""
    task = Task("1", "paper", "led", 0)
    figures = psboost.PAPER.measured(task, 0)
    kept = {f.method: f.value for f in figures if f.figure == "kept"}
    assert kept["PSB"] == kept["MC"] == kept["Ran"] == kept["CNN"]
    again = psboost.PAPER.measured(task, 0)
    assert [f[:4] for f in figures] == [f[:4] for f in again]


def test_fs2boost_measures_every_column_of_the_table():
    """All attributes, SFS and FS2Boost, and T_Z from both readings."""
    figures = fs2boost.PAPER.measured(Task("1", "paper", "monks1_test", 0), 0)
    assert {"SFS", "FS2Boost", "All Attributes"} <= {f.method for f in figures}
    rounds = fs2boost.PAPER.measured(Task("figure 3", "paper", "monks1_test", 0), 0)
    assert all(1 <= f.value <= 100 for f in rounds if f.figure == "rounds")


def test_efr_hides_signs_from_the_honest_part_only():
    """The signed cosine ranks a clean linear problem well, and mirrored columns badly."""
    name = efr.name_of(100, 0.0, 0.0, "linear")
    areas = {}
    for protocol in ("paper", "honest"):
        cells = [efr.PAPER.measured(Task("1", protocol, name, repeat), 0) for repeat in range(2)]
        areas[protocol] = np.mean(
            [f.value for c in cells for f in c if (f.method, f.figure) == ("cosine", "AUC")]
        )
    assert areas["paper"] > 0.9 > 0.75 > areas["honest"]


def test_sbsmf_measures_both_classifiers():
    """One fold of Table II: every method with 1-NN and SVM; counts of Table I are those of the set."""
    figures = sbsmf.PAPER.measured(Task("2", "honest", "ionosphere", 0, 0), 0)
    assert {f.setting for f in figures} == {"1-NN", "SVM"}
    assert all(40 < f.value <= 100 for f in figures)
    counts = sbsmf.PAPER.measured(Task("1", "paper", "ionosphere", 0), 0)
    assert {f.method: f.value for f in counts} == {"Features": 34, "Instances": 351}


def test_the_first_choices_of_bdsfs_begin_the_whole_ranking():
    """Ending after 100 choices changes none of them, whatever the classes; the other columns follow as they stand."""
    for n_classes in (2, 3):
        random = np.random.default_rng(n_classes)
        values, codes = random.random((30, 2 * N_CHOICES)).round(1), random.integers(0, n_classes, 30)
        data = Numbers(values, np.zeros(2 * N_CHOICES, dtype=bool), codes, (), ())
        first, whole = (order(ranker(class_weight="balanced"), data) for ranker in (FirstBDSFS, BDSFS))
        assert first[:N_CHOICES].tolist() == whole[:N_CHOICES].tolist()
        assert first[N_CHOICES:].tolist() == sorted(whole[N_CHOICES:])


def test_the_made_microarray_has_the_shape_of_the_real_one():
    """77 x 7,129, 58 and 19 rows, the same for the same seed."""
    data = sbsmf.made_microarray(1)
    assert data.values.shape == (77, 7129)
    assert np.bincount(data.codes).tolist() == [58, 19]
    sbsmf.made_microarray.cache_clear()
    assert np.array_equal(sbsmf.made_microarray(1).values, data.values)


def test_a_mismatch_is_beyond_the_tolerance_and_two_errors():
    """Two points alone, or two errors alone, are not enough."""
    cell = Printed("1", "r", "c", "accuracy", 80.0)
    known = psboost.PAPER
    assert not mismatch(known, cell, Estimate(81.9, 0.1, 0.1))
    assert not mismatch(known, cell, Estimate(85.0, 2.0, 2.0))
    assert mismatch(known, cell, Estimate(85.0, 1.0, 1.0))
    assert mismatch(known, cell, Estimate(85.0, float("nan"), 1.0))


def test_marks_of_the_paired_test():
    """Clearly more is better, clearly less is worse, a difference lost in noise is neither."""
    base = np.linspace(80, 90, 10)
    noise = np.tile([-1.0, 1.0], 5)
    assert paired_mark(base + 5 + noise, base, corrected=True) == "●"
    assert paired_mark(base - 5 + noise, base, corrected=False) == "○"
    assert paired_mark(base + 5 * noise, base, corrected=False) == ""
    assert paired_mark(base, base, corrected=False) == ""


def test_a_seed_belongs_to_its_words():
    """Other words or another seed give another number."""
    seeds = {seed_of(0, "a", 1), seed_of(0, "a", 2), seed_of(0, "b", 1), seed_of(1, "a", 1)}
    assert len(seeds) == 4
