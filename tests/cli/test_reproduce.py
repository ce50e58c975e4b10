"""``tamis reproduce``: what it prints, and what it refuses."""

import pytest

from tamis.papers import _rebuild
from tests.command_line import ok, refused
from tests.papers.toy import TOY


@pytest.fixture
def toy(monkeypatch):
    """Put the toy in the place of every paper."""
    monkeypatch.setattr(_rebuild, "paper_named", lambda name: TOY)


def test_reproduce_prints_claims_and_says_where_the_page_is(toy, tmp_path):
    """Claims with their verdicts on stdout, progress on stderr, files in a folder of the paper's name."""
    answer = ok("reproduce", "psboost", "-o", tmp_path, "--table", "1", "--repeats", "2")
    assert "holds" in answer.stdout
    assert str(tmp_path / "psboost") in answer.stdout
    assert "psboost: 4 of 4" in answer.stderr
    assert (tmp_path / "psboost" / "page.html").is_file()


def test_all_papers_get_a_folder(toy, tmp_path):
    """Four folders."""
    ok("reproduce", "all", "-o", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["efr", "fs2boost", "psboost", "sbsmf"]


def test_a_folder_of_another_run_is_refused_in_one_sentence(toy, tmp_path):
    """The sentence names what differs."""
    ok("reproduce", "psboost", "-o", tmp_path)
    assert "seed=0, not 1" in refused("reproduce", "psboost", "-o", tmp_path, "--seed", "1")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("nothing",), "no paper 'nothing'"),
        (("all", "--table", "1"), "--table goes with one paper"),
        (("psboost", "--table", "9"), "no table '9' in psboost. Use one of 1, sizes, weights, readings."),
        (("psboost", "--quick", "--full"), "--quick and --full are both given"),
    ],
)
def test_mistakes_are_refused_before_any_work(words, sentence, tmp_path, monkeypatch):
    """One sentence, nothing written."""
    monkeypatch.chdir(tmp_path)
    assert sentence in refused("reproduce", *words)
    assert list(tmp_path.iterdir()) == []
