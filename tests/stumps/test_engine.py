"""The choice between the two engines changes no bit."""

import numpy as np
import pytest

from tamis.stumps.engine import stump_engine
from tamis.stumps.model import one_against_rest
from tests.oracles import stumps as oracle


@pytest.mark.parametrize("n_classes", [2, 3])
def test_both_engines_rank_and_boost_alike(n_classes):
    """The same stumps and the same order of elimination, whichever engine is asked, gaps and names included."""
    random = np.random.default_rng(n_classes)
    values = random.normal(size=(400, 7)).round(1)
    values[:, 5:] = random.integers(0, 4, (400, 2))
    values[random.random(values.shape) < 0.05] = np.nan
    nominal = np.arange(7) >= 5
    codes = random.integers(0, n_classes, 400)
    signs = one_against_rest(codes, n_classes)
    answers = []
    for many_rows in (1, 10_000):
        engine, prepared = stump_engine(values, nominal, codes, many_rows=many_rows)
        models = [engine.boost(prepared, sign, 20) for sign in signs]
        gone = engine.eliminate(prepared, signs, 20)
        answers.append((engine.__name__, models, gone))
    assert answers[0][0] != answers[1][0]
    for few, many in zip(answers[1][1], answers[0][1]):
        for name in ("column", "threshold", "gap_right", "polarity", "alpha", "u"):
            np.testing.assert_array_equal(getattr(few, name), getattr(many, name))
    np.testing.assert_array_equal(answers[0][2].column, answers[1][2].column)
    np.testing.assert_array_equal(answers[0][2].first_scores, answers[1][2].first_scores)


@pytest.mark.parametrize("many_rows", [1, 10_000], ids=["histograms", "sorted"])
@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_a_learning_rate_is_the_oracle_s(many_rows, rate):
    """With a part of every edge acted on, both engines give the plain version's stumps and order."""
    random = np.random.default_rng(7)
    values = random.normal(size=(60, 6)).round(1)
    nominal = np.zeros(6, dtype=bool)
    sign = np.where(values[:, 0] + values[:, 1] + random.normal(size=60) > 0, 1, -1)
    engine, prepared = stump_engine(values, nominal, (sign > 0).astype(np.int64), many_rows=many_rows)
    model = engine.boost(prepared, sign, 30, learning_rate=rate)
    plain = oracle.boost(values, nominal, sign, 30, learning_rate=rate)
    assert model.column.tolist() == plain["column"]
    assert model.alpha.tolist() == plain["alpha"]
    gone = engine.eliminate(prepared, sign[np.newaxis], 30, learning_rate=rate)
    assert gone.column.tolist() == oracle.eliminate(values, nominal, sign, 30, learning_rate=rate)[0].tolist()
