"""Processes that work until a moment in time: slow, dying and failing jobs, and no time at all."""

import os
import shutil
import sys
import time
from types import SimpleNamespace

import pytest

from tamis._jit import compiling
from tamis.study._pool import TOO_LONG, Lost, Workers, WorkerStartError, worked


def job(number, data):
    """What is asked of the other process; a number below 0 is trouble."""
    if number == -1:
        os._exit(1)
    if number == -2:
        raise RuntimeError("no luck")
    if number == -3:
        time.sleep(600)
    return number + data


def in_parts(number, data):
    """Two provisional answers and the answer, for which a number below 0 takes too long."""
    yield "a tenth"
    yield "a half"
    if number < 0:
        time.sleep(600)
    yield number + data


def done(jobs, **options):
    options = {"n_jobs": 2, "deadline": time.monotonic() + 60, **options}
    return dict(worked(job, jobs, 10, **options))


def test_every_job_is_answered():
    """Each job's answer comes back with it."""
    assert done([1, 2, 3]) == {1: 11, 2: 12, 3: 13}


def test_a_process_that_dies_or_fails_is_told_and_the_others_go_on():
    """A dead process and an error are each a Lost with a reason; all other jobs are done."""
    found = done([1, -1, 2, -2, 3])
    assert [found[number] for number in (1, 2, 3)] == [11, 12, 13]
    assert "died" in found[-1].why
    assert found[-2] == Lost("RuntimeError: no luck")


def test_a_slow_job_is_ended_and_the_others_go_on():
    """A job beyond its patience is ended long before it would end by itself."""
    assert done([-3, 1], n_jobs=1, patience=lambda job: 0.3 if job == -3 else 60.0) == {
        -3: Lost(TOO_LONG),
        1: 11,
    }


def test_what_is_not_reached_in_time_is_dropped():
    """At the deadline the work ends, whatever is running."""
    assert done([-3, 1], n_jobs=1, deadline=time.monotonic() + 2) == {}
    assert done([1], deadline=time.monotonic()) == {}


def test_what_a_slow_job_has_answered_so_far_is_kept():
    """A job that is ended for its time, or at the deadline, leaves its last provisional answer."""
    options = {"n_jobs": 1, "deadline": time.monotonic() + 60}
    patience = {-3: 2.0, 1: 60.0}.get
    assert dict(worked(in_parts, [-3, 1], 10, patience=patience, **options)) == {-3: "a half", 1: 11}
    assert dict(worked(in_parts, [-3], 10, n_jobs=1, deadline=time.monotonic() + 4)) == {-3: "a half"}


class Broken:
    """Data that cannot be read where it is sent."""

    def __reduce__(self):
        return (eval, ("(_ for _ in ()).throw(OSError('no such luck'))",))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_processes_that_die_at_their_start_are_tried_three_times(n_jobs, monkeypatch):
    """After three starts that failed the work ends, with what the last process said, and not with the deadline."""
    started = []
    another = Workers._another
    monkeypatch.setattr(Workers, "_another", lambda self: started.append(1) or another(self))
    with pytest.raises(
        WorkerStartError, match=r"3 worker processes died at their start.*OSError: no such luck"
    ):
        list(worked(job, [1, 2, 3], Broken(), n_jobs=n_jobs, deadline=time.monotonic() + 300))
    assert len(started) <= 2 + n_jobs


def test_a_process_that_says_nothing_is_told_by_its_end(monkeypatch):
    """Without words of its own, the signal or the exit code of a process is told."""
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(WorkerStartError, match="exit code 1"):
        list(worked(job, [1], 0, n_jobs=1, deadline=time.monotonic() + 300))


def test_a_start_that_fails_once_is_made_good(monkeypatch):
    """One that dies at its start is followed by another, and the work is done."""
    another, ended = Workers._another, []

    def dying(self):
        process = another(self)
        if not ended:
            process.popen.kill()
            ended.append(process)
        return process

    monkeypatch.setattr(Workers, "_another", dying)
    assert done([1, 2], n_jobs=1) == {1: 11, 2: 12}


def test_jobs_can_be_changed_and_passed_over():
    """A job that becomes nothing when its turn comes has no answer; another may stand in its place."""
    assert done([1, 2, 3], turn={1: None, 2: 20, 3: 3}.get) == {20: 30, 3: 13}


def compiled(seconds, data):
    """Compile for so many seconds, then work for so many."""
    event = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=compiled)})
    compiling.on_start(event)
    time.sleep(seconds[0])
    compiling.on_end(event)
    time.sleep(seconds[1])
    return os.getpid()


def test_compiling_is_not_held_against_a_job():
    """A job may compile for longer than its patience, and is ended once it has worked for longer than that."""
    deadline = time.monotonic() + 60
    compiles, works = (5.0, 0.0), (0.1, 40.0)
    found = dict(
        worked(compiled, [compiles, works], 0, n_jobs=2, deadline=deadline, patience=lambda job: 4.5)
    )
    assert isinstance(found[compiles], int)
    assert found[works] == Lost(TOO_LONG)


def test_processes_go_on_to_the_next_list_of_jobs():
    """One process serves several lists."""
    with Workers(0, 1) as workers:
        deadline = time.monotonic() + 60
        first, second = (dict(workers.work(compiled, [0.0], deadline=deadline)) for _ in range(2))
    assert first == second
