"""Column selectors for a numeric target: against plain loops, and what every user may rely on."""

from functools import partial

import numpy as np
import pytest

import tamis
from tamis import (
    BDSFS,
    EFR,
    ROGER,
    SBSMF,
    FS2Boost,
    GramSchmidt,
    PairScan,
    ReliefF,
    SampledEFR,
    Sieve,
    UnivariateAUC,
)
from tamis._methods import methods
from tests.oracles import numbers as oracle
from tests.settings import N_PROBLEMS

# a few hypotheses are enough here
quick_roger = partial(ROGER, n_evaluations=2020, random_state=0)
quick_efr = partial(EFR, ROGER(n_evaluations=420), n_estimators=9, random_state=0)
sfs = partial(FS2Boost, criterion="accuracy")
quick_sampled = partial(
    SampledEFR, n_chains=1, n_additive_chains=1, n_sweeps=60, n_burn_in=20, random_state=0
)
quick_sieve = partial(Sieve, n_features_to_select=0.5, explain=False, random_state=0)
TAKE_NUMBERS = [
    SBSMF, BDSFS, UnivariateAUC, GramSchmidt, ReliefF, quick_roger, quick_efr, sfs, PairScan, quick_sieve, quick_sampled,
]  # fmt: skip


def problem(seed, n_columns=5):
    """A small table with ties, missing values and a categorical column, a target with ties, and weights or none."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    X = rng.normal(size=(n, n_columns)).round(int(rng.integers(0, 3)))
    X[:, 1] = rng.integers(0, 4, n)
    X[:, 2] *= 10.0 ** rng.integers(-6, 7)
    if rng.random() < 0.6:
        X[rng.random(X.shape) < 0.2] = np.nan
    y = (rng.normal(size=n) + np.nan_to_num(X[:, 0])).round(int(rng.integers(0, 4)))
    y[:2] = 0.25, 1.75
    return X, y, None if seed % 2 else rng.integers(1, 4, n).astype(float)


def friedman(n, n_noise, seed=0):
    """Friedman's first function of five columns, among columns of noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 5 + n_noise))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.normal(size=n)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_concordance_equals_all_pairs(seed):
    """Every column, folded or not, with weights or without, exactly."""
    X, y, weights = problem(seed)
    nominal = np.arange(X.shape[1]) == 1
    selector = UnivariateAUC(folded=seed % 3 == 0, categorical_features=[1]).fit(X, y, weights)
    expected = [oracle.auc_score(X[:, j], nominal[j], y, weights, seed % 3 == 0) for j in range(X.shape[1])]
    assert np.allclose(selector.scores_, expected, rtol=0, atol=4e-16)


