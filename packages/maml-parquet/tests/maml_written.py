"""What tests of written files share: schemas of texts, and the entries of footers as another reader lists them."""

from __future__ import annotations

import duckdb

import maml_parquet as mp

DATE = "2024-05-06T07:08:09"


def schema_of(fields, *, head="table: t", base=None):
    """Return the schema of fields in YAML's short form."""
    maml = mp.parse(f"{head}\nfields:\n" + "".join(f"- {{{field}}}\n" for field in fields))
    return mp.Schema.from_maml(maml, base)


def items_of(path):
    """Return the entries of a file's footer, in order, with repeats."""
    name = str(path).replace("'", "''")
    found = duckdb.sql(f"select key, value from parquet_kv_metadata('{name}')").fetchall()
    return [(key.decode(), value.decode()) for key, value in found]


def value_of(path, key):
    """Return the first entry of a key."""
    return next(value for name, value in items_of(path) if name == key)


def names(folder):
    """Return what is in a folder."""
    return sorted(path.name for path in folder.iterdir())
