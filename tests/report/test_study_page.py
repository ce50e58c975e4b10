"""The page of a comparison: one count of rows in every place, models in words, the advised method and everything in colour."""

import re

import numpy as np
import pytest

from tamis.study import compare


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] > 0, "a", "b")
    found = compare(
        X, y, ["univariate-auc", "random"], models=["1-nn"], cv=3, repeats=1, row_sizes=[0.1, 0.5]
    )
    path = tmp_path_factory.mktemp("page") / "r.html"
    found.report(path, X=X, y=y)
    return path.read_text()


def test_rows_are_counted_in_the_whole_table_everywhere(page):
    """Splits keep 4 and 20 of their 40 training rows; sentence, cards, tables and chart say 6, 30 and 60 of 60."""
    rows = page[page.index("Which rows to keep") :]
    sizes = {float(one) for one in re.findall(r'"rows kept: ([0-9.]+)"', rows.replace("&quot;", '"'))}
    assert sizes == {6, 30, 60}
    assert not re.search(r"\b(4|20|40) rows", rows.replace("About ", "about ").split("The same with")[0])


def test_models_are_named_in_words(page):
    """No table or sentence gives the short name of a model."""
    assert "1-nn" not in page.split("<footer")[0]
    assert page.count("the nearest neighbour") > 4


def test_the_advised_method_and_everything_are_named_in_the_legend(page):
    """What is advised comes first, and everything is a curve of its own, also among columns."""
    for kind, method in (("columns", "univariate-auc"), ("rows", "random")):
        chart = page[page.index(f"Score against the number of {kind}</h2>") :]
        names = re.findall(r'aria-pressed="true"[^>]*>.*?</button>', chart, re.DOTALL)
        assert [method in names[0], f"all {kind}" in names[1]] == [True, True]


def test_titles_begin_with_a_capital(page):
    """Sections of columns and of rows are told apart at the end of their titles."""
    assert "The same with the target shuffled: columns</h2>" in page
    assert "The same with the target shuffled: rows</h2>" in page


def test_the_lean_card_names_the_columns_of_the_sentence(tmp_path):
    """They are those kept of the whole table, not those kept most often in the splits, which may be others."""
    X = np.random.default_rng(5).normal(size=(80, 6))
    y = np.where(X[:, :4].sum(axis=1) > 0, "a", "b")
    found = compare(X, y, ["bdsfs"], models=["linear"], cv=4, repeats=1)
    said = found.advice["columns"]
    assert said.chosen != said.best
    found.report(tmp_path / "r.html", X=X, y=y)
    page = (tmp_path / "r.html").read_text()
    sentence = re.search(r"Keep (<b>.*?):", page)[1]
    card = re.search(r"Lean: .*?</b><span>(.*?): .*? on the rows that chose, by bdsfs", page)[1]
    assert re.findall(r"<b>(.*?)</b>", sentence) == card.split(", ")
