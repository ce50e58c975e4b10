"""Loops of AdaBoost over nearest-neighbour votes: T rounds over lists of neighbouring cells (`cells`).

Symbols
-------

======================  ============================================================================
D                       `weights`: D_t of one row of each cell, (problems, cells)
c                       `cells.size`: rows of each cell
y                       `signs`: +1 or -1, (problems, cells)
m                       y h, where h is the vote of the neighbours of a row
e                       1 - r_t = sum of c D (1 - m), which is 0 exactly when every neighbour is right
q                       `purity`: abs(n+ - n-) / (n+ + n-) of the cell's description (iFS2Boost's Delta / |x|)
======================  ============================================================================

Who calls whom
--------------
    boost -> _vote_sums, _vote_sums_by_four, one_round
    one_round -> _margins, _exponentials, _total
    vote_totals stands alone

Several two-class problems over the same lists are boosted together, up to four at a time: an entry of a list is then
read once for all of them. Arrays are processed element by element: whole-array expressions would take seconds to
compile. Cells are sorted by the length of their lists, which helps the processor's branch prediction. Sums run over
cells and over lists in their order, on one thread: the bits of Z depend on nothing else.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from tamis._jit import kernel

IntArray = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]

TIE = 1e-12  # a vote this close to 0 counts as 0, and so does an edge r_t if all rounds are needed
STILL = 1e-8  # an edge below this changes Z by less than 1e-16, and later edges are smaller: Z is final
LANES = 4


@kernel
def _vote_sums(cells: Any, signed: FloatArray, sums: FloatArray) -> None:
    """Sum the signed weights, and the weights, over the list of every cell: signed is (cells, 1), sums (1, 2, cells)."""
    p = np.uint64(0)
    for i in range(cells.length.shape[0]):
        lead, around = 0.0, 0.0
        for _ in range(cells.length[i]):
            weight = signed[cells.neighbors[p], 0]
            lead += weight
            around += abs(weight)
            p += np.uint64(1)
        sums[0, 0, i] = lead
        sums[0, 1, i] = around


@kernel
def _vote_sums_by_four(cells: Any, signed: FloatArray, sums: FloatArray) -> None:
    """Do the same for four problems: signed is (cells, 4), sums (4, 2, cells)."""
    p = np.uint64(0)
    for i in range(cells.length.shape[0]):
        lead_0, lead_1, lead_2, lead_3 = 0.0, 0.0, 0.0, 0.0
        around_0, around_1, around_2, around_3 = 0.0, 0.0, 0.0, 0.0
        for _ in range(cells.length[i]):
            v = cells.neighbors[p]
            p += np.uint64(1)
            lead_0 += signed[v, 0]
            lead_1 += signed[v, 1]
            lead_2 += signed[v, 2]
            lead_3 += signed[v, 3]
            around_0 += abs(signed[v, 0])
            around_1 += abs(signed[v, 1])
            around_2 += abs(signed[v, 2])
            around_3 += abs(signed[v, 3])
        sums[0, 0, i], sums[1, 0, i], sums[2, 0, i], sums[3, 0, i] = lead_0, lead_1, lead_2, lead_3
        sums[0, 1, i], sums[1, 1, i], sums[2, 1, i], sums[3, 1, i] = around_0, around_1, around_2, around_3


@kernel
def _margins(
    weights: FloatArray,
    signs: FloatArray,
    count: FloatArray,
    sums: FloatArray,
    by_sign: bool,
    margins: FloatArray,
) -> None:
    """Write m of every cell, the other rows of the cell included; 0 where the neighbours have no weight."""
    for i in range(weights.shape[0]):
        own = (count[i] - 1.0) * weights[i]
        around = sums[1, i] + own
        margins[i] = (signs[i] * sums[0, i] + own) / around if around > 0 else 0.0
    if by_sign:
        for i in range(weights.shape[0]):
            margins[i] = 0.0 if abs(margins[i]) <= TIE else np.sign(margins[i])


@kernel
def _total(values: FloatArray) -> float:
    """Sum in four interleaved parts: a fixed order in which the processor can overlap additions."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    n = values.shape[0]
    for i in range(0, n - n % 4, 4):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
    for i in range(n - n % 4, n):
        a += values[i]
    return (a + b) + (c + d)


