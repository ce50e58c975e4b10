"""The report of a comparison: what to keep, how sure, and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tamis.report._answer import answer, cautions, judged_by, n_kept, noticed, of_whole
from tamis.report._chart import Line, line_chart, scatter, share_bar, switched
from tamis.report._cloud import prediction_charts
from tamis.report._markup import Html, element, joined
from tamis.report._null_section import null_section
from tamis.report._page import Section, page, paragraph, table
from tamis.report._study_tables import left_out, method_table, ranks_section, turned_words
from tamis.study import Comparison, RankTest, Recommendation
from tamis.study._advice import scored, weights_in_words
from tamis.study._contenders import BASELINE
from tamis.study._scores import score_in_words, shown, sign_of
from tamis.study._statistics import p_in_words

_BY_CHANCE = {"classes": "the shares of the classes", "numbers": "the middle of the training rows"}
MOST_COLUMNS = 12_000  # listed in the ranking, so that the page stays below 2 MB


@dataclass(frozen=True)
class Studied:
    """A table and what the comparison on it found.

    Parameters
    ----------
    name : str
        The table's name.
    comparison : Comparison
        Its results.
    labels : sequence
        The class or the number of each row.
    places : ndarray, shape (n, 2), or None
        The coordinates of the rows in the picture of kept rows.
    shown : float
        The share of the variance that the picture shows.
    commands : mapping of str to str
        For "columns" and "rows": the command that writes the table with only what is to be kept.
    notes : sequence of str
        What was noticed when the table was read.
    """

    name: str
    comparison: Comparison
    labels: Sequence[Any]
    places: Any = None
    shown: float = 0.0
    commands: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()


def study_page(
    studies: Sequence[Studied],
    *,
    ranks: Mapping[str, RankTest] | None = None,
    made: Mapping[str, str] | None = None,
) -> str:
    """The whole page.

    Parameters
    ----------
    studies : sequence of Studied
        One per table.
    ranks : mapping of str to RankTest, optional
        For "columns" and "rows": the test of the methods over all tables.
    made : mapping of str to str, optional
        The command and versions, for the foot of the page.

    Returns
    -------
    str
        The HTML document.
    """
    sections: list[Section] = []
    for study in studies:
        prefix = f"{study.name}: " if len(studies) > 1 else ""
        sections.extend(_sections(study, prefix))
    sections.extend(ranks_section(kind, tested) for kind, tested in (ranks or {}).items())
    if len(studies) == 1:
        shape = f"{studies[0].comparison.n_rows} rows, {len(studies[0].comparison.columns)} columns"
        title = f"{studies[0].name}: what to keep"
        lead: Any = joined(
            cautions(studies[0].notes),
            *_answers(studies[0]),
            element("span", f"{studies[0].name}: {shape}.", class_="faint"),
        )
    else:
        title = f"What to keep of {len(studies)} tables"
        lead = joined(*(joined(element("h3", study.name), *_answers(study)) for study in studies))
    return page(title, sections, lead=lead, made=made)


def _sections(study: Studied, prefix: str) -> list[Section]:
    sections: list[Section] = []
    comparison = study.comparison
    for kind, said in comparison.advice.items():
        if not comparison.methods(kind):
            continue
        sections.append(Section(f"{prefix}Which {kind} to keep", _advice(comparison, said)))
        if kind == "columns":
            sections.append(Section(f"{prefix}The columns, from best to worst", _ranking(comparison, said)))
        models = sorted(comparison.models, key=lambda model: model != said.chosen.model)
        charts = {
            f"scored with {judged_by(model)}": _score_chart(comparison, kind, model, said) for model in models
        }
        sections.append(Section(f"{prefix}Score against the number of {kind}", [switched(charts)]))
        if kind == "columns" and comparison.predicted is not None:
            judge = judged_by(said.chosen.model)
            charts_of_rows = prediction_charts(study.labels, comparison.predicted, judge)
            sections.append(Section(f"{prefix}What is predicted for rows held out", charts_of_rows))
        if kind == "columns":
            sections.append(
                Section(
                    f"{prefix}Stability: are the same columns found again?",
                    [_stability_chart(comparison, said)],
                )
            )
        elif study.places is not None and "rows" in comparison.final:
            sections.append(Section(f"{prefix}The kept rows among all", [_rows_picture(study)]))
        sections.append(
            Section(f"{prefix}The methods for {kind} side by side", [method_table(comparison, kind, said)])
        )
        null = null_section(
            comparison.shuffled.get(kind),
            prefix=prefix,
            suffix=f": {kind}" * (len(comparison.advice) > 1),
        )
        sections += [] if null is None else [null]
    if study.notes:
        sections.append(Section(f"{prefix}What was noticed in the table", [noticed(study.notes)]))
    rest = left_out(comparison)
    return [*sections, Section(f"{prefix}What is missing", rest)] if rest else sections


def _answers(study: Studied) -> list[Any]:
    """The top of the page: which columns, and which rows, to keep."""
    comparison = study.comparison
    answers = [
        answer(comparison, said, study.commands.get(kind, ""))
        for kind, said in comparison.advice.items()
        if comparison.methods(kind)
    ]
    return answers or [paragraph("Nothing was finished in time.")]


def _counted(number: float, kind: str) -> str:
    """A number of columns or rows in words: 1 column, 2 columns."""
    return f"{number:.0f} {kind if round(number) != 1 else kind.removesuffix('s')}"


def _with_size(method: str, number: float, kind: str) -> str:
    """A method and how many it keeps in words: relieff with 5 columns, all columns."""
    return method if method == BASELINE[kind] else f"{method} with {_counted(number, kind)}"


def _card(figure: str, words: str) -> Html:
    return element("div", element("b", figure), element("span", words), class_="card")


def _advice(comparison: Comparison, said: Recommendation) -> list[Any]:
    chosen, kind, sign = said.chosen, said.sifts, sign_of(said.score)
    blocks: list[Any] = [
        element("div", *_cards(comparison, said), class_="cards"),
        *_evidence(comparison, said),
    ]
    if kind == "columns" and chosen.method != BASELINE["columns"]:
        blocks.append(_often(comparison, said))
    front = [
        [n_kept(comparison, said, one), one.method, judged_by(one.model), sign * one.mean, one.error]
        for one in said.front
    ]
    headings = [f"{kind} kept", "method", "scored with", score_in_words(said.score), "standard error"]
    caption = "The best score for each size: nothing smaller is as good (Pareto front)"
    return [*blocks, table(headings, front, caption=caption)]


def _cards(comparison: Comparison, said: Recommendation) -> Iterator[Html]:
    """The figures: the score of the choice first, then that of chance, then what they rest on."""
    chosen, kind, sign, test = said.chosen, said.sifts, sign_of(said.score), said.against_chance
    if not math.isnan(said.honest_mean):
        words = f"{score_in_words(said.score)} of the choice, on rows that took no part in it (nested estimate); ± is one standard error"
        yield _card(scored(said.score, sign * said.honest_mean, said.honest_error), words)
    if test is not None:
        says = "chance is beaten" if test.beaten else "chance is not beaten"
        words = f"by chance, from {_BY_CHANCE[comparison.target_kind]}: {says} ({p_in_words(test.p)})"
        yield _card(shown(said.score, sign * test.mean), words)
    yield _card(
        _counted(n_kept(comparison, said, chosen), kind),
        f"kept by {chosen.method}, scored with {judged_by(chosen.model)}",
    )
    words = "of this choice on the rows that chose it, which flatters"
    yield _card(scored(said.score, sign * chosen.mean, chosen.error), words)
    if kind == "columns" and chosen.method != BASELINE["columns"]:
        stable = comparison.stability(chosen.method, chosen.step)
        if not math.isnan(stable.index):
            words = f"stability of these columns (95 % interval {stable.low:.2f} to {stable.high:.2f})"
            yield _card(f"{stable.index:.2f}", words)


def _evidence(comparison: Comparison, said: Recommendation) -> Iterator[str]:
    """What the advice rests on, in sentences."""
    chosen, best, kind, sign = said.chosen, said.best, said.sifts, sign_of(said.score)
    splits = comparison.n_splits(chosen.method)
    if said.against_chance is not None and not said.against_chance.beaten:
        yield (
            "Nothing here beats chance. What follows is what would be kept, and may be noise: with many choices, the best of "
            "them looks good on any table."
        )
    yield (
        f"The best of {said.n_candidates} choices is {_with_size(best.method, n_kept(comparison, said, best), kind)} and {judged_by(best.model)} "
        f"({scored(said.score, sign * best.mean, best.error)}; ± is one standard error); the advice is the smallest choice within one standard error of it. All figures are "
        f"means over {splits} split{'s' * (splits != 1)} in which the selection saw the training rows only; the standard error counts in that "
        "training sets overlap."
        + " Numbers of rows are those of the whole table: splits keep the same share of the rows that they train on."
        * (kind == "rows")
    )
    if comparison.unweighted is not None:
        told = weights_in_words(comparison)
        yield told[0].upper() + told[1:]
    if splits == 1:
        yield "One split only: there is no standard error, and the figures may be far off. Give it more time."
    if said.against_everything is not None and said.everything is not None:
        other = said.against_everything
        says = "a difference that chance explains" if other.p > 0.05 else "more than chance explains"
        low, high = sorted((sign * other.low, sign * other.high))
        yield (
            f"Keeping all {kind}, {judged_by(chosen.model)} has {shown(said.score, sign * said.everything.mean)}: from that the choice itself differs by "
            f"{_signed(said.score, sign * other.mean)} (95 % interval {_signed(said.score, low)} to {_signed(said.score, high)}, corrected resampled t-test {p_in_words(other.p)}), "
            f"{says}."
        )


def _signed(score: str, value: float) -> str:
    """A difference of scores, with its sign."""
    return f"{'+' * (value >= 0)}{shown(score, value)}"


def _often(comparison: Comparison, said: Recommendation) -> Html:
    lists = []
    for words, columns in (
        ("Always kept", said.always),
        ("Kept in half of the splits or more", said.often),
        ("Seldom kept", said.seldom),
    ):
        names = [comparison.columns[j] for j in columns[:25]]
        more = f" and {len(columns) - 25} more" if len(columns) > 25 else ""
        text = (", ".join(names) + more) if names else "none"
        lists.append(joined(element("dt", f"{words} ({len(columns)})"), element("dd", text)))
    return element("dl", *lists)


def _ranked_by(comparison: Comparison, said: Recommendation) -> tuple[str, int] | None:
    """The method whose ranking is shown and its size: the chosen one, or the best that keeps less than everything."""
    if said.chosen.method != BASELINE["columns"]:
        return said.chosen.method, said.chosen.step
    for one in reversed(said.front):
        if one.method != BASELINE["columns"]:
            return one.method, one.step
    return None


def _ranking(comparison: Comparison, said: Recommendation) -> list[Any]:
    picked = _ranked_by(comparison, said)
    if picked is None:
        return ["No method was finished."]
    method, step = picked
    frequency = comparison.kept(method, step).mean(axis=0)
    ranks = comparison.mean_ranks(method)
    final = comparison.final.get("columns", {})
    others = _other_methods(comparison, float(comparison.curve(method, comparison.models[0]).n_kept[step]))
    whole = final.get("method") == method and bool(final.get("order"))
    if whole:
        order = list(final["order"])
        origin = f"The ranking is that of {method} on all rows"
    else:
        order = np.lexsort((ranks[0] if ranks else -frequency, -frequency)).tolist()
        origin = f"The ranking is by how often {method} keeps a column in the splits"
    kept = (
        set(final.get("kept", ()))
        if final.get("method") == method
        else set(np.flatnonzero(frequency >= 0.5).tolist())
    )
    rows = []
    for rank, j in enumerate(order[:MOST_COLUMNS], start=1):
        mean, spread = (float(ranks[0][j]), float(ranks[1][j])) if ranks else (None, None)
        rows.append([
            rank, comparison.columns[j], j in kept,
            element("span", share_bar(float(frequency[j])), f" {frequency[j]:.0%}", class_="share") if rank <= 300 else f"{frequency[j]:.0%}",
            None if others is None else f"{others[j]:.0%}", mean, spread,
        ])  # fmt: skip
    headings = [
        "rank",
        "column",
        "keep",
        "kept in splits",
        "kept by all methods",
        "mean rank",
        "spread of rank",
    ]
    blocks: list[Any] = [
        f'{origin}; "kept in splits" is at {_counted(len(kept), "columns")} or the size nearest to it, and "kept by all methods" the mean of that over the methods.'
    ]
    if len(order) > MOST_COLUMNS:
        blocks.append(
            f"The first {MOST_COLUMNS} of {len(order)} columns are listed; the others are in the result files."
        )
    return [
        *blocks,
        table(headings, rows, caption="All columns; a click on a heading sorts", searchable=True),
    ]


def _other_methods(comparison: Comparison, size: float) -> Any:
    """How often each column is kept at about that size, averaged over all methods; None with one method."""
    shares = []
    for name in comparison.methods("columns"):
        n_kept = comparison.curve(name, comparison.models[0]).n_kept
        shares.append(comparison.kept(name, int(np.nanargmin(np.abs(n_kept - size)))).mean(axis=0))
    return np.mean(shares, axis=0) if len(shares) > 1 else None


def _score_chart(comparison: Comparison, kind: str, model: str, said: Recommendation) -> Html:
    lines = []
    everything = [BASELINE[kind]] * bool(comparison.n_splits(BASELINE[kind]))
    for name in (*comparison.methods(kind), *everything):
        curve = comparison.curve(name, model, said.score)
        x = of_whole(comparison, kind, curve.n_kept).tolist()
        strong = name in (said.chosen.method, BASELINE[kind])
        lines.append(Line(name, x, curve.mean.tolist(), curve.error.tolist(), strong=strong))
    best = max(
        ((float(y), line.name, x) for line in lines for x, y in zip(line.x, line.y) if math.isfinite(y)),
        default=(math.nan, "", 0.0),
    )
    alt = f"{judged_by(model).capitalize()}: the highest mean {turned_words(said.score)}, {shown(said.score, best[0])}, is reached by {_with_size(best[1], best[2], kind)}"
    return joined(
        element("h3", alt),
        line_chart(
            lines, x_label=f"{kind} kept", y_label=turned_words(said.score), alt=alt,
            caption=f"The advised method and all {kind} are in colour, the others are grey: point at the curves, or move along them with the "
            "arrow keys, to read names and values. The band is one standard error.",
        ),
    )  # fmt: skip


def _stability_chart(comparison: Comparison, said: Recommendation) -> Html:
    lines, top = [], ("", -math.inf)
    for name in comparison.methods("columns"):
        n_kept = comparison.curve(name, comparison.models[0]).n_kept
        judged = [comparison.stability(name, step) for step in range(len(n_kept))]
        index = [one.index for one in judged]
        error = [(one.high - one.low) / 2 for one in judged]
        lines.append(Line(name, n_kept.tolist(), index, error, strong=name == said.chosen.method))
        mean = float(np.nanmean(index)) if not np.isnan(index).all() else -math.inf
        top = max(top, (name, mean), key=lambda pair: pair[1])
    if not math.isfinite(top[1]):
        return paragraph("Stability needs a method that was done in two splits or more.")
    alt = f"{top[0]} finds the same columns again most often: its mean stability is {top[1]:.2f}"
    return joined(
        element("h3", alt),
        paragraph(
            "Nogueira's index: 1 where every split keeps the same columns, 0 where they might be drawn by chance. Splits "
            "share most of their rows, so fresh data would give less."
        ),
        line_chart(
            lines,
            x_label="columns kept",
            y_label="stability",
            alt=alt,
            caption="The band is the 95 % interval.",
        ),
    )


def _rows_picture(study: Studied) -> Html:
    final = study.comparison.final["rows"]
    alt = f"{len(final['kept'])} of {study.comparison.n_rows} rows, kept by {final['method']}, ringed among all rows"
    caption = f"Two principal components, which show {study.shown:.0%} of the variance. Large open marks are kept rows."
    return joined(
        element("h3", alt), scatter(study.places, study.labels, final["kept"], alt=alt, caption=caption)
    )
