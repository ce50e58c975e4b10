"""Tables that lie in parts: ``opened.py`` finds the parts, ``passes.py`` reads them, ``cluster.py`` asks Dask's workers to."""
