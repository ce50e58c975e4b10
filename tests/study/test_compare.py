"""Comparisons: selection inside the folds, the same answer however it is reached."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SelectKBest, SequentialFeatureSelector
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tamis import MovedPrototypes, RandomPrototypes, ReliefF, SelectorCV, UnivariateAUC
from tamis.study import compare, recommend
from tamis.study._fold import Data, Fold, judged_fold, scores_of
from tamis.study._pool import TOO_LONG, Lost

MODELS = {"tree": DecisionTreeClassifier(max_depth=3, random_state=0)}


def problem(n=120, d=8, classes=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    y = np.digitize(X[:, 0] + X[:, 1], np.quantile(X[:, 0] + X[:, 1], np.arange(1, classes) / classes))
    return X, y


def facts(found):
    """Everything but times."""
    return found.scores().drop("model_seconds", "select_seconds")


class Spy(UnivariateAUC):
    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        Spy.seen.append(frozenset(np.asarray(X)[:, 0]))
        return super().fit(X, y)


def test_a_selector_never_sees_the_rows_held_out():
    """It is fitted once a split on the training rows, once more on all of them, and twice in two splits for the shuffled target."""
    X, y = problem()
    X[:, 0] = np.arange(len(X))
    Spy.seen.clear()
    compare(X, y, [Spy()], models=MODELS, cv=StratifiedKFold(3), column_sizes=[1, 2])
    splits = list(StratifiedKFold(3).split(X, y))
    assert Spy.seen[:3] == [frozenset(train.astype(float)) for train, _ in splits]
    assert set(Spy.seen[3:]) <= {*Spy.seen[:2], frozenset(X[:, 0])}
    assert len(Spy.seen) <= 3 + 1 + 2 * 2


def test_scores_are_scikit_learns():
    """The four scores equal scikit-learn's on the same model."""
    for classes in (2, 3):
        X, y = problem(classes=classes)
        model = LogisticRegression().fit(X[:80], y[:80])
        found = scores_of(clone(model).fit(X[:80], y[:80]), X[80:], y[80:], np.unique(y))
        chances, predicted, true = model.predict_proba(X[80:]), model.predict(X[80:]), y[80:]
        area = roc_auc_score(true, chances[:, 1] if classes == 2 else chances, multi_class="ovr")
        assert found == pytest.approx(
            [
                accuracy_score(true, predicted),
                balanced_accuracy_score(true, predicted),
                area,
                log_loss(true, chances),
            ]
        )


def test_any_scorer_of_scikit_learn_can_decide():
    """Its scores stand beside the four, equal to scikit-learn's on the same rows; chance is a dummy model's."""
    X, y = problem(60, 4, 3)
    found = compare(X, y, ["univariate-auc"], models=MODELS, cv=3, repeats=1, score="f1_macro")
    assert found.advice["columns"].score == "f1_macro"
    folds = StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)
    table = found.scores().filter(pl.col("method") == "all columns")
    for number, (train, test) in enumerate(folds):
        fitted = clone(MODELS["tree"]).fit(X[train], y[train])
        mine = table.filter(pl.col("split") == number)["f1_macro"].item()
        assert mine == pytest.approx(f1_score(y[test], fitted.predict(X[test]), average="macro"))
        often = np.full(len(test), np.bincount(y[train]).argmax())
        by_chance = f1_score(y[test], often, average="macro", zero_division=0)
        assert found.chance.scores[number, -1] == pytest.approx(by_chance)
    with pytest.raises(ValueError, match="'f1_micro' was not measured"):
        found.curve("univariate-auc", "tree", "f1_micro")
    with pytest.raises(ValueError, match=r"the score 'f1' does not fit this target.*f1_macro"):
        compare(X, y, ["univariate-auc"], models=MODELS, score="f1")


