"""The one-file page: nothing from outside, nothing of a stranger's that runs, readable colours."""

import base64
import hashlib
import html
import re
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import polars as pl
import pytest

from tamis import SBSMF, Decoys, GramSchmidt, PairScan, UnivariateAUC
from tamis.report._chart import Line, line_chart
from tamis.report._distributions import distribution, groups_of
from tamis.report._markup import Html, element, escaped
from tamis.report._page import Section, details, figure_of_png, figure_of_svg, page, paragraph, table
from tamis.report._ranking_page import ranking_page
from tamis.report._rows_page import rows_page
from tamis.report._suspects_page import suspects_page
from tamis.study._kept_accuracy import KeptAccuracy
from tamis.table._dataset import Dataset

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "&lt;b&gt;",
    "a\x00b\x1b[31m",
    "\u202etxt.exe",
    "\ud800",
    "]]>",
]


class Reader(HTMLParser):
    """Collects every tag with its attributes, and checks that tags are closed in order."""

    VOID = frozenset({"meta", "img", "input", "br"})

    def __init__(self):
        super().__init__()
        self.tags, self.open, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def everything(word):
    """A page in which `word` stands wherever a stranger's word can stand."""
    block = table([word, "n"], [[word, 1.0], [word, None]], caption=word, searchable=True, shown=1)
    picture = figure_of_png(b"png", alt=word, caption=word)
    parts = [Section(word, [word, paragraph(word, class_="faint"), block, picture, details(word, word)])] * 3
    return page(word, parts, lead=word, made={word: word})


@pytest.mark.parametrize("word", HOSTILE)
def test_a_hostile_word_stays_a_word(word):
    """A text from a table makes no tag and no attribute, wherever it stands."""
    hostile, harmless = read(everything(word)), read(everything("word"))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in harmless.tags]
    assert [sorted(given) for _, given in hostile.tags] == [sorted(given) for _, given in harmless.tags]


@pytest.mark.parametrize("word", HOSTILE)
def test_a_page_is_valid_utf8_without_control_characters(word):
    """What is written can be encoded, and holds no control character but line breaks and tabs."""
    text = everything(word)
    assert text.encode("utf-8").decode("utf-8") == text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", text)


def test_escaping_keeps_plain_text():
    """What is escaped reads back as it was, where it holds no hidden characters."""
    for word in ("a < b & c > d", 'say "yes"', "it's", "größe", "線"):
        assert html.unescape(escaped(word)) == word
    assert escaped(Html("<b>x</b>")) == "<b>x</b>"
    assert element("p", "<", class_="a&b") == '<p class="a&amp;b">&lt;</p>'


def test_nothing_comes_from_outside():
    """No element loads anything: no link, no source but data, no url() in the style."""
    text = everything("word")
    reader = read(text)
    assert not {"link", "iframe", "object", "embed", "base"} & {tag for tag, _ in reader.tags}
    sources = [given["src"] for _, given in reader.tags if "src" in given]
    assert sources
    assert all(source.startswith("data:") for source in sources)
    assert "url(" not in text
    assert "@import" not in text
    assert "http" not in re.sub(r'http-equiv|xmlns="http://www.w3.org/2000/svg"', "", text)


def test_the_policy_names_the_pages_own_script_and_style():
    """The content security policy allows the digests of the script and style in the page, and no others."""
    text = everything("word")
    policy = next(given["content"] for tag, given in read(text).tags if given.get("http-equiv"))
    for tag in ("script", "style"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_a_picture_needs_words():
    """A picture without a text that stands for it is refused."""
    with pytest.raises(ValueError, match="alt is empty"):
        figure_of_svg("<svg/>", alt=" ")


def test_numbers_stand_to_the_right_and_gaps_are_empty():
    """A column of numbers and gaps is numeric; a column with a text is not."""
    text = table(["a", "b"], [[1.23456, "x"], [None, 2], [float("nan"), True]], caption="c")
    assert text.count('<th scope="col" class="n">') == 1
    assert "<td class=n>1.235</td>" in text
    assert text.count("<td class=n></td>") == 2
    assert "<td>yes</td>" in text


# --- colours ------------------------------------------------------------------------------------------------


def _luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one, other):
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _palettes():
    css = files("tamis.report").joinpath("page.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", css, flags=re.DOTALL)
    return [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in blocks]


