"""From columns of text to numeric and categorical columns, by their values and by what the caller said.

A column becomes numeric if every value that is not missing is a number. Three cases need care, and a note: codes
(``01234``, or more digits than a number can hold) stay text; decimal commas (``1,5``) and grouped thousands
(``1,234.5`` or ``1.234,5``) become numbers.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import polars as pl
from polars import selectors as cs

from tamis.table._dataset import TableError
from tamis.table._kinds import kind_of
from tamis.table._names import an_option, as_option, quoted
from tamis.table.reading.wishes import Wishes

WHOLE = r"^[+-]?[0-9]+$"
#: A code: digits after a leading zero, or as many digits as `LONGEST`.
CODE = r"^0[0-9]+$|^[+-]?[0-9]{19,}$"
LONGEST = 10**18

_DECIMAL_COMMA = r"^[+-]?([0-9]+(,[0-9]*)?|,[0-9]+)([eE][+-]?[0-9]+)?$"
_GROUPED_BY_COMMA = r"^[+-]?[0-9]{1,3}(,[0-9]{3})*(\.[0-9]+)?$"
_GROUPED_BY_DOT = r"^[+-]?[0-9]{1,3}(\.[0-9]{3})*(,[0-9]+)?$"


@dataclass
class Findings:
    """Columns with codes, decimal commas or grouped thousands, with an example of each."""

    codes: dict[str, str] = field(default_factory=dict)
    commas: dict[str, str] = field(default_factory=dict)
    thousands: dict[str, str] = field(default_factory=dict)

    def notes(self) -> list[str]:
        """Give a sentence for each of these kinds of columns."""
        return [
            sentence.format(
                columns=quoted(list(columns)), option=as_option("--numeric", columns), example=example
            )
            for columns, sentence in (
                (
                    self.codes,
                    "{columns}: codes such as {example} are kept as text; {option} makes numbers of them.",
                ),
                (self.commas, "{columns}: numbers such as {example} are read with a decimal comma."),
                (self.thousands, "{columns}: numbers such as {example} are read with grouped thousands."),
            )
            for example in list(columns.values())[:1]
        ]


def cleaned(frame: pl.DataFrame, missing: Collection[str]) -> pl.DataFrame:
    """Strip every text, and make every missing value a null."""
    stripped = frame.select(pl.all().str.strip_chars())
    marks = pl.lit(pl.Series(list(missing), dtype=pl.String)).implode()
    return stripped.select(pl.when(~pl.all().is_in(marks)).then(pl.all()))


def kinds_of_text(frame: pl.DataFrame) -> list[str]:
    """Tell for each cleaned column of text whether it is "whole", "float", "code", "text" or "missing"."""
    if frame.height == 0:
        return ["missing"] * frame.width
    filled = [frame.height - count for count in frame.null_count().row(0)]
    parsed = frame.select(pl.all().cast(pl.Float64, strict=False).is_not_null().sum()).row(0)
    numeric = [name for name, n, ok in zip(frame.columns, filled, parsed) if 0 < n == ok]
    whole = _where(frame, numeric, pl.all().str.contains(WHOLE).all())
    code = _where(frame, whole, pl.all().str.contains(CODE).any())
    kinds = []
    for name, n, ok in zip(frame.columns, filled, parsed):
        if n == 0:
            kinds.append("missing")
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
        Columns with codes, decimal commas or grouped thousands are added to it.

    Returns
    -------
    polars.DataFrame
        The same columns: Int64, Float64, or what `nominal_columns` gives.
    """
    kinds = dict(zip(frame.columns, kinds_of_text(frame)))
    plain, maybe_commas, text = [], [], []
    for name, kind in kinds.items():
        if name in wishes.nominal or kind == "missing":
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


def may_be_code(text: pl.Expr) -> pl.Expr:
    """Which texts may be a `CODE` if they are integers: those with a leading zero, or with many characters."""
    size = text.str.len_bytes()
    return (text.str.starts_with("0") & (size > 1)) | (size > 18)


def has_long(series: pl.Series) -> bool:
    """Tell whether some integer has so many digits that it may be a code."""
    least, most = series.min(), series.max()
    return least is not None and bool(least <= -LONGEST or most >= LONGEST)  # type: ignore[operator]


def recur(n_different: int, series: pl.Series) -> bool:
    """Tell whether the texts of a column recur; missing values, if there are any, count as one more distinct text."""
    return 2 * n_different <= len(series) - series.null_count() + 1


