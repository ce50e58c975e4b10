"""tamis sifts a table: it keeps the columns and the rows that matter.

Every public name is loaded when it is first used, so that ``import tamis`` is immediate.
"""

from tamis._public import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
