"""Does a change of the code change an answer? Every method's answer on eight shipped tables, before and after.

    python tools/same_bits.py write before.json     # in the checkout before the change
    python tools/same_bits.py compare before.json   # in the one after it: exit code 1 where a bit differs

Rankings, scores and kept rows are told by a digest of their bytes. The slow searches see the first rows of a table alone.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
import warnings
from pathlib import Path

import numpy as np

TABLES = (
    "credit_crx",
    "german",
    "glass2",
    "heart_cleveland",
    "horse_colic",
    "ionosphere",
    "spambase",
    "vehicle",
)
N_ROWS = 250  # for every method but the stumps, which see all rows
ALL_ROWS = {"SBSMF", "UnivariateAUC"}


def answers() -> dict[str, dict[str, str]]:
    """A digest for each fitted attribute of every method on every table."""
    from tamis import StumpAdaBoost, datasets
    from tamis._methods import methods

    found: dict[str, dict[str, str]] = {}
    for name in TABLES:
        data = datasets.load(name)
        for method in methods():
            kind = method.estimator_class()
            seed = {"random_state": 0} if "random_state" in inspect.signature(kind).parameters else {}
            n_rows = data.X.height if method.estimator in ALL_ROWS else N_ROWS
            rows = np.random.default_rng(0).permutation(data.X.height)[:n_rows].tolist()
            found[f"{method.name} on {name}"] = _digests(
                kind(**method.settings, **seed), data.X[rows], data.y[rows]
            )
        model = StumpAdaBoost(30).fit(data.X, data.y)
        found[f"StumpAdaBoost on {name}"] = {"decision": _digest(model.decision_function(data.X))}
        print(name, flush=True)
    return found


def _digests(estimator, X, y) -> dict[str, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X, y)
    fitted = ("ranking_", "scores_", "support_", "sample_indices_", "prototype_weights_")
    return {name: _digest(getattr(estimator, name)) for name in fitted if hasattr(estimator, name)}


def _digest(array) -> str:
    array = np.ascontiguousarray(array)
    return hashlib.sha256(f"{array.dtype.str}{array.shape}".encode() + array.tobytes()).hexdigest()[:16]


def main() -> None:
    """Write the answers, or compare them with those written before."""
    action, path = sys.argv[1], Path(sys.argv[2])
    found = answers()
    if action == "write":
        path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
        return
    before = json.loads(path.read_text())
    differ = [name for name in before if found.get(name) != before[name]]
    for name in differ:
        print("differs:", name)
    print(f"{len(before) - len(differ)} of {len(before)} answers are the same to the bit.")
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
