"""ROGER's evolution strategy in plain loops: Jong, Marchiori and Sebag's (20 + 200)-ES on the area under the ROC curve.

A genome is the weights w of d columns and, for the l1 hypothesis, the centres c of the columns with numbers, and a
distance for every view (a level of a nominal column, or its gaps). The random numbers come from a `Stream`: 32
xoshiro128++ generators, written with Python's integers, and normals by Box and Muller in single precision with
polynomials for logarithm, sine and cosine. Every step rounds to single precision, so that a fast program doing the
same work can be asked for the same bits.
"""

import numpy as np

F = np.float32
MASK32, MASK64 = 2**32 - 1, 2**64 - 1

LOGARITHM = [
    0.99999994,
    -0.50000364,
    0.3333506,
    -0.24969909,
    0.19900165,
    -0.17250831,
    0.16222575,
    -0.10106884,
]
SINE = [0.7853982, -0.08074544, 0.002490001, -3.5950477e-05]
COSINE = [0.99999994, -0.30842417, 0.015849685, -0.00031872813]
POWER = [1.0000001, 0.69314694, 0.2402212, 0.05550713, 0.009675541, 0.0013276471]


def polynomial(coefficients, x):
    """Pairs first, then pairs of pairs: (c0 + c1 x) + (c2 + c3 x) x^2 + [...] x^4."""
    c = [F(value) for value in coefficients]
    pairs = [c[k] + c[k + 1] * x for k in range(0, len(c), 2)]
    square = x * x
    if len(pairs) == 2:
        return pairs[0] + pairs[1] * square
    if len(pairs) == 3:
        return pairs[0] + pairs[1] * square + pairs[2] * (square * square)
    return pairs[0] + pairs[1] * square + (pairs[2] + pairs[3] * square) * (square * square)


def splitmix64(seed, count):
    out = []
    z = seed
    for _ in range(count):
        z = (z + 0x9E3779B97F4A7C15) & MASK64
        v = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
        v = ((v ^ (v >> 27)) * 0x94D049BB133111EB) & MASK64
        out.append(v ^ (v >> 31))
    return out


def rotated(x, k):
    return ((x << k) | (x >> (32 - k))) & MASK32


class Stream:
    """Random words of 32 bits, 32 generators taking turns."""

    lanes = 32

    def __init__(self, seed):
        filled = splitmix64(seed, 2 * self.lanes)
        self.state = []
        for lane in range(self.lanes):
            low, high = filled[lane], filled[self.lanes + lane]
            self.state.append([low & MASK32, low >> 32, high & MASK32, high >> 32])

    def words(self, count):
        out = []
        while len(out) < count:
            for s in self.state:
                out.append((rotated((s[0] + s[3]) & MASK32, 7) + s[0]) & MASK32)
                t = (s[1] << 9) & MASK32
                s[2] ^= s[0]
                s[3] ^= s[1]
                s[1] ^= s[2]
                s[0] ^= s[3]
                s[2] ^= t
                s[3] = rotated(s[3], 11)
        return out


def logarithm(u):
    """ln(u) of a single-precision u in (0, 1], from u = 2^e m with m in [sqrt(1/2), sqrt(2))."""
    bits = int(F(u).view(np.int32))
    e = (bits - 0x3F3504F3) >> 23
    f = np.int32(bits - (e << 23)).view(np.float32) - F(1)
    return F(e) * F(np.log(2.0)) + f * polynomial(LOGARITHM, f)


def normal_pair(radius_word, angle_word):
    """Two independent standard normals from two words."""
    u = (F(radius_word >> 1) + F(0.5)) * F(2.0**-31)
    r = np.sqrt(F(-2) * logarithm(u))
    t = (F(angle_word & 0xFFFFFF) + F(0.5)) * F(2.0**-24)
    square = t * t
    s = r * (t * polynomial(SINE, square))
    c = r * polynomial(COSINE, square)
    if angle_word >> 31 & 1:
        s, c = c, s
    return (-c if angle_word >> 30 & 1 else c), (-s if angle_word >> 29 & 1 else s)


def exponential(x):
    """exp(x) by 2^(whole) 2^f."""
    y = x * F(1 / np.log(2.0))
    whole = int(y + F(127.5))
    f = y - F(whole - 127)
    return polynomial(POWER, f) * F(2.0 ** (whole - 127))


def reflected(gene):
    """Back into [0, 1], the bounds acting as mirrors."""
    gene = gene - F(2) * np.floor(F(0.5) * gene)
    return F(1) - abs(F(1) - gene)


