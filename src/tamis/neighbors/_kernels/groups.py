"""Loops over lists of neighbouring groups (``ties="all"``): the radius of a list, what it holds, its sums."""

import numpy as np
import numpy.typing as npt

from tamis._jit import kernel

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@kernel
def radii_of_lists(
    distances: IntArray, counts: IntArray, own_groups: IntArray, n_neighbors: int
) -> tuple[IntArray, IntArray]:
    """Find, for each list, the smallest radius that holds `n_neighbors` rows, and how many groups it holds.

    distances is (lists, groups) int64; counts the number of rows in each group; own_groups[i] the group of the
    rows that list i is for, or -1: there, each of them finds one row fewer, not itself. A group without rows to
    find is not in the list.
    """
    radii = np.empty(distances.shape[0], dtype=np.int64)
    sizes = np.zeros(distances.shape[0], dtype=np.int64)
    nearest = np.empty(n_neighbors + 1, dtype=np.int64)  # distances of the nearest groups, ascending
    n_rows = np.empty(n_neighbors + 1, dtype=np.int64)  # rows to find in each of them
    for i in range(distances.shape[0]):
        length = 0
        radius = np.iinfo(np.int64).max
        for group in range(distances.shape[1]):
            count = counts[group] - (group == own_groups[i])
            if count == 0 or distances[i, group] >= radius:
                continue
            p = length
            while p > 0 and nearest[p - 1] > distances[i, group]:
                nearest[p] = nearest[p - 1]
                n_rows[p] = n_rows[p - 1]
                p -= 1
            nearest[p] = distances[i, group]
            n_rows[p] = count
            length += 1
            total = 0
            for p in range(length):  # cut the list where it holds enough rows
                total += n_rows[p]
                if total >= n_neighbors:
                    length = p + 1
                    radius = nearest[p]
                    break
        radii[i] = radius
        for group in range(distances.shape[1]):
            held = distances[i, group] <= radius and counts[group] - (group == own_groups[i]) > 0
            sizes[i] += held
    return radii, sizes


@kernel
def fill_lists(
    distances: IntArray,
    counts: IntArray,
    own_groups: IntArray,
    radii: IntArray,
    complement: npt.NDArray[np.bool_],
    indptr: IntArray,
    groups: npt.NDArray[np.int32],
) -> None:
    """Write the groups within radii[i] to groups[indptr[i]:indptr[i + 1]]; where complement[i], all the others."""
    for i in range(distances.shape[0]):
        end = indptr[i]
        for group in range(distances.shape[1]):
            held = distances[i, group] <= radii[i] and counts[group] - (group == own_groups[i]) > 0
            if held != complement[i]:
                groups[end] = group
                end += 1


@kernel
def sums_of_lists(
    indptr: IntArray, groups: npt.NDArray[np.int32], complement: npt.NDArray[np.bool_], totals: FloatArray
) -> FloatArray:
    """Sum the totals of the groups that each list stands for: (lists,) float64."""
    everything = totals.sum()
    sums = np.empty(indptr.shape[0] - 1)
    for i in range(sums.shape[0]):
        listed = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            listed += totals[groups[p]]
        sums[i] = everything - listed if complement[i] else listed
    return sums
