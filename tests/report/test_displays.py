"""The figures: drawn where they are told to, titled by their finding, and matplotlib loaded only then."""

import doctest
import os
import subprocess
import sys
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tamis.report
from tamis import (
    BDSFS,
    Decoys,
    MovedPrototypes,
    PairScan,
    PSBoost,
    RandomPrototypes,
    SelectorCV,
    StumpAdaBoost,
    UnivariateAUC,
)
from tamis.report import (
    CriticalDifferenceDisplay,
    DecoyDisplay,
    MarginDisplay,
    PairDisplay,
    PathDisplay,
    PrototypeDisplay,
    RankingDisplay,
    RocFsDisplay,
    RowMarginDisplay,
    SizeCurveDisplay,
    StabilityDisplay,
)
from tamis.study import compare, friedman_nemenyi, recommend

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 5))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def found():
    return compare(X, Y, ["univariate-auc", "bdsfs", "random"], models=["linear"], cv=3, repeats=1)


def drawings(found):
    """Every way to make every display, on axes that may be given."""
    tested = friedman_nemenyi(RANDOM.random((5, 3)), ["a", "b $x", "c"])
    model = StumpAdaBoost(20).fit(X, Y)
    ranker, path, rows = UnivariateAUC().fit(X, Y), BDSFS().fit(X, Y), PSBoost(0.2).fit(X, Y)
    search = SelectorCV(UnivariateAUC(), StumpAdaBoost(5), cv=2).fit(X, Y)
    pairs = PairScan().fit(X, Y)
    decoys = Decoys(UnivariateAUC(), n_sets=2, random_state=0).fit(X, Y)
    return {
        "ranking": lambda ax: RankingDisplay.from_estimator(ranker, ax=ax),
        "path": lambda ax: PathDisplay.from_estimator(path, ax=ax),
        "roc": lambda ax: RocFsDisplay.from_estimator(ranker, [1, 1, 0, 0, 0], ax=ax),
        "size": lambda ax: SizeCurveDisplay.from_results(found, ax=ax),
        "size of rows": lambda ax: SizeCurveDisplay.from_results(found, kind="rows", ax=ax),
        "search": lambda ax: SizeCurveDisplay.from_estimator(search, ax=ax),
        "stability": lambda ax: StabilityDisplay.from_results(found, ax=ax),
        "margins": lambda ax: MarginDisplay.from_estimator(model, X, Y, ax=ax),
        "row margin": lambda ax: RowMarginDisplay.from_estimator(model, X, Y, row=3, n_shown=2, ax=ax),
        "votes": lambda ax: MarginDisplay.from_estimator(model, X, Y, kind="votes", ax=ax),
        "rows": lambda ax: PrototypeDisplay.from_estimator(rows, X, Y, ax=ax),
        "pair": lambda ax: PairDisplay.from_estimator(pairs, X, Y, place=1, ax=ax),
        "decoys": lambda ax: DecoyDisplay.from_estimator(decoys, ax=ax),
        "critical": lambda ax: CriticalDifferenceDisplay.from_results(tested, ax=ax),
    }


def test_a_method_has_one_colour_in_all_figures_of_a_comparison(found):
    """Score and stability show the same lines; what keeps everything is grey and takes no colour."""
    looks = []
    for display in (SizeCurveDisplay.from_results(found), StabilityDisplay.from_results(found)):
        lines = {line.get_label(): (line.get_color(), line.get_linestyle()) for line in display.ax_.lines}
        looks.append({name: look for name, look in lines.items() if name in found.methods("columns")})
    assert looks[0] == looks[1]
    assert looks[0]


def test_every_display_draws_where_it_is_told_to(found):
    """Given axes are drawn on and no figure is made; without axes there is a figure; each has a title."""
    for name, draw in drawings(found).items():
        figure, axes = plt.subplots()
        shown = draw(axes)
        assert shown.ax_ is axes, name
        assert shown.figure_ is figure, name
        assert plt.get_fignums() == [figure.number], name
        assert axes.get_title(), name
        figure.canvas.draw()
        plt.close("all")
        assert draw(None).figure_.number in plt.get_fignums(), name
        plt.close("all")


def test_a_margin_curve_is_the_models_own_margins():
    """The last curve holds the margins that the fitted model itself stores."""
    model = StumpAdaBoost(20).fit(X, Y)
    shown = MarginDisplay.from_estimator(model, X, Y)
    np.testing.assert_allclose(list(shown.margins.values())[-1], np.sort(model.margins_), atol=1e-12)


