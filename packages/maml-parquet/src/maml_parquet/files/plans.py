"""What is to be read: a request meets the columns of a file; every name and every bound is looked at before any row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from maml_parquet.arrow.checks import checked_as
from maml_parquet.arrow.types import kinds_of
from maml_parquet.errors import At, MamlError, Problem
from maml_parquet.files.bounds import asked, bound_qc
from maml_parquet.files.requests import Request, lines, problems_of, raise_all
from maml_parquet.rows.binding import Kinds, mapped
from maml_parquet.rows.filters import bind_rules
from maml_parquet.rows.remap import remap
from maml_parquet.rows.sorts import SortKey, bind_sorts, parse_sorts
from maml_parquet.rows.trees import Bound
from maml_parquet.sections.qc import Qc
from maml_parquet.sections.records import Field, Maml
from maml_parquet.sections.types import TypeToken
from maml_parquet.text import records as nodes


@dataclass(frozen=True)
class Notes:
    """What a file says of a column: its header, or else the field's own metadata."""

    unit: str = ""
    ucd: str = ""
    description: str = ""


@dataclass(frozen=True)
class TableColumn:
    """A column of a table: its name inside the program, the file's column that it reads, what is known of it.

    `kind` is what its bounds are compared as, None where it has none; `qc` is what is checked; `metadata` is what else
    the field of the file carries.
    """

    name: str
    source: str
    type: pa.DataType
    nullable: bool
    notes: Notes
    kind: TypeToken | None = None
    qc: Qc | None = None
    metadata: Mapping[bytes, bytes] = field(default_factory=dict)

    @property
    def arrow_field(self) -> pa.Field:
        """The field of a table, with unit, UCD and description."""
        said = {"unit": self.notes.unit, "ucd": self.notes.ucd, "description": self.notes.description}
        told = {key.encode(): value.encode() for key, value in said.items() if value}
        return pa.field(self.name, self.type, self.nullable, {**self.metadata, **told})


@dataclass(frozen=True)
class Plan:
    """What is to be read.

    Attributes
    ----------
    columns
        All columns of the table, in the file's order.
    rules
        Rules that rows have to pass, each with paths in the file: the MAML's, the caller's.
    keys
        Sort keys with paths in the file: the MAML's, then the caller's.
    start, stop
        The rows that are looked at.
    """

    columns: tuple[TableColumn, ...]
    rules: tuple[Bound, ...] = ()
    keys: tuple[SortKey, ...] = ()
    start: int = 0
    stop: int = 0


def plan(request: Request, schema: pa.Schema, num_rows: int, notes: Mapping[str, Notes]) -> Plan:
    """Return what is to be read, or raise all that is wrong with names, values and bounds.

    Parameters
    ----------
    schema, num_rows
        The file's columns and rows.
    notes
        What the file's header says, by the file's names.

    Raises
    ------
    MamlError
        First what is wrong with the MAML, then with the caller's arguments: a column that is not there, or that cannot
        be compared; a value or bound that is not of its column's type; rows that the file does not have.

    Examples
    --------
    >>> from maml_parquet.files.requests import read_request
    >>> request = read_request("extra: {remap: [{mass: M}]}", filter="mass > 3")
    >>> found = plan(request, pa.schema({"M": pa.float64(), "z": pa.float32()}), 10, {})
    >>> [(column.name, column.source) for column in found.columns], found.rules[0].path
    ([('mass', 'M'), ('z', 'z')], ('M',))
    """
    _check_unique(schema.names)
    kinds = kinds_of(schema)
    problems: list[Problem] = []
    pairs = _pairs(request.maml, schema.names, problems)
    rules, keys = _maml_rows(request, kinds, problems)
    described = _described(request.maml)
    columns = [_column(name, source, schema, described.get(source), notes) for name, source in pairs]
    if request.mode != "off":
        columns = [_checked_by_maml(column, described.get(column.source), problems) for column in columns]
    raise_all(problems, request.source)
    sources = dict(pairs)
    inner = {name: kinds[source] for name, source in pairs}
    own = _own_rows(request, inner, sources, problems)
    if request.mode != "off":
        columns = [_checked_by_caller(column, request, problems) for column in columns]
    problems += missing_columns(request.columns or (), tuple(sources))
    raise_all(problems)
    stop = num_rows if request.stop is None else request.stop
    _check_range(request, stop, num_rows)
    return Plan(tuple(columns), (*rules, *own[0]), (*keys, *own[1]), request.start, stop)


def missing_columns(names: Sequence[object], known: Sequence[str]) -> list[Problem]:
    """Return a problem for each name that is not known."""
    found = []
    for position, name in enumerate(names):
        if not isinstance(name, str):
            words = f"{name!r} is no name of a column; give a text"
            found.append(Problem("argument", ("columns", position), words))
            continue
        if name in known:
            continue
        alike = [other for other in known if other.lower() == name.lower()]
        named = f"{', '.join(map(repr, list(known)[:8]))}{', …' if len(known) > 8 else ''}"
        hint = f"case counts: there is {alike[0]!r}" if alike else f"columns are {named or 'none'}"
        found.append(Problem("column", ("columns", position), f"there is no column {name!r}; {hint}"))
    return found


