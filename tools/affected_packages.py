"""What a change has to build and test: changed files in, packages and a test matrix out, as JSON."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from workspace import Package, dependants, read_workspace

PYTHONS: Final = ("3.10", "3.11", "3.12", "3.13")
RESOLUTIONS: Final = ("highest", "lowest-direct")

# Changing one of these can change what any package does in CI. Every other file outside the packages is prose.
SHARED: Final = ("pyproject.toml", ".ci/", ".github/", "tools/")
PROSE: Final = (".md", ".pre-commit-config.yaml", ".gitignore", "LICENSE")


def affected(packages: Mapping[str, Package], changed: Iterable[str]) -> list[str]:
    """Return the names of the packages that `changed` (paths from the root) can affect, in workspace order.

    A file of a package affects it and all that need it, the conformance cases among them. A shared file, or one that
    no rule names, affects every package; prose outside the packages affects none.
    """
    direct: set[str] = set()
    for path in changed:
        owners = [package.name for package in packages.values() if path.startswith(f"{package.folder}/")]
        if not owners and (path.startswith(SHARED) or not path.endswith(PROSE)):
            return list(packages)
        direct.update(owners)
    found = dependants(packages, direct)
    return [name for name in packages if name in found]


def matrix(packages: Mapping[str, Package], names: Iterable[str]) -> list[dict[str, str]]:
    """Return the test jobs of the packages that hold tests: package x Python x resolution."""
    return [
        {"package": name, "python": python, "resolution": resolution}
        for name in names
        if packages[name].has_tests
        for python in PYTHONS
        if _version(python) >= packages[name].python_floor
        for resolution in RESOLUTIONS
    ]


def _version(python: str) -> tuple[int, int]:
    major, minor = python.split(".")
    return int(major), int(minor)


def changed_files(base: str, root: Path) -> list[str]:
    """Return the paths that differ between HEAD and where it left `base`."""
    command = ["git", "diff", "--name-only", "--no-renames", f"{base}...HEAD"]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()


def main() -> None:
    """Print ``packages=[…]`` and ``matrix=[…]``, to the file that GITHUB_OUTPUT names when it is set."""
    parser = argparse.ArgumentParser(description="What a change has to build and test.")
    parser.add_argument("--base", default="", help="the commit to compare with; without it every package is affected")
    asked = parser.parse_args()
    packages = read_workspace()
    names = list(packages)
    if asked.base:
        names = affected(packages, changed_files(asked.base, Path.cwd()))
    lines = f"packages={json.dumps(names)}\nmatrix={json.dumps(matrix(packages, names))}\n"
    sys.stdout.write(lines)
    if output := os.environ.get("GITHUB_OUTPUT"):
        with Path(output).open("a", encoding="utf-8") as stream:
            stream.write(lines)


if __name__ == "__main__":
    main()
