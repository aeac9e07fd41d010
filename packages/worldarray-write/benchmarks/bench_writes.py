"""Writing boxes of whole units, beside the same write through tensorstore."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import stores
import tensorstore as ts
from harness import Goal, Growth, Line, timer
from places import fastest, places

import worldarray as wa

SIDE = 256
UNIT = 64
"""Voxels a side of a write unit: 256 KiB."""
ORIGIN = (0, 0, 0)
OF_ONE_IN_MEMORY = Goal(over_us=30)
"""As for reading one voxel: where nothing waits for a disk, a small write is timed against the interpreter."""
_DRIVERS = {"zarr2": "zarr", "zarr3": "zarr3"}


class Kind(NamedTuple):
    """How an array is stored."""

    format: str
    sharded: bool
    codec: str

    def __str__(self) -> str:
        return f"zarr v{self.format[-1]}{' sharded' * self.sharded} {self.codec}"


KINDS = [
    Kind(format, sharded, codec)
    for format, sharded in (("zarr2", False), ("zarr3", False), ("zarr3", True))
    for codec in ("none", "zstd")
]


def lines(root: Path, *, quick: bool) -> list[Line]:
    """Return the writes of 4 MiB and of one unit, by index and by the index of the unit."""
    values = root / "values.npy"
    np.save(values, stores.shells(SIDE)[:UNIT])
    found = []
    for place, folder in places(root).items():
        for kind in KINDS[3:4] if quick else KINDS:
            found += _of_array(folder, place, kind, values)
    return found


def growth(root: Path, *, quick: bool) -> list[Growth]:
    """Return writes of whole volumes, in memory."""
    points = []
    for side in (16, 32, 64) if quick else (64, 128, 256):
        path = fastest(root) / f"written-{side}.zarr" / "s0"
        volume, values = (
            make(path, Kind("zarr3", sharded=False, codec="none"), side, min(side, UNIT)),
            stores.shells(side),
        )
        points.append((side**3, timer(lambda v=volume, x=values: v.write_index(ORIGIN, x.shape, x))))  # type: ignore[misc]
    return [Growth("write_index of a whole volume, by voxels", points)]


def make(path: Path, kind: Kind, side: int = SIDE, unit: int = UNIT) -> Any:
    """Make an array that has no chunks yet."""
    half = {"chunks": (unit // 2,) * 3, "shards": (unit,) * 3} if kind.sharded else {"chunks": (unit,) * 3}
    centre = [s / 2 for s in stores.SIZE]
    return wa.create(path, (side,) * 3, "uint8", stores.SIZE, centre, format=kind.format, codecs=kind.codec, **half)


def _of_array(root: Path, place: str, kind: Kind, file: Path) -> list[Line]:
    path, raw_path, peer_path = (root / f"{who}-{kind}.zarr" / "s0" for who in ("ours", "raw", "peer"))
    volume, _, _ = (make(each, kind) for each in (path, raw_path, peer_path))
    spec = {"driver": _DRIVERS[kind.format], "kvstore": {"driver": "file", "path": f"{raw_path}/"}}
    raw = ts.open(spec, context=wa.shared_context()).result()
    many, one = (UNIT, SIDE, SIDE), (UNIT,) * 3
    disk = place == "disk"
    says = "the same tensorstore write to an array of the same documents, under the same context; both are overwritten"
    job = {"path": str(peer_path), "values": str(file)}
    found = []
    for end, what in ((many, "4 MiB"), (one, "one unit")):
        values = np.ascontiguousarray(np.load(file)[tuple(map(slice, end))])
        slices = tuple(map(slice, end))
        reference = timer(lambda s=slices, x=values: raw[s].write(x).result())  # type: ignore[misc]
        ours = timer(lambda e=end, x=values: volume.write_index(ORIGIN, e, x))  # type: ignore[misc]
        name = f"write_index of {what}, {kind}, {place}"
        indexed = {"op": "write_index", "begin": ORIGIN, "end": end, **job}
        goal = Goal(ratio=1.05) if disk or end == many else OF_ONE_IN_MEMORY
        found.append(Line(name, reference, ours, goal, says, indexed, noisy=disk))
    chunk = {"op": "write_chunk", "index": ORIGIN, "unit": one, **job}
    ours = timer(lambda: volume.write_chunk(ORIGIN, values))
    return [*found, Line(f"write_chunk, {kind}, {place}", reference, ours, goal, says, chunk, noisy=disk)]
