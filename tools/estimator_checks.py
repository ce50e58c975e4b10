"""Print scikit-learn's checks, passed, failed and skipped, for every public estimator at every setting.

Run from the root of the repository: ``python tools/estimator_checks.py``. Exits with 1 where a check fails.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path
from unittest import SkipTest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.estimators import checks, fails_by_design, may_be_skipped, settings


def main() -> int:
    """Run the checks and print a line a setting, then the reasons."""
    warnings.simplefilter("error")
    skips: Counter[str] = Counter()
    designs: Counter[str] = Counter()
    failures: list[str] = []
    print(f"{'estimator':<24} {'setting':<28} {'passed':>7} {'failed':>7} {'by design':>10} {'skipped':>8}")
    for name, why, estimator in settings():
        counts: Counter[str] = Counter()
        for label, call in checks(estimator):
            try:
                call()
                counts["passed"] += 1
            except SkipTest as reason:
                counts["skipped"] += 1
                skips[f"{label.partition('(')[0]}: {may_be_skipped(label) or reason}"] += 1
            except Exception as error:
                meant = fails_by_design(name, label)
                counts["by design" if meant else "failed"] += 1
                if meant:
                    designs[f"{name}, {label}: {meant}"] += 1
                else:
                    line = str(error).strip().partition("\n")[0]
                    failures.append(f"{name}, {why}, {label}: {type(error).__name__}: {line}")
        print(
            f"{name:<24} {why:<28} {counts['passed']:>7} {counts['failed']:>7} {counts['by design']:>10} "
            f"{counts['skipped']:>8}"
        )
    for reason, times in skips.items():
        print(f"skipped {times} times: {reason}")
    for reason, times in designs.items():
        print(f"failed by design {times} times: {reason}")
    for failure in failures:
        print(f"failed: {failure}")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
