"""The benchmarks of every package, run or read from their results, as one page of ratios to references."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from workspace import ROOT, read_workspace

PAGE: Final = Path("docs/benchmarks.md")
_RUN: Final = Path("benchmarks/run.py")
_RESULTS: Final = Path("benchmarks/results")
_INTRO: Final = """\
# Benchmarks

Each line is a ratio to a reference that is measured in the same run, in turns with ours: medians over the rounds, and
in brackets the smallest and the largest ratio. Times are those of one machine; ratios say more. A goal is the largest
ratio that is allowed (`1.05x`), the most on top of the reference (`+30 us`), the most for one thing (`2 us each`), or
how many times as long as ours the public peer must take (`gain 1.4x`). To measure on a machine of your own:
`uv run python tools/benchmarks.py`.
"""


@dataclass(frozen=True)
class Family:
    """What one run of one family of a package came to, as its JSON says it."""

    package: str
    name: str
    told: dict[str, Any]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What was measured."""
        found: list[dict[str, Any]] = self.told["lines"]
        return found

    @property
    def grown(self) -> bool:
        """Whether its lines are sizes and times, not ratios."""
        return self.name == "growth"


def measured(root: Path = ROOT) -> list[tuple[str, Path]]:
    """Return the packages that have benchmarks, with their folders."""
    packages = read_workspace(root).values()
    return [(each.name, root / each.folder) for each in packages if (root / each.folder / _RUN).is_file()]


def run(folder: Path, results: Path, *, quick: bool) -> int:
    """Measure one package, its tables on stderr, its JSON in `results`; return the exit status."""
    command = [sys.executable, str(folder / _RUN), "--results", str(results), *(["--quick"] if quick else [])]
    return subprocess.run(command, cwd=ROOT, check=False, stdout=sys.stderr).returncode


def read(package: str, results: Path) -> list[Family]:
    """Return what the JSON files of a folder tell of a package, by their names; growth comes last.

    Raises
    ------
    ValueError
        A file holds no results.
    """
    found = []
    for path in sorted(results.glob("*.json"), key=lambda path: (path.stem == "growth", path.stem)):
        told = json.loads(path.read_text(encoding="utf-8"))
        right = isinstance(told, dict) and isinstance(told.get("lines"), list)
        if not right:
            raise ValueError(f"{path} holds no list of lines; run {package}/{_RUN} again")
        found.append(Family(package, path.stem, told))
    return found


def page(families: Sequence[Family]) -> str:
    """Return the page."""
    asked = [line["met"] for family in families if not family.grown for line in family.lines if line["met"] is not None]
    count = f"{sum(asked)} of {len(asked)} goals are met."
    if any(family.told.get("quick") for family in families):
        count = "Some sizes are small, which show only that it runs: whether a goal is met says nothing there."
    lines = [_INTRO, count, "", *_environments(families), ""]
    head = ("package", "what", "reference", "ours", "ratio", "goal", "met")
    lines += _table(head, [row for family in families if not family.grown for row in _rows(family)])
    notes = dict.fromkeys(note for family in families for line in family.lines for note in line.get("notes", ()))
    lines += ["", *(f"- {_cell(note)}" for note in notes)] if notes else []
    if grown := [row for family in families if family.grown for row in _growths(family)]:
        lines += ["", "## Cost as work grows", "", "An exponent of 1: twice the work takes twice the time.", ""]
        lines += _table(("package", "what", "sizes", "times", "exponent"), grown)
    return "\n".join(lines) + "\n"


def amount(value: float, unit: str) -> str:
    """Return a time in seconds or a number of bytes with the unit that suits it.

    Examples
    --------
    >>> amount(0.00026, "s"), amount(83032320, "bytes"), amount(4478, "bytes")
    ('260 us', '79.2 MiB', '4.37 KiB')
    """
    steps = ((1, "s"), (1e-3, "ms"), (1e-6, "us")) if unit == "s" else ((2**20, "MiB"), (2**10, "KiB"))
    for scale, name in steps:
        if value >= scale:
            return f"{value / scale:.3g} {name}"
    return f"{value / 1e-9:.3g} ns" if unit == "s" else f"{value:g} bytes"


