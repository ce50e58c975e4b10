"""Tables in parts, which are read a few parts at a time and are never in memory as a whole.

``parted.py``            what a table in parts is, before it is read
``parquet.py``           a folder of Parquet files as such a table; ``parquet_part.py``: some rows of a file, and facts about them
``dask_collections.py``  a Dask array or frame as such a table
``opened.py``            from whatever a caller gives to parts that this process, or the workers of a cluster, can read
``passes.py``            the three passes (labels, columns, codes): what is computed per part, and how it is merged
``rows.py``              target and weights of all rows; some rows, or some columns of all rows, as memory would hold them
``cluster.py``           the workers of a Dask cluster, with retries when some are lost
"""
