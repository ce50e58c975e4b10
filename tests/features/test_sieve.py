"""Sieve: the search and the fusion against their oracles, and what the whole says of tables whose truth is known."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tamis import BDSFS, GramSchmidt, PermutationRanking, SelectorCV, Sieve, Simba, UnivariateAUC
from tamis.features import _sieve_size
from tamis.features._sieve_fusion import default_members, fused_scores
from tamis.features._sieve_reasons import _decimals, told_alone
from tamis.features._sieve_search import HeadSearch, first_level
from tamis.features._sieve_size import few_sizes
from tamis.table._table import Numbers, Schema, Table, Target
from tests.oracles import sieve as oracle
from tests.settings import N_PROBLEMS

FEW = {"members": [("auc", UnivariateAUC()), ("cosine", GramSchmidt())], "search": False}
QUICK = {"estimator": DecisionTreeClassifier(max_depth=3, random_state=0), "cv": 3, "random_state": 0}


def mixed_table(random, n=24, d=4):
    """Numbers with missing values, and nominal columns, one row of which has a value of its own."""
    nominal = random.random(d) < 0.4
    values = np.empty((n, d))
    for j in range(d):
        if nominal[j]:
            values[:, j] = random.permutation(
                np.append(np.arange(n - 1) % 3, 3 + j % 2)
            )  # one value in one row
        else:
            values[:, j] = random.normal(size=n)
            values[random.choice(n, size=4, replace=False), j] = np.nan
    return Table(values, Schema(nominal, (None,) * d)), random.integers(3, size=n)


def assert_searched_as_by_the_oracle(order, errors, errors_of):
    """Each step takes the oracle's column, and its error is the oracle's; errors_of: of columns, each row's error."""
    taken = []
    for column, error in zip(order.tolist(), errors):
        found = [(j, errors_of([*taken, j])) for j in range(4) if j not in taken]
        assert error == pytest.approx(np.mean(dict(found)[column]), abs=1e-8)
        assert column == oracle.next_column(found)
        taken.append(column)


