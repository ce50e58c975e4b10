"""Comparisons of rows that have weights: in every fit that takes them, in the scores, and in those of chance."""

from itertools import permutations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    log_loss,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tamis import LinearWeights, MarginPrototypes, MovedPrototypes, RandomPrototypes, UnivariateAUC
from tamis.study import compare
from tamis.study._advice import weights_in_words
from tamis.study._chance import chance_of, chance_of_numbers
from tamis.study._fold import scores_of
from tamis.study._models import model
from tamis.study._scores import class_scores, concordant_share, number_scores
from tamis.study._summary import summary

MODELS = {"tree": DecisionTreeClassifier(max_depth=3, random_state=0)}


def problem(n=90, d=5, seed=0, numbers=False):
    """Two of the columns make the target; whole weights, of which some are 0."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    y = X[:, 0] + X[:, 1] + random.normal(size=n) / 2
    return X, y if numbers else (y > 0.3).astype(int), random.integers(0, 4, n).astype(float)


def facts(found):
    """Everything but times."""
    return found.scores().drop("model_seconds", "select_seconds")


def plain_share(predicted, y, weights):
    """The share of concordant pairs, pair by pair, each counting by the product of its weights."""
    right = total = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            if y[i] < y[j]:
                total += weights[i] * weights[j]
                right += (
                    weights[i]
                    * weights[j]
                    * ((predicted[i] < predicted[j]) + (predicted[i] == predicted[j]) / 2)
                )
    return right / total


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_of_classes_are_scikit_learns(n_classes):
    """Of weights of any size, the four scores equal scikit-learn's with the same weights."""
    random = np.random.default_rng(0)
    classes = np.arange(n_classes)
    for scale in (1e-9, 1.0, 1e200):
        y, weights = random.integers(0, n_classes, 40), random.uniform(0.1, 5, 40)
        chances = random.dirichlet(np.ones(n_classes), 40)
        predicted = chances.argmax(axis=1)
        area = (
            roc_auc_score(y, chances[:, 1], sample_weight=weights)
            if n_classes == 2
            else np.mean([roc_auc_score(y == k, chances[:, k], sample_weight=weights) for k in classes])
        )
        assert class_scores(predicted, chances, y, classes, weights * scale) == pytest.approx(
            [
                accuracy_score(y, predicted, sample_weight=weights),
                balanced_accuracy_score(y, predicted, sample_weight=weights),
                area,
                log_loss(y, chances, sample_weight=weights),
            ]
        )


def test_scores_of_numbers_are_scikit_learns_and_counted_pairs():
    """Of 50 random problems with ties, r2, rmse and mae are scikit-learn's with weights, and the pairs are counted one by one."""
    random = np.random.default_rng(0)
    for _ in range(50):
        n = int(random.integers(2, 30))
        y = random.integers(0, 6, n) + np.arange(n) % 2 * 0.5
        predicted, weights = random.integers(0, 4, n).astype(float), random.uniform(0.1, 5, n)
        expected = [
            r2_score(y, predicted, sample_weight=weights),
            root_mean_squared_error(y, predicted, sample_weight=weights),
            mean_absolute_error(y, predicted, sample_weight=weights),
            plain_share(predicted, y, weights),
        ]
        np.testing.assert_allclose(number_scores(predicted, y, weights), expected, rtol=1e-7)


def test_whole_weights_are_repeated_rows_in_scores():
    """A row of weight 3 scores as three equal rows; the share of pairs, counted in whole numbers, bit for bit."""
    random = np.random.default_rng(0)
    for _ in range(20):
        n = int(random.integers(5, 40))
        weights = random.integers(1, 5, n)
        again = np.repeat(np.arange(n), weights)
        y, predicted = random.integers(0, 8, n).astype(float), random.normal(size=n).round(1)
        found = number_scores(predicted, y, weights.astype(float))
        np.testing.assert_allclose(found, number_scores(predicted[again], y[again]), rtol=1e-12)
        assert found[3] == concordant_share(predicted[again], y[again])
        chances, labels = random.dirichlet(np.ones(3), n), np.arange(n) % 3
        guess = chances.argmax(axis=1)
        np.testing.assert_allclose(
            class_scores(guess, chances, labels, np.arange(3), weights.astype(float)),
            class_scores(guess[again], chances[again], labels[again], np.arange(3)),
            rtol=1e-12,
        )


