"""Case files read into frozen records; the tables of ops read from the schemas."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from worldarray_conformance import strict_json, values
from worldarray_conformance.errors import CaseFileError, NoCasesError

Status = Literal["required", "provisional", "retired"]
STATUSES: Final[tuple[Status, ...]] = ("required", "provisional", "retired")
FILE_KEYS: Final = frozenset({"$schema", "suite", "op", "description", "spec", "defaults", "cases"})
CASE_KEYS: Final = frozenset(
    {"id", "description", "input", "expect", "error", "warnings", "requires", "compare", "status", "source"}
)
_KEBAB: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Expected:
    """The error that a case expects: its code, the path to the value, and words its message holds."""

    code: str
    at: tuple[str | int, ...]
    mentions: tuple[str, ...]


@dataclass(frozen=True)
class Tolerance:
    """Numbers agree when ``|answer - expected| <= abs + rel * |expected|``."""

    rel: float = 0.0
    abs: float = 0.0


@dataclass(frozen=True)
class Case:
    """One question to one op, and the complete answer or the error."""

    op: str
    file: str
    """The file below `cases`, without its suffix: ``units/parse``."""
    id: str
    description: str
    input: Mapping[str, Any] = field(hash=False)
    """Decoded, with the file's defaults merged in."""
    expect: Any = field(hash=False)
    """The decoded answer; None where `error` is set."""
    error: Expected | None = None
    warnings: tuple[str, ...] = ()
    requires: frozenset[str] = frozenset()
    compare: Tolerance = Tolerance()
    status: Status = "required"
    source: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)
    """``{"input": …, "expect": …}`` before decoding, as the op's schema describes it."""

    @property
    def key(self) -> str:
        """The name of the case in the whole suite: ``units/parse/nanometer``."""
        return f"{self.file}/{self.id}"


class Skipped(NamedTuple):
    """A case that a runner cannot run, and why."""

    case: Case
    reason: str


class _Tables(NamedTuple):
    ops: tuple[str, ...]
    capabilities: frozenset[str]


def data_root() -> Path:
    """Return the folder of ``cases``, ``schema`` and ``selftest``: in a checkout or inside the installed package."""
    here = Path(__file__).parent
    installed = here / "_data"
    return installed if installed.is_dir() else here.parents[1]


def ops() -> tuple[str, ...]:
    """Return the name of every op of the closed table, family by family; those of the self-test are left out."""
    return tuple(op for op in _tables().ops if not op.startswith("selftest."))


def load(folder: Path | None = None) -> dict[str, list[Case]]:
    """Return every case that is not retired, by op, from each ``*.json`` below a folder (default: the suite's own).

    Raises
    ------
    CaseFileError
        A file breaks a rule of the format.
    """
    folder = data_root() / "cases" if folder is None else folder
    tables = _tables()
    found: dict[str, list[Case]] = {}
    for path in sorted(folder.rglob("*.json")):
        for case in _load_file(path, folder, tables):
            found.setdefault(case.op, []).append(case)
    return found


def cases(op: str, folder: Path | None = None) -> list[Case]:
    """Return the cases of one op, in the order of files and of cases in them.

    Raises
    ------
    NoCasesError
        The table has no such op, or the op has no case.
    CaseFileError
        A file breaks a rule of the format.

    Examples
    --------
    >>> cases("units.parse")[0].op
    'units.parse'
    """
    found = load(folder).get(op, [])
    if not found:
        known = "it is in no table" if op not in _tables().ops else "it is in the table, but no file has a case of it"
        raise NoCasesError(f"the op {op!r} has no case: {known}")
    return found


def select(found: Sequence[Case], capabilities: frozenset[str]) -> tuple[list[Case], list[Skipped]]:
    """Return the cases that a runner with these capabilities runs, and those it skips with the reason."""
    run: list[Case] = []
    skipped: list[Skipped] = []
    for case in found:
        missing = case.requires - capabilities
        if missing:
            skipped.append(Skipped(case, f"needs {', '.join(sorted(missing))}"))
        else:
            run.append(case)
    return run, skipped


def expected_failures(path: Path, found: Mapping[str, Sequence[Case]]) -> dict[str, str]:
    """Return a runner's known failures, case key to reason; no file means none.

    Raises
    ------
    CaseFileError
        The file names a case that does not exist, or gives no reason.
    """
    if not path.exists():
        return {}
    listed = strict_json.parse(path.read_text(encoding="utf-8"), path.name)
    known = {case.key for group in found.values() for case in group}
    if not isinstance(listed, dict):
        raise CaseFileError(f"{path.name}: an object from case key to reason belongs here")
    for key, reason in listed.items():
        if key not in known:
            raise CaseFileError(f"{path.name}: there is no case {key!r}; take the entry out")
        if not isinstance(reason, str) or not reason:
            raise CaseFileError(f"{path.name}: {key}: say why it fails")
    return listed


