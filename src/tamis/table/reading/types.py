"""From columns of text to columns of numbers and categories.

A column becomes numeric if every value that is no gap is a number. Three kinds of digits are not taken at face
value, and a note says so: codes (``01234``, or more digits than a number can hold) stay text; decimal commas
(``1,5``) and grouped thousands (``1,234.5`` or ``1.234,5``) become numbers.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import polars as pl
from polars import selectors as cs

from tamis.table._names import quoted

#: What stands for a gap in a text file, after blanks around it are taken away.
GAPS = ("", "NA", "N/A", "?", "NaN", "nan", "null", "NULL", "None", "<null>")

WHOLE = r"^[+-]?[0-9]+$"
#: A code: digits after a leading zero, or as many digits as `LONGEST`.
CODE = r"^0[0-9]+$|^[+-]?[0-9]{19,}$"
LONGEST = 10**18

_DECIMAL_COMMA = r"^[+-]?([0-9]+(,[0-9]*)?|,[0-9]+)([eE][+-]?[0-9]+)?$"
_GROUPED_BY_COMMA = r"^[+-]?[0-9]{1,3}(,[0-9]{3})*(\.[0-9]+)?$"
_GROUPED_BY_DOT = r"^[+-]?[0-9]{1,3}(\.[0-9]{3})*(,[0-9]+)?$"


@dataclass(frozen=True)
class Wishes:
    """What the caller said about columns before reading.

    Attributes
    ----------
    nominal, numeric : frozenset of str
        Names of columns that must stay text, and of columns that must become numbers.
    gaps : tuple of str
        All texts that stand for a gap.
    decimal_comma : bool
        Whether ``1,234`` is rather 1.234 than 1234: so in files not delimited by commas.
    """

    nominal: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()
    gaps: tuple[str, ...] = GAPS
    decimal_comma: bool = False


@dataclass
class Findings:
    """Columns whose digits were not taken at face value, with an example of each."""

    codes: dict[str, str] = field(default_factory=dict)
    commas: dict[str, str] = field(default_factory=dict)
    thousands: dict[str, str] = field(default_factory=dict)

    def notes(self) -> list[str]:
        """Give a sentence for each kind of column found."""
        return [
            sentence.format(columns=quoted(list(columns)), option=",".join(columns), example=example)
            for columns, sentence in (
                (
                    self.codes,
                    "{columns}: codes such as {example} are kept as text; --numeric {option} makes numbers of them.",
                ),
                (self.commas, "{columns}: numbers such as {example} are read with a decimal comma."),
                (self.thousands, "{columns}: numbers such as {example} are read with grouped thousands."),
            )
            for example in list(columns.values())[:1]
        ]


def cleaned(frame: pl.DataFrame, gaps: Collection[str]) -> pl.DataFrame:
    """Take away the blanks around every text, and make every gap a null."""
    stripped = frame.select(pl.all().str.strip_chars())
    marks = pl.lit(pl.Series(list(gaps), dtype=pl.String)).implode()
    return stripped.select(pl.when(~pl.all().is_in(marks)).then(pl.all()))


def kinds_of_text(frame: pl.DataFrame) -> list[str]:
    """Tell for each cleaned column of text whether it is "whole", "float", "code", "text" or "gaps"."""
    if frame.height == 0:
        return ["gaps"] * frame.width
    filled = [frame.height - count for count in frame.null_count().row(0)]
    parsed = frame.select(pl.all().cast(pl.Float64, strict=False).is_not_null().sum()).row(0)
    numeric = [name for name, n, ok in zip(frame.columns, filled, parsed) if 0 < n == ok]
    whole = _where(frame, numeric, pl.all().str.contains(WHOLE).all())
    code = _where(frame, whole, pl.all().str.contains(CODE).any())
    kinds = []
    for name, n, ok in zip(frame.columns, filled, parsed):
        if n == 0:
            kinds.append("gaps")
        elif n > ok:
            kinds.append("text")
        elif name in code:
            kinds.append("code")
        else:
            kinds.append("whole" if name in whole else "float")
    return kinds


def typed(frame: pl.DataFrame, wishes: Wishes, findings: Findings) -> pl.DataFrame:
    """Make numbers and categories of cleaned columns of text.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns of text from `cleaned`.
    wishes : Wishes
        What the caller said.
    findings : Findings
        Written to: columns whose digits were not taken at face value.

    Returns
    -------
    polars.DataFrame
        The same columns: Int64, Float64, or what `nominal_columns` gives.
    """
    kinds = dict(zip(frame.columns, kinds_of_text(frame)))
    plain, maybe_commas, text = [], [], []
    for name, kind in kinds.items():
        if name in wishes.nominal or kind == "gaps":
            text.append(name)
        elif kind == "text":
            maybe_commas.append(name)
        elif kind == "code" and name not in wishes.numeric:
            findings.codes[name] = frame[name].filter(frame[name].str.contains(CODE))[0]
            text.append(name)
        else:
            plain.append(name)
    made = {series.name: series for series in _numbers(columns_of(frame, plain)).iter_columns()}
    for name in maybe_commas:
        series = _numbers_in_commas(frame[name], wishes.decimal_comma, findings)
        if series is None:
            text.append(name)
        else:
            made[name] = series
    made |= {series.name: series for series in nominal_columns(columns_of(frame, text)).iter_columns()}
    return pl.DataFrame([made[name] for name in frame.columns])


def nominal_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Make Categoricals of texts whose values recur; text that mostly differs stays String."""
    different = frame.select(pl.all().n_unique())
    recurring = [
        series.name
        for series in frame.iter_columns()
        if 2 * different[series.name][0] <= len(series) - series.null_count() + 1
    ]
    return frame.with_columns(cs.by_name(recurring).cast(pl.Categorical))


