"""The parameters that an estimator and its model share."""

from __future__ import annotations

from typing import Any

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasFeaturesCol, HasInputCols, HasLabelCol, HasOutputCol, HasWeightCol

from tamis.spark.columns import Columns


class SelectionParams(HasInputCols, HasFeaturesCol, HasLabelCol, HasWeightCol, HasOutputCol):
    """Which columns are ranked, by what, and where those that are kept go."""

    numTopFeatures: Param[int] = Param(
        Params._dummy(), "numTopFeatures", "How many columns are kept.", typeConverter=TypeConverters.toInt
    )
    categoricalCols: Param[list[str]] = Param(
        Params._dummy(),
        "categoricalCols",
        "Those of inputCols that hold categories in numbers.",
        typeConverter=TypeConverters.toListString,
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(categoricalCols=[])

    @property
    def _names(self) -> list[str] | None:
        """The columns that are ranked; None if they are the entries of a vector."""
        if not self.isSet(self.inputCols):
            return None
        who = type(self).__name__
        if self.isSet(self.featuresCol):
            raise ValueError(f"{who}: both inputCols and featuresCol are set. Set one of them.")
        names: list[str] = self.getInputCols()
        if not names or len(set(names)) < len(names):
            raise ValueError(f"{who}: inputCols={names!r}. Name one column or more, and each of them once.")
        return names

    def _columns(self) -> Columns:
        """Which columns are read."""
        names = self._names
        categorical = self.getOrDefault(self.categoricalCols)
        unknown = [name for name in categorical if name not in (names or [])]
        if unknown:
            raise ValueError(
                f"{type(self).__name__}: categoricalCols names {unknown[0]!r}, which is not in inputCols. Name columns of "
                "inputCols; in a vector Spark's metadata tell which entries are nominal."
            )
        weight = self.getWeightCol() if self.isSet(self.weightCol) else None
        return Columns(names, self.getFeaturesCol(), self.getLabelCol(), weight, tuple(categorical))

    def _sized(self, n_columns: int) -> int | None:
        """How many columns are to be kept; None if that is not said."""
        if not self.isSet(self.numTopFeatures):
            return None
        wanted: int = self.getOrDefault(self.numTopFeatures)
        if not 1 <= wanted <= n_columns:
            raise ValueError(
                f"{type(self).__name__}: numTopFeatures={wanted}, but there are {n_columns} columns. Use a value from 1 to "
                f"{n_columns}."
            )
        return wanted

    def setParams(self, **params: Any) -> Any:
        """Set several parameters.

        Parameters
        ----------
        **params
            By name.

        Returns
        -------
        self
            The same object.
        """
        return self._set(**params)