def test_the_search_takes_the_columns_of_the_oracle():
    """Each step is the first column level with the lowest error; the errors are those of fits that left the row out."""
    for seed in range(max(3, N_PROBLEMS // 10)):
        table, codes = mixed_table(np.random.default_rng(seed))
        codes = np.unique(codes, return_inverse=True)[1]
        order, errors = HeadSearch(table, Target(codes, np.unique(codes)), np.arange(4)).run(3)
        assert_searched_as_by_the_oracle(
            order,
            errors,
            lambda columns, values=table.values, nominal=table.nominal, codes=codes: oracle.set_errors(
                list(values[:, columns].T), nominal[columns], codes, codes.max() + 1
            ),
        )


def test_the_search_for_numbers_takes_the_columns_of_the_oracle():
    """By the squared error of neighbours and least squares."""
    for seed in range(max(3, N_PROBLEMS // 10)):
        random = np.random.default_rng(seed)
        table, codes = mixed_table(random)
        numbers = codes + random.normal(size=len(codes))
        order, errors = HeadSearch(table, Numbers(numbers), np.arange(4)).run(3)
        assert_searched_as_by_the_oracle(
            order,
            errors,
            lambda columns, values=table.values, nominal=table.nominal, numbers=numbers: oracle.number_errors(
                list(values[:, columns].T), nominal[columns], numbers
            ),
        )


def test_of_level_columns_the_search_takes_the_first():
    """A difference that chance explains does not overrule the ranking; one that is surely there does."""
    random = np.random.default_rng(0)
    level = random.normal(size=100)
    slightly_better = level - 0.2 * (random.normal(size=100) + 0.02)
    surely_better = level - 0.2 * (random.normal(size=100) + 0.5)
    assert first_level(np.stack([level, slightly_better])) == 0
    assert first_level(np.stack([level, surely_better])) == 1
    assert first_level(np.stack([level, level])) == 0


def test_the_fusion_is_that_of_the_oracle():
    """The mean of 1 / (10 + rank), bit for bit, whatever the order of the members."""
    for seed in range(N_PROBLEMS):
        random = np.random.default_rng(seed)
        ranks = np.array([random.permutation(7) + 1 for _ in range(int(random.integers(1, 6)))])
        np.testing.assert_array_equal(fused_scores(ranks), fused_scores(ranks[::-1]))
        np.testing.assert_allclose(fused_scores(ranks), oracle.fused(ranks), rtol=1e-14)


def signal(n=240, d=12, seed=0):
    """Columns 2 and 5 make the class; the others are noise."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X, (X[:, 2] + X[:, 5] > 0).astype(int)


def test_columns_that_make_the_class_come_first_with_a_reason():
    """They are said to tell alone; noise is said to be chance, and the size is near the truth."""
    X, y = signal()
    fitted = Sieve(cv=3, random_state=0).fit(X, y)
    assert set(np.argsort(fitted.ranking_)[:2]) == {2, 5}
    assert fitted.n_features_ in (2, 3)
    assert all(fitted.reasons_[j].startswith("alone: AUC .") for j in (2, 5))
    assert sum(reason == "chance" for reason in fitted.reasons_) >= 9
    assert (np.diff(fitted.scores_[np.argsort(fitted.ranking_)]) <= 0).all()
    np.testing.assert_array_equal(fitted.kept_share_[[2, 5]], 1)
    assert fitted.fold_scores_.mean() > 0.85


def test_noise_has_no_column_that_tells_alone():
    """On most tables of pure noise every reason is chance, and the honest score stays near chance."""
    told, scores = 0, []
    for seed in range(4):
        random = np.random.default_rng(seed)
        fitted = Sieve(**QUICK, **FEW).fit(random.normal(size=(60, 30)), np.arange(60) % 2)
        told += any(reason.startswith("alone") for reason in fitted.reasons_)
        scores.append(fitted.fold_scores_.mean())
    assert told <= 1
    assert np.mean(scores) < 0.62


@pytest.mark.parametrize("numeric", [False, True])
def test_in_one_table_of_noise_in_21_some_column_is_said_to_tell_alone(numeric):
    """Of 60 tables 3 are expected; 8 or more come once in a hundred times. A column that tells is above what any does by chance."""
    told = 0
    schema = Schema(np.zeros(20, dtype=bool), (None,) * 20)
    for seed in range(60):
        random = np.random.default_rng(seed)
        values, numbers = random.normal(size=(50, 20)), random.normal(size=50)
        codes = (numbers > np.median(numbers)).astype(np.int64)
        target = Numbers(numbers) if numeric else Target(codes, np.arange(2))
        told += told_alone(Table(values, schema), target, None, np.random.RandomState(seed))[1].any()
        values[:, 7] += 2 * numbers
        assert told_alone(Table(values, schema), target, None, np.random.RandomState(seed))[1][7]
    assert told < 8


def test_exclusive_or_is_said_to_need_its_partner():
    """Neither column says anything alone."""
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 5))
    y = (X[:, 1] > 0) ^ (X[:, 3] > 0)
    fitted = Sieve(2, random_state=0).fit(pd.DataFrame(X, columns=list("abcde")), y)
    assert fitted.get_support(indices=True).tolist() == [1, 3]
    assert {fitted.reasons_[1], fitted.reasons_[3]} == {"only with d", "only with b"}


def test_exclusive_or_is_found_among_many_columns():
    """No search that adds one column after the other finds it: the two come together."""
    X = np.random.default_rng(0).normal(size=(300, 60))
    y = (X[:, 11] > 0) ^ (X[:, 40] > 0)
    fitted = Sieve(4, explain=False, random_state=0).fit(X, y)
    assert fitted.support_[[11, 40]].all()


def test_two_columns_come_together_where_each_then_gains_more():
    """Than the best single one; where the pair is not better, nothing changes."""
    X = np.random.default_rng(0).normal(size=(120, 3))
    table = Table(X, Schema(np.zeros(3, dtype=bool), (None,) * 3))
    either = ((X[:, 1] > 0) ^ (X[:, 2] > 0)).astype(np.int64)
    order, errors = HeadSearch(table, Target(either, np.arange(2)), np.arange(3)).run(2, [(1, 2)])
    assert order.tolist() == [1, 2]
    alone = HeadSearch(table, Target(either, np.arange(2)), np.arange(3)).row_errors(1).mean()
    assert errors[0] == errors[1] < alone
    first = (X[:, 0] > 0).astype(np.int64)
    alone = HeadSearch(table, Target(first, np.arange(2)), np.arange(3)).run(2)
    beside = HeadSearch(table, Target(first, np.arange(2)), np.arange(3)).run(2, [(1, 2)])
    np.testing.assert_array_equal(alone[0], beside[0])
    np.testing.assert_array_equal(alone[1], beside[1])


def test_copies_twins_and_constants_are_named():
    """Behind all others, with the column they repeat."""
    X, y = signal(d=6)
    random = np.random.default_rng(3)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["again"] = frame["c"]
    frame["still"] = 7.0
    frame["nearly"] = frame["c"] + random.normal(scale=0.05, size=len(X))
    fitted = Sieve(3, random_state=0).fit(frame, y)
    named = dict(zip(frame.columns, fitted.reasons_))
    assert named["again"] == "the same as c"
    assert named["still"] == "constant"
    assert "rank correlation" in named["nearly"] or "rank correlation" in named["c"]
    order = frame.columns[np.argsort(fitted.ranking_)]
    assert order[-2:].tolist() == ["again", "still"]


@pytest.mark.parametrize(
    ("value", "shown"), [(0.8126, ".81"), (0.998, ".99"), (-0.999, "-.99"), (1.0, "1.00"), (-1.0, "-1.00")]
)
def test_reasons_do_not_round_to_certainty(value, shown):
    """An area of .998 is not 1.00."""
    assert _decimals(value) == shown


def test_of_drawn_rows_no_more_is_said_than_they_show():
    """A constant, or a copy, that rows not looked at would tell apart is one in the rows looked at."""
    X, y = signal(n=400, d=6)
    X = np.column_stack([X, X[:, 2], np.zeros(400)])
    X[0, 6:] = 9.0
    told = [
        Sieve(**FEW, n_features_to_select=2, max_rows=k, random_state=1).fit(X, y).reasons_[6:]
        for k in (40, 400)
    ]
    assert told[0] == ["the same as x2 in the rows looked at", "constant in the rows looked at"]
    assert not any("the same" in reason or "constant" in reason for reason in told[1])
    assert Sieve(**FEW, n_features_to_select=1).fit(np.ones((40, 2)), y[:40]).reasons_ == ["constant"] * 2


def test_reasons_heed_the_weights_of_rows():
    """A row that hardly counts does not spoil what the others say."""
    X, y = signal(n=300, d=6)
    y[200:] = 1 - y[200:]
    weights = np.where(np.arange(300) < 200, 1.0, 1e-6)
    whole, few = (
        Sieve(**FEW, n_features_to_select=1).fit(X, told, sample_weight=weight)
        for told, weight in ((y, weights), (y, None))
    )
    assert whole.reasons_[2] > few.reasons_[2]
    alone = Sieve(**FEW, n_features_to_select=1).fit(X[:200], y[:200])
    assert whole.reasons_[2] == alone.reasons_[2]


def test_columns_in_another_order_have_the_same_ranks_and_size():
    """Where a column stands in the table decides nothing, neither in the ranking nor in what judges the size."""
    X, y = signal(n=150, d=7)
    X = X + 0.01 * np.random.default_rng(3).normal(size=X.shape)  # no ties
    mixed = np.random.default_rng(4).permutation(X.shape[1])
    one, other = (Sieve(cv=3, explain=False, random_state=0).fit(Z, y) for Z in (X, X[:, mixed]))
    np.testing.assert_array_equal(one.ranking_[mixed], other.ranking_)
    np.testing.assert_array_equal(one.fold_scores_, other.fold_scores_)
    np.testing.assert_array_equal(one.support_[mixed], other.support_)


def test_fixed_excluded_and_grouped_columns():
    """Fixed first, excluded last, groups side by side and never cut."""
    X, y = signal(d=8)
    rules = {"fixed_features": [0], "excluded_features": [2], "feature_groups": [[5, 6]]}
    fitted = Sieve(4, **rules, **FEW, random_state=0).fit(X, y)
    order = np.argsort(fitted.ranking_).tolist()
    assert order[0] == 0
    assert order[-1] == 2
    assert abs(order.index(5) - order.index(6)) == 1
    assert fitted.support_[[0, 5, 6]].all()
    assert not fitted.support_[2]
    assert fitted.reasons_[2] == "excluded"
    assert Sieve(1, feature_groups=[[2, 5]], explain=False, **FEW, random_state=0).fit(X, y).n_features_ == 1


def test_the_size_is_sought_with_the_rules():
    """Resampling keeps the fixed columns in every fold."""
    X, y = signal(d=6)
    frame = pl.DataFrame(X, schema=list("abcdef"))
    fitted = Sieve(fixed_features=["a", "b"], excluded_features=["c"], **QUICK, **FEW).fit(frame, y)
    assert fitted.cv_results_["size"][0] == 2
    assert fitted.support_[[0, 1]].all()
    np.testing.assert_array_equal(fitted.kept_share_[[0, 1, 2]], [1, 1, 0])


def test_what_is_judged_are_whole_groups():
    """Groups are not cut by a size, and something is kept however large the smallest group."""
    X, y = signal(n=60, d=6)
    rest = [2, 3, 4, 5]
    for groups, sizes in (([[0, 1, 2, 3, 4, 5]], [6]), ([[0, 1], rest], [2, 3, 4, 5, 6])):
        sieve = Sieve(**FEW, **QUICK, feature_groups=groups, explain=False).fit(X, y)
        assert sieve.cv_results_["size"].tolist() == sizes
        assert sieve.n_features_ in map(len, [*groups, range(6)])
        assert {len(set(sieve.support_[group])) for group in groups} == {1}
    scores = sieve.cv_results_["mean_test_score"].tolist()
    assert scores[0] == scores[1]
    copies = Sieve(**FEW, **QUICK, feature_groups=[[0, 1]]).fit(X[:, [0, 0]], y)
    assert copies.support_.all()


def test_the_answer_does_not_depend_on_the_number_of_jobs(monkeypatch):
    """Bit for bit, with folds in processes of their own."""
    monkeypatch.setattr(_sieve_size, "WORTH_WORKERS", 0.0)
    X, y = signal(n=90, d=6)
    one, many = (Sieve(**QUICK, n_jobs=n).fit(X, y) for n in (1, 2))
    for name in ("scores_", "ranking_", "kept_share_", "fold_scores_", "member_ranks_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))
    assert one.reasons_ == many.reasons_


def test_short_folds_start_no_processes(monkeypatch):
    """A table of some rows has its answer before other processes would have begun."""
    asked = []
    monkeypatch.setattr(
        _sieve_size,
        "in_parallel",
        lambda calls, n_jobs, **_: asked.append(n_jobs) or [f(*a) for f, a, _ in calls],
    )
    monkeypatch.setattr(_sieve_size, "WORTH_WORKERS", 60.0)
    X, y = signal(n=90, d=6)
    Sieve(**QUICK, n_jobs=2).fit(X, y)
    assert set(asked) == {1}
    monkeypatch.setattr(_sieve_size, "WORTH_WORKERS", 0.0)
    for seconds, at_once in ((_sieve_size.SHORT, 1), (_sieve_size.SHORT + 1, 2)):  # little time, and enough
        asked.clear()
        sieve = Sieve(**QUICK, n_jobs=2)
        sieve._seconds = seconds
        sieve.fit(X, y)
        assert set(asked) == {at_once}


def test_texts_missing_values_and_many_unequal_classes():
    """Twelve classes from 2 to 60 rows, a text column that tells them apart."""
    random = np.random.default_rng(0)
    y = np.repeat([f"class {c:02}" for c in range(12)], [2, 3, 4, 5, 6, 8, 10, 20, 30, 40, 50, 60])
    told = np.array([f"v{int(label[-2:]) // 2}" for label in y], dtype=object)
    told[random.random(len(y)) < 0.1] = None
    numbers = np.array([float(label[-2:]) % 2 for label in y]) + random.normal(scale=0.2, size=len(y))
    frame = pl.DataFrame(
        {"noise": random.normal(size=len(y)), "told": told.tolist(), "odd": numbers, "flat": 1.0}
    )
    fitted = Sieve(cv=3, random_state=0).fit(frame, y)
    assert set(np.argsort(fitted.ranking_)[:2]) == {1, 2}
    assert fitted.reasons_[3] == "constant"
    assert fitted.support_[[1, 2]].all()


def test_one_row_a_class():
    """There is nothing to resample, and half of the columns are kept."""
    fitted = Sieve(random_state=0).fit([[1, 5, 2, 2], [2, 9, 1, 2], [3, 4, 1, 3]], ["a", "b", "c"])
    assert fitted.n_features_ == 2
    assert not hasattr(fitted, "cv_results_")


def test_other_models_and_scores():
    """The user's own model chooses the size; models with importances are members."""
    X, y = signal()
    members = [
        ("forest", RandomForestClassifier(20)),
        ("line", LogisticRegression()),
        ("auc", UnivariateAUC()),
    ]
    fitted = Sieve(
        members=members, estimator=LogisticRegression(), scoring="roc_auc", cv=3, random_state=0
    ).fit(X, y)
    assert fitted.member_names_ == ["forest", "line", "auc"]
    assert fitted.get_support(indices=True).tolist() == [2, 5]
    assert fitted.cv_results_["mean_test_score"][1] > 0.97


def test_groups_of_rows_stay_together():
    """A splitter that asks for groups gets them, and only rows that take part are split."""
    X, y = signal(n=120, d=6)
    fitted = Sieve(**{**QUICK, **FEW, "cv": GroupKFold(3)}, max_rows=60).fit(X, y, groups=np.arange(120) // 4)
    for train, test in fitted._splits:
        assert not set(train // 4) & set(test // 4)
    assert sum(len(test) for _, test in fitted._splits) == 60


def test_rows_of_no_weight_do_not_count():
    """They change nothing; a row of weight two is the row given twice to members without neighbours; who takes no weights is left out."""
    X, y = signal(n=120, d=6)
    doubled = np.vstack([X, np.random.default_rng(9).normal(size=X.shape)])
    weights = np.repeat([1.0, 0.0], len(X))
    given = Sieve(2, random_state=0).fit(doubled, np.concatenate([y, 1 - y]), sample_weight=weights)
    alone = Sieve(2, random_state=0).fit(X, y, sample_weight=np.ones(len(X)))
    np.testing.assert_array_equal(given.ranking_, alone.ranking_)
    np.testing.assert_array_equal(given.scores_, alone.scores_)
    twice = np.arange(len(X)) % 2 + 1
    alike = [pair for pair in default_members() if pair[0] != "neighbours"]
    weighed = Sieve(2, members=alike, random_state=0).fit(X, y, sample_weight=twice)
    repeated = Sieve(2, members=alike, random_state=0).fit(
        np.repeat(X, twice, axis=0), np.repeat(y, twice), sample_weight=np.ones(twice.sum())
    )
    np.testing.assert_array_equal(weighed.ranking_, repeated.ranking_)
    some = [*default_members(), ("discriminant", LinearDiscriminantAnalysis())]
    named = Sieve(2, members=some, random_state=0).fit(X, y, sample_weight=twice).member_names_
    assert named == given.member_names_ == ["margins", "small steps", "gain", "neighbours", "cosine", "pairs"]
    with pytest.raises(ValueError, match="none of the members takes it"):
        Sieve(members=some[-1:]).fit(X, y, sample_weight=np.ones(len(X)))


def test_neighbours_among_the_members_get_the_weights():
    """The rows that weigh most have their classes told by one column, the others by another; Simba alone follows the weights."""
    X, y = signal(n=200, d=6)
    X[:, 1], heavy = np.random.default_rng(3).normal(size=200), np.arange(200) % 2 == 0
    X[heavy, 1] += 4 * y[heavy]
    weights = np.where(heavy, 20.0, 1.0)
    options = {"members": [("neighbours", Simba(random_state=0))], "search": False, "explain": False}
    sieve = Sieve(1, random_state=0, **options).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(sieve.ranking_, Simba(random_state=0).fit(X, y, weights / 16).ranking_)


def test_a_search_over_sizes_ranks_once_a_fold():
    """SelectorCV asks for the ranking alone: no size is sought within its folds."""
    X, y = signal(n=90, d=6)
    search = SelectorCV(Sieve(**FEW, random_state=0), DecisionTreeClassifier(random_state=0), cv=2).fit(X, y)
    assert not hasattr(search.selector_, "cv_results_")
    assert set(np.argsort(search.ranking_)[:2]) == {2, 5}


def test_a_wide_table_gives_the_slow_member_the_head_only():
    """With 600 columns BDSFS orders 500; all columns have a rank from every member."""
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 600))
    y = (X[:, 7] > 0).astype(int)
    fitted = Sieve(5, members=[("auc", UnivariateAUC()), ("gain", BDSFS())], explain=False).fit(X, y)
    assert fitted.ranking_[7] == 1
    for ranks in fitted.member_ranks_:
        assert sorted(ranks) == list(range(1, 601))
    np.testing.assert_array_equal(fitted.member_ranks_[1][fitted.member_ranks_[0] > 500] > 500, True)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"members": []}, "Sieve: members is empty"),
        ({"members": [Simba()]}, "Give pairs of a name and an estimator"),
        ({"fixed_features": [0], "excluded_features": [0]}, "in fixed_features and in excluded_features"),
        ({"n_features_to_select": 9}, "Use a value from 1 to 6"),
        ({**QUICK, "scoring": lambda *_: np.nan}, "Sieve: with 1 kept, the score in fold 1 is nan"),
    ],
)
def test_what_cannot_be_is_refused(parameters, message):
    """With a sentence that says what to do."""
    X, y = signal(n=30, d=6)
    with pytest.raises(ValueError, match=message):
        Sieve(**parameters).fit(X, y)