def nominal_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Make Categoricals of texts that recur; texts that mostly differ stay String."""
    different = frame.select(pl.all().n_unique())
    recurring = [series.name for series in frame.iter_columns() if recur(different[series.name][0], series)]
    return frame.with_columns(cs.by_name(recurring).cast(pl.Categorical))


def columns_of(frame: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Give some columns by exact name; ``pl.col`` would take ``*`` and ``^...$`` for patterns."""
    return pl.DataFrame([frame[name] for name in names])


def _where(frame: pl.DataFrame, names: Iterable[str], condition: pl.Expr) -> set[str]:
    """The named columns for which a condition on ``pl.all()`` holds."""
    answers = columns_of(frame, names).select(condition)
    return {name for name in answers.columns if answers[name][0]}


def _numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """Read texts that are all numbers: as Int64 if all are integers that fit, else as Float64."""
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


def numbers_of_text(series: pl.Series, decimal_comma: bool) -> pl.Series | None:
    """Read plain numbers, or numbers with decimal commas or grouped thousands; None if some value is neither."""
    if series.cast(pl.Float64, strict=False).null_count() == 0:
        return _numbers(pl.DataFrame(series)).to_series()
    return _numbers_in_commas(series, decimal_comma, Findings())


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
        examples = findings.commas if style == _DECIMAL_COMMA else findings.thousands
        examples[series.name] = series.filter(series.str.contains("[.,]"))[0]
        return _numbers(pl.DataFrame(plain)).to_series()
    return None


def as_wished(frame: pl.DataFrame, wishes: Wishes, file: str) -> pl.DataFrame:
    """Make text of the columns named nominal, and numbers of the columns named numeric."""
    if not (wishes.nominal or wishes.numeric):
        return frame
    columns = []
    for series in frame.iter_columns():
        if series.name in wishes.nominal and kind_of(series.dtype) != "categorical":
            series = _forced_text(series, file)
        elif series.name in wishes.numeric and kind_of(series.dtype) != "number":
            series = _forced_numbers(series, wishes, file)
        columns.append(series)
    return pl.DataFrame(columns)


def as_plain_numbers(series: pl.Series, wishes: Wishes) -> tuple[pl.Series, pl.Series]:
    """Read texts as numbers one by one; give also those that are neither numbers nor missing values.

    Decimal commas and grouped thousands are not accepted here: what a comma means, only the whole column shows.
    """
    texts = cleaned(pl.DataFrame(series.cast(pl.String)), wishes.missing).to_series()
    numbers = texts.cast(pl.Float64, strict=False)
    return numbers.fill_nan(None), texts.filter(texts.is_not_null() & numbers.is_null())


def refuse_words(name: str, file: str, words: pl.Series) -> None:
    """Refuse a column named numeric that holds words, if it does."""
    if len(words) == 0:
        return
    different = words.unique(maintain_order=True).to_list()
    raise TableError(
        f"{an_option('--numeric')} names {name!r} of {file}, but {len(words)} of its values are not numbers: "
        f"{quoted(different, 3)}. If they stand for missing values, use {as_option('--missing-values', different, 3)}."
    )


def refuse_kind(name: str, file: str, dtype: pl.DataType) -> None:
    """Refuse to make numbers of a column that holds neither texts nor numbers."""
    if kind_of(dtype) not in ("number", "categorical") and dtype != pl.Null:
        raise TableError(
            f"{an_option('--numeric')} names {name!r} of {file}, but it holds values of type {dtype}. "
            f"Convert it first, or use {as_option('--drop', [name])}."
        )


def _forced_text(series: pl.Series, file: str) -> pl.Series:
    try:
        plain = series.to_physical() if series.dtype == pl.Duration else series
        return plain.cast(pl.String)
    except pl.exceptions.PolarsError:
        raise TableError(
            f"{an_option('--nominal')} names {series.name!r} of {file}, but values of type {series.dtype} cannot be categories. "
            f"Use {as_option('--drop', [series.name])}."
        ) from None


def _forced_numbers(series: pl.Series, wishes: Wishes, file: str) -> pl.Series:
    if series.dtype == pl.Boolean:
        return series.cast(pl.Int64)
    refuse_kind(series.name, file, series.dtype)
    text = cleaned(pl.DataFrame(series.cast(pl.String)), wishes.missing)
    numbers = typed(text, wishes, Findings()).to_series()
    if kind_of(numbers.dtype) == "number":
        return numbers
    plain, words = as_plain_numbers(series, wishes)
    refuse_words(series.name, file, words)
    return plain  # nothing but missing values
