"""Bounds of the columns that are touched: what breaks them is an error, a warning, or not looked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from maml_parquet.arrow.checks import Check
from maml_parquet.errors import MamlError
from maml_parquet.files.plans import TableColumn
from maml_parquet.files.requests import QcMode
from maml_parquet.sections.types import TypeToken
from maml_parquet.telling import warn

_UNORDERED: Final = TypeToken("boolean")
"""What columns are looked at as whose values have no order: for Nulls alone."""


class Checking:
    """Looks at the columns of one pass over the rows.

    Parameters
    ----------
    mode
        ``error`` raises, ``warn`` warns, ``off`` does not look.
    source
        The file or folder, for messages.
    warned
        Columns and kinds of problems that were warned about: each is once. It grows.
    """

    def __init__(self, mode: QcMode, source: str, warned: set[tuple[str, str]]) -> None:
        self._mode = mode
        self._source = source
        self._warned = warned
        self._checks: dict[str, Check] = {}

    def add(self, column: TableColumn, array: pa.Array | pa.ChunkedArray, where: str) -> None:
        """Look at more values of a column; `where` says where they are from."""
        if self._mode == "off" or column.qc is None or not len(array):
            return
        if column.name not in self._checks:
            self._checks[column.name] = Check(column.qc, column.kind or _UNORDERED, column.name)
        self._checks[column.name].add(array, where)

    def tell(self) -> None:
        """Say what was found so far.

        Raises
        ------
        MamlError
            Code ``qc``, every problem, where the mode is ``error``.

        Warns
        -----
        MamlWarning
            Once for each column and kind of problem, where it is ``warn``.
        """
        found = [item for check in self._checks.values() for item in zip(_kinds(check), check.problems(), strict=True)]
        if self._mode == "error" and found:
            raise MamlError([problem for _, problem in found], self._source)
        for key, problem in found:
            if key not in self._warned:
                self._warned.add(key)
                warn(f"{self._source}: {problem.message}")


def _kinds(check: Check) -> list[tuple[str, str]]:
    """Return column and kind of each problem of a check: Nulls first, then bounds."""
    nulls = ["miss"] if check.nulls and check.qc.miss == "unexpected" else []
    return [(check.name, kind) for kind in ([*nulls, "bounds"] if check.outside else nulls)]


def look(checking: Checking, columns: Sequence[TableColumn], table: pa.Table, where: str) -> None:
    """Look at columns of the file; those that two columns of a table read are looked at for both."""
    for column in columns:
        checking.add(column, table.column(column.source), where)
