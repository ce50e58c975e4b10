"""Imports point one way: cli -> report, study, papers -> features, prototypes -> engines -> kernels."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "tamis"
BELOW = {
    *(
        "table",
        "datasets",
        "_callbacks",
        "_files",
        "_identity",
        "_interrupt",
        "_jit",
        "_linking",
        "_journal",
        "_memory",
        "_parameters",
    ),
    *("_probabilities", "_processes", "_progress", "_public", "_shared", "_threads", "_version"),
}
ENGINES = {"stumps", "votes", "neighbors", "evolution", "chains", "pairs", "decoys"}
SELECTORS = {"features", "prototypes"}

# What each room may import, itself aside. A new room is entered here before it is used.
MAY_IMPORT = {
    "_version": set(),
    "_files": {"_interrupt"},
    "_interrupt": set(),
    "_callbacks": set(),
    "_progress": {"_interrupt"},
    "_identity": {"_version"},
    "_parameters": set(),
    "_public": set(),  # loads the public names of other rooms when asked for
    "_jit": {"_linking", "_interrupt"},
    "_linking": set(),
    "_shared": set(),
    "_probabilities": set(),
    "_threads": set(),
    "_processes": {"_interrupt", "_parameters"},
    "_journal": {"_files", "_identity"},
    "_memory": {"_files", "_identity", "_progress", "table"},
    "table": {"_files", "_identity", "_jit", "_public", "_threads"},
    "datasets": {"table", "_public"},
    "stumps": {"pairs", "table", "_jit", "_memory", "_parameters", "_probabilities", "_threads"},
    "pairs": {"table", "_jit", "_threads"},
    "votes": {"neighbors", "table", "_jit", "_parameters", "_probabilities"},
    "neighbors": {"table", "_jit", "_parameters", "_threads"},
    "evolution": {"table", "_jit"},
    "chains": {"table", "_jit"},
    "decoys": {"table"},
    "features": ENGINES
    | {
        "table",
        "_callbacks",
        "_jit",
        "_memory",
        "_parameters",
        "_processes",
        "_progress",
        "_shared",
        "_threads",
    },
    "prototypes": ENGINES
    | {
        "table",
        "_callbacks",
        "_jit",
        "_memory",
        "_parameters",
        "_probabilities",
        "_processes",
        "_progress",
        "_shared",
        "_threads",
    },
    "spark": {"features", "table"},
    "study": SELECTORS | ENGINES | BELOW | {"_methods"},
    "papers": SELECTORS | ENGINES | BELOW | {"_methods", "study", "report"},
    "report": SELECTORS | ENGINES | BELOW | {"_methods", "study"},
    "_methods": set(),  # names classes; the public names are loaded when asked for
    "cli": SELECTORS | BELOW | {"_methods", "study", "papers", "report"},
    "__main__": {"_interrupt", "cli"},
}
PUBLIC = "tamis"  # `import tamis` itself, the lazy public names
MAY_USE_PUBLIC_NAMES = {"_methods", "cli", "study", "papers", "report"}

MODULES = sorted(SOURCE.rglob("*.py"))
KERNELS = [path for path in MODULES if path.parent.name == "_kernels" and path.stem != "__init__"]
TESTS = ROOT / "tests"
ORACLES = sorted((TESTS / "oracles").glob("*.py"))

# Tests of several rooms stand beside the rooms' folders, and are named for what they try.
OF_EVERY_ROOM = {
    *("api", "counters", "docs", "errors_estimators", "estimator_checks", "jit_cache", "jit_off", "layers"),
    *("project", "properties", "readme"),
}


def imports(path, *, deferred=True):
    """Dotted names of everything a file imports, type-checking imports included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = path.relative_to(SOURCE.parent).parent.parts if path.is_relative_to(SOURCE) else ()
    nodes = ast.walk(tree) if deferred else tree.body
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            stem = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (stem, node.module) if part)
            yield from (f"{module}.{alias.name}" for alias in node.names)


def room(path):
    """The room a file of ours lives in: a folder of tamis, or a module beside them."""
    inside = path.relative_to(SOURCE).with_suffix("")
    return inside.parts[0]


def rooms_imported(path):
    """The rooms of tamis a file imports; "tamis" stands for the public names."""
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "tamis":
            inner = parts[1] if len(parts) > 1 else ""
            known = (SOURCE / inner).is_dir() or (SOURCE / f"{inner}.py").is_file()
            yield inner if inner and known else PUBLIC


