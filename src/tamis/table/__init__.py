"""Any table (array, pandas, polars, pyarrow frame, file) in one validated form.

The only room that knows file formats and dtypes.
"""
