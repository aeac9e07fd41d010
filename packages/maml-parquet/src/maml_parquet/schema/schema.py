"""A table to be written: its columns, and what is said of it."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from maml_parquet.arguments import check_maml
from maml_parquet.errors import MamlError, MamlWarning, Problem
from maml_parquet.schema.records import Column, TableEntry
from maml_parquet.schema.values import COMPANION, text_of, typed
from maml_parquet.sections.entries import check_key, entries
from maml_parquet.sections.qc import Bound, BoundError, Miss, Qc, Side, parse_bound, parse_miss
from maml_parquet.sections.records import Field, Maml
from maml_parquet.sections.rules import is_of_1_2
from maml_parquet.sections.sizes import AUTO, MAX_SIZE
from maml_parquet.sections.types import TypeToken
from maml_parquet.sections.users import user_problems, validate_user

if TYPE_CHECKING:
    import pyarrow as pa


class Schema:
    r"""The columns of a table to be written, and its metadata.

    Columns are called by the names that a program knows them by; the names in the file are `Column.output_name`.

    Examples
    --------
    >>> from maml_parquet import parse
    >>> schema = Schema.from_maml(parse("table: t\nfields:\n- {name: x, data_type: float64, col_size: auto}"))
    >>> schema.set_col_size("x", 3)
    >>> schema.columns["x"].col_size
    3
    >>> schema.add_metadata("epoch", 2015.5, "years")
    >>> schema.metadata[-1]
    TableEntry(key='epoch', value='2015.5', description='years', datatype='float64')
    """

    def __init__(
        self, columns: Iterable[Column], metadata: Iterable[TableEntry] = (), *, maml: Maml | None = None
    ) -> None:
        self._columns: dict[str, Column] = {}
        outputs: set[str] = set()
        for column in columns:
            if column.name in self._columns or (column.is_declared and column.output_name in outputs):
                words = f"two columns have the name {column.name!r} or {column.output_name!r}; names are unique"
                raise MamlError([Problem("field-name-duplicate", (column.name,), words)])
            self._columns[column.name] = column
            if column.is_declared:
                outputs.add(column.output_name)
        self._metadata = list(metadata)
        self._maml = maml
        self._settled = frozenset(name for name, column in self._columns.items() if maml and column.qc is not None)

    @classmethod
    def from_maml(cls, maml: Maml, base: Maml | None = None) -> Schema:
        r"""Return the schema that a MAML describes.

        Parameters
        ----------
        maml
            The user's; of the role ``write``.
        base
            What the program knows. Its columns that the user leaves out stay known behind the others, and are never
            written.

        Raises
        ------
        MamlError
            `argument` for a MAML that describes a file; `type-invalid` for types that are none of parquet's;
            `col-map` and `field-unknown` for a user's MAML that does not go with the base.

        Examples
        --------
        >>> from maml_parquet import parse
        >>> base = parse("table: t\nfields: [{name: id, data_type: int64}, {name: z, data_type: float32}]")
        >>> user = parse("table: u\nfields: [{name: mine, data_type: int32}]\nextra: {col_map: [id: mine]}")
        >>> [(c.name, c.output_name, c.is_declared) for c in Schema.from_maml(user, base).columns.values()]
        [('id', 'mine', True), ('z', 'z', False)]
        """
        check_maml("maml", maml)
        if base is not None:
            check_maml("base", base)
        for given in (maml, base):
            if given is not None and given.role == "read":
                words = "the MAML was read for a file that exists; read it with role='write'"
                raise MamlError([Problem("argument", (), words)], given.source)
        renames = {rename.external: rename.internal for rename in maml.extra.col_map}
        if base is None:
            _check_renames(maml, renames)
        else:
            validate_user(maml, base)
        protected = {name.text for name in maml.extra.protected_cols}
        nullable = {name.text for name in maml.extra.nullable_cols}
        columns = [
            replace(
                _column(field, maml),
                name=renames.get(field.name, field.name),
                is_protected=field.name in protected,
                is_nullable=field.name in nullable,
            )
            for field in maml.fields
        ]
        known = {column.name for column in columns}
        if base is not None:
            columns += [
                replace(_column(field, base), is_enabled=False, is_declared=False)
                for field in base.fields
                if field.name not in known
            ]
        metadata = (TableEntry(entry.key, entry.value, entry.description) for entry in entries(maml))
        return cls(columns, metadata, maml=maml)

    @property
    def columns(self) -> Mapping[str, Column]:
        """The columns by their names in the program, in the order of the file; not all need be written."""
        return MappingProxyType(self._columns)

    @property
    def metadata(self) -> tuple[TableEntry, ...]:
        """What is said of the table: what the MAML says, then what was added."""
        return tuple(self._metadata)

    @property
    def maml(self) -> Maml | None:
        """The MAML that the schema is of."""
        return self._maml

    def copy(self) -> Schema:
        """Return a schema that is the same, and stays so when this one changes."""
        other = Schema((), self._metadata, maml=self._maml)
        other._columns = dict(self._columns)
        other._settled = self._settled
        return other

    def set_col_size(self, name: str, size: int, *, force: bool = False) -> None:
        """Say how many elements a row of the column has: 1 is a scalar, more a vector.

        Parameters
        ----------
        force
            Change a size that is decided too; else only one that is ``auto``.

        Raises
        ------
        MamlError
            `column` for an unknown name, `size-invalid` for a size that is none or is decided already.
        """
        column = self._known(name)
        size = _size(size, "col_size", name)
        if column.col_size != AUTO and not force:
            raise _decided(name, "col_size", column.col_size)
        if size > 1 and column.output_name.endswith("_icol") and self._maml and is_of_1_2(self._maml.root):
            words = f"{column.output_name!r} with a col_size is several columns in a MAML of version 1.2; rename it"
            raise MamlError([Problem("size-invalid", (name, "col_size"), words)])
        self._columns[name] = replace(column, col_size=size)

    def set_array_size(self, name: str, size: int, *, force: bool = False) -> None:
        """Say how many characters (code points) the column's strings have at most; as `set_col_size`.

        Raises
        ------
        MamlError
            `column` for an unknown name and a column that is not of strings, `size-invalid` as in `set_col_size`.
        """
        column = self._known(name)
        if column.kind.base != "string":
            words = f"the column {name!r} is {column.kind}; array_size is the length of strings: use set_col_size"
            raise MamlError([Problem("column", (name, "array_size"), words)])
        size = _size(size, "array_size", name)
        if column.array_size != AUTO and not force:
            raise _decided(name, "array_size", column.array_size if column.is_limited else "not limited")
        self._columns[name] = replace(column, array_size=size, is_limited=True)

    def set_qc(self, name: str, *, min: str | None = None, max: str | None = None, miss: str | None = None) -> None:
        """Say what is checked of the column's values, in the words of a MAML; what was said before goes.

        Where the MAML has ``qc`` for the column, that stands, and nothing changes.

        Parameters
        ----------
        min, max
            Bounds, such as ``"0"`` or ``"> 0"``.
        miss
            ``"Null"`` where Nulls are expected, an empty text where they are not; None: they are not looked at.

        Raises
        ------
        MamlError
            `column` for an unknown name; the codes of bounds in a MAML, in one report.

        Examples
        --------
        >>> schema = Schema([Column("x", "x", TypeToken("int32"))])
        >>> schema.set_qc("x", min="> 0", miss="")
        >>> schema.columns["x"].qc
        Qc(min=Bound(operator='>', value=0, text='> 0'), max=None, miss='unexpected')
        """
        column = self._known(name)
        found: list[Problem] = []
        low = _bound(min, "min", column, found)
        high = _bound(max, "max", column, found)
        missing = _miss(miss, name, found)
        if found:
            raise MamlError(found)
        if name not in self._settled:
            self._columns[name] = replace(column, qc=Qc(low, high, missing))

    def add_metadata(self, key: str, value: object, description: str = "") -> None:
        """Add to what is said of the table.

        Parameters
        ----------
        key
            One line of text.
        value
            A text, a number, a truth value or a list of them; as `maml_parquet.schema.values.typed` takes it. Readers
            find the type of what is not text below ``<key>.datatype``.
        description
            A text.

        Raises
        ------
        MamlError
            `metadata` for a value of no such type, `reserved-key` for a key that files need themselves, `key-missing`
            for a blank one, `shape` for one of several lines.

        Warns
        -----
        MamlWarning
            Where the key is there already, or is one that files have before it: readers find the first.
        """
        text, datatype = typed(value)
        key, description = _text("key", key), _text("description", description)
        if not key:
            raise MamlError([Problem("key-missing", ("metadata",), "the key is blank; give a name")])
        told = check_key(key)
        if told is not None and told[0] != "notice":
            raise MamlError([Problem(told[0], ("metadata", key), told[1])])
        keys = {entry.key for entry in self._metadata}
        typed_keys = {entry.key + COMPANION for entry in self._metadata if entry.datatype}
        if told is not None:
            warnings.warn(told[1], MamlWarning, stacklevel=2)
        elif key in keys:
            words = f"another entry has the key {key!r} too; readers that look for it find the first"
            warnings.warn(words, MamlWarning, stacklevel=2)
        elif key in typed_keys or (datatype and key + COMPANION in keys):
            words = f"{key if key in typed_keys else key + COMPANION!r} is given, and stands for the type of the value"
            warnings.warn(words, MamlWarning, stacklevel=2)
        self._metadata.append(TableEntry(key, text, description, datatype))

    def enable(self, *names: str) -> None:
        """Write the columns; without names all that the user's MAML has.

        Raises
        ------
        MamlError
            `column` for an unknown name, and one that the user's MAML leaves out.
        """
        for name in names:
            if not self._known(name).is_declared:
                words = f"the column {name!r} is no field of the user's MAML; declare it there to write it"
                raise MamlError([Problem("column", (name,), words)])
        self._switch(names, True)

    def disable(self, *names: str) -> None:
        """Leave the columns out of the file; without names all of them.

        Raises
        ------
        MamlError
            `column` for an unknown name.
        """
        for name in names:
            self._known(name)
        self._switch(names, False)

    def arrow_schema(self) -> pa.Schema:
        """Return the columns that are written as Arrow's schema, under their names in the file.

        A column may hold Nulls unless it is protected; a row of a vector is never Null, its elements may be.

        Raises
        ------
        MamlError
            `size-invalid` for a vector whose size is not decided.
        """
        import pyarrow as pa

        from maml_parquet.arrow.types import arrow_type  # noqa: PLC0415

        fields = []
        for column in self._columns.values():
            if not column.is_enabled:
                continue
            if column.col_size == AUTO:
                words = f"the col_size of {column.name!r} is auto; decide it first, with set_col_size"
                raise MamlError([Problem("size-invalid", (column.name, "col_size"), words)])
            free = not column.is_protected
            type_ = arrow_type(column.kind, column.col_size, element_nullable=free)
            fields.append(pa.field(column.output_name, type_, nullable=free and column.col_size == 1))
        return pa.schema(fields)

    def _switch(self, names: tuple[str, ...], is_enabled: bool) -> None:
        for name in names or self._columns:
            column = self._columns[name]
            if column.is_declared:
                self._columns[name] = replace(column, is_enabled=is_enabled)

    def _known(self, name: str) -> Column:
        if not isinstance(name, str):
            raise MamlError([Problem("argument", ("name",), f"{name!r} is no name of a column; give a text")])
        if name in self._columns:
            return self._columns[name]
        internal = next((column.name for column in self._columns.values() if column.output_name == name), None)
        fix = f"it is called {internal!r} here" if internal else f"there are {', '.join([*self._columns][:20])}"
        raise MamlError([Problem("column", (name,), f"there is no column {name!r}; {fix}")])


def _check_renames(maml: Maml, renames: Mapping[str, str]) -> None:
    """Check renamings against each other and the fields, where no base is known."""
    fields = tuple(replace(field, name=renames.get(field.name, field.name)) for field in maml.fields)
    fields += tuple(Field(rename.internal, None) for rename in maml.extra.col_map)
    found = user_problems(maml, replace(maml, fields=fields))
    if found:
        raise MamlError(found, maml.source)


def _column(field: Field, maml: Maml) -> Column:
    if not isinstance(field.data_type, TypeToken):
        words = f"the type of {field.name!r} is none of parquet's; read the MAML with profile='parquet' to see why"
        raise MamlError(
            [Problem("type-invalid", ("fields", field.position, "data_type"), words, field.line)], maml.source
        )
    is_text = field.data_type.base == "string"
    return Column(
        field.name,
        field.name,
        field.data_type,
        field.col_size,
        field.array_size if is_text else 1,
        is_text and field.has_array_size and field.array_size != AUTO,
        field.unit,
        field.info,
        field.ucd,
        field.qc,
    )


def _size(size: object, key: str, name: str) -> int:
    try:
        found = None if isinstance(size, bool) else operator.index(size)  # type: ignore[arg-type]
    except TypeError:
        found = None
    if found is None or not 1 <= found <= MAX_SIZE:
        words = f"the {key} of {name!r} is {size!r}; give a whole number from 1 to {MAX_SIZE}"
        raise MamlError([Problem("size-invalid", (name, key), words)])
    return found


def _decided(name: str, key: str, size: object) -> MamlError:
    words = f"the {key} of {name!r} is decided already ({size}); give force=True to change it"
    return MamlError([Problem("size-invalid", (name, key), words)])


def _text(what: str, value: object) -> str:
    if isinstance(value, str):
        return text_of(value)
    words = f"the {what} is {type(value).__name__}; give a text"
    raise MamlError([Problem("metadata", ("metadata",), words)])


def _miss(text: object, name: str, found: list[Problem]) -> Miss:
    if text is None:
        return "unchecked"
    miss = parse_miss(text) if isinstance(text, str) else None
    if miss is None:
        words = f"miss is {text!r}; give 'Null' (Nulls are expected), or '' (they are not)"
        found.append(Problem("qc-miss", (name, "qc", "miss"), words))
    return miss or "unchecked"


def _bound(text: object, side: Side, column: Column, found: list[Problem]) -> Bound | None:
    if text is None:
        return None
    if not isinstance(text, str):
        words = f"{side} is {text!r}; give a text, like '> 5'"
        found.append(Problem("qc-bound", (column.name, "qc", side), words))
        return None
    bound = parse_bound(text, side, column.kind)
    if isinstance(bound, BoundError):
        found.append(Problem(bound.code, (column.name, "qc", side), bound.message))
        return None
    return bound
