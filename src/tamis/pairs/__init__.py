"""All pairs of columns: which say something of the classes only together.

========================  =============================================================================
question                  answer
========================  =============================================================================
how is a column seen?     `column_views` (``views.py``): whole numbers, so that sums of products are exact
which pairs are best?     `searched` (``search.py``): a scan of all pairs, and tests of those it leaves
a column of two?          `PairColumns` (``columns.py``): what a stump needs to see a pair, also of new rows
who loops?                ``_kernels/``, whose first page says who calls whom
========================  =============================================================================
"""
