"""FS2Boost: the oracle's searches, step by step, with every option; its attributes, errors and approximations."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from tamis import FS2Boost, ReliefF, datasets, stabilised_rounds
from tests.oracles import columns
from tests.oracles import fs2boost as oracle
from tests.settings import N_PROBLEMS, NIGHTLY
from tests.votes.problems import VoteProblem, vote_problem


def selector_of(problem, **options):
    """An FS2Boost with the settings of a problem."""
    settings = {key: value for key, value in problem.settings.items() if key not in ("class_weight", "even")}
    weights = problem.settings["class_weight"]
    return FS2Boost(
        **settings,
        class_weight=None if weights is None else dict(enumerate(weights)),
        categorical_features=problem.nominal,
        **options,
    )


def search_options(problem, seed):
    """Random rules of a search, in the words of FS2Boost and in those of the oracle."""
    rng = np.random.default_rng(seed)
    d = problem.n_columns
    rules = {
        "direction": str(rng.choice(["forward", "backward"], p=[0.6, 0.4])),
        "floating": bool(rng.random() < 0.4),
        "tol": float(rng.choice([0.0, 0.003, 0.1])),
        "patience": int(rng.integers(1, 5)),
    }
    columns = rng.permutation(d).tolist()
    fixed = columns[2:3] if d > 2 and rng.random() < 0.3 else []
    excluded = columns[3:4] if d > 4 and rng.random() < 0.3 else []
    groups = [columns[:2]] if d > 3 and rng.random() < 0.4 else []
    least = max(1, len(fixed), 2 * len(groups))
    n_features = max_features = None
    if rng.random() < 0.3:
        n_features = int(rng.integers(least, d - len(excluded) + 1))
    elif rng.random() < 0.4:
        max_features = int(rng.integers(least, d + 1))
    ours = {
        "n_features_to_select": n_features,
        "fixed_features": fixed,
        "excluded_features": excluded,
        "feature_groups": groups,
    }
    theirs = {"n_features": n_features, "fixed": fixed, "excluded": excluded, "groups": groups}
    both = {**rules, "max_features": max_features}
    return {**both, **ours}, {**both, **theirs}


def assert_same_search(selector, answer, moves, measure):
    """Same columns, same moves, same criterion of every candidate of every move.

    A size that asks for more than the search had is filled up with copies and constants.
    """
    kept = tuple(np.flatnonzero(selector.support_))
    if selector.n_features_to_select is None or selector.n_features_to_select == len(answer):
        assert kept == answer
    assert set(answer) <= set(kept)
    history = selector.history_
    assert history["feature"].tolist() == [unit[0] if unit else -1 for unit, *_ in moves]
    assert history["added"].tolist() == [added for _, added, *_ in moves]
    np.testing.assert_allclose(history["criterion"], [move[2] for move in moves], rtol=0, atol=1e-12)
    expected = np.full(history["candidates"].shape, np.nan)
    for step, (_, _, _, candidates) in enumerate(moves):
        for unit, value in candidates.items():
            expected[step, list(unit)] = value
    np.testing.assert_allclose(history["candidates"], expected, rtol=0, atol=1e-12)
    assert selector.criterion_ == pytest.approx(measure(kept), abs=1e-12)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_search_is_that_of_the_oracle(seed):
    """Every criterion, direction and stop rule, with fixed, excluded and grouped columns."""
    problem = vote_problem(seed)
    ours, theirs = search_options(problem, seed)
    selector = selector_of(problem, **ours).fit(problem.values, problem.codes)
    measure = problem.oracle(even=False)
    first = columns.first_equals(problem.values, problem.nominal)
    answer, moves = oracle.search(measure, problem.n_columns, **theirs, first=first)
    assert_same_search(selector, answer, moves, measure)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_search_for_numbers_is_that_of_the_oracle(seed):
    """The squared error of the neighbours' mean, with every stop rule, and fixed, excluded and grouped columns."""
    problem = vote_problem(seed)
    rng = np.random.default_rng(seed)
    y = rng.normal(size=len(problem.codes)).round(int(rng.integers(1, 5))) + problem.codes
    y[:2] = 0.25, 7.75
    ours, theirs = search_options(problem, seed)
    settings = {"criterion": "accuracy", "class_weight": None, **ours}
    selector = selector_of(problem).set_params(**settings).fit(problem.values, y)
    named = {name: getattr(selector, name) for name in ("n_neighbors", "ties", "metric", "n_rounds")}
    measure = oracle.Measure(problem.values, problem.nominal, y, criterion="accuracy", **named)
    first = columns.first_equals(problem.values, problem.nominal)
    answer, moves = oracle.search(measure, problem.n_columns, **theirs, first=first)
    assert_same_search(selector, answer, moves, measure)


