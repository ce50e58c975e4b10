"""The columns that are asked for, selected from any DataFrame, whatever their names.

Names go to Spark in backticks, where a dot or a backtick in them means nothing, and from there on columns have positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as T  # noqa: N812

from tamis.spark.worker import LABEL, VECTOR, WEIGHT


def named(name: str) -> Column:
    """The column of this very name."""
    return F.col("`" + name.replace("`", "``") + "`")


@dataclass(frozen=True)
class Columns:
    """Which columns of a DataFrame are what.

    Attributes
    ----------
    names : list of str or None
        The columns that are ranked; None if they are the entries of a vector.
    vector : str
        The column of vectors.
    label : str
        The column of labels.
    weight : str or None
        The column of weights.
    categorical : tuple of str
        Columns of numbers that are categories.
    """

    names: list[str] | None
    vector: str
    label: str
    weight: str | None = None
    categorical: tuple[str, ...] = ()

    def fields(self, frame: DataFrame) -> list[T.StructField]:
        """What Spark knows of the columns that are ranked, and of the labels; it says so if a name means nothing to it."""
        ranked = [self.vector] if self.names is None else self.names
        fields: list[T.StructField] = frame.select(*map(named, [*ranked, self.label])).schema.fields
        return fields

    def selected(self, frame: DataFrame) -> DataFrame:
        """These columns, under names of our own."""
        *ranked, label = self.fields(frame)
        if self.names is None:
            chosen = [_vectors(self.vector, ranked[0]).alias(VECTOR)]
        else:
            pairs = zip(self.names, ranked)
            chosen = [_plain(name, field).alias(f"column{j}") for j, (name, field) in enumerate(pairs)]
        chosen.append(_plain(self.label, label).alias(LABEL))
        if self.weight is not None:
            chosen.append(named(self.weight).cast("double").alias(WEIGHT))
        return frame.select(*chosen)

    def example(self, selected: DataFrame) -> pl.DataFrame | None:
        """A frame of no rows with the columns' dtypes; None for vectors."""
        if self.names is None:
            return None
        from pyspark.sql.pandas.types import to_arrow_schema

        schema = to_arrow_schema(T.StructType(selected.schema.fields[: len(self.names)]))
        example = pl.from_arrow(schema.empty_table())
        assert isinstance(example, pl.DataFrame)  # noqa: S101
        example.columns = self.names
        return example

    def number(self, who: str, lengths: list[int]) -> int:
        """How many columns are ranked; vectors of different lengths are refused."""
        if self.names is not None:
            return len(self.names)
        if min(lengths) != max(lengths):
            raise ValueError(
                f"{who}: the vectors in {self.vector!r} have {min(lengths)} to {max(lengths)} entries (a missing one has "
                "none). Give every row a vector of the same length."
            )
        return lengths[0]

    def nominal(self, frame: DataFrame, n_columns: int) -> NDArray[np.bool_]:
        """Which columns are categorical: texts, truth values, those that are named, and those that Spark's metadata call nominal."""
        mask = np.zeros(n_columns, dtype=np.bool_)
        ranked = self.fields(frame)[:-1]
        if self.names is None:
            nominal = _noted(ranked[0]).get("attrs", {}).get("nominal", [])
            mask[[entry["idx"] for entry in nominal]] = True
            return mask
        for j, (name, field) in enumerate(zip(self.names, ranked)):
            mask[j] = (
                isinstance(field.dataType, T.StringType | T.BooleanType)
                or _noted(field).get("type") == "nominal"
                or name in self.categorical
            )
        return mask


def _noted(field: T.StructField) -> dict[str, Any]:
    """What Spark's other stages have noted of a column."""
    noted: dict[str, Any] = field.metadata.get("ml_attr", {})
    return noted


def _plain(name: str, field: T.StructField) -> Column:
    """A column; decimal numbers become floats."""
    return named(name).cast("double") if isinstance(field.dataType, T.DecimalType) else named(name)


def _vectors(name: str, field: T.StructField) -> Column:
    """A column of vectors, or of arrays of numbers, as arrays of floats."""
    kind = field.dataType
    if isinstance(kind, VectorUDT):
        return vector_to_array(named(name))
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.NumericType):
        return named(name).cast("array<double>")
    raise ValueError(
        f"The column {name!r} holds {kind.simpleString()}, where vectors are wanted. Name columns of numbers or texts in "
        "inputCols, or a column of vectors in featuresCol."
    )
