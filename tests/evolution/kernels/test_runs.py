"""Many evolutions in one call against one call each."""

import numpy as np
import pytest

from tamis.evolution._kernels.runs import evolve_runs
from tamis.evolution._kernels.strategy import evolve
from tamis.evolution.engine import generator
from tests.evolution.kernels.test_strategy import needs_compiler


@needs_compiler
@pytest.mark.parametrize("linear", [False, True])
def test_runs_on_some_columns_are_those_of_evolve_on_these_columns(linear):
    """Every run has the bits of an evolution of its own columns alone, by its own generator."""
    rng = np.random.default_rng(0)
    values = rng.random((6, 32)).astype(np.float32)
    weights, columns = np.ones(30), np.array([[0, 2], [5, 1], [3, 4]])
    groups = np.array([0, 12, 30])
    states = np.stack([generator(seed) for seed in range(3)])
    genomes, lost = evolve_runs(values, columns, weights, groups, linear, 420, states)
    nothing, owners = np.empty((0, 32), np.float32), np.empty(0, np.int64)
    for run in range(3):
        part = np.ascontiguousarray(values[columns[run]])
        genome, curve = evolve(part, nothing, owners, weights, groups, linear, 420, generator(run))
        assert genomes[run].tobytes() == genome.tobytes()
        assert lost[run] == curve[-1]