@pytest.mark.parametrize("seed", range(N_PROBLEMS // 2))
@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_regression_relief_equals_plain_loops(seed, metric):
    """Weights are the fractions of the definition, to the last bits."""
    X, y, _ = problem(seed)
    nominal = np.arange(X.shape[1]) == 1
    found = ReliefF(n_neighbors=3, metric=metric, categorical_features=[1]).fit(X, y).scores_
    expected = np.array(oracle.relief_weights(X, nominal, y, 3, metric))
    constant = [len(np.unique(X[:, j])) == 1 for j in range(X.shape[1])]
    assert np.allclose(found[~np.array(constant)], expected[~np.array(constant)], rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_two_numbers_are_two_classes(seed):
    """With a target of two values concordance is the area under the ROC curve, and the cosine is the same up to its sign."""
    X, _, weights = problem(seed)
    classes = np.random.default_rng(seed).integers(0, 2, len(X))
    classes[:2] = 0, 1
    numbers = classes * 2.5 - 0.75
    for method in (UnivariateAUC, GramSchmidt):
        as_classes = method(target_kind="classes", categorical_features=[1]).fit(X, classes, weights)
        as_numbers = method(target_kind="numbers", categorical_features=[1]).fit(X, numbers, weights)
        if method is UnivariateAUC:
            assert np.allclose(as_classes.scores_, as_numbers.scores_, atol=1e-9)
        assert not hasattr(as_numbers, "classes_")


@pytest.mark.parametrize(
    "method",
    [
        UnivariateAUC(),
        UnivariateAUC(folded=True),
        SBSMF(loss="ranks"),
        quick_roger(),
        quick_efr(),
        PairScan(),
    ],
)
def test_a_monotone_transform_of_the_target_changes_nothing(method):
    """What rests on the order of the target alone has the same bits."""
    X, y = friedman(120, 20)
    first = method.fit(X, y)
    scores, ranking = first.scores_.copy(), first.ranking_.copy()
    second = method.fit(X, np.exp(y / 3))
    assert scores.tolist() == second.scores_.tolist()
    assert ranking.tolist() == second.ranking_.tolist()


@pytest.mark.parametrize("method", TAKE_NUMBERS)
def test_signal_comes_before_noise(method):
    """Four of Friedman's five columns are among the first five of twenty-five; one is symmetric, and hidden from some."""
    X, y = friedman(400, 20)
    first = np.argsort(method().fit(X, y).ranking_)[:5]
    assert np.isin([0, 1, 3, 4], first).sum() >= 3
    assert {3} <= set(first.tolist())


@pytest.mark.parametrize("method", TAKE_NUMBERS)
def test_constants_and_copies_come_last(method):
    """Behind noise, as with classes."""
    X, y = friedman(150, 3)
    X = np.column_stack([np.zeros(150), X[:, 3], X])
    ranking = method().fit(X, y).ranking_
    assert ranking[0] == X.shape[1]
    assert ranking[5] == X.shape[1] - 1  # of two equal columns the later one


@pytest.mark.parametrize(
    "method", [SBSMF, BDSFS, UnivariateAUC, GramSchmidt, quick_roger, quick_efr, PairScan]
)
def test_a_row_of_weight_two_is_a_row_given_twice(method):
    """And one of weight 0 is not there."""
    X, y = friedman(80, 4)
    weights = np.random.default_rng(0).integers(0, 3, 80)
    once = method().fit(X, y, sample_weight=weights)
    twice = method().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert once.ranking_.tolist() == twice.ranking_.tolist()
    assert np.allclose(once.scores_, twice.scores_, atol=1e-6)


@pytest.mark.parametrize("method", TAKE_NUMBERS)
def test_floats_with_fractions_are_numbers(method):
    """Floats with fractions, or many of them, are numbers; whole floats of few values and integers are classes."""
    X, y = friedman(60, 2)
    assert not hasattr(method().fit(X, y), "classes_")
    assert not hasattr(method().fit(X, np.arange(60.0)), "classes_")
    assert len(method().fit(X, np.arange(60) % 7).classes_) == 7
    assert len(method().fit(X, (np.arange(60) % 7).astype(float)).classes_) == 7
    both = method().fit(X, np.arange(60) % 3)
    assert not hasattr(both.set_params(target_kind="numbers").fit(X, np.arange(60) % 7), "classes_")


@pytest.mark.parametrize("method", TAKE_NUMBERS)
def test_float32_and_a_frame_give_the_same(method):
    """The dtype of the table and of the target does not matter."""
    import polars as pl

    X, y = friedman(60, 2)
    X, y = X.astype(np.float32), y.astype(np.float32)
    expected = method().fit(X, y)
    for other in (X.astype(np.float64), pl.DataFrame(X)):
        again = method().fit(other, y.astype(np.float64))
        assert again.scores_.tolist() == expected.scores_.tolist()
        assert again.ranking_.tolist() == expected.ranking_.tolist()


@pytest.mark.parametrize("method", TAKE_NUMBERS)
@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.5, np.nan, 1.5, 2.5], "1 of 4 rows have no label"),
        ([0.5, np.inf, 1.5, 2.5], "infinity"),
        ([0.5, 0.5, 0.5, 0.5], "one number only"),
        ([0.5, 1.5, 2.5], "inconsistent numbers of samples"),
    ],
)
def test_targets_that_cannot_be_used(method, y, message):
    """Missing, infinite and equal numbers are refused with a sentence."""
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ValueError, match=message):
        method(target_kind="numbers").fit(X, y)


