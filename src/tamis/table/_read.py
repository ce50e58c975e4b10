"""From a file to a `Dataset`: the format by the file's ending, then the target, the gaps and the kinds of columns."""

import os
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl
from polars import selectors as cs

from tamis.table._binary import BINARY_ENDINGS, binary_frame
from tamis.table._convert import GAPS, Findings, Wishes, cleaned, columns_of, typed
from tamis.table._csv import read_delimited
from tamis.table._dataset import Dataset, TableError
from tamis.table._kinds import check_columns
from tamis.table._labels import labels_of
from tamis.table._names import did_you_mean, listed, quoted
from tamis.table._raw import RawTable
from tamis.table._room import bytes_of
from tamis.table._source import Source, existing_file


def _read_arff(source: Source, wishes: Wishes) -> RawTable:
    from tamis.table._arff import read_arff

    return read_arff(source, wishes)


def _read_keel(source: Source, wishes: Wishes) -> RawTable:
    from tamis.table._keel import read_keel

    return read_keel(source, wishes)


_TEXT: dict[str, Callable[[Source, Wishes], RawTable]] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".tab": read_delimited,
    ".txt": read_delimited,
    ".data": read_delimited,
    ".arff": _read_arff,
    ".dat": _read_keel,
}
_COMPRESSED = (".gz", ".zst")


def read(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    nominal: str | Iterable[str] = (),
    numeric: str | Iterable[str] = (),
    drop: str | Iterable[str] = (),
    missing_values: str | Iterable[str] = (),
    drop_unlabelled: bool = False,
    encoding: str | None = None,
    max_unpacked: int | str | None = None,
) -> Dataset:
    r"""Read a table from a file.

    The format goes by the file's ending: delimited text with a line of column names (.csv, .tsv, .tab, .txt, .data; the
    delimiter is found among comma, semicolon, tab, bar and runs of blanks), Weka's .arff, KEEL's .dat, each also
    compressed (.gz, .zst); .parquet; .feather, .arrow and .ipc.

    Parameters
    ----------
    path : str or path-like
        The file.
    target : str or None, default=None
        The column of labels. None takes what the file itself names (KEEL's outputs), else the last column.
    nominal : str or iterable of str, default=()
        Columns whose values are names, even if they look like numbers, dates or sentences.
    numeric : str or iterable of str, default=()
        Columns whose values must be numbers, even if they have leading zeros.
    drop : str or iterable of str, default=()
        Columns to leave out.
    missing_values : str or iterable of str, default=()
        Values that stand for a gap in any column, besides those below. A number (``"-9"``) is compared as a number in
        numeric columns.
    drop_unlabelled : bool, default=False
        Leave out rows without a label, instead of an error.
    encoding : str or None, default=None
        The encoding of a text file that is not UTF-8, such as ``"cp1252"`` or ``"utf-16"``.
    max_unpacked : int, str or None, default=None
        The most that a compressed file (text, Parquet or Arrow) may unpack to: bytes, or a text such as ``"8GB"``. None is
        2 GB, or 50 times the file's size where that is more: a small file that unpacks to much more may be made to harm.

    Returns
    -------
    Dataset
        The features, the labels, and notes for the user.

    Raises
    ------
    TableError
        The file or a column cannot be used. The message says what was found and what to do.

    Notes
    -----
    Gaps in text files are ``""``, ``NA``, ``N/A``, ``?``, ``NaN``, ``nan``, ``null``, ``NULL``, ``None`` and
    ``<null>``, unless an ARFF or KEEL file declares them as values. Parquet and Arrow files have nulls of their own, so
    there only nulls, NaN and `missing_values` are gaps.

    Text that reads as numbers becomes numbers; with leading zeros (``01234``) it is a code and stays text. ``True`` and
    ``False`` stay text, which is nominal either way. A large text file needs about twice its size in memory.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "coins.csv")
    ...     _ = path.write_text("weight;metal;coin\n2,5;silver;dime\n5,0;nickel;nickel\n")
    ...     coins = read(path)
    >>> coins.X["weight"].to_list(), coins.y.tolist(), coins.notes[0]
    ([2.5, 5.0], ['dime', 'nickel'], "'weight': numbers such as 2,5 are read with a decimal comma.")
    """
    nominal, numeric, drop = _texts(nominal), _texts(numeric), _texts(drop)
    missing_values = _texts(missing_values)
    file = existing_file(Path(path).expanduser())
    wishes = Wishes(frozenset(nominal), frozenset(numeric), (*GAPS, *missing_values))
    raw = _raw_table(file, wishes, encoding, bytes_of(max_unpacked))
    target = _checked_names(raw, file.name, target, nominal, numeric, drop)
    others = [name for name in raw.targets if name != target and name not in drop and target in raw.targets]
    output_notes = [f"Other outputs are left out: {quoted(others)}."] if others else []
    left_out = {*drop, *others}
    frame = raw.frame
    if left_out:
        frame = columns_of(frame, [name for name in frame.columns if name not in left_out])
    frame = _with_gaps(frame, missing_values)
    frame = _as_wished(frame, wishes, file.name)
    frame, notes = _labelled(frame, target, file.name, drop_unlabelled)
    different = raw.different if frame is raw.frame else {}  # a changed frame may have lost some
    y, label_notes = labels_of(frame[target], file.name, target in wishes.nominal)
    features = frame.clone()
    features.drop_in_place(target)
    if features.width == 0:
        raise TableError(f"no columns are left in {file.name} besides the target {target!r}.")
    X, column_notes = check_columns(features, file.name, wishes.nominal, raw.dates, different)
    return Dataset(
        name=_stem(file),
        X=X,
        y=y,
        target=target,
        notes=(*raw.notes, *output_notes, *notes, *label_notes, *column_notes),
        description=raw.description,
    )


