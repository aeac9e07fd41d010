"""A parquet file, or a part of it, as a table in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pyarrow as pa

from maml_parquet.files.requests import Checks, MamlSource, QcMode, Rows
from maml_parquet.files.tables import open_table


def read_table(
    path: str | os.PathLike[str],
    maml: MamlSource | None = None,
    *,
    columns: Sequence[str] | None = None,
    filter: str | Sequence[str] | None = None,
    sort: str | Sequence[str] | None = None,
    rows: Rows | None = None,
    qc: QcMode = "error",
    checks: Checks | None = None,
) -> pa.Table:
    r"""Return the rows that pass, in their order, with units, UCDs and descriptions.

    Row groups whose statistics say that no row passes are not read; the rows are the same as if they were. Parameters
    are those of `open_table`.

    Returns
    -------
    pa.Table
        Columns in the file's order, or in that of `columns`. A field's metadata has ``unit``, ``ucd`` and
        ``description`` where the file says them (a unit of the MAML goes before the file's); the table's has the
        entries of the file, of repeated keys the first.

    Raises
    ------
    FileNotFoundError
        There is no such file or folder.
    MamlError
        What is wrong with the MAML, the arguments, or the file, before any row is read; code ``qc`` for values of the
        columns that are read, in rows that pass, that break their bounds; ``file`` for a damaged row group.

    Warns
    -----
    MamlWarning
        With ``qc="warn"``: once for each column and kind of problem.

    Examples
    --------
    >>> import pyarrow.parquet as pq
    >>> path = getfixture("tmp_path") / "t.parquet"
    >>> pq.write_table(pa.table({"MASS_KG": [3.0, None, 1.0], "id": [7, 8, 9]}), path)
    >>> maml = "extra:\n  remap:\n  - mass: MASS_KG\n  sort:\n  - MASS_KG desc\nfields:\n- name: MASS_KG\n  unit: kg\n"
    >>> table = read_table(path, maml, filter="mass is_not_null")
    >>> table.to_pydict(), table.field("mass").metadata
    ({'mass': [3.0, 1.0], 'id': [7, 9]}, {b'unit': b'kg'})
    """
    with open_table(path, maml, columns=columns, filter=filter, sort=sort, rows=rows, qc=qc, checks=checks) as table:
        return table.to_arrow()
