"""A paper of eight tasks that take no time, for tests of what rebuilds papers."""

import numpy as np

from tamis.papers._paper import Claim, Estimate, Figure, Paper, Task, seed_of
from tamis.report._blocks import Heading, Text


def tasks(size, there):
    return [Task("1", "paper", name, repeat) for name in there for repeat in range(size.choose(4, 8))]


def measured(task, seed):
    random = np.random.default_rng(seed_of(seed, task.data_set, task.repeat))
    return [Figure("method", "", "accuracy", float(random.random()), float(random.random()))]


def estimate(view, cell):
    return Estimate(50.0, 1.0)


def claims(view):
    return [Claim("name", "It is <b>so</b>.", "1", "2", "holds", "why | not")]


def sections(view):
    return [Heading("Table 1"), Text(f"{view.mean('1', 'paper', 'made', 'method'):.12f}")]


TOY = Paper(
    name="psboost",  # its printed tables are there
    title="A toy & its <title>",
    reference="nobody",
    tables=("1",),
    data_sets={"made": "Made", "other": "Other"},
    generated=frozenset({"made", "other"}),
    summary="s",
    choices=(("open", "closed"),),
    rule="r",
    tasks=tasks,
    measured=measured,
    estimate=estimate,
    claims=claims,
    sections=sections,
    repeats=lambda size: f"{size.choose(4, 8)}",
)
