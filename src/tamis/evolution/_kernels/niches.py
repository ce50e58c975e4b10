"""The evolution strategy with niches: a child competes only with the parent most like it, so that several kinds live on."""

import numpy as np

from tamis._jit import kernel
from tamis.evolution._kernels.strategy import (
    GROUP,
    LANES,
    N_OFFSPRING,
    N_PARENTS,
    breed,
    founders,
    judge,
    n_genes,
    put,
)


@kernel
def nearest(genome, parents):
    """The place of the row of `parents`, (N_PARENTS, D), at the least squared distance; the first on ties."""
    best, least = 0, np.inf
    for place in range(len(parents)):
        total = 0.0
        for k in range(len(genome)):
            gap = np.float64(genome[k]) - np.float64(parents[place, k])
            total += gap * gap
        if total < least:
            best, least = place, total
    return best


@kernel
def settled(pool, slots, lost):
    """Put the best child of each niche in the place of its parent, where it loses no more than that; earlier children win ties.

    `slots` (N_OFFSPRING + N_PARENTS,) are children, then parents; `lost` their losses. Both are changed.
    """
    parents = np.empty((N_PARENTS, pool.shape[2]), np.float32)
    for place in range(N_PARENTS):
        parents[place] = pool[slots[N_OFFSPRING + place], 0]
    heir = np.full(N_PARENTS, -1)
    for child in range(N_OFFSPRING):
        place = nearest(pool[slots[child], 0], parents)
        if heir[place] < 0 or lost[child] < lost[heir[place]]:
            heir[place] = child
    for place in range(N_PARENTS):
        child, parent = heir[place], N_OFFSPRING + place
        if child >= 0 and lost[child] <= lost[parent]:
            slots[child], slots[parent] = slots[parent], slots[child]
            lost[child], lost[parent] = lost[parent], lost[child]


@kernel
def evolve_niches(values, views, owners, weights, groups, linear, n_evaluations, state):
    """Run the evolution strategy of ROGER with a niche for each of its 20 parents; arguments as for `evolve`.

    Returns the parents of the last population, float32 (N_PARENTS, D), their losses, and the loss of the best after each
    generation, float64; a run stops when all losses are 0.
    """
    length = n_genes(values, owners, linear)
    size = (length // LANES + 1) * LANES
    words, noise = np.empty(2 * size + LANES, np.uint32), np.empty((2, size), np.float32)
    slots, lost = np.arange(N_OFFSPRING + N_PARENTS), np.full(N_OFFSPRING + N_PARENTS, np.inf)
    pool = np.empty((len(slots), 2, length), np.float32)
    founders(pool, linear, state, words)
    genomes = pool[N_OFFSPRING:, 0].copy()
    put(judge(genomes, values, views, owners, weights, groups, linear), N_OFFSPRING, lost)
    generations = (n_evaluations - N_PARENTS) // N_OFFSPRING
    curve = np.empty(generations + 1)
    curve[0] = lost[N_OFFSPRING:].min()
    done = 0
    while done < generations and lost[N_OFFSPRING:].max() > 0.0:
        for start in range(0, N_OFFSPRING, GROUP):
            children = slots[start : start + GROUP]
            breed(pool, slots[N_OFFSPRING:], children, state, words, noise)
            for b in range(GROUP):
                for k in range(length):
                    genomes[b, k] = pool[children[b], 0, k]
            put(judge(genomes[:GROUP], values, views, owners, weights, groups, linear), start, lost)
        settled(pool, slots, lost)
        done += 1
        curve[done] = lost[N_OFFSPRING:].min()
    for place in range(N_PARENTS):
        genomes[place] = pool[slots[N_OFFSPRING + place], 0]
    return genomes, lost[N_OFFSPRING:].copy(), curve[: done + 1]