@pytest.mark.parametrize("palette", _palettes(), ids=["light", "dark", "print"])
def test_colours_can_be_read(palette):
    """Text has a contrast of at least 4.5 to 1 on both grounds, lines of a chart at least 3 to 1."""
    for ground in ("paper", "raised"):
        for ink in ("ink", "faint", "link"):
            assert _contrast(palette[ink], palette[ground]) >= 4.5, (ink, ground)
        for place in range(6):
            assert _contrast(palette[f"s{place}"], palette[ground]) >= 3, (place, ground)


def test_a_ranking_by_pairs_lists_the_best_pairs():
    """The page of PairScan names the pairs, whatever the columns are called; that of another method has no such section."""
    X = np.random.default_rng(0).random((120, 4))
    y = (X[:, 1] > 0.5) != (X[:, 3] > 0.5)
    names = ["<script>", "b", "c", "d"]
    text = ranking_page("t", "pair-scan", names, PairScan().fit(X, y))
    assert "Pairs of columns" in text
    assert "<script>alert" not in text
    assert "Pairs of columns" not in ranking_page("t", "univariate-auc", names, UnivariateAUC().fit(X, y))


def test_pairs_beyond_chance_are_drawn():
    """The rows on the two columns, texts as places, missing values left out; a permuted class has no picture."""
    rng = np.random.default_rng(0)
    texts = rng.choice(["<b>x", "y", "z"], 150)
    number = rng.random(150)
    y = (number > 0.5) != (texts == "y")
    X = pl.DataFrame({"<i>": texts, "n": [None if n < 0.1 else n for n in number], "c": rng.random(150)})
    scan = PairScan().fit(X, y)
    for labels, drawn in ((y, True), (rng.permutation(y), False)):
        text = ranking_page(
            "t", "pair-scan", X.columns, scan.fit(X, labels), data=Dataset("t", X, labels, "y", ())
        )
        assert ("together tell the classes apart" in text) == drawn
        assert ('class="ring"' in text or 'class="dot" cx' in text) == drawn
        assert "<i>" not in text
        assert "<b>x" not in text
        read(text)


