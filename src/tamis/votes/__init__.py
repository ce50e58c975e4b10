"""AdaBoost over the votes of nearest neighbours, and the criterion by which FS2Boost judges sets of columns.

======================  ============================================================================
question                answer
======================  ============================================================================
the classifier?         `NeighborAdaBoost` (``adaboost.py``)
how good is a set?      `NeighborVotes` (``criterion.py``): Z of boosting, or the leave-one-out error
with any learner?       `ModelVotes` (``models.py``): Z of boosting over a classifier that is given
how low can Z be?       `least_z` (``bounds.py``): a bound that needs no boosting, with its proof
whose neighbours?       `Neighborhoods` (``neighborhoods.py``): over many sets that differ by a column or two
where are the loops?    ``_kernels/``, whose first page says who calls whom
======================  ============================================================================

Words
-----
description   the values of a row in a set of columns; rows with the same description are a group
cell          the rows with the same description and class: they have the same weight and vote
unit          the cells with the same description; neighbours are found by unit and listed by cell
"""
