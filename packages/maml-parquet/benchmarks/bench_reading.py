"""Reading a catalogue: all of it, with bounds, by rules, sorted, its metadata alone; other readers beside it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import catalogues
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from harness import Goal, Line, timer

import maml_parquet as mp

_CLUSTERED = ("ra >= 100 and ra < 101", (pc.field("ra") >= 100) & (pc.field("ra") < 101))
_SCATTERED = ("z < 0.5", pc.field("z") < 0.5)
_BARE = "pyarrow's read_table"


def lines(root: Path, *, quick: bool) -> Iterator[Line]:
    """Yield what the speed table says of reading."""
    path = catalogues.written(root, quick=quick)
    bare = timer(lambda: pq.read_table(path))
    yield Line("read all", bare, timer(lambda: mp.read_table(path)), Goal(1.15), _BARE)
    maml = mp.parse(catalogues.MAML, role="read")
    yield Line("read all, bounds checked", bare, timer(lambda: mp.read_table(path, maml=maml)), Goal(1.3), _BARE)
    yield from _filters(path)
    ours = timer(lambda: mp.read_table(path, sort="mag"))
    yield Line("sorted by a float64", timer(lambda: pq.read_table(path).sort_by("mag")), ours, Goal(), _BARE)
    yield Line("metadata alone", lambda _: 5e-3, timer(lambda: mp.metadata(path)), Goal(1), "the goal of 5 ms")
    opening = timer(lambda: mp.open_table(path).close())
    yield Line("open a table", lambda _: 5e-3, opening, Goal(1), "the goal of 5 ms")
    yield Line(
        "read all / astropy", timer(lambda: _astropy(path)), timer(lambda: mp.read_table(path)), Goal(0.2), "astropy"
    )


def _filters(path: Path) -> Iterator[Line]:
    for name, (rule, expression) in {"1 degree of ra": _CLUSTERED, "half of z": _SCATTERED}.items():
        ours = timer(lambda rule=rule: mp.read_table(path, filter=rule))
        others = {
            "pyarrow dataset": (lambda rule=expression: ds.dataset(path).to_table(filter=rule), Goal(1.5)),
            "read all, then filter": (
                lambda rule=expression: pq.read_table(path).filter(rule),
                Goal(0.2) if rule == _CLUSTERED[0] else Goal(),
            ),
            "polars": (lambda rule=rule: _polars(path, rule), Goal()),
            "duckdb": (lambda rule=rule: _duckdb(path, rule), Goal()),
        }
        for other, (read, goal) in others.items():
            yield Line(f"{name} / {other}", timer(read), ours, goal, "the same rows by other readers")


def _polars(path: Path, rule: str) -> Any:
    import polars  # noqa: PLC0415  (only where it is measured)

    return polars.scan_parquet(path).filter(polars.sql_expr(rule)).collect()


def _duckdb(path: Path, rule: str) -> Any:
    import duckdb  # noqa: PLC0415

    return duckdb.sql(f"select * from '{path}' where {rule}").arrow().read_all()  # a path of our own


def _astropy(path: Path) -> Any:
    from astropy.table import Table  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Table.read(path, format="parquet.votable")
