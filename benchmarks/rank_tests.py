"""Our tests between methods beside scikit-posthocs and autorank: the largest difference over random problems.

Usage: python benchmarks/rank_tests.py   (needs scikit-posthocs and autorank; writes benchmarks/results/rank_tests.json)
"""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import scikit_posthocs
from autorank import autorank

from tamis.study import friedman_nemenyi

RESULTS = Path(__file__).parent / "results" / "rank_tests.json"


def main() -> None:
    random = np.random.default_rng(0)
    pairs, ranks, distances = [], [], []
    for number in range(60):
        n, k = int(random.integers(5, 25)), int(random.integers(3, 9))
        scores = random.normal(size=(n, k)) + random.normal(size=k)
        if number % 2:
            scores = scores.round(1)  # ties
        ours = friedman_nemenyi(scores)
        theirs = scikit_posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
        pairs.append(float(np.abs(ours.pair_p - theirs).max()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            told = autorank(pd.DataFrame(scores), force_mode="nonparametric", verbose=False)
        mean_ranks = told.rankdf["meanrank"].sort_index().to_numpy()
        ranks.append(float(np.abs(ours.mean_ranks - mean_ranks).max()))
        if told.cd is not None:
            distances.append(abs(ours.critical_difference - float(told.cd)))
    found = {
        "problems": len(pairs),
        "largest difference of a Nemenyi p-value from scikit-posthocs": max(pairs),
        "largest difference of a mean rank from autorank": max(ranks),
        "critical differences compared with autorank": len(distances),
        "largest difference of a critical difference from autorank": max(distances),
    }
    print(json.dumps(found, indent=1))
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