def named(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_a_room_imports_only_rooms_below_it(path):
    """A file imports its own room and the rooms that MAY_IMPORT gives it."""
    if path == SOURCE / "__init__.py":
        pytest.skip("the public names stand outside the rooms")
    here = room(path)
    assert here in MAY_IMPORT, f"say in MAY_IMPORT what the new room {here!r} may import"
    allowed = MAY_IMPORT[here] | {here} | ({PUBLIC} if here in MAY_USE_PUBLIC_NAMES else set())
    assert set(rooms_imported(path)) <= allowed


def test_nobody_imports_the_command_line():
    """Only ``python -m tamis`` and the command line itself import tamis.cli."""
    importers = {room(path) for path in MODULES if "cli" in rooms_imported(path)}
    assert importers <= {"cli", "__main__"}


def test_the_order_of_rooms_has_no_circle():
    """The table of permissions is itself one way: rooms can be put in an order."""
    waiting = dict(MAY_IMPORT)
    while waiting:
        free = {name for name, below in waiting.items() if not below & waiting.keys()}
        assert free, f"these rooms may import each other in a circle: {sorted(waiting)}"
        for name in free:
            del waiting[name]


@pytest.mark.parametrize("path", KERNELS, ids=named)
def test_a_kernel_file_imports_kernels_only(path):
    """A kernel file imports numpy, numba, our decorator and kernel files of any room: these count for the cache."""
    others = {name for name in imports(path) if name.split(".")[0] not in sys.stdlib_module_names}
    modules = {".".join(file.relative_to(SOURCE.parent).with_suffix("").parts) for file in KERNELS}
    allowed = {"numpy", "numba", "tamis._jit", *modules}
    assert {
        name for name in others if not allowed & {name, name.rpartition(".")[0], name.split(".")[0]}
    } == set()


@pytest.mark.parametrize("path", KERNELS, ids=named)
def test_a_kernel_file_has_a_test_of_its_own(path):
    """A failure names the phase: beside the tests of engines, every kernel file is tried directly."""
    test = TESTS / path.parent.parent.relative_to(SOURCE) / "kernels" / f"test_{path.stem}.py"
    assert test.exists()
    module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
    assert any(name == module or name.startswith(f"{module}.") for name in imports(test))


@pytest.mark.parametrize("path", ORACLES, ids=named)
def test_an_oracle_shares_no_code_with_what_it_checks(path):
    """An oracle imports numpy, the standard library and other oracles, never tamis."""
    roots = {name.split(".")[0] for name in imports(path) if not name.startswith("tests.oracles")}
    assert roots <= {"numpy"} | sys.stdlib_module_names


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.pyi")), ids=named)
def test_public_names_load_nothing_at_import(path):
    """A package whose names stand in a stub imports at run time what reads the stub, and no more."""
    assert set(imports(path.with_suffix(".py"))) == {"tamis._public.public_names"}
    assert all(name.split(".")[0] in sys.stdlib_module_names for name in imports(SOURCE / "_public.py"))


ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
TABLE_ROW = re.compile(r"^\| `([^`]+)` \| (.+) \|$", flags=re.MULTILINE)


def section(title):
    """What stands under a heading of ARCHITECTURE.md."""
    return ARCHITECTURE.split(f"## {title}\n")[1].split("\n## ")[0]


def test_the_list_of_rooms_is_true():
    """ARCHITECTURE.md names every folder of the package but those of kernels, and every module beside them."""
    rooms = {path.parent.relative_to(SOURCE).as_posix() for path in MODULES if path.parent.name != "_kernels"}
    text = section("The rooms")
    assert {name for name, _ in TABLE_ROW.findall(text)} == rooms - {"."}
    beside = {path.stem for path in SOURCE.glob("*.py")} - {"__init__"}
    assert beside <= set(re.findall(r"`(_\w+)`", text))


def test_the_table_of_imports_is_true():
    """ARCHITECTURE.md and MAY_IMPORT say the same of the rooms."""
    told = dict(TABLE_ROW.findall(section("Who may import whom")))
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert {name: set(re.findall(r"`(\w+)`", text)) for name, text in told.items()} == {
        name: MAY_IMPORT[name] & rooms for name in rooms
    }


def test_files_that_architecture_names_exist():
    """A path in ARCHITECTURE.md, and a file of a room, is there."""
    named = set(re.findall(r"`((?:\w+/)*\w+\.(?:py|pyi|md))`", ARCHITECTURE))
    places = [ROOT, SOURCE, *(path for path in SOURCE.rglob("*") if path.is_dir())]
    assert {name for name in named if not any((place / name).exists() for place in places)} == set()


def test_tests_lie_as_what_they_test():
    """A folder of tests has the name of the folder that it tests, and a room has its folder of tests."""
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")} - {"."}
    rooms = {path.parent.relative_to(SOURCE).as_posix() for path in MODULES}
    assert folders <= {room.replace("_kernels", "kernels") for room in rooms}
    assert {room.split("/")[0] for room in rooms} - {"."} <= folders


def test_a_test_beside_the_folders_is_of_a_module_or_of_every_room():
    """What tries one room lies in that room's folder of tests."""
    names = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")}
    assert names == OF_EVERY_ROOM | {name for name in names if (SOURCE / f"_{name}.py").exists()}