@pytest.mark.nightly
@pytest.mark.skipif(not NIGHTLY, reason="minutes of plain loops")
@pytest.mark.parametrize("criterion", ["z", "z_prime", "accuracy"])
@pytest.mark.parametrize("name", ["vehicle", "house_votes", "credit_crx", "ionosphere"])
def test_real_tables_are_searched_as_by_the_oracle(name, criterion):
    """The defaults on real tables, with an oracle that saves nothing."""
    data = datasets.load(name)
    nominal = np.array([dtype == pl.Enum for dtype in data.X.dtypes])
    values = np.column_stack(
        [
            (column.to_physical() if column.dtype == pl.Enum else column).cast(pl.Float64).to_numpy()
            for column in data.X
        ]
    )
    codes = np.unique(data.y, return_inverse=True)[1]
    measure = oracle.Measure(values, nominal, codes, criterion=criterion)
    first = columns.first_equals(values, nominal)
    answer, moves = oracle.search(measure, values.shape[1], first=first)
    assert_same_search(FS2Boost(criterion=criterion).fit(data.X, data.y), answer, moves, measure)


def exclusive_or(n_rows=80, n_columns=5, seed=0):
    X = np.random.default_rng(seed).integers(0, 2, size=(n_rows, n_columns))
    return X, X[:, 1] ^ X[:, 3]


def test_patience_sees_what_two_columns_say_together():
    """The paper's rule stops before the second column of an exclusive or; patience finds both."""
    X, y = exclusive_or()
    assert FS2Boost(patience=1).fit(X, y).n_features_ == 1
    assert {1, 3} <= set(FS2Boost().fit(X, y).get_support(indices=True))


def test_a_size_or_fraction_is_kept():
    """n_features_to_select takes the place of the stop rule."""
    X, y = exclusive_or()
    for size, expected in ((1, 1), (4, 4), (0.6, 3), (1.0, 5)):
        for direction in ("forward", "backward"):
            for floating in (False, True):
                fitted = FS2Boost(size, direction=direction, floating=floating, n_rounds=3).fit(X, y)
                assert fitted.n_features_ == fitted.support_.sum() == expected


def test_a_size_is_not_exceeded_by_a_group():
    """Backward, the last column that fits a size or a cap stays, though a larger group of columns does better."""
    X, y = exclusive_or()
    for floating in (False, True):
        options = {"direction": "backward", "floating": floating, "feature_groups": [[1, 3], [0, 2]]}
        assert FS2Boost(1, **options).fit(X, y).get_support(indices=True).tolist() == [4]
        assert FS2Boost(max_features=1, **options).fit(X, y).get_support(indices=True).tolist() == [4]


def test_max_features_caps_the_answer():
    """A cap, as a number or a fraction, holds in both directions."""
    data = datasets.load("heart_cleveland")
    free = FS2Boost().fit(data.X, data.y)
    for direction in ("forward", "backward"):
        assert FS2Boost(max_features=2, direction=direction).fit(data.X, data.y).n_features_ <= 2
    assert FS2Boost(max_features=0.99).fit(data.X, data.y).n_features_ == free.n_features_


