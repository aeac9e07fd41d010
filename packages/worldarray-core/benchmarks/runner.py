"""What every package's ``run.py`` does: measure what the command line names, print a table, write JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path

import memory
import peer
from harness import QUICK, Effort, Grown, Growth, Line, Result, grow, growth_table, measure, table

Family = Callable[..., Sequence[Line | memory.Peak]]
"""From a folder to write in, and `quick`, to what is measured."""
Growths = Callable[..., Sequence[Growth]]


@dataclass(frozen=True)
class Suite:
    """What one package measures."""

    says: str
    """The description of the command."""
    results: Path
    """Where JSON goes."""
    families: Mapping[str, Family]
    growths: Sequence[Growths]
    more: Mapping[str, Family] = field(default_factory=dict)
    """Measured only where it is named."""
    peer: Callable[[], AbstractContextManager[tuple[peer.Peer | None, str]]] = peer.running

    @property
    def table(self) -> tuple[str, ...]:
        """What is measured where nothing is named: the speed table, and cost as work grows."""
        return (*self.families, "growth")

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that can be named."""
        return (*self.table, *self.more)


def main(suite: Suite, arguments: list[str] | None = None) -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=suite.says)
    known = ", ".join(suite.names)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {known}; {', '.join(suite.table)} if none")
    parser.add_argument("--quick", action="store_true", help="small sizes, three rounds, no peer: to see that it runs")
    parser.add_argument("--no-peer", action="store_true", help="leave the public peer out")
    parser.add_argument("--results", type=Path, default=suite.results, help="where JSON goes")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.names) - set(suite.names))
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; choose from {known}")
    warnings.simplefilter("error")
    effort = QUICK if given.quick else Effort()
    with tempfile.TemporaryDirectory(prefix="worldarray-benchmarks-") as folder, _peer(suite, given) as (other, says):
        print(f"{environment_line()}; {says}", flush=True)
        for name in given.names or suite.table:
            found = run(suite, name, Path(folder), effort, other)
            _write(given.results / f"{name}.json", found, effort, says)
    return 0


def run(suite: Suite, name: str, root: Path, effort: Effort, other: peer.Peer | None) -> list[Result] | list[Grown]:
    """Measure one family and print it."""
    print(flush=True)
    if name == "growth":
        grown = [grow(growth, effort) for growth in _growths(suite, root, effort)]
        print(growth_table(grown), flush=True)
        return grown
    lines = {**suite.families, **suite.more}[name](root, quick=effort.quick)
    results = [_measured(line, effort, other) for line in lines]
    print(table(results))
    for note in dict.fromkeys(note for result in results for note in result.notes):
        print(note)
    for says in dict.fromkeys(result.says for result in results):
        print(f"reference: {says}")
    sys.stdout.flush()
    return results


def environment_line() -> str:
    """Return what the numbers were measured with."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "tensorstore"))
    return f"Python {platform.python_version()}, {versions}, {os.cpu_count()} cores"


def _growths(suite: Suite, root: Path, effort: Effort) -> Iterator[Growth]:
    for family in suite.growths:
        yield from family(root, quick=effort.quick)


def _measured(line: Line | memory.Peak, effort: Effort, other: peer.Peer | None) -> Result:
    if isinstance(line, memory.Peak):
        return memory.measure(line, 1 if effort.quick else 3)
    try:
        return measure(line, effort, None if other is None else other.timer)
    except peer.PeerError as error:
        result = measure(line, effort)
        result.notes.append(f"the peer cannot do {line.name!r}: {error}")
        return result


def _peer(suite: Suite, given: argparse.Namespace) -> AbstractContextManager[tuple[peer.Peer | None, str]]:
    return peer.absent() if given.quick or given.no_peer else suite.peer()


def _write(path: Path, found: list[Result] | list[Grown], effort: Effort, says: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"environment": environment_line(), "peer": says, "quick": effort.quick, "lines": [asdict(r) for r in found]}
    path.write_text(json.dumps(told, indent=1), encoding="utf-8")
