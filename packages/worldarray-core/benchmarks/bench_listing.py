"""Listing the chunks that exist, beside a bare os.scandir walk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import stores
from harness import Goal, Growth, Line, timer

import worldarray as wa


def lines(root: Path, *, quick: bool) -> list[Line]:
    """Return the listing of 1e5 chunk files, in one folder and in folders of folders."""
    count = 1_000 if quick else 100_000
    return [
        _line(root / "flat.zarr" / "s0", (count // 100, 10, 10), "zarr", "."),
        _line(root / "nested.zarr" / "s0", (count // 100, 10, 10), "zarr3", "/"),
    ]


def growth(root: Path, *, quick: bool) -> list[Growth]:
    """Return the listing at three numbers of files."""
    sizes = (100, 300, 1_000) if quick else (1_000, 10_000, 100_000)
    points = []
    for count in sizes:
        path = _filled(root / f"files-{count}.zarr" / "s0", (count // 100, 10, 10), "zarr3", "/")
        points.append((count, timer(wa.open(path).list_chunks)))
    return [Growth("list_chunks, by files", points)]


def walk(folder: str) -> int:
    """Return how many files lie below a folder."""
    found, pending = 0, [folder]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    pending.append(entry.path)
                else:
                    found += 1
    return found


def _line(path: Path, grid: Sequence[int], driver: str, separator: str) -> Line:
    volume = wa.open(_filled(path, grid, driver, separator))
    listed = len(volume.list_chunks())
    return Line(
        f"list_chunks of {listed:g} files, {stores.NAMES[driver]}, separator {separator}",
        timer(lambda: walk(str(path))),
        timer(volume.list_chunks),
        Goal(ratio=3),
        "an os.scandir walk that counts the files; directories cached",
        {"op": "list_chunks", "path": str(path)},
    )


def _filled(path: Path, grid: Sequence[int], driver: str, separator: str) -> Path:
    stores.empty(path, grid, (1,) * len(grid), driver=driver, separator=separator)
    volume = wa.open(path)
    stores.chunk_files(path, [volume.chunk_key(block.index) for block in wa.blocks(grid, (1,) * len(grid))])
    return path
