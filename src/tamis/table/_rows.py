"""The rows below ``@data`` in ARFF and KEEL files, dense or sparse, as columns of the declared kinds.

Rows without quotes go through polars. Others, and whatever polars cannot split evenly, are read row by row, with
a line number for everything that is wrong.
"""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from tamis.table._convert import GAPS, Wishes
from tamis.table._dataset import TableError
from tamis.table._names import listed
from tamis.table._relation import Attribute, MalformedError, sparse_entries, split_values

#: The most cells that sparse rows may unfold to.
MOST_CELLS = 500_000_000

_BATCH_CELLS = 1 << 18
_WEIGHT = re.compile(r"\{[^{},]*\}")


class Rows:
    """The data lines of a file.

    Parameters
    ----------
    body : sequence of str
        The lines below ``@data``.
    before : int
        How many lines stand above them.
    attributes : sequence of Attribute
        The declared columns.
    file : str
        The file's name, for messages.
    """

    def __init__(self, body: Sequence[str], before: int, attributes: Sequence[Attribute], file: str) -> None:
        stripped = [line.strip() for line in body]
        places = [place for place, line in enumerate(stripped) if line and line[0] != "%"]
        self.lines = [stripped[place] for place in places]
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
        return pl.DataFrame(
            [self._column(texts[str(j)], a, wishes, self.numbers) for j, a in enumerate(self.attributes)]
        )

    def fault(self, number: int, what: object) -> TableError:
        """Give the error for a line."""
        return TableError(f"line {number} of {self.file}: {what}.")

    def _texts_by_polars(self) -> pl.DataFrame | None:
        """Split all rows at commas at once; None where that may be wrong."""
        text = "\n".join(self.lines)
        if any(sign in text for sign in "'\"\\{\r"):
            return None
        schema = {str(j): pl.String for j in range(len(self.attributes))}
        try:
            texts = pl.read_csv(
                text.encode(), has_header=False, quote_char=None, schema=schema, glob=False
            ).select(pl.all().str.strip_chars())
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            return None
        if texts.height != len(self.lines) or texts[:, -1].null_count():
            return None
        return texts.select(pl.when(pl.all() != "?").then(pl.all()))

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
        """Unfold sparse rows: an absent entry is 0, or the first value of a nominal column, or a gap in text."""
        n_rows, n_columns = len(self.lines), len(self.attributes)
        if n_rows * n_columns > MOST_CELLS:
            raise TableError(
                f"{self.file} has sparse rows that unfold to {n_rows} x {n_columns} values, "
                f"but at most {MOST_CELLS} are read. Leave out columns or rows before."
            )
        rows_of: list[list[int]] = [[] for _ in self.attributes]
        texts_of: list[list[str | None]] = [[] for _ in self.attributes]
        for row, line in enumerate(self.lines):
            entries = self._entries(row) if line[0] == "{" else dict(enumerate(self._values(row)))
            for column, text in entries.items():
                rows_of[column].append(row)
                texts_of[column].append(text)
        columns = []
        for attribute, rows, texts in zip(self.attributes, rows_of, texts_of):
            given = self._column(
                pl.Series(texts, dtype=pl.String),
                attribute,
                wishes,
                self.numbers[np.asarray(rows, dtype=np.int64)],
            )
            columns.append(_unfolded(given, rows, n_rows, attribute))
            if attribute.kind == "string" and len(rows) < n_rows:
                self.notes.append(
                    f"Entries of the text column {attribute.name!r} that sparse rows leave out are gaps."
                )
        return columns

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

    def _column(
        self, texts: pl.Series, attribute: Attribute, wishes: Wishes, numbers: npt.NDArray[np.int64]
    ) -> pl.Series:
        """Make the declared kind of column from its texts."""
        declared = attribute.values if attribute.kind == "nominal" else ()
        asked = wishes.gaps[len(GAPS) :]
        gaps = [gap for gap in wishes.gaps if gap in asked or gap not in declared]
        texts = texts.alias(attribute.name)
        texts = texts.set(texts.is_in(gaps), None) if len(texts) else texts
        if attribute.kind in ("string", "date"):
            return texts
        if attribute.kind == "nominal":
            column = texts.cast(pl.Enum(list(declared)), strict=False)
            what = f"is not among the declared values {listed(declared)}"
        else:
            column = texts.cast(pl.Float64, strict=False).fill_nan(None)
            what = "is not a number"
        wrong = (column.is_null() & texts.is_not_null()).arg_true()
        if len(wrong):
            value = texts[wrong[0]]
            raise self.fault(numbers[wrong[0]], f"{value[:40]!r} in {attribute.name!r} {what}")
        if attribute.kind == "whole" and (column == column.round()).all() and (column.abs() < 2**53).all():
            return column.cast(pl.Int64)
        return column


def _unfolded(given: pl.Series, rows: list[int], n_rows: int, attribute: Attribute) -> pl.Series:
    """Put the given entries of a sparse column in their rows, and the absent value in all others."""
    absent: object = 0
    if attribute.kind == "nominal":
        absent = attribute.values[0] if attribute.values else None
    elif attribute.kind in ("string", "date"):
        absent = None
    column = pl.Series(attribute.name, [absent], dtype=given.dtype).new_from_index(0, n_rows)
    return column.scatter(rows, given) if rows else column
