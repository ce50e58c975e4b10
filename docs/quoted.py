"""What pages repeat, written anew: results of benchmarks in docs/choose.md and README.md, and the lists of methods.

``python docs/quoted.py`` after a benchmark has run or a method was added; the tests say when it is due. The table of methods in
README.md and the lists of docs/api.rst follow ``tamis/_methods.py`` and docs/methods/index.md.
"""

from __future__ import annotations

import re
from pathlib import Path

from tamis._methods import methods

ROOT = Path(__file__).parent.parent
ENTRY = re.compile(r"^- \[([^\]]+)\]\((\w+)\.md\): (.+?)\.$", flags=re.DOTALL | re.MULTILINE)
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


def table_of_methods() -> str:
    """The pages of docs/methods/index.md in their order: what each sifts, its classes, their names on the command line."""
    index = (ROOT / "docs" / "methods" / "index.md").read_text(encoding="utf-8")
    lines = ["| sifts | class | `--method` | idea |", "| --- | --- | --- | --- |"]
    for names, page, words in ENTRY.findall(index):
        behind = [method for method in methods() if method.estimator in re.findall(r"\w+", names)]
        typed, idea = ", ".join(f"`{method.name}`" for method in behind), " ".join(words.split())
        if behind:
            lines.append(f"| {behind[0].sifts} | [{names}](docs/methods/{page}.md) | {typed} | {idea} |")
        elif names == "SelectorCV":
            lines.append(f"| size | [{names}](docs/methods/{page}.md) | | {idea} |")
    return "\n".join(lines)


def api_lists(text: str) -> str:
    """The text of docs/api.rst with every method's class in its list; what else stands there follows."""
    for sifts in ("columns", "rows"):
        classes = dict.fromkeys(f"   tamis.{method.estimator}" for method in methods(sifts))
        section = re.compile(
            rf"(^{sifts.capitalize()}\n-+\n.*?:nosignatures:\n\n)((?:   \S+\n)+)", re.DOTALL | re.MULTILINE
        )
        match = section.search(text)
        assert match is not None  # noqa: S101
        others = [line for line in match[2].splitlines() if line not in classes]
        text = text.replace(match[0], match[1] + "\n".join([*classes, *others]) + "\n")
    return text


def up_to_date() -> dict[Path, str]:
    """The pages as they should be."""
    choose, readme, api = ROOT / "docs" / "choose.md", ROOT / "README.md", ROOT / "docs" / "api.rst"
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
    mark = "<!-- docs/quoted.py: methods -->"
    words = re.sub(
        rf"{mark}.*?<!-- end -->", f"{mark}\n\n{table_of_methods()}\n\n<!-- end -->", words, flags=re.DOTALL
    )
    return {choose: text, readme: words, api: api_lists(api.read_text(encoding="utf-8"))}


if __name__ == "__main__":
    for page, words in up_to_date().items():
        page.write_text(words, encoding="utf-8")
