"""The packages of this workspace, read from their pyproject.toml files."""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]

_REQUIREMENT: Final = re.compile(r"\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^]]*\])?\s*(?P<spec>[^;]*)")
_FLOOR: Final = re.compile(r">=\s*3\.(\d+)")


@dataclass(frozen=True)
class Requirement:
    """A declared dependency: the normalised name and the specifier without marker (``>=0.1,<0.2``)."""

    name: str
    spec: str


@dataclass(frozen=True)
class Package:
    """One member of the workspace; `folder` is relative to the root, with forward slashes."""

    name: str
    version: str
    folder: str
    python_floor: tuple[int, int]
    dependencies: tuple[Requirement, ...]
    test_dependencies: tuple[Requirement, ...]
    private: bool
    has_code: bool
    has_tests: bool
    extras: tuple[Requirement, ...] = ()
    """What its extras need, all of them together."""


def normalise(name: str) -> str:
    """Return the name of a distribution as indexes spell it.

    Examples
    --------
    >>> normalise("Maml_Parquet")
    'maml-parquet'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def parse_requirement(text: str) -> Requirement:
    """Return the name and the specifier of a dependency, extras and marker left out.

    Examples
    --------
    >>> parse_requirement("worldarray-core [all] >=0.1, <0.2 ; python_version < '3.11'")
    Requirement(name='worldarray-core', spec='>=0.1,<0.2')
    """
    match = _REQUIREMENT.match(text)
    if match is None:
        raise ValueError(f"{text!r} is no requirement")
    return Requirement(normalise(match["name"]), re.sub(r"\s+", "", match["spec"]))


def read_toml(path: Path) -> dict[str, Any]:
    """Return the document of a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def read_package(root: Path, folder: str) -> Package:
    """Return what `folder`/pyproject.toml says of a package."""
    document = read_toml(root / folder / "pyproject.toml")
    project = document["project"]
    groups = document.get("dependency-groups", {})
    extras = project.get("optional-dependencies", {}).values()
    floor = _FLOOR.search(project.get("requires-python", ""))
    return Package(
        name=normalise(project["name"]),
        version=project["version"],
        folder=folder,
        python_floor=(3, int(floor[1]) if floor else 0),
        dependencies=tuple(parse_requirement(text) for text in project.get("dependencies", [])),
        test_dependencies=tuple(parse_requirement(text) for text in groups.get("test", []) if isinstance(text, str)),
        private="Private :: Do Not Upload" in project.get("classifiers", []),
        has_code=_any(root / folder, "src/*/__init__.py", "python/*/__init__.py"),
        has_tests=_any(root / folder, "tests/test_*.py", "python/tests/test_*.py"),
        extras=tuple(parse_requirement(text) for texts in extras for text in texts),
    )


def _any(folder: Path, *patterns: str) -> bool:
    return any(path for pattern in patterns for path in folder.glob(pattern))


def read_workspace(root: Path = ROOT) -> dict[str, Package]:
    """Return the members of the workspace by name, in the order the root pyproject.toml lists them."""
    members = read_toml(root / "pyproject.toml")["tool"]["uv"]["workspace"]["members"]
    packages = (read_package(root, folder) for folder in members)
    return {package.name: package for package in packages}


def dependants(packages: Mapping[str, Package], names: Iterable[str]) -> set[str]:
    """Return `names` and every package that needs one of them, itself or its tests, at any distance."""
    found = set(names)
    while True:
        more = {
            package.name
            for package in packages.values()
            if package.name not in found
            and any(need.name in found for need in (*package.dependencies, *package.test_dependencies))
        }
        if not more:
            return found
        found |= more


def main() -> None:
    """Print the names of the packages, one a line."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--code", action="store_true", help="only those that hold code under src/")
    parser.add_argument("--tests", action="store_true", help="only those that hold tests")
    asked = parser.parse_args()
    for package in read_workspace().values():
        if (package.has_code or not asked.code) and (package.has_tests or not asked.tests):
            print(package.name)


if __name__ == "__main__":
    main()
