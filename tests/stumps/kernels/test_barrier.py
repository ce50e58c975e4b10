"""Where threads meet inside a kernel."""

import numpy as np
import pytest
from numba import config

from tamis._jit import kernel
from tamis._threads import Team
from tamis.stumps._kernels.barrier import ARRIVED, GIVEN_UP, MET, meet


@kernel
def _count(meeting, counts, n_meetings, part, n_parts):
    """After every meeting all threads must have counted as far."""
    for i in range(n_meetings):
        counts[part] += 1
        if not meet(meeting, n_parts):
            return False
        for other in range(n_parts):
            if counts[other] != i + 1:
                counts[part] = -1000
        if not meet(meeting, n_parts):
            return False
    return True


@pytest.mark.parametrize("n_parts", [1, 2, 3])
def test_nobody_goes_on_before_all_are_there(n_parts):
    """Each thread sees what the others wrote before the meeting."""
    n_meetings = 5 if config.DISABLE_JIT else 200
    meeting, counts = np.zeros(3, np.int64), np.zeros(n_parts, np.int64)
    with Team(n_parts) as team:
        team.each(_count, meeting, counts, n_meetings)
    assert (counts == n_meetings).all()
    assert meeting[ARRIVED] == 0
    assert meeting[MET] == (2 * n_meetings if n_parts > 1 else 0)


def test_one_that_gives_up_releases_the_others():
    """A thread that waits learns that another will not come."""
    meeting = np.zeros(3, np.int64)
    answers = []

    def part_of(part, n_parts):
        if part == 1:
            meeting[GIVEN_UP] = 1
        else:
            answers.append(bool(meet(meeting, n_parts)))

    with Team(2) as team:
        team.each(part_of)
    assert answers == [False]
