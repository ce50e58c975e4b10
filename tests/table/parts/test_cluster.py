"""Work on a Dask cluster of two processes: the same results as here."""

import os
import pickle
import signal
import threading
import time

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tamis import (
    BDSFS,
    EFR,
    ROGER,
    SBSMF,
    GramSchmidt,
    PairScan,
    SampledEFR,
    SelectorCV,
    Sieve,
    StumpAdaBoost,
    StumpBoostRegressor,
    UnivariateAUC,
)
from tamis.study import compare

distributed = pytest.importorskip("distributed")
import dask  # noqa: E402
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from distributed.comm import tcp  # noqa: E402

from tamis.table.parts import cluster  # noqa: E402
from tamis.table.parts.cluster import ClusterParts, ClusterPieces  # noqa: E402
from tamis.table.parts.parted import PartedTable  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own, in threads that outlive a test

ATTRIBUTES = ("column", "threshold", "nominal", "gap_right", "polarity", "alpha", "u", "edge")


@pytest.fixture(scope="module")
def client():
    patient = {"distributed.worker.memory.terminate": False, "distributed.deploy.lost-worker-timeout": "120s"}
    with (
        dask.config.set(patient),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def table(n=2000, seed=0):
    """Numbers of many and of few values, with gaps; classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[:, 2] = rng.integers(0, 5, n)
    X[rng.random(n) < 0.1, 3] = np.nan
    y = (X[:, 0] + 0.5 * X[:, 1] + (X[:, 2] > 2) + rng.normal(size=n) > 0.5).astype(int)
    return X, y


def frame_of(X):
    """The same as a frame with a text column."""
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])], copy=True)
    frame["c2"] = np.array(["a", "b", "c", "d", "e"])[X[:, 2].astype(int)]
    return frame


def assert_same_model(first, second):
    assert len(first.stumps_) == len(second.stumps_)
    for one, other in zip(first.stumps_, second.stumps_):
        for name in ATTRIBUTES:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def assert_same_ranking(first, second):
    np.testing.assert_array_equal(first.ranking_, second.ranking_)
    np.testing.assert_array_equal(first.scores_, second.scores_)
    for key in first.history_:
        np.testing.assert_array_equal(first.history_[key], second.history_[key])


def test_an_array_on_a_cluster_gives_the_same_bits_for_any_chunks(client):
    """Rankings and models on a cluster are those of the same bins here, for any chunks of rows and columns."""
    X, y = table()
    chunked = [da.from_array(X, chunks=chunks) for chunks in ((500, 6), (1100, 4))]
    rankings = [SBSMF(n_rounds=10).fit(X_, da.from_array(y, chunks=500)) for X_ in chunked]
    models = [StumpAdaBoost(n_rounds=10).fit(X_, y) for X_ in chunked]
    assert_same_ranking(*rankings)
    assert_same_model(*models)
    here = StumpAdaBoost(n_rounds=10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tamis.table.parts.opened.cluster_pieces", lambda _: None)
        assert_same_ranking(SBSMF(n_rounds=10).fit(chunked[0], y), rankings[0])
        assert_same_model(here.fit(chunked[0], y), models[0])
    np.testing.assert_array_equal(models[0].predict(X), here.predict(X))


def test_few_values_give_the_model_of_the_table_in_memory(client):
    """Where no column has more than 255 values, the cluster's model and ranking are those of the plain table."""
    X, y = table()
    X = np.round(X, 1)
    weights = np.where(X[:, 0] > 1, 2.0, 1.0)
    chunks = da.from_array(X, chunks=(700, 6))
    options = {"n_rounds": 6, "weight_cap": 3.0, "class_weight": {0: 2.0, 1: 1.0}}
    assert_same_ranking(
        SBSMF(**options).fit(chunks, y, sample_weight=weights),
        SBSMF(**options).fit(X, y, sample_weight=weights),
    )
    assert_same_model(StumpAdaBoost(n_rounds=6).fit(chunks, y), StumpAdaBoost(n_rounds=6).fit(X, y))


def test_a_frame_with_texts_on_a_cluster(client):
    """A Dask frame keeps its names and text columns, and predicts as the model of the plain frame does."""
    X, y = table()
    frame = frame_of(np.round(X, 1))
    parts = dd.from_pandas(frame, npartitions=3)
    labels = dd.from_pandas(pd.Series(np.where(y == 1, "yes", "no")), npartitions=3)
    model = StumpAdaBoost(n_rounds=10).fit(parts, labels)
    plain = StumpAdaBoost(n_rounds=10).fit(frame, np.where(y == 1, "yes", "no"))
    assert_same_model(model, plain)
    np.testing.assert_array_equal(model.predict(frame), plain.predict(frame))
    assert model.feature_names_in_.tolist() == list(frame.columns)


def test_a_folder_of_parquet_is_read_by_the_workers(client, tmp_path):
    """Files are read where the workers are, with the same bits as here."""
    X, y = table()
    for number in range(2):
        rows = slice(1000 * number, 1000 * (number + 1))
        pl.DataFrame(frame_of(X[rows])).with_columns(label=y[rows]).write_parquet(
            tmp_path / f"{number}.parquet"
        )
    on_cluster = SBSMF(n_rounds=8).fit(tmp_path, "label")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tamis.table.parts.opened.cluster_pieces", lambda _: None)
        assert_same_ranking(on_cluster, SBSMF(n_rounds=8).fit(tmp_path, "label"))


def test_pairs_on_a_cluster(client):
    """Of an array in chunks, by classes and by numbers: the bits of the table in memory where values are few."""
    X, y = table(600)
    X = np.round(X, 1)
    for target in (y, X[:, 0] + X[:, 1] * X[:, 4]):
        chunks = da.from_array(X, chunks=(250, 6))
        there, here = PairScan().fit(chunks, da.from_array(target, chunks=250)), PairScan().fit(X, target)
        assert there.scores_.tolist() == here.scores_.tolist()
        assert there.pairs_["score"].tolist() == here.pairs_["score"].tolist()


def test_areas_projections_choices_and_a_sieve_on_a_cluster(client):
    """Of an array in chunks and a frame with texts: the bits of the table in memory, for any chunks."""
    X, y = table(600)
    frame = frame_of(X)
    parts = dd.from_pandas(frame, npartitions=4)
    labels = dd.from_pandas(pd.Series(np.where(y == 1, "yes", "no")), npartitions=4)
    for chunks in ((250, 6), (80, 3)):
        there = UnivariateAUC().fit(da.from_array(X, chunks=chunks), y)
        assert there.scores_.tolist() == UnivariateAUC().fit(X, y).scores_.tolist()
    assert (
        UnivariateAUC().fit(parts, labels).scores_.tolist() == UnivariateAUC().fit(frame, y).scores_.tolist()
    )
    X[:, 0] = X[:, 0].round(1)  # values that are few enough for a bin each
    few = da.from_array(X[:, [0, 2]], chunks=(170, 2))
    for method, columns, chunks in (
        (GramSchmidt, X, da.from_array(X, chunks=(170, 6))),
        (BDSFS, X[:, [0, 2]], few),
    ):
        there, here = method().fit(chunks, y), method().fit(columns, y)
        assert there.scores_.tolist() == here.scores_.tolist()
        assert there.ranking_.tolist() == here.ranking_.tolist()
    members = [("areas", UnivariateAUC()), ("boosted", SBSMF(n_rounds=5))]
    settings = {"members": members, "max_rows": 150, "cv": 2, "random_state": 0}
    here, there = Sieve(**settings).fit(frame, y), Sieve(**settings).fit(parts, labels)
    assert there.scores_.tolist() == here.scores_.tolist()
    assert there.reasons_ == here.reasons_
    assert there.cv_results_["mean_test_score"].tolist() == here.cv_results_["mean_test_score"].tolist()


def test_a_numeric_target_on_a_cluster(client, tmp_path):
    """Rankings and regressors of an array, and of files, are those of the table in memory, bit for bit."""
    X, _ = table(900)
    y = X[:, 0] + 0.5 * np.nan_to_num(X[:, 3]) + X[:, 2] ** 2
    weights = np.where(X[:, 0] > 1, 2.5, 1.0)
    chunks = da.from_array(X, chunks=(350, 6))
    settings = {"n_rounds": 12, "step": 2}
    for loss in ("squared_error", "ranks"):
        here = SBSMF(loss=loss, **settings).fit(X, y, sample_weight=weights)
        assert_same_ranking(SBSMF(loss=loss, **settings).fit(chunks, y, sample_weight=weights), here)
    frame = frame_of(X)
    for number, rows in enumerate((slice(0, 200), slice(200, 900))):
        part = pl.DataFrame(frame[rows]).with_columns(y=y[rows])
        part.write_parquet(tmp_path / f"{number}.parquet")
    model, plain = StumpBoostRegressor(15).fit(tmp_path, "y"), StumpBoostRegressor(15).fit(frame, y)
    assert model.predict(frame).tolist() == plain.predict(frame).tolist()


def test_independent_work_goes_to_the_workers(client):
    """Runs and folds under joblib's Dask backend give what they give here."""
    X, y = table(400)
    X = np.nan_to_num(X)
    fits = [
        EFR(UnivariateAUC(), n_estimators=3, random_state=0),
        SelectorCV(UnivariateAUC(), KNeighborsClassifier(), cv=3),
    ]
    for estimator in fits:
        here = clone(estimator).fit(X, y)
        with joblib.parallel_config(backend="dask"):
            there = clone(estimator).set_params(n_jobs=2).fit(X, y)
        np.testing.assert_array_equal(here.support_, there.support_)
    np.testing.assert_array_equal(here.cv_results_["mean_test_score"], there.cv_results_["mean_test_score"])


def test_folds_of_a_comparison_go_to_the_workers(client):
    """A comparison whose folds run on workers has the same scores."""
    X, y = table(200)
    options = {"models": ["1-nn"], "cv": 2, "repeats": 1, "column_sizes": [1, 2]}

    def scores(found):
        rows = sorted(found.answers, key=lambda answer: (answer["method"], answer["split"]))
        return [[step["scores"]["1-nn"][:-1] for step in row["steps"]] for row in rows]  # the last is seconds

    here = compare(np.nan_to_num(X), y, ["univariate-auc"], **options)
    with joblib.parallel_config(backend="dask"):
        there = compare(np.nan_to_num(X), y, ["univariate-auc"], n_jobs=2, **options)
    assert scores(here) == scores(there)


@pytest.fixture
def sent(monkeypatch):
    """How many bytes this process, which holds the client and the scheduler, has sent."""
    write, amounts = tcp.TCP.write, []

    async def counted(self, *arguments, **named):
        amount = await write(self, *arguments, **named)
        amounts.append(amount)
        return amount

    monkeypatch.setattr(tcp.TCP, "write", counted)
    return amounts


@pytest.mark.parametrize(
    "estimator",
    [
        SelectorCV(UnivariateAUC(), GaussianNB(), cv=12),
        SampledEFR(n_chains=6, n_additive_chains=6, n_sweeps=2, n_burn_in=1, random_state=0),
        EFR(UnivariateAUC(), n_estimators=12, max_features=0.9, random_state=0),
        EFR(ROGER(n_evaluations=20), n_estimators=12, random_state=0),
    ],
    ids=["SelectorCV", "SampledEFR", "EFR", "EFR of ROGER"],
)
def test_data_is_sent_once_and_not_with_every_task(client, sent, estimator):
    """Of twelve tasks on one table each gets it from the cluster: it leaves here a few times, not twelve."""
    X = np.random.default_rng(0).normal(size=(20_000, 10))
    y = (X[:, 0] > 0).astype(int)
    here = clone(estimator).fit(X, y)
    with joblib.parallel_config(backend="dask"):
        there = clone(estimator).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(here.support_, there.support_)
    assert sum(sent) < 6 * X.nbytes  # to the scheduler, on to a worker, and what else is said


def test_a_frame_and_a_comparison_are_sent_once(client, sent):
    """A frame of polars is sent once too, and what all folds of a comparison share."""
    X = np.random.default_rng(0).normal(size=(20_000, 10))
    y = (X[:, 0] > 0).astype(int)
    frame = pl.DataFrame(X, schema=[f"c{j}" for j in range(10)])
    with joblib.parallel_config(backend="dask"):
        SelectorCV(UnivariateAUC(), GaussianNB(), cv=12, n_jobs=2).fit(frame, y)
        assert sum(sent) < 6 * X.nbytes
        sent.clear()
        compare(X, y, ["univariate-auc"], models={"bayes": GaussianNB()}, cv=6, repeats=1, n_jobs=2)
        assert sum(sent) < 8 * X.nbytes  # the rows of every fold are said as well


def test_a_killed_worker_changes_no_bit(client):
    """A worker process that is killed in the middle loses its parts; the ranking is the same to the bit."""
    X, y = table(seed=1)
    chunks = da.from_array(X, chunks=(500, 6))
    expected = SBSMF(n_rounds=12).fit(chunks, y)
    victim = next(iter(client.run(os.getpid).values()))
    killed = threading.Timer(0.4, os.kill, (victim, signal.SIGKILL))
    killed.start()
    found = SBSMF(n_rounds=12).fit(chunks, y)
    killed.join()
    assert_same_ranking(found, expected)
    wait_for_two_without(client, victim)


def wait_for_two_without(client, victim):
    """The scheduler may still count a worker that has just been killed; what is sent to it would wait for ever."""
    for _ in range(600):
        alive = set(client.run(os.getpid, on_error="ignore").values())
        if len(alive - {victim}) == 2:
            return
        time.sleep(0.1)
    raise AssertionError("the killed worker has no successor")


@pytest.mark.parametrize("group", [1, 8])
@pytest.mark.parametrize("reach", [60.0, 0.0])
def test_workers_add_up_what_their_parts_answer(client, monkeypatch, reach, group):
    """Asked straight or through the scheduler, at once or one by another, workers give the sum over all parts."""
    monkeypatch.setattr(cluster, "REACH", reach)
    monkeypatch.setattr(cluster, "GROUP", group)
    parts = ClusterParts(client, [])
    workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
    parts.held = [client.submit(int, number, workers=workers[number % 2], pure=False) for number in range(7)]
    assert parts.total(plus, 100) == sum(range(7)) + 700
    assert parts.direct == (reach > 0)
    assert parts.n_messages == min(group, 2)
    assert len(parts.places) == 2
    with pytest.raises(ZeroDivisionError):
        parts.total(divided)


def plus(part, more):
    return part + more


def divided(part):
    return 1 // 0


def test_a_round_of_a_model_is_a_message_to_each_worker(client, monkeypatch):
    """No task runs while a model is made, and of every column 4 kilobytes come back in a round."""
    X, y = table(4000)
    chunks = da.from_array(X, chunks=(1000, 6))
    asked, received = [], []
    total = ClusterParts.total

    def counted(self, function, *arguments):
        answer = total(self, function, *arguments)
        asked.append(self)
        received.append(np.asarray(answer).nbytes)
        return answer

    monkeypatch.setattr(ClusterParts, "total", counted)
    model = StumpAdaBoost(n_rounds=20).fit(chunks, y).stumps_[0]
    assert len(model.column) == 20
    assert asked[-1].n_messages == 2 * len(asked)
    assert (
        21 <= len(asked) <= 20 + 1 + 4
    )  # the rounds, how many rows there are in each bin, and where stumps are nearly as good
    assert max(received) == 8 * (2 + 512 * 6)


@pytest.mark.parametrize("n_parts", [1, 3, 4, 7, 20])
def test_what_parts_hold_is_read_in_few_tasks(client, monkeypatch, n_parts):
    """Two tasks a thread read all parts of a folder; each part has its own arguments, and answers come in order."""
    n_tasks, answers = [], cluster._answers
    monkeypatch.setattr(
        cluster, "_answers", lambda client, tasks: n_tasks.append(len(tasks)) or answers(client, tasks)
    )
    parts = [np.arange(3) + 10 * number for number in range(n_parts)]
    pieces = ClusterPieces(client, PartedTable(parts, ["a"], None, 1))
    assert pieces.each(told_of, [(number,) for number in range(n_parts)], "x") == [
        (10 * number, number, "x") for number in range(n_parts)
    ]
    assert n_tasks == [min(4, n_parts)]


def told_of(part, number, shared):
    return int(part[0]), number, shared


def test_a_worker_killed_while_columns_are_read_changes_no_bit(client, monkeypatch):
    """Columns are read one at a time; a worker process that is killed in the middle is asked again elsewhere."""
    monkeypatch.setattr("tamis.table.parts.rows.BLOCK_BYTES", 1)
    X, y = table(seed=2)
    victim = next(iter(client.run(os.getpid).values()))
    killed = threading.Timer(0.2, os.kill, (victim, signal.SIGKILL))
    killed.start()
    found = UnivariateAUC().fit(da.from_array(X, chunks=(300, 6)), y)
    killed.join()
    assert found.scores_.tolist() == UnivariateAUC().fit(X, y).scores_.tolist()
    wait_for_two_without(client, victim)


def test_labels_in_other_parts_are_refused(client):
    """Labels that are not cut as the rows are, and cannot be, are refused with the numbers of parts."""
    X, y = table()
    parts = dd.from_pandas(frame_of(X), npartitions=3)
    labels = dd.from_pandas(pd.Series(y), npartitions=4)
    with pytest.raises(ValueError, match="X has 3 parts, but y has 4"):
        SBSMF().fit(parts, labels)
    with pytest.raises(TypeError, match="y is in memory, but the sizes of the parts of X are not known"):
        SBSMF().fit(parts, y)


def test_an_error_of_a_part_reaches_the_caller(client):
    """What a part cannot be is said in the same words as for a table in memory."""
    X, y = table()
    X[17, 1] = np.inf
    with pytest.raises(ValueError, match="Input X contains infinity"):
        SBSMF().fit(da.from_array(X, chunks=(1000, 6)), y)


@pytest.mark.parametrize("step", [1, 0.5])
def test_constants_in_parts_come_last_and_move_nothing(client, tmp_path, step):
    """Of a folder here and on a cluster, and of an array: constants rank as in memory; one value and gaps are none."""
    X, y = table(400)
    frame = frame_of(X.round(1))
    frame["half"] = np.where(X[:, 1] > 0, 1.0, np.nan)
    larger = frame.assign(text="same", one=1.0)[["one", *frame, "text"]]
    in_memory = SBSMF(n_rounds=10, step=step).fit(larger, y)
    for part in range(2):
        pl.from_pandas(larger.assign(label=y)[part::2]).write_parquet(tmp_path / f"{part}.parquet")
    on_cluster = SBSMF(n_rounds=10, step=step).fit(tmp_path, "label")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tamis.table.parts.opened.cluster_pieces", lambda _: None)
        here = SBSMF(n_rounds=10, step=step).fit(tmp_path, "label")
    for fitted in (on_cluster, here):
        assert_same_ranking(fitted, in_memory)
        assert fitted.ranking_[[0, -1]].tolist() == [8, 9]
    numbers = np.column_stack([np.full(400, np.nan), X.round(1), np.full(400, 3.0)])
    array = SBSMF(n_rounds=10, step=step).fit(da.from_array(numbers, chunks=(150, 8)), y)
    assert_same_ranking(array, SBSMF(n_rounds=10, step=step).fit(numbers, y))
    assert array.ranking_[[0, -1]].tolist() == [7, 8]


def test_an_estimator_works_on_the_client_that_it_is_given(client):
    """`client` names the cluster where another client is in use, as in XGBoost; copies and pickles leave it out."""
    X, y = table()
    chunks = da.from_array(X, chunks=(1000, 6))
    before = client.run(served)
    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as other,
        distributed.Client(other) as in_use,
    ):
        assert distributed.default_client() is in_use
        selector = SBSMF(n_rounds=5)
        selector.client = client
        selector.fit(chunks, y)
        plain = SBSMF(n_rounds=5).fit(chunks, y)
    assert_same_ranking(selector, plain)
    assert all(count > before[address] for address, count in client.run(served).items())
    assert clone(selector).client is None
    again = pickle.loads(pickle.dumps(selector))  # noqa: S301
    assert again.client is None
    assert_same_ranking(again, selector)


