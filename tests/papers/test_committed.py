"""The committed pages: what does not reproduce is listed with a reason, and what is listed does not reproduce."""

import json
from pathlib import Path

import pytest

from tamis.papers import NAMES
from tamis.papers._printed import known_mismatches
from tamis.papers._rebuild import measured
from tamis.papers._report import page
from tamis.report._blocks import markdown

FOLDER = Path(__file__).parents[2] / "docs" / "papers"


@pytest.fixture(scope="module", params=NAMES)
def committed(request):
    """The measurements of one paper, and what was run."""
    return measured(FOLDER / request.param)


def test_the_list_of_mismatches_is_exact(committed):
    """No mismatch is unlisted, and no listed cell matches."""
    view, _ = committed
    differ = {one.cell[:4] for one in view.compared if one.differs}
    listed = set(known_mismatches(view.paper.name))
    assert differ - listed == set()
    assert listed - differ == set()


def test_every_printed_cell_was_run(committed):
    """The committed run has every set."""
    view, _ = committed
    assert view.left_out == ()
    assert [one.cell[:4] for one in view.compared if one.estimate is None] == []


def test_every_claim_has_a_verdict_and_a_reason(committed):
    """Each claim says what the paper found, what we found, and why the verdict is what it is."""
    view, _ = committed
    claims = view.paper.claims(view)
    assert len(claims) >= 6
    assert all(one.said and one.paper and one.ours and one.why for one in claims)


def test_the_page_is_what_the_measurements_say(committed):
    """The committed Markdown is the one that the committed measurements give."""
    pytest.importorskip("matplotlib")  # without it a sentence stands in the place of a picture
    view, run = committed
    text = (FOLDER / view.paper.name / "page.md").read_text(encoding="utf-8")
    assert text == markdown(page(view, run))


def test_code_seed_and_data_are_named(committed):
    """run.json has the code, the seed and a digest of every set."""
    view, run = committed
    assert set(run["data"]) == set(view.paper.data_sets)
    assert run["code"]
    assert run["seed"] == 0
    assert json.dumps(run)
