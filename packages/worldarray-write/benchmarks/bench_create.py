"""Creating placed levels, beside writing the files that they are made of."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import stores
from harness import Call, Goal, Growth, Line, Timer, restored, undoing
from places import fastest, places

import worldarray as wa

FORMATS = {"zarr2": "zarr v2", "zarr3": "zarr v3"}
LEVEL: dict[str, Any] = {"shape": (600, 800, 1000), "dtype": "uint16", "chunks": (64, 64, 64)}
COUNT = 60
"""Levels of a group that has many."""
Files = Mapping[str, bytes]


def lines(root: Path, *, quick: bool) -> list[Line]:
    """Return creations: of a group's first level, of a level in a group of many, of a level made from another."""
    found = []
    for place, folder in places(root).items():
        for format in ["zarr3"] if quick else FORMATS:
            found += _first(folder, place, format)
            found += _added(folder, place, format)
            found.append(_sixtieth(folder, place, format, 6 if quick else COUNT))
    return found


def growth(root: Path, *, quick: bool) -> list[Growth]:
    """Return the creation of the first, the tenth and the sixtieth level of a group, in memory."""
    counts = (1, 3, 6) if quick else (1, 10, COUNT)
    created, added = [], []
    for count in counts:
        group = _group(fastest(root) / f"growing-{count}.zarr", "zarr3", count - 1)
        created.append((count, undoing(_creating(group, count, "zarr3"), restored(_before(group, f"s{count - 1}")))))
        again = _group(fastest(root) / f"added-{count}.zarr", "zarr3", count)
        added.append((count, undoing(_adding(again), restored(_before(again, "new")))))
    return [
        Growth("create the n-th level of a group, by n", created),
        Growth("open_pyramid(...).add_level in a group of n levels, by n", added),
    ]


# Lines ---------------------------------------------------------------------------------------------------------------


def _first(root: Path, place: str, format: str) -> list[Line]:
    group = root / f"first-{format}.zarr"
    before = _before(group, "s0")
    create = _creating(group, 1, format)
    job = _job(group, 1, format, before)
    lines = _beside_files(f"create, {FORMATS[format]}, {place}", group, create, before, job)
    return lines if place == "disk" else lines[:1]


def _added(root: Path, place: str, format: str) -> list[Line]:
    group = _group(root / f"pyramid-{format}.zarr", format, 1)
    before = _before(group, "new")
    job = {"op": "add_level", "group": str(group), "name": "new", "factors": (2, 2, 2), "before": before}
    name = f"open_pyramid(...).add_level, {FORMATS[format]}, {place}"
    lines = _beside_files(name, group, _adding(group), before, job)
    return lines if place == "disk" else lines[:1]


def _sixtieth(root: Path, place: str, format: str, count: int) -> Line:
    one, many = root / f"one-{format}.zarr", _group(root / f"many-{format}.zarr", format, count - 1)
    reference = undoing(_creating(one, 1, format), restored(_before(one, "s0")))
    before = _before(many, f"s{count - 1}")
    ours = undoing(_creating(many, count, format), restored(before))
    return Line(
        f"create level {count} of a group, {FORMATS[format]}, {place}",
        reference,
        ours,
        Goal(ratio=3),
        "creating the first level of a group, in the same place",
        _job(many, count, format, before),
        noisy=True,
    )


def _beside_files(name: str, group: Path, call: Call, before: Mapping[str, str | None], job: Any) -> list[Line]:
    """Return a call beside plain writes of its files, and beside writes that last through a loss of power."""
    files = _files_of(group, call, before)
    undo = restored(before)

    def beside(write: Callable[[str, bytes], None]) -> Timer:
        return undoing(lambda: _write(files, write), undo)

    plainly = "writing the same files, folders made: open, write, close; nothing is synced"
    lasting = (
        "writing the same files as tensorstore writes documents: folders made, a temporary file written, synced and "
        "renamed, the folder synced"
    )
    return [
        Line(f"{name}, plain files", beside(_plain), undoing(call, undo), Goal(ratio=3), plainly, job, noisy=True),
        Line(f"{name}, synced files", beside(_synced), undoing(call, undo), Goal(ratio=3), lasting, job, noisy=True),
    ]


# Calls ---------------------------------------------------------------------------------------------------------------


def _arguments(number: int, format: str) -> dict[str, Any]:
    """Return the arguments of a creation of level `number`, counted from 1."""
    sizes = [s * 1.25 ** (number - 1) for s in stores.SIZE]
    return {**LEVEL, "voxel_size": sizes, "translation": [s / 2 for s in sizes], "format": format}


def _creating(group: Path, number: int, format: str) -> Call:
    path, given = str(group / f"s{number - 1}"), _arguments(number, format)
    return lambda: wa.create(path, **given)


def _job(group: Path, number: int, format: str, before: Mapping[str, str | None]) -> dict[str, object]:
    level, path = _arguments(number, format), str(group / f"s{number - 1}")
    return {"op": "create", "path": path, "level": level, "before": before}


def _adding(group: Path) -> Call:
    path = str(group)
    return lambda: wa.open_pyramid(path, mode="r+").add_level("new", factors=(2, 2, 2))


def _group(path: Path, format: str, count: int) -> Path:
    """Make a group of `count` levels; return its path."""
    for number in range(1, count + 1):
        _creating(path, number, format)()
    return path


# Files ---------------------------------------------------------------------------------------------------------------


def _before(group: Path, level: str) -> dict[str, str | None]:
    """Return what undoes the creation of a level: the group's documents as they are, or nothing of the group."""
    if not group.exists():
        return {str(group): None}
    documents = {str(path): path.read_text(encoding="utf-8") for path in group.iterdir() if path.is_file()}
    return {str(group / level): None, **documents}


def _files_of(group: Path, call: Call, before: Mapping[str, str | None]) -> Files:
    """Return the files that a call writes or changes."""
    call()
    files = {str(path): path.read_bytes() for path in sorted(group.rglob("*")) if path.is_file()}
    restored(before)()
    same = {str(path): path.read_bytes() for path in group.rglob("*") if path.is_file()}
    return {path: data for path, data in files.items() if same.get(path, b"").rstrip() != data.rstrip()}


def _write(files: Files, write: Callable[[str, bytes], None]) -> None:
    for path, data in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write(path, data)


def _plain(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


def _synced(path: str, data: bytes) -> None:
    temporary = f"{path}.part"
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    folder = os.open(Path(temporary).replace(path).parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
