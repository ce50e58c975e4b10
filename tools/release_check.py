"""Is this tree fit for a release? Builds it, checks it, installs it in an empty environment and uses it there.

Usage: ``python tools/release_check.py [--tag v1.2.3]`` (or ``make release-check``), with the group `release` installed.

1. The version, CITATION.cff and CHANGELOG.md agree; with a tag, the changelog's newest section is that release,
   and pyproject.toml names the public repository.
2. The source archive is built, and the wheel from the archive, so that the archive has all it takes.
3. ``twine check --strict`` reads their metadata, and the wheel holds the files of src/tamis, all of them and no others.
4. An empty environment gets the wheel and what it depends on; ``import tamis`` and ``tamis rank ionosphere --method sbs-mf`` run there.

The first thing that is wrong is printed in one sentence, and the exit code is 1. What was built stays in dist/.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
SECTION = re.compile(r"^## \[(?P<name>[^]]+)\](?: - (?P<date>\d{4}-\d\d-\d\d))?$", re.MULTILINE)


class NotReadyError(Exception):
    """Something keeps this tree from being released."""


def read(name: str) -> str:
    """The text of a file of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def version_of(source: str) -> str:
    """The version that a line ``__version__ = "1.2.3"`` gives."""
    return re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)[1]  # type: ignore[index]


def check_version(version: str, citation: str, changelog: str, tag: str) -> None:
    """Version, citation, changelog and tag agree, or NotReadyError says which does not."""
    if f"\nversion: {version}\n" not in citation:
        raise NotReadyError(
            f"CITATION.cff has another version than src/tamis/_version.py, which has {version}."
        )
    sections = [(found["name"], found["date"]) for found in SECTION.finditer(changelog)]
    released = [name for name, _ in sections if name != "Unreleased"]
    if sections[:1] != [("Unreleased", None)] or released != sorted(released, key=Version, reverse=True):
        raise NotReadyError(
            "CHANGELOG.md should begin with [Unreleased], and go on with releases, the newest first."
        )
    if released and Version(version) < Version(released[0]):
        raise NotReadyError(f"CHANGELOG.md has a release {released[0]}, but the version is still {version}.")
    if tag:
        check_tag(version, tag, sections, changelog)


def check_tag(version: str, tag: str, sections: list[tuple[str, str | None]], changelog: str) -> None:
    """The tag is the version, and the changelog has a dated section for it and nothing newer."""
    if tag != f"v{version}":
        raise NotReadyError(f"the tag is {tag}, but the version is {version}: the tag should be v{version}.")
    newest, date = sections[1] if len(sections) > 1 else ("none", None)
    if newest != version or date is None:
        raise NotReadyError(
            f"CHANGELOG.md should have a section '## [{version}] - <date>' below [Unreleased]."
        )
    waiting = changelog.partition("## [Unreleased]")[2].partition("\n## [")[0]
    if re.search(r"^- ", waiting, re.MULTILINE):
        raise NotReadyError(f"CHANGELOG.md has entries under [Unreleased]: move them to [{version}].")


def check_urls(pyproject: str) -> None:
    """A release says where its source is."""
    if not tomllib.loads(pyproject)["project"].get("urls", {}).get("Repository"):
        raise NotReadyError(
            "pyproject.toml has no [project.urls] with a Repository: name the public one there."
        )


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """What a command prints; NotReadyError with all that it said, where it fails."""
    print("$", *command, flush=True)
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(command, cwd=cwd, env=kept, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise NotReadyError(
            f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def built(version: str) -> tuple[Path, Path]:
    """The source archive and the wheel, made anew."""
    archive, wheel = DIST / f"tamis-{version}.tar.gz", DIST / f"tamis-{version}-py3-none-any.whl"
    for old in DIST.glob("tamis-*"):
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", DIST, ROOT)
    if sorted(DIST.glob("tamis-*")) != sorted([archive, wheel]):
        raise NotReadyError(f"dist/ should hold {archive.name} and {wheel.name}.")
    return archive, wheel


def check_contents(wheel: Path) -> None:
    """The wheel has every file of src/tamis that git knows, and no other."""
    inside = {
        name for name in zipfile.ZipFile(wheel).namelist() if not name.split("/")[0].endswith(".dist-info")
    }
    known = run("git", "ls-files", "src/tamis").splitlines()
    wanted = {name.removeprefix("src/") for name in known if (ROOT / name).exists()}
    if inside != wanted:
        lacks, has = sorted(wanted - inside)[:5], sorted(inside - wanted)[:5]
        raise NotReadyError(f"the wheel is not src/tamis: it lacks {lacks} and has besides {has}.")


def check_use(wheel: Path, version: str) -> None:
    """The wheel can be installed in an empty environment, imported and used, far from this repository."""
    with tempfile.TemporaryDirectory() as folder:
        away = Path(folder)
        venv.create(away / "empty", with_pip=True)
        scripts = away / "empty" / ("Scripts" if sys.platform == "win32" else "bin")
        python = scripts / "python"
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, cwd=away)
        run(python, "-m", "pip", "check", cwd=away)
        code = "import tamis; [getattr(tamis, name) for name in tamis.__all__]; print(tamis.__version__)"
        if run(python, "-c", code, cwd=away).strip() != version:
            raise NotReadyError(f"the installed tamis does not say that it is {version}.")
        ranked = run(scripts / "tamis", "rank", "ionosphere", "--method", "sbs-mf", cwd=away)
        if not ranked.strip():
            raise NotReadyError("tamis rank ionosphere printed nothing.")
        print(*ranked.splitlines()[:6], sep="\n")


def main() -> int:
    """Check everything; 1 and a sentence for the first thing that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tag", default="", help="the tag that is released, such as v1.2.3")
    tag = parser.parse_args().tag
    version = version_of(read("src/tamis/_version.py"))
    try:
        check_version(version, read("CITATION.cff"), read("CHANGELOG.md"), tag)
        if tag:
            check_urls(read("pyproject.toml"))
        archive, wheel = built(version)
        run(sys.executable, "-m", "twine", "check", "--strict", archive, wheel)
        check_contents(wheel)
        check_use(wheel, version)
    except NotReadyError as problem:
        print(f"release_check: {problem}", file=sys.stderr)
        return 1
    print(f"tamis {version} can be {'released as ' + tag if tag else 'built, installed and used'}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