@kernel
def _exponentials(margins: FloatArray, alpha: float, factors: FloatArray) -> None:
    """Write exp(-alpha m), abs(m) <= 1; for usual alpha by the Taylor polynomial of alpha / 2^s, squared s times."""
    if alpha > 4.0:
        for i in range(margins.shape[0]):
            factors[i] = np.exp(-alpha * margins[i])
        return
    if alpha < 0.004:
        for i in range(margins.shape[0]):
            x = -alpha * margins[i]
            factors[i] = 1.0 + x * (1.0 + x * (1 / 2 + x * (1 / 6 + x * (1 / 24 + x * (1 / 120)))))
        return
    part, squarings = alpha, 0
    while part > 0.125:
        part *= 0.5
        squarings += 1
    for i in range(margins.shape[0]):
        x = -part * margins[i]
        tail = 1 / 720 + x * (1 / 5040 + x * (1 / 40320 + x * (1 / 362880)))
        factors[i] = 1.0 + x * (1.0 + x * (1 / 2 + x * (1 / 6 + x * (1 / 24 + x * (1 / 120 + x * tail)))))
    for _ in range(squarings):
        for i in range(margins.shape[0]):
            factors[i] *= factors[i]


@kernel
def one_round(
    weights: FloatArray,
    signs: FloatArray,
    purity: FloatArray,
    count: FloatArray,
    sums: FloatArray,
    by_sign: bool,
    least_edge: float,
    margins: FloatArray,
    parts: FloatArray,
) -> tuple[float, float, float, bool]:
    """Run one round of one problem: write new weights; return alpha_t, Z_t, Z'_t, and whether boosting goes on.

    margins and parts are working space. When boosting stops, alpha_t and Z_t are 0 and 1; if every neighbour is right,
    they are the alpha of r_t = 1 - 1 / (2 n), and 0.
    """
    n_cells, n_rows, primed = weights.shape[0], count.sum(), purity.shape[0] > 0
    _margins(weights, signs, count, sums, by_sign, margins)
    for i in range(n_cells):
        parts[i] = count[i] * weights[i] * (1.0 - margins[i])
    loss = _total(parts)  # 1 - r_t, eq. (2)
    if loss == 0.0:
        return 0.5 * np.log(4.0 * n_rows - 1.0), 0.0, 0.0, False
    loss_prime, held_prime = loss, 1.0
    held = np.empty(purity.shape[0])
    if primed:
        for i in range(n_cells):
            held[i] = purity[i] * count[i] * weights[i]
        held_prime = _total(held)
        for i in range(n_cells):
            held[i] = purity[i] * parts[i]
        loss_prime = _total(held) / held_prime if held_prime > 0 else 1.0
    if 1.0 - loss <= least_edge or 1.0 - loss_prime <= least_edge:
        return 0.0, 1.0, 1.0, False
    if primed:
        loss_prime = max(loss_prime, 0.5 / n_rows)
    alpha = 0.5 * np.log((2.0 - loss_prime) / loss_prime)  # eq. (1)
    _exponentials(margins, alpha, parts)
    for i in range(n_cells):
        weights[i] *= parts[i]
        parts[i] = count[i] * weights[i]
    total = _total(parts)  # Z_t
    total_prime = total
    if primed:
        for i in range(n_cells):
            held[i] = purity[i] * parts[i]
        total_prime = _total(held) / held_prime
    scale = 1.0 / total
    for i in range(n_cells):
        weights[i] *= scale
    return alpha, total, total_prime, True