def load_file(path: Path, folder: Path) -> list[Case]:
    """Return the cases of one file that are not retired; `folder` is what its name is given relative to.

    Raises
    ------
    CaseFileError
        The file breaks a rule of the format.
    """
    return _load_file(path, folder, _tables())


def _load_file(path: Path, folder: Path, tables: _Tables) -> list[Case]:
    name = path.relative_to(folder).with_suffix("").as_posix()
    parsed = strict_json.parse(path.read_text(encoding="utf-8"), name)
    document = _members(parsed, name, FILE_KEYS, FILE_KEYS - {"defaults"})
    if document["suite"] != 1:
        raise CaseFileError(f"{name}: suite is 1, not {document['suite']!r}")
    if document["op"] not in tables.ops:
        raise CaseFileError(f"{name}: the op {document['op']!r} is in no table of schema/ops.schema.json")
    if not isinstance(document["cases"], list) or not document["cases"]:
        raise CaseFileError(f"{name}: cases is a list of at least one case")
    found: dict[str, Case] = {}
    for index, raw in enumerate(document["cases"]):
        case = _case(raw, f"{name}: cases[{index}]", name, document)
        if case.id in found:
            raise CaseFileError(f"{name}: the id {case.id!r} is given twice")
        if unknown := sorted(case.requires - tables.capabilities):
            raise CaseFileError(f"{case.key}: the capabilities {unknown} are in no table of schema/values.schema.json")
        found[case.id] = case
    return [case for case in found.values() if case.status != "retired"]


def _case(raw: object, where: str, name: str, document: Mapping[str, Any]) -> Case:
    fields = _members(raw, where, CASE_KEYS, frozenset({"id", "description", "input"}))
    identifier = fields["id"]
    if not isinstance(identifier, str) or not _KEBAB.fullmatch(identifier):
        raise CaseFileError(f"{where}: the id {identifier!r} is not kebab-case")
    where = f"{name}/{identifier}"
    if ("expect" in fields) == ("error" in fields):
        raise CaseFileError(f"{where}: a case has one of expect and error")
    if "error" in fields and fields.keys() & {"warnings", "compare"}:
        raise CaseFileError(f"{where}: a case that expects an error has neither warnings nor compare")
    status = fields.get("status", "required")
    if status not in STATUSES:
        raise CaseFileError(f"{where}: the status {status!r} is none of {', '.join(STATUSES)}")
    merged = {**document.get("defaults", {}), **fields["input"]}
    raw_parts = {"input": merged, **({"expect": fields["expect"]} if "expect" in fields else {})}
    decoded: Any = values.decode(raw_parts, where)
    return Case(
        op=document["op"],
        file=name,
        id=identifier,
        description=fields["description"],
        input=decoded["input"],
        expect=decoded.get("expect"),
        error=_expected(fields["error"], where) if "error" in fields else None,
        warnings=tuple(fields.get("warnings", ())),
        requires=frozenset(fields.get("requires", ())),
        compare=Tolerance(**_members(fields.get("compare", {}), f"{where}.compare", frozenset({"rel", "abs"}))),
        status=status,
        source=fields.get("source", ""),
        raw=raw_parts,
    )


def _expected(raw: object, where: str) -> Expected:
    keys = frozenset({"code", "at", "mentions"})
    fields = _members(raw, f"{where}.error", keys, keys)
    return Expected(fields["code"], tuple(fields["at"]), tuple(fields["mentions"]))


def _members(
    raw: object, where: str, allowed: frozenset[str], required: frozenset[str] = frozenset()
) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise CaseFileError(f"{where}: an object belongs here, not {raw!r}")
    if unknown := sorted(raw.keys() - allowed):
        raise CaseFileError(f"{where}: the keys {unknown} are unknown; known are {sorted(allowed)}")
    if missing := sorted(required - raw.keys()):
        raise CaseFileError(f"{where}: the keys {missing} are missing")
    return raw


def _tables() -> _Tables:
    schema = data_root() / "schema"
    rows: Any = strict_json.parse((schema / "ops.schema.json").read_text(encoding="utf-8"), "ops.schema.json")
    names: list[str] = []
    for row in rows["allOf"]:
        family: Any = strict_json.parse((schema / row["$ref"]).read_text(encoding="utf-8"), row["$ref"])
        names.extend(family["properties"])
    shared: Any = strict_json.parse((schema / "values.schema.json").read_text(encoding="utf-8"), "values.schema.json")
    return _Tables(tuple(names), frozenset(shared["$defs"]["capability"]["enum"]))
