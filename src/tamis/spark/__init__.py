"""Column selection on Apache Spark, as estimators and models of ``pyspark.ml``; the extra ``spark``.

``selectors.py``  the estimators: their parameters, and the selectors of `tamis.features` behind them
``model.py``      what they fit: ranking, scores, the columns kept; saved and loaded
``columns.py``    the columns that are asked for, selected from any DataFrame, whatever their names
``pieces.py``     the rows as parts: what the part engine asks is answered by Spark jobs
``worker.py``     what runs in Spark's Python workers
"""

try:
    import pyspark.ml  # noqa: F401
except ImportError as error:
    raise ImportError(
        "tamis.spark: PySpark cannot be imported. Install it with: pip install 'tamis[spark]' (it needs Java 17 or newer "
        "as well), or use the PySpark of your cluster."
    ) from error

from tamis.spark.model import SelectedColumnsModel
from tamis.spark.selectors import SBSMFSelector, UnivariateAUCSelector

__all__ = ["SBSMFSelector", "SelectedColumnsModel", "UnivariateAUCSelector"]
