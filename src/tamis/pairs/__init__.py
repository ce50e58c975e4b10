"""All pairs of columns (features): which of them tell something about the classes only together.

========================  =============================================================================
question                  answer
========================  =============================================================================
how is a column seen?     `column_views` (``views.py``): as whole numbers, whose products sum exactly
which pairs are best?     `searched` (``search.py``): a scan of all pairs, then tests of the best ones
a pair as one column?     `PairColumns` (``columns.py``): so that a stump sees a pair, in new rows too
where are the loops?      ``_kernels/``, whose ``__init__`` says which file calls which
========================  =============================================================================
"""
