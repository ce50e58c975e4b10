"""Settings of the whole test run."""

import os

import pytest
from hypothesis import settings

from tamis.cli import _resume
from tests.settings import NIGHTLY

settings.register_profile(
    "tamis", derandomize=True, deadline=None, database=None, max_examples=500 if NIGHTLY else 50
)
settings.load_profile("tamis")


def pytest_configure(config):
    """Without the compiler NumPy warns where random numbers wrap around, as they are meant to."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    """What commands note in the user's cache goes elsewhere."""
    folder = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setattr(_resume, "cache_folder", lambda: folder)


@pytest.fixture(autouse=True)
def _small_forest(request, monkeypatch):
    """Let PermutationRanking grow few trees where its manners are tried, in hundreds of fits, and not its answers."""
    if "[PermutationRanking" in request.node.name:
        monkeypatch.setattr("tamis.features.permutation.N_TREES", 3)
