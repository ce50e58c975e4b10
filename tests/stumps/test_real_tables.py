"""Full rankings of real tables against the plain oracle; minutes of plain loops, so at night."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from tamis import datasets
from tamis.stumps.engine import one_against_rest, stump_table
from tamis.table import TableError
from tamis.table._encode import encode, encode_target
from tests.oracles import stumps as oracle
from tests.settings import NIGHTLY
from tests.stumps.calls import eliminate


class Reader(BaseEstimator):
    """Somebody to read tables for."""


@pytest.mark.skipif(not NIGHTLY, reason="plain loops take minutes")
@pytest.mark.parametrize(("name", "every"), [("ionosphere", 1), ("kr_vs_kp", 4), ("mushroom", 4)])
@pytest.mark.parametrize("criterion", ["margin_fraction", "contribution_ratio"])
def test_full_rankings_equal_the_oracle(name, every, criterion):
    """Both engines drop the columns in the oracle's order, with its scores."""
    try:
        data = datasets.load(name, download_if_missing=False)
    except TableError:
        pytest.skip(f"{name} is not at hand")
    table = encode(Reader(), data.X, "from_dtype")
    codes = encode_target(Reader(), data.X, data.y).codes[::every]
    values, nominal = np.ascontiguousarray(table.values[::every]), table.nominal
    signs = one_against_rest(codes, 2)
    expected = oracle.eliminate(values, nominal, signs, 100, criterion=criterion)
    for many_rows in (1, 10_000):
        table = stump_table(values, nominal, codes, many_rows=many_rows)
        gone = eliminate(table, signs, 100, criterion=criterion)
        assert gone.column.tolist() == expected[0].tolist()
        assert gone.score.tolist() == expected[1].tolist()
