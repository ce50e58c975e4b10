"""How often `tamis compare` takes noise for more than chance, and by how much the best of many choices flatters.

Tables of noise of several shapes and classes; on each a whole comparison, and for every score and kind what the best, the
chosen and the choice itself score, and whether chance is said to be beaten (at the 5 % level).

Usage: python benchmarks/chance.py [tables a shape]   (writes benchmarks/results/chance.json)
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tamis.study import compare, recommend
from tamis.study._scores import CLASS_SCORES as SCORES

RESULTS = Path(__file__).parent / "results" / "chance.json"
METHODS = ["univariate-auc", "gram-schmidt", "f-test", "condensed-nn", "random"]
MODELS = {
    "1-nn": KNeighborsClassifier(1),
    "5-nn": KNeighborsClassifier(5),
    "bayes": GaussianNB(),
    "linear": LogisticRegression(C=0.1, max_iter=50),
}
# rows of each class (None: a coin for each of 40 rows), columns
SHAPES = {
    "40 x 500, coin-flip classes": (None, 500),
    "120 x 30, classes of 70, 30, 12 and 8": ((70, 30, 12, 8), 30),
    "2505 x 6, classes of 2500 and 5": ((2500, 5), 6),
}


def noise(seed, counts, n_columns):
    """A table of noise."""
    random = np.random.default_rng(seed)
    y = (
        random.integers(0, 2, 40)
        if counts is None
        else random.permutation(np.repeat(range(len(counts)), counts))
    )
    return random.normal(size=(len(y), n_columns)), y


def summary(found):
    """Means over tables, and how often chance was said to be beaten."""
    best, chosen, worth, chance, beaten = np.array(found, dtype=float).T
    return {
        "tables": len(found),
        "best": best.mean(),
        "chosen": chosen.mean(),
        "the choice itself": worth.mean(),
        "its standard error over tables": worth.std(ddof=1) / len(found) ** 0.5,
        "chance": chance.mean(),
        "said to beat chance": int(beaten.sum()),
    }


def main():
    """Run all shapes; results are written after every ten tables."""
    n_tables = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    warnings.simplefilter("ignore")
    told = {}
    for shape, (counts, n_columns) in SHAPES.items():
        found = {}
        for seed in range(n_tables):
            X, y = noise(seed, counts, n_columns)
            study = compare(X, y, METHODS, models=MODELS, random_state=seed)
            for kind in ("columns", "rows"):
                for score in SCORES:
                    said = recommend(study, kind, score=score)
                    if said is None or said.against_chance is None:
                        continue
                    test = said.against_chance
                    row = (said.best.mean, said.chosen.mean, said.honest_mean, test.mean, test.beaten)
                    found.setdefault(f"{kind}, {score}", []).append(row)
            if seed % 10 == 9:
                told[shape] = {what: summary(rows) for what, rows in found.items()}
                RESULTS.write_text(json.dumps(told, indent=1) + "\n")
                print(
                    shape,
                    seed + 1,
                    {what: one["said to beat chance"] for what, one in told[shape].items()},
                    flush=True,
                )


if __name__ == "__main__":
    main()
