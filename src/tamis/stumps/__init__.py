"""AdaBoost over decision stumps, exact to the bit, and the backward elimination of columns that rests on it.

============================  ======================================================================
question                      answer
============================  ======================================================================
the classifier?               `StumpAdaBoost` (``adaboost.py``)
boost, or eliminate?          `boost`, `eliminate` (``engine.py``): once, for every form of a table
what is a model?              `Stumps` (``model.py``): its votes, its decision, what its columns are worth
why is a row classified so?   `ExplainedRows` (``explained.py``), `RowMargins` and the bound (``row_margins.py``)
from classes to problems?     ``problems.py``: two classes, or one against the rest; integer start weights
what is an engine?            `StumpTable` and `Run` (``run.py``): a form of a table, and a model in the making
sorted columns, few rows?     `SortedTable` (``sorted_columns.py``), `SortedRun` (``sorted_run.py``)
histograms, many rows?        `BinnedTable` (``binned.py``), `HistogramRun` (``histogram_run.py``)
trees of several leaves?      `TreeTable`, `TreeRun` (``tree_run.py``) on binned tables; the model is `Trees` (``trees.py``)
a table in parts?             ``part_fit.py`` reads it, ``part_bins.py`` codes it; on this machine it becomes a
                              `CodedTable` (``part_table.py``) for the histograms, on others a `PartTable`, on which
                              `PartRun` (``part_run.py``) boosts where the parts are; ``part_copies.py`` finds copies
a numeric target?             `StumpBoostRegressor` (``regressor.py``); least squares on cells, a fourth engine:
                              `CellTable`, `LeastSquaresRun` (``least_squares.py``); in parts: ``part_numbers.py``
which columns leave?          ``leaving.py`` says which, ``elimination.py`` goes on until none is left
who loops?                    ``_kernels/``, whose first page says who calls whom
============================  ======================================================================

A further engine is a table with the four methods of `StumpTable`, and a subclass of `Run`.

Words
-----
stump     a column, a threshold, and what is said on its right side; "left" is ``x <= threshold``
gap       a missing value (NaN)
nominal   categorical; its values are codes
edge      the signed weight that a stump gets right, less what it gets wrong
round     one stump, and the new weights of the rows
problem   two sides, +1 and -1, of a table: one for two classes, one per class for more
run       a model of one problem in the making, which can go back to a round and go on from there with fewer columns

All engines give the same bits. ``docs/engine.md`` proves it for the histograms.
"""
