"""``tamis warm``: compile ahead what methods need, for images, clusters and read-only installs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli import _options as option
from tamis.cli._sentences import guarded

if TYPE_CHECKING:
    from tamis._methods import Method
    from tamis.table._dataset import Dataset
    from tamis.table.parts.parted import PartedTable

# Rows and columns of the tables that methods are fitted to: few rows for most, many for those that then take other loops.
_FEW, _MANY, _COLUMNS = 90, 8_200, 6
#: Classes whose loops take longest come first, so that processes end together (seconds are in benchmarks/results/first_call.md).
_FIRST = ("FS2Boost", "PairScan", "SampledEFR", "MovedPrototypes", "ROGER", "SBSMF", "BDSFS")
#: Classes that use the loops of other methods, which are compiled by the time they come last.
_LAST = ("EFR", "StabilitySelection", "Decoys", "Sieve")
#: Classes with loops of their own for parts that stay on a cluster.
_ELSEWHERE = ("SBSMF",)


@guarded
def warm(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="METHOD", help="The methods; all of them if left out.", show_default=False),
    ] = None,
    jobs: option.Jobs = None,
) -> None:
    """Compile what methods need, once, so that their first answer does not wait for it."""
    from tamis._methods import methods
    from tamis.cli._screen import say
    from tamis.cli._sentences import UserError
    from tamis.table._names import did_you_mean

    known = {method.name: method for method in methods()}
    for name in names or ():
        if name not in known:
            raise UserError(f"no method {name!r}.{did_you_mean(name, known)} `tamis methods` lists them.")
    chosen = [known[name] for name in dict.fromkeys(names or known)]
    calls = [(compiled, group, None) for group in _groups(chosen)]
    n_kernels = _compiled_in_parallel(calls, -1 if jobs is None else jobs, lines=True)
    what = f"{len(chosen)} methods" if len(chosen) > 1 else chosen[0].name
    if n_kernels:
        from tamis._jit import keeps_compiled_code

        if not keeps_compiled_code():
            raise UserError(
                f"{what}: {_loops(n_kernels)} compiled, but there is no folder to keep them in that can be written. Name one in the "
                "environment variable NUMBA_CACHE_DIR, here and wherever tamis is used."
            )
    say(f"{what}: {_loops(n_kernels)} compiled{'' if n_kernels else '; all were before'}.")


def _loops(number: int) -> str:
    return f"{number or 'no'} loop{'s' * (number != 1)}"


def compile_ahead(chosen: Iterable[Method], dataset: Dataset, *, search: bool = False) -> None:
    """Compile what methods (and the search of `Sieve`) need for a table, in several processes, where little is compiled."""
    from os import cpu_count

    from tamis.features._sieve_fusion import slowest_is_compiled

    if (cpu_count() or 1) > 1 and not slowest_is_compiled():
        table = _some_rows(dataset)
        calls = [(compiled, group, table) for group in _groups(list(chosen))]
        _compiled_in_parallel([*calls, *([(compiled_search, table)] if search else [])], -1, lines=False)


def compile_members_ahead(dataset: Dataset) -> None:
    """Compile what the members of a `Sieve` need, before it is fitted."""
    from tamis._methods import methods
    from tamis.features._sieve_fusion import default_members

    classes = {
        type(member).__name__ for _, member in default_members(numeric=dataset.target_kind == "numbers")
    }
    members = [method for method in methods() if method.estimator in classes]
    compile_ahead({method.estimator: method for method in members}.values(), dataset, search=True)


def _some_rows(dataset: Dataset) -> tuple[Any, Any]:
    """Some rows of a table; of one of classes, the first of each."""
    import numpy as np

    _, codes = np.unique(dataset.y, return_inverse=True)
    n_each = _FEW // min(3, codes.max() + 1)
    rows = (
        np.concatenate([np.flatnonzero(codes == code)[:n_each] for code in range(min(codes.max() + 1, 10))])
        if dataset.target_kind == "classes"
        else np.arange(min(_FEW, len(codes)))
    )
    return dataset.X[rows.tolist()], dataset.y[rows]


def _compiled_in_parallel(calls: Sequence[Any], jobs: int, *, lines: bool) -> int:
    """Make calls, each a function and its arguments, in processes, with a bar; return how many loops they compiled."""
    from joblib import delayed

    from tamis._processes import in_parallel
    from tamis.cli._screen import progress_bar

    n_kernels = 0
    with progress_bar("compiling, once", lines=lines) as show:
        show(0, len(calls))
        ahead = [delayed(function)(*arguments) for function, *arguments in calls]
        for done, new in enumerate(in_parallel(ahead, jobs), start=1):
            n_kernels += new
            show(done, len(calls))
    return n_kernels


def _groups(chosen: Sequence[Method]) -> list[list[Method]]:
    """The methods of each class together, since they share loops; in the order in which they are compiled."""
    classes = dict.fromkeys(method.estimator for method in chosen)
    first = [name for name in _FIRST if name in classes]
    last = [name for name in _LAST if name in classes]
    ordered = [*first, *(name for name in classes if name not in {*first, *last}), *last]
    return [[method for method in chosen if method.estimator == name] for name in ordered]


def compiled(group: Sequence[Method], table: tuple[Any, Any] | None = None) -> int:
    """Fit methods of one class to a table, or to small ones of every kind; return how many loops that compiled."""
    import warnings

    from tamis._jit import compiling

    before = compiling.n_kernels
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the tables, which are of no interest
        for method in group:
            for X, y in [table] if table is not None else _tables(method):
                _fit(method, X, y)
                if method.estimator in _ELSEWHERE and table is None:
                    _fit(method, _elsewhere(X, y), None)
    return compiling.n_kernels - before


def compiled_search(table: tuple[Any, Any]) -> int:
    """Compile what a `Sieve` needs beside its members, for a table; return how many loops that compiled."""
    import warnings

    import tamis
    from tamis._jit import compiling

    before = compiling.n_kernels
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tamis.Sieve(2, members=[("alone", tamis.UnivariateAUC())], explain=False).fit(*table)
    return compiling.n_kernels - before


def _fit(method: Method, X: Any, y: Any) -> None:
    from tamis.cli._estimator import make_estimator

    estimator = make_estimator(method, {})
    try:
        estimator.fit(X, y)
    except ValueError:  # a table that the method refuses needs no loops
        return
    if method.sifts == "rows":
        from tamis.study._kept_accuracy import kept_accuracy

        kept_accuracy(estimator, X, y)  # what `tamis condense` says of the rows


@dataclass
class _Asked:
    """Parts of a table that are asked as those on a cluster are; they lie here."""

    parts: list[Any]
    table: PartedTable | None = None

    def labels(self, function: Any, *arguments: Any) -> list[Any]:
        return [function(part, *arguments) for part in self.parts]

    def each(self, function: Any, own: Sequence[tuple[Any, ...]], *arguments: Any) -> list[Any]:
        return [function(part, *each, *arguments) for part, each in zip(self.parts, own)]

    def coded(self, function: Any, *arguments: Any) -> _Asked:
        return _Asked(self.labels(function, *arguments))

    def total(self, function: Any, *arguments: Any) -> Any:
        first, *others = self.labels(function, *arguments)
        return sum(others, first)


def _elsewhere(X: Any, y: Any) -> PartedTable:
    """A table in two parts that are asked."""
    from tamis.table.parts.parted import HeldPart, PartedTable

    half = len(y) // 2
    parts = [HeldPart(X[rows], y[rows]) for rows in (slice(half), slice(half, None))]
    asked = _Asked(parts)
    asked.table = PartedTable(parts, X.columns, X[:0], X.width, opened=asked)
    return asked.table


def _tables(method: Method) -> Iterator[tuple[Any, Any]]:
    """Tables of random numbers, one column of them categorical and one with missing values, and targets."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng(0)
    sizes = [_FEW] if method.many_rows or method.searches or method.sifts == "rows" else [_FEW, _MANY]
    for n_rows in sizes:
        numbers = random.normal(size=(n_rows, _COLUMNS))
        frame = pl.DataFrame({f"x{j}": numbers[:, j] for j in range(_COLUMNS)})
        kinds = pl.Series("x0", np.array(["a", "b", "c"])[random.integers(3, size=n_rows)])
        mixed = frame.with_columns(kinds, x1=pl.when(pl.col("x1") > 1).then(None).otherwise(pl.col("x1")))
        cut = np.digitize(numbers[:, 2] + numbers[:, 3], [-1, 1])
        two, three = np.array(["a", "b"])[(cut > 0).astype(int)], np.array(["a", "b", "c"])[cut]
        yield frame, two
        yield mixed, two
        yield mixed, three
        if method.takes_numbers:
            yield mixed, numbers[:, 2] + numbers[:, 3]
