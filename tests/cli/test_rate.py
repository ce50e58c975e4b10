"""``--fdr``: verdicts at a false discovery rate, by decoys alone or with a method as their judge."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tamis import Decoys, UnivariateAUC
from tamis.cli._estimator import chosen_estimator
from tamis.study._rate import rate_sentences
from tests.command_line import ok, refused


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Six columns that say something, and six of noise."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 12))
    y = np.where(X[:, :6].sum(axis=1) > 0, "yes", "no")
    frame = pl.DataFrame(X, schema=[f"c{j}" for j in range(12)]).with_columns(pl.Series("y", y))
    frame.write_csv("own.csv")
    return frame


def test_verdicts_are_those_of_decoys(table):
    """rank shows them with their q values; select keeps what is kept, and says what the rate means."""
    said = ok(
        "rank", "own.csv", "--fdr", "0.2", "--method", "univariate-auc", "--output", "a.csv", "--seed", "3"
    )
    judged = Decoys(UnivariateAUC(), fdr=0.2, random_state=3).fit(table.drop("y"), table["y"].to_list())
    answer = pl.read_csv("a.csv").sort("column")
    order = np.argsort(table.columns[:-1])
    assert answer["verdict"].to_list() == [judged.verdicts_[j] for j in order]
    assert answer["q"].to_list() == pytest.approx(judged.q_values_[order].tolist())
    kept = judged.get_feature_names_out().tolist()
    assert f"of the {len(kept)} kept columns about 20 % at most" in said.stderr
    ok("rank", "own.csv", "--fdr", "0.2", "--method", "univariate-auc", "--seed", "3", "--report", "a.html")
    told = Path("a.html").read_text(encoding="utf-8")
    assert f"Of the {len(kept)} kept columns about 20 % at most" in told
    assert "verdict" in told
    ok("select", "own.csv", "--fdr", "0.2", "--method", "univariate-auc", "--output", "b.csv", "--seed", "3")
    assert pl.read_csv("b.csv").columns == [*kept, "y"]


def test_without_a_method_decoys_choose_their_own_judge():
    """The settings are then those of decoys; with a method they are the method's."""
    method, estimator = chosen_estimator(None, "columns", ["n_decoys=4"], fdr=0.1)
    assert (method.name, estimator.fdr, estimator.n_decoys, estimator.selector) == ("decoys", 0.1, 4, None)
    _, estimator = chosen_estimator("univariate-auc", "columns", ["folded=True"], fdr=0.3)
    assert (estimator.fdr, estimator.selector.folded) == (0.3, True)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--keep", "3"], "both say how many"),
        (["--method", "decoys", "--set", "fdr=0.1"], "say the same thing twice"),
    ],
)
def test_a_rate_beside_another_number_is_refused(table, words, reason):
    """Two answers to one question."""
    assert reason in refused("select", "own.csv", "--fdr", "0.1", *words, "--output", "c.csv")


def test_a_rate_that_is_none_is_refused(table):
    """Neither nothing nor everything."""
    assert "above 0 and below 1" in refused("rank", "own.csv", "--fdr", "0")


def test_nothing_kept_is_said_and_the_least_number_named():
    """On noise, with doubts of this table after it."""
    random = np.random.default_rng(1)
    X, y = random.normal(size=(30, 40)), random.integers(0, 2, 30)
    none = Decoys(UnivariateAUC(), n_sets=1, n_decoys=1, random_state=0).fit(X, y)
    first, *others = rate_sentences(none)
    assert "no column is kept" in first
    assert str(none.least_kept_) in first
    assert others == none.doubts_


def test_sift_keeps_what_decoys_allow(table):
    """The five lines say the rate, the page has the verdicts, the file the columns."""
    answer = ok("sift", "own.csv", "--fdr", "0.1", "-o", "kept.csv", "--report", "page.html")
    lines = answer.stdout.splitlines()
    kept = pl.read_csv("kept.csv").columns[:-1]
    assert set(kept) >= {f"c{j}" for j in range(6)}
    assert lines[0].startswith(f"Keep {len(kept)} of 12 columns: ")
    assert f"Of the {len(kept)} kept columns about 10 % at most" in lines[2]
    page = Path("page.html").read_text(encoding="utf-8")
    assert "verdict" in page
    assert "both say how many" in refused("sift", "own.csv", "--fdr", "0.1", "--keep", "3")


def test_rank_without_a_word_gives_verdicts(table):
    """Beside the ranking of the sieve, whose order they leave alone; a named method gives none."""
    said = ok("rank", "own.csv", "--output", "a.csv", "--report", "a.html")
    answer = pl.read_csv("a.csv")
    assert answer.columns == ["rank", "column", "score", "q", "verdict"]
    judged = Decoys(random_state=0).fit(table.drop("y"), table["y"].to_list())
    verdicts = dict(zip(table.columns, judged.verdicts_))
    assert answer["verdict"].to_list() == [verdicts[name] for name in answer["column"]]
    assert "at most are expected to be there by chance" in said.stderr
    page = Path("a.html").read_text(encoding="utf-8")
    assert "verdict" in page
    assert "The same with the target shuffled" in page
    named = ok("rank", "own.csv", "--method", "univariate-auc")
    assert "verdict" not in named.stdout
