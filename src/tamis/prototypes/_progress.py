"""Progress lines of a long run."""

from __future__ import annotations


class Tenths:
    """Prints a line whenever another tenth of the rows is done, if `verbose` asks for it.

    Parameters
    ----------
    what : str
        The beginning of every line.
    n_rows : int
        How many rows there are to do.
    verbose : int
        Above 0, lines are printed.
    """

    def __init__(self, what: str, n_rows: int, verbose: int) -> None:
        self._what = what
        self._n_rows = n_rows
        self._verbose = verbose
        self._done = 0

    def __call__(self, n_more: int, remark: str = "") -> None:
        """Count `n_more` rows as done; `remark` ends the line."""
        before, self._done = self._done, self._done + n_more
        if self._verbose and 10 * self._done // self._n_rows > 10 * before // self._n_rows:
            print(f"{self._what}: {self._done:,} of {self._n_rows:,} rows{remark}", flush=True)
