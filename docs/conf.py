"""How the manual is built (``make docs``): offline, and a warning is an error."""

from __future__ import annotations

import os
import re
import shutil
from html import escape
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

import tamis

DOCS = Path(__file__).parent
ROOT = DOCS.parent
BORROWED = DOCS / "generated" / "from"  # copies of pages that live elsewhere in the repository

project = "tamis"
author = "The tamis developers"
project_copyright = "the tamis developers"
version = release = tamis.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "templates", "examples", "generated/gallery/*.py", "papers/*/page.html"]
templates_path = ["templates"]
default_role = "py:obj"
python_use_unqualified_type_names = True
toc_object_entries = False
smartquotes_action = "qe"  # quotes and dots, but --options stay what they are

# Pages are plain Markdown, to be read on a forge as well: no directives in them.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["myst.mathjax"]  # formulas are MathML here


def pages_of_names() -> dict[str, str]:
    """For each public class or function the page of its method: the one that it is in the title of, or first in the text."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted((DOCS / "methods").glob("*.md"))}
    del texts["index"]
    found = {}
    for name in tamis.__all__:
        word = re.compile(rf"\b{name}\b")
        titled = [page for page, text in texts.items() if word.search(text.partition("\n")[0])]
        named = [page for page, text in texts.items() if word.search(text)]
        if titled or named:
            found[name] = f"methods/{(titled or named)[0]}"
    return found


PAGES_OF_NAMES = pages_of_names()
autosummary_context = {"pages": PAGES_OF_NAMES}
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say the types
autodoc_inherit_docstrings = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "generated/gallery",
    "filename_pattern": r"\.py$",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("tamis",),
    "reference_url": {"tamis": None},
    "download_all_examples": False,
    "notebook_extensions": (),
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "capture_repr": (),
    "within_subsection_order": "FileNameSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = f"tamis {release}"
html_static_path = ["static", "generated/fonts"]
html_css_files = ["manual.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_theme_options: dict[str, Any] = {
    "logo": {"text": "tamis"},
    "collapse_navigation": True,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "navigation_with_keys": False,
}
html_sidebars: dict[str, list[str]] = {
    name: []
    for name in (
        "index",
        "start",
        "choose",
        "benchmarks",
        "generated/from/contributing",
        "generated/from/architecture",
        "generated/from/changelog",
    )
}

METHODS_INDEX = (DOCS / "methods" / "index.md").read_text(encoding="utf-8")

PAPER_PAGES = [f"papers/{name}/page" for name in ("fs2boost", "psboost", "efr", "sbsmf")]

# Which pages stand below which. A page that is not there is left out.
CONTENTS = {
    "index": [
        "start",
        "choose",
        "methods/index",
        "howto/index",
        "cli",
        "generated/gallery/index",
        "api",
        "papers",
        "benchmarks",
        "figures",
        "generated/from/contributing",
        "generated/from/architecture",
        "generated/from/changelog",
    ],
    "methods/index": [
        *(f"methods/{name}" for name in re.findall(r"^- \[.*?\]\((\w+)\.md\)", METHODS_INDEX, flags=re.MULTILINE)),
        "engine",
    ],
    "howto/index": [
        *(f"howto/{name}" for name in (
            "files", "datasets", "mixed_data", "missing_values", "pipelines", "grid_search", "imbalanced", "groups", "many_rows",
        )),
        "large_tables",
        "howto/resume",
        "compare",
        "howto/report",
        "howto/statistics",
    ],
    "papers": [*PAPER_PAGES, "papers/completeness"],
    "figures": sorted(f"generated/from/{path.stem}" for path in (ROOT / "benchmarks" / "results").glob("*.md")),
}  # fmt: skip

# Titles for the bar at the top, where the page's own is long.
SHORT = {
    "choose": "Which method",
    "methods/index": "Methods",
    "generated/gallery/index": "Examples",
    "api": "API",
    "papers": "Papers",
    "figures": "Figures",
    "generated/from/contributing": "Contributing",
    "generated/from/architecture": "Architecture",
}


def other_pages() -> list[str]:
    """Pages that stand nowhere above."""
    known = {name for names in CONTENTS.values() for name in names} | {"index"}
    found = [path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.glob("*.md")]
    found += [path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.glob("howto/*.md")]
    return sorted(set(found) - known)


CONTENTS["howto/index"] += other_pages()


def borrow() -> dict[Path, str]:
    """Copy the pages that live outside this folder into it; return where each one is now, as a document's name."""
    sources = {name: ROOT / f"{name.upper()}.md" for name in ("contributing", "architecture", "changelog")}
    sources |= {path.stem: path for path in sorted((ROOT / "benchmarks" / "results").glob("*.md"))}
    shutil.rmtree(BORROWED, ignore_errors=True)
    BORROWED.mkdir(parents=True)
    for name, path in sources.items():
        text = path.read_text(encoding="utf-8")
        title = "" if text.startswith("# ") else f"# {name}\n\n"
        (BORROWED / f"{name}.md").write_text(title + text, encoding="utf-8")
    return {path.resolve(): f"generated/from/{name}" for name, path in sources.items()}


