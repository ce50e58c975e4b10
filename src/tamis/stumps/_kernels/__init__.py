"""The loops of the stumps, by phase; an arrow points from a file to those that it calls.

::

    sorted columns      scanning -> weights; sorting makes what scanning reads
    histograms          rounds -> bounds, searching, splitting, histograms, ordering, barrier, weights
                        searching -> bounds, histograms -> weights, splitting -> weights
    trees               trees -> tree_splits, histograms, weights
    tables as bytes     binning, cutting, bundling
    tables in parts     parts -> histograms, weights
    numeric targets     least_squares
    new rows            predicting

``weights`` is the arithmetic of a round, ``fields`` names the columns of packed arrays. Each file has a test of its own
in ``tests/stumps/kernels``.
"""
