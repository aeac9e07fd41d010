"""Whether every CHANGELOG.md keeps the rules: dated entries, newest first, and one that is not released at the top."""

from __future__ import annotations

import re
import sys
from datetime import date
from itertools import pairwise
from typing import Final

from workspace import ROOT, read_workspace

_HEADING: Final = re.compile(r"^## (?P<version>\S+)(?P<end>.*)$", re.M)
_DATED: Final = re.compile(r" \((\d{4})-(\d{2})-(\d{2})\)")
_VERSION: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:(a|b|rc)(\d+))?")
FINAL: Final = ("z", 0)
UNRELEASED: Final = " (unreleased)"

Key = tuple[int, int, int, tuple[str, int]]


def version_key(text: str) -> Key:
    """Return a key that sorts versions of the form 1.2.3, 1.2.3a1, 1.2.3b1 and 1.2.3rc1.

    Examples
    --------
    >>> sorted(["1.10.0", "1.9.0", "1.10.0rc1"], key=version_key)
    ['1.9.0', '1.10.0rc1', '1.10.0']
    """
    match = _VERSION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a version of the form 1.2.3, 1.2.3a1, 1.2.3b1 or 1.2.3rc1")
    major, minor, patch, stage, number = match.groups()
    return int(major), int(minor), int(patch), (stage, int(number)) if stage else FINAL


def entry(text: str, version: str) -> tuple[str, str] | None:
    r"""Return what follows the version in its heading, and the lines below it; None where there is no such heading.

    Examples
    --------
    >>> entry("# Changes\n\n## 0.1.0 (2026-01-31)\n\n- First version.\n", "0.1.0")
    (' (2026-01-31)', '- First version.')
    """
    for match in _HEADING.finditer(text):
        if match["version"] == version:
            following = _HEADING.search(text, match.end())
            return match["end"], text[match.end() : following.start() if following else None].strip()
    return None


def parse_date(end: str) -> date | None:
    """Return the date at the end of a heading, `` (2026-01-31)``; None for anything else, a 31st of February too."""
    match = _DATED.fullmatch(end)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def check_entry(text: str, version: str) -> list[str]:
    """Return what is wrong with the entry of a `version` that is released: its heading has a date, and lines below."""
    found = entry(text, version)
    if found is None:
        return [f"CHANGELOG.md has no heading '## {version} (YYYY-MM-DD)'; add the entry of this version"]
    end, body = found
    problems = []
    if parse_date(end) is None:
        problems.append(f"the heading of {version} in CHANGELOG.md ends in {end!r}; write ' (YYYY-MM-DD)'")
    if not body:
        problems.append(f"the entry of {version} in CHANGELOG.md is empty; say what changed")
    return problems


def check_changelog(text: str, version: str) -> list[str]:
    """Return what is wrong with a whole CHANGELOG.md, of a package whose pyproject.toml says `version`.

    The newest entry comes first and is that of `version`; it alone may be unreleased, the others have dates.
    """
    headings = [(match["version"], match["end"]) for match in _HEADING.finditer(text)]
    if not headings:
        return [f"CHANGELOG.md has no heading '## {version}{UNRELEASED}'; add the entry of this version"]
    problems = []
    if headings[0][0] != version:
        problems.append(f"the first entry of CHANGELOG.md is of {headings[0][0]}, and the version is {version}")
    for position, (name, end) in enumerate(headings):
        if _VERSION.fullmatch(name) is None:
            problems.append(f"{name!r} in CHANGELOG.md is no version of the form 1.2.3, 1.2.3a1, 1.2.3b1 or 1.2.3rc1")
        elif position or end != UNRELEASED:
            problems += check_entry(text, name)
        elif not entry(text, name)[1]:  # type: ignore[index]  # its heading has just been found
            problems.append(f"the entry of {name} in CHANGELOG.md is empty; say what changed")
    return problems or _check_order(headings)


def _check_order(headings: list[tuple[str, str]]) -> list[str]:
    problems = []
    for (newer, end), (older, before) in pairwise(headings):
        if version_key(newer) <= version_key(older):
            problems.append(f"{newer} stands above {older} in CHANGELOG.md; the newest version comes first")
        dates = parse_date(end), parse_date(before)
        if dates[0] is not None and dates[1] is not None and dates[0] < dates[1]:
            problems.append(f"{newer} of {dates[0]} stands above {older} of {dates[1]} in CHANGELOG.md")
    return problems


def main() -> int:
    """Print what is wrong with the CHANGELOG.md of every package."""
    wrong = []
    for package in read_workspace().values():
        text = (ROOT / package.folder / "CHANGELOG.md").read_text(encoding="utf-8")
        wrong += [f"{package.folder}: {problem}" for problem in check_changelog(text, package.version)]
    if wrong:
        print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