def _texts(given: str | Iterable[str]) -> tuple[str, ...]:
    """Give a tuple of strings for one string or many."""
    return (given,) if isinstance(given, str) else tuple(str(item) for item in given)


def _stem(file: Path) -> str:
    """Give a file's name without its ending and the ending of its compression."""
    inner = Path(file.stem) if file.suffix.lower() in _COMPRESSED else Path(file.name)
    return inner.stem


def _raw_table(file: Path, wishes: Wishes, encoding: str | None, max_unpacked: int | None) -> RawTable:
    inner = Path(file.stem) if file.suffix.lower() in _COMPRESSED else file
    ending = inner.suffix.lower()
    if ending in BINARY_ENDINGS:
        return RawTable(binary_frame(file, BINARY_ENDINGS[ending], max_unpacked))
    if ending not in _TEXT:
        raise TableError(
            f"{file.name} has an ending that tamis does not read. Use one of "
            f"{listed([*_TEXT, *BINARY_ENDINGS], 20)}, text also with .gz or .zst; save spreadsheets as CSV."
        )
    return _TEXT[ending](Source(file, encoding, max_unpacked), wishes)


def _checked_names(
    raw: RawTable,
    file: str,
    target: str | None,
    nominal: tuple[str, ...],
    numeric: tuple[str, ...],
    drop: tuple[str, ...],
) -> str:
    """Check every column name that was given, and give the target's name."""
    columns = raw.frame.columns
    if not columns or raw.frame.height == 0:
        raise TableError(f"{file} has column names but no rows. Rows of data are needed below them.")
    known = set(columns)
    for name in (*([] if target is None else [target]), *nominal, *numeric, *drop):
        if name not in known:
            raise TableError(
                f"no column {name!r} in {file}.{did_you_mean(name, columns)} Columns: {listed(columns)}"
            )
    both = sorted(set(nominal) & set(numeric))
    if both:
        raise TableError(f"{quoted(both)} of {file} cannot be both nominal and numeric. Name it once.")
    if target is not None:
        if target in drop:
            raise TableError(f"the target {target!r} of {file} cannot be dropped. Take it out of --drop.")
        return target
    outputs = [name for name in raw.targets if name not in drop]
    if len(outputs) > 1:
        raise TableError(f"{file} names several outputs: {quoted(outputs)}. Choose one with --target.")
    if outputs:
        return outputs[0]
    left = [name for name in columns if name not in set(drop)]
    if not left:
        raise TableError(f"no columns are left in {file}: --drop names all {len(columns)}.")
    return left[-1]