def font() -> None:
    """Put the font of the formulas among the files of the site: not every reader has one with large signs."""
    (DOCS / "generated" / "fonts").mkdir(parents=True, exist_ok=True)
    with as_file(files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf") as path:
        shutil.copy(path, DOCS / "generated" / "fonts")


def forget() -> None:
    """Remove pages made earlier of names and examples that are no more."""
    named = set(
        re.findall(
            r"^   (tamis\.[\w.]+)$", (DOCS / "api.rst").read_text(encoding="utf-8"), flags=re.MULTILINE
        )
    )
    examples = {path.stem for path in (DOCS / "examples").glob("*.py")} | {"index"}
    for folder, kept in (("api", named), ("gallery", examples)):
        for path in (DOCS / "generated" / folder).glob("*.rst"):
            if path.stem not in kept:
                path.unlink()


font()
forget()
BORROWED_FROM = borrow()
HOME = {name: path.parent for path, name in BORROWED_FROM.items()}
LINK = re.compile(r"\]\((?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)")
NAMED = re.compile(r"(?<!\[)`((?:benchmarks|docs)/[\w/]+\.(?:py|md|json))`(?!\])")


def source_read(app: Any, document: str, source: list[str]) -> None:
    """Turn links to borrowed pages, and names of files, into links of the site; append the contents."""
    here = DOCS / Path(document).parent
    home = HOME.get(document, here)

    def relative(path: Path) -> str:
        return Path(os.path.relpath(path, here)).as_posix()

    def link(match: re.Match[str]) -> str:
        target = (home / match[1]).resolve()
        anchor = match[2] or ""
        if target.parent == DOCS / "examples":
            page = "index" if target.stem == "README" else target.stem
            return f"]({relative(DOCS / 'generated' / 'gallery' / page)}.rst)"
        if target in BORROWED_FROM:
            return f"]({relative(DOCS / (BORROWED_FROM[target] + '.md'))}{anchor})"
        return f"]({relative(target)}{anchor})" if target.exists() else match[0]

    def named(match: re.Match[str]) -> str:
        return (
            f"[`{match[1]}`]({os.path.relpath(ROOT / match[1], home)})"
            if (ROOT / match[1]).is_file()
            else match[0]
        )

    if (
        not document.startswith(("generated/gallery", "generated/api"))
        and (DOCS / f"{document}.md").is_file()
    ):
        source[0] = LINK.sub(link, NAMED.sub(named, source[0]))
    classes = [name for name, page in PAGES_OF_NAMES.items() if page == document]
    if classes:
        source[0] += "\n\n## API\n\n" + ", ".join(f"{{py:obj}}`tamis.{name}`" for name in classes) + "\n"
    if document == "papers":
        source[0] += verdicts()
    below = [
        name
        for name in CONTENTS.get(document, ())
        if name.startswith("generated/gallery")
        or any((DOCS / f"{name}{ending}").is_file() for ending in (".md", ".rst"))
    ]
    if below:
        entries = "\n".join(f"{SHORT[name]} </{name}>" if name in SHORT else f"/{name}" for name in below)
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"


def verdicts() -> str:
    """A table of how many of each paper's claims hold, counted on the papers' pages."""
    words = ("holds", "does not hold", "cannot be told")
    lines = ["\n\n| claims | " + " | ".join(words) + " |", "| --- |" + " --- |" * len(words)]
    for name in PAPER_PAGES:
        text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        title = text.partition("\n")[0].removeprefix("# ")
        counts = (str(text.count(f"| **{word}** |")) for word in words)
        lines.append(f"| [{title}]({name}.md) | " + " | ".join(counts) + " |")
    return "\n".join(lines) + "\n"


def mathml(latex: str, display: str) -> str:
    """The formula as MathML, which browsers draw without a script."""
    return str(convert(latex, display=display)).replace(
        "<mi>:</mi>", '<mo lspace="0.28em" rspace="0.28em">:</mo>'
    )


def visit_math(writer: Any, node: Any) -> None:
    """Write a formula inside a sentence."""
    writer.body.append(f'<span class="math">{mathml(node.astext(), "inline")}</span>')
    raise _skip()


def visit_math_block(writer: Any, node: Any) -> None:
    """Write a formula on a line of its own."""
    writer.body.append(
        f'<div class="math" title="{escape(node.astext())}">{mathml(node.astext(), "block")}</div>'
    )
    raise _skip()


def _skip() -> Exception:
    from docutils.nodes import SkipNode

    return SkipNode()


def skip_member(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn and Python give to every class."""
    function = getattr(member, "__func__", getattr(member, "fget", None) or member)
    module = getattr(function, "__module__", None) or ""
    return True if what == "class" and not module.startswith("tamis") else None


WORD = re.compile(r"(?<![\w`*\\])(\w*[A-Za-z0-9])_(?![\w`*])")
INITIAL = re.compile(r"^(\s*)([A-Z])\. ")  # of an author, not a numbered list


def plain_words(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain words: ``|R|`` and ``n_features_`` are no marks of reStructuredText."""
    for place, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...", "..", ":")):
            parts = line.replace("``tamis: ``", "``tamis:``").split("``")
            parts[::2] = [WORD.sub(r"\1\_", part).replace("|", r"\|") for part in parts[::2]]
            lines[place] = INITIAL.sub(r"\1\2\\. ", "``".join(parts))


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", plain_words, priority=900)
    app.connect("source-read", source_read)
    app.connect("autodoc-skip-member", skip_member)
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
