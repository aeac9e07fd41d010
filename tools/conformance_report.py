"""Which package runs which op of the conformance suite, with how many cases, and whether any is run by none."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import worldarray_conformance as conformance
from workspace import ROOT, read_workspace

COUNTS: Final = Path("conformance/counts.json")
_OP: Final = re.compile(r"\"([a-z]+(?:\.[a-z][a-z0-9_]*)+)\"")


def ops_run(folder: Path) -> frozenset[str]:
    """Return the ops that the tables in a package's ``tests/conformance_ops`` name."""
    files = sorted((folder / "tests" / "conformance_ops").glob("[!_]*.py"))
    return frozenset(op for path in files for op in _OP.findall(path.read_text(encoding="utf-8")))


def count(cases: Mapping[str, Sequence[conformance.Case]]) -> dict[str, int]:
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


def main() -> int:
    """Print the report, then what is wrong with it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--write", action="store_true", help=f"write the counts into {COUNTS}")
    asked = parser.parse_args()
    counts = count(conformance.load())
    run = {name: ops_run(ROOT / package.folder) for name, package in read_workspace().items()}
    print(table(counts, run))
    if asked.write:
        (ROOT / COUNTS).write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")
    before = json.loads((ROOT / COUNTS).read_text(encoding="utf-8"))
    found = problems(counts, before, run)
    if found:
        print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
