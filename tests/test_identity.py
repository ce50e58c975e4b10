"""What an answer depends on is told in full, and alike in every process."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tamis import EFR, ROGER, SBSMF, FS2Boost
from tamis._identity import code, description, differences, digest, source_digest


def two(number):
    return number + 2


def three(number):
    return number + 3


LONG = np.arange(3000)
CHANGED = np.where(LONG == 1500, 7, LONG)
DIFFERENT = {
    "a value": (SBSMF(n_rounds=5), SBSMF(n_rounds=6)),
    "a type": (SBSMF(step=1), SBSMF(step=1.0)),
    "a number and its text": (SBSMF(class_weight={1: 2}), SBSMF(class_weight={"1": 2})),
    "the class": (SBSMF(), FS2Boost()),
    "an inner estimator": (EFR(ROGER(n_evaluations=50)), EFR(ROGER(n_evaluations=51))),
    "a step": (
        make_pipeline(StandardScaler(), SBSMF()),
        make_pipeline(StandardScaler(with_mean=False), SBSMF()),
    ),
    "the middle of a long array": (FS2Boost(fixed_features=LONG), FS2Boost(fixed_features=CHANGED)),
    "an array's dtype": (FS2Boost(fixed_features=LONG), FS2Boost(fixed_features=LONG.astype(np.int32))),
    "a function's body": (EFR(importance_getter=two), EFR(importance_getter=three)),
    "a lambda": (EFR(importance_getter=lambda x: x.coef_), EFR(importance_getter=lambda x: x.scores_)),
    "what a function holds": tuple(EFR(importance_getter=lambda x, k=k: k) for k in (1, 2)),
    "a random state": (
        EFR(random_state=np.random.RandomState(0)),
        EFR(random_state=np.random.RandomState(1)),
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_may_change_an_answer_is_told(name):
    """Two settings that may give other answers have other descriptions."""
    one, other = DIFFERENT[name]
    assert description(one) != description(other)


class Knot:
    """Its method names its class, and its list holds itself."""

    def fit(self):
        return super().__init__()


def test_what_refers_to_itself_is_told():
    """Circles come to an end."""
    loop = [1]
    loop.append(loop)
    assert description(loop) == "list(1, list above)"
    assert "Knot" in description(Knot)


def test_what_changes_no_answer_is_not_told():
    """The number of jobs and the lines printed are left out, inside other estimators too."""
    assert description(EFR(n_jobs=1)) == description(EFR(n_jobs=2))
    assert description(EFR(ExtraTreesClassifier(n_jobs=1))) == description(
        EFR(ExtraTreesClassifier(n_jobs=2, verbose=1))
    )


ALIKE = """
import numpy as np
from tamis import EFR, SBSMF, FS2Boost
from tamis._identity import code, description, digest
def own(ranker):
    return ranker.coef_ + np.float64(0.5)
class Own:
    def fit(self, X, y):
        return self
print([description(one) for one in (
    SBSMF(class_weight={"b": 1.5, "a": 2}), EFR(Own(), importance_getter=own), {"x", "y", "z", "long"}, Own,
    EFR(importance_getter=lambda ranker: {"a", "b"}), np.random.default_rng(0), np.array(["a", None], dtype=object),
)], code(), digest(np.arange(3.0)))
"""


def test_every_process_tells_the_same():
    """Neither the order of sets nor addresses come into it."""
    told = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", ALIKE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        told.add(done.stdout)
    assert len(told) == 1
    assert "0x" not in told.pop()


def test_arrays_are_told_by_dtype_shape_and_content():
    """Arrays that differ in any of them have other digests."""
    arrays = [
        *(np.zeros(4), np.zeros(4, dtype=np.float32), np.zeros((2, 2)), np.array([0, 0, 0, 1.0])),
        *(np.array(["a", "b"]), np.array(["a", "c"]), np.array(["a", None], dtype=object)),
    ]
    assert len({digest(array) for array in arrays}) == len(arrays)
    assert digest(np.arange(6).reshape(2, 3)) == digest(np.asfortranarray(np.arange(6).reshape(2, 3)))


def test_the_code_is_told_by_its_sources():
    """The version, the sources and the libraries stand in it."""
    assert code()["sources"] == source_digest()
    assert {"tamis", "numpy", "scikit-learn"} <= code().keys()


def test_differences_are_named():
    """What two runs tell differently is named; of one that tells nothing, all."""
    assert differences({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}) == ["b", "c"]
    assert differences({"a": 1}, {"a": 1}) == []
    assert differences({"b": 1, "a": 2}, None) == ["a", "b"]
