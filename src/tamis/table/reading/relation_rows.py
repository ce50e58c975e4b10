"""The rows below ``@data`` in ARFF and KEEL files, dense or sparse, as columns of the declared kinds.

Rows without quotes go through polars. Others, and whatever polars cannot split evenly, are read row by row, so that
errors can name the line. Columns of the same kind are concatenated and converted together: one by one, tens of thousands
of them would take a minute.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from tamis.table._dataset import TableError
from tamis.table._names import listed
from tamis.table.reading.relation_header import Attribute, MalformedError, sparse_entries, split_values
from tamis.table.reading.wishes import MISSING, Wishes

#: The most cells that sparse rows may expand to.
MOST_CELLS = 500_000_000

_BATCH_CELLS = 1 << 18
_TOGETHER_CELLS = 1 << 22
_WEIGHT = re.compile(r"\{[^{},]*\}")
_BLANKS = re.compile(r"[ \t]*,[ \t]*")


class Rows:
    """The data lines of a file.

    Parameters
    ----------
    body : sequence of str
        The lines below ``@data``.
    before : int
        How many lines are above them.
    attributes : sequence of Attribute
        The declared columns.
    file : str
        The file's name, for messages.
    """

    def __init__(self, body: Sequence[str], before: int, attributes: Sequence[Attribute], file: str) -> None:
        stripped = [line.strip() for line in body]
        places = [position for position, line in enumerate(stripped) if line and line[0] != "%"]
        self.lines = [stripped[position] for position in places]
        self.numbers = np.asarray(places, dtype=np.int64) + before + 1
        self.attributes = attributes
        self.file = file
        self.notes: list[str] = []

    def frame(self, wishes: Wishes) -> pl.DataFrame:
        """Give the columns of the declared kinds; a value of another kind is an error with its line."""
        if not self.lines:
            return pl.DataFrame(schema={a.name: pl.String for a in self.attributes})
        if any(line[0] == "{" for line in self.lines):
            return pl.DataFrame(self._sparse_columns(wishes))
        texts = self._texts_by_polars()
        if texts is None:
            texts = self._texts_by_row()
        everywhere = [self.numbers] * len(self.attributes)
        return pl.DataFrame(self._columns(texts.get_columns(), everywhere, wishes))

    def fault(self, number: int, what: object) -> TableError:
        """Give the error for a line."""
        return TableError(f"line {number} of {self.file}: {what}.")

    def _texts_by_polars(self) -> pl.DataFrame | None:
        """Split all rows at commas at once; None where that may be wrong."""
        text = "\n".join(self.lines)
        if any(sign in text for sign in "'\"\\{\r"):
            return None
        if " " in text or "\t" in text:
            text = _BLANKS.sub(",", text)
        if text.count(",") != len(self.lines) * (len(self.attributes) - 1):  # polars would fill up short rows
            return None
        schema = {str(j): pl.String for j in range(len(self.attributes))}
        try:
            texts = pl.read_csv(
                text.encode(), has_header=False, quote_char=None, schema=schema, null_values="?", glob=False
            )
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            return None
        return texts if texts.height == len(self.lines) else None

    def _texts_by_row(self) -> pl.DataFrame:
        schema = {str(j): pl.String for j in range(len(self.attributes))}
        size = max(_BATCH_CELLS // len(schema), 1)
        parts = []
        for start in range(0, len(self.lines), size):
            rows = [self._values(row) for row in range(start, min(start + size, len(self.lines)))]
            parts.append(pl.DataFrame(dict(zip(schema, map(list, zip(*rows)))), schema=schema))
        return pl.concat(parts, rechunk=True)

    def _values(self, row: int) -> list[str | None]:
        """Give the values of a dense row, one for each attribute."""
        line, expected = self.lines[row], len(self.attributes)
        try:
            values = split_values(line)
            if len(values) == 1 < expected and "'" not in line and '"' not in line:
                values = [None if value == "?" else value for value in line.split()]
        except MalformedError as error:
            raise self.fault(self.numbers[row], error) from None
        if len(values) == expected + 1 and _WEIGHT.fullmatch(values[-1] or ""):
            self._note_weights()
            values.pop()
        if len(values) != expected:
            raise self.fault(
                self.numbers[row], f"{len(values)} values, but {expected} attributes are declared"
            )
        return values

    def _note_weights(self) -> None:
        note = "The weights of rows are not used."
        if note not in self.notes:
            self.notes.append(note)

    def _sparse_columns(self, wishes: Wishes) -> list[pl.Series]:
        """Expand sparse rows: an absent entry is 0, the first value of a categorical column, or missing in a text column."""
        n_rows, n_columns = len(self.lines), len(self.attributes)
        if n_rows * n_columns > MOST_CELLS:
            raise TableError(
                f"{self.file} has sparse rows that expand to {n_rows} x {n_columns} values, "
                f"but at most {MOST_CELLS} are read. Remove columns or rows from the file."
            )
        rows_of: list[list[int]] = [[] for _ in self.attributes]
        texts_of: list[list[str | None]] = [[] for _ in self.attributes]
        for row, line in enumerate(self.lines):
            entries = self._entries(row) if line[0] == "{" else dict(enumerate(self._values(row)))
            for column, text in entries.items():
                rows_of[column].append(row)
                texts_of[column].append(text)
        given = self._columns(
            [pl.Series(texts, dtype=pl.String) for texts in texts_of],
            [self.numbers[np.asarray(rows, dtype=np.int64)] for rows in rows_of],
            wishes,
        )
        for attribute, rows in zip(self.attributes, rows_of):
            if attribute.kind == "string" and len(rows) < n_rows:
                self.notes.append(
                    f"Entries of the text column {attribute.name!r} that sparse rows leave out are missing values."
                )
        return [
            _unfolded(column, rows, n_rows, attribute)
            for column, rows, attribute in zip(given, rows_of, self.attributes)
        ]

    def _entries(self, row: int) -> dict[int, str | None]:
        """Give the entries of a sparse row by column."""
        try:
            entries, weighted = sparse_entries(self.lines[row])
        except MalformedError as error:
            raise self.fault(self.numbers[row], error) from None
        if weighted:
            self._note_weights()
        last = max(entries, default=0)
        if last >= len(self.attributes):
            what = f"column {last}, but the {len(self.attributes)} attributes are counted from 0"
            raise self.fault(self.numbers[row], what)
        return entries

    def _columns(
        self, texts: Sequence[pl.Series], numbers: Sequence[npt.NDArray[np.int64]], wishes: Wishes
    ) -> list[pl.Series]:
        """Make the declared kinds of columns from their texts, which come from the lines `numbers`."""
        made: dict[int, pl.Series] = {}
        wrong: dict[int, tuple[int, str]] = {}  # the first value of another kind in each column that has one
        for kind, missing, places in self._alike([len(series) for series in texts], wishes):
            lengths = [len(texts[position]) for position in places]
            starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            long = pl.concat([texts[position].alias("text") for position in places], rechunk=True)
            if len(long):
                long = long.set(long.is_in(missing), None)
            for position, start, length, column in zip(
                places, starts.tolist(), lengths, self._converted(long, kind, places, starts)
            ):
                made[position] = column.alias(self.attributes[position].name)
                text = long.slice(start, length)
                if column.null_count() > text.null_count():
                    row = int((column.is_null() & text.is_not_null()).arg_true()[0])
                    wrong[position] = (row, text[row])
        if wrong:
            position = min(wrong)
            row, value = wrong[position]
            raise self.fault(
                numbers[position][row], f"{value[:40]!r} {_why_wrong(self.attributes[position])}"
            )
        return [made[position] for position in range(len(texts))]

    def _alike(self, lengths: Sequence[int], wishes: Wishes) -> Iterator[tuple[str, list[str], list[int]]]:
        """Positions of columns of the same kind and missing values, in groups, so that not all texts are held twice."""
        asked = wishes.missing[len(MISSING) :]
        groups: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        for position, attribute in enumerate(self.attributes):
            declared = {text for text in MISSING if text in attribute.values and text not in asked}
            missing = tuple(text for text in wishes.missing if text not in declared)
            groups.setdefault((attribute.kind, missing), []).append(position)
        for (kind, missing), places in groups.items():
            some: list[int] = []
            n_cells = 0
            for position in places:
                if some and n_cells + lengths[position] > _TOGETHER_CELLS:
                    yield kind, list(missing), some
                    some, n_cells = [], 0
                some.append(position)
                n_cells += lengths[position]
            yield kind, list(missing), some

    def _converted(
        self, long: pl.Series, kind: str, places: list[int], starts: npt.NDArray[np.int64]
    ) -> Iterator[pl.Series]:
        """Convert concatenated columns to the declared kind and separate them; a value of another kind becomes null."""
        pieces = list(zip(starts[:-1].tolist(), np.diff(starts).tolist()))
        if kind in ("number", "whole"):
            long = long.cast(pl.Float64, strict=False).fill_nan(None)
        whole = _are_whole(long, starts).tolist() if kind == "whole" else [False] * len(places)
        integers = long.cast(pl.Int64, strict=False) if any(whole) else long
        for position, is_whole, (start, length) in zip(places, whole, pieces):
            column = (integers if is_whole else long).slice(start, length)
            values = self.attributes[position].values
            yield column.cast(pl.Enum(list(values)), strict=False) if kind == "nominal" else column


def _are_whole(column: pl.Series, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Tell which of the concatenated columns hold only integers, none of them too large for a float."""
    fine = ((column == column.round()) & (column.abs() < 2**53)).fill_null(True).to_numpy()
    n_others = np.concatenate([[0], np.cumsum(~fine)])
    return np.asarray(n_others[starts[1:]] == n_others[starts[:-1]])


def _why_wrong(attribute: Attribute) -> str:
    if attribute.kind == "nominal":
        return f"in {attribute.name!r} is not among the declared values {listed(attribute.values)}"
    return f"in {attribute.name!r} is not a number"


def _unfolded(given: pl.Series, rows: list[int], n_rows: int, attribute: Attribute) -> pl.Series:
    """A full column from the entries of a sparse one; all other rows have the value of an absent entry."""
    absent: object = 0
    if attribute.kind == "nominal":
        absent = attribute.values[0] if attribute.values else None
    elif attribute.kind in ("string", "date"):
        absent = None
    column = pl.Series(attribute.name, [absent], dtype=given.dtype).new_from_index(0, n_rows)
    return column.scatter(rows, given) if rows else column
