"""Tables that are read with a MAML and with what a caller asks for, from real files."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from maml_parquet.arrow.types import arrow_type
from maml_parquet.errors import MamlError
from maml_parquet.files.tables import open_table
from maml_parquet.rows.kinds import Kind
from maml_parquet.rows.literals import convert
from maml_parquet.rows.trees import Literal
from maml_parquet.sections.types import parse_type

PLACE = "place of the row"


def stored(value, kind):
    """Dates and times as counts, everything else as it is."""
    if value is None or not kind.is_temporal:
        return float(value) if value is not None and kind.is_float else value
    return convert(Literal(value, quoted=True), Kind.of(str(kind)))


def table_of(given):
    """The rows, and a column of their places behind all others."""
    kinds = {name: parse_type(word) for name, word in given["kinds"].items()}
    columns = {
        name: pa.array([stored(row[name], kind) for row in given["rows"]], arrow_type(kind))
        for name, kind in kinds.items()
    }
    table = pa.table({**columns, PLACE: pa.array(range(len(given["rows"])), pa.int64())})
    units = {f"column.{name}.unit": unit for name, unit in given.get("units", {}).items()}
    return table.replace_schema_metadata(units)


def read(given):
    asked = {name: given[name] for name in ("filter", "sort", "checks", "columns") if name in given}
    if "range" in given:
        asked["rows"] = tuple(given["range"])
    if "columns" in asked:
        asked["columns"] = [*asked["columns"], PLACE]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        pq.write_table(table_of(given), path, row_group_size=given.get("group", 1000))
        try:
            with open_table(path, given["maml"].encode() if "maml" in given else None, **asked) as table:
                found = table.to_arrow()
                units = [unit for name, unit in table.units.items() if name != PLACE]
        except MamlError as error:
            return {"problems": [{"code": problem.code, "at": list(problem.at)} for problem in error.problems]}
    names = [name for name in found.column_names if name != PLACE]
    return {"columns": names, "units": units, "rows": found.column(PLACE).to_pylist()}


OPS = {"maml.read": read}
