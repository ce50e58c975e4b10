"""pyspark.ml's side of SBSMF: the bits of one machine for any partitions, and a good citizen of pipelines."""

import os
import shutil
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from tamis import SBSMF, UnivariateAUC
from tamis.table.parts.parted import HeldPart, PartedTable

pytest.importorskip(
    "pyspark", reason="PySpark is not installed: pip install 'tamis[spark]', or make test-spark"
)
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Java is not installed (Debian: apt install default-jre-headless)", allow_module_level=True)

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import NaiveBayes
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import StringIndexer, VectorAssembler
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import SparkSession

from tamis.spark import SBSMFSelector, SelectedColumnsModel, UnivariateAUCSelector, pieces

# PySpark's own: it warns of pandas 3, and leaves sockets to the collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning",
    "ignore:unclosed:ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)

NAMES = ["plain", "with.dot", "with`tick", "text", "x; DROP TABLE rows"]
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # no long compiling for small jobs
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}


@pytest.fixture(scope="module")
def spark():
    """A session of two threads whose Python workers find what the tests find."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        builder = SparkSession.builder.master("local[2]").config(map=SETTINGS)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def table(n=400, n_classes=3, seed=0):
    """Columns of few values, with gaps, and categories; texts as labels, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, 5)).astype(float)
    X[rng.random((n, 5)) < 0.1] = np.nan
    classes = np.clip(np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 3]) + rng.integers(0, 6, n), 0, 26) // 9
    frame = pl.DataFrame(X, schema=NAMES).fill_nan(None)
    texts = np.array(["ash", "oak", "pine"])[rng.integers(0, 3, n)]
    return frame.with_columns(
        pl.Series("text", texts),
        label=pl.Series(np.array(["a", "b", "c"])[np.minimum(classes, n_classes - 1).astype(int)]),
        weight=pl.Series(rng.integers(0, 4, n) / 4),
    )


def on_spark(spark, frame, n_partitions):
    """The rows in so many partitions, in their order, and an empty one behind them."""
    rows = spark.sparkContext.parallelize(frame.rows(), n_partitions)
    rows = rows.union(spark.sparkContext.parallelize([], 1))
    schema = ", ".join(
        f"`{name.replace('`', '``')}` {'string' if dtype == pl.String else 'double'}"
        for name, dtype in frame.schema.items()
    )
    return spark.createDataFrame(rows, schema)


def assert_same(model, selector):
    assert model.ranking == selector.ranking_.tolist()
    assert model.scores == selector.scores_.tolist()
    assert model.selectedFeatures == np.flatnonzero(selector.support_).tolist()


@pytest.mark.parametrize(
    ("n_partitions", "n_classes", "weight", "settings"),
    [
        (1, 2, None, {}),
        (3, 3, "weight", {}),
        (5, 2, "weight", {"weightCap": 4.0, "balanced": False}),
    ],
)
def test_ranking_and_scores_are_those_of_one_machine(spark, n_partitions, n_classes, weight, settings):
    """For any partitions, classes, weights, missing values and categories, whatever the columns are called."""
    frame = table(n_classes=n_classes, seed=n_partitions)
    model = SBSMFSelector(inputCols=NAMES, weightCol=weight, numRounds=2, step=0.5, **settings).fit(
        on_spark(spark, frame, n_partitions)
    )
    own = {"weight_cap": settings.get("weightCap")} | ({} if settings == {} else {"class_weight": None})
    whole = SBSMF(n_rounds=2, step=0.5, **own)
    held = None if weight is None else frame[weight].to_numpy()
    assert_same(model, whole.fit(frame.select(NAMES), frame["label"].to_numpy(), held))