def _with_gaps(frame: pl.DataFrame, missing_values: tuple[str, ...]) -> pl.DataFrame:
    """Make nulls of the caller's missing values; a number is compared as a number in numeric columns."""
    numbers = []
    for text in missing_values:
        try:
            numbers.append(float(text))
        except ValueError:
            continue
    if numbers:
        values = cs.numeric() - cs.decimal()
        marks = pl.lit(pl.Series(numbers, dtype=pl.Float64)).implode()
        frame = frame.with_columns(pl.when(~values.cast(pl.Float64).is_in(marks)).then(values))
    if missing_values:
        texts = cs.string() | cs.categorical() | cs.enum()
        marks = pl.lit(pl.Series(missing_values, dtype=pl.String)).implode()
        frame = frame.with_columns(pl.when(~texts.cast(pl.String).is_in(marks)).then(texts))
    return frame


def _as_wished(frame: pl.DataFrame, wishes: Wishes, file: str) -> pl.DataFrame:
    """Make text of the columns named nominal, and numbers of the columns named numeric."""
    if not (wishes.nominal or wishes.numeric):
        return frame
    columns = []
    for series in frame.iter_columns():
        if series.name in wishes.nominal and not _is_nominal(series.dtype):
            series = _forced_text(series, file)
        elif series.name in wishes.numeric and not series.dtype.is_numeric():
            series = _forced_numbers(series, wishes, file)
        columns.append(series)
    return pl.DataFrame(columns)


def _is_nominal(dtype: pl.DataType) -> bool:
    return dtype in (pl.String, pl.Categorical, pl.Enum, pl.Boolean)


def _forced_text(series: pl.Series, file: str) -> pl.Series:
    try:
        plain = series.to_physical() if series.dtype == pl.Duration else series
        return plain.cast(pl.String)
    except pl.exceptions.PolarsError:
        raise TableError(
            f"--nominal names {series.name!r} of {file}, but its values of type {series.dtype} are no names. "
            f"Use --drop {shlex.quote(series.name)}."
        ) from None


def _forced_numbers(series: pl.Series, wishes: Wishes, file: str) -> pl.Series:
    if series.dtype == pl.Boolean:
        return series.cast(pl.Int64)
    if not _is_nominal(series.dtype):
        raise TableError(
            f"--numeric names {series.name!r} of {file}, but it holds values of type {series.dtype}. "
            f"Convert it before, or use --drop {shlex.quote(series.name)}."
        )
    text = cleaned(pl.DataFrame(series.cast(pl.String)), wishes.gaps)
    numbers = typed(text, wishes, Findings()).to_series()
    if numbers.dtype.is_numeric():
        return numbers
    values = text.to_series()
    others = values.filter(values.is_not_null() & values.cast(pl.Float64, strict=False).is_null())
    if len(others) == 0:  # nothing but gaps
        return values.cast(pl.Float64)
    few = others.unique(maintain_order=True).head(4).to_list()
    raise TableError(
        f"--numeric names {series.name!r} of {file}, but {len(others)} of its values are no numbers: "
        f'{quoted(few, 3)}. If they stand for gaps, use --missing-values "{",".join(few[:3])}".'
    )


def _labelled(
    frame: pl.DataFrame, target: str, file: str, drop_unlabelled: bool
) -> tuple[pl.DataFrame, list[str]]:
    """Leave out the rows without a label if the caller wants that; else refuse them."""
    labels = frame[target]
    if labels.null_count() == 0 and not labels.dtype.is_float():
        return frame, []
    missing = labels.is_null() | labels.is_nan() if labels.dtype.is_float() else labels.is_null()
    count = int(missing.sum())
    if count == 0:
        return frame, []
    if count == len(labels):
        raise TableError(f"the target {target!r} of {file} has no labels at all. Is it the right column?")
    rows = f"{count} of {len(labels)} rows"
    if not drop_unlabelled:
        raise TableError(
            f"{rows} of {file} have no label in {target!r}. Use --drop-unlabelled to leave them out."
        )
    return frame.filter(~missing), [f"{rows} had no label in {target!r} and were left out."]
