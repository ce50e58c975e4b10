"""Markup in which every text is escaped unless it is known to be markup."""

from __future__ import annotations

import html
import math
import unicodedata
from typing import Any

# Characters that reorder or hide the text around them.
_DECEPTIVE = frozenset("\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
_EMPTY = frozenset(
    {"br", "img", "input", "meta", "line", "circle", "rect", "path", "polyline", "polygon", "use"}
)


class Html(str):
    """Markup that goes into a page as it stands; any other text is escaped."""

    __slots__ = ()


def escaped(value: Any) -> Html:
    r"""A value as safe markup.

    Parameters
    ----------
    value : object
        `Html` is returned as it is. Anything else is turned into text: ``<``, ``>``, ``&`` and quotes are escaped, and
        control characters, lone surrogates and marks that change the direction of writing are shown as escape
        sequences (``\x1b``).

    Returns
    -------
    Html
        Safe inside an element and inside a quoted attribute.
    """
    if isinstance(value, Html):
        return value
    text = "".join(_written_out(sign) if _hidden(sign) else sign for sign in str(value))
    return Html(html.escape(text, quote=True))


def element(tag: str, *children: Any, **attributes: Any) -> Html:
    """One element.

    Parameters
    ----------
    tag : str
        Its name, which must never come from user input.
    *children : object
        Its contents; what is not `Html` is escaped.
    **attributes : object
        A trailing underscore is dropped (``class_``) and inner ones become hyphens (``aria_label``). None and False
        leave an attribute out, True gives it without a value; a float is rounded to two decimals.

    Returns
    -------
    Html
        The element.
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _EMPTY and not children:
        return Html(f"<{tag}{written}/>")
    return Html(f"<{tag}{written}>{''.join(escaped(child) for child in children)}</{tag}>")


def joined(*parts: Any) -> Html:
    """Parts one after the other; what is not `Html` is escaped."""
    return Html("".join(escaped(part) for part in parts))


def number(value: Any, digits: int = 4) -> str:
    """A value as text: few digits, True as yes, and an empty text for False, None and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    return str(value)


def _attribute(name: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = name.removesuffix("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
    return f' {name}="{escaped(str(text))}"'


def _hidden(sign: str) -> bool:
    if sign in "\n\t":
        return False
    return sign in _DECEPTIVE or unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")


def _written_out(sign: str) -> str:
    return sign.encode("unicode_escape", "backslashreplace").decode("ascii")
