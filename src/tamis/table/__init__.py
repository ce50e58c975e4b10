"""Any table (array, pandas, polars, pyarrow frame, file) in one validated form.

The only room that knows file formats and dtypes. Names are loaded when they are first used.
"""

from tamis._public import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
