"""How far long work is: bars, lines, callbacks, and what Ctrl-C leaves."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB

from tamis import (
    EFR,
    CondensedNN,
    Decoys,
    FS2Boost,
    MarginPrototypes,
    MovedPrototypes,
    PermutationRanking,
    PSBoost,
    ReducedNN,
    SampledEFR,
    SelectorCV,
    Sieve,
    StabilitySelection,
    UnivariateAUC,
    _progress,
)
from tamis._memory import remembering
from tamis._progress import Progress, in_words, shown
from tamis.features import decoys as decoys_module
from tamis.features import sampled_efr, stability
from tamis.prototypes import _moved
from tamis.study import compare
from tests.prototypes.problems import needs_compiler


def table(n_rows: int = 60, n_columns: int = 6) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    return X, (X[:, 1] + X[:, 3] > 0).astype(int)


class Work(BaseEstimator):
    """Twelve steps, of which some are done before something happens."""

    def __init__(self, verbose: int = 0, error: BaseException | None = None, n_done: int = 12) -> None:
        self.verbose = verbose
        self.error = error
        self.n_done = n_done

    def fit(self, least: int | None = 1, total: int | None = 12) -> Work:
        with Progress(self, "steps", total, least=least) as progress:
            for number in range(12):
                if number == self.n_done and self.error is not None:
                    raise self.error
                progress(what=f"step {number}")
        self.n_steps_ = progress.done
        return self


def test_lines_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal, verbose prints a line on stderr for every tenth; by default, and on stdout, there is nothing."""
    Work().fit()
    assert capsys.readouterr() == ("", "")
    Work(verbose=1).fit()
    told = capsys.readouterr()
    assert told.out == ""
    lines = told.err.splitlines()
    assert lines[0] == "Work: steps: 0 of 12"
    assert lines[1].startswith("Work: steps: 2 of 12, step 1, about ")
    assert lines[-1] == "Work: steps: 12 of 12, step 11"
    assert len(lines) == 11


def test_every_step_where_the_end_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    """If nobody knows how many steps there are, each has a line."""
    Work(verbose=1).fit(total=None)
    assert len(capsys.readouterr().err.splitlines()) == 13


def test_a_bar_in_a_terminal() -> None:
    """In a terminal a bar is drawn, its name is not taken for markup, and it leaves nothing behind."""
    screen = Console(file=io.StringIO(), force_terminal=True, width=100)
    with shown("[red]own", screen) as show:
        show(3, 10, "a fold")
    drawn = screen.file.getvalue()  # type: ignore[attr-defined]
    assert "[red]own" in drawn
    assert "3/10" in drawn