def test_few_sizes():
    """Every one up to 6, then further apart, and always all."""
    assert few_sizes(4) == [1, 2, 3, 4]
    assert few_sizes(20) == [1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 18, 20]


def test_noise_beside_signal_is_not_said_to_need_a_partner():
    """The best of many pairs is held against the best of many shuffled pairs."""
    told = 0
    for seed in range(3):
        X, y = signal(seed=seed)
        fitted = Sieve(8, **FEW, random_state=0).fit(X, y)
        told += sum(reason.startswith("only with") for reason in fitted.reasons_)
    assert told <= 1


def test_columns_that_make_a_number_come_first_with_a_reason():
    """They are said to tell alone; noise is said to be chance; the size is near the truth, and the score is r2."""
    X = np.random.default_rng(0).normal(size=(240, 12))
    y = X[:, 2] + X[:, 5] + 0.3 * X[:, 0]
    fitted = Sieve(cv=3, random_state=0).fit(X, y)
    assert set(np.argsort(fitted.ranking_)[:2]) == {2, 5}
    assert fitted.n_features_ in (2, 3)
    assert all(fitted.reasons_[j].startswith("alone: concordance .") for j in (2, 5))
    assert sum(reason == "chance" for reason in fitted.reasons_) >= 8
    assert 0.7 < fitted.fold_scores_.mean() < 1
    assert not hasattr(fitted, "classes_")


