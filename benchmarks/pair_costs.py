"""What `interactions` cost where there are none, and gain where there are: part "costs" of benchmarks/pairs.py.

On tables that ship with tamis, five folds: the accuracy on rows held out of StumpAdaBoost with and without pairs, and of plain
StumpAdaBoost on the best quarter of the columns, ranked by SBSMF with and without pairs. The first tables are ordinary; the
classes of the last three follow pairs of columns by their rules.
"""

from __future__ import annotations

import time

import numpy as np
from column_tables import table
from sklearn.model_selection import StratifiedKFold

import tamis

ORDINARY = (
    "breast_w", "credit_crx", "german", "glass2", "heart_cleveland", "horse_colic", "house_votes", "ionosphere",
    "musk1", "pima", "vehicle",
)  # fmt: skip
WITH_PAIRS = ("monks1", "monks2", "tic_tac_toe")
N_PAIRS = (0, 10, 30)


def costs(kept, rankers):
    """Accuracy and seconds for each table and number of pairs."""
    for name in ORDINARY + WITH_PAIRS:
        for n_pairs in N_PAIRS:
            kept.enter(["costs", name, n_pairs], _measured, name, n_pairs)


def _measured(name, n_pairs):
    X, nominal, y = table(name)
    right = {"boosted": [], "ranked": []}
    seconds = 0.0
    tamis.StumpAdaBoost(2, interactions=n_pairs, categorical_features=nominal).fit(X[::9], y[::9])  # compile
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        start = time.process_time()
        model = tamis.StumpAdaBoost(interactions=n_pairs, categorical_features=nominal).fit(
            X[train], y[train]
        )
        seconds += time.process_time() - start
        right["boosted"].append(model.score(X[test], y[test]))
        ranked = tamis.SBSMF(0.25, interactions=n_pairs, categorical_features=nominal).fit(X[train], y[train])
        few = ranked.support_
        plain = tamis.StumpAdaBoost(categorical_features=nominal[few]).fit(X[train][:, few], y[train])
        right["ranked"].append(plain.score(X[test][:, few], y[test]))
    return {kind: round(float(np.mean(found)), 4) for kind, found in right.items()} | {
        "seconds": round(seconds / 5, 3)
    }


def cost_lines(found, make_table):
    """The section of the page."""
    names = [name for name in ORDINARY + WITH_PAIRS if (name, N_PAIRS[-1]) in found["costs"]]
    if len(names) < 2:
        return []
    rows = []
    for name in names:
        here = [found["costs"][name, n] for n in N_PAIRS]
        rows.append(
            [
                name,
                *(f"{100 * e[kind]:.1f}" for kind in ("boosted", "ranked") for e in here),
                *(f"{e['seconds']:.2f}" for e in here),
            ]
        )
    ordinary = [name for name in names if name in ORDINARY]
    lines = [
        "## What `interactions` cost: accuracy in percent on rows held out, five folds",
        "",
        "StumpAdaBoost of 100 rounds with so many pairs; then without pairs, on the best quarter of the columns by SBSMF with so many;",
        "processor seconds of one fit of the first. The classes of the last tables follow pairs of columns.",
        "",
        *make_table(["table", *(f"{kind}, {n}" for kind in ("boosted", "best quarter", "seconds") for n in N_PAIRS)], rows),
    ]  # fmt: skip
    for kind, what in (("boosted", "StumpAdaBoost"), ("ranked", "the best quarter by SBSMF")):
        for n in N_PAIRS[1:]:
            gains = np.array(
                [100 * (found["costs"][t, n][kind] - found["costs"][t, 0][kind]) for t in ordinary]
            )
            error = gains.std(ddof=1) / np.sqrt(len(gains))
            lines.append(f"- {what}, {n} pairs over none, {len(gains)} ordinary tables: {gains.mean():+.2f} points (standard error {error:.2f}).")  # fmt: skip
    return [*lines, ""]
