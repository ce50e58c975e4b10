"""What is said of the project in several files is the same in all of them."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = PROJECT["dependency-groups"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def requirements(lines):
    """Name and requirement of each line of a list in pyproject.toml or a constraints file."""
    wanted = [Requirement(line) for line in lines if isinstance(line, str)]
    return {canonicalize_name(requirement.name): requirement for requirement in wanted}


def lower_bounds():
    """The oldest version that pyproject.toml allows of everything that a user or a test needs."""
    extras = PROJECT["project"]["optional-dependencies"].values()
    lines = [
        *PROJECT["project"]["dependencies"],
        *(line for extra in extras for line in extra),
        *GROUPS["test"],
    ]
    return {name: pin(requirement, ">=") for name, requirement in requirements(lines).items()}


def pin(requirement, operator):
    """The version of a requirement's only clause."""
    [clause] = requirement.specifier
    assert clause.operator == operator, f"{requirement} should have one {operator}"
    return Version(clause.version)


def workflow(name):
    """A workflow of the forge, read."""
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))


def tool(name):
    """The module of a file in tools/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def release_check():
    """The module tools/release_check.py."""
    return tool("release_check")


def test_the_oldest_versions_are_the_lower_bounds():
    """constraints/oldest.txt pins everything that users and tests need to the lowest version that is allowed.

    Behind a second comment follows what those need in turn.
    """
    text = (ROOT / "constraints" / "oldest.txt").read_text(encoding="utf-8")
    ours, _, needed = text.partition("\n# Of what these need")
    pins = [
        {name: pin(requirement, "==") for name, requirement in requirements(lines).items()}
        for lines in (
            [line for line in part.splitlines()[1:] if not line.startswith("#")] for part in (ours, needed)
        )
    ]
    assert pins[0] == lower_bounds()
    assert not pins[1].keys() & pins[0].keys()


def test_the_tools_that_check_are_pinned():
    """ruff, mypy and numpydoc are installed in one version, so that a check says the same tomorrow."""
    pinned = requirements(GROUPS["check"])
    assert set(pinned) == {"mypy", "numpydoc", "ruff"}
    assert all(pin(requirement, "==") for requirement in pinned.values())


def test_hooks_run_the_ruff_that_make_check_runs():
    """The hooks of .pre-commit-config.yaml install the ruff of the group check, and every hook has a version."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0][
        "hooks"
    ]
    installed = [
        requirements(hook["additional_dependencies"]) for hook in hooks if hook["language"] == "python"
    ]
    ruffs = {str(each["ruff"]) for each in installed if "ruff" in each}
    assert ruffs == {str(requirements(GROUPS["check"])["ruff"])}
    assert all(pin(requirement, "==") for each in installed for requirement in each.values())


