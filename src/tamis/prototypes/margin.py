"""MarginPrototypes: the rows whose 1-NN rule has the widest margins, found by swaps."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from tamis._callbacks import CallbackSupportMixin
from tamis._memory import Memory
from tamis._parameters import JOBS, SEED, n_workers, number, share_of, whole
from tamis._progress import Progress
from tamis._threads import Team, one_blas_thread
from tamis.prototypes._base import COUNT, WeighedSelector
from tamis.prototypes._condense import hart_store
from tamis.prototypes._margin import CACHED_ROWS, new_account, swapped
from tamis.prototypes._quota import class_quotas
from tamis.prototypes._weights import loss_weights
from tamis.table._table import Table, Target

STEEPEST = 500.0
"""The largest beta: beyond, the loss of a misclassified row would overflow."""

MOST_ROWS = 1 << 26
"""The most rows: a row's loss is 2 at most, and losses are summed in int64 as multiples of 2**-32."""


class MarginPrototypes(CallbackSupportMixin, WeighedSelector):
    """Keep the rows whose nearest-neighbour rule has the widest margins on all rows, found by swaps.

    Let a and b be the distances from a row to the nearest kept row of its own class and of another class, itself left
    out. Its margin is mu = (b - a) / (b + a); the kept rows classify it correctly where mu > 0. The search makes the
    sum of the losses 1 / (1 + exp(beta mu)) over all rows small. It tries one candidate after the other in the place of
    the kept row that can best be spared, and makes the swap if the sum falls: first with a small beta, for which
    distant rows matter too, then with larger ones, for which the loss is close to the number of misclassified rows.

    Parameters
    ----------
    n_prototypes : int, float or "condensed", default=0.2
        How many rows to keep: a number, a fraction of the rows, or as many as `CondensedNN` keeps.
    betas : sequence of float, default=(4, 8, 16, 32)
        How steep the loss is: the values in the order in which they are used, each above 0 and up to 500.
    max_passes : int, default=10
        The largest number of passes over the candidates for each beta; a pass without swaps is the last.
    n_candidates : int, float or None, default=None
        How many rows are candidates in a pass, a number or a fraction of the rows, drawn anew for every pass. None:
        all rows, for which the time grows with the square of their number. Set it for tables with many rows: of
        60,000 rows, a pass with ``n_candidates=2000`` takes 30 times less. The search is then less thorough, and
        keeps other rows.
    class_weight : None, "balanced" or dict, default=None
        The weight of a row's loss: 1, (n / (n_classes n_class))**(1/2), or what the dict gives for its class (1 for
        classes it does not name). On uneven classes "balanced" improves balanced accuracy at the cost of some accuracy.
    self_credit : float, default=0.4
        The fraction of its own loss, from 0 to 1, that does not count while a row is kept: a kept row is its own
        nearest neighbour.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    random_state : int, RandomState instance or None, default=None
        Seed of the rows to start from and of the order of the candidates.
    n_jobs : int or None, default=None
        Threads, used beyond 4,096 rows. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress is shown on stderr, pass by pass: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The kept rows, ascending.
    start_indices_ : ndarray of int
        The rows from which the search started, ascending.
    history_ : dict of arrays, one entry per swap
        ``beta`` and ``pass`` (from 1) of the swap, the row ``removed`` and the row ``added``, and ``loss`` after it,
        summed over the rows.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    The margin is -1 where no other row of the same class is kept, 1 where no row of another class is kept, and 0 where
    both hold or both distances are 0. The search starts from random rows, each class having its share of them; swaps
    may change the shares. If several kept rows can be spared equally well, the lowest is replaced. A swap must lower
    the loss by more than 1e-9 of it.

    The distance is the square root of that of `CondensedNN`, so that categorical columns and missing values are
    allowed. Losses are rounded to multiples of 2**-32, so that sums are exact in any order.

    The search remembers, for every row, the two nearest kept rows of its class and the two of other classes, and for
    every kept row how much the loss would rise without it. A candidate then costs its distances to all rows, O(n d),
    and a small multiple of n / m for m kept rows; a swap costs a few times as much. A pass tries n candidates:
    O(n**2 d). Memory: up to 4,096 rows (and 2,047 columns) all distances are stored, 64 MB at most. Beyond that, with more
    than a few columns, float32 products bound the distances, and what can matter is measured; the swaps are the same.
    Memory is then two and a half copies of the table, some 130 bytes per row, 4 MB of products, and 140 bytes more per
    row and thread.

    Examples
    --------
    >>> from tamis import MarginPrototypes
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> y = ["a", "a", "a", "b", "b", "b"]
    >>> selector = MarginPrototypes(2, random_state=0).fit(X, y)
    >>> selector.sample_indices_
    array([1, 4])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_prototypes": [*COUNT, StrOptions({"condensed"})],
        "betas": ["array-like"],
        "max_passes": [whole(0)],
        "n_candidates": [COUNT[0], whole(1), None],
        "class_weight": [None, StrOptions({"balanced"}), dict],
        "self_credit": [number(0, 1, closed="both")],
        **WeighedSelector._parameter_constraints,
        "random_state": SEED,
        "n_jobs": JOBS,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_prototypes: int | float | str = 0.2,
        *,
        betas: Any = (4, 8, 16, 32),
        max_passes: int = 10,
        n_candidates: int | float | None = None,
        class_weight: dict[Any, float] | str | None = None,
        self_credit: float = 0.4,
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.betas = betas
        self.max_passes = max_passes
        self.n_candidates = n_candidates
        self.class_weight = class_weight
        self.self_credit = self_credit
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _rows(self, table: Table, target: Target, sample_weight: ArrayLike | None = None) -> NDArray[np.intp]:
        n_rows = table.n_rows
        betas = self._checked_betas()
        if n_rows > MOST_ROWS:
            raise ValueError(
                f"{type(self).__name__}: X has {n_rows} rows, but the limit is {MOST_ROWS}. Use parts of them."
            )
        weights, scale = loss_weights(self, target, self.class_weight, sample_weight)
        tried = n_rows if self.n_candidates is None else min(n_rows, share_of(self.n_candidates, n_rows))
        random = check_random_state(self.random_state)
        start = self._start(self._size(table, target), target, random)
        n_threads = 1 if n_rows <= CACHED_ROWS else n_workers(self.n_jobs)
        history: dict[str, list[Any]] = {name: [] for name in ("beta", "pass", "removed", "added", "loss")}
        progress = Progress(self, "passes", None, rests="the rows found so far are kept")
        with progress, Team(n_threads) as team, one_blas_thread():
            account, products = new_account(
                table, target, start, np.stack([weights, weights * (1.0 - self.self_credit)]), team
            )
            max_passes = self.max_passes if len(start) < n_rows else 0
            passes = swapped(
                account,
                products,
                betas,
                max_passes,
                lambda: random.permutation(n_rows)[:tried],
                team,
                history,
                Memory.of(self, table, target, weights=None if sample_weight is None else weights),
            )
            for beta, number, n_swaps, loss in passes:
                progress(what=f"beta {beta:g}, pass {number}: {n_swaps} swaps, loss {loss * scale:.6g}")
        self.start_indices_ = start
        history["loss"] = [loss * scale for loss in history["loss"]]
        kinds = {"beta": np.float64, "loss": np.float64}
        self.history_ = {
            name: np.array(values, dtype=kinds.get(name, np.int64)) for name, values in history.items()
        }
        kept = dict.fromkeys(start.tolist())
        for removed, added in zip(history["removed"], history["added"]):
            del kept[removed]
            kept[added] = None
        return np.array(list(kept), dtype=np.intp)

    def _size(self, table: Table, target: Target) -> int:
        """Return how many rows an int, a fraction or "condensed" means."""
        if isinstance(self.n_prototypes, str):
            return len(hart_store(table, target, None, self.n_jobs).store)
        return self._count(self.n_prototypes, table.n_rows)

    @staticmethod
    def _start(size: int, target: Target, random: np.random.RandomState) -> NDArray[np.intp]:
        """Return random rows, each class having its share, ascending."""
        quotas = class_quotas("MarginPrototypes", target, size, "proportional")
        order = random.permutation(len(target.codes))
        codes = target.codes[order]
        chosen = [order[codes == code][:quota] for code, quota in enumerate(quotas)]
        start: NDArray[np.intp] = np.sort(np.concatenate(chosen))
        return start

    def _checked_betas(self) -> list[float]:
        who = type(self).__name__
        try:
            betas = [float(beta) for beta in self.betas]
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"{who}: betas={self.betas!r} are not all numbers. Use, say, (4, 8, 16, 32)."
            ) from None
        if not betas or not all(0 < beta <= STEEPEST for beta in betas):
            raise ValueError(
                f"{who}: betas={self.betas!r}, but there must be at least one, each above 0 and up to "
                f"{STEEPEST:g}. Use, say, (4, 8, 16, 32)."
            )
        return betas
