"""The header that ARFF and KEEL files share: ``@attribute`` lines above ``@data``.

Lines are parsed in one pass: a value ends at the next comma, or at its closing quote.
"""

import re
from dataclasses import dataclass, field

from tamis.table._dataset import TableError
from tamis.table._names import check_names

_KEYWORD = re.compile(r"@([A-Za-z]+)")
_QUOTED = re.compile(r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\"""")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_NAME = re.compile(r"[^\s{]+")
_TYPE = re.compile(r"[A-Za-z]+")
_COLUMN = re.compile(r"([0-9]{1,9})\s+")
_WEIGHT = re.compile(r",?\s*\{[^{}]*\}")
_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}
_TYPES = {"numeric": "number", "real": "number", "integer": "whole", "string": "string", "date": "date"}


class MalformedError(Exception):
    """A line that breaks the format's rules; the caller, who knows the file and the line, makes the message."""


@dataclass(frozen=True)
class Attribute:
    """A declared column: its name, its kind ("number", "whole", "nominal", "string", "date") and its values."""

    name: str
    kind: str
    values: tuple[str, ...] = ()


@dataclass
class Header:
    """The content of the lines above ``@data``.

    Attributes
    ----------
    attributes : list of Attribute
        The declared columns.
    inputs, outputs : list of str
        The columns that a KEEL file names as inputs and outputs.
    comments : list of str
        The comment lines, without their marks.
    data_line : int
        The number of the ``@data`` line, counted from 1.
    """

    attributes: list[Attribute] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    data_line: int = 0


def header_of(lines: list[str], file: str) -> Header:
    """Read the lines of a file down to ``@data``."""
    header = Header()
    for number, line in enumerate(lines, start=1):
        try:
            if _take(line.strip(), header):
                header.data_line = number
                break
        except MalformedError as error:
            raise TableError(f"line {number} of {file}: {error}.") from None
    if not header.data_line:
        raise TableError(f"{file} has no @data line, so no rows.")
    if not header.attributes:
        raise TableError(f"{file} declares no columns: no @attribute line stands above @data.")
    check_names([attribute.name for attribute in header.attributes], file)
    return header


def split_values(text: str) -> list[str | None]:
    r"""Split at commas outside quotes; an unquoted question mark or empty value is None.

    Examples
    --------
    >>> split_values(r"1, 'it\'s', ?, '?'")
    ['1', "it's", None, '?']
    """
    return _values(text, 0, "")[0]


def sparse_entries(line: str) -> tuple[dict[int, str | None], bool]:
    """Read a sparse row ``{0 1, 3 x}``: its entries by column, and whether a weight ``, {5}`` follows.

    Examples
    --------
    >>> sparse_entries("{0 1, 3 'a b', 4 ?}, {5}")
    ({0: '1', 3: 'a b', 4: None}, True)
    """
    entries: dict[int, str | None] = {}
    position = _after_blanks(line, 1)
    while not line.startswith("}", position):
        match = _COLUMN.match(line, position)
        if match is None or int(match[1]) in entries:
            raise MalformedError(
                f"{line[position : position + 40]!r} is not a new entry 'column value' of a sparse row"
            )
        value, position = _value(line, match.end(), "}")
        entries[int(match[1])] = value
        if line.startswith(",", position):
            position = _after_blanks(line, position + 1)
        elif position >= len(line):
            raise MalformedError("a sparse row is not closed by }")
    rest = line[position + 1 :].strip()
    if rest and not _WEIGHT.fullmatch(rest):
        raise MalformedError(f"{rest[:40]!r} follows a sparse row")
    return entries, bool(rest)


def _take(line: str, header: Header) -> bool:
    """Add what one line says to the header; True at ``@data``."""
    if not line:
        return False
    if line.startswith("%"):
        header.comments.append(line.lstrip("%").strip())
        return False
    keyword = _KEYWORD.match(line)
    word = keyword[1].lower() if keyword else ""
    rest = line[len(word) + 1 :].strip()
    if word == "attribute":
        header.attributes.append(_attribute(rest))
    elif word in ("inputs", "input"):
        header.inputs += [name for name in split_values(rest) if name is not None]
    elif word in ("outputs", "output"):
        header.outputs += [name for name in split_values(rest) if name is not None]
    elif word != "relation" and word != "data":
        raise MalformedError(f"expected @attribute or @data, found {line[:40]!r}")
    return word == "data"


def _attribute(text: str) -> Attribute:
    if text[:1] in ("'", '"'):
        name, end = _unquoted(text, 0)
    else:
        match = _NAME.match(text)
        if match is None:
            raise MalformedError("an attribute without a name")
        name, end = match[0], match.end()
    rest = text[end:].lstrip()
    if not name.strip():
        raise MalformedError("an attribute without a name")
    if rest.startswith("{"):
        values, _ = _values(rest, 1, "}")
        return Attribute(name, "nominal", tuple(dict.fromkeys(v for v in values if v is not None)))
    match = _TYPE.match(rest)
    kind = _TYPES.get(match[0].lower()) if match else None
    if kind is None:
        given = match[0] if match else rest[:20]
        raise MalformedError(
            f"attribute {name!r} has the type {given!r}. Use numeric, real, integer, string or {{a, b}}; "
            "a name with spaces needs quotes"
        )
    return Attribute(name, kind)


def _values(text: str, start: int, closing: str) -> tuple[list[str | None], int]:
    """Read values from `start` to the `closing` character, or to the end of the text if that is empty."""
    values: list[str | None] = []
    position = start
    while True:
        value, position = _value(text, _after_blanks(text, position), closing)
        values.append(value)
        if position >= len(text):
            if closing:
                raise MalformedError(f"a list of values is not closed by {closing}")
            return values, position
        if text[position] == closing:
            return values, position + 1
        position += 1


def _value(text: str, position: int, closing: str) -> tuple[str | None, int]:
    """Read the value at `position`; give it and the position of the comma, closing character or end after it."""
    if not text.startswith(("'", '"'), position):
        stop = _next(text, position, closing)
        bare = text[position:stop].strip()
        return (None if bare in ("", "?") else bare), stop
    value, position = _unquoted(text, position)
    position = _after_blanks(text, position)
    if position < len(text) and text[position] not in ("," + closing):
        raise MalformedError(f"no comma after the quoted value {value[:40]!r}")
    return value, position


def _after_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _next(text: str, position: int, closing: str) -> int:
    """The position of the next comma or closing character; the end of the text if there is none."""
    comma = text.find(",", position)
    comma = len(text) if comma < 0 else comma
    close = text.find(closing, position, comma) if closing else -1
    return comma if close < 0 else close


def _unquoted(text: str, position: int) -> tuple[str, int]:
    """Read a quoted value; give it without quotes and escapes, and the position after it."""
    match = _QUOTED.match(text, position)
    if match is None:
        raise MalformedError(f"a quote is opened and never closed: {text[position : position + 40]!r}")
    inner = match[0][1:-1]
    return (_whole_signs(_ESCAPE.sub(_unescaped, inner)) if "\\" in inner else inner), match.end()


def _whole_signs(text: str) -> str:
    r"""Replace pairs of escapes (``\ud83d\ude00``) by the character they encode; half a pair is refused."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise MalformedError(
            f"the quoted value {text[:40]!r} holds half a character: \\ud800 to \\udfff go in pairs"
        ) from None


def _unescaped(match: re.Match[str]) -> str:
    sign = match[1]
    if len(sign) == 5:
        return chr(int(sign[1:], 16))
    return _CONTROL.get(sign, sign)
