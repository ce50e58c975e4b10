"""Small labelled tables, and settings of the boosted votes, drawn by seed."""

from typing import Any, NamedTuple

import numpy as np

from tamis.neighbors import MixedSpace
from tamis.votes.criterion import NeighborVotes, TwoClassProblems
from tests.neighbors.random_tables import mixed_table
from tests.oracles import fs2boost as oracle


class VoteProblem(NamedTuple):
    values: np.ndarray
    nominal: np.ndarray
    codes: np.ndarray
    settings: dict[str, Any]  # in the oracle's words

    @property
    def n_columns(self):
        return self.values.shape[1]

    def oracle(self, **changes):
        return oracle.Measure(self.values, self.nominal, self.codes, **{**self.settings, **changes})

    def engine(self, n_jobs=1, **changes):
        given = {**self.settings, **changes}
        counts = np.bincount(self.codes)
        worth = np.ones(len(counts)) if given["class_weight"] is None else np.array(given["class_weight"])
        return NeighborVotes(
            MixedSpace.fit(self.values, self.nominal, given["metric"]).scaled(self.values).coordinates,
            self.codes,
            TwoClassProblems.of(counts, worth, even=given["even"]),
            criterion=given["criterion"],
            n_neighbors=min(given["n_neighbors"], len(self.codes) - 1),
            n_rounds=given["n_rounds"],
            squared=given["metric"] == "l2",
            lowest=given["ties"] == "lowest",
            by_sign=given["vote"] == "sign",
            n_jobs=n_jobs,
        )


def vote_problem(seed, n_max=40, d_max=7):
    """A mixed table with two to six classes, and every setting drawn; the defaults are as likely as all others."""
    rng = np.random.default_rng(1000 + seed)
    values, _, nominal = mixed_table(seed, n_max, d_max)
    while len(values) < 3:
        values = np.concatenate([values, values])
    n_classes = int(rng.choice([2, 3, 4, 6], p=[0.55, 0.2, 0.15, 0.1]))
    codes = rng.integers(0, n_classes, len(values))
    first = values[:, rng.integers(values.shape[1])]
    codes = np.where(rng.random(len(values)) < 0.6, np.nan_to_num(first > np.nanmean([0.1, *first])), codes)
    codes[:2] = 0, 1
    codes = np.unique(codes, return_inverse=True)[1]
    settings = {
        "criterion": str(rng.choice(["z", "z_prime", "z_prime_literal", "z_prime_minimised", "accuracy"])),
        "n_neighbors": int(rng.integers(1, 10)),
        "n_rounds": int(rng.integers(1, 12)),
        "ties": str(rng.choice(["all", "lowest"], p=[0.7, 0.3])),
        "vote": str(rng.choice(["confidence", "sign"], p=[0.7, 0.3])),
        "metric": str(rng.choice(["l1", "l2"], p=[0.7, 0.3])),
        "class_weight": None if rng.random() < 0.6 else list(rng.random(codes.max() + 1) + 0.1),
        "even": bool(rng.random() < 0.5),
    }
    return VoteProblem(values, nominal, codes, settings)