@pytest.mark.parametrize(
    "selector",
    [
        RFE(LogisticRegression()),
        SelectKBest(),
        SelectFromModel(RandomForestClassifier(10, random_state=0)),
        SequentialFeatureSelector(KNeighborsClassifier(), cv=2),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_scikit_learns_selectors_stand_beside_ours(selector):
    """Any selector of scikit-learn is compared, at the sizes asked for."""
    X, y = problem(n=60)
    found = compare(X, y, [selector, "univariate-auc"], models=MODELS, cv=2, repeats=1, column_sizes=[1, 3])
    assert found.left_out == {}
    curve = found.curve(type(selector).__name__, "tree")
    assert curve.n_kept.tolist() == [1, 3]
    assert not np.isnan(curve.values).any()
    assert found.kept(type(selector).__name__, 1).sum(axis=1).tolist() == [3, 3]


class Confirmed(BaseEstimator):
    """As Boruta: a ranking with ties, a set of its own size, and no parameter for it."""

    def fit(self, X, y):
        self.support_ = np.arange(X.shape[1]) < 2
        self.ranking_ = np.where(self.support_, 1, 2)
        return self

    def transform(self, X):
        return X[:, self.support_]


@pytest.mark.parametrize(
    "selector",
    [
        RFECV(LogisticRegression(), cv=2),
        SelectorCV(UnivariateAUC(), KNeighborsClassifier(), cv=2),
        Confirmed(),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_a_selector_that_finds_its_number_is_judged_at_that(selector):
    """In every fold it keeps what it would keep of the training rows alone."""
    X, y = problem(n=60)
    found = compare(X, y, {"own": selector}, models=MODELS, cv=StratifiedKFold(2), column_sizes=[1, 3])
    wanted = []
    for train, _ in StratifiedKFold(2).split(X, y):
        fitted = clone(selector).fit(X[train], y[train])
        wanted.append(fitted.support_.tolist())
    assert found.kept("own", 0).astype(bool).tolist() == wanted
    assert len(found.curve("own", "tree").n_kept) == 1


@pytest.mark.parametrize(
    "selector",
    [
        UnivariateAUC().fit(*problem()),
        SelectFromModel(LogisticRegression().fit(*problem()), prefit=True),
        SelectFromModel(FrozenEstimator(LogisticRegression().fit(*problem()))),
        RFE(LogisticRegression().fit(*problem())),
    ],
    ids=["ours", "prefit", "frozen", "inside"],
)
def test_a_fitted_selector_is_refused(selector):
    """A selector that has seen rows, itself or by a model inside it, is refused by name."""
    X, y = problem()
    with pytest.raises(ValueError, match=r"the method 'mine' holds .*fitted"):
        compare(X, y, {"mine": selector}, models=MODELS)


def test_a_method_that_refuses_the_table_is_left_out_with_its_sentence():
    """Others go on, and what it said is kept."""

    class Refusing(BaseEstimator):
        def fit(self, X, y):
            raise ValueError("Refusing: not this table.")

    X, y = problem(n=60)
    found = compare(X, y, [Refusing(), "univariate-auc"], models=MODELS, cv=2, repeats=1)
    assert found.left_out == {"Refusing": "Refusing: not this table."}
    assert found.n_splits("univariate-auc") == 2


def test_jobs_and_a_budget_do_not_change_the_scores():
    """One job, two jobs, and processes against the clock give the same scores to the bit."""
    X, y = problem(n=60)
    given = {
        "methods": ["univariate-auc", "random"],
        "models": ["linear"],
        "cv": 2,
        "repeats": 1,
        "column_sizes": [1, 2],
    }
    alone = compare(X, y, **given)
    assert facts(alone).height == 2 * (1 + 1 + 2 + 5)
    for more in ({"n_jobs": 2}, {"budget": 60.0}):
        found = compare(X, y, **given, **more)
        assert facts(found).equals(facts(alone))
        assert found.selections().equals(alone.selections())
        assert found.final == alone.final


class PretendedWorkers:
    """Does the folds here, and believes of every method that it takes the seconds that are given."""

    seconds: dict = {}  # noqa: RUF012

    def __init__(self, data, n_jobs):
        self.data = data

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def work(self, function, jobs, *, deadline, patience, turn):
        for job in filter(None, map(turn, jobs)):
            late = patience is not None and self.seconds.get(job.method, 0.0) > patience(job)
            yield job, Lost(TOO_LONG) if late else judged_fold(job, self.data)


def test_with_little_time_every_method_has_a_fold_before_the_quick_have_their_third(monkeypatch):
    """A method that is put off has its first fold before more folds of those that are quick."""
    monkeypatch.setattr("tamis.study._run.Workers", PretendedWorkers)
    monkeypatch.setattr(PretendedWorkers, "seconds", {"bdsfs": 30.0, "relieff": 30.0})
    told = []
    X, y = problem(n=40, d=3)
    options = {"models": MODELS, "cv": 4, "repeats": 1, "budget": 100.0}
    found = compare(X, y, ["relieff", "bdsfs", "random"], progress=lambda *at: told.append(at[-1]), **options)
    assert found.left_out == {}
    assert {found.n_splits(name) for name in found.sifts} == {4}
    assert sorted(told[1:]) == sorted(["all columns", "random", "relieff", "bdsfs"] * 4)
    third = [place for place, name in enumerate(told) if name == "random"][2]
    assert {"relieff", "bdsfs"} <= set(told[:third])


def test_stopped_and_resumed_is_the_same(tmp_path):
    """A journal cut in the middle of a line is gone on with, does only what is missing, and ends the same."""
    X, y = problem(n=60)
    given = {"methods": ["univariate-auc", "random"], "models": MODELS, "cv": 3, "repeats": 1}
    path = tmp_path / "journal.jsonl"
    whole = compare(X, y, **given, path=path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:4], lines[4][:50]]))
    told = []
    again = compare(X, y, **given, path=path, resume=True, progress=lambda *words: told.append(words))
    assert told[0][0] == 1
    assert told[2][0] == 3
    assert facts(again).equals(facts(whole))
    assert again.final == whole.final
    assert len(path.read_text().splitlines()) == len(lines)


def test_another_comparison_is_not_gone_on_with(tmp_path):
    """A journal of other data or methods is refused, and it says of which."""
    X, y = problem(n=60)
    given = {"models": MODELS, "cv": 2, "repeats": 1, "path": tmp_path / "journal.jsonl", "resume": True}
    compare(X, y, ["univariate-auc"], **given)
    with pytest.raises(ValueError, match="another comparison, of other methods"):
        compare(X, y, ["random"], **given)
    with pytest.raises(ValueError, match="another comparison, of other data"):
        compare(X + 1e-9, y, ["univariate-auc"], **given)


def test_a_comparison_of_other_kinds_labels_or_code_is_not_gone_on_with(tmp_path, monkeypatch):
    """The kinds of columns, the names of the classes, the texts of categories and the code are part of what is compared."""
    X, y = problem(n=60)
    frame = pl.DataFrame({"a": (X[:, 0] > 0).astype(int), "b": X[:, 1]})
    given = {"models": MODELS, "cv": 2, "repeats": 1, "path": tmp_path / "journal.jsonl", "resume": True}
    compare(frame, y, ["univariate-auc"], **given)
    texts = frame["a"].cast(pl.String)
    with pytest.raises(ValueError, match="of other kinds of columns"):
        compare(frame.with_columns(texts.cast(pl.Categorical)), y, ["univariate-auc"], **given)
    with pytest.raises(ValueError, match="of other classes"):
        compare(frame, np.array(["p", "q"])[y], ["univariate-auc"], **given)
    compare(frame.with_columns(texts), y, ["univariate-auc"], **given | {"resume": False})
    with pytest.raises(ValueError, match="of other kinds of columns"):
        compare(frame.with_columns(a="x" + texts), y, ["univariate-auc"], **given)
    monkeypatch.setattr("tamis.study._compare.code", lambda: {"tamis": "another"})
    with pytest.raises(ValueError, match="of other code"):
        compare(frame.with_columns(texts), y, ["univariate-auc"], **given)


@pytest.mark.parametrize("content", ["mine, not yours\n", "null\n", "[1]\n", '"text"\n', "\x00\n"])
def test_a_file_that_is_no_journal_is_refused(tmp_path, content):
    """To go on with a file that holds something else is refused, and it stays."""
    X, y = problem(n=60)
    path = tmp_path / "journal.jsonl"
    path.write_text(content)
    with pytest.raises(ValueError, match="is not a journal"):
        compare(X, y, ["univariate-auc"], models=MODELS, cv=2, repeats=1, path=path, resume=True)
    assert path.read_text() == content


@pytest.mark.parametrize(
    "line",
    [
        "null",
        "3",
        '{"method": "univariate-auc"}',
        '{"method": [], "split": {}}',
        '{"method": "univariate-auc", "split": 0, "steps": null}',
        "[" * 100_000,
    ],
)
def test_a_journal_is_read_up_to_a_line_that_is_no_answer(tmp_path, line):
    """A line that is none of ours ends what is gone on with; the rest is done again."""
    X, y = problem(n=60)
    given = {
        "methods": ["univariate-auc"],
        "models": MODELS,
        "cv": 2,
        "repeats": 1,
        "path": tmp_path / "j.jsonl",
    }
    whole = compare(X, y, **given)
    lines = (tmp_path / "j.jsonl").read_text().splitlines()
    (tmp_path / "j.jsonl").write_text("\n".join([*lines[:2], line, *lines[2:]]) + "\n")
    assert facts(compare(X, y, **given, resume=True)).equals(facts(whole))


def test_an_answer_that_was_changed_is_given_again(tmp_path):
    """Of a journal in which one number was changed, the answers from there on are worked out anew."""
    X, y = problem(n=60)
    path = tmp_path / "j.jsonl"
    given = {"methods": ["univariate-auc"], "models": MODELS, "cv": 2, "repeats": 1, "path": path}
    whole = compare(X, y, **given)
    lines = path.read_text().splitlines()
    answer = json.loads(lines[2])
    answer["steps"][0]["n_kept"] = 99
    path.write_text("\n".join([*lines[:2], json.dumps(answer), *lines[3:]]) + "\n")
    assert facts(compare(X, y, **given, resume=True)).equals(facts(whole))


def test_groups_stay_together():
    """Rows of one group are never on both sides of a split."""
    X, y = problem(n=60)
    groups = np.arange(60) // 4
    found = compare(X, y, ["random"], models=MODELS, cv=3, repeats=1, groups=groups, row_sizes=[0.5])
    for answer in found.answers:
        if answer["method"] == "random":
            held_out = set(range(60)) - set(answer["steps"][0]["kept"])
            assert held_out
    assert found.n_splits("random") == 3


def test_groups_reach_selectors_of_columns_that_take_them():
    """In every split: rows of a group are never each other's neighbours."""
    random = np.random.default_rng(3)
    groups = np.repeat(np.arange(20), 3)
    X = np.column_stack([np.repeat(random.normal(size=20), 3), random.normal(size=(60, 3))])
    X[:, 0] += random.normal(0, 0.01, 60)  # tells the group, and so the class, only to neighbours within it
    y = np.repeat(np.arange(20) % 2, 3)
    train, test = np.flatnonzero(groups < 14), np.flatnonzero(groups >= 14)
    given = {"models": ["linear"], "cv": [(train, test)], "column_sizes": [1]}
    orders = []
    for together in (groups, None):
        found = compare(X, y, ["relieff"], groups=together, **given)
        (order,) = (answer["order"] for answer in found.answers if answer["method"] == "relieff")
        extra = {} if together is None else {"groups": together[train]}
        assert order == np.argsort(ReliefF().fit(X[train], y[train], **extra).ranking_).tolist()
        orders.append(order)
    assert orders[0][0] != orders[1][0] == 0


def test_recommended_is_the_smallest_within_one_standard_error():
    """No smaller candidate is within one standard error of the best, and the chosen one is."""
    X, y = problem(n=200, seed=2)
    found = compare(X, y, ["univariate-auc", "bdsfs"], models=["linear", "1-nn"], repeats=1)
    said = recommend(found)
    assert found.advice == {"columns": said}
    assert said.chosen.mean >= said.best.mean - said.best.error
    for method in found.methods("columns", baseline=True):
        for model in found.models:
            curve = found.curve(method, model)
            smaller = curve.mean[curve.n_kept < said.chosen.n_kept]
            assert (smaller < said.best.mean - said.best.error).all()
    sizes = [candidate.n_kept for candidate in said.front]
    assert sizes == sorted(sizes)
    assert said.front[-1].mean == said.best.mean
    assert set(said.always) >= {0, 1}
    assert found.final["columns"]["kept"] == sorted(
        found.final["columns"]["order"][: int(said.chosen.n_kept)]
    )
    assert 0.5 < said.honest_mean <= 1


def test_the_honest_score_is_fair_where_nothing_is_to_be_found():
    """On pure noise the flattering best exceeds one half clearly more than the honest score does."""
    gaps = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(60, 12)), np.arange(60) % 2
        said = recommend(compare(X, y, ["univariate-auc"], models=MODELS, repeats=1, random_state=seed))
        gaps.append((said.best.mean - 0.5, said.honest_mean - 0.5))
    best, honest = np.mean(gaps, axis=0)
    assert best > honest
    assert abs(honest) < 0.06


