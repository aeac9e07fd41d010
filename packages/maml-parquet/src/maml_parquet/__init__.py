"""MAML, the YAML description of a table and its columns, and the parquet files that carry it.

A MAML is parsed and validated, with the place of every problem; tables are written into parquet with what it says of
them, and read back with units, names, rules and bounds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from maml_parquet import errors
    from maml_parquet.errors import MamlError, MamlWarning
    from maml_parquet.files.metadata import FileMetadata, metadata
    from maml_parquet.files.reading import read_table
    from maml_parquet.files.tables import ParquetTable, open_table
    from maml_parquet.files.writing import Writer, open_writer, write_table
    from maml_parquet.schema.schema import Schema
    from maml_parquet.sections.entries import entries
    from maml_parquet.sections.loading import load, parse, problems, valid_for, validate
    from maml_parquet.sections.records import Maml
    from maml_parquet.sections.schemas import json_schema
    from maml_parquet.sections.users import validate_user

__all__ = [
    "FileMetadata",
    "Maml",
    "MamlError",
    "MamlWarning",
    "ParquetTable",
    "Schema",
    "Writer",
    "entries",
    "errors",
    "json_schema",
    "load",
    "metadata",
    "open_table",
    "open_writer",
    "parse",
    "problems",
    "read_table",
    "valid_for",
    "validate",
    "validate_user",
    "write_table",
]

_HOMES: Final = {
    "errors": ("MamlError", "MamlWarning"),
    "files.metadata": ("FileMetadata", "metadata"),
    "files.reading": ("read_table",),
    "files.tables": ("ParquetTable", "open_table"),
    "files.writing": ("Writer", "open_writer", "write_table"),
    "schema.schema": ("Schema",),
    "sections.entries": ("entries",),
    "sections.loading": ("load", "parse", "problems", "valid_for", "validate"),
    "sections.records": ("Maml",),
    "sections.schemas": ("json_schema",),
    "sections.users": ("validate_user",),
}
"""The module of each public name, which is imported when the name is first used."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "errors":
        return import_module(f"{__name__}.errors")
    for module, names in _HOMES.items():
        if name in names:
            globals()[name] = found = getattr(import_module(f"{__name__}.{module}"), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