def test_every_python_that_is_promised_is_tested():
    """Every Python of the classifiers is in the matrix of the tests, from the oldest on, at which the tools aim."""
    promised = [
        line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if "Python :: 3." in line
    ]
    matrix = workflow("tests.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    assert promised == PYTHONS[: len(promised)]
    assert SpecifierSet(PROJECT["project"]["requires-python"]) == SpecifierSet(f">={PYTHONS[0]}")
    assert PROJECT["tool"]["mypy"]["python_version"] == PYTHONS[0]
    assert PROJECT["tool"]["ruff"]["target-version"] == "py" + PYTHONS[0].replace(".", "")
    assert {(each["os"], each["python"]) for each in matrix["include"]} == {
        (os, "3.11") for os in matrix["os"]
    }


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_can_only_read_and_ends(path):
    """A workflow may read the repository and nothing else, and each of its jobs has an end."""
    read = workflow(path.name)
    assert read["permissions"] == {"contents": "read"}
    assert all(0 < job["timeout-minutes"] <= 180 for job in read["jobs"].values())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_fixed_code_and_commands_that_exist(path):
    """Actions are named by their commit; make's targets, groups and files that a workflow names are there."""
    text = path.read_text(encoding="utf-8")
    steps = [step for job in workflow(path.name)["jobs"].values() for step in job["steps"]]
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"]) for step in steps if "uses" in step)
    commands = "\n".join(step["run"] for step in steps if "run" in step)
    assert all(f"\n{target}:" in MAKEFILE for target in re.findall(r"\bmake ([\w-]+)", commands))
    assert all(group in GROUPS for group in re.findall(r"--group (\w+)", commands))
    assert all((ROOT / name).exists() for name in re.findall(r"\b(?:constraints|tools)/[\w.]+", text))


def test_make_installs_groups_that_exist():
    """Every stamp of the Makefile that is no rule of its own is a dependency group."""
    stamps = set(re.findall(r"\.venv/\.stamp-(\w+)", MAKEFILE))
    of_their_own = set(re.findall(r"^\.venv/\.stamp-(\w+):", MAKEFILE, re.MULTILINE))
    assert stamps - of_their_own <= set(GROUPS)


def test_make_help_names_targets_that_exist():
    """What ``make help`` lists can be made."""
    listed = re.findall(r'@echo "make ([\w-]+)', MAKEFILE)
    assert {"check", "coverage", "release-check", "test"} <= set(listed)
    assert all(f"\n{target}:" in MAKEFILE for target in listed)


CITATION = "cff-version: 1.2.0\nversion: 1.2.0\nlicense: BSD-3-Clause\n"
CHANGELOG = (
    "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-16\n\n- Faster.\n\n## [1.1.0] - 2026-10-01\n"
)


def test_this_version_can_be_built():
    """The version, the citation and the changelog of this tree agree."""
    module = release_check()
    version = module.version_of(module.read("src/tamis/_version.py"))
    module.check_version(version, module.read("CITATION.cff"), module.read("CHANGELOG.md"), "")


def test_a_release_is_tagged_dated_and_has_nothing_waiting():
    """A tag is accepted where version, citation and a dated newest section of the changelog are that release."""
    release_check().check_version("1.2.0", CITATION, CHANGELOG, "v1.2.0")


@pytest.mark.parametrize(
    ("version", "changelog", "tag", "sentence"),
    [
        ("1.3.0", CHANGELOG, "", "CITATION.cff has another version"),
        ("1.2.0", CHANGELOG.replace("1.2.0", "1.3.0"), "", "the version is still 1.2.0"),
        ("1.2.0", CHANGELOG.replace("1.1.0", "1.3.0"), "", "the newest first"),
        ("1.2.0", CHANGELOG.replace("## [Unreleased]\n", ""), "", "should begin with"),
        ("1.2.0", CHANGELOG, "1.2.0", "the tag should be v1.2.0"),
        ("1.2.0", CHANGELOG.replace(" - 2026-11-16", ""), "v1.2.0", "should have a section"),
        ("1.2.0", CHANGELOG.replace("## [1.2.0] - 2026-11-16\n", ""), "v1.2.0", "should have a section"),
        ("1.2.0", CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n- New.\n"), "v1.2.0", "move them to"),
    ],
)
def test_a_release_that_is_not_ready_is_refused(version, changelog, tag, sentence):
    """Versions that differ, sections that are missing, undated or out of order, and entries left over are refused."""
    module = release_check()
    with pytest.raises(module.NotReadyError, match=sentence):
        module.check_version(version, CITATION, changelog, tag)


def test_a_release_names_its_repository():
    """A tree without [project.urls] can be built, but not released."""
    module = release_check()
    module.check_urls('[project.urls]\nRepository = "https://example.org/tamis"\n')
    with pytest.raises(module.NotReadyError, match=r"no \[project.urls\] with a Repository"):
        module.check_urls('[project]\nname = "tamis"\n')


def test_the_index_gets_a_readme_with_absolute_links():
    """Relative links lead to the repository at the tag, pictures to their bytes; other links stay, and none is left relative."""
    module = tool("index_readme")
    text = "![a](docs/a.png) [b](docs/b.md) [c](https://example.org) [d](#d) `[e](f)`s"
    done = module.with_absolute_links(text, "https://example.org/tamis/", "v1.2.3")
    assert "![a](https://example.org/tamis/raw/v1.2.3/docs/a.png)" in done
    assert "[b](https://example.org/tamis/blob/v1.2.3/docs/b.md) [c](https://example.org) [d](#d)" in done
    readme = module.with_absolute_links(
        (ROOT / "README.md").read_text(encoding="utf-8"), "https://x.org/t", "v1"
    )
    links = re.findall(r"\]\(([^)]+)\)", readme)
    assert len(links) > 20
    assert all(link.startswith("https://") for link in links)


def test_the_build_sets_the_readme(tmp_path):
    """With an address the field has absolute links; without one it is the file."""
    module = tool("index_readme")
    hook = module.IndexReadme.__new__(module.IndexReadme)
    (tmp_path / "src/tamis").mkdir(parents=True)
    (tmp_path / "src/tamis/_version.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "README.md").write_text("[b](docs/b.md)")
    type(hook).root = str(tmp_path)
    for urls, told in (
        ({}, "[b](docs/b.md)"),
        ({"Repository": "https://x.org"}, "[b](https://x.org/blob/v1.2.3/docs/b.md)"),
    ):
        metadata = {"urls": urls}
        hook.update(metadata)
        assert metadata["readme"] == {"content-type": "text/markdown", "text": told}
