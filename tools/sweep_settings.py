"""Try every value on every parameter of every method, as ``tamis rank`` and ``tamis condense`` are given them by ``--set``.

Run it from the repository: ``python tools/sweep_settings.py``. Each case is a good answer, or one sentence and exit code 2;
anything else is a finding: a traceback, a warning, a score that is no number, the end of the process. A case that asks for
more work than a few seconds is stopped and counted apart. ``--method`` and ``--parameter`` choose some cases, ``--every N``
one in N.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

LONGEST = 4  # processor seconds of one case, compiling aside
MEMORY = 12 << 30  # bytes of addresses


def chosen(options: argparse.Namespace) -> list[Any]:
    """The cases that were asked for."""
    from tests.cli.setting_values import cases

    found = [
        case
        for case in cases()
        if options.method in (None, case.method)
        and options.parameter in (None, case.setting.partition("=")[0])
    ]
    return found[:: options.every]


def work(options: argparse.Namespace, first: int) -> None:
    """The cases from the first on; a line of JSON before and after each."""
    from tests.cli.setting_values import judged, write_tables

    from tamis._jit import compiling

    def told(begun: bool) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0 if begun else LONGEST)

    compiling.told = told
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    everything = chosen(options)
    with tempfile.TemporaryDirectory() as folder:
        write_tables(Path(folder))
        for number in range(first, len(everything)):
            print(json.dumps({"begun": number}), flush=True)
            signal.setitimer(signal.ITIMER_PROF, LONGEST)  # the signal ends the process
            came, words = judged(everything[number], Path(folder))
            signal.setitimer(signal.ITIMER_PROF, 0)
            print(json.dumps({"case": number, "came": came, "words": words}), flush=True)


def watched(arguments: list[str], first: int) -> tuple[list[dict[str, Any]], int, int, str]:
    """Cases from the first on in a process of their own: what it told, the last begun, its exit code and last words."""
    command = [sys.executable, __file__, *arguments, "--work", str(first)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - ourselves
    told, begun = [], first - 1
    for line in ended.stdout.splitlines():
        heard = json.loads(line)
        begun = heard.get("begun", begun)
        told += [heard] if "came" in heard else []
    return told, begun, ended.returncode, ended.stderr.strip()[-500:]


def tell(case: Any, what: str) -> None:
    """One line of a finding."""
    print(f"{case.method} --set {ascii(case.setting)[:80]} {case.table}: {ascii(what)[:300]}", flush=True)


def main() -> int:
    """Run the cases, and print the findings and the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--method", help="cases of this method only")
    parser.add_argument("--parameter", help="cases of this parameter only")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one case in N")
    parser.add_argument("--sentences", action="store_true", help="print every sentence once, with its count")
    parser.add_argument("--work", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work is not None:
        work(options, options.work)
        return 0
    arguments = [word for word in sys.argv[1:] if word != "--sentences"]
    everything, first, counts, sentences = chosen(options), 0, Counter[str](), Counter[str]()
    begun_at = time.monotonic()
    while first < len(everything):
        told, begun, code, words = watched(arguments, first)
        for heard in told:
            counts[heard["came"]] += 1
            if heard["came"] == "refused":
                sentences[heard["words"]] += 1
            if heard["came"] == "found":
                tell(everything[heard["case"]], heard["words"])
        if code == -signal.SIGPROF:
            counts["stopped"] += 1
            tell(everything[begun], f"stopped after {LONGEST} s")
        elif code:
            counts["found"] += 1
            tell(everything[begun], f"the process ended with {code}: {words}")
        first = begun + 1
    if options.sentences:
        for sentence, times in sentences.most_common():
            print(f"{times:5} {ascii(sentence)[:400]}")
    print(f"{len(everything)} cases in {time.monotonic() - begun_at:.0f} s: {dict(counts)}")
    return int(counts["found"] > 0)


if __name__ == "__main__":
    sys.exit(main())
