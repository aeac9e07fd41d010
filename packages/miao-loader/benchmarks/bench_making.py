"""What a dataset costs before its first sample: many volumes, and grids of many positions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import volumes
from harness import Goal, Growth, Line, timer

import miao

_SAYS = "every document of the same stores through open and json.loads"


def _config(entries: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    base = {"resolutions": [[8] * 3, [16] * 3], "output_axes": "lczyx", "patch_size": [32] * 3}
    return {"volumes": entries, **base, **more}


def lines(root: Path, *, quick: bool) -> Iterator[Line]:
    """Yield a dataset of 200 volumes of five levels, and the bytes of a pickled grid of two million positions."""
    entries = volumes.many(root, 20 if quick else 200, 5)
    config = miao.MiaoConfig(**_config(entries))
    job = {"op": "make", "config": _config(entries)}
    what = f"a dataset of {len(entries)} volumes of 5 levels"
    yield Line(
        what,
        timer(lambda: _documents(entries)),
        timer(lambda: miao.VolumeDataset(config, verbose=False)),
        Goal(gain=3),
        _SAYS,
        job,
    )
    grid = _grid(root, 4)
    says = "the goal of ten thousand bytes"
    yield Line(
        f"bytes of a pickled grid of {len(grid):.3g} positions",
        lambda _: 10_000.0,
        lambda _: float(len(ForkingPickler.dumps(grid))),
        Goal(1),
        says,
        unit="bytes",
    )


def _documents(entries: list[dict[str, Any]]) -> None:
    for entry in entries:
        for path in sorted(Path(entry["path"]).rglob(".z*")):
            json.loads(path.read_text())


def _grid(root: Path, patch: int) -> miao.VolumeDataset:
    """Return a dataset of (2048 / stride)^3 positions."""
    entries = volumes.many(root, 1, 5)
    fields = {"resolutions": [[8] * 3], "output_axes": "lczyx", "patch_size": [patch * 4] * 3, "sampling": "sequential"}
    return miao.VolumeDataset({"volumes": entries, **fields}, verbose=False)


def growth(root: Path, *, quick: bool) -> Iterator[Growth]:
    """Yield making a sequential dataset, over its positions: the cost does not grow."""
    points = []
    for patch in (16, 8, 4) if quick else (16, 8, 4, 2):
        size = len(_grid(root, patch))
        points.append((size, timer(lambda patch=patch: _grid(root, patch))))
    yield Growth("a sequential dataset, over its positions", points)
