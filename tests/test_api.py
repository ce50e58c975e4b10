"""The public names: lazy, sorted, documented, and known to the command line."""

import ast
import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import tamis
from tamis._methods import METHODS, methods

INIT = Path(tamis.__file__)
NAMES = [name for name in tamis.__all__ if not name.startswith("__")]
CLASSES = [name for name in NAMES if inspect.isclass(getattr(tamis, name))]
HEAVY = ("sklearn", "numba", "pyarrow", "polars", "pandas", "scipy", "numpy", "narwhals", "rich", "typer")


def modules_after(code):
    """The modules that a fresh Python holds after running `code`."""
    script = f"import sys\n{code}\nprint(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(answer.stdout.split())


def imported_for_typing():
    """Name and home of everything imported under TYPE_CHECKING."""
    homes = {}
    for node in ast.parse(INIT.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            for line in node.body:
                homes.update({alias.name: line.module for alias in line.names})
    return homes


def test_public_names_are_sorted():
    """__all__ is sorted and names nothing twice."""
    assert tamis.__all__ == sorted(set(tamis.__all__))


def test_lazy_names_are_the_names_that_a_type_checker_sees():
    """The lazy table, the TYPE_CHECKING block and __all__ name the same things in the same places."""
    assert imported_for_typing() == tamis._HOME
    assert set(tamis._HOME) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_comes_from_its_home(name):
    """A public name is defined in the module that the lazy table gives, and dir() shows it."""
    assert getattr(tamis, name).__module__ == tamis._HOME[name]
    assert name in dir(tamis)


def test_an_unknown_name_is_an_attribute_error():
    """A name that tamis does not have is an AttributeError that repeats it."""
    with pytest.raises(AttributeError, match="'tamis' has no attribute 'NoSuchMethod'"):
        tamis.NoSuchMethod  # noqa: B018


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
    """Every public column or row selector can be named on the command line."""
    rooms = ("tamis.features.", "tamis.prototypes.")
    selectors = {
        name
        for name, cls in ((name, getattr(tamis, name)) for name in CLASSES)
        if tamis._HOME[name].startswith(rooms) and not hasattr(cls, "predict")
    }
    assert selectors <= {method.estimator for method in METHODS}


def test_methods_are_listed_by_what_they_sift():
    """Every method is listed once, under columns or under rows."""
    assert [*methods("columns"), *methods("rows")] == sorted(METHODS, key=lambda method: method.sifts)
    assert methods() == list(METHODS)
