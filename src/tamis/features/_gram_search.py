"""The search of `GramSchmidt`: which column comes next, and what is left of all others when it is projected out.

By the views themselves, or by their scalar products alone, which is all that projections need: for many rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincc

from tamis.features._double_doubles import Double, minus, over, plus, times
from tamis.features._gram_products import Kinds

Float = NDArray[np.float64]
Ints = NDArray[np.intp]
_SPENT = 1e-8  # a vector shorter than this fraction of its first length counts as 0


class Search(ABC):
    """Views and targets, from which the directions of the chosen columns are projected out.

    Parameters
    ----------
    owners : ndarray of int, shape (m,)
        The column of each view.
    signed : bool
        Whether only a positive cosine counts.
    dimension : float
        The dimension of the space.
    """

    def __init__(self, owners: Ints, signed: bool, dimension: float) -> None:
        self.owners, self.signed, self.dimension = owners, signed, dimension
        self.first, self.first_targets = self.lengths(), self.target_lengths()

    @abstractmethod
    def lengths(self) -> Float:
        """What is left of the views, (m,)."""

    @abstractmethod
    def target_lengths(self) -> Float:
        """What is left of the targets, (t,)."""

    @abstractmethod
    def products(self) -> Float:
        """The scalar products of targets and views, (t, m)."""

    @abstractmethod
    def project(self, view: int) -> None:
        """Project everything onto the space orthogonal to a view."""

    def scores(self, n_columns: int, nothing: float) -> Float:
        """Return the score of each column, the best over views and targets; `nothing` where all its views are 0."""
        lengths = self.lengths()
        alive = lengths > _SPENT * self.first
        products = self.products()
        best = (products if self.signed else np.abs(products)).max(axis=0)
        scores = np.full(n_columns, -np.inf)
        np.maximum.at(scores, self.owners[alive], best[alive] / lengths[alive])
        return np.where(scores == -np.inf, nothing, scores)

    def explained(self) -> bool:
        """Return whether the targets are 0: nothing is left to explain."""
        return bool((self.target_lengths() <= _SPENT * self.first_targets).all())

    def chance(self, column: int, score: float) -> float:
        """Return the probability that a random column, with as many views as this one, has a larger score."""
        cosine = min(1.0, abs(score) / self.target_lengths().max())
        if self.dimension <= 1:
            return 1.0
        beyond = float(betaincc(0.5, (self.dimension - 1) / 2, cosine**2))
        if self.signed:
            beyond = beyond / 2 if score > 0 else 1 - beyond / 2
        tries = np.count_nonzero(self.owners == column) * len(self.first_targets)
        return float(1 - (1 - beyond) ** tries)

    def remove(self, column: int) -> None:
        """Project everything onto the space orthogonal to the views of a column."""
        for view in np.flatnonzero(self.owners == column):
            if self.lengths()[view] > _SPENT * self.first[view]:
                self.project(int(view))
                self.dimension -= 1


class VectorSearch(Search):
    """By the views (m, n) and the targets (t, n) themselves."""

    def __init__(self, vectors: Float, targets: Float, owners: Ints, signed: bool, dimension: float) -> None:
        self.vectors, self.targets = vectors, targets
        super().__init__(owners, signed, dimension)

    def lengths(self) -> Float:
        """What is left of the views."""
        return _lengths(self.vectors)

    def target_lengths(self) -> Float:
        """What is left of the targets."""
        return _lengths(self.targets)

    def products(self) -> Float:
        """The scalar products of targets and views."""
        return np.stack([np.einsum("kn,n->k", self.vectors, target) for target in self.targets])

    def project(self, view: int) -> None:
        """Project onto the space orthogonal to a view."""
        direction = self.vectors[view] / _lengths(self.vectors[view : view + 1])[0]
        for vectors in (self.vectors, self.targets):
            vectors -= np.einsum("kn,n->k", vectors, direction)[:, None] * direction


class ProductSearch(Search):
    """By the scalar products (t + m, t + m) of targets and views.

    In twice the precision of floats: what is left of a vector is a difference of squares, of which 1e-16 still counts.
    """

    def __init__(self, inner: Double, n_targets: int, owners: Ints, signed: bool, dimension: float) -> None:
        self.inner, self.n_targets = inner, n_targets
        super().__init__(owners, signed, dimension)

    def lengths(self) -> Float:
        """What is left of the views."""
        return self._roots()[self.n_targets :]

    def target_lengths(self) -> Float:
        """What is left of the targets."""
        return self._roots()[: self.n_targets]

    def products(self) -> Float:
        """The scalar products of targets and views."""
        return self.inner.hi[: self.n_targets, self.n_targets :]

    def project(self, view: int) -> None:
        """Project onto the space orthogonal to a view."""
        self.inner = without(self.inner, self.n_targets + view)

    def _roots(self) -> Float:
        roots: Float = np.sqrt(np.maximum(np.diagonal(self.inner.hi), 0.0))
        return roots


def _lengths(vectors: Float) -> Float:
    lengths: Float = np.sqrt(np.einsum("kn,kn->k", vectors, vectors))
    return lengths


def without(inner: Double, one: int) -> Double:
    """The scalar products of what is left when everything is projected onto the space orthogonal to one vector."""
    column = inner.at(slice(None), one)
    share = over(column, inner.at(one, one))
    return minus(
        inner, times(Double(*(part[:, None] for part in share)), Double(*(part[None] for part in column)))
    )


def inner_products(
    inner: Double, kinds: Kinds, n_targets: int, *, numeric: bool, centered: bool
) -> tuple[Double, Ints]:
    """The scalar products of targets and views, and the owners of the views, from those of `vectors_of`.

    A class is 1 or -1, numbers have mean 0 and variance 1; missing numbers are at the mean of the known.
    """
    inner, weight = Double(inner.hi.copy(), inner.lo.copy()), inner.at(0, 0)
    for target in range(1, 1 + n_targets):
        if numeric:
            mean = over(inner.at(target, 0), weight)
            _add(inner, target, 0, Double(-mean.hi, -mean.lo))
            _stretch(inner, target, float(np.sqrt(weight.hi / inner.hi[target, target])))
        else:
            _stretch(inner, target, 2.0)
            _add(inner, target, 0, _one(-1.0))
    views, owners = list[int](), list[int]()
    place = 1 + n_targets
    for column, levels in enumerate(kinds.levels):
        own = [*range(place, place + (len(levels) if kinds.nominal[column] else 1))]
        missing = [place + len(own)] * bool(kinds.gaps[column])
        place += len(own) + len(missing)
        kept = [view for view in (*own, *missing) if inner.hi[view, 0] < weight.hi]  # no view of all rows
        if not kinds.nominal[column]:
            _complete(inner, own[0], missing, kinds.middle[column], kinds.half[column], centered)
            kept = own * bool(kinds.half[column] > 0) + [view for view in missing if view in kept]
        views += kept
        owners += [column] * len(kept)
    wanted = [*range(1, 1 + n_targets), *views]
    left = without(inner, 0) if centered else inner
    return left.at(*np.ix_(wanted, wanted)), np.array(owners, dtype=np.intp)


def _complete(
    inner: Double, view: int, missing: list[int], middle: float, half: float, centered: bool
) -> None:
    """Put the missing values of a numeric view at the mean of the known ones, and move it back where that matters."""
    for gaps in missing:
        known = minus(inner.at(0, 0), inner.at(gaps, 0))
        if known.hi > 0:
            _add(inner, view, gaps, over(inner.at(view, 0), known))
    if not centered and half > 0:
        _add(inner, view, 0, _one(middle / half))


def _one(number: float) -> Double:
    return Double(np.asarray(number), np.asarray(0.0))


def _add(inner: Double, one: int, other: int, factor: Double) -> None:
    """Add a multiple of another vector to one."""
    inner.put(one, plus(inner.at(one), times(factor, inner.at(other))))
    row = slice(None)
    inner.put((row, one), plus(inner.at(row, one), times(factor, inner.at(row, other))))


def _stretch(inner: Double, one: int, factor: float) -> None:
    """Multiply one vector."""
    inner.put(one, times(_one(factor), inner.at(one)))
    inner.put((slice(None), one), times(_one(factor), inner.at(slice(None), one)))
