"""The cases of some families run through a package's own functions: what a package's test module asks."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from worldarray_conformance.case_files import Case, Skipped, expected_failures, load, ops, select
from worldarray_conformance.comparison import run

Function = Callable[[dict[str, Any]], object]


class Outcome(NamedTuple):
    """What came of one case: the kind, and for anything but a pass the words for people."""

    kind: Literal["passed", "failed", "expected_failure"]
    text: str = ""


class Runner:
    """The ops that a package answers, and their cases.

    Parameters
    ----------
    folder
        The package's tests: ``conformance_ops/<family>.py`` each export ``OPS``, a dict from op name to function, and
        ``xfail.json``, where it is there, holds the known failures.
    families
        The families that the package answers, wholly.
    capabilities
        What it can do.
    errors
        The classes of its own errors.
    """

    def __init__(
        self, folder: Path, families: Collection[str], capabilities: frozenset[str], errors: tuple[type[Exception], ...]
    ) -> None:
        self.families = families
        self.capabilities = capabilities
        self.errors = errors
        self.functions = _functions(folder / "conformance_ops")
        self.every_case = load()
        self.failing = expected_failures(folder / "xfail.json", self.every_case)

    def cases(self) -> Iterator[tuple[Case, str | None]]:
        """Yield every case of the ops that are answered, with the reason for which one is skipped, or None."""
        for op in self.functions:
            chosen: tuple[list[Case], list[Skipped]] = select(self.every_case.get(op, []), self.capabilities)
            yield from ((case, None) for case in chosen[0])
            yield from chosen[1]

    def outcome(self, case: Case) -> Outcome:
        """Run one case."""
        found = run(case, self.functions[case.op], self.errors)
        text = "\n".join([f"{case.op}: {case.description}", *found])
        if case.key in self.failing:
            reason = f"{case.key} passes now; take it out of xfail.json"
            return Outcome("expected_failure", self.failing[case.key]) if found else Outcome("failed", reason)
        if found and case.status == "provisional":
            return Outcome("expected_failure", f"provisional: {text}")
        return Outcome("failed", text) if found else Outcome("passed")

    def missing(self) -> list[str]:
        """Return what is wrong with the tables: an op that no row knows, that nothing answers, or that has no case."""
        known = ops()
        found = [f"{op} is in no schema" for op in self.functions if op not in known]
        for op in known:
            if op.split(".")[0] in self.families:
                found += [] if op in self.functions else [f"no module of conformance_ops answers {op}"]
                found += [] if self.every_case.get(op) else [f"no file has a case of {op}"]
        return found


def _functions(folder: Path) -> Mapping[str, Function]:
    """Return every op that a module of the folder answers; modules of several packages may have one name."""
    found: dict[str, Function] = {}
    for path in sorted(folder.glob("[!_]*.py")):
        name = f"worldarray_conformance_ops_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        repeated = found.keys() & module.OPS.keys()
        assert not repeated, f"{path.name} answers {sorted(repeated)} a second time"
        found.update(module.OPS)
    return found