def _environments(families: Sequence[Family]) -> list[str]:
    """Return a line per package: what it was measured with, the peer, and whether a run was a short one."""
    told: dict[str, list[Family]] = {}
    for family in families:
        told.setdefault(family.package, []).append(family)
    found = []
    for package, runs in told.items():
        says = dict.fromkeys(run.told["environment"] for run in runs)
        says |= dict.fromkeys(run.told["peer"] for run in runs if run.told["peer"].startswith("peer: "))
        text = f"- {package}: {_cell('; '.join(says))}"
        if any(run.told.get("quick") for run in runs):
            text += "; **small sizes and few rounds**"
        found.append(text)
    return found


def _rows(family: Family) -> Iterator[tuple[str, ...]]:
    for line in family.lines:
        ratio = f"{line['ratio']:.2f}x ({line['low']:.2f}-{line['high']:.2f})"
        if line.get("gain") is not None:
            ratio += f", gain {line['gain']:.2f}x"
        if line.get("item_us") is not None:
            ratio += f", {line['item_us']:.2f} us each"
        yield (
            family.package,
            line["name"],
            f"{line['says']}: {amount(line['reference'], line['unit'])}",
            amount(line["ours"], line["unit"]),
            ratio,
            line["goal"],
            {True: "yes", False: "**no**", None: "-"}[line["met"]],
        )


def _growths(family: Family) -> Iterator[tuple[str, ...]]:
    for line in family.lines:
        sizes = " / ".join(f"{size:g}" for size in line["sizes"])
        times = " / ".join(amount(value, "s") for value in line["seconds"])
        yield family.package, line["name"], sizes, times, f"{line['exponent']:.2f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    made = [head, ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows)]
    return [f"| {' | '.join(row)} |" for row in made]


def _cell(text: str) -> str:
    """Return text of one line in which markdown finds nothing to do."""
    for mark in ("\\", "|", "*", "_", "<", "["):
        text = text.replace(mark, f"\\{mark}") if text != "**no**" else text
    return " ".join(text.split())


def gather(names: Sequence[str], *, quick: bool, measure: bool) -> tuple[list[Family], list[str]]:
    """Return what was found of each package, and what went wrong; a short run leaves the results there are alone."""
    families, wrong = [], []
    for name, folder in measured():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory(prefix="benchmarks-") as short:
            results = Path(short) if quick and measure else folder / _RESULTS
            status = run(folder, results, quick=quick) if measure else 0
            if status:
                wrong.append(f"{name}: {_RUN} ended with {status}")
            found = read(name, results)
        if not found:
            wrong.append(f"{name} has no results; measure without --no-run")
        families += found
    return families, wrong


def main() -> int:
    """Print the page, or write it."""
    known = [name for name, _ in measured()]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=f"any of {', '.join(known)}; all if none")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds, no peer: to see that it runs")
    parser.add_argument("--no-run", action="store_true", help="read the results there are, and measure nothing")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE} in place of printing it")
    asked = parser.parse_args()
    if unknown := sorted(set(asked.packages) - set(known)):
        parser.error(f"there is no {', '.join(unknown)}; choose from {', '.join(known)}")
    if asked.quick and asked.no_run:
        parser.error("--quick says how to measure, --no-run that nothing is measured; leave one out")
    families, wrong = gather(asked.packages, quick=asked.quick, measure=not asked.no_run)
    if wrong:
        print(*wrong, sep="\n", file=sys.stderr)
    if families and asked.write and not wrong:
        (ROOT / PAGE).write_text(page(families), encoding="utf-8")
    elif families:
        print(page(families), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
