"""How messages speak of names: lists that stay short, and the name that was probably meant."""

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from tamis.table._dataset import TableError


def check_names(names: Sequence[str], file: str, advice: str = "Rename them.") -> None:
    """Refuse column names that occur twice, and those that polars takes for a pattern (``*``, ``^...$``)."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"{file} has column names that occur more than once: {quoted(twice)}. {advice}")
    patterns = [name for name in names if name == "*" or (name.startswith("^") and name.endswith("$"))]
    if patterns:
        raise TableError(f"{file} has column names that stand for patterns: {quoted(patterns)}. Rename them.")


def listed(names: Sequence[str], most: int = 10) -> str:
    """Give the names separated by commas, the first `most` of them.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    'a, b, ... (3 in all)'
    """
    if len(names) <= most:
        return ", ".join(names)
    return ", ".join(names[:most]) + f", ... ({len(names)} in all)"


def quoted(names: Sequence[str], most: int = 10) -> str:
    """Give the names in quotes, separated by commas, the first `most` of them."""
    return listed([repr(name) for name in names], most)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Give the sentence `` Did you mean 'target'?`` for the name nearest to `name`, or nothing.

    Examples
    --------
    >>> did_you_mean("targte", ["age", "target"])
    " Did you mean 'target'?"
    """
    folded = {candidate.casefold(): candidate for candidate in names}
    near = get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.6)
    return f" Did you mean {folded[near[0]]!r}?" if near else ""
