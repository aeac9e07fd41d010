"""Who runs which op of the conformance suite, with how many cases, and whether any is run by no package."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import worldarray_conformance as conformance
from workspace import ROOT, read_workspace

COUNTS: Final = Path("conformance/counts.json")
TYPESCRIPT: Final = Path("conformance/typescript/ops")
_OP: Final = re.compile(r"\"([a-z]+(?:\.[a-z][a-z0-9_]*)+)\"")
_KEY: Final = re.compile(rf"{_OP.pattern}\s*:")
_CAPABILITIES: Final = re.compile(r"capabilities\s*=[^[{]*[\[{](?P<words>[^]}]*)[]}]")
_WORD: Final = re.compile(r"\"([a-z0-9]+)\"")

Cases = Mapping[str, Sequence[conformance.Case]]


@dataclass(frozen=True)
class Side:
    """One that runs the suite: a package, or the library in TypeScript."""

    name: str
    ops: frozenset[str]
    capabilities: frozenset[str]
    failing: int = 0
    """Its known failures."""

    def runs(self, op: str, cases: Cases) -> int:
        """Return how many required cases of an op it runs."""
        if op not in self.ops:
            return 0
        chosen, _ = conformance.select(cases.get(op, ()), self.capabilities)
        return sum(case.status == "required" for case in chosen)


def ops_run(folder: Path) -> frozenset[str]:
    """Return the ops that the tables in a package's ``tests/conformance_ops`` name."""
    files = sorted((folder / "tests" / "conformance_ops").glob("[!_]*.py"))
    return frozenset(op for path in files for op in _OP.findall(path.read_text(encoding="utf-8")))


def typescript_ops(folder: Path) -> frozenset[str]:
    """Return the ops that the tables of a folder of TypeScript answer, less those that its ``skipped.ts`` names."""
    named: dict[bool, set[str]] = {True: set(), False: set()}
    for path in sorted(folder.glob("*.ts")):
        named[path.name == "skipped.ts"].update(_KEY.findall(path.read_text(encoding="utf-8")))
    return frozenset(named[False] - named[True])


def capabilities(path: Path) -> frozenset[str]:
    """Return the words that a source file, Python or TypeScript, lists as its capabilities; none without a list."""
    found = _CAPABILITIES.search(path.read_text(encoding="utf-8")) if path.is_file() else None
    return frozenset(_WORD.findall(found["words"])) if found else frozenset()


def sides(root: Path, cases: Cases) -> list[Side]:
    """Return the packages that run an op, in workspace order, then the library in TypeScript."""
    found = []
    for name, package in read_workspace(root).items():
        tests = root / package.folder / "tests"
        failing = len(conformance.expected_failures(tests / "xfail.json", cases))
        found.append(Side(name, ops_run(tests.parent), capabilities(tests / "test_conformance.py"), failing))
    folder = root / TYPESCRIPT
    found.append(Side("TypeScript", typescript_ops(folder), capabilities(folder / "implementation.ts")))
    return [side for side in found if side.ops]


def count(cases: Cases) -> dict[str, int]:
    """Return how many required cases each op of the table has."""
    return {op: sum(case.status == "required" for case in cases.get(op, ())) for op in conformance.ops()}


def problems(counts: Mapping[str, int], before: Mapping[str, int], run: Mapping[str, frozenset[str]]) -> list[str]:
    """Return what is wrong: an op with cases that no package runs, and an op with fewer cases than `before`.

    Examples
    --------
    >>> problems({"units.parse": 2}, {"units.parse": 3}, {"core": frozenset()})
    ['units.parse: no package runs its 2 cases', 'units.parse: 2 cases, and there were 3']
    """
    found = []
    for op, cases in counts.items():
        if cases and not any(op in ops for ops in run.values()):
            found.append(f"{op}: no package runs its {cases} cases")
        if cases < before.get(op, 0):
            found.append(f"{op}: {cases} cases, and there were {before[op]}")
    gone = [f"{op}: it has left the table, and had {cases} cases" for op, cases in before.items() if op not in counts]
    return found + gone


def table(counts: Mapping[str, int], run: Mapping[str, frozenset[str]]) -> str:
    """Return a line per op: its cases, and the packages that run it."""
    width = max((len(op) for op in counts), default=0)
    lines = []
    for op, cases in counts.items():
        runners = ", ".join(name for name, ops in run.items() if op in ops) or "none"
        lines.append(f"{op:<{width}}  {cases:>4}  {runners}")
    return "\n".join([*lines, f"{'all':<{width}}  {sum(counts.values()):>4}"])


def markdown(cases: Cases, found: Sequence[Side]) -> str:
    """Return a page: who runs how much of the suite, then a table per family of ops."""
    counts = count(cases)
    families = list(dict.fromkeys(op.split(".")[0] for op in counts))
    lines = [
        "# Conformance",
        "",
        f"The suite has {sum(counts.values())} cases of {len(counts)} ops in {len(families)} families. A case is a"
        " question and its complete answer, worked out from the rule. Each implementation answers the cases of the"
        " families that it covers; what needs a capability that it lacks is left out of its number.",
        "",
        *_rows(["implementation", "families", "ops", "cases", "known failures"], [_summary(s, cases) for s in found]),
    ]
    for family in families:
        ops = [op for op in counts if op.split(".")[0] == family]
        here = [side for side in found if side.ops & set(ops)]
        rows = [
            [f"`{op}`", counts[op], *(side.runs(op, cases) if op in side.ops else "" for side in here)] for op in ops
        ]
        total = ["all", sum(counts[op] for op in ops), *(sum(side.runs(op, cases) for op in ops) for side in here)]
        lines += ["", f"## {family}", "", *_rows(["op", "cases", *(side.name for side in here)], [*rows, total])]
    return "\n".join(lines) + "\n"


def _summary(side: Side, cases: Cases) -> list[object]:
    families = list(dict.fromkeys(op.split(".")[0] for op in conformance.ops() if op in side.ops))
    return [side.name, ", ".join(families), len(side.ops), sum(side.runs(op, cases) for op in side.ops), side.failing]


def _rows(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Return a markdown table; numbers stand at the right."""
    right = [all(isinstance(cell, int) or cell == "" for cell in column) for column in zip(*rows, strict=True)]
    rule = ["---:" if each else "---" for each in right]
    return [f"| {' | '.join(str(cell) for cell in row)} |" for row in (head, rule, *rows)]


def main() -> int:
    """Print the report, then what is wrong with it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--write", action="store_true", help=f"write the counts into {COUNTS}")
    parser.add_argument("--markdown", action="store_true", help="print a page in markdown in place of the lines")
    asked = parser.parse_args()
    cases = conformance.load()
    counts = count(cases)
    found = sides(ROOT, cases)
    run = {side.name: side.ops for side in found}
    print(markdown(cases, found) if asked.markdown else table(counts, run), end="" if asked.markdown else "\n")
    if asked.write:
        (ROOT / COUNTS).write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")
    before = json.loads((ROOT / COUNTS).read_text(encoding="utf-8"))
    wrong = problems(counts, before, {name: ops for name, ops in run.items() if name != "TypeScript"})
    if wrong:
        print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
