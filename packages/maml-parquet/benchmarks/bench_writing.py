"""Writing a catalogue: whole, streamed, without checks; pyarrow with the same encodings, and other writers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import catalogues
from harness import Goal, Line, timer

import maml_parquet as mp


def lines(root: Path, *, quick: bool) -> Iterator[Line]:
    """Yield writing with bounds checked, whole and in ten batches, and without checks."""
    held = catalogues.table(catalogues.rows(quick=quick))
    group = max(held.num_rows // 10, 1_000)
    schema = catalogues.schema()
    theirs, ours = root / "theirs.parquet", root / "ours.parquet"
    bare = timer(lambda: catalogues.write_bare(held, theirs, group=group))
    says = "pyarrow's write_table, same codec, encodings and row groups"
    more = {"row_group_size": group, "overwrite": True}
    whole = timer(lambda: mp.write_table(held, ours, schema, **more))
    yield Line(f"write {held.num_rows:.0e} rows, bounds checked", bare, whole, Goal(1.25), says)
    yield Line("the same, ten batches", bare, timer(lambda: _streamed(held, ours, schema, more)), Goal(1.25), says)
    unchecked = timer(lambda: mp.write_table(held, ours, schema, qc=False, **more))
    yield Line("the same, bounds not checked", bare, unchecked, Goal(), says)
    size = (lambda _: float(theirs.stat().st_size), lambda _: float(ours.stat().st_size))
    yield Line("size of the file", *size, Goal(1.01), says, unit="bytes")
    for name, write in _others(held, root / "others.parquet").items():
        yield Line(f"write / {name}", timer(write), whole, Goal(), "other writers, as their documentation suggests")


def _streamed(held: Any, path: Path, schema: mp.Schema, more: dict[str, Any]) -> None:
    step = -(-held.num_rows // 10)
    with mp.open_writer(path, schema, **more) as writer:
        for start in range(0, held.num_rows, step):
            writer.write(held.slice(start, step))


def _others(held: Any, path: Path) -> dict[str, Callable[[], object]]:
    import polars  # noqa: PLC0415  (only where it is measured)
    from astropy.table import Table  # noqa: PLC0415

    frame = polars.from_arrow(held)
    sky = Table({name: held[name].to_numpy() for name in held.column_names})
    sky["kind"] = sky["kind"].astype(str)
    facts = {name: {"unit": "", "ucd": "", "utype": "", "description": ""} for name in held.column_names}

    def votable() -> None:
        sky.write(path, format="parquet.votable", metadata=facts, overwrite=True)

    return {
        "polars, zstd 3": lambda: frame.write_parquet(path, compression="zstd", compression_level=3),
        "astropy, parquet.votable": votable,
    }
