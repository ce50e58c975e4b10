"""Many fits in a row, eight threads at once, and processes begun by fork and by spawn: no leak, the same answers.

Run it from the repository: ``python tools/load.py [--fits 1000]``. It prints the memory that the process holds after a
tenth of the fits and at their end, for every estimator, and whether threads and processes have the answers of one
thread alone.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import resource
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
LONGEST = 900  # seconds that nothing may stand still


def table(n_rows: int = 80, n_columns: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Some columns that matter, gaps, and three classes."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, n_columns))
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.5, 0.5])
    X[random.random(X.shape) < 0.05] = np.nan
    return X, y


def fitted(name: str, n_jobs: int | None = None, n_rows: int = 80) -> list[Any]:
    """What an estimator finds, as plain lists."""
    from sklearn.utils._testing import set_random_state
    from tests.estimators import QUICK, default

    estimator = default(name, **QUICK.get(name, {}))
    set_random_state(estimator, 0)
    if n_jobs is not None and "n_jobs" in estimator.get_params():
        estimator.set_params(n_jobs=n_jobs)
    X, y = table(n_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X, y)
    names = ("ranking_", "scores_", "sample_indices_")
    found = [np.asarray(getattr(estimator, one)).tolist() for one in names if hasattr(estimator, one)]
    return found or [estimator.predict(X).tolist()]


def alive(answer: Any) -> Any:
    """The answer; the clock for standing still begins anew."""
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    return answer


def held() -> float:
    """Megabytes that the process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def main() -> None:
    """Print what came of it, and end with 1 if anything differed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fits", type=int, default=1000)
    given = parser.parse_args()
    from tests.estimators import public_estimators

    names = list(public_estimators())
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    alone = {name: fitted(name) for name in names}
    wrong = []
    for name in names:
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        for count in range(given.fits):
            if count == given.fits // 10:
                early = held()
            if fitted(name) != alone[name]:
                wrong.append(f"{name}: fit {count} differs")
        print(
            f"{name}: {early:.1f} MB after {given.fits // 10} fits, {held():.1f} after {given.fits}",
            flush=True,
        )
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    with ThreadPoolExecutor(8) as threads:
        jobs = [(name, n_jobs) for _ in range(4) for name in names for n_jobs in (None, 2)]
        answers = [alive(one) for one in threads.map(lambda job: fitted(*job), jobs)]
    wrong += [
        f"{job}: another answer among 8 threads" for job, one in zip(jobs, answers) if one != alone[job[0]]
    ]
    alive(None)
    large = [fitted("StumpAdaBoost", 2, 9000), fitted("SBSMF", 2, 9000)]
    with ThreadPoolExecutor(8) as threads:
        again = [
            alive(one)
            for one in threads.map(lambda name: fitted(name, 2, 9000), ["StumpAdaBoost", "SBSMF"] * 4)
        ]
    wrong += [
        f"9,000 rows, {place}: another answer among 8 threads"
        for place, one in enumerate(again)
        if one != large[place % 2]
    ]
    print(f"{len(jobs) + len(again)} fits by 8 threads", flush=True)
    for kind in ("fork", "spawn", "forkserver"):
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(kind)) as processes:
            answers = [alive(one) for one in processes.map(fitted, names)]
        wrong += [
            f"{name}: another answer in a process by {kind}"
            for name, one in zip(names, answers)
            if one != alone[name]
        ]
        print(f"{len(names)} fits in processes by {kind}", flush=True)
    print("\n".join(wrong) or "every answer is that of one thread alone")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
