"""Pictures of the problem space: their curves are those of the rankings, and they can be drawn."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from tamis import UnivariateAUC
from tamis.datasets import make_problem
from tamis.study.problem_space import problem_space
from tamis.study.problem_space_pictures import area_map, curves_of, roc_fs_curves
from tamis.study.roc_fs import roc_fs
from tests.study.test_problem_space import POINTS


def test_curves_are_those_of_the_rankings():
    """The area under a curve on the grid is that of the data set, but for the width of the grid."""
    results = problem_space(UnivariateAUC(), POINTS, n_datasets=4)
    grid, curves = curves_of(results)
    for row, curve in zip(results.to_dicts(), curves):
        assert abs(trapezoid(curve, grid) - row["auc"]) < 0.02
        data = make_problem(**{name: row[name] for name in POINTS[0]}, random_state=row["seed"])
        ranking = UnivariateAUC().fit(data.X, data.y).ranking_
        judged = roc_fs(np.isin(data.X.columns, data.informative), ranking=ranking)
        steps = judged.false_relevant <= 0.5
        assert curve[50] == pytest.approx(judged.true_relevant[steps].max())


def test_pictures_have_a_panel_for_every_group():
    """A panel a concept for the curves; a map for each d, concept and redundancy, besides the bar of colours."""
    results = problem_space(UnivariateAUC(), POINTS, n_datasets=2)
    assert len(roc_fs_curves(results).axes) == 2
    assert len(area_map(results).axes) == 3 + 1


def test_results_without_ranks_are_refused():
    """Rows of an older run can be mapped, but have no curves to draw."""
    import polars as pl

    results = problem_space(UnivariateAUC(), POINTS[:1], n_datasets=2)
    bare = results.with_columns(ranks=pl.lit(None, dtype=pl.List(pl.Float64)))
    with pytest.raises(ValueError, match="hold no ranks"):
        roc_fs_curves(bare)
