"""Tables to parquet files that carry what a MAML says of them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa

from maml_parquet.arguments import check_path
from maml_parquet.arrow.incoming import columns_of, other_units
from maml_parquet.errors import MamlError, Problem
from maml_parquet.files.growing import Growing, collected, retyped
from maml_parquet.files.options import OnOverlong, Options
from maml_parquet.files.output import Output
from maml_parquet.files.placing import Drafts, sidecar_path
from maml_parquet.header.keys import file_items
from maml_parquet.header.sidecar import sidecar
from maml_parquet.schema.schema import Schema
from maml_parquet.telling import warn

if TYPE_CHECKING:
    from typing_extensions import Self


def write_table(  # noqa: PLR0913  (everything that can be chosen has its argument)
    table: Any,
    path: str | os.PathLike[str],
    schema: Schema,
    *,
    write_maml: bool = True,
    qc: bool = True,
    on_overlong: OnOverlong = "error",
    file_date: str | datetime | None = None,
    overwrite: bool = False,
    assume_utc: bool = False,
    compression: str | None = "zstd",
    compression_level: int | None = 3,
    row_group_size: int | None = None,
) -> None:
    r"""Write a table to a parquet file, with what the schema says of it.

    The file appears under its name once it is whole, and where anything goes wrong nothing is left of it.

    Parameters
    ----------
    table
        Columns by the names that the program knows them by (`Column.name`), all that are enabled: a table of pyarrow,
        pandas, polars or astropy, a dict of arrays, or anything that Arrow can read a stream from. Columns that are
        disabled are passed over. Numbers become the declared type where no value changes, but for floats that are
        rounded to ``float32``; nothing else is converted.
    path
        ``x.parquet``; the folder is there.
    write_maml
        Write the MAML of what was written beside it too, as ``x.maml``; where that is the very file that the schema's
        MAML was loaded from, it stays as its author wrote it. In the file the MAML is always.
    qc
        Check bounds and Nulls as the schema declares them. What is outside is a warning, and is written.
    on_overlong
        What a string is that has more characters than its `array_size`: an ``error``, or with ``warn`` a warning, and
        the file tells the longest.
    file_date
        The ``DATE`` of the file, in UTC as ``2024-05-06T07:08:09`` or with its time zone; now, unless given.
    overwrite
        Replace files that stand there, `x.maml` among them; else they are an error.
    assume_utc
        Take times without a time zone to be in UTC, where the column is in UTC.
    compression
        One of ``zstd snappy gzip brotli lz4 none``.
    compression_level
        For codecs that have levels; None is the codec's own.
    row_group_size
        Rows of a row group; else as many as take some 256 MiB of memory, 1 000 at least and 10 000 000 at most.

    Raises
    ------
    MamlError
        `exists`: something stands there already. `column`: a column is missing or unknown. `value`: a value does not
        fit its column, is too long, or is a Null where none may be. `fields-missing`: no column is enabled.
        `argument`: an option is none.
    OSError
        The file cannot be written.

    Warns
    -----
    MamlWarning
        Once for each column and kind of what is odd, before the file gets its name.

    Examples
    --------
    >>> import tempfile, pathlib, maml_parquet, pyarrow.parquet
    >>> text = "table: t\nfields:\n- {name: ra, unit: deg, data_type: float64, qc: {min: 0, max: '< 360'}}\n"
    >>> schema = maml_parquet.Schema.from_maml(maml_parquet.parse(text))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "x.parquet")
    ...     maml_parquet.write_table({"ra": [1.5, 2.5]}, path, schema)
    ...     sorted(p.name for p in path.parent.iterdir())
    ...     pyarrow.parquet.read_schema(path).metadata[b"column.ra.unit"]
    ['x.maml', 'x.parquet']
    b'deg'
    """
    options = Options(
        write_maml=write_maml,
        qc=qc,
        on_overlong=on_overlong,
        file_date=file_date,
        overwrite=overwrite,
        assume_utc=assume_utc,
        compression=compression,
        compression_level=compression_level,
        row_group_size=row_group_size,
    )
    with Writer(path, schema, options, is_streamed=False) as writer:
        writer.write(table)


def open_writer(  # noqa: PLR0913  (the arguments of `write_table`)
    path: str | os.PathLike[str],
    schema: Schema,
    *,
    write_maml: bool = True,
    qc: bool = True,
    on_overlong: OnOverlong = "error",
    file_date: str | datetime | None = None,
    overwrite: bool = False,
    assume_utc: bool = False,
    compression: str | None = "zstd",
    compression_level: int | None = 3,
    row_group_size: int | None = None,
) -> Writer:
    r"""Open a parquet file for writing batch by batch; the arguments are those of `write_table`.

    Any column may hold Nulls in such a file, as later rows may bring some, unless it is protected.

    Raises
    ------
    MamlError
        `exists`, `fields-missing` and `argument`, as in `write_table`.
    OSError
        The file cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib, maml_parquet
    >>> text = "table: t\nfields: [{name: id, data_type: int64}, {name: kind, data_type: string, array_size: auto}]"
    >>> schema = maml_parquet.Schema.from_maml(maml_parquet.parse(text))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with maml_parquet.open_writer(pathlib.Path(folder, "x.parquet"), schema) as writer:
    ...         writer.write({"id": [1, 2], "kind": ["star", "galaxy"]})
    ...         writer.write({"id": [3], "kind": [None]})
    ...     writer.num_rows, writer.path.name
    (3, 'x.parquet')
    """
    options = Options(
        write_maml=write_maml,
        qc=qc,
        on_overlong=on_overlong,
        file_date=file_date,
        overwrite=overwrite,
        assume_utc=assume_utc,
        compression=compression,
        compression_level=compression_level,
        row_group_size=row_group_size,
    )
    return Writer(path, schema, options)


class Writer:
    """A parquet file that is written batch by batch, and appears under its name when it is closed.

    Leaving a ``with`` block closes it; leaving it by an error, and any error of its own, discards what was written.
    Later changes of the schema do not reach it.

    Attributes
    ----------
    path
        Where the file is to be.
    num_rows
        Rows that were written so far.
    """

    def __init__(
        self, path: str | os.PathLike[str], schema: Schema, options: Options, *, is_streamed: bool = True
    ) -> None:
        check_path("path", path)
        _check_schema(schema)
        self.num_rows = 0
        self._schema = schema.copy()
        self._options = options
        self._is_streamed = is_streamed
        self._date = options.date()
        self._columns = [
            Growing(column, options)
            for column in self._schema.columns.values()
            if column.is_enabled and column.is_declared
        ]
        if not self._columns:
            words = "no column is enabled, so there is nothing to write; enable one"
            raise MamlError([Problem("fields-missing", ("fields",), words)])
        self._header()  # What it says of sizes changes yet; what no header can hold is an error now.
        self._output: Output | None = None
        self._state = "open"
        self._process = os.getpid()
        beside = sidecar_path(path)
        has_sidecar = options.write_maml and not _is_source(beside, self._schema)
        paths = [path, beside] if has_sidecar else [path]
        self._drafts = Drafts(paths, overwrite=options.overwrite)
        self.path = self._drafts.paths[0]

    def write(self, batch: Any) -> None:
        """Write rows: whatever `write_table` takes as a table, with every enabled column.

        The rows may be changed by the caller afterwards.

        Raises
        ------
        MamlError
            `column` and `value`, as in `write_table`; nothing is left of the file then. `argument`: the writer is
            closed, or failed before.
        """
        self._check_open()
        with self._failing():
            self._write(batch)

    def close(self) -> None:
        """End the file, and give it its name; on a writer that is closed, or was discarded, nothing happens.

        Raises
        ------
        MamlError
            `column`: nothing was written. `exists`: something stands there by now. `argument`: a batch failed before,
            so there is no file.

        Warns
        -----
        MamlWarning
            As `write_table`.
        """
        if self._state in ("closed", "discarded"):
            return
        self._check_open()
        with self._failing():
            self._close()
        self._state = "closed"

    def discard(self) -> None:
        """Remove what was written; on a writer that is closed, or in a fork of its process, nothing happens."""
        if self._state != "closed" and os.getpid() == self._process:
            self._fail()
            self._state = "discarded"

    def __reduce__(self) -> NoReturn:
        words = f"the writer of {str(self.path)!r} cannot be copied; open one for each file"
        raise MamlError([Problem("argument", (), words)])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def _write(self, batch: Any) -> None:
        sizes = {held.column.name: held.col_size for held in self._columns if held.col_size is not None}
        given, rows = columns_of(batch, sizes)
        self._check_names(given)
        units = other_units(batch, {held.column.name: held.column.unit for held in self._columns})
        for held in self._columns:
            held.note_unit(units.get(held.column.name, ""))
        arrays = collected(self._columns, [given[held.column.name] for held in self._columns], self.num_rows)
        if self._output is None:
            fields = [
                held.field(is_streamed=self._is_streamed, array=None if self._is_streamed else array)
                for held, array in zip(self._columns, arrays, strict=True)
            ]
            self._output = Output(self._drafts.names[0], pa.schema(fields), self._options)
        target = self._output.schema
        arrays = [retyped(array, field.type) for array, field in zip(arrays, target, strict=True)]
        self._output.write(pa.Table.from_arrays(arrays, schema=target), final=not self._is_streamed)
        self.num_rows += rows

    def _close(self) -> None:
        if self._output is None:
            names = ", ".join(repr(held.column.name) for held in self._columns[:20])
            words = f"nothing was written of {names}; write a batch, which may have no rows, or disable the column"
            raise MamlError([Problem("column", (self._columns[0].column.name,), words)])
        text, items = self._header()
        self._output.close(items)
        for name in self._drafts.names[1:]:
            name.write_bytes(text.encode())
        for held in self._columns:
            for words in held.warnings_():
                warn(words)
        self._drafts.publish()

    def _header(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Return the MAML of what was written so far, and the entries of the footer, that MAML among them."""
        written = [held.written() for held in self._columns]
        qc = {held.column.output_name: held.column.qc for held in self._columns if held.column.qc is not None}
        text = sidecar(self._schema.maml, written, self._schema.metadata, qc)
        return text, file_items(written, self._schema.metadata, date=self._date, maml=text)

    def _check_names(self, given: Mapping[str, object]) -> None:
        known = self._schema.columns
        outputs = {column.output_name: column.name for column in known.values() if column.is_declared}
        found = [
            Problem("column", (held.column.name,), f"the column {held.column.name!r} is missing; {_fix(held, given)}")
            for held in self._columns
            if held.column.name not in given
        ]
        for name in given:
            if name not in known:
                fix = f"it is called {outputs[name]!r} here" if name in outputs else "declare it, or leave it out"
                found.append(Problem("column", (name,), f"the schema has no column {name!r}; {fix}"))
        if found:
            raise MamlError(found)

    def _check_open(self) -> None:
        if os.getpid() != self._process:
            words = f"the writer of {str(self.path)!r} belongs to another process, which this one is a fork of"
            raise MamlError([Problem("argument", (), f"{words}; write in that one, or open another file here")])
        if self._state != "open":
            why = "failed before, so there is no file" if self._state == "failed" else f"is {self._state}"
            raise MamlError([Problem("argument", (), f"the writer of {str(self.path)!r} {why}; open a new one")])

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        """Discard what was written where anything goes wrong; errors of the system name the file."""
        try:
            yield
        except BaseException as error:
            self._fail()
            if isinstance(error, OSError) and error.errno is not None and error.filename is None:
                raise OSError(error.errno, error.strerror, str(self.path)) from error
            raise

    def _fail(self) -> None:
        self._state = "failed"
        try:
            with contextlib.suppress(OSError, pa.ArrowException):
                if self._output is not None:
                    self._output.abandon()
        finally:
            self._drafts.discard()


def _check_schema(schema: object) -> None:
    if not isinstance(schema, Schema):
        words = f"schema is a {type(schema).__name__}; give a Schema, like Schema.from_maml(load('x.maml'))"
        raise MamlError([Problem("argument", ("schema",), words)])


def _is_source(path: Path, schema: Schema) -> bool:
    """Return whether a file is the very one that the schema's MAML was loaded from."""
    source = schema.maml.source if schema.maml is not None else ""
    try:
        return bool(source) and path.samefile(source)
    except (OSError, ValueError):
        return False


def _fix(held: Growing, given: Mapping[str, object]) -> str:
    output = held.column.output_name
    if output in given and output != held.column.name:
        return f"its name here is {held.column.name!r}, {output!r} is the one in the file"
    return f"the table has {', '.join(map(repr, [*given][:20])) or 'none'}; give it, or disable it"
