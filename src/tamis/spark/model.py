"""What an estimator fits: the ranking of the columns, and a transformer that keeps the best."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyspark import keyword_only
from pyspark.ml import Model
from pyspark.ml.feature import VectorAssembler, VectorSlicer
from pyspark.ml.util import (
    DefaultParamsReader,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import DataFrame

from tamis.spark._params import SelectionParams
from tamis.spark.columns import named


class SelectedColumnsModel(Model, SelectionParams, MLWritable, MLReadable):
    """Keep the best columns of a DataFrame; made by ``fit`` of an estimator of `tamis.spark`.

    With ``featuresCol`` a column of the entries kept of the vectors is added, named ``outputCol``. With ``inputCols`` such a column
    of vectors is added if ``outputCol`` is set, which needs columns of numbers; if not, those of ``inputCols`` that are not kept are
    dropped, and everything else stays. A model is a plan of Spark: no row is read before an action, and none by Python.

    Parameters
    ----------
    inputCols, featuresCol, labelCol, weightCol, outputCol, numTopFeatures, categoricalCols
        As in the estimator. ``numTopFeatures`` can be changed: the ranking holds the best columns of any number.

    Attributes
    ----------
    ranking : list of int
        The rank of each column, 1 is best.
    scores : list of float
        The score of each column, higher is better.
    numFeatures : int
        How many columns were kept when the model was fitted.
    """

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
    ) -> None:
        super().__init__()
        self.ranking: list[int] = []
        self.scores: list[float] = []
        self.numFeatures = 0
        self._set(**self._input_kwargs)

    @property
    def selectedFeatures(self) -> list[int]:
        """The positions of the columns that are kept, ascending."""
        wanted = self._sized(len(self.ranking)) or self.numFeatures
        return [int(position) for position in np.flatnonzero(np.array(self.ranking) <= wanted)]

    @property
    def selectedCols(self) -> list[str]:
        """The names of the columns that are kept, where ``inputCols`` names them."""
        return [self.getInputCols()[position] for position in self.selectedFeatures]

    def _transform(self, dataset: DataFrame) -> DataFrame:
        if self._names is None:
            return self._sliced(dataset)
        if self.isSet(self.outputCol):
            return self._assembled(dataset)
        kept = set(self.selectedCols)
        return dataset.drop(*(named(name) for name in self.getInputCols() if name not in kept))

    def _sliced(self, dataset: DataFrame) -> DataFrame:
        """The entries kept of the vectors; under a name of our own, since Spark's stages would read a dot in theirs."""
        given = f"{self.uid}__vector"
        slicer = VectorSlicer(inputCol=given, outputCol=self.getOutputCol(), indices=self.selectedFeatures)
        return slicer.transform(dataset.withColumn(given, named(self.getFeaturesCol()))).drop(given)

    def _assembled(self, dataset: DataFrame) -> DataFrame:
        """The columns kept as vectors."""
        names = {name: f"{self.uid}__{j}" for j, name in enumerate(self.selectedCols)}
        renamed = dataset.withColumns({own: named(name) for name, own in names.items()})
        assembler = VectorAssembler(
            inputCols=list(names.values()), outputCol=self.getOutputCol(), handleInvalid="keep"
        )
        return assembler.transform(renamed).drop(*names.values())

    def write(self) -> MLWriter:
        """The writer of this model.

        Returns
        -------
        MLWriter
            It writes JSON.
        """
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[SelectedColumnsModel]:
        """The reader of models.

        Returns
        -------
        MLReader
            It reads JSON.
        """
        return _Reader()


_FITTED = ("ranking", "scores", "numFeatures")


class _Writer(MLWriter):
    def __init__(self, model: SelectedColumnsModel) -> None:
        super().__init__()
        self.model = model

    def saveImpl(self, path: str) -> None:
        fitted = {name: getattr(self.model, name) for name in _FITTED}
        DefaultParamsWriter.saveMetadata(self.model, path, self.sparkSession, {"fitted": fitted})


class _Reader(MLReader[SelectedColumnsModel]):
    def load(self, path: str) -> SelectedColumnsModel:
        name = f"{SelectedColumnsModel.__module__}.{SelectedColumnsModel.__name__}"
        metadata: dict[str, Any] = DefaultParamsReader.loadMetadata(path, self.sparkSession, name)
        model: SelectedColumnsModel = SelectedColumnsModel()
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        for attribute in _FITTED:
            setattr(model, attribute, metadata["fitted"][attribute])
        return model
