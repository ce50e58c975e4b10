"""``tamis warm``: what is compiled ahead is not compiled again."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tamis import SBSMF
from tamis._methods import methods
from tamis.cli._warm import _elsewhere, _groups, _tables
from tamis.stumps import part_answers, part_numbers
from tests.command_line import ok, refused


def test_a_method_that_is_not_known_is_refused():
    """With the name that was probably meant, before anything is compiled."""
    assert "no method 'sbsmf'. Did you mean 'sbs-mf'?" in refused("warm", "sbsmf")


def test_methods_of_one_class_come_together_and_those_that_rest_on_others_last():
    """Every method is in one group; no two groups compile the same class."""
    groups = _groups(methods())
    assert sorted(method.name for group in groups for method in group) == sorted(m.name for m in methods())
    classes = [{method.estimator for method in group} for group in groups]
    assert all(len(each) == 1 for each in classes)
    assert classes[-1] == {"Sieve"}


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.name)
def test_tables_are_of_every_kind(method):
    """Two classes and three, categorical columns and missing values; numbers where the method takes them."""
    tables = list(_tables(method))
    assert {len(set(y)) for _, y in tables} >= {2, 3}
    assert any(X.null_count().sum_horizontal().item() for X, _ in tables)
    assert any(y.dtype.kind == "f" for _, y in tables) == method.takes_numbers


def test_what_workers_of_a_cluster_run_is_run(monkeypatch):
    """Parts that are asked go through the loops of workers, for the same ranking; with classes and with numbers."""
    asked = []
    monkeypatch.setattr(
        part_answers, "play", lambda *given, play=part_answers.play: asked.append(1) or play(*given)
    )
    monkeypatch.setattr(
        part_numbers,
        "joint_weights",
        lambda *given, of=part_numbers.joint_weights: asked.append(2) or of(*given),
    )
    method = next(method for method in methods() if method.name == "sbs-mf")
    for X, y in list(_tables(method))[:4]:
        whole = SBSMF(n_rounds=5).fit(X, y)
        parts = SBSMF(n_rounds=5).fit(_elsewhere(X, y), None)
        np.testing.assert_array_equal(whole.scores_, parts.scores_)
        np.testing.assert_array_equal(whole.ranking_, parts.ranking_)
    assert set(asked) == {1, 2}


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_what_was_compiled_ahead_is_not_compiled_again(tmp_path):
    """After ``tamis warm``, the method's first answer on another table compiles nothing."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def run(*words):
        command = [sys.executable, "-m", "tamis", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    told = run("warm", "condensed-nn", "--jobs", "1")
    assert "loops compiled" in told.stdout
    assert "compiling, once: 1 of 1" in told.stderr
    compiled = sorted(tmp_path.rglob("*.nbc"))
    assert compiled
    run("condense", "ionosphere", "--method", "condensed-nn")
    assert sorted(tmp_path.rglob("*.nbc")) == compiled


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_what_cannot_be_kept_is_said(monkeypatch):
    """Compiled code that no folder takes would be compiled again: that is no success."""
    monkeypatch.setattr("tamis.cli._warm._compiled_in_parallel", lambda *_, **__: 1)
    monkeypatch.setattr("tamis._jit.keeps_compiled_code", lambda: False)
    assert "1 loop compiled, but there is no folder to keep them in" in refused("warm", "random")


def test_a_second_time_nothing_is_compiled():
    """What is in memory or on disk is used."""
    ok("warm", "random")
    assert "no loops compiled; all were before" in ok("warm", "random").stdout