@kernel
def boost(
    cells: Any,
    class_signs: FloatArray,
    class_start: FloatArray,
    purity: FloatArray,
    literal: bool,
    n_rounds: int,
    by_sign: bool,
    keep: bool,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Run AdaBoost over the votes of neighbouring cells, for one two-class problem or for four.

    class_signs and class_start (problems, classes) are y and D_1 (of any scale) of a row of each class. purity is
    (problems, 0) for FS2Boost; otherwise it is q, and alpha comes from D'_t proportional to q D_t (iFS2Boost), or, if
    `literal`, only D_1 is multiplied by q. Returns Z and Z' after 1..n_rounds rounds (constant once boosting has
    stopped) and alpha_t (0 afterwards), all (problems, n_rounds), and, if `keep`, D_t of every round
    (problems, n_rounds, cells) and y F of every cell (problems, cells).
    """
    n_problems, n_cells, count = class_signs.shape[0], cells.size.shape[0], cells.size
    path, path_prime = np.ones((n_problems, n_rounds)), np.ones((n_problems, n_rounds))
    alphas = np.zeros((n_problems, n_rounds))
    used = np.zeros((n_problems, n_rounds if keep else 0, n_cells))
    leads = np.zeros((n_problems, n_cells))
    signed, sums = np.zeros((n_cells, n_problems)), np.empty((n_problems, 2, n_cells))
    margins, parts = np.empty(n_cells), np.empty(n_cells)
    signs, weights = np.empty((n_problems, n_cells)), np.empty((n_problems, n_cells))
    running = np.ones(n_problems, dtype=np.bool_)
    least_edge = TIE if keep or by_sign or (purity.shape[1] > 0 and not literal) else STILL
    for k in range(n_problems):
        for i in range(n_cells):
            signs[k, i] = class_signs[k, cells.label[i]]
            weights[k, i] = class_start[k, cells.label[i]] * (purity[k, i] if literal else 1.0)
            parts[i] = count[i] * weights[k, i]
        total = _total(parts)
        running[k] = total > 0  # if there is no weight, every description is balanced and Z = 1
        scale = 1.0 / total if running[k] else 0.0
        for i in range(n_cells):
            weights[k, i] *= scale
    for t in range(n_rounds):
        for k in range(n_problems if keep else 0):
            for i in range(n_cells):
                used[k, t, i] = weights[k, i]
        for i in range(n_cells):
            for k in range(n_problems):
                signed[i, k] = signs[k, i] * count[i] * weights[k, i]
        if n_problems == 1:
            _vote_sums(cells, signed, sums)
        else:
            _vote_sums_by_four(cells, signed, sums)
        for k in range(n_problems):
            z, z_prime = (path[k, t - 1], path_prime[k, t - 1]) if t > 0 else (1.0, 1.0)
            if running[k]:
                primed = purity[k, :0] if literal else purity[k]
                alphas[k, t], step, step_prime, running[k] = one_round(
                    weights[k], signs[k], primed, count, sums[k], by_sign, least_edge, margins, parts
                )
                z, z_prime = z * step, z_prime * step_prime
                if keep:
                    for i in range(n_cells):
                        leads[k, i] += alphas[k, t] * margins[i]
            path[k, t], path_prime[k, t] = z, z_prime
        n_running = 0
        for k in range(n_problems):
            n_running += running[k]
        if n_running == 0:
            for k in range(n_problems):
                for later in range(t + 1, n_rounds):
                    path[k, later], path_prime[k, later] = path[k, t], path_prime[k, t]
            break
    return path, path_prime, alphas, used, leads


@kernel
def vote_totals(
    indptr: IntArray,
    units: Int32Array,
    leads: FloatArray,
    weights: FloatArray,
    alphas: FloatArray,
    by_sign: bool,
) -> FloatArray:
    """Return F of every list of one problem: the sum over rounds of alpha_t times the listed units' vote.

    leads and weights (units, rounds) are the signed and the plain weight of each unit in each round.
    """
    n_rounds = alphas.shape[0]
    scores = np.zeros(indptr.shape[0] - 1)
    lead, around = np.empty(n_rounds), np.empty(n_rounds)
    for i in range(scores.shape[0]):
        lead[:] = 0.0
        around[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            for t in range(n_rounds):
                lead[t] += leads[units[p], t]
                around[t] += weights[units[p], t]
        for t in range(n_rounds):
            vote = lead[t] / around[t] if around[t] > 0 else 0.0
            if by_sign:
                vote = 0.0 if abs(vote) <= TIE else np.sign(vote)
            scores[i] += alphas[t] * vote
    return scores