@pytest.mark.parametrize("counts", [(20, 20), (45, 5), (20, 14, 8)])
def test_chance_is_what_a_weighted_model_of_the_shares_scores(counts):
    """Chance scores what scikit-learn's dummy does, fitted and scored with the weights; a row of weight 0 changes nothing."""
    random = np.random.default_rng(0)
    y = random.permutation(np.repeat(np.arange(len(counts)), counts))
    weights, X = random.uniform(0.1, 5, len(y)), np.zeros((len(y), 1))
    splits = [(np.setdiff1d(np.arange(len(y)), part), part) for part in np.array_split(np.arange(len(y)), 3)]
    chance = chance_of(y, splits, weights)
    for row, (train, test) in enumerate(splits):
        dummy = DummyClassifier(strategy="prior").fit(X[train], y[train], weights[train])
        found = scores_of(dummy, X[test], y[test], np.unique(y), weights[test])
        found[3] *= -1
        np.testing.assert_allclose(chance.scores[row], np.array(found, dtype=float), rtol=1e-12)
    more = chance_of(np.append(y, 99), splits, np.append(weights, 0.0))
    np.testing.assert_array_equal(chance.scores, more.scores)
    np.testing.assert_array_equal(chance.variances, more.variances)


def test_chance_of_numbers_is_the_weighted_middle():
    """The weighted mean for r2 and rmse, the weighted median for mae: those of repeated rows."""
    random = np.random.default_rng(0)
    for n_train in (29, 30):
        n = n_train + 10
        y, weights = np.exp(random.normal(size=n)), random.integers(1, 5, n)
        train, test = np.arange(n_train), np.arange(n_train, n)
        found = chance_of_numbers(y, [(train, test)], weights.astype(float))
        X, (many, held) = np.zeros((n, 1)), (np.repeat(rows, weights[rows]) for rows in (train, test))
        by_mean, by_median = (
            number_scores(DummyRegressor(strategy=way).fit(X[many], y[many]).predict(X[held]), y[held])
            for way in ("mean", "median")
        )
        assert found.scores[0].tolist() == pytest.approx([by_mean[0], -by_mean[1], -by_median[2], 0.5])


def test_the_spread_of_chance_with_weights_is_that_of_random_answers():
    """Of all orders of six predictions, the variances of the area and of the concordance are what was computed."""
    random = np.random.default_rng(0)
    weights = random.uniform(0.2, 4, 6)
    rows = (np.arange(6), np.arange(6))
    orders = [np.array(order, dtype=float) for order in permutations(range(6))]
    y = np.array([0, 1, 1, 0, 1, 1])
    areas = [roc_auc_score(y, order, sample_weight=weights) for order in orders]
    assert chance_of(y, [rows], weights).variances[0, 2] == pytest.approx(np.var(areas))
    for held in ([0.0, 1, 2, 3, 4, 5], [0.0, 0, 1, 1, 2, 3]):
        shares = [plain_share(order, held, weights) for order in orders]
        found = chance_of_numbers(np.array(held), [rows], weights)
        assert found.variances[0, 3] == pytest.approx(np.var(shares))
    guesses = np.array([[(k >> bit) & 1 for bit in range(6)] for k in range(64)])
    right = [accuracy_score([1] * 6, guess, sample_weight=weights) for guess in guesses]
    even = np.array([1.0, 1, 2, 2, 3, 3])
    held = chance_of(np.array([0, 1] * 3), [rows], even)  # the most frequent class has half of the weight
    assert held.variances[0, 0] == pytest.approx(
        np.var([accuracy_score([1] * 6, guess, sample_weight=even) for guess in guesses])
    )
    assert np.var(right) == pytest.approx((weights**2).sum() / weights.sum() ** 2 / 4)


