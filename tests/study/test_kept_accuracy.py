"""What kept rows are worth."""

import numpy as np
import polars as pl

from tamis.study._kept_accuracy import kept_accuracy


def test_it_is_the_nearest_neighbour_rule_on_the_rows_left():
    """A column of numbers: the nearest kept row answers; classes count alike, and asked rows are neither kept nor drawn."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = np.where(x + 0.5 * rng.normal(size=200) > 0.5, "a", "b")
    kept = np.array([int(np.argmin(np.abs(x - place))) for place in (-1.0, 0.0, 1.0)])
    found = kept_accuracy(pl.DataFrame({"x": x}), y, kept)
    assert found.n_asked == 200 - 2 * len(kept)
    said = y[kept][np.abs(x[:, None] - x[kept]).argmin(axis=1)]
    others = np.setdiff1d(np.arange(200), kept)
    whole = np.mean([(said[others] == y[others])[y[others] == one].mean() for one in "ab"])
    assert abs(found.kept - whole) < 0.05  # all others but the few drawn rows
    assert found.kept == np.mean(list(found.by_class.values()))
    assert 0 <= found.drawn <= 1


def test_there_is_none_where_nothing_can_be_asked():
    """All rows kept, or kept rows of one class."""
    frame, y = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0]}), np.array(["a", "a", "b", "b", "b"])
    assert kept_accuracy(frame, y, np.arange(5)) is None
    assert kept_accuracy(frame, y, np.array([0])) is None