def served(dask_worker):
    """How many tasks a worker has begun."""
    return dask_worker.state.transition_counter


def test_a_dask_frame_is_transformed_when_it_is_computed(client):
    """`transform` of a Dask frame or array is one, of the kept columns, with nothing computed; other columns are refused."""
    X, y = table()
    frame = frame_of(X)
    parts = dd.from_pandas(frame, npartitions=3)
    labels = dd.from_pandas(pd.Series(y), npartitions=3)
    selector = SBSMF(3, n_rounds=5).fit(parts, labels)
    smaller = selector.transform(parts)
    assert isinstance(smaller, dd.DataFrame)
    assert list(smaller.columns) == selector.get_feature_names_out().tolist()
    pd.testing.assert_frame_equal(smaller.compute(), selector.transform(frame), check_dtype=False)
    failing = parts.map_partitions(never, meta=parts._meta)
    assert list(selector.transform(failing).columns) == list(smaller.columns)
    with pytest.raises(ValueError, match="feature names"):
        selector.transform(parts.rename(columns={"c0": "other"}))
    chunks = da.from_array(X, chunks=(500, 3))
    of_array = SBSMF(2, n_rounds=5).fit(chunks, y)
    assert isinstance(of_array.transform(chunks), da.Array)
    np.testing.assert_array_equal(of_array.transform(chunks).compute(), X[:, of_array.support_])
    with pytest.raises(ValueError, match="4 features"):
        of_array.transform(chunks[:, :4])


def never(part):
    raise AssertionError("a part was computed")
