"""Distances between rows with numeric and categorical columns and missing values; nearest neighbours by them.

======================  ============================================================================
question                answer
======================  ============================================================================
what is a distance?     `MixedSpace` (``_distance.py``): kinds of columns, missing values, scaling, steps
of these pairs?         `pair_distances` (``_blocks.py``)
the k nearest rows?     `nearest_rows` (``_graph.py``), ``_exact.py``, ``_products.py``, ``_both_ways.py`` or ``_candidates.py``
with all ties?          `nearest_groups`, `NeighborGroups` (``_groups.py``)
where are the loops?    ``_kernels/``
======================  ============================================================================

In names, ``nominal`` marks categorical columns and ``gap`` a missing value. A *step* is 2**-20, the unit in which
distances are counted: they are whole numbers, so that ties are exact.
"""

from tamis.neighbors._blocks import pair_distances
from tamis.neighbors._distance import NAMED_METRICS, STEPS, MixedSpace, ScaledRows
from tamis.neighbors._graph import nearest_rows
from tamis.neighbors._groups import NeighborGroups, description_groups, nearest_groups

__all__ = [
    "NAMED_METRICS",
    "STEPS",
    "MixedSpace",
    "NeighborGroups",
    "ScaledRows",
    "description_groups",
    "nearest_groups",
    "nearest_rows",
    "pair_distances",
]