def test_columns_are_fixed_excluded_and_grouped_by_name():
    """A fixed column stays, an excluded one is last, and a group comes whole."""
    X, y = exclusive_or()
    frame = pl.DataFrame(X, schema=list("abcde"))
    fitted = FS2Boost(
        fixed_features=["e"], excluded_features=["a"], feature_groups=[["b", "c"]], patience=2
    ).fit(frame, y)
    support = dict(zip("abcde", fitted.support_))
    assert support["e"]
    assert support["b"] == support["c"]
    assert not support["a"]
    assert fitted.ranking_[0] == 5
    assert fitted.ranking_[4] == 1


def test_the_ranking_is_the_order_of_entry():
    """Kept columns rank in the order in which they came, then later ones, then the rest by the last step."""
    data = datasets.load("glass2")
    fitted = FS2Boost(patience=2).fit(data.X, data.y)
    entered = fitted.history_["feature"]
    assert np.argsort(fitted.ranking_)[: len(entered)].tolist() == entered.tolist()
    never = np.argsort(fitted.ranking_)[len(entered) :]
    last = fitted.history_["candidates"][-1]
    assert (np.diff(last[never]) >= 0).all()


def test_a_backward_ranking_is_the_reverse_order_of_leaving():
    """The column that left first is last."""
    data = datasets.load("glass2")
    fitted = FS2Boost(1, direction="backward").fit(data.X, data.y)
    left = fitted.history_["feature"][1:]
    assert np.argsort(fitted.ranking_)[::-1][: len(left)].tolist() == left.tolist()


def test_scores_are_those_of_single_columns():
    """1 minus the criterion at the first step; for "accuracy", the accuracy of each column alone."""
    data = datasets.load("glass2")
    for criterion in ("z", "accuracy"):
        fitted = FS2Boost(criterion=criterion).fit(data.X, data.y)
        np.testing.assert_array_equal(fitted.scores_, 1 - fitted.history_["candidates"][0])
        backward = FS2Boost(criterion=criterion, direction="backward").fit(data.X, data.y)
        np.testing.assert_allclose(backward.scores_, fitted.scores_, rtol=0, atol=1e-12)


def test_the_history_has_one_entry_a_move():
    """Arrays of equal length; candidates are NaN where a column was in already; Z' only where there is one."""
    data = datasets.load("glass2")
    for criterion, has_prime in (("z", False), ("z_prime", True), ("accuracy", False)):
        fitted = FS2Boost(criterion=criterion).fit(data.X, data.y)
        history = fitted.history_
        n_moves = len(history["feature"])
        assert {len(entries) for entries in history.values()} == {n_moves}
        assert history["candidates"].shape == (n_moves, 9)
        assert np.isnan(history["candidates"]).sum(axis=1).tolist() == list(range(n_moves))
        assert np.isnan(history["z_prime"]).all() != has_prime
        chosen = history["candidates"][np.arange(n_moves), history["feature"]]
        np.testing.assert_array_equal(chosen, history["criterion"])
        assert history["progress"].sum() >= 1
        assert fitted.criterion_ == history["criterion"][np.flatnonzero(history["progress"])[-1]]


def test_a_floating_search_is_never_worse_for_its_size():
    """Undoing moves finds a set at least as good as the plain search's, at every size."""
    data = datasets.load("heart_cleveland")
    for size in (3, 6):
        plain = FS2Boost(size).fit(data.X, data.y)
        floating = FS2Boost(size, floating=True).fit(data.X, data.y)
        assert floating.criterion_ <= plain.criterion_ * (1 + 1e-12)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_the_number_of_threads_changes_no_bit(direction):
    """One job and two have the same history."""
    data = datasets.load("credit_crx")
    one = FS2Boost(3, direction=direction, n_jobs=1, n_rounds=5).fit(data.X, data.y)
    two = FS2Boost(3, direction=direction, n_jobs=2, n_rounds=5).fit(data.X, data.y)
    np.testing.assert_equal(one.history_, two.history_)