def hypothesis(genome, values, views, owners, linear):
    """h of every row. values (p, n) with 0 for a gap, views (m, n), owners (m,)."""
    p, n = values.shape
    m = len(views)
    n_columns = len(genome) - m - (0 if linear else p)
    w = [F(2) * g - F(1) if linear else g for g in genome[:n_columns]]
    c = [F(0)] * p if linear else list(genome[n_columns : n_columns + p])
    v = [
        w[owners[j]] * (genome[len(genome) - m + j] - (c[owners[j]] if owners[j] < p else F(0)))
        for j in range(m)
    ]
    h = []
    for i in range(n):
        total = F(0)
        for parts in (
            [w[k] * abs(c[k] - values[k, i]) for k in range(p)],
            [v[j] * views[j, i] for j in range(m)],
        ):
            full = len(parts) - len(parts) % 4
            for k in range(0, full, 4):
                total = total + ((parts[k] + parts[k + 1]) + (parts[k + 2] + parts[k + 3]))
            for k in range(full, len(parts)):
                total = total + parts[k]
        h.append(total)
    return h


def lost_pairs(h, weights, groups):
    """Twice the weight of the pairs of different groups of which the earlier row has the larger h, once that of ties.

    Between two groups the far weight below is added up value by value, so that weights that are no whole numbers round
    alike; between more groups weights are whole.
    """
    if len(groups) > 3:
        group_of = np.repeat(np.arange(len(groups) - 1), np.diff(groups)).tolist()
        lost = 0
        for i in range(len(h)):
            for j in range(len(h)):
                if group_of[i] < group_of[j] and h[i] >= h[j]:
                    lost += (2 if h[i] > h[j] else 1) * int(weights[i]) * int(weights[j])
        return float(lost)
    n_near = groups[1]
    order = sorted(range(len(h)), key=lambda i: h[i])  # stable: ties in row order
    lost = before = 0.0
    at = 0
    while at < len(order):
        tied = [i for i in order[at:] if h[i] == h[order[at]]]
        near = far = 0.0
        for i in tied:
            if i < n_near:
                near += weights[i]
            else:
                far += weights[i]
        lost += near * (2.0 * before + far)
        before += far
        at += len(tied)
    return lost


def child(mother, father, crossed, words, tau, tau_common):
    """One offspring of two parents (genes, steps): uniform crossover, then a mutation of every coordinate."""
    length = len(mother[0])
    radii, angles = words
    noise = [normal_pair(radii[k], angles[k]) for k in range(length + 1)]
    common = tau_common * noise[length][0]
    genes, steps = [], []
    for k in range(length):
        parent = father if crossed and angles[k] >> 28 & 1 else mother
        step = parent[1][k] * exponential(tau * noise[k][0] + common)
        step = min(max(step, F(1e-5)), F(1))
        steps.append(step)
        genes.append(reflected(parent[0][k] + step * noise[k][1]))
    return genes, steps


def best(population, n_kept):
    """The n_kept with the smallest loss, the earlier on ties."""
    return sorted(population, key=lambda member: member[2])[:n_kept]


def settled(population, offspring):
    """The population after each child has met the parent most like it, and the best of a niche its parent."""
    parents = [[float(gene) for gene in member[0]] for member in population]
    niches = [[] for _ in population]
    for child_ in offspring:
        gaps = [sum((float(g) - p) ** 2 for g, p in zip(child_[0], parent)) for parent in parents]
        niches[gaps.index(min(gaps))].append(child_)
    new = []
    for member, niche in zip(population, niches):
        heir = min(niche, key=lambda one: one[2]) if niche else member
        new.append(heir if heir[2] <= member[2] else member)
    return new


def evolve(values, views, owners, weights, groups, linear, n_evaluations, seed, niching=False):
    """The best genome of a (20 + 200)-ES and the loss of the best after each generation; with niches all 20, and their losses."""
    p, m = len(values), len(views)
    n_columns = max([p, *[owner + 1 for owner in owners]])
    length = n_columns + m + (0 if linear else p)
    size = (length // 32 + 1) * 32
    stream = Stream(seed)
    tau, tau_common = F(1 / np.sqrt(2 * np.sqrt(length))), F(1 / np.sqrt(2.0 * length))

    def loss(genes):
        return lost_pairs(hypothesis(genes, values, views, owners, linear), weights, groups)

    population = []
    for _ in range(20):
        words = stream.words(2 * size + 32)
        genes = [F(words[k] >> 8) * F(2.0**-24) for k in range(length)]
        population.append((genes, [F(0.025 if linear else 0.05)] * length, loss(genes)))
    population = population if niching else best(population, 20)
    used, curve = 20, [min(member[2] for member in population)]
    while used + 200 <= n_evaluations and (max(m[2] for m in population) if niching else curve[-1]) > 0:
        offspring = []
        for _ in range(200):
            words = stream.words(2 * size + 32)
            mother, father = population[words[0] * 20 >> 32], population[words[1] * 20 >> 32]
            crossed = words[2] < 2576980378  # 0.6 of 2^32
            genes, steps = child(
                mother, father, crossed, (words[32 : 32 + size], words[32 + size :]), tau, tau_common
            )
            offspring.append((genes, steps, loss(genes)))
        population = settled(population, offspring) if niching else best(offspring + population, 20)
        used += 200
        curve.append(min(member[2] for member in population))
    if niching:
        return [member[0] for member in population], [member[2] for member in population], curve
    return population[0][0], curve
