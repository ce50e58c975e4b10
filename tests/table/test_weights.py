"""Weights of rows and classes mean the same in every estimator, whatever their size."""

import inspect

import numpy as np
import pytest
from sklearn.base import RegressorMixin

from tamis import MarginPrototypes, StumpAdaBoost
from tests.estimators import QUICK, default, public_estimators

ALL = public_estimators()
WEIGHTED = [name for name in ALL if "sample_weight" in inspect.signature(ALL[name].fit).parameters]
BY_CLASS = [name for name in ALL if "class_weight" in default(name).get_params()]
REFUSES = {"FS2Boost": "each class is set against the rest, and a side without weight has no votes"}
# A row selector may still keep a row whose loss counts nothing.
LEAVES_OUT = [
    name
    for name in BY_CLASS
    if name in WEIGHTED and name not in REFUSES and not hasattr(ALL[name], "fit_resample")
]
REPEATS = {
    "SampledEFR": "a likelihood grows with the rows: a weight is how often a row is there, a whole number"
}
NOT_RATIOS = {
    "SelectorCV": "the selector, the model and the score get the weights as they are given",
    "Simba": "a weight is how often a pass visits a row; see tests/features/test_simba.py for weights of any size",
}
BY_RATIO = [name for name in WEIGHTED if name not in REPEATS and name not in NOT_RATIOS]
COUNTS = {"PairScan": "a p value falls with the number of rows, and weights are counts of rows"}
SCALES = [2.0**-1050, 2.0**-40, 4.0, 2.0**1020]


def table(n_classes=2, n=60):
    rng = np.random.default_rng(n_classes)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, 4)) + np.outer(y, [1.0, 0.3, 0.0, 0.0])
    return X, y, rng.integers(1, 4, n).astype(float)


def made(name, **parameters):
    """A quick estimator with a fixed seed."""
    seed = {"random_state": 0} if "random_state" in default(name).get_params() else {}
    return default(name, **QUICK.get(name, {}), **seed, **parameters)


def answers(fitted, X):
    """Everything that a fitted estimator says."""
    names = ("ranking_", "scores_", "sample_indices_", "prototypes_")
    told = {name: getattr(fitted, name, None) for name in names}
    told |= {name: getattr(fitted, name)(X) for name in ("predict", "predict_proba") if hasattr(fitted, name)}
    return {name: value for name, value in told.items() if value is not None}


def assert_same(first, second, X, root=1.0):
    """The same answers; scores may all be `root` times the others."""
    first, second = answers(first, X), answers(second, X)
    assert first
    for name, value in first.items():
        np.testing.assert_array_equal(value * root if name == "scores_" else value, second[name])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", BY_RATIO)