def test_balanced_classes_weigh_the_same():
    """class_weight="balanced" is the oracle's problem with rows in inverse proportion, sides even."""
    problem = vote_problem(3)
    for n_classes in (2, 3):
        codes = (
            np.arange(len(problem.codes)) % (n_classes + 1) % n_classes
        )  # the first class is twice as large
        weights = len(codes) / (n_classes * np.bincount(codes))
        measure = oracle.Measure(
            problem.values, problem.nominal, codes, n_rounds=5, class_weight=weights, even=True
        )
        answer, moves = oracle.search(measure, problem.n_columns)
        fitted = FS2Boost(n_rounds=5, class_weight="balanced", categorical_features=problem.nominal)
        assert_same_search(fitted.fit(problem.values, codes), answer, moves, measure)


def test_fewer_rows_may_be_searched_never_silently():
    """max_rows draws rows of every class by the seed, warns with both numbers, and names the rows."""
    data = datasets.load("credit_crx")
    fitted = FS2Boost(max_rows=100, random_state=0)
    with pytest.warns(UserWarning, match=r"looks at 100 of 690 rows \(max_rows=100\)"):
        fitted.fit(data.X, data.y)
    rows = fitted.search_rows_
    assert len(rows) == len(set(rows.tolist())) == 100
    drawn = np.unique(np.asarray(data.y)[rows], return_counts=True)[1]
    whole = np.unique(data.y, return_counts=True)[1]
    assert (np.abs(drawn - whole * 100 / 690) <= 1).all()
    with pytest.warns(UserWarning, match="max_rows"):
        again = clone(fitted).fit(data.X, data.y)
    np.testing.assert_array_equal(again.search_rows_, rows)
    np.testing.assert_array_equal(again.ranking_, fitted.ranking_)
    everything = FS2Boost(max_rows=690).fit(data.X, data.y)
    np.testing.assert_array_equal(everything.search_rows_, np.arange(690))