@pytest.mark.parametrize("numbers", [False, True], ids=["classes", "numbers"])
def test_rows_without_weight_are_not_there(numbers):
    """Scores, choices and what is kept are those of the table without them; kept rows are numbered in the whole table."""
    X, y, weights = problem(numbers=numbers)
    methods = ["univariate-auc", "simba", "random", "margin-prototypes"]
    methods = methods[:1] if numbers else methods
    given = {
        "models": ["ridge"] if numbers else ["linear", "1-nn"],
        "cv": 3,
        "repeats": 2,
        "column_sizes": [1, 2],
    }
    found = compare(X, y, methods, sample_weight=weights, **given)
    alive = np.flatnonzero(weights)
    fewer = compare(X[alive], y[alive], methods, sample_weight=weights[alive], **given)
    assert found.left_out == fewer.left_out == {}
    assert facts(found).equals(facts(fewer))
    np.testing.assert_array_equal(found.chance.scores, fewer.chance.scores)
    assert found.final["columns"] == fewer.final["columns"]
    assert found.shuffled == fewer.shuffled
    assert (found.n_rows, found.classes) == (len(alive), fewer.classes)
    if numbers:
        np.testing.assert_array_equal(found.predicted[alive], fewer.predicted)
        assert np.isnan(found.predicted[weights == 0]).all()
    else:
        mine, other = (one.final["rows"] for one in (found, fewer))
        assert mine["kept"] == alive[other["kept"]].tolist()
        kept = [row for step in found.answers[-1]["steps"] for row in step["kept"]]
        assert set(kept) <= set(alive.tolist())


def test_scores_are_those_of_a_plain_loop():
    """All columns, fitted and scored with weights by hand in each fold; a scorer of scikit-learn too."""
    X, y, _ = problem()
    weights = np.random.default_rng(1).uniform(0.1, 5, len(y))
    splits = [(np.setdiff1d(np.arange(90), part), part) for part in np.array_split(np.arange(90), 3)]
    found = compare(
        X, y, ["univariate-auc"], models=MODELS, cv=splits, score="f1_macro", sample_weight=weights
    )
    scores = found.curve("all columns", "tree", "f1_macro").values[0]
    accuracies = found.curve("all columns", "tree", "accuracy").values[0]
    kept = found.curve("univariate-auc", "tree", "accuracy").values[0]
    for number, (train, test) in enumerate(splits):
        fitted = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[train], y[train], weights[train])
        predicted = fitted.predict(X[test])
        assert scores[number] == pytest.approx(
            f1_score(y[test], predicted, average="macro", sample_weight=weights[test])
        )
        assert accuracies[number] == pytest.approx(
            accuracy_score(y[test], predicted, sample_weight=weights[test])
        )
        first = UnivariateAUC().fit(X[train], y[train], sample_weight=weights[train]).ranking_ == 1
        fitted.fit(X[train][:, first], y[train], weights[train])
        predicted = fitted.predict(X[test][:, first])
        assert kept[number] == pytest.approx(accuracy_score(y[test], predicted, sample_weight=weights[test]))