def test_a_bar_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a notebook one line is written anew after every step, without widgets."""
    seen: list[str] = []

    def display(bundle: dict[str, str], **_: Any) -> Any:
        seen.append(bundle["text/plain"])
        return SimpleNamespace(update=lambda bundle, **_: seen.append(bundle["text/plain"]))

    fake = ModuleType("IPython.display")
    fake.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", fake)
    with shown("EFR: runs", Console(force_jupyter=True)) as show:
        show(0, 10)
        show(10, 10)
    assert seen[1] == f"EFR: runs [{'.' * 30}] 0 of 10"
    assert seen[2] == f"EFR: runs [{'#' * 30}] 10 of 10"


def test_ctrl_c_keeps_what_is_done() -> None:
    """Interrupted after enough steps, the work ends and says so in one sentence; before, Ctrl-C is passed on."""
    with pytest.warns(
        UserWarning, match=r"^Work: interrupted after 5 of 12 steps; the result rests on these\.$"
    ):
        assert Work(error=KeyboardInterrupt(), n_done=5).fit().n_steps_ == 5
    for least in (6, None):
        with pytest.raises(KeyboardInterrupt):
            Work(error=KeyboardInterrupt(), n_done=5).fit(least=least)
    with pytest.raises(ZeroDivisionError):
        Work(error=ZeroDivisionError(), n_done=5).fit()
    assert _progress._working == []


def test_an_error_that_ctrl_c_caused() -> None:
    """A library that fails in another way because it was interrupted counts as interrupted."""
    error = SystemError("returned a result with an exception set")
    error.__cause__ = KeyboardInterrupt()
    with pytest.warns(UserWarning, match="interrupted after 3 of 12 steps"):
        Work(error=error, n_done=3).fit()
    with pytest.raises(KeyboardInterrupt):  # and not the error that it caused
        Work(error=error, n_done=3).fit(least=None)


def test_only_the_outermost_work_decides(capsys: pytest.CaptureFixture[str]) -> None:
    """Work inside of other work shows nothing and passes Ctrl-C on: a fold that was cut short is not a fold."""
    folds = Progress(Work(verbose=1), "folds", 4)

    def work() -> None:
        with folds:
            for n_done in (12, 12, 5):
                Work(verbose=1, error=KeyboardInterrupt(), n_done=n_done).fit()
                folds()

    with pytest.warns(UserWarning, match="Work: interrupted after 2 of 4 folds"):
        work()
    assert folds.done == 2
    assert "steps" not in capsys.readouterr().err


def test_durations_in_words() -> None:
    """Seconds, minutes and hours."""
    assert [in_words(s) for s in (0.2, 1.4, 40, 200, 9000)] == ["1 second", "1 second", "40 seconds", "3 minutes", "2.5 hours"]  # fmt: skip


def pressed(function: Callable[..., Any], number: int) -> Callable[..., Any]:
    """A function during whose call `number` somebody presses Ctrl-C, for real."""
    calls = 0

    def call(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            signal.raise_signal(signal.SIGINT)
        return function(*arguments, **named)

    return call


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Pressed(GaussianNB):
    """A model during whose fit number `at` somebody presses Ctrl-C."""

    fits = 0

    def __init__(self, at: int = 3) -> None:
        super().__init__()
        self.at = at

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        Pressed.fits += 1
        if Pressed.fits == self.at:
            signal.raise_signal(signal.SIGINT)
        return super().fit(X, y, sample_weight)


def test_selector_cv_chooses_by_the_folds_that_are_done(hears_ctrl_c: None) -> None:
    """Interrupted in the fourth fold, the size is chosen by three, as if there had been no other."""
    X, y = table()
    sizes = [1, 2, 4]
    splits = list(SelectorCV(UnivariateAUC(), GaussianNB()).fit(X, y).cv_results_)
    assert "split4_test_score" in splits
    Pressed.fits = 0
    search = SelectorCV(UnivariateAUC(), Pressed(at=3 * 3 + 2), sizes=sizes)
    with pytest.warns(UserWarning, match="SelectorCV: interrupted after 3 of 5 folds; these choose the size"):
        search.fit(X, y)
    whole = SelectorCV(UnivariateAUC(), GaussianNB(), sizes=sizes).fit(X, y)
    names = [f"split{fold}_test_score" for fold in range(3)]
    assert [name for name in search.cv_results_ if name.startswith("split")] == names
    for name in names:
        np.testing.assert_array_equal(search.cv_results_[name], whole.cv_results_[name])
    assert search.transform(X).shape == (60, search.n_features_)
    Pressed.fits = 0
    with pytest.raises(KeyboardInterrupt):  # one fold chooses nothing
        SelectorCV(UnivariateAUC(), Pressed(at=4), sizes=sizes).fit(X, y)


def test_efr_ranks_by_the_runs_that_are_done(hears_ctrl_c: None) -> None:
    """Interrupted in the tenth run, the ranking rests on nine; before every column was seen there is none."""
    X, y = table()

    def getter(model: Any) -> Any:
        return np.abs(model.theta_[1] - model.theta_[0])

    whole = EFR(GaussianNB(), n_estimators=30, max_features=2, random_state=0, importance_getter=getter)
    cut = clone(whole).set_params(importance_getter=pressed(getter, 10))
    with pytest.warns(UserWarning, match="EFR: interrupted after 9 of 30 runs"):
        cut.fit(X, y)
    np.testing.assert_array_equal(cut.run_scores_, whole.fit(X, y).run_scores_[:9])
    assert sorted(cut.ranking_) == list(range(1, 7))
    with pytest.raises(KeyboardInterrupt):
        clone(whole).set_params(importance_getter=pressed(getter, 3)).fit(X, y)


def test_permutation_ranking_ranks_by_the_folds_that_are_done(hears_ctrl_c: None) -> None:
    """Interrupted in a round, what has left stays behind, and the rest is ranked by the folds of the round that are done."""
    X, y = table()
    whole = PermutationRanking(estimator=GaussianNB(), step=2, cv=5, random_state=0).fit(X, y)
    Pressed.fits = 0
    with pytest.warns(UserWarning, match="PermutationRanking: interrupted after 7 of 20 folds"):
        cut = PermutationRanking(estimator=Pressed(at=8), step=2, cv=5, random_state=0).fit(X, y)
    assert sorted(cut.ranking_) == list(range(1, 7))
    np.testing.assert_array_equal(np.argsort(cut.ranking_)[-2:], np.argsort(whole.ranking_)[-2:])
    assert cut.history_["n_features"].tolist() == [6, 4]


@needs_compiler
def test_decoys_judge_by_the_sets_that_are_done(hears_ctrl_c: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted in the fourth set, the verdicts rest on three, whose e-values are those of the whole fit."""
    X, y = table(200)
    whole = Decoys(UnivariateAUC(), random_state=0).fit(X, y)
    monkeypatch.setattr(decoys_module, "set_scores", pressed(decoys_module.set_scores, 4))
    with pytest.warns(UserWarning, match="Decoys: interrupted after 3 of 10 sets"):
        cut = Decoys(UnivariateAUC(), random_state=0).fit(X, y)
    np.testing.assert_array_equal(cut.statistics_, whole.statistics_[:3])
    assert cut.least_kept_ == whole.least_kept_


