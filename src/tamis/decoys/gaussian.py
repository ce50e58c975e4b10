"""Decoys of normal variables: how far from the originals they may be, and how they are drawn.

With R the correlations of the variables and S = diag(s), the variables and m decoys of each are normal with the correlation R between
any two of different variables, and R - S between a variable and its decoy, or two of its decoys. This is possible if
(m + 1) R - m S has no negative eigenvalue. Variables that share a verdict may have a full block in S, so that their decoys are
further away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.covariance import ledoit_wolf_shrinkage

Float = NDArray[np.float64]

_LEAST_SHRINKAGE = 1e-3
_SWEEPS, _ENOUGH = 30, 1e-4


def correlation(scores: Float) -> Float:
    """Correlations of the columns, shrunk towards none as far as Ledoit and Wolf say; shape (p, p)."""
    centred = scores - scores.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where(lengths > 0, lengths, 1.0)
    shrinkage = ledoit_wolf_shrinkage(unit * np.sqrt(len(unit)), assume_centered=True)
    shrinkage = float(np.clip(shrinkage, _LEAST_SHRINKAGE, 1.0))
    shrunk: Float = (1 - shrinkage) * (unit.T @ unit)
    np.fill_diagonal(shrunk, 1.0)
    return shrunk


def distances(related: Float, n_decoys: int, how: str) -> Float:
    """The s of each variable; shape (p,).

    Parameters
    ----------
    related : ndarray, shape (p, p)
        Correlations, without an eigenvalue of 0.
    n_decoys : int
        How many decoys of each variable stand beside it.
    how : {"equicorrelated", "minimum_variance"}
        All equal and as large as can be; or such that the inverse of the correlations of variables and decoys has the smallest trace
        (Spector and Janson's minimum variance-based reconstructability), found coordinate by coordinate.
    """
    least = float(np.linalg.eigvalsh(related)[0])
    most = (n_decoys + 1) / n_decoys * max(least, 0.0)
    if how == "equicorrelated":
        return np.full(len(related), min(1.0, most) * (1 - 1e-9))
    s = np.full(len(related), min(1.0, most) * 0.9)
    for _ in range(_SWEEPS):
        before = s.copy()
        inverse = np.linalg.inv((n_decoys + 1) * related - n_decoys * np.diag(s))
        for j in range(len(s)):
            column = inverse[j].copy()
            length, own = float(np.sqrt(column @ column)), float(column[j])
            change = (1 - length * s[j]) / (n_decoys * own + length)
            s[j] += change
            inverse += (n_decoys * change / (1 - n_decoys * change * own)) * np.outer(column, column)
        if np.abs(s - before).max() < _ENOUGH:
            break
    return s


class Draws:
    """Decoys of rows of normal variables.

    Variables of one group share a verdict, so decoys of one need not be told from the others of its group: with the variables of
    each group made independent of each other, S is diagonal there, and any block of S may be full here.

    Parameters
    ----------
    related : ndarray, shape (p, p)
        Correlations of the variables.
    n_decoys : int
        How many decoys of each variable.
    how : {"equicorrelated", "minimum_variance"}
        As in `distances`.
    groups : ndarray of int, shape (p,)
        The group of each variable.

    Attributes
    ----------
    spread : ndarray, shape (p, p)
        The matrix S.
    """

    def __init__(self, related: Float, n_decoys: int, how: str, groups: NDArray[np.intp]) -> None:
        self.n_decoys, self.mixing = n_decoys, None
        apart = related
        if len(np.unique(groups)) < len(groups):
            self.mixing, unmixing = _mixing(related, groups)
            apart = unmixing @ related @ unmixing
            apart = (apart + apart.T) / 2
        s = distances(apart, n_decoys, how)
        self.deviations = np.sqrt(s)
        self.spread = np.diag(s) if self.mixing is None else (self.mixing * s) @ self.mixing
        self.pull = np.linalg.solve(related, self.spread)
        common = (n_decoys + 1) * self.spread - n_decoys * self.spread @ self.pull
        values, vectors = np.linalg.eigh((common + common.T) / 2)
        self.root = (vectors * np.sqrt(np.maximum(values, 0.0) / n_decoys)) @ vectors.T

    def drawn(self, scores: Float, random: np.random.RandomState) -> Float:
        """Decoys of all rows; shape (n_decoys, n, p)."""
        mean = scores - scores @ self.pull + random.normal(size=scores.shape) @ self.root
        own = random.normal(size=(self.n_decoys, *scores.shape))
        own -= own.mean(axis=0)
        own *= self.deviations
        decoys: Float = mean + (own if self.mixing is None else own @ self.mixing)
        return decoys


def _mixing(related: Float, groups: NDArray[np.intp]) -> tuple[Float, Float]:
    """The symmetric roots of the correlations inside the groups, and their inverses; shape (p, p) each."""
    mixing, unmixing = np.eye(len(related)), np.eye(len(related))
    for group in np.flatnonzero(np.bincount(groups) > 1):
        here = np.ix_(groups == group, groups == group)
        values, vectors = np.linalg.eigh(related[here])
        roots = np.sqrt(np.maximum(values, _LEAST_SHRINKAGE))
        mixing[here] = (vectors * roots) @ vectors.T
        unmixing[here] = (vectors / roots) @ vectors.T
    return mixing, unmixing
