"""AdaBoost over decision stumps, exact to the bit, and the backward elimination of columns that rests on it.

============================  ======================================================================
question                      answer
============================  ======================================================================
the classifier?               `StumpAdaBoost` (``adaboost.py``)
what is a model?              `Stumps` (``model.py``): its votes, its decision, what its columns are worth
which engine?                 `stump_engine` (``engine.py``): sorted columns for few rows, histograms for many
from weights to problems?     ``problems.py``: two classes, or one against the rest; integer start weights
which columns leave?          ``leaving.py`` says which, ``elimination.py`` and ``elimination_runs.py`` go on until none is left
sorted columns?               ``sorted_columns.py`` prepares a table, ``sorted_run.py`` boosts on it
histograms?                   ``binned.py`` prepares a table, ``histogram_run.py`` boosts on it, ``histograms.py`` calls them
a table in parts?             ``part_fit.py`` reads it, ``part_bins.py`` codes it, ``part_table.py`` chooses a run,
                              ``part_run.py`` boosts where the parts are
who loops?                    ``_kernels/``, whose first page says who calls whom
============================  ======================================================================

Words
-----
stump     a column, a threshold, and what is said on its right side; "left" is ``x <= threshold``
gap       a missing value (NaN)
nominal   categorical; its values are codes
edge      the signed weight that a stump gets right, less what it gets wrong
round     one stump, and the new weights of the rows
problem   two sides, +1 and -1, of a table: one for two classes, one per class for more
run       one boosted model of one problem, which can go back to a round and go on from there with fewer columns

All engines give the same bits. ``docs/engine.md`` proves it for the histograms.
"""
