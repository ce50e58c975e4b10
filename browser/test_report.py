"""The pages in a real browser: `make test-browser`, with a Chromium of the system and no download.

CHROMIUM names its executable where it is not called chromium; SCREENSHOTS a folder for the screenshots.
"""

import os
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from playwright.sync_api import sync_playwright

import tamis
from tamis.report._ranking_page import ranking_page
from tamis.report._rows_page import rows_page
from tamis.report._study_page import Studied, study_page
from tamis.study import compare
from tamis.study._projection import projection

EXECUTABLE = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
HOSTILE = "<script>alert(1)</script>"
NAMES = [
    "apple", HOSTILE, '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)", "</table><h1>gone</h1>", "\u202etxt",
    "a" * 300, "javascript:alert(1)", "&amp;", "zebra",
]  # fmt: skip
VIEWS = {
    "light": {"viewport": {"width": 1100, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1100, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light", "device_scale_factor": 2},
}


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Three pages of a table whose names and labels are hostile."""
    random = np.random.default_rng(0)
    values = random.normal(size=(80, len(NAMES)))
    X = pl.DataFrame({name: values[:, j] for j, name in enumerate(NAMES)})
    y = np.where(values[:, 0] + values[:, 1] > 0, HOSTILE, "</svg><script>alert(2)</script>")
    found = compare(X, y, ["univariate-auc", "bdsfs", "random"], models=["linear", "1-nn"], cv=3, repeats=1)
    places, shown = projection(X)
    selector = tamis.UnivariateAUC().fit(X, y)
    rows = tamis.RandomPrototypes(0.2, random_state=0).fit(X, y)
    made = {"Command": f"tamis compare '{HOSTILE}.csv'"}
    texts = {
        "compare": study_page([Studied(HOSTILE, found, y.tolist(), places, shown)], made=made),
        "rank": ranking_page(HOSTILE, "univariate-auc", NAMES, selector, made=made),
        "condense": rows_page(HOSTILE, "random", rows.sample_indices_, y.tolist(), places, shown, made=made),
    }
    folder = tmp_path_factory.mktemp("pages")
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=EXECUTABLE, args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(chromium, pages, name, view="light"):
    """A page, and the list of everything that went wrong on it."""
    page = chromium.new_context(**VIEWS[view]).new_page()
    wrong = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append("dialog"), dialog.dismiss()))
    page.on(
        "request", lambda request: wrong.append(request.url) if not request.url.startswith("file:") else None
    )
    page.goto(f"file://{pages / name}.html")
    return page, wrong


def first_cells(page, place):
    """The visible texts of one column of the ranking."""
    return page.locator(f".table:has(input) tbody tr:visible td:nth-child({place})").all_inner_texts()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["compare", "rank", "condense"])
def test_it_opens_without_a_word_and_does_not_scroll_sideways(chromium, pages, name, view):
    """No message, error, dialog or request from outside; the page is no wider than the window."""
    page, wrong = opened(chromium, pages, name, view)
    page.wait_for_timeout(200)
    assert wrong == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate("document.scripts.length") == 1


def test_headings_sort(chromium, pages):
    """A click sorts by a column, another the other way round, by mouse and by keyboard."""
    page, wrong = opened(chromium, pages, "compare")
    heading = page.locator(".table:has(input) th button", has_text="column")
    heading.click()
    up = first_cells(page, 2)
    assert up == sorted(up, key=str.lower)
    heading.focus()
    page.keyboard.press("Enter")
    assert first_cells(page, 2) == up[::-1]
    assert page.locator(".table:has(input) th[aria-sort=descending]").count() == 1
    page.locator(".table:has(input) th button", has_text="mean rank").click()
    ranks = [float(text) for text in first_cells(page, 6)]
    assert ranks == sorted(ranks)
    assert wrong == []


def test_searching_leaves_what_was_searched_for(chromium, pages):
    """The field leaves rows that hold the text, a hostile one too, and says how many."""
    page, wrong = opened(chromium, pages, "compare")
    field = page.locator("input[type=search]").first
    field.fill("ZEBRA")
    assert first_cells(page, 2) == ["zebra"]
    field.fill("<script>")
    assert first_cells(page, 2) == [HOSTILE]
    assert "1 of 1 found" in page.locator(".count").first.inner_text()
    field.fill("")
    assert len(first_cells(page, 2)) == len(NAMES)
    assert wrong == []


def test_curves_tell_their_values(chromium, pages):
    """Pointer and arrow keys show a size with the value of each curve; Escape and leaving hide it."""
    page, wrong = opened(chromium, pages, "compare")
    plot = page.locator("figure.chart svg.plot").first
    plot.hover()
    tip = page.locator("figure.chart .tip").first
    assert "columns kept: " in tip.inner_text()
    assert "univariate-auc: 0." in tip.inner_text()
    plot.focus()
    page.keyboard.press("Escape")
    assert tip.inner_text() == ""
    page.keyboard.press("ArrowRight")
    assert tip.inner_text().startswith("columns kept: 1")
    page.keyboard.press("ArrowRight")
    assert tip.inner_text().startswith("columns kept: 2")
    assert wrong == []


def test_the_legend_switches_curves_off(chromium, pages):
    """A click on a name hides its curve and says so to assistive technology; another shows it again."""
    page, _ = opened(chromium, pages, "compare")
    button = page.locator("figure.chart .legend button").first
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert page.locator("figure.chart").first.locator("svg.plot .series.off").count() == 1
    button.click()
    assert page.locator("figure.chart").first.locator("svg.plot .series.off").count() == 0


@pytest.mark.parametrize("name", ["compare", "rank", "condense"])
def test_it_can_be_read_without_seeing_it(chromium, pages, name):
    """Pictures have texts, fields and buttons names, tables captions, headings no gaps, and the page a language."""
    page, _ = opened(chromium, pages, name)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("svg[role=img], img, input, button, table")].filter((one) =>
          !(one.getAttribute("aria-label") || one.getAttribute("alt") || one.textContent.trim())).length"""
    )
    assert nameless == 0
    assert page.evaluate("[...document.querySelectorAll('table')].every((one) => one.caption)")
    assert page.evaluate("document.documentElement.lang") == "en"
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map((one) => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.evaluate(
        "new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size"
    ) == page.evaluate("document.querySelectorAll('[id]').length")


def test_everything_is_reached_by_keyboard(chromium, pages):
    """Tab reaches every link, field, button, summary and curve, each with a visible outline."""
    page, _ = opened(chromium, pages, "compare")
    wanted = page.evaluate(
        "[...document.querySelectorAll('a, input, button, summary, [tabindex]')].filter((e) => e.checkVisibility()).length"
    )
    seen = 0
    page.keyboard.press("Tab")
    while seen <= wanted and page.evaluate("document.activeElement !== document.body"):
        seen += 1
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        page.keyboard.press("Tab")
    assert seen == wanted


def test_screenshots(chromium, pages, tmp_path):
    """Light, dark, phone and print are written to SCREENSHOTS, to be looked at."""
    folder = Path(os.environ.get("SCREENSHOTS") or tmp_path)
    folder.mkdir(exist_ok=True)
    for view in VIEWS:
        page, _ = opened(chromium, pages, "compare", view)
        page.screenshot(path=folder / f"{view}.png", full_page=True)
    page, _ = opened(chromium, pages, "compare", "dark")
    page.pdf(path=folder / "print.pdf", format="A4")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 794, "height": 1123})
    page.screenshot(path=folder / "print.png", full_page=True)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert len(list(folder.iterdir())) >= 5
