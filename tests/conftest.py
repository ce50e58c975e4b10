"""Settings of the whole test run."""

from hypothesis import settings

from tests.settings import NIGHTLY

settings.register_profile(
    "tamis", derandomize=True, deadline=None, database=None, max_examples=500 if NIGHTLY else 50
)
settings.load_profile("tamis")
