"""`maml-parquet convert`: a table of another format to a parquet file that carries a MAML."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maml_parquet.cli.counting import counted
from maml_parquet.cli.inputs import Batch, Input, add_options, is_known_otherwise, open_input, options_of
from maml_parquet.cli.inputs_arrays import with_nulls
from maml_parquet.errors import MamlError, MamlWarning, Problem
from maml_parquet.schema.records import Column
from maml_parquet.schema.schema import Schema
from maml_parquet.sections.loading import load
from maml_parquet.sections.sizes import AUTO

if TYPE_CHECKING:
    from maml_parquet.files.writing import Writer


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_options(parser)
    parser.add_argument(
        "output",
        metavar="OUT",
        help="the parquet file; its MAML is written beside it, too, unless the one that is given stands there",
    )
    parser.add_argument("--maml", required=True, metavar="FILE", help="what the table is: its columns and its metadata")
    parser.add_argument(
        "--dialect", choices=("yaml", "line"), default="yaml", help="how the MAML is read (default: yaml)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace files that are there")
    parser.add_argument("--no-sidecar", action="store_true", help="write no MAML beside the file")
    parser.add_argument("--no-qc", action="store_true", help="do not check bounds and Nulls")
    parser.add_argument(
        "--on-overlong",
        choices=("error", "warn"),
        default="error",
        help="what a string is that is longer than the MAML says (default: error)",
    )
    parser.add_argument("--assume-utc", action="store_true", help="times without a time zone are in UTC")
    parser.add_argument("--nan-is-null", action="store_true", help="write Nulls for NaN")
    parser.add_argument("--date", metavar="DATE", help="the date of the file, like 2024-05-06T07:08:09 (default: now)")
    parser.add_argument(
        "--row-group-size", type=int, metavar="ROWS", help="rows of a row group (default: some 256 MiB)"
    )


def run(given: argparse.Namespace) -> int:
    """Convert; a line on standard output says what was written."""
    from maml_parquet.files.writing import open_writer  # noqa: PLC0415  (pyarrow takes a moment)

    for path, what in ((given.input, "the table that is converted"), (given.maml, "the MAML")):
        if _is_same_file(path, given.output):
            words = f"{given.output!r} is {what}, which would be lost; give another name for the output"
            raise MamlError([Problem("argument", ("output",), words)])
    if is_known_otherwise(given.output):
        words = (
            f"{given.output!r} has the suffix of another format, and what is written is parquet; end it with .parquet"
        )
        raise MamlError([Problem("argument", ("output",), words)])
    schema = Schema.from_maml(load(given.maml, dialect=given.dialect))
    columns = list(schema.columns.values())
    with open_input(given.input, options_of(given)) as source:
        _check_names(source, columns, given.input)
        _check_units(source, columns, given.input)
        writer = open_writer(
            given.output,
            schema,
            write_maml=not given.no_sidecar,
            qc=not given.no_qc,
            on_overlong=given.on_overlong,
            file_date=given.date,
            overwrite=given.overwrite,
            assume_utc=given.assume_utc,
            row_group_size=given.row_group_size,
        )
        with writer, _watched(source.num_rows) as seen:
            _write(writer, source, columns, given.nan_is_null, seen)
    sys.stdout.write(f"{given.output}: {counted(writer.num_rows, 'row')} of {counted(len(columns), 'column')}\n")
    return 0


def _is_same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        return False


def _check_names(source: Input, columns: Sequence[Column], path: str) -> None:
    """Raise MamlError for columns that the table lacks; warn of those that the MAML leaves out."""
    problems = []
    for column in columns:
        if column.name not in source.names:
            close = get_close_matches(column.name, source.names, 1, 0.6)
            there = f"there is {', '.join(map(repr, close or source.names[:20]))}"
            words = f"there is no column {column.name!r} in the table; {there}{_renaming(column, close)}"
            problems.append(Problem("column", (column.name,), words))
    if problems:
        raise MamlError(problems, path)
    wanted = {column.name for column in columns}
    left = [name for name in source.names if name not in wanted and not _is_element(name, wanted)]
    if left:
        words = ", ".join(left[:20]) + (f" and {len(left) - 20} more" if len(left) > 20 else "")
        warnings.warn(f"{path}: the MAML has no columns {words}; they are left out", MamlWarning, stacklevel=2)


def _renaming(column: Column, close: Sequence[str]) -> str:
    """Return how a column of the table is renamed, where the MAML does not do it."""
    if column.output_name != column.name:
        return ""
    pair = f"{json.dumps(close[0] if close else 'its name there')}: {json.dumps(column.name)}"
    return f"; to rename one, write extra: {{col_map: [{pair}]}} into the MAML"


def _check_units(source: Input, columns: Sequence[Column], path: str) -> None:
    """Warn of columns that the table has in one unit and the MAML in another: no value is converted."""
    for column in columns:
        unit = source.units.get(column.name, "")
        if unit and column.unit and not _same_unit(unit, column.unit):
            words = f"{column.name} is in {unit!r}, the MAML says {column.unit!r}; the values stay as they are"
            warnings.warn(f"{path}: {words}", MamlWarning, stacklevel=2)


def _same_unit(one: str, other: str) -> bool:
    """Return whether two texts are one unit, blanks aside, or one in the eyes of astropy where that was loaded."""
    if "".join(one.split()) == "".join(other.split()):
        return True
    units = sys.modules.get("astropy.units")
    return units is not None and bool(
        units.Unit(one, parse_strict="silent") == units.Unit(other, parse_strict="silent")
    )


def _is_element(name: str, wanted: set[str]) -> bool:
    """Return whether a column is an element of a vector that is wanted, or might be one."""
    base, _, number = name.rpartition("_")
    return base in wanted and number.isdigit()


def _write(
    writer: Writer, source: Input, columns: Sequence[Column], nan_is_null: bool, seen: Callable[[int], None]
) -> None:
    before = 0
    for batch in source.batches(columns):
        _check_shapes(batch, columns)
        writer.write(batch if not nan_is_null else {name: _without_nan(values) for name, values in batch.items()})
        seen(writer.num_rows - before)
        before = writer.num_rows
    if not before and writer.num_rows == 0:
        writer.write(_no_rows(columns))


def _check_shapes(batch: Batch, columns: Sequence[Column]) -> None:
    """Raise MamlError for scalars where the MAML says vectors: the writer would divide them into fewer rows."""
    for column in columns:
        values = batch[column.name]
        if column.col_size not in (1, AUTO) and _is_flat(values):
            words = f"rows of {column.name!r} are single values, the MAML has col_size {column.col_size}; write 1"
            raise MamlError([Problem("column", (column.name,), words)])


def _is_flat(values: Any) -> bool:
    import pyarrow as pa

    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return not pa.types.is_nested(values.type)
    if isinstance(values, list):
        return not any(isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) for value in values)
    return bool(values.ndim == 1 and values.dtype.kind != "O")


def _without_nan(values: Any) -> Any:
    """Return floating-point numbers with Nulls instead of NaN; anything else as it is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values, pa.FixedSizeListArray) and pa.types.is_floating(values.type.value_type):
        return pa.FixedSizeListArray.from_arrays(_without_nan(values.flatten()), values.type.list_size)
    if isinstance(values, pa.Array) and pa.types.is_floating(values.type):
        return pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    if getattr(getattr(values, "dtype", None), "kind", "") != "f":
        return values
    data = np.ma.getdata(values)
    return with_nulls(data, np.isnan(data) | np.ma.getmaskarray(values))


def _no_rows(columns: Sequence[Column]) -> Batch:
    import pyarrow as pa

    from maml_parquet.arrow.types import arrow_type  # noqa: PLC0415  (pyarrow takes a moment)

    sizes = {column.name: column.col_size if isinstance(column.col_size, int) else 1 for column in columns}
    return {column.name: pa.array([], arrow_type(column.kind, sizes[column.name])) for column in columns}


@contextmanager
def _watched(total: int | None) -> Iterator[Callable[[int], None]]:
    """Give what is told the rows of each batch: a bar of rich where people watch."""
    if find_spec("rich") is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415  (an extra)
    from rich.progress import Progress  # noqa: PLC0415  (an extra)

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("rows", total=total)
        yield lambda rows: progress.advance(task, rows)
