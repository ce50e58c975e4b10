"""Settings of the tests of tables."""

import pytest

from tamis.table._names import speech


@pytest.fixture(autouse=True)
def _words_of_the_command_line(request, monkeypatch):
    """Messages name options, as on the command line, except in a doctest and in tests marked otherwise."""
    monkeypatch.setattr(speech, "shell", "in_python" not in request.fixturenames)


@pytest.fixture
def in_python():
    """Messages name parameters, as in Python."""
