"""Many evolutions in a row, each on some of the columns."""

import numpy as np

from tamis._jit import kernel
from tamis.evolution._kernels.strategy import evolve


@kernel
def evolve_runs(values, columns, weights, groups, linear, n_evaluations, states):
    """Call `evolve` for each row of `columns`, int64 (r, width), on these rows of `values`; no values are missing.

    states, uint32 (r, 4, LANES): the generators of each run, advanced. The rest is as for `evolve`. Returns the best
    genomes, float32 (r, D), and their losses, float64 (r,).
    """
    n_runs, width = columns.shape
    views, owners = np.empty((0, values.shape[1]), np.float32), np.empty(0, np.int64)
    genomes, lost = np.empty((n_runs, width if linear else 2 * width), np.float32), np.empty(n_runs)
    part = np.empty((width, values.shape[1]), np.float32)
    for run in range(n_runs):
        for k in range(width):
            part[k] = values[columns[run, k]]
        genome, curve = evolve(part, views, owners, weights, groups, linear, n_evaluations, states[run])
        genomes[run] = genome
        lost[run] = curve[-1]
    return genomes, lost
