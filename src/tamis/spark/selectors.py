"""The estimators: `SBSMF` and `UnivariateAUC` on rows that Spark holds."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from pyspark import keyword_only
from pyspark.ml import Estimator
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql import DataFrame

from tamis.features._base import FeatureSelector
from tamis.features.sbsmf import SBSMF
from tamis.features.univariate import UnivariateAUC
from tamis.spark._params import SelectionParams
from tamis.spark.model import SelectedColumnsModel
from tamis.spark.pieces import SparkPieces


class _Selector(Estimator, SelectionParams, DefaultParamsReadable, DefaultParamsWritable):
    """An estimator of ``pyspark.ml`` whose work is done by a selector of `tamis.features`."""

    _made: ClassVar[type[FeatureSelector]]
    _settings: ClassVar[dict[str, str]]
    """The selector's parameters by the names that they have here."""

    targetKind: Param[str] = Param(
        Params._dummy(),
        "targetKind",
        'What the labels are: "classes", "numbers", or "auto" for a look at them.',
        typeConverter=TypeConverters.toString,
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(targetKind="auto")

    def _own_settings(self) -> dict[str, Any]:
        """The parameters of the selector that is made."""
        told = {name: self.getOrDefault(name) for name in self._settings if self.isDefined(name)}
        return {self._settings[name]: value for name, value in told.items()}

    def _fit(self, dataset: DataFrame) -> SelectedColumnsModel:
        who = type(self).__name__
        if type(dataset).__module__.startswith("pyspark.sql.connect"):
            raise TypeError(
                f"{who}: the DataFrame is of Spark Connect, which has no RDDs. Use a classic session (spark-submit, or a cluster "
                "of your own)."
            )
        columns = self._columns()
        with SparkPieces.of(who, dataset, columns) as pieces:
            n_columns = pieces.table.n_columns
            selector = self._made(
                self._sized(n_columns),
                categorical_features=columns.nominal(dataset, n_columns),
                **self._own_settings(),
            )
            selector.fit(pieces.table, None)
        model: SelectedColumnsModel = SelectedColumnsModel()
        model.ranking = selector.ranking_.tolist()
        model.scores = np.asarray(selector.scores_).tolist()
        model.numFeatures = int(selector.n_features_)
        self._copyValues(model)
        model._resetUid(self.uid)
        return model


class SBSMFSelector(_Selector):
    """Rank columns by backward elimination on boosted decision stumps, where Spark holds the rows; see `tamis.SBSMF`.

    The ranking and the scores are bit for bit those of `tamis.SBSMF` on one machine with the rows in the order of the partitions,
    for any partitions and any number of executors.

    Parameters
    ----------
    inputCols : list of str
        The columns that are ranked: numbers, texts and truth values, with missing values. Texts and truth values are categorical,
        and so is what Spark's metadata call nominal (the columns of StringIndexer).
    featuresCol : str, default="features"
        In place of `inputCols` a column of vectors, whose entries are ranked; NaN is a missing value. Entries that Spark's metadata
        call nominal are categorical.
    labelCol : str, default="label"
        The classes, two or more, as numbers, texts or truth values; or numbers.
    weightCol : str, optional
        The weight of each row, not negative.
    outputCol : str, optional
        The column of vectors that the model adds; see `SelectedColumnsModel`.
    numTopFeatures : int, optional
        How many columns are kept; half of those that are not constant if it is not set.
    categoricalCols : list of str, default=[]
        Those of `inputCols` that hold categories in numbers.
    numRounds : int, default=100
        The largest number of stumps in a model.
    criterion : {"margin_fraction", "contribution_ratio"}, default="margin_fraction"
        What a column is worth, as in `tamis.SBSMF`.
    step : float, default=1
        How many columns are dropped at a time: a number, or a fraction of those left. A job of Spark per round makes a large step
        worth while.
    stepUntil : int, default=1
        With a larger `step`: once this many columns are left, they are dropped one by one.
    weightCap : float, optional
        Keep every row's weight below this many times the mean.
    learningRate : float, optional
        The fraction of every stump's edge that boosting uses.
    loss : {"squared_error", "ranks"}, default="squared_error"
        For labels that are numbers.
    balanced : bool, default=True
        Whether both sides of every two-class problem have weight one half.
    targetKind : {"auto", "classes", "numbers"}, default="auto"
        What the labels are. "auto": numbers if they have fractions, or more than 20 different floats, else classes.

    Examples
    --------
    >>> from tamis.spark import SBSMFSelector  # doctest: +SKIP
    >>> selector = SBSMFSelector(inputCols=["age", "country", "visits"], labelCol="sold", numTopFeatures=2)  # doctest: +SKIP
    >>> selector.fit(frame).transform(frame)  # doctest: +SKIP
    """

    _made = SBSMF
    _settings: ClassVar[dict[str, str]] = {
        "numRounds": "n_rounds",
        "criterion": "criterion",
        "step": "step",
        "stepUntil": "step_until",
        "weightCap": "weight_cap",
        "learningRate": "learning_rate",
        "loss": "loss",
        "balanced": "class_weight",
        "targetKind": "target_kind",
    }

    numRounds: Param[int] = Param(
        Params._dummy(), "numRounds", "The largest number of stumps.", TypeConverters.toInt
    )
    criterion: Param[str] = Param(
        Params._dummy(), "criterion", "What a column is worth.", TypeConverters.toString
    )
    step: Param[float] = Param(
        Params._dummy(), "step", "How many columns are dropped at a time.", TypeConverters.toFloat
    )
    stepUntil: Param[int] = Param(
        Params._dummy(), "stepUntil", "From so many columns on one by one.", TypeConverters.toInt
    )
    weightCap: Param[float] = Param(
        Params._dummy(), "weightCap", "The largest weight, in means.", TypeConverters.toFloat
    )
    learningRate: Param[float] = Param(
        Params._dummy(), "learningRate", "The part of an edge that is used.", TypeConverters.toFloat
    )
    loss: Param[str] = Param(Params._dummy(), "loss", "For labels that are numbers.", TypeConverters.toString)
    balanced: Param[bool] = Param(
        Params._dummy(), "balanced", "Whether both sides weigh one half.", TypeConverters.toBoolean
    )

    @keyword_only
    def __init__(
        self,
        *,
        inputCols: list[str] | None = None,
        featuresCol: str = "features",
        labelCol: str = "label",
        weightCol: str | None = None,
        outputCol: str | None = None,
        numTopFeatures: int | None = None,
        categoricalCols: list[str] | None = None,
        numRounds: int = 100,
        criterion: str = "margin_fraction",
        step: float = 1,
        stepUntil: int = 1,
        weightCap: float | None = None,
        learningRate: float | None = None,
        loss: str = "squared_error",
        balanced: bool = True,
        targetKind: str = "auto",
    ) -> None:
        super().__init__()
        self._setDefault(
            numRounds=100,
            criterion="margin_fraction",
            step=1.0,
            stepUntil=1,
            loss="squared_error",
            balanced=True,
        )
        self._set(**self._input_kwargs)

    def _own_settings(self) -> dict[str, Any]:
        settings = super()._own_settings()
        settings["class_weight"] = "balanced" if settings["class_weight"] else None
        if settings["step"] >= 1 and settings["step"].is_integer():
            settings["step"] = int(settings["step"])
        return settings


class UnivariateAUCSelector(_Selector):
    """Rank columns by how well each alone separates the classes, where Spark holds the rows; see `tamis.UnivariateAUC`.

    Scores are those of the table in memory, bit for bit. The driver reads the labels of all rows, and some whole columns at a
    time: it needs some 30 bytes per row, and 256 MB.

    Parameters
    ----------
    inputCols, featuresCol, labelCol, weightCol, outputCol, numTopFeatures, categoricalCols, targetKind
        As in `SBSMFSelector`.
    """

    _made = UnivariateAUC
    _settings: ClassVar[dict[str, str]] = {"targetKind": "target_kind"}

    @keyword_only
    def __init__(
        self,
        *,
        inputCols: list[str] | None = None,
        featuresCol: str = "features",
        labelCol: str = "label",
        weightCol: str | None = None,
        outputCol: str | None = None,
        numTopFeatures: int | None = None,
        categoricalCols: list[str] | None = None,
        targetKind: str = "auto",
    ) -> None:
        super().__init__()
        self._set(**self._input_kwargs)
