"""Tables that lie in parts, which are read a few at a time and never whole.

``parted.py``            what a table in parts is, before it is read
``parquet.py``           a folder of Parquet files as one; ``parquet_part.py`` some rows of a file, and what they tell
``dask_collections.py``  a Dask array or frame as one
``opened.py``            whatever a caller gives becomes parts that this process, or the workers of a cluster, can read
``passes.py``            labels, columns, codes: what is asked of each part, and how the answers are put together
``cluster.py``           the workers of a Dask cluster, asked again when some are lost
"""