def test_a_product_of_two_columns_is_said_to_need_both():
    """Neither orders the rows alone."""
    X = np.random.default_rng(1).normal(size=(300, 5))
    fitted = Sieve(2, random_state=0).fit(pd.DataFrame(X, columns=list("abcde")), X[:, 1] * X[:, 3])
    assert fitted.get_support(indices=True).tolist() == [1, 3]
    assert {fitted.reasons_[1], fitted.reasons_[3]} == {"only with d", "only with b"}


def test_numbers_in_folds_of_the_callers_choice():
    """Groups, a regressor and weights; too few rows to be split keep half."""
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = X[:, 1] + 0.1 * X[:, 0]
    grouped = Sieve(
        **{**QUICK, "estimator": DecisionTreeRegressor(max_depth=3, random_state=0), "cv": GroupKFold(3)},
        **FEW,
    )
    assert grouped.fit(X, y, groups=np.arange(60) % 6).ranking_[1] == 1
    weighed = Sieve(cv=2, random_state=0, explain=False).fit(X, y, sample_weight=np.arange(60) % 3)
    assert weighed.ranking_[1] == 1
    assert not hasattr(Sieve(random_state=0, **FEW).fit(X[:3], y[:3]), "cv_results_")


def test_numbers_are_drawn_where_there_are_many_rows():
    """Fewer rows, the same columns."""
    X = np.random.default_rng(0).normal(size=(400, 5))
    fitted = Sieve(1, max_rows=80, random_state=0, explain=False).fit(X, X[:, 3] ** 3)
    assert fitted.support_[3]


@pytest.mark.parametrize(
    "chooser",
    [
        Sieve(**FEW, cv=[4, 4]),
        SelectorCV(UnivariateAUC(), LogisticRegression(), cv=[4]),
        PermutationRanking(cv=[(1,)]),
    ],
)
def test_a_cv_that_holds_no_pairs_of_rows_is_refused(chooser):
    """By name, with what can be given instead."""
    X, y = signal(n=40, d=6)
    with pytest.raises(
        ValueError, match=r"^\w+: cv holds .*, which is no pair of training rows and rows held out"
    ):
        chooser.fit(X, y)
