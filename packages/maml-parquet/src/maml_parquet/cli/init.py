"""`maml-parquet init`: a draft of a MAML for a table that is there."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Final

import yaml

from maml_parquet.cli.inputs import InputColumn, add_options, one_line, open_input, options_of
from maml_parquet.errors import MamlError, MamlWarning, Problem
from maml_parquet.sections.loading import parse

_HINT: Final = """\
# Say more by taking the # away: who made it, when, and under which terms it may be used.
# version: '1.0'
# date: '2024-05-06'
# author: Name <name@example.org>
# license: CC-BY-4.0
"""

_WIDTH: Final = 100


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_options(parser)


def run(given: argparse.Namespace) -> int:
    """Write the draft to standard output; what is not carried over is told on standard error."""
    with open_input(given.input, options_of(given)) as source:
        text = _inside(source.maml) or draft(source.table, source.describe(), source.description)
    parse(text)
    sys.stdout.write(text)
    return 0


def draft(table: str, columns: Iterable[InputColumn], description: str = "") -> str:
    r"""Return a MAML of a table: the name, type, unit, UCD and description of each column that MAML has a type for.

    Warns
    -----
    MamlWarning
        For each column of which something is lost.

    Examples
    --------
    >>> from maml_parquet.sections.types import TypeToken
    >>> text = draft("stars", [InputColumn("ra", TypeToken("float64"), unit="deg", ucd="pos.eq.ra")])
    >>> print(text.partition("fields:\n")[2])
    - name: ra
      unit: deg
      ucd: pos.eq.ra
      data_type: float64
    <BLANKLINE>
    """
    fields = []
    for column in columns:
        if column.reason:
            fate = "" if column.kind else "; it is left out"
            warnings.warn(f"column {column.name!r}: {column.reason}{fate}", MamlWarning, stacklevel=2)
        if column.kind is not None:
            fields.append(_field(column))
    if not fields:
        words = "the table has no column that MAML has a type for, so there is nothing to describe"
        raise MamlError([Problem("fields-missing", ("fields",), words)])
    head = {"table": one_line(table)}
    if description:
        head["description"] = description
    return f"{_yaml(head)}{_HINT}{_yaml({'fields': fields})}"


def _field(column: InputColumn) -> dict[str, Any]:
    """Return the members of a field, those that say nothing left out."""
    found: dict[str, Any] = {"name": column.name}
    for key, text in (("unit", column.unit), ("info", column.info), ("ucd", column.ucd)):
        if text:
            found[key] = text
    found["data_type"] = str(column.kind)
    if column.col_size != 1:
        found["col_size"] = column.col_size
    if column.array_size is not None:
        found["array_size"] = column.array_size
    return found


def _yaml(value: Mapping[str, Any]) -> str:
    """Return YAML whose texts are quoted where they need be."""
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return text


def _inside(text: str | None) -> str | None:
    """Return the MAML that a file carries, if it is one."""
    if text is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MamlWarning)
        try:
            parse(text)
        except MamlError:
            return None
    return text if text.endswith("\n") else f"{text}\n"
