"""Whatever ``--set`` is given is a good answer or one sentence; ``tools/sweep_settings.py`` tries all of it."""

import pytest

from tests.cli.setting_values import HEAVY, Case, cases, judged, write_tables

EVERY = 151  # a prime: over the methods, every value and every parameter has its turn
NAMED = [
    ("sbs-mf", "class_weight={'u': None}", "refused"),
    ("sbs-mf", "n_rounds=True", "refused"),
    ("fs2boost", "n_rounds=True", "refused"),
    ("relieff", "n_neighbors=12345678901234567890", "refused"),
    ("roger", "n_evaluations=9223372036854775808", "refused"),
    ("efr", "n_estimators=12345678901234567890", "refused"),
    ("efr", "importance_getter=x", "refused"),
    ("efr", "importance_getter=fit", "refused"),
    ("efr", "importance_getter=scores_", "answered"),
    ("bdsfs", "class_weight={'a': 1e-320}", "answered"),
    ("bdsfs", "class_weight={'a': 1e308, 'b': 1e308}", "answered"),
    ("fs2boost", "class_weight={'a': 1e308, 'b': 1e-320}", "answered"),
    ("sbs-mf", "weight_cap=1" + "0" * 400, "refused"),
    ("sbs-mf", "weight_cap=1e308", "answered"),
    ("sbs-mf", "n_rounds=0x" + "f" * 5000, "refused"),
    ("simba", "random_state=True", "refused"),
    ("simba", "n_jobs=0", "refused"),
    ("simba", "n_jobs=2147483647", "answered"),
    ("margin-prototypes", "betas=[1" + "0" * 400 + "]", "refused"),
    ("margin-prototypes", "class_weight={'a': 1e308}", "answered"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    write_tables(place)
    return place


@pytest.mark.parametrize(("method", "setting", "came"), NAMED)
def test_settings_that_once_were_tracebacks(folder, method, setting, came):
    """Each is refused in one sentence, or answered."""
    found, words = judged(Case(method, setting, "two.csv"), folder)
    assert (found, words if found == "found" else "") == (came, "")


def test_a_sample_of_all_values_for_all_parameters(folder):
    """One in many of the tool's cases, by number, those aside that ask for hours of work."""
    sample = [case for case in list(cases())[::EVERY] if case.setting.partition("=")[2] not in HEAVY]
    findings = {case: words for case in sample for came, words in [judged(case, folder)] if came == "found"}
    assert len(sample) > 200
    assert not findings