def test_vectors_of_many_values_are_those_of_parts_here(spark):
    """A column of vectors, NaN for missing values, and more values than bins: the bits of the same rows in parts."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 1]) > 0.3
    data = spark.createDataFrame(
        spark.sparkContext.parallelize([(row, int(label)) for row, label in zip(X.tolist(), y)], 3),
        "`f.s` array<double>, label int",
    )
    model = SBSMFSelector(featuresCol="f.s", outputCol="best.of", numTopFeatures=2, numRounds=2, step=2).fit(
        data
    )
    here = PartedTable([HeldPart(X, y.astype(int))], None, None, 4)
    assert_same(model, SBSMF(2, n_rounds=2, step=2).fit(here, None))


def test_many_tasks_are_added_up_as_a_tree(spark, monkeypatch):
    """Where there are many tasks the executors add up their answers: the same bits."""
    monkeypatch.setattr(pieces, "FEW_TASKS", 1)
    frame = table(seed=7).select("plain", "with.dot", "label")
    data = on_spark(spark, frame, 4)
    model = SBSMFSelector(inputCols=["plain", "with.dot"], numRounds=2).fit(data)
    whole = SBSMF(n_rounds=2).fit(frame.drop("label"), frame["label"].to_numpy())
    assert_same(model, whole)


def test_labels_that_are_numbers(spark):
    """A numeric target is known by its values, and gives the bits of one machine."""
    frame = table(seed=5).with_columns(label=pl.Series(np.random.default_rng(5).normal(size=400)))
    model = SBSMFSelector(inputCols=NAMES, numRounds=2, step=0.5).fit(on_spark(spark, frame, 2))
    assert_same(model, SBSMF(n_rounds=2, step=0.5).fit(frame.select(NAMES), frame["label"].to_numpy()))


def test_univariate_scores(spark):
    """UnivariateAUCSelector gives the scores of the table in memory."""
    frame = table(seed=6)
    model = UnivariateAUCSelector(inputCols=NAMES, weightCol="weight").fit(on_spark(spark, frame, 3))
    whole = UnivariateAUC().fit(frame.select(NAMES), frame["label"].to_numpy(), frame["weight"].to_numpy())
    assert_same(model, whole)


def test_a_model_keeps_columns_and_is_saved(spark, tmp_path):
    """Columns not kept are dropped, others stay; another number of columns needs no new fit; a loaded model is the same."""
    data = on_spark(spark, table(), 2)
    model = UnivariateAUCSelector(inputCols=NAMES, numTopFeatures=2).fit(data)
    assert model.transform(data).columns == [
        name for name in data.columns if name in model.selectedCols or name not in NAMES
    ]
    assert len(model.copy({model.numTopFeatures: 3}).selectedFeatures) == 3
    model.save(str(tmp_path / "model"))
    loaded = SelectedColumnsModel.load(str(tmp_path / "model"))
    assert (loaded.uid, loaded.ranking, loaded.scores) == (model.uid, model.ranking, model.scores)
    assert loaded.selectedCols == model.selectedCols
    estimator = SBSMFSelector(inputCols=NAMES, numRounds=7, step=0.5)
    estimator.save(str(tmp_path / "estimator"))
    read = SBSMFSelector.load(str(tmp_path / "estimator"))
    assert {p.name: v for p, v in read.extractParamMap().items()} == {
        p.name: v for p, v in estimator.extractParamMap().items()
    }


def test_in_a_pipeline_and_a_cross_validator(spark, tmp_path):
    """Behind StringIndexer and VectorAssembler, whose nominal entries are categorical, and before a classifier; saved whole."""
    frame = table(n_classes=2).with_columns(
        pl.col("plain").fill_null(0.0), y=(pl.col("label") == "b").cast(pl.Float64)
    )
    data = on_spark(spark, frame.select("plain", "text", "y"), 2)
    selector = UnivariateAUCSelector(featuresCol="all", labelCol="y", outputCol="best")
    stages = [
        StringIndexer(inputCol="text", outputCol="code"),
        VectorAssembler(inputCols=["plain", "code"], outputCol="all"),
        selector,
        NaiveBayes(featuresCol="best", labelCol="y"),
    ]
    validator = CrossValidator(
        estimator=Pipeline(stages=stages),
        estimatorParamMaps=ParamGridBuilder().addGrid(selector.numTopFeatures, [1, 2]).build(),
        evaluator=MulticlassClassificationEvaluator(labelCol="y"),
        numFolds=2,
    )
    best = validator.fit(data).bestModel
    model = best.stages[2]
    coded = best.transform(data)
    assert {row.best.size for row in coded.select("best").collect()} == {model.getOrDefault("numTopFeatures")}
    whole = UnivariateAUC().fit(frame.select("plain", "text"), frame["y"].to_numpy())
    assert model.ranking == whole.ranking_.tolist()
    best.save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "pipeline"))
    assert loaded.transform(data).select("prediction").collect() == coded.select("prediction").collect()


@pytest.mark.parametrize(
    ("params", "labels", "message"),
    [
        ({"inputCols": []}, "ab", "Name one column or more"),
        ({"inputCols": ["plain"], "categoricalCols": ["text"]}, "ab", "'text', which is not in inputCols"),
        ({"inputCols": ["plain"], "numTopFeatures": 2}, "ab", "Use a value from 1 to 1"),
        ({"featuresCol": "text"}, "ab", "'text' holds string, where vectors are wanted"),
        ({"inputCols": ["plain"]}, "aa", "one class only"),
        ({"inputCols": ["plain"]}, [None, "b"], "label"),
        ({"inputCols": ["plain"]}, "", "the DataFrame has no rows"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(spark, params, labels, message):
    """Errors of rows are raised by the driver as they are on one machine."""
    rows = [(float(j), "x", label) for j, label in enumerate(labels)]
    data = spark.createDataFrame(rows, "plain double, text string, label string")
    with pytest.raises(ValueError, match=message):
        UnivariateAUCSelector(**params).fit(data)


def test_vectors_of_different_lengths_are_refused(spark):
    """The message names the lengths."""
    data = spark.createDataFrame([([1.0], 0), ([1.0, 2.0], 1)], "features array<double>, label int")
    with pytest.raises(ValueError, match="have 1 to 2 entries"):
        SBSMFSelector().fit(data)


def test_spark_lets_go_of_what_it_held(spark):
    """After a fit nothing is cached that was not cached before."""
    data = on_spark(spark, table(), 2)
    SBSMFSelector(inputCols=NAMES, numRounds=1, step=4).fit(data)
    assert spark.sparkContext._jsc.sc().getPersistentRDDs().size() == 0


def test_without_pyspark_a_sentence_says_what_to_install():
    """Importing tamis needs no PySpark, and tamis.spark says where to get it."""
    code = "import sys; sys.modules['pyspark'] = None; import tamis; import tamis.spark"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'tamis[spark]'" in answer.stderr.splitlines()[-1]
    code = "import sys; import tamis; print('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