def test_frames_with_names_gaps_and_nominal_columns():
    """A mixed frame is compared by the default models, and keeps its names."""
    X, y = problem(n=80, d=3)
    frame = pl.DataFrame(
        {"a": X[:, 0], "b <i>": ["up" if value > 0 else None for value in X[:, 1]], "c": X[:, 2]}
    )
    frame = frame.with_columns(pl.when(pl.col("a") > 1).then(None).otherwise(pl.col("a")).alias("a"))
    found = compare(
        frame,
        y,
        ["univariate-auc", "f-test", RandomPrototypes(random_state=0)],
        cv=2,
        repeats=1,
        row_sizes=[0.2],
    )
    assert found.columns == ("a", "b <i>", "c")
    assert found.left_out == {}
    assert found.failures() == {}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"methods": ["sbs-mff"]}, "Did you mean 'sbs-mf'"),
        ({"methods": []}, "no methods"),
        ({"methods": ["univariate-auc"], "budget": 0}, "budget=0"),
        ({"methods": ["univariate-auc"], "score": "auc"}, "no score 'auc'"),
        ({"methods": ["univariate-auc"], "column_sizes": [9]}, "X has 8 columns"),
        ({"methods": ["univariate-auc"], "models": ["svm"]}, "no classifier 'svm'"),
    ],
)
def test_mistakes_are_named_before_any_work(given, says):
    """A wrong name, size, score or budget is refused with what would do."""
    X, y = problem()
    with pytest.raises(ValueError, match=says):
        compare(X, y, **given)