def test_only_ratios_of_row_weights_count(name, scale, n_classes):
    """Weights times any power of two give the same bits; GramSchmidt's x . y grows with the root of it."""
    X, y, weights = table(n_classes)
    plain = made(name).fit(X, y, sample_weight=weights)
    if name in COUNTS and scale > 1:
        scaled = made(name).fit(X, y, sample_weight=weights * scale)
        assert np.isfinite(scaled.scores_).all()
        assert scaled.scores_[0] > plain.scores_[0]
        return
    if name in COUNTS:  # fewer rows than there are count as so many
        plain = made(name).fit(X, y, sample_weight=weights * 2.0**-10)
    scaled = made(name).fit(X, y, sample_weight=weights * scale)
    assert_same(plain, scaled, X, scale**0.5 if name == "GramSchmidt" else 1.0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", BY_CLASS)
def test_only_ratios_of_class_weights_count(name, scale, n_classes):
    """Class weights times any power of two give the same bits."""
    X, y, _ = table(n_classes)
    given = {label: 1.0 + label for label in range(n_classes)}
    fits = []
    for factor in (1.0, scale):
        weights = {label: weight * factor for label, weight in given.items()}
        fits.append(made(name, class_weight=weights).fit(X, y))
    assert_same(*fits, X)


@pytest.mark.parametrize("name", BY_RATIO)
def test_a_row_next_to_nothing_is_still_a_row(name):
    """The least float beside the largest: the answers are those of a weight a thousand digits nearer."""
    X, y, weights = table()
    weights[::7] = 2.0**-440
    near = made(name).fit(X, y, sample_weight=weights)
    weights[::7] = 5e-324
    assert_same(near, made(name).fit(X, y, sample_weight=weights), X)


@pytest.mark.parametrize("name", BY_CLASS)
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({0: 0}, "class_weight leaves weight to 1 class, but at least 2 classes are needed"),
        ({0: 0, 1: 0.0}, "class_weight leaves weight to 0 classes"),
        ({"u": 1}, "class_weight names 'u', which is no class of y. Classes: 0, 1"),
        ({"u": 0}, "class_weight names 'u', which is no class of y"),
        ({1: None}, "class_weight gives 1 the weight None. Use a finite number that is not negative"),
        ({1: "2"}, "class_weight gives 1 the weight '2'"),
        ({1: True}, "class_weight gives 1 the weight True"),
        ({1: -1}, "class_weight gives 1 the weight -1"),
        ({1: np.nan}, "class_weight gives 1 the weight nan"),
        ({1: np.inf}, "class_weight gives 1 the weight inf"),
        ({1: 10**400}, "class_weight gives 1 the weight 1000"),
    ],
)
def test_class_weights_that_cannot_be_are_refused_alike(name, given, says):
    """One sentence in every estimator: who, which class, what was given."""
    X, y, _ = table()
    with pytest.raises(ValueError, match=f"^{name}: {says}"):
        made(name, class_weight=given).fit(X, y)


def test_weights_that_are_none_are_refused_with_who_and_what_to_do():
    """scikit-learn's sentence stands between the name of the estimator and what to give instead."""
    for weights in ([1, 1, 1, -1], [1, 1], [1, 1, 1, np.nan], [[1, 1, 1, 1]] * 4, ["heavy"] * 4):
        with pytest.raises(
            ValueError,
            match=r"^StumpAdaBoost: .*\. Give one finite number per row as sample_weight, 0 or more",
        ):
            StumpAdaBoost().fit([[1], [2], [3], [4]], [0, 0, 1, 1], sample_weight=weights)


@pytest.mark.parametrize("name", [name for name in WEIGHTED if not issubclass(ALL[name], RegressorMixin)])
def test_rows_that_leave_one_class_are_refused_alike(name):
    """Weights of 0 for all rows of a class but one."""
    X, y, _ = table()
    with pytest.raises(ValueError, match=f"^{name}: sample_weight leaves weight to 1 class, but"):
        made(name).fit(X, y, sample_weight=(y == 0).astype(float))


@pytest.mark.parametrize("name", REPEATS)
def test_whole_numbers_repeat_rows_and_others_are_refused(name):
    """The answers are those of the table with its rows repeated; a fraction of a row is refused."""
    X, y, weights = table()
    again = np.repeat(np.arange(len(y)), weights.astype(int))
    assert_same(made(name).fit(X, y, sample_weight=weights), made(name).fit(X[again], y[again]), X)
    with pytest.raises(
        ValueError, match=f"^{name}: sample_weight holds .* A weight is how often a row is there"
    ):
        made(name).fit(X, y, sample_weight=weights / 4)


@pytest.mark.parametrize("name", REFUSES)
def test_a_class_of_weight_0_is_refused_where_it_must_vote(name):
    """By name, with what to do."""
    X, y, _ = table(4)
    with pytest.raises(ValueError, match=f"^{name}: class_weight gives the class 1 no weight. Use positive"):
        made(name, class_weight={1: 0}).fit(X, y)


