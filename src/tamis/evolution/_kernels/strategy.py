"""The evolution strategy behind ROGER, in one loop: draw, cross over, mutate, evaluate, select.

Who calls whom::

    evolve -> breed -> draw, normals, mutate
              judge -> add_distances; lost_pairs (losses.py)
              selected

Every number is made of IEEE single-precision +, -, *, square roots and shifts of bits, in a fixed order: no library
function whose last bit differs from machine to machine, so a seed gives the same bits everywhere. Logarithm, sine,
cosine and power of two are minimax polynomials of our own, with relative errors below 2e-7.

A genome lies in [0, 1]^D: the weights w of the d columns (numeric ones first), for the l1 hypothesis the centres c of
the p numeric columns, and the distance q of each of the m views (a category of a categorical column, or "missing").
"""

import numpy as np

from tamis._jit import kernel
from tamis.evolution._kernels.losses import lost_pairs

F32, I32, U32 = np.float32, np.int32, np.uint32

N_PARENTS = 20
N_OFFSPRING = 200
CROSSOVER = np.uint32(2576980378)  # 0.6 of 2^32
FIRST_STEP = np.float32(0.05)
LEAST_STEP = np.float32(1e-5)
GROUP = 8  # offspring evaluated together, so that a column is read once for all of them
LANES = 32  # generators side by side, so that drawing vectorises

ZERO, HALF, ONE, TWO = F32(0.0), F32(0.5), F32(1.0), F32(2.0)
PER_31_BITS, PER_24_BITS = F32(2.0**-31), F32(2.0**-24)
LN2, LOG2E = F32(0.6931471805599453), F32(1.4426950408889634)
ROOT_HALF = I32(0x3F3504F3)  # the bits of sqrt(1/2)
BIAS = F32(127.5)
SIGN = U32(0x80000000)
OTHER_PARENT = U32(0x10000000)

# ln(1 + f) / f on [sqrt(1/2) - 1, sqrt(2) - 1]
L0, L1, L2, L3 = F32(0.99999994), F32(-0.50000364), F32(0.3333506), F32(-0.24969909)
L4, L5, L6, L7 = F32(0.19900165), F32(-0.17250831), F32(0.16222575), F32(-0.10106884)
# sin(pi/4 t) / t and cos(pi/4 t), in t^2, on [0, 1]
S0, S1, S2, S3 = F32(0.7853982), F32(-0.08074544), F32(0.002490001), F32(-3.5950477e-05)
C0, C1, C2, C3 = F32(0.99999994), F32(-0.30842417), F32(0.015849685), F32(-0.00031872813)
# 2^f on [-1/2, 1/2]
E0, E1, E2 = F32(1.0000001), F32(0.69314694), F32(0.2402212)
E3, E4, E5 = F32(0.05550713), F32(0.009675541), F32(0.0013276471)


