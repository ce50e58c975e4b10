"""The public names: lazy, sorted, documented, and known to the command line."""

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import tamis
from tamis._methods import METHODS, methods, of_class

INIT = Path(tamis.__file__)
NAMES = [name for name in tamis.__all__ if not name.startswith("__")]
CLASSES = [name for name in NAMES if inspect.isclass(getattr(tamis, name))]
PACKAGES = ("tamis", "tamis.datasets", "tamis.report", "tamis.study", "tamis.table")
HEAVY = ("sklearn", "numba", "pyarrow", "polars", "pandas", "scipy", "numpy", "narwhals", "rich", "typer")


def modules_after(code):
    """The modules that a fresh Python holds after running `code`."""
    script = f"import sys\n{code}\nprint(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(answer.stdout.split())


def stub_of(package):
    """Name and home of everything that the stub of a package imports, as a type checker reads it."""
    stub = Path(importlib.import_module(package).__file__).with_name("__init__.pyi")
    lines = ast.parse(stub.read_text(encoding="utf-8")).body
    assert all(isinstance(line, ast.ImportFrom) and line.level == 0 for line in lines)
    named = [(alias.name, alias.asname, line.module) for line in lines for alias in line.names]
    assert all(name == shown for name, shown, _ in named)  # `as` is what makes a name public in a stub
    return {name: home for name, _, home in named}


HOMES = stub_of("tamis")


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_are_those_of_the_stub(package):
    """A package has the names of its stub, sorted, each the thing that the stub imports; dir() shows them."""
    module, homes = importlib.import_module(package), stub_of(package)
    assert module.__all__ == sorted(homes)
    for name, home in homes.items():
        assert getattr(module, name) is getattr(importlib.import_module(home), name)
    assert set(homes) <= set(dir(module))
    assert {"__all__", "__doc__"} <= set(dir(module))


def test_every_stub_is_read():
    """No package has a stub beside names that are written elsewhere."""
    root = INIT.parent
    stubs = [path.parent.relative_to(root.parent) for path in root.rglob("*.pyi")]
    assert sorted(".".join(path.parts) for path in stubs) == sorted(PACKAGES)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_comes_from_its_home(name):
    """A public name is defined in the module that the stub gives."""
    assert getattr(tamis, name).__module__ == HOMES[name]


def test_an_unknown_name_is_an_attribute_error():
    """A name that a package does not have is an AttributeError that repeats it."""
    for package in PACKAGES:
        with pytest.raises(AttributeError, match=f"{package!r} has no attribute 'NoSuchMethod'"):
            importlib.import_module(package).NoSuchMethod  # noqa: B018


def test_import_loads_nothing_heavy():
    """``import tamis`` loads no library but the standard one."""
    assert not modules_after("import tamis") & set(HEAVY)


def test_the_command_line_loads_nothing_heavy_before_it_works():
    """Importing the command line loads typer, and no numeric library."""
    loaded = modules_after("import tamis.cli, tamis._methods")
    assert not loaded & (set(HEAVY) - {"typer", "rich"})


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_documented(name):
    """Every public name says what it is, what it takes, and shows an example."""
    text = inspect.getdoc(getattr(tamis, name)) or ""
    assert "Parameters\n----------" in text
    assert "Examples\n--------" in text


@pytest.mark.parametrize("name", CLASSES)
def test_every_parameter_is_documented_in_order(name):
    """The Parameters section of a class names its parameters, all of them, in the signature's order."""
    cls = getattr(tamis, name)
    text = inspect.getdoc(cls).partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    documented = [
        word.strip()
        for line in text.splitlines()
        if " : " in line and not line.startswith(" ")
        for word in line.partition(" : ")[0].split(",")
    ]
    assert documented == list(inspect.signature(cls).parameters)


@pytest.mark.parametrize("name", CLASSES)
def test_public_methods_are_documented(name):
    """Every public method that the class itself adds has a docstring."""
    cls = getattr(tamis, name)
    own = [
        member
        for member, value in inspect.getmembers(cls, inspect.isfunction)
        if not member.startswith("_") and value.__module__.startswith("tamis.")
    ]
    assert not [member for member in own if not inspect.getdoc(getattr(cls, member))]


@pytest.mark.parametrize("name", NAMES)
def test_examples_run(name):
    """The examples of a public name print what they say they print."""
    found = doctest.DocTestFinder().find(getattr(tamis, name), name)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for example in found:
        runner.run(example)
    assert runner.tries > 0
    assert runner.failures == 0


def test_method_names_are_unique_and_typeable():
    """A method's name is lower case with hyphens, and belongs to one method."""
    names = [method.name for method in METHODS]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").isalnum() and name == name.lower() for name in names)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_method_is_a_public_class_with_valid_settings(method):
    """A method of the command line names a public class, and its presets are parameters with allowed values."""
    assert method.estimator in tamis.__all__
    cls = method.estimator_class()
    assert set(method.settings) <= set(inspect.signature(cls).parameters)
    cls(**method.settings)._validate_params()
    assert hasattr(cls, "fit_resample") == (method.sifts == "rows")
    assert method.summary.endswith(".")


def test_every_selector_is_a_method():
    """Every public column or row selector can be named on the command line; what only scores has a command of its own."""
    rooms = ("tamis.features.", "tamis.prototypes.")
    selectors = {
        name
        for name, cls in ((name, getattr(tamis, name)) for name in CLASSES)
        if HOMES[name].startswith(rooms) and not hasattr(cls, "predict")
    }
    scorers = {"RowValues", "PSBoostWeights"}  # tamis rank-rows
    assert selectors - scorers <= {method.estimator for method in METHODS}


def test_methods_of_one_class_say_the_same_of_it():
    """What a method says of its class, the other methods of that class say too."""
    for method in METHODS:
        first = of_class(method.estimator)
        for fact in ("sifts", "searches", "compiles_long", "reads_parts"):
            assert getattr(method, fact) == getattr(first, fact)


def test_methods_are_listed_by_what_they_sift():
    """Every method is listed once, under columns or under rows."""
    assert [*methods("columns"), *methods("rows")] == sorted(METHODS, key=lambda method: method.sifts)
    assert methods() == list(METHODS)


@pytest.mark.parametrize("package", ["tamis", "tamis.study", "tamis.report", "tamis.table"])
def test_dir_lists_the_public_names(package):
    """dir() has every public name and nothing else that a user would try."""
    module = importlib.import_module(package)
    assert set(module.__all__) <= set(dir(module))
    assert "public_names" not in dir(module)
