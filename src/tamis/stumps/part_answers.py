"""What a part answers when models are boosted on a table in parts: all that is ever said between the two sides.

The driver holds the models and their histograms. Parts hold the rows. A message is a tuple of `Request`, one for each model
that waits; `answers` is what every part gives, one vector of float64, and the vectors of all parts are added, in any order:
their numbers are integers below 2^53. An engine needs no more than ``total(answers, requests)``, see `Parts`.

A request names all that was done to the weights of its model since the start, the `Past`. A part keeps its last weights
beside its codes, so that one move is left to make. But nothing is lost with them: another machine that reads the rows makes
the same weights again, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tamis.stumps._kernels import binning
from tamis.stumps._kernels.fields import MOVE
from tamis.stumps._kernels.parts import EVERY_ROW, NO_ROW, Side, play, right_cells
from tamis.stumps.part_bins import Coded
from tamis.stumps.problems import integer_weights

__all__ = ["Answer", "Parts", "Past", "Request", "Start", "answers", "asked"]

Float = NDArray[np.float64]
Columns = NDArray[np.int64]
NO_MOVES: Float = np.empty((0, len(MOVE)))


class Parts(Protocol):
    """Coded parts, wherever they are."""

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum of ``function(part, *arguments)`` over all parts."""


@dataclass(frozen=True)
class Start:
    """A two-class problem on a table in parts: one class against the rest, and what the rows weigh at the start.

    Attributes
    ----------
    label : int
        The positive class.
    totals : tuple of float
        What the rows of the positive class, and those of the others, are weighed against.
    whole : float
        What the start weights of either add up to, about, if they weigh that total.
    equal : bool
        Whether all rows start with the same weight.
    balanced : bool
        Whether either side has half of the weight.
    weighted : bool
        Whether the parts have weights.
    """

    label: int
    totals: tuple[float, float]
    whole: float
    equal: bool
    balanced: bool
    weighted: bool

    @property
    def amounts(self) -> tuple[float, float]:
        """The start weight of a row of weight 1 on either side."""
        return tuple(float(integer_weights(np.ones(1), total, self.whole)[0]) for total in self.totals)  # type: ignore[return-value]

    def weights(self, part: Coded) -> Float:
        """The start weights of a part's rows: integers."""
        first, last = part.positive(self.label)
        totals = np.full(part.n_rows, self.totals[1])
        totals[first:last] = self.totals[0]
        given = np.ones(part.n_rows) if part.weights is None else part.weights
        return integer_weights(given, totals, self.whole)


@dataclass(frozen=True)
class Past:
    """What has been done to the weights of one model.

    Attributes
    ----------
    start : Start
        The problem, and the weights before the first move.
    moves : ndarray of shape (m, 8)
        The moves since, as in `_kernels.parts`.
    columns : ndarray of int
        The columns that the model may still use, ascending: codes of others need not be at hand.
    keep : frozenset of int
        After how many moves the weights are worth keeping, to go back to.
    """

    start: Start
    moves: Float
    columns: Columns
    keep: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Request:
    """A question to the parts about one model: what lies in the bins of some columns.

    Attributes
    ----------
    past : Past
        The model.
    columns : ndarray of int
        Some of its columns, ascending; with none only the sums over the classes are wanted.
    move : ndarray of shape (8,) or None
        With `small_right`: rows are wanted on one side of this stump only. None: all rows.
    small_right : tuple of bool
        Of the positive and of the negative class: whether the right side is wanted.
    counted : bool
        Whether rows are counted, and not weighed.
    """

    past: Past
    columns: Columns
    move: Float | None = None
    small_right: tuple[bool, bool] = (False, False)
    counted: bool = False


@dataclass(frozen=True)
class Answer:
    """The answer to a `Request`: the positive class comes first.

    Attributes
    ----------
    whole : ndarray of shape (2,)
        The weight, or the number, of all rows of either class.
    H : ndarray of shape (columns, 2, 256)
        The weight, or the number, of the wanted rows in each bin.
    """

    whole: Float
    H: Float


def asked(parts: Parts, requests: Sequence[Request]) -> list[Answer]:
    """The answers to requests of several models, by one message."""
    total = parts.total(answers, tuple(requests))
    ends = np.cumsum([2 + 512 * len(request.columns) for request in requests])
    return [Answer(each[:2], each[2:].reshape(-1, 2, 256)) for each in np.split(total, ends[:-1])]


def answers(part: Coded, requests: tuple[Request, ...]) -> Float:
    """What a part answers: of one request after the other, the two numbers of `Answer.whole` and those of `Answer.H`."""
    with part.lock:
        return np.concatenate([_answer(part, request) for request in requests])


@dataclass(frozen=True)
class _State:
    """The weights of a part after some moves."""

    moves: Float
    weights: Float


def _answer(part: Coded, request: Request) -> Float:
    words, units = _packed(part, request.past.columns, request.columns)
    groups, places = np.unique(units // 4, return_inverse=True)
    H = np.zeros((4 * len(groups), 2, 256))
    side = _side(request)
    positive = part.positive(request.past.start.label)
    if request.counted:
        rows = np.ones(part.n_rows)
        whole = play(part.words, rows, positive, NO_MOVES, words, groups, side, H)
    else:
        whole = _played(part, request.past, words, groups, side, H)
    return np.concatenate([whole, H[4 * places + units % 4].ravel()])


def _side(request: Request) -> Side:
    if request.move is None:
        return Side(EVERY_ROW, np.zeros((2, 256), dtype=np.uint8))
    right = right_cells(np.array(request.move))
    wanted = [right if small_right else 1 - right for small_right in request.small_right]
    return Side(int(request.move[MOVE.column]), np.stack(wanted).astype(np.uint8))


def _packed(part: Coded, left: Columns, columns: Columns) -> tuple[NDArray[np.uint32], Columns]:
    """Words that hold the columns left, and where in them some are; packed anew where a quarter would be idle."""
    held, words = part.packed or (np.arange(4 * len(part.words)), part.words)
    if not np.isin(left, held).all():
        held, words = np.arange(4 * len(part.words)), part.words
    if 4 * len(left) <= 3 * len(held):
        words = binning.pick_units(words, np.searchsorted(held, left))
        held = left
        part.packed = held, words
    return words, np.searchsorted(held, columns)


def _played(
    part: Coded, past: Past, words: NDArray[np.uint32], groups: Columns, side: Side, H: Float
) -> Float:
    """Bring the weights to the end of the moves, from the nearest at hand or from the start, and answer for them."""
    moves = np.array(past.moves)  # one that can be written: kernels are compiled for that
    label = past.start.label
    states = [state for state in part.states.pop(label, []) if _leads_to(state.moves, moves)]
    last = states.pop() if states else _State(NO_MOVES, past.start.weights(part))
    states = [state for state in states if len(state.moves) in past.keep]
    positive = part.positive(label)
    weights, done = last.weights, len(last.moves)
    nothing = Side(NO_ROW, side.cells)
    for t in sorted(t for t in past.keep if done <= t < len(moves)):
        if done < t:
            play(part.words, weights, positive, moves[done:t], words, groups, nothing, H)
        states.append(_State(moves[:t], weights.copy()))
        done = t
    whole: Float = play(part.words, weights, positive, moves[done:], words, groups, side, H)
    part.states[label] = [*states, _State(moves, weights)]
    return whole


def _leads_to(earlier: Float, moves: Float) -> bool:
    """Whether the moves begin with the earlier ones."""
    return len(earlier) <= len(moves) and bool((earlier == moves[: len(earlier)]).all())