@kernel
def draw(state, words):
    """Fill `words`, a multiple of LANES, from xoshiro128++ generators in turn; advances `state` (4, LANES)."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    for start in range(0, len(words), LANES):
        out = words[start : start + LANES]
        for j in range(LANES):
            a, b, c, e = s0[j], s1[j], s2[j], s3[j]
            t = U32(a + e)
            out[j] = U32(U32(U32(t << U32(7)) | U32(t >> U32(25))) + a)
            t = U32(b << U32(9))
            c = U32(c ^ a)
            e = U32(e ^ b)
            s0[j] = U32(a ^ e)
            s1[j] = U32(b ^ c)
            s2[j] = U32(c ^ t)
            s3[j] = U32(U32(e << U32(11)) | U32(e >> U32(21)))


@kernel
def normals(radii, angles, noise):
    """Write two independent standard normals per two words to `noise` (2, n), by Box and Muller: r cos(a), r sin(a).

    The radius takes 31 bits of one word; of the other, the lower 24 bits give the angle within an eighth of the circle
    and the upper 3 bits the eighth. The next bit, OTHER_PARENT, is left for the crossover.
    """
    first, second = noise[0], noise[1]
    for k in range(len(first)):
        u = np.float32((F32(I32(radii[k] >> U32(1))) + HALF) * PER_31_BITS)
        bits = u.view(np.int32)
        e = I32(I32(bits - ROOT_HALF) >> I32(23))
        f = np.int32(bits - I32(e << I32(23))).view(np.float32) - ONE
        g = f * f
        p = (L0 + L1 * f) + (L2 + L3 * f) * g + ((L4 + L5 * f) + (L6 + L7 * f) * g) * (g * g)
        r = np.sqrt(-TWO * (F32(e) * LN2 + f * p))
        word = angles[k]
        t = (F32(I32(word & U32(0xFFFFFF))) + HALF) * PER_24_BITS
        q = t * t
        s = np.float32(r * (t * ((S0 + S1 * q) + (S2 + S3 * q) * (q * q))))
        c = np.float32(r * ((C0 + C1 * q) + (C2 + C3 * q) * (q * q)))
        sine, cosine = s.view(np.uint32), c.view(np.uint32)
        swapped = I32(word) < I32(0)
        x = sine if swapped else cosine
        y = cosine if swapped else sine
        first[k] = np.uint32(x ^ U32(U32(word << U32(1)) & SIGN)).view(np.float32)
        second[k] = np.uint32(y ^ U32(U32(word << U32(2)) & SIGN)).view(np.float32)


@kernel
def mutate(mother, father, words, mask, noise, tau, common, child):
    """Write a child into `child`, shape (2, D): row 0 the genes, row 1 their step sizes.

    A gene and its step size come from `father` if its word has a bit of `mask`, otherwise from `mother`. Then
    step <- step exp(tau N_k + common), clipped to [LEAST_STEP, 1], and gene <- gene + step N'_k, reflected at 0 and 1.
    """
    first, second = noise[0], noise[1]
    mother_genes, mother_steps = mother[0], mother[1]
    father_genes, father_steps = father[0], father[1]
    genes, steps = child[0], child[1]
    for k in range(len(genes)):
        # both parents are read: choosing an address would not vectorise
        gene, other_gene = mother_genes[k], father_genes[k]
        step, other_step = mother_steps[k], father_steps[k]
        crossed = U32(words[k] & mask) != U32(0)
        gene = other_gene if crossed else gene
        step = other_step if crossed else step
        y = (tau * first[k] + common) * LOG2E
        whole = I32(y + BIAS)
        f = y - F32(I32(whole - I32(127)))
        g = f * f
        power = (E0 + E1 * f) + (E2 + E3 * f) * g + (E4 + E5 * f) * (g * g)
        step = step * (power * np.int32(whole << I32(23)).view(np.float32))
        step = step if step > LEAST_STEP else LEAST_STEP
        step = step if step < ONE else ONE
        gene = gene + step * second[k]
        gene = gene - TWO * np.floor(HALF * gene)
        genes[k] = ONE - abs(ONE - gene)
        steps[k] = step


@kernel
def add_distances(values, w, c, h):
    """Add w_k |x_ik - c_k| over the columns k to `h`; values (p, n), w (b, >= p), c (b, p), h (b, n).

    Four columns at a time, as (first + second) + (third + fourth); the rest one by one.
    """
    p, n = values.shape
    full = p - p % 4
    for k in range(0, full, 4):
        x0, x1, x2, x3 = values[k], values[k + 1], values[k + 2], values[k + 3]
        for b in range(h.shape[0]):
            out = h[b]
            w0, w1, w2, w3 = w[b, k], w[b, k + 1], w[b, k + 2], w[b, k + 3]
            c0, c1, c2, c3 = c[b, k], c[b, k + 1], c[b, k + 2], c[b, k + 3]
            for i in range(n):
                out[i] += (w0 * abs(c0 - x0[i]) + w1 * abs(c1 - x1[i])) + (
                    w2 * abs(c2 - x2[i]) + w3 * abs(c3 - x3[i])
                )
    for k in range(full, p):
        x0 = values[k]
        for b in range(h.shape[0]):
            out, w0, c0 = h[b], w[b, k], c[b, k]
            for i in range(n):
                out[i] += w0 * abs(c0 - x0[i])


@kernel
def selected(slots, lost):
    """Move the N_PARENTS slots with the smallest `lost` to the end, in increasing order, the earlier first on ties.

    The offspring come before the parents, and so win ties. Returns the new slots and their losses.
    """
    best = np.empty(N_PARENTS, np.int64)
    size = 0
    for i in range(len(lost)):
        if size == N_PARENTS and lost[i] >= lost[best[size - 1]]:
            continue
        j = min(size, N_PARENTS - 1)
        while j > 0 and lost[best[j - 1]] > lost[i]:
            best[j] = best[j - 1]
            j -= 1
        best[j] = i
        size = min(size + 1, N_PARENTS)
    is_best = np.zeros(len(slots), np.bool_)
    for i in best:
        is_best[i] = True
    new_slots, new_lost = np.empty_like(slots), np.empty_like(lost)
    place = 0
    for i in range(len(slots)):
        if not is_best[i]:
            new_slots[place], new_lost[place] = slots[i], lost[i]
            place += 1
    for i in best:
        new_slots[place], new_lost[place] = slots[i], lost[i]
        place += 1
    return new_slots, new_lost


@kernel
def breed(pool, parents, children, state, words, noise):
    """Write a child of two of the slots `parents` into each slot of `pool` in `children`.

    The two are drawn uniformly with replacement, so that one may be both mother and father.
    """
    size, length = noise.shape[1], pool.shape[2]
    tau, tau_common = F32(1.0 / np.sqrt(2.0 * np.sqrt(length))), F32(1.0 / np.sqrt(2.0 * length))
    radii, angles = words[LANES : LANES + size], words[LANES + size :]
    for child in children:
        draw(state, words)
        mother = parents[(np.uint64(words[0]) * np.uint64(N_PARENTS)) >> np.uint64(32)]
        father = parents[(np.uint64(words[1]) * np.uint64(N_PARENTS)) >> np.uint64(32)]
        mask = OTHER_PARENT if words[2] < CROSSOVER else U32(0)
        normals(radii, angles, noise)
        common = tau_common * noise[0, length]
        mutate(pool[mother], pool[father], angles, mask, noise, tau, common, pool[child])


@kernel
def judge(genomes, values, views, owners, weights, groups, linear):
    """Return twice the weight of the wrongly ordered pairs of each genome (b, D): 0 for a perfect hypothesis.

    h(x) is the sum of w |x - c| over the numeric columns, with c = 0 for the linear hypothesis, and of w q over the
    views that are true. A missing value in a numeric column is stored as 0; its term, w c, is subtracted again.
    """
    size, p, m, n_rows = len(genomes), len(values), len(views), len(weights)
    n_columns = genomes.shape[1] - m - (0 if linear else p)
    w, v = np.empty((size, n_columns), np.float32), np.empty((size, m), np.float32)
    c, nowhere = np.zeros((size, p), np.float32), np.zeros((size, m), np.float32)
    for b in range(size):
        genes = genomes[b]
        for k in range(n_columns):
            w[b, k] = TWO * genes[k] - ONE if linear else genes[k]
        if not linear:
            for k in range(p):
                c[b, k] = genes[n_columns + k]
        for j in range(m):
            stored = c[b, owners[j]] if owners[j] < p else ZERO
            v[b, j] = w[b, owners[j]] * (genes[len(genes) - m + j] - stored)
    h = np.zeros((size, values.shape[1]), np.float32)
    add_distances(values, w, c, h)
    add_distances(views, v, nowhere, h)
    even = all_one(weights)
    lost = np.empty(size)
    for b in range(size):
        lost[b] = lost_pairs(h[b, :n_rows], weights, groups, even)
    return lost


@kernel
def all_one(weights):
    """Whether every weight is 1."""
    for weight in weights:
        if weight != 1.0:
            return False
    return True


@kernel
def put(found, at, lost):
    """Write `found` to `lost`, from `at` on; assigning to a slice would take longer to compile."""
    for b in range(len(found)):
        lost[at + b] = found[b]


@kernel
def n_genes(values, owners, linear):
    """How many genes a genome has: a weight per column, a centre per numeric column, and a distance per view."""
    n_columns = len(values)
    for j in range(len(owners)):
        n_columns = max(n_columns, owners[j] + 1)
    return n_columns + len(owners) + (0 if linear else len(values))


@kernel
def founders(pool, linear, state, words):
    """Write the first N_PARENTS genomes, uniform in [0, 1], and their step sizes into the last slots of `pool`."""
    for i in range(len(pool) - N_PARENTS, len(pool)):
        draw(state, words)
        for k in range(pool.shape[2]):
            pool[i, 0, k] = F32(I32(words[k] >> U32(8))) * PER_24_BITS
            pool[i, 1, k] = FIRST_STEP * (HALF if linear else ONE)


@kernel
def evolve(values, views, owners, weights, groups, linear, n_evaluations, state):
    """Run the (20 + 200) evolution strategy of ROGER, which minimises the weight of wrongly ordered pairs.

    values, float32 (p, n padded): numeric columns in [0, 1], one column per row of the array, missing values as 0;
    first the group of rows for which h is to be smallest, then the next, ..., then padding. views, float32 (m, n padded): 1 if
    the view is true for the row. owners, int64 (m,): the column of each view; the numeric columns are 0..p-1, the
    categorical ones follow. weights, float64 (n,): row weights; if all are 1 it is faster, with the same answer.
    groups, int64 (g + 1,): where each group begins, and n; two classes are two groups. linear: h is the sum of w x with w in [-1, 1]. n_evaluations: the largest number of
    hypotheses, including the first 20; a generation that would exceed it is not started. state, uint32 (4, LANES):
    the generators, advanced.

    Returns the best genome of the last population, float32 (D,), the earliest on ties, and the loss of the best after
    each generation, float64; a run stops at 0.
    """
    length = n_genes(values, owners, linear)
    size = (length // LANES + 1) * LANES
    words, noise = np.empty(2 * size + LANES, np.uint32), np.empty((2, size), np.float32)
    slots, lost = np.arange(N_OFFSPRING + N_PARENTS), np.full(N_OFFSPRING + N_PARENTS, np.inf)
    pool = np.empty((len(slots), 2, length), np.float32)
    founders(pool, linear, state, words)
    genomes = pool[N_OFFSPRING:, 0].copy()
    put(judge(genomes, values, views, owners, weights, groups, linear), N_OFFSPRING, lost)
    slots, lost = selected(slots, lost)
    generations = (n_evaluations - N_PARENTS) // N_OFFSPRING
    curve = np.empty(generations + 1)
    curve[0] = lost[N_OFFSPRING]
    done = 0
    while done < generations and curve[done] > 0.0:
        for start in range(0, N_OFFSPRING, GROUP):
            children = slots[start : start + GROUP]
            breed(pool, slots[N_OFFSPRING:], children, state, words, noise)
            for b in range(GROUP):
                for k in range(length):
                    genomes[b, k] = pool[children[b], 0, k]
            put(judge(genomes[:GROUP], values, views, owners, weights, groups, linear), start, lost)
        slots, lost = selected(slots, lost)
        done += 1
        curve[done] = lost[N_OFFSPRING]
    return pool[slots[N_OFFSPRING], 0].copy(), curve[: done + 1]