@pytest.mark.parametrize("method", TAKE_NUMBERS)
def test_texts_are_no_numbers(method):
    """A target of texts is refused as numbers, by name."""
    with pytest.raises(ValueError, match="no numbers"):
        method(target_kind="numbers").fit(np.arange(8.0).reshape(4, 2), ["a", "b", "a", "b"])


def test_who_takes_classes_only_says_so():
    """By name, and with what to use instead."""
    X, y = friedman(40, 0)
    instead = {
        "Simba": "use one of Sieve, SBSMF, .* or cut y into classes",
        "StumpAdaBoost": "use StumpBoostRegressor, or",
        "NeighborAdaBoost": "use classes cut from it, such as its quarters",
    }
    rows = {method.estimator: "such as its quarters: selectors of rows" for method in methods("rows")}
    for name, words in {**instead, **rows}.items():
        with pytest.raises(ValueError, match=f"{name}: .*for classes. For a numeric target .*{words}"):
            getattr(tamis, name)().fit(X, y)


@pytest.mark.parametrize(
    "setting", [{"weight_cap": 2.0}, {"interactions": 2}, {"share_above": 0.9}, {"class_weight": {0: 2.0}}]
)
def test_settings_for_classes_are_refused(setting):
    """SBSMF says which of its settings has no meaning for numbers."""
    X, y = friedman(40, 0)
    with pytest.raises(ValueError, match=f"SBSMF: {next(iter(setting))}"):
        SBSMF(**setting).fit(X, y)


@pytest.mark.parametrize("size", [1e307, 1e-300])
@pytest.mark.parametrize("method", TAKE_NUMBERS)
def test_extreme_magnitudes(method, size):
    """Neither overflow nor a vanishing target; the unit of the target does not matter."""
    X, y = friedman(60, 2)
    unit = 2.0 ** np.round(np.log2(size / 16))
    assert method().fit(X, y * unit).ranking_.tolist() == method().fit(X, y).ranking_.tolist()


def test_pure_noise_and_one_column():
    """Nothing breaks where there is nothing to find."""
    rng = np.random.default_rng(0)
    for method in TAKE_NUMBERS:
        for shape in ((50, 10), (5, 1), (2, 3)):
            ranking = method().fit(rng.normal(size=shape), rng.normal(size=shape[0])).ranking_
            assert sorted(ranking.tolist()) == list(range(1, shape[1] + 1))


def test_the_list_of_those_who_take_numbers_is_true():
    """What an error names is what the registry says."""
    from tamis.table._target import COLUMNS_BY_CLASSES
    from tamis.table._target import TAKE_NUMBERS as NAMED

    assert set(NAMED) == {method.estimator for method in methods() if method.takes_numbers}
    others = {method.estimator for method in methods("columns")} - set(NAMED)
    assert set(COLUMNS_BY_CLASSES) <= others


def test_extreme_columns_fold():
    """The distance from the median of the largest floats does not overflow."""
    X = np.array([[-1e308], [1.5e308], [-1.7e308], [1.2e308], [0.0]])
    assert np.isfinite(UnivariateAUC(folded=True).fit(X, [0.5, 1.5, 2.5, 3.5, 4.5]).scores_).all()


def test_an_ensemble_passes_numbers_on():
    """To regressors, to rankers of ours with their kind, and to runs on drawn rows."""
    from sklearn.linear_model import Ridge

    X, y = friedman(80, 3)
    assert EFR(Ridge(), n_estimators=2).fit(X, y).ranking_[3] == 1
    whole = np.rint(y).astype(int)
    numbers = EFR(UnivariateAUC(), n_estimators=2, target_kind="numbers").fit(X, whole)
    assert numbers.ranking_.tolist() == UnivariateAUC(target_kind="numbers").fit(X, whole).ranking_.tolist()
    drawn = quick_efr(bootstrap=True).fit(X[:2], y[:2])
    assert np.isfinite(drawn.run_scores_).all()
