"""Opening arrays and describing pyramids, beside the file reads and the tensorstore open they cannot do without."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import stores
import tensorstore as ts
from harness import Goal, Growth, Line, timer

import worldarray as wa

DRIVERS = ("zarr", "zarr3")


def lines(root: Path, *, quick: bool) -> list[Line]:
    """Return the openings of the speed table, of zarr v2 and v3."""
    found = []
    for driver in DRIVERS[1:] if quick else DRIVERS:
        array = stores.write(root / f"open-{driver}.zarr" / "s0", stores.shells(64), driver=driver)
        found.append(_open_array(array, driver))
        found.append(_metas(stores.pyramid(root / f"ten-{driver}.zarr", 10, driver=driver), driver))
    return found


def growth(root: Path, *, quick: bool) -> list[Growth]:
    """Return pyramids of more and more levels: describing all, placing all, opening one."""
    counts = (2, 4, 8) if quick else (10, 30, 100)
    groups = {count: stores.pyramid(root / f"levels-{count}.zarr", count) for count in counts}
    calls: dict[str, Any] = {
        "open_pyramid(...).metas(), by levels": lambda path: lambda: wa.open_pyramid(path).metas(),
        "open_pyramid(...).placements(), by levels": lambda path: lambda: wa.open_pyramid(path).placements(),
        "open(group, level=0), by levels": lambda path: lambda: wa.open(path, level=0),
        "open(group, voxel_size=...), by levels": lambda path: lambda: wa.open(path, voxel_size=stores.SIZE),
    }
    return [
        Growth(name, [(count, timer(make(path))) for count, path in groups.items()]) for name, make in calls.items()
    ]


def _open_array(path: Path, driver: str) -> Line:
    context = wa.shared_context()
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": f"{path}/"}}
    documents = [stores.document(path, driver), stores.group_document(path.parent, driver)]

    def reference() -> Any:
        _read(documents)
        return ts.open(spec, context=context, read=True).result()

    name = f"open(array).ts, {stores.NAMES[driver]}"
    says = "two document reads and tensorstore.open; files in the page cache, the context shared"
    return Line(
        name, timer(reference), timer(lambda: wa.open(path).ts), Goal(ratio=2), says, {"op": "open", "path": str(path)}
    )


def _metas(path: Path, driver: str) -> Line:
    documents = [stores.document(path / f"s{i}", driver) for i in range(10)]
    documents.append(stores.group_document(path, driver))
    name = f"open_pyramid(...).metas() of ten levels, {stores.NAMES[driver]}"
    return Line(
        name,
        timer(lambda: _read(documents)),
        timer(lambda: wa.open_pyramid(path).metas()),
        Goal(ratio=3),
        "reading the bytes of the eleven documents; files in the page cache",
        {"op": "metas", "path": str(path)},
    )


def _read(paths: Sequence[str]) -> None:
    for path in paths:
        with open(path, "rb") as file:
            file.read()