def _check_unique(names: Sequence[str]) -> None:
    twice = next((name for position, name in enumerate(names) if name in names[:position]), None)
    if twice is not None:
        message = f"the file has several columns named {twice!r}, so that it is not clear which is meant"
        raise MamlError([Problem("column", (twice,), f"{message}; write them under different names")])


def _check_range(request: Request, stop: int, num_rows: int) -> None:
    if request.start > num_rows or stop > num_rows:
        message = f"rows {request.start} to {stop} are asked for, but the table has {num_rows} rows"
        raise MamlError([Problem("argument", ("rows",), f"{message}; ask for rows that are there: nothing is clamped")])


def _pairs(maml: Maml | None, names: Sequence[str], problems: list[Problem]) -> tuple[tuple[str, str], ...]:
    """Return the names inside the program, each with the file's column."""
    items = maml.extra.remap if maml else ()
    try:
        return remap(names, [(item.internal, item.external) for item in items], at=("extra", "remap"))
    except MamlError as error:
        for problem in error.problems:
            item = items[int(problem.at[-1])]
            problems.append(replace(problem, line=item.line, column=item.column))
        return tuple((name, name) for name in names)


def _maml_rows(
    request: Request, kinds: Kinds, problems: list[Problem]
) -> tuple[tuple[Bound, ...], tuple[SortKey, ...]]:
    """Return the MAML's rules and keys, which are in the file's names."""
    if request.maml is None:
        return (), ()
    extra = request.maml.extra
    rules: list[Bound] = []
    keys: list[SortKey] = []
    at: At = ("extra", "filter")
    problems += problems_of(
        lambda: rules.extend(_given(bind_rules(request.maml_filter, kinds, at=at, lines=lines(extra.filter))))
    )
    parsed = parse_sorts(request.maml_sort)
    for problem in problems_of(lambda: keys.extend(bind_sorts(parsed, kinds, at=("extra", "sort")))):
        item = extra.sort[int(problem.at[-1])]
        problems.append(replace(problem, line=item.line, column=item.column))
    return tuple(rules), tuple(keys)


def _own_rows(
    request: Request, kinds: Kinds, sources: Mapping[str, str], problems: list[Problem]
) -> tuple[tuple[Bound, ...], tuple[SortKey, ...]]:
    """Return the caller's rules and keys, which are in names inside the program, with paths in the file."""
    rules: list[Bound] = []
    keys: list[SortKey] = []
    problems += problems_of(lambda: rules.extend(_given(bind_rules(request.filter, kinds))))
    problems += problems_of(lambda: keys.extend(bind_sorts(parse_sorts(request.sort), kinds)))
    moved = [mapped(rule, lambda test: replace(test, path=(sources[test.path[0]], *test.path[1:]))) for rule in rules]
    return tuple(moved), tuple(replace(key, path=(sources[key.path[0]], *key.path[1:])) for key in keys)


def _given(rule: Bound | None) -> tuple[Bound, ...]:
    return () if rule is None else (rule,)


@dataclass(frozen=True)
class _Described:
    """A field of a MAML: which one it is, and whether it says a unit (`unitless` is one that is empty)."""

    field: Field
    position: int
    has_unit: bool


def _described(maml: Maml | None) -> dict[str, _Described]:
    if maml is None:
        return {}
    items = next((value for name, _, value in maml.root.folded() if name == "fields"), None)
    members = items.items if isinstance(items, nodes.Sequence) else ()
    found = {}
    for position, said in enumerate(maml.fields):
        item = members[position]
        unit = (
            {name: value for name, _, value in item.folded()}.get("unit") if isinstance(item, nodes.Mapping) else None
        )
        has_unit = isinstance(unit, nodes.Scalar) and not unit.is_null and bool(unit.text.strip())
        found[said.name] = _Described(said, position, has_unit)
    return found


def _column(
    name: str, source: str, schema: pa.Schema, described: _Described | None, notes: Mapping[str, Notes]
) -> TableColumn:
    found = schema.field(source)
    carried = {key: value for key, value in (found.metadata or {}).items() if not key.startswith(b"PARQUET:")}
    texts = {word: carried.pop(word.encode(), b"").decode(errors="replace") for word in ("unit", "ucd", "description")}
    told = notes.get(source, Notes())
    known = Notes(told.unit or texts["unit"], told.ucd or texts["ucd"], told.description or texts["description"])
    if described is not None and described.has_unit:
        known = replace(known, unit=described.field.unit)
    return TableColumn(name, source, found.type, found.nullable, known, checked_as(found.type), metadata=carried)


def _checked_by_maml(column: TableColumn, described: _Described | None, problems: list[Problem]) -> TableColumn:
    if described is None or described.field.qc is None:
        return column
    at: At = ("fields", described.position, "qc")
    found: list[Problem] = []
    said = asked(described.field.qc)
    qc = bound_qc(said, column.type, at, found, line=described.field.line, name=column.source)
    # Two columns of the table may read one of the file, whose bounds are wrong once.
    problems += [problem for problem in found if problem not in problems]
    return replace(column, qc=qc)


def _checked_by_caller(column: TableColumn, request: Request, problems: list[Problem]) -> TableColumn:
    said = (request.checks or {}).get(column.name)
    if said is None or column.qc is not None:
        return column
    return replace(column, qc=bound_qc(said, column.type, ("checks", column.name), problems, name=column.name))