class Told(UnivariateAUC):
    """Notes the weights that it is given, by the number in the first column."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        Told.seen.append((np.asarray(X)[:, 0].astype(int), sample_weight))
        return super().fit(X, y, sample_weight)


def test_a_method_sees_the_weights_of_its_rows():
    """In every fold, on the whole table, and, in shuffled order, in the check of shuffled labels; never those of weight 0."""
    X, y, weights = problem()
    X[:, 0] = np.arange(len(X))
    Told.seen.clear()
    compare(X, y, [Told()], models=MODELS, cv=3, repeats=1, column_sizes=[1], sample_weight=weights)
    for rows, given in Told.seen[:-2]:
        np.testing.assert_array_equal(given, weights[rows])
        assert (given > 0).all()
    assert max(len(rows) for rows, _ in Told.seen) == np.count_nonzero(weights)
    assert len(Told.seen) == 3 + 1 + 2 * 2


class ToldRows(MarginPrototypes):
    """Notes the weights that it is given, by the number in the first column."""

    def fit_resample(self, X, y, sample_weight=None, *, groups=None):
        Told.seen.append((np.asarray(X)[:, 0].astype(int), sample_weight))
        return super().fit_resample(X, y, sample_weight, groups=groups)


class ToldModel(GaussianNB):
    """The same."""

    def fit(self, X, y, sample_weight=None):
        Told.seen.append((np.asarray(X)[:, 0].astype(int), sample_weight))
        return super().fit(X, y, sample_weight)


def test_a_method_for_rows_and_a_model_see_the_weights_of_their_rows():
    """The model those of the rows that are kept, at every size; where rows are made, none."""
    X, y, weights = problem()
    X[:, 0] = np.arange(len(X))
    for selector in (ToldRows(), RandomPrototypes(random_state=0)):
        Told.seen.clear()
        given = {"cv": 2, "repeats": 1, "row_sizes": [4, 20], "sample_weight": weights}
        found = compare(X, y, [selector], models={"told": ToldModel()}, **given)
        assert found.failures() == found.left_out == {}
        ours = isinstance(selector, ToldRows)
        everything, judged, selected = 2, 2 * 2, 2 * 2 * ours
        for rows, told in Told.seen[: everything + judged + selected]:
            np.testing.assert_array_equal(told, weights[rows])
        assert {len(rows) for rows, _ in Told.seen} >= {4, 20}
    Told.seen.clear()
    compare(X, y, [MovedPrototypes(random_state=0)], models={"told": ToldModel()}, **given)
    assert {len(rows) for rows, told in Told.seen if told is None} == {4, 20}


class Sized(SelectKBest):
    """Finds its number itself, and takes weights."""

    def __init__(self):
        super().__init__(k=2)

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y, sample_weight=None):
        assert sample_weight is not None
        return super().fit(X, y)


def test_what_takes_no_weights_is_named():
    """Such methods and models are compared all the same; the result, the summary and a sentence name them."""
    X, y, weights = problem(60)
    methods = {"svm-rfe": LinearWeights(), "univariate": UnivariateAUC(), "sized": Sized()}
    judges = {**MODELS, "neighbours": KNeighborsClassifier(3)}
    found = compare(X, y, methods, models=judges, cv=2, repeats=1, column_sizes=[1, 2], sample_weight=weights)
    assert found.left_out == {}
    assert found.failures() == {}
    assert found.unweighted == {"methods": ("svm-rfe",), "models": ("neighbours",)}
    assert summary(found)["unweighted"] == found.unweighted
    assert weights_in_words(found).endswith(
        "but not in the fit of svm-rfe, neighbours, which take no weights."
    )
    plain = compare(X, y, methods={"svm-rfe": LinearWeights()}, models=MODELS, cv=2, repeats=1)
    assert plain.unweighted is None
    assert "unweighted" not in summary(plain)
    assert weights_in_words(plain) == ""


def test_a_method_that_refuses_such_weights_is_left_out():
    """SampledEFR repeats rows, so that it takes whole weights only; the others are compared."""
    X, y, weights = problem(60)
    given = {"models": MODELS, "cv": 2, "repeats": 1, "column_sizes": [1]}
    found = compare(X, y, ["sampled-efr", "univariate-auc"], sample_weight=weights + 0.5, **given)
    assert list(found.left_out) == ["sampled-efr"]
    assert "use whole numbers" in found.left_out["sampled-efr"]


def test_jobs_a_budget_and_a_journal_change_nothing(tmp_path):
    """The same scores with two jobs, in processes, and resumed; a comparison with other weights is not gone on with."""
    X, y, weights = problem(60)
    given = {"models": {**MODELS, "linear": model("linear")}, "cv": 2, "repeats": 1, "column_sizes": [1, 3]}
    methods, path = ["univariate-auc", "random"], tmp_path / "journal.jsonl"
    found = compare(X, y, methods, sample_weight=weights, path=path, **given)
    with config_context(enable_metadata_routing=True):
        routed = compare(X, y, methods, sample_weight=weights, **given)
    assert facts(routed).equals(facts(found))
    assert facts(compare(X, y, methods, sample_weight=weights, n_jobs=2, **given)).equals(facts(found))
    assert facts(compare(X, y, methods, sample_weight=weights, budget=500, **given)).equals(facts(found))
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:4]) + "\n")
    again = compare(X, y, methods, sample_weight=weights.tolist(), path=path, resume=True, **given)
    assert facts(again).equals(facts(found))
    for other in (None, weights + 1, 2 * weights):
        with pytest.raises(ValueError, match=r"of other .*weights"):
            compare(X, y, methods, sample_weight=other, path=path, resume=True, **given)
    assert not facts(compare(X, y, methods, **given)).equals(facts(found))


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (np.r_[-1.0, np.ones(59)], "Negative values"),
        (np.r_[np.nan, np.ones(59)], "NaN"),
        (np.r_[np.inf, np.ones(59)], "infinity"),
        (np.ones(5), r"expected \(60,\)"),
        (np.zeros(60), "zero|weight to 0"),
        (["heavy"] * 60, "'heavy'"),
    ],
    ids=["negative", "missing", "infinite", "few", "zero", "text"],
)
def test_weights_that_are_none_are_refused(weights, says):
    """Before any work, with who, what, and what to do."""
    X, y, _ = problem(60)
    with pytest.raises(ValueError, match=rf"^Comparing: .*({says}).*Give "):
        compare(X, y, ["univariate-auc"], sample_weight=weights)


def test_weights_that_leave_nothing_are_refused():
    """One class, one number, a split without rows of weight, a score that takes none."""
    X, y, weights = problem(60)
    with pytest.raises(ValueError, match="sample_weight leaves weight to 1 class"):
        compare(X, y, ["univariate-auc"], sample_weight=(y == 0).astype(float))
    with pytest.raises(ValueError, match="sample_weight leaves weight to one number"):
        compare(X, X[:, 0], ["univariate-auc"], sample_weight=np.eye(60)[0])
    for hold, what in (("test", "held out"), ("train", "to learn from")):
        light = np.arange(60) < 20
        parts = (np.flatnonzero(~light), np.flatnonzero(light))
        cv = [(np.arange(30, 60), np.arange(30)), parts if hold == "test" else parts[::-1]]
        with pytest.raises(ValueError, match=rf"no row {what} in split 2 of cv"):
            compare(X, y, ["univariate-auc"], cv=cv, sample_weight=np.where(light, 0.0, 1.0))
    with pytest.raises(ValueError, match="the score 'adjusted_rand_score' takes none"):
        compare(X, y, ["univariate-auc"], score="adjusted_rand_score", sample_weight=weights)


def test_groups_and_given_splits_leave_out_rows_without_weight():
    """Groups are those of the rows that count; a split that was given loses the others."""
    X, y, weights = problem(60)
    groups = np.arange(60) // 3
    given = {"models": MODELS, "repeats": 1, "column_sizes": [1]}
    alive = np.flatnonzero(weights)
    found = compare(X, y, ["univariate-auc"], cv=3, groups=groups, sample_weight=weights, **given)
    fewer = compare(
        X[alive],
        y[alive],
        ["univariate-auc"],
        cv=3,
        groups=groups[alive],
        sample_weight=weights[alive],
        **given,
    )
    assert facts(found).equals(facts(fewer))
    halves = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    place = np.cumsum(weights > 0) - 1
    left = [tuple(place[part[weights[part] > 0]] for part in split) for split in halves]
    found = compare(X, y, ["univariate-auc"], cv=halves, sample_weight=weights, **given)
    fewer = compare(X[alive], y[alive], ["univariate-auc"], cv=left, sample_weight=weights[alive], **given)
    assert facts(found).equals(facts(fewer))


def test_the_page_names_what_takes_no_weights(tmp_path):
    """One sentence beside what the advice rests on."""
    X, y, weights = problem(60)
    found = compare(
        X, y, ["univariate-auc", "svm-rfe"], models=MODELS, cv=2, repeats=1, sample_weight=weights
    )
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Rows count by their weights" in page
    assert "svm-rfe, which takes no weights" in page
