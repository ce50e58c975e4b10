"""Distances on mixed data, and exact and approximate graphs of nearest neighbours.

======================  ============================================================================
question                answer
======================  ============================================================================
what is a distance?     `MixedSpace` (``_distance.py``): columns, gaps, scaling, steps
of these pairs?         `pair_distances` (``_blocks.py``)
the k nearest rows?     `nearest_rows` (``_graph.py``), by ``_exact.py`` or ``_candidates.py``
with all ties?          `nearest_groups`, `NeighborGroups` (``_groups.py``)
who loops?              ``_kernels/``
======================  ============================================================================
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
