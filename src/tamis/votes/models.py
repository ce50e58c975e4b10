"""The criterion of sets of columns with any weak learner: Z of AdaBoost over scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from tamis._parameters import n_workers
from tamis.table._table import Table
from tamis.votes._kernels.voting import TIE, one_round
from tamis.votes.bounds import least_z
from tamis.votes.criterion import Paths, TwoClassProblems, mean_path, stacked

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

LEARNERS = {"stump": 1, "tree": 3}
"""Weak learners by name: decision trees of so many levels."""


def weak_learner(who: str, given: Any, table: Table) -> Any:
    """Return the classifier that was named or given; refuse what is none, and gaps that it does not take."""
    if isinstance(given, str):
        return DecisionTreeClassifier(max_depth=LEARNERS[given], random_state=0)
    if not is_classifier(given):
        raise TypeError(
            f"{who}: estimator={given} is no classifier. Use one, such as DecisionTreeClassifier(max_depth=1)."
        )
    gaps = np.isnan(table.values).any(axis=0) & ~table.nominal
    if gaps.any() and not get_tags(given).input_tags.allow_nan:
        raise ValueError(
            f"{who}: estimator={given} takes no missing values, and {int(gaps.sum())} numeric columns of X have some. Fill "
            "them in, use a learner that takes them ('stump', 'tree'), or leave estimator out."
        )
    return given


def indicators(values: FloatArray, nominal: NDArray[np.bool_]) -> list[FloatArray]:
    """Return what a learner sees of each column: numbers as they are, a category as columns of 0 and 1, gaps as one of them.

    Of two categories one column says all.
    """
    seen = []
    for column, is_nominal in zip(values.T, nominal):
        if not is_nominal:
            seen.append(column[:, np.newaxis])
            continue
        found = np.unique(column)  # gaps are one value
        shown = found[1:] if len(found) == 2 else found
        seen.append(
            np.column_stack([np.isnan(column) if np.isnan(one) else column == one for one in shown]).astype(
                float
            )
        )
    return seen


class ModelVotes:
    """The criterion of sets of columns: Z of AdaBoost over a classifier that sees only these columns.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        The rows: categories as codes, missing values as NaN.
    nominal : ndarray of bool, shape (d,)
        Which columns are categorical.
    codes : ndarray of int, shape (n,)
        The label of each row, see `TwoClassProblems`.
    problems : TwoClassProblems
        What is boosted, and the weights of the labels.
    model : classifier
        The weak learner. It is fitted with D_t as sample weights if its ``fit`` takes them, else on n rows that are
        drawn with the probabilities D_t.
    criterion : str
        "z", or one of the criteria with D'.
    n_rounds : int
        T.
    by_sign : bool
        Whether a vote is the predicted class, not 2 p - 1 with the predicted probability p (where there is one).
    seed : int
        Decides draws, and the random states of the models, together with the columns of a set.
    n_jobs : int or None
        Threads or processes, as joblib is set; the values do not depend on it.
    """

    def __init__(
        self,
        values: FloatArray,
        nominal: NDArray[np.bool_],
        codes: IntArray,
        problems: TwoClassProblems,
        model: Any,
        *,
        criterion: str = "z",
        n_rounds: int = 50,
        by_sign: bool = False,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.seen = indicators(values, nominal)
        self.levels = [np.unique(column, return_inverse=True)[1] for column in values.T]
        self.codes, self.problems, self.model = codes, problems, model
        self.criterion, self.n_rounds, self.by_sign, self.seed = criterion, n_rounds, by_sign, seed
        self.weighted = has_fit_parameter(model, "sample_weight")
        self.n_jobs = n_jobs

    def extensions(self, columns: Iterable[int], candidates: Sequence[int]) -> Paths:
        """Return the criterion and Z' after 1..T rounds of a set plus one more column, (candidates, T) each."""
        held = tuple(columns)
        return self.subsets(held, [(*held, candidate) for candidate in candidates])

    def subsets(self, columns: Iterable[int], sets: Sequence[Iterable[int]]) -> Paths:
        """Return the same for several sets; `columns` does not matter."""
        keys = [tuple(sorted(chosen)) for chosen in sets]
        if n_workers(self.n_jobs) == 1 or len(keys) == 1:
            return stacked([self._paths(key) for key in keys])
        run = joblib.Parallel(n_jobs=self.n_jobs)
        return stacked(list(run(joblib.delayed(self._paths)(key) for key in keys)))

    def least(self, columns: Iterable[int], sets: Sequence[Iterable[int]]) -> list[float]:
        """Return bounds of the criterion of several sets from below."""
        primed = self.criterion in ("z_prime_minimised", "z_prime_literal")
        return [
            least_z(self._descriptions(chosen), self.codes, self.problems, primed=primed) for chosen in sets
        ]

    def _descriptions(self, columns: Iterable[int]) -> IntArray:
        """Return the number of each row's description over some columns."""
        number = np.zeros(len(self.codes), dtype=np.int64)
        for column in columns:
            levels = self.levels[column]
            number = np.unique(number * (levels.max() + 1) + levels, return_inverse=True)[1]
        return number

    def _paths(self, columns: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
        """Return the criterion after 1..T rounds, and Z', of one set."""
        X = np.column_stack([self.seen[column] for column in columns])
        descriptions = self._descriptions(columns)
        literal = self.criterion == "z_prime_literal"
        paths = np.ones((2, len(self.problems.signs), self.n_rounds))
        for number, (class_signs, class_start) in enumerate(zip(self.problems.signs, self.problems.start)):
            signs, start = class_signs[self.codes], class_start[self.codes]
            lead = np.bincount(descriptions, weights=signs)
            purity = (np.abs(lead) / np.bincount(descriptions))[descriptions]
            start = start * purity if literal else start
            if self.criterion == "z" or literal:
                purity = np.empty(0)
            random = np.random.default_rng([self.seed, number, *columns])
            if start.sum() > 0:
                paths[:, number] = self._boosted(X, signs, start / start.sum(), purity, random)
        path, path_prime = mean_path(paths[0]), mean_path(paths[1])
        if self.criterion == "z":
            return path, np.full(self.n_rounds, np.nan)
        return (path_prime if self.criterion == "z_prime_minimised" else path), path_prime

    def _boosted(
        self,
        X: FloatArray,
        signs: FloatArray,
        weights: FloatArray,
        purity: FloatArray,
        random: np.random.Generator,
    ) -> FloatArray:
        """Boost one problem; return Z and Z' after 1..T rounds, (2, T)."""
        n, found = len(signs), np.ones((2, self.n_rounds))
        count, margins, parts, sums = np.ones(n), np.empty(n), np.empty(n), np.ones((2, n))
        z = np.ones(2)
        for t in range(self.n_rounds):
            sums[0] = self._vote(X, signs, weights, random)
            _, *steps, goes_on = one_round(
                weights, signs, purity, count, sums, self.by_sign, TIE, margins, parts
            )
            z = z * steps
            found[:, t:] = z[:, np.newaxis]
            if not goes_on:
                break
        return found

    def _vote(
        self, X: FloatArray, signs: FloatArray, weights: FloatArray, random: np.random.Generator
    ) -> FloatArray:
        """Fit the weak learner to the present weights; return its vote on every row, from -1 to 1."""
        model, n, labels = clone(self.model), len(signs), (signs > 0).astype(np.int64)
        seeds = {name: int(random.integers(2**31)) for name in sorted(model.get_params()) if _is_seed(name)}
        model.set_params(**seeds)
        if self.weighted:
            model.fit(X, labels, sample_weight=weights * n)
        else:
            rows = random.choice(n, size=n, p=weights / weights.sum())
            if labels[rows].min() == labels[rows].max():  # nothing to learn: the one class that was drawn
                return np.full(n, signs[rows[0]])
            model.fit(X[rows], labels[rows])
        if self.by_sign or not hasattr(model, "predict_proba"):
            predicted: FloatArray = 2.0 * np.asarray(model.predict(X), dtype=np.float64) - 1.0
            return predicted
        vote: FloatArray = 2.0 * model.predict_proba(X)[:, 1] - 1.0
        return vote


def _is_seed(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")