def test_too_few_rows_for_the_classes_are_refused():
    """A sample without two rows of every class could only mislead; two rows each will do."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.repeat(["a", "b", "c"], 20)
    with pytest.raises(ValueError, match="max_rows=5, but 3 classes need 6 rows, two each"):
        FS2Boost(max_rows=5).fit(X, y)
    with pytest.warns(UserWarning, match="looks at 6 of 60 rows"):
        fitted = FS2Boost(max_rows=6, random_state=0).fit(X, y)
    assert sorted(y[fitted.search_rows_]) == ["a", "a", "b", "b", "c", "c"]


def test_a_sample_is_searched_like_a_table_of_its_rows():
    """The sides of every problem are balanced for the rows drawn; only the scales come from all rows."""
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 3, size=(90, 4)).astype(str), np.repeat([0, 1, 2], [60, 25, 5])
    X = pl.DataFrame(X, schema=list("abcd"))
    with pytest.warns(UserWarning, match="max_rows"):
        fitted = FS2Boost(max_rows=40, random_state=0).fit(X, y)
    alone = FS2Boost().fit(X[fitted.search_rows_], y[fitted.search_rows_])
    np.testing.assert_array_equal(fitted.history_["candidates"], alone.history_["candidates"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_features_to_select": 6}, "n_features_to_select=6, but X has 5 features. Use a value from 1 to 5."),
        ({"max_features": 6}, "max_features=6, but X has 5 features"),
        ({"max_features": 2, "n_features_to_select": 3}, "3 columns, more than max_features=2"),
        ({"fixed_features": ["a"], "excluded_features": [0]}, "'a' is in fixed_features and in excluded_features"),
        ({"fixed_features": ["z"]}, "fixed_features names 'z', which is not a column of X"),
        ({"fixed_features": ["a", "b"], "max_features": 1}, "fixed_features names 2 columns, more than max_features=1"),
        ({"excluded_features": list("abcde")}, "excluded_features names all 5 columns"),
        ({"excluded_features": ["a"], "n_features_to_select": 5}, "5 columns, but only 4 are not in excluded_features"),
        ({"feature_groups": [["a", "b"], ["b"]]}, r"'b' is in feature_groups\[0\] and in feature_groups\[1\]"),
        ({"feature_groups": ["ab"]}, r"feature_groups\[0\] is 'ab'. Give a sequence"),
        ({"feature_groups": [[]]}, r"feature_groups\[0\] is empty"),
        ({"feature_groups": [["a", "b"]], "fixed_features": ["b"]}, "names 'b' but not 'a', which is in the same group"),
        ({"feature_groups": [list("ab"), list("cde")], "max_features": 1}, "smallest of feature_groups has 2 columns"),
        ({"class_weight": {1: 0}}, "class_weight leaves weight to 1 class, but at least 2 classes are needed"),
    ],
)  # fmt: skip
def test_wrong_choices_are_refused_before_any_work(options, message):
    """Each error names the parameter, what was given and the limit."""
    X, y = exclusive_or()
    with pytest.raises(ValueError, match=message):
        FS2Boost(**options).fit(pl.DataFrame(X, schema=list("abcde")), y)


@pytest.mark.parametrize("criterion", ["z", "z_prime"])
def test_stabilised_rounds_are_those_of_separate_searches(criterion):
    """One memoised run keeps what a search with every number of rounds keeps."""
    data = datasets.load("glass2")
    found = stabilised_rounds(data.X, data.y, 12, selector=FS2Boost(criterion=criterion))
    for n_rounds in range(1, 13):
        alone = FS2Boost(criterion=criterion, n_rounds=n_rounds).fit(data.X, data.y)
        np.testing.assert_array_equal(found.supports[n_rounds - 1], alone.support_)
    np.testing.assert_array_equal(found.support, found.supports[-1])
    assert (found.supports[found.n_rounds - 1 :] == found.support).all()
    assert found.n_rounds == 1 or (found.supports[found.n_rounds - 2] != found.support).any()


@pytest.mark.parametrize("max_rounds", [0, 2.5, None])
def test_stabilised_rounds_refuses_what_is_no_number_of_rounds(max_rounds):
    """The error names the function and the value."""
    with pytest.raises(ValueError, match=f"stabilised_rounds: max_rounds={max_rounds}. Use a whole number"):
        stabilised_rounds(*exclusive_or(), max_rounds)


def test_stabilised_rounds_refuses_another_selector():
    """The error names what was given."""
    with pytest.raises(TypeError, match=r"stabilised_rounds: selector is a ReliefF\. Use an FS2Boost"):
        stabilised_rounds(*exclusive_or(), selector=ReliefF())


def test_one_column_is_kept():
    """There is nothing to search for."""
    X, y = exclusive_or()
    for direction in ("forward", "backward"):
        fitted = FS2Boost(direction=direction, floating=True).fit(X[:, :1], y)
        assert fitted.support_.tolist() == [True]
        assert fitted.ranking_.tolist() == [1]


def test_problems_of_the_helper_are_what_they_say():
    """The drawn problems have two classes at least and as many labels as rows."""
    for seed in range(20):
        problem = vote_problem(seed)
        assert isinstance(problem, VoteProblem)
        assert len(problem.codes) == len(problem.values)
        assert set(problem.codes) == set(range(problem.codes.max() + 1))
        assert problem.codes.max() >= 1


@pytest.mark.parametrize(
    "setting", [{}, {"criterion": "z_prime"}, {"criterion": "accuracy", "class_weight": "balanced"}]
)
def test_settings_for_classes_are_refused_for_numbers(setting):
    """By name, with what to use."""
    with pytest.raises(
        ValueError,
        match=r"FS2Boost: .*(criterion|class_weight)=.*for classes.*(use criterion='accuracy'|Leave)",
    ):
        FS2Boost(**setting).fit(np.arange(20.0).reshape(10, 2), np.arange(10) + 0.5)


def test_a_search_for_numbers_on_some_rows():
    """Rows are drawn by chance, two of different numbers among them."""
    X, y = np.random.default_rng(0).random((50, 3)), np.repeat([0.5, 1.5], [49, 1])
    with pytest.warns(UserWarning, match="looks at 2 of 50 rows"):
        selector = FS2Boost(criterion="accuracy", max_rows=2, random_state=0).fit(X, y)
    assert 49 in selector.search_rows_
