"""AdaBoost over the votes of nearest neighbours, and the criterion of sets of columns that FS2Boost searches by.

======================  ============================================================================
question                answer
======================  ============================================================================
the classifier?         `NeighborAdaBoost` (``adaboost.py``)
how good is a set?      `NeighborVotes` (``criterion.py``): Z of boosting, or the leave-one-out error
whose neighbours?       `Neighborhoods` (``neighborhoods.py``): over many sets that differ by a column or two
who loops?              ``_kernels/``, whose first page says who calls whom
======================  ============================================================================

Words
-----
description   the values of a row over a set of columns; rows of one description are a group
cell          the rows of one description and one class: they weigh and vote the same
unit          the cells of one description; neighbours are found by unit and listed by cell
"""