@pytest.mark.parametrize("name", LEAVES_OUT)
def test_a_class_of_weight_0_is_left_out(name):
    """The answers are those of the table without its rows; `classes_` still names it, and no row is given to it."""
    X, y, _ = table(4)
    rest = y != 1
    fitted = made(name, class_weight={1: 0}).fit(X, y)
    without = made(name, class_weight={}).fit(X[rest], y[rest])
    assert fitted.classes_.tolist() == [0, 1, 2, 3]
    if hasattr(fitted, "predict_proba"):
        np.testing.assert_array_equal(fitted.predict(X), without.predict(X))
        np.testing.assert_array_equal(fitted.predict_proba(X)[:, [0, 2, 3]], without.predict_proba(X))
        assert not fitted.predict_proba(X)[:, 1].any()
        np.testing.assert_array_equal(np.isnan(fitted.margins_), ~rest)
        np.testing.assert_array_equal(list(fitted.staged_predict(X))[-1], without.predict(X))
    else:
        assert_same(fitted, without, X)


def test_a_table_in_parts_reads_weights_as_one_in_memory_does(tmp_path):
    """A class of weight 0, weights that no sum can hold, and weights near the least float: the same model."""
    import polars as pl

    X, y, weights = table(4)
    X = np.round(X, 1)
    frame = pl.DataFrame(X, schema=list("abcd")).with_columns(y=y)
    for scale in (2.0**-1060, 1.0, 2.0**1022):
        frame.with_columns(w=weights * scale).write_parquet(tmp_path / "table.parquet")
        for given in ({1: 0}, {1: 3e300, 2: 1e300}, "balanced"):
            parts = StumpAdaBoost(8, class_weight=given).fit(str(tmp_path), "y", sample_weight="w")
            whole = StumpAdaBoost(8, class_weight=given).fit(frame[list("abcd")], y, sample_weight=weights)
            assert parts.classes_.tolist() == whole.classes_.tolist()
            np.testing.assert_array_equal(
                parts.predict_proba(frame[list("abcd")]), whole.predict_proba(frame[list("abcd")])
            )
    halves = (X[:, 0] > 0).astype(int)
    frame.with_columns(y=halves, w=3.0 * np.ones(len(y))).write_parquet(tmp_path / "table.parquet")
    parts = StumpAdaBoost().fit(str(tmp_path), "y", sample_weight="w")
    assert len(parts.stumps_[0]) == 1
    whole = StumpAdaBoost().fit(frame[list("abcd")], halves, sample_weight=3.0 * np.ones(len(y)))
    np.testing.assert_array_equal(parts.stumps_[0].alpha, whole.stumps_[0].alpha)
    frame.write_parquet(tmp_path / "table.parquet")
    with pytest.raises(ValueError, match="class_weight names 7, which is no class of y"):
        StumpAdaBoost(class_weight={7: 0}).fit(str(tmp_path), "y")
    with pytest.raises(ValueError, match="class_weight gives 1 the weight None"):
        StumpAdaBoost(class_weight={1: None}).fit(str(tmp_path), "y")
    with pytest.raises(ValueError, match="class_weight leaves weight to 1 class"):
        StumpAdaBoost(class_weight={1: 0, 2: 0, 3: 0}).fit(str(tmp_path), "y")


def test_the_loss_of_kept_rows_is_told_in_the_weights_that_were_given():
    """The search is the same for weights eight times as large, and its losses are eight times as large."""
    X, y, _ = table(3)
    one = MarginPrototypes(6, class_weight={0: 1.5, 1: 0.25}, random_state=0).fit(X, y)
    many = MarginPrototypes(6, class_weight={0: 12.0, 1: 2.0, 2: 8.0}, random_state=0).fit(X, y)
    np.testing.assert_array_equal(one.sample_indices_, many.sample_indices_)
    np.testing.assert_array_equal(8 * one.history_["loss"], many.history_["loss"])


def test_every_estimator_that_takes_weights_is_looked_at():
    """The lists above leave out none that is known."""
    assert {"GramSchmidt", "ROGER", "UnivariateAUC", "EFR", "SBSMF", "BDSFS", "StumpAdaBoost"} <= set(
        WEIGHTED
    )
    assert {"FS2Boost", "NeighborAdaBoost", "MarginPrototypes"} <= set(BY_CLASS)
