"""Exact neighbours of all rows among each other by matrix products, each product being looked at from both of its rows."""

from __future__ import annotations

import numpy as np

from tamis._parameters import n_workers
from tamis._threads import Team, one_blas_thread
from tamis.neighbors._distance import IntArray, ScaledRows
from tamis.neighbors._exact import Progress
from tamis.neighbors._kernels.products import Asking, look_at_products, measure_all, subtract_both_ways
from tamis.neighbors._products import HELD, ProductSpace, Single, new_asking

STRIPE = 512
"""Rows whose products with as many others are held at a time: 1 MB, and as much turned round."""

FROM_WIDTH = 200
"""From this many entries of a vector, products cost more than looking at them from the other side (measured)."""

STATE_BYTES = 2**23
"""What is known of all queries may take so much memory, or as much as the table."""


def worth_both_ways(space: ProductSpace, fitted: ScaledRows, n_neighbors: int) -> bool:
    """Return whether `rows_both_ways` can be used, is faster, and does not take too much memory."""
    n_bytes = len(fitted) * (12 * (n_neighbors + HELD) + 20 * n_neighbors)
    small = n_bytes <= max(STATE_BYTES, fitted.coordinates.nbytes)
    return space.plain and small and space.width >= FROM_WIDTH and len(fitted) > STRIPE


def rows_both_ways(
    space: ProductSpace,
    fitted: ScaledRows,
    n_neighbors: int,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> tuple[IntArray, IntArray]:
    """Find the neighbours of each row among the others, for l2 and numeric columns without missing values.

    A stripe of rows meets the stripes from itself on: the products of two stripes tell the first what lies in the
    second, and the second what lies in the first. So every row sees the others in ascending order, as the kernels
    need it. Threads share the stripes that a stripe meets, and then its own rows.
    """
    n_rows, coordinates = len(fitted), fitted.coordinates
    vectors = space.fitted(coordinates)
    entries, halves = vectors.vectors[:, :-1], vectors.vectors[:, -1].copy()
    base, slack = space.own_base_and_slack(slice(None), vectors)
    asking = new_asking(coordinates, np.arange(n_rows), base, slack, n_neighbors)
    stripes = [slice(start, min(start + STRIPE, n_rows)) for start in range(0, n_rows, STRIPE)]
    with one_blas_thread(), Team(min(n_workers(n_jobs), len(stripes))) as team:
        n_together = 1 if team.n_parts == 1 else 4 * team.n_parts
        found: list[Single] = [halves] * n_together

        def meet(own: slice, others: list[slice], part: int, n_parts: int) -> None:
            """Multiply, and look at the products for the rows of the other stripes."""
            for place in range(part, len(others), n_parts):
                other = others[place]
                products = entries[own] @ entries[other].T
                turned = np.empty((0 if own == other else products.shape[1], len(products)), np.float32)
                subtract_both_ways(products, halves[own], halves[other], turned)
                found[place] = products
                if len(turned):
                    look_at_products(turned, own.start, _some(asking, other), coordinates)

        def look(own: slice, others: list[slice], part: int, n_parts: int) -> None:
            """Look at the products for the rows of the stripe itself."""
            size = own.stop - own.start
            mine = slice(part * size // n_parts, (part + 1) * size // n_parts)
            some = _some(asking, slice(own.start + mine.start, own.start + mine.stop))
            for place, other in enumerate(others):
                look_at_products(found[place][mine], other.start, some, coordinates)

        for number, own in enumerate(stripes):
            for first in range(number, len(stripes), n_together):
                others = stripes[first : first + n_together]
                team.each(meet, own, others)
                team.each(look, own, others)
            measure_all(_some(asking, own), coordinates)
            if progress is not None:
                progress(own.stop - own.start)
    return asking.rows, asking.distances.astype(np.int64)


def _some(asking: Asking, part: slice) -> Asking:
    """The state of some queries: views."""
    return Asking(*(field[part] for field in asking))