def test_a_fold_whose_time_is_over_leaves_models_out():
    """With no time at all the selection is kept, the models have no scores, and the answer says that it was cut."""
    X, y = problem(n=60)
    rows = np.arange(60)
    fold = Fold("auc", UnivariateAUC(), "columns", 0, rows[:40], rows[40:], [1, 2], limit=0.0)
    answer = judged_fold(fold, Data(X, y, MODELS))
    assert answer["cut"]
    assert len(answer["order"]) == 8
    assert all(step["scores"]["tree"] == [None] * 5 for step in answer["steps"])


def test_all_rows_and_all_columns_are_the_same():
    """What keeps everything has the same scores under both names, and is judged once."""
    X, y = problem(n=60)
    found = compare(X, y, ["univariate-auc", "random"], models=MODELS, cv=2, repeats=1)
    columns, rows = (found.curve(name, "tree") for name in ("all columns", "all rows"))
    np.testing.assert_array_equal(columns.values, rows.values)
    assert (columns.n_kept.tolist(), rows.n_kept.tolist()) == ([8], [30])


def test_a_comparison_writes_its_page(tmp_path):
    """The page of the command line from Python, with and without the rows; an existing file stays unless asked otherwise."""
    X, y = problem(40, 4)
    found = compare(X, y, ["univariate-auc", "random"], models=MODELS, cv=2, repeats=1)
    found.report(tmp_path / "r.html")
    assert "The kept rows among all" not in (tmp_path / "r.html").read_text()
    with pytest.raises(ValueError, match=r"r\.html is already there. Use overwrite=True"):
        found.report(tmp_path / "r.html")
    found.report(tmp_path / "r.html", name="<b>", X=X, y=y, overwrite=True)
    page = (tmp_path / "r.html").read_text()
    assert "&lt;b&gt;: what to keep" in page
    assert "The kept rows among all" in page
    with pytest.raises(ValueError, match="Let its name end in"):
        found.report("r.txt")


def test_made_rows_are_compared_with_kept_ones(tmp_path):
    """MovedPrototypes by name or as an estimator is judged on its made rows, none of which is in the table."""
    X, y = problem()
    made = MovedPrototypes(n_steps=5, random_state=0)
    study = compare(
        X, y, ["random", made, "moved-prototypes"], row_sizes=[0.1, 0.3], cv=3, repeats=1, models=MODELS
    )
    for name in ("MovedPrototypes", "moved-prototypes"):
        curve = study.curve(name, "tree", "accuracy")
        assert curve.n_kept.tolist() == [8, 24]
        assert np.isfinite(curve.values).all()
    assert set(study.selections()["method"]) == {"random"}
    assert study.final.get("rows", {}).get("method") in (None, "random")
    study.report(tmp_path / "page.html", X=X, y=y)