def test_a_ranking_says_first_which_columns_beat_their_decoys():
    """Where decoys judge a ranking of another method, the answer counts and names what they keep."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 1] + X[:, 2] > 0).astype(int)
    ranked = UnivariateAUC().fit(X, y)
    judged = Decoys(GramSchmidt(), fdr=0.5, random_state=0).fit(X, y)
    text = ranking_page("t", "univariate-auc", ["a", "b, c", "d"], ranked, kept=False, judged=judged)
    answer = text.partition('class="answer"')[2].partition("</p>")[0]
    n_kept = int(judged.support_.sum())
    assert n_kept == 2
    assert "come first of 3 columns, by univariate-auc; 2 beat their decoys: " in answer
    assert answer.count("&quot;b, c&quot;") == 2


def test_a_ranking_tells_kinds_missing_values_and_distributions():
    """Each column with its kind and missing share; bars of the histograms count the rows of every class."""
    rng = np.random.default_rng(0)
    y = np.repeat(["<b>no", "yes"], [60, 30])
    X = pl.DataFrame(
        {
            "size": [
                None if row % 10 == 0 else float(value) for row, value in enumerate(rng.normal(size=90))
            ],
            "<i>": np.where(np.arange(90) % 3 == 0, "<u>", "b"),
        }
    )
    data = Dataset("t", X, y, "y", ())
    text = ranking_page("t", "univariate-auc", X.columns, UnivariateAUC().fit(X, y), data=data, notes=["<s>"])
    read(text)
    for tag in ("<i>", "<u>", "<s>", "<b>no"):
        assert tag not in text
    assert "10.0%" in text  # missing
    assert "categories" in text
    assert "&lt;b&gt;no, &lt;u&gt;: 20 rows (33.3%)" in text  # 20 of the first 60 rows
    assert "yes, b: 20 rows (66.7%)" in text


def test_a_ranking_by_margins_names_the_rows_that_fit_least():
    """One row whose label is turned comes first, with the column that is against it; other methods have no such section."""
    rng = np.random.default_rng(0)
    X = pl.DataFrame({"<i>a": rng.normal(size=40), "b": rng.normal(size=40)})
    y = np.where(X["<i>a"].to_numpy() > 0, "up", "down")
    turned = int(np.argmax(X["<i>a"].to_numpy()))
    y[turned] = "down"
    data = Dataset("t", X, y, "y", ())
    text = ranking_page("t", "sbs-mf", X.columns, SBSMF(1, n_rounds=1).fit(X, y), data=data)
    read(text)
    section = re.sub(r"<[^>]+>", " ", text.rpartition("The rows that fit their class least")[2])
    value = X["<i>a"][turned]
    assert re.search(rf"\b{turned + 1}\s+down\s+up\s+-1\b.*&lt;i&gt;a = {value:.4g} \(-1.00\)", section)
    other = ranking_page("t", "univariate-auc", X.columns, UnivariateAUC().fit(X, y), data=data)
    assert "fit their class least" not in other


@pytest.mark.parametrize(
    "values", [[1.0, 2.0, 1.0], [None] * 3, [0.0, 1e308, -1e308], ["x", None, "y"], [5, 5, 5]]
)
def test_any_column_has_a_distribution(values):
    """Few values, none, huge ones, texts and constants: every row with a value is counted once."""
    series = pl.Series("a", values)
    rows = {"all": np.ones(len(values), dtype=bool)}
    counted = [int(n) for n in re.findall(r": (\d+) rows \(", distribution(series, rows))]
    assert sum(counted) == len(series) - series.null_count()


def test_a_wide_histogram_counts_every_row_once():
    """Values beyond the last quantiles are in the first and last bar."""
    values = np.random.default_rng(0).standard_cauchy(500)
    groups = groups_of(values, "numbers")
    assert sum(rows.sum() for rows in groups.values()) == 500
    drawn = distribution(pl.Series("a", values), groups)
    assert sum(int(n) for n in re.findall(r": (\d+) rows \(", drawn)) == 500


def test_a_page_of_rows_tells_their_values_and_what_they_are_worth():
    """Every row under the pointer, hostile names as text, and the figures that were given."""
    X = pl.DataFrame({"<i>": [1.0, 2.0, None, 4.0], "b": ["<u>", "v", "w", None]})
    judged = KeptAccuracy(0.75, 0.5, 0.7, 0.1, 2, 3, {"p": 1.0, "<b>": 0.5})
    text = rows_page(
        "t", "random", [0, 1], ["p", "<b>", "p", "<b>"], np.eye(4, 2), 0.9, rows=X, judged=judged
    )
    read(text)
    for tag in ("<i>", "<u>", "<b>:", "<b>;"):
        assert tag not in text
    assert "row 1 (kept): p; &lt;i&gt; 1, b &lt;u&gt;" in text
    assert "row 4: &lt;b&gt;; &lt;i&gt; 4, b missing" in text
    assert "75.0% of 2 rows held out get the right class by the nearest of 3 rows" in text
    assert "drawn at random 50.0%" in text
    assert "all the others 70.0%" in text


def test_values_of_a_table_keep_their_digits():
    """Rows that are shown as they are have the digits of the table, not those of a column of figures."""
    rows = [[3374.28, 59.7, True], [98.08, None, False]]
    shown = table(["a", "b", "c"], rows, caption="rows", exact=True)
    assert all(cell in shown for cell in (">3374.28<", ">98.08<", ">59.7<", ">yes<"))
    assert ">3374.3<" in table(["a", "b", "c"], rows, caption="rows")


def test_an_axis_of_shares_ends_at_one():
    """Where every score is 1, nothing above it is drawn."""
    drawn = line_chart(
        [Line("mean", [1.0, 2.0], [1.0, 1.0])], x_label="columns", y_label="score", alt="all right"
    )
    assert ">1<" in drawn
    assert ">1.0" not in drawn


def test_a_page_without_suspects_lists_none():
    """No table of no rows, no mark that is not in the picture."""
    answer = pl.DataFrame(
        {
            "row": [1, 2],
            "label": ["a", "b"],
            "looks wrong": [False, False],
            "suggested": ["a", "b"],
            "probably right": [1.0, 1.0],
            "value": [0.1, 0.2],
            "margin": [0.1, 0.2],
        }
    )
    place = np.array([[0.0, 1.0], [1.0, 0.0]])
    pages = [suspects_page("t", answer, some, ["a", "b"], place, 1.0, "told") for some in ([], [0])]
    for words in ("Labels that look wrong", "Large open marks"):
        assert [words in page for page in pages] == [False, True]
