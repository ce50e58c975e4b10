"""Tables of docs/choose.md and README.md that repeat the results of a benchmark, written anew from these results.

``python docs/quoted.py`` after a benchmark has run; the tests say when it is due.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
DECIDES = {"linear": "a sum", "ball": "a ball", "two": "two balls", "xor": "pairs only"}
CELL = re.compile(
    r"^\| (clean|noisy), n = (\d+), (\w+) \| ([\d.]+) \| ([^|]+) \| ([\d.]+) \|", flags=re.MULTILINE
)


def rankers(noise: str) -> str:
    """SampledEFR beside the best other ranker, one line a kind of problem."""
    results = (ROOT / "benchmarks" / "results" / "efr_peers.md").read_text(encoding="utf-8")
    lines = [
        "| rows, what decides | SampledEFR | the best other | measured in |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {rows}, {DECIDES[concept]} | {ours} | {best} {area} | [efr_peers](../benchmarks/results/efr_peers.md) |"
        for kind, rows, concept, ours, best, area in CELL.findall(results)
        if kind == noise
    ]
    return "\n".join(lines)


def readme_lines() -> dict[str, str]:
    """Two of these lines for README.md, by how they begin."""
    results = (ROOT / "benchmarks" / "results" / "efr_peers.md").read_text(encoding="utf-8")
    cells = {(kind, rows, concept): rest for kind, rows, concept, *rest in CELL.findall(results)}
    questions = {
        ("clean", "100", "two"): "100 rows, 100 columns, 10 of them decide by two balls: is a relevant one ranked before another?",
        ("noisy", "50", "linear"): "50 rows, 10 % wrong labels and noise, a sum decides",
    }  # fmt: skip
    return {
        f"| {question}": f"| {question} | SampledEFR {cells[cell][0]} of the pairs, the best other ({cells[cell][1]}) "
        f"{cells[cell][2]} | [efr_peers](benchmarks/results/efr_peers.md) |"
        for cell, question in questions.items()
    }


def up_to_date() -> dict[Path, str]:
    """The pages as they should be."""
    choose, readme = ROOT / "docs" / "choose.md", ROOT / "README.md"
    text = choose.read_text(encoding="utf-8")
    for noise in ("clean", "noisy"):
        mark = f"<!-- docs/quoted.py: {noise} -->"
        text = re.sub(
            rf"{mark}.*?<!-- end -->",
            f"{mark}\n\n{rankers(noise)}\n\n<!-- end -->",
            text,
            flags=re.DOTALL,
        )
    words = readme.read_text(encoding="utf-8")
    for begin, line in readme_lines().items():
        words = re.sub(rf"^{re.escape(begin)}.*$", line, words, flags=re.MULTILINE)
    return {choose: text, readme: words}


if __name__ == "__main__":
    for page, words in up_to_date().items():
        page.write_text(words, encoding="utf-8")
