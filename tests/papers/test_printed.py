"""The papers' tables, as typed from the papers."""

from collections import defaultdict

import numpy as np
import pytest

from tamis.papers import NAMES, paper
from tamis.papers._printed import known_mismatches, printed

CELLS = {"fs2boost": 57, "psboost": 90, "efr": 96, "sbsmf": 74}
#: The means that a paper prints below its columns, where they are not those of the columns.
OFF = {("psboost", "1NN"), ("psboost", "MC")}


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_is_there_once(name):
    """As many cells as the paper has, none twice."""
    cells = printed(name)
    assert len({cell[:4] for cell in cells}) == len(cells) == CELLS[name]


@pytest.mark.parametrize(("name", "mean"), [("psboost", "Average"), ("sbsmf", "Ave.")])
def test_columns_have_the_means_that_the_paper_prints(name, mean):
    """The printed mean of a column is that of its cells, but for two that the paper has wrong."""
    columns = defaultdict(list)
    means = {}
    for cell in printed(name):
        if cell.figure == "count":
            continue
        if cell.row == mean:
            means[cell.figure, cell.column] = cell.value
        else:
            columns[cell.figure, cell.column].append(cell.value)
    for key, value in means.items():
        off = abs(np.mean(columns[key]) - value)
        if (name, key[1]) in OFF:
            assert 0.1 < off < 0.5
        else:
            assert off <= 0.08


@pytest.mark.parametrize("name", NAMES)
def test_every_known_mismatch_is_a_printed_cell_with_a_reason(name):
    """A reason is a sentence."""
    cells = {cell[:4] for cell in printed(name)}
    for cell, reason in known_mismatches(name).items():
        assert cell in cells
        assert reason.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_a_table_of_data_sets_are_data_sets(name):
    """Every row has a data set that can be loaded or made, or is a mean."""
    known = paper(name).data_sets
    if name != "efr":
        rows = {cell.row for cell in printed(name)}
        assert rows - set(known.values()) <= {"Average", "Ave."}
