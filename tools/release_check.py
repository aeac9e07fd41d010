"""Whether a tag ``<dist>-v<version>`` may be released: tag, version, changelog and sibling ranges must agree."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from changelogs import FINAL, Key, check_changelog, check_entry, version_key
from workspace import ROOT, Package, Requirement, read_workspace

_TAG: Final = re.compile(r"(?P<dist>[a-z0-9][a-z0-9-]*)-v(?P<version>\d.*)")
_VERSION: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:(a|b|rc)(\d+))?")
_BOUND: Final = re.compile(r"(>=|<)(\d+(?:\.\d+){0,2})")


def bounds(spec: str) -> tuple[Key, Key] | None:
    """Return the ends of a range ``>=LOWER,<UPPER``; None for a specifier of any other form."""
    ends = {}
    for part in spec.split(","):
        match = _BOUND.fullmatch(part)
        if match is None or match[1] in ends:
            return None
        major, minor, patch = (*(int(number) for number in match[2].split(".")), 0, 0)[:3]
        # 0.2.0rc1 is not below 0.2 for a sibling that must not see 0.2: the upper end is before every 0.2.0 stage.
        ends[match[1]] = (major, minor, patch, FINAL if match[1] == ">=" else ("", 0))
    return (ends[">="], ends["<"]) if len(ends) == 2 else None


def check_sibling(package: Package, need: Requirement, sibling: Package, tags: Collection[str]) -> list[str]:
    """Return what is wrong with the range in which `package` takes a package of this workspace."""
    what = f"{package.folder}/pyproject.toml takes {need.name}{need.spec}"
    if sibling.private:
        return [f"{what}, which is never uploaded; move it to a dependency group"]
    span = bounds(need.spec)
    if span is None:
        return [f"{what}; write a published range, such as {need.name}>=0.1,<0.2"]
    problems = []
    if not span[0] <= version_key(sibling.version) < span[1]:
        problems.append(
            f"{what}, but the workspace holds {sibling.version}, which its tests ran against; widen the range"
        )
    versions = [tag.removeprefix(f"{need.name}-v") for tag in tags if tag.startswith(f"{need.name}-v")]
    keys = [version_key(version) for version in versions if _VERSION.fullmatch(version)]
    if not any(span[0] <= key < span[1] for key in keys):
        problems.append(f"{what}, but no tag {need.name}-v… lies in that range; release {need.name} first")
    return problems


def check(root: Path, tag: str, packages: Mapping[str, Package], tags: Collection[str]) -> list[str]:
    """Return every reason why `tag` cannot be released; none means it can. `tags` are those of the repository."""
    match = _TAG.fullmatch(tag)
    if match is None or not _VERSION.fullmatch(match["version"]):
        return [f"{tag!r} is not of the form <dist>-v<version>, such as worldarray-core-v0.1.0"]
    package = packages.get(match["dist"])
    if package is None:
        return [f"{match['dist']!r} is no package of this workspace; it holds {', '.join(packages)}"]
    problems = []
    if package.private:
        problems.append(f"{package.name} is classified 'Private :: Do Not Upload'")
    if package.version != match["version"]:
        problems.append(f"the tag says {match['version']}, {package.folder}/pyproject.toml says {package.version}")
    changelog = root / package.folder / "CHANGELOG.md"
    if changelog.is_file():
        text = changelog.read_text(encoding="utf-8")
        problems += check_entry(text, match["version"]) or check_changelog(text, match["version"])
    else:
        problems.append(f"{package.folder}/CHANGELOG.md is missing")
    for need in (*package.dependencies, *package.extras):
        if need.spec.startswith("@"):
            problems.append(f"{package.folder}/pyproject.toml takes {need.name} from an address; name a range")
        elif need.name in packages:
            problems += check_sibling(package, need, packages[need.name], tags)
    return problems


def main() -> int:
    """Print every reason why the tag cannot be released, or ``package=…`` and ``folder=…`` for the workflow."""
    parser = argparse.ArgumentParser(description="Whether a tag may be released.")
    parser.add_argument("tag", help="<dist>-v<version>")
    tag = parser.parse_args().tag
    command = ["git", "tag", "--list"]
    tags = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    packages = read_workspace()
    problems = check(ROOT, tag, packages, tags)
    if problems:
        print(f"{tag} cannot be released:", *problems, sep="\n- ", file=sys.stderr)
        return 1
    package = packages[tag.rpartition("-v")[0]]
    lines = f"package={package.name}\nfolder={package.folder}\n"
    print(lines, end="")
    if output := os.environ.get("GITHUB_OUTPUT"):
        with Path(output).open("a", encoding="utf-8") as stream:
            stream.write(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