def columns_of(frame: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Give some columns by exact name; ``pl.col`` would take ``*`` and ``^...$`` for patterns."""
    return pl.DataFrame([frame[name] for name in names])


def _where(frame: pl.DataFrame, names: Iterable[str], condition: pl.Expr) -> set[str]:
    """Give those of the named columns for which a condition on ``pl.all()`` holds."""
    answers = columns_of(frame, names).select(condition)
    return {name for name in answers.columns if answers[name][0]}


def _numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """Read texts that are all numbers: as Int64 a column that is whole and fits, else as Float64."""
    whole = columns_of(frame, _where(frame, frame.columns, pl.all().str.contains(WHOLE).all()))
    whole = whole.select(pl.all().cast(pl.Int64, strict=False))
    fits = {
        series.name: series
        for series in whole.iter_columns()
        if series.null_count() == frame[series.name].null_count()
    }
    others = columns_of(frame, [name for name in frame.columns if name not in fits])
    floats = others.select(pl.all().cast(pl.Float64).fill_nan(None))
    return pl.DataFrame([*fits.values(), *floats.iter_columns()])


def _numbers_in_commas(series: pl.Series, decimal_comma: bool, findings: Findings) -> pl.Series | None:
    """Read numbers with decimal commas or grouped thousands; None if some value is neither."""
    styles = (_GROUPED_BY_COMMA, _DECIMAL_COMMA, _GROUPED_BY_DOT)
    if decimal_comma:
        styles = (_DECIMAL_COMMA, _GROUPED_BY_DOT, _GROUPED_BY_COMMA)
    if not series.drop_nulls().head(1).str.contains("^[+-]?[0-9,]").any():
        return None
    for style in styles:
        if not series.str.contains(style).all():
            continue
        plain = series
        if style == _GROUPED_BY_COMMA:
            plain = plain.str.replace_all(",", "", literal=True)
        if style == _GROUPED_BY_DOT:
            plain = plain.str.replace_all(".", "", literal=True)
        plain = plain.str.replace_all(",", ".", literal=True)
        found = findings.commas if style == _DECIMAL_COMMA else findings.thousands
        found[series.name] = series.filter(series.str.contains("[.,]"))[0]
        return _numbers(pl.DataFrame(plain)).to_series()
    return None
