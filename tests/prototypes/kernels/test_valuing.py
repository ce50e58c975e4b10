"""Values of games, added up."""

import numpy as np

from tamis.prototypes._kernels.valuing import add_game_values
from tamis.prototypes._row_values import shares_of_places
from tests.oracles import row_values as oracle


def test_games_are_worth_what_the_definition_says():
    """Each row gets its Shapley value in every game, by the definition over all sets; together the share of right votes."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, 7)
    for n_neighbors in (1, 3, 9):
        order = np.array([random.permutation(np.delete(np.arange(7), row)) for row in range(7)])
        totals, expected = np.zeros(7), np.zeros(7)
        add_game_values(order, np.arange(7), codes, shares_of_places(n_neighbors, 6), totals)
        for asked in range(7):
            right = {row: bool(codes[row] == codes[asked]) for row in order[asked].tolist()}
            for row, value in oracle.shapley(order[asked].tolist(), right, n_neighbors).items():
                expected[row] += value
        np.testing.assert_allclose(totals, expected, atol=1e-12)
        votes = (codes[order[:, :n_neighbors]] == codes[:, np.newaxis]).sum() / n_neighbors
        np.testing.assert_allclose(totals.sum(), votes, atol=1e-12)