@needs_compiler
def test_stability_selection_keeps_its_bound(hears_ctrl_c: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer pairs of halves a column must be chosen more often, so that the promise stays."""
    X, y = table(200, 20)
    monkeypatch.setattr(stability, "pair_counts", pressed(stability.pair_counts, 4))
    with pytest.warns(UserWarning, match="StabilitySelection: interrupted after 3 of 50 pairs"):
        cut = StabilitySelection(UnivariateAUC(), random_state=0).fit(X, y)
    whole = StabilitySelection(UnivariateAUC(), random_state=0).fit(X, y)
    assert cut.n_chosen_ == whole.n_chosen_
    assert whole.threshold_ < cut.threshold_ <= 1
    assert cut.expected_false_ <= 1
    np.testing.assert_array_equal(cut.scores_ * 6, np.round(cut.scores_ * 6))


@needs_compiler
def test_sampled_efr_counts_whole_chains(hears_ctrl_c: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted in the eighth chain of three classes, two chains of each class count."""
    X, _ = table()
    y = np.digitize(X[:, 1], [-0.4, 0.4])
    settings: dict[str, Any] = {"n_sweeps": 40, "n_burn_in": 10, "random_state": 0}
    whole = SampledEFR(**settings).fit(X, y)
    monkeypatch.setattr(sampled_efr, "_chain", pressed(sampled_efr._chain, 8))
    with pytest.warns(UserWarning, match="SampledEFR: interrupted after 7 of 18 chains"):
        cut = SampledEFR(**settings).fit(X, y)
    np.testing.assert_array_equal(cut.chain_inclusion_, whole.chain_inclusion_[:, :2])


@needs_compiler
def test_fs2boost_keeps_the_columns_found(hears_ctrl_c: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted while the third column is sought, two are kept, the same as where two were asked for."""
    from tamis.features._search import MemoisedVotes

    X, y = table()
    two = FS2Boost(2, n_rounds=5).fit(X, y)
    monkeypatch.setattr(MemoisedVotes, "paths", pressed(MemoisedVotes.paths, 3))
    with pytest.warns(
        UserWarning, match="FS2Boost: interrupted after 2 moves; the columns found so far are kept"
    ):
        cut = FS2Boost(4, n_rounds=5).fit(X, y)
    np.testing.assert_array_equal(cut.support_, two.support_)
    assert cut.n_features_ == 2


@needs_compiler
def test_rows_found_so_far_are_kept(hears_ctrl_c: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """MarginPrototypes interrupted in its third pass keeps what its history leads to."""
    from tamis.prototypes import _margin

    X, y = table(300, 4)
    monkeypatch.setattr(_margin, "_searched_swaps", pressed(_margin._searched_swaps, 3))
    with pytest.warns(UserWarning, match="MarginPrototypes: interrupted after 2 passes; the rows found"):
        cut = MarginPrototypes(10, random_state=0).fit(X, y)
    kept = set(cut.start_indices_)
    for removed, added in zip(cut.history_["removed"], cut.history_["added"]):
        kept = kept - {removed} | {added}
    assert sorted(kept) == cut.sample_indices_.tolist()
    assert len(set(zip(cut.history_["beta"], cut.history_["pass"]))) == 2


@needs_compiler
def test_moved_rows_stay_where_they_came_to(hears_ctrl_c: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """MovedPrototypes interrupted in step 60 are where 50 steps of 300 brought them, folded; the search of a start is no step."""
    X, y = table(100, 4)
    whole = MovedPrototypes(6, random_state=0).fit(X, y)
    monkeypatch.setattr(_moved, "_one_step", pressed(_moved._one_step, 60))
    with pytest.warns(
        UserWarning, match="MovedPrototypes: interrupted after 50 of 300 steps; the rows are where"
    ):
        cut = MovedPrototypes(6, random_state=0).fit(X, y)
    np.testing.assert_array_equal(cut.history_["loss"], whole.history_["loss"][:50])
    assert cut.prototypes_.shape == (6, 4)
    assert (cut.position_weights_ == 1).all()


LONG = {
    "EFR": lambda: EFR(GaussianNB(), n_estimators=4, importance_getter="theta_", random_state=0),
    "Sieve": lambda: Sieve(
        members=[("auc", UnivariateAUC())], search=False, estimator=GaussianNB(), random_state=0
    ),
    "SampledEFR": lambda: SampledEFR(n_sweeps=10, n_burn_in=2, random_state=0),
    "FS2Boost": lambda: FS2Boost(2, n_rounds=2),
    "PermutationRanking": lambda: PermutationRanking(estimator=GaussianNB(), random_state=0),
    "Decoys": lambda: Decoys(UnivariateAUC(), n_sets=3, random_state=0),
    "StabilitySelection": lambda: StabilitySelection(UnivariateAUC(), n_pairs=5, random_state=0),
    "SelectorCV": lambda: SelectorCV(SelectKBest(), GaussianNB(), sizes=[1, 2]),
    "MarginPrototypes": lambda: MarginPrototypes(4, random_state=0),
    "MovedPrototypes": lambda: MovedPrototypes(4, n_steps=50, random_state=0),
    "PSBoost": lambda: PSBoost(),
    "CondensedNN": lambda: CondensedNN(),
    "ReducedNN": lambda: ReducedNN(),
}


@needs_compiler
@pytest.mark.parametrize("name", LONG)
def test_every_long_method_tells_when_asked(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """verbose=1 prints lines on stderr under the method's name and changes nothing else; by default there is nothing."""
    X, y = table()
    quiet = LONG[name]().fit(X, y)
    assert capsys.readouterr() == ("", "")
    loud = LONG[name]().set_params(verbose=1).fit(X, y)
    told = capsys.readouterr()
    assert told.out == ""
    assert all(line.startswith(f"{name}: ") for line in told.err.splitlines())
    assert len(told.err.splitlines()) > 1
    for answer in ("ranking_", "support_", "sample_indices_", "prototypes_"):
        if hasattr(quiet, answer):
            np.testing.assert_array_equal(getattr(quiet, answer), getattr(loud, answer))


class Heard:
    """A callback of scikit-learn's kind that writes down what it is told, and stops the work after some tasks."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.stop_after, self.told = stop_after, list[str]()

    def setup(self, estimator: Any, context: Any) -> None:
        self.told.append(f"setup {context.max_subtasks}")

    def teardown(self, estimator: Any, context: Any) -> None:
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        pass

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        self.told.append(context.task_name)
        return self.stop_after is not None and self.told.count("runs") == self.stop_after


def test_callbacks_of_scikit_learn() -> None:
    """A callback hears of every step; one that asks for the end leaves a fit that rests on the steps before."""
    pytest.importorskip("sklearn.callback")
    X, y = table()
    heard = Heard()
    LONG["EFR"]().set_callbacks(heard).fit(X, y)
    assert heard.told == ["setup 4", *["runs"] * 4, "fit", "teardown"]
    stopping = Heard(2)
    cut = LONG["EFR"]().set_callbacks(stopping).fit(X, y)
    assert stopping.told == ["setup 4", "runs", "runs", "teardown"]
    assert len(cut.run_scores_) == 4  # two hypotheses a run
    early = LONG["EFR"]().set_params(max_features=2).set_callbacks(Heard(1))
    with pytest.raises(RuntimeError, match="EFR: a callback stopped the fit after 1 runs, before"):
        early.fit(X, y)


def test_progress_bar_of_scikit_learn(capsys: pytest.CaptureFixture[str]) -> None:
    """Its own bar works, also around a search in processes."""
    callback = pytest.importorskip("sklearn.callback")
    X, y = table()
    search = LONG["SelectorCV"]().set_params(n_jobs=2).set_callbacks(callback.ProgressBar())
    assert search.fit(X, y).n_features_ in (1, 2)
    assert "SelectorCV" in capsys.readouterr().out


def test_work_to_go_on_with_is_not_cut_short(tmp_path: Path) -> None:
    """Where parts are stored for a later run, Ctrl-C is passed on: the run goes on where it stopped."""
    with remembering(tmp_path / "parts"), pytest.raises(KeyboardInterrupt):
        Work(error=KeyboardInterrupt(), n_done=5).fit()


@needs_compiler
def test_sieve_keeps_its_ranking(hears_ctrl_c: None) -> None:
    """Interrupted in the fourth fold, the size is by three; in the second, half is kept; the ranking is that of a whole fit."""
    X, y = table(120)
    settings: dict[str, Any] = {"members": [("auc", UnivariateAUC())], "search": False, "random_state": 0}
    whole = Sieve(estimator=GaussianNB(), **settings).fit(X, y)
    n_sizes = len(whole.cv_results_["size"])
    for at, n_folds in ((3 * n_sizes + 1, 3), (n_sizes + 1, 0)):
        Pressed.fits = 0
        with pytest.warns(UserWarning, match="Sieve: interrupted after . of 12 steps; the ranking is whole"):
            cut = Sieve(estimator=Pressed(at=at), **settings).fit(X, y)
        np.testing.assert_array_equal(cut.ranking_, whole.ranking_)
        assert not hasattr(cut, "reasons_")
        if n_folds:
            names = [f"split{fold}_test_score" for fold in range(n_folds)]
            assert [name for name in cut.cv_results_ if name.startswith("split")] == names
            np.testing.assert_array_equal(cut.cv_results_[names[2]], whole.cv_results_[names[2]])
        else:
            assert cut.n_features_ == 3


def test_compare_rests_on_the_folds_that_are_done(hears_ctrl_c: None) -> None:
    """Interrupted after two folds of every method, there is a comparison with a recommendation; before, there is none."""
    X, y = table(80)
    settings: dict[str, Any] = {"methods": ["univariate-auc"], "column_sizes": [1, 2], "repeats": 1, "cv": 5}
    Pressed.fits = 0
    judge = Pressed(at=10)  # three models a fold: at 1 and 2 columns, and on all
    with pytest.warns(
        UserWarning, match="compare: interrupted after . of 10 folds; the comparison rests on these"
    ):
        found = compare(X, y, models={"bayes": judge}, **settings)
    assert 4 <= len(found.answers) < 10
    assert "columns" in found.advice
    Pressed.fits = 0
    with pytest.raises(KeyboardInterrupt):
        compare(X, y, models={"bayes": Pressed(at=4)}, **settings)