def test_the_bars_of_a_row_lead_from_nothing_to_its_margin():
    """Each bar starts where the one before it ends, the first at 0, the last ends at the margin; few columns share one."""
    model = StumpAdaBoost(20).fit(X, Y)
    shown = RowMarginDisplay.from_estimator(model, X, Y, row=7, n_shown=2)
    bars = shown.ax_.patches
    starts = [bar.get_x() for bar in bars]
    ends = [bar.get_x() + bar.get_width() for bar in bars]
    np.testing.assert_allclose(starts, [0, *ends[:-1]], atol=1e-12)
    assert ends[-1] == pytest.approx(model.margins_[7])
    assert len(bars) == 3
    assert "other column" in shown.ax_.get_yticklabels()[2].get_text()


def test_names_with_dollars_are_not_mathematics():
    """A column named like a formula that is wrong is drawn as it is written."""
    shown = RankingDisplay([r"$\frac{", "b"], [2, 1], [1, 2], [True, False]).plot()
    shown.figure_.canvas.draw()


def test_a_selector_without_a_path_is_refused():
    """The error names the selector, and the display that will do."""
    with pytest.raises(ValueError, match=r"UnivariateAUC has no pairs_.*PairScan"):
        PairDisplay.from_estimator(UnivariateAUC().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match=r"UnivariateAUC has no decoys.*fitted Decoys"):
        DecoyDisplay.from_estimator(UnivariateAUC().fit(X, Y))
    with pytest.raises(ValueError, match=r"place=99, but there are 10 pairs. Use 0 to 9"):
        PairDisplay.from_estimator(PairScan().fit(X, Y), X, Y, place=99)
    with pytest.raises(ValueError, match=r"UnivariateAUC has no row_margins. Use a fitted StumpAdaBoost"):
        RowMarginDisplay.from_estimator(UnivariateAUC().fit(X, Y), X)
    with pytest.raises(ValueError, match=r"row=60, but X has 60 rows. Use 0 to 59"):
        RowMarginDisplay.from_estimator(StumpAdaBoost(3).fit(X, Y), X, row=60)
    with pytest.raises(ValueError, match=r"UnivariateAUC has no path.*RankingDisplay"):
        PathDisplay.from_estimator(UnivariateAUC().fit(X, Y))


def test_matplotlib_is_loaded_only_to_draw():
    """Importing every display, and making one, loads no matplotlib."""
    script = (
        "import sys, tamis.report as r; [getattr(r, name) for name in r.__all__]; "
        "r.RankingDisplay(['a'], [1], [1], [True]); sys.exit('matplotlib' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("name", tamis.report.__all__)
def test_examples_run(name):
    """The example of a display prints what it says."""
    cls = getattr(tamis.report, name)
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder().find(cls, name):
        runner.run(example)
    assert runner.tries > 0
    assert runner.failures == 0


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="takes minutes with the compiler off")
@pytest.mark.parametrize("name", ["_compare", "_stability", "_statistics"])
def test_examples_of_the_study_run(name):
    """The examples of compare, stability and the tests print what they say."""
    assert doctest.testmod(import_module(f"tamis.study.{name}")).failed == 0


def test_a_comparison_is_told_by_its_best(found):
    """The title of the size curves names the method and size of the highest mean."""
    title = SizeCurveDisplay.from_results(found).ax_.get_title()
    best = recommend(found, model="linear").best
    assert title == f"{best.method} is best, with {best.n_kept:.4g} columns"


def test_random_rows_are_all_shown():
    """Every row of the table and every kept row is a point."""
    selector = RandomPrototypes(10, random_state=0).fit(X, Y)
    axes = PrototypeDisplay.from_estimator(selector, X, Y).ax_
    assert sum(len(line.get_xdata()) for line in axes.lines) == len(X)


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, np.asarray, np.ndarray.tolist])
def test_made_rows_are_shown_beside_the_table(form):
    """They are none of its rows, and come after them, in whatever form the table is."""
    table = form((10 * X).astype(int))  # made numbers have fractions
    selector = MovedPrototypes(6, n_steps=5, random_state=0).fit(table, Y)
    axes = PrototypeDisplay.from_estimator(selector, table, Y).ax_
    assert sum(len(line.get_xdata()) for line in axes.lines) == len(Y) + 6
    assert axes.get_title() == f"MovedPrototypes makes 6 rows of {len(Y)} rows"
    assert axes.get_legend().get_title().get_text() == "class (large: made)"


def test_a_pair_of_texts_is_drawn_with_its_values_on_the_axes():
    """Nominal columns have their values as ticks, hostile names are plain, and missing values are left out."""
    frame = pl.DataFrame({"$a": ["x", "y", None, "x"] * 20, "b": [1.5, 2.0, 3.0, None] * 20})
    shown = PairDisplay(
        frame["$a"].to_list(), frame["b"].to_list(), [0, 1] * 40, ("$a", "b"), p_value=0.5
    ).plot()
    assert [tick.get_text() for tick in shown.ax_.get_xticklabels()] == ["x", "y"]
    assert shown.ax_.get_title() == r"\$a and b together (p = 0.5)"
    shown.figure_.canvas.draw()
