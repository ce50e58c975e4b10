"""The loops of the stumps, by phase; an arrow points from a file to those that it calls.

::

    sorted columns      scanning -> sorting
    histograms          rounds -> bounds, searching, splitting, histograms, ordering, barrier
    tables as bytes     binning, cutting, bundling
    tables in parts     parts
    new rows            predicting
"""
