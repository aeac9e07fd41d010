"""What a path holds, as data and as a table: levels, placement and every warning, from documents alone."""

from __future__ import annotations

from typing import Any, Final

from worldarray.describing.describe import chunk_notices
from worldarray.describing.detection import require_node
from worldarray.describing.listing import list_pyramid
from worldarray.errors import WorldArrayError
from worldarray.levels import check_levels
from worldarray.opening.choose import source_of
from worldarray.opening.family import Family
from worldarray.opening.options import OpenArguments, Units
from worldarray.paths import parse_path
from worldarray.records import ArrayMeta

Json = Any
_ASSUMED: Final = "*"
_LEGEND: Final = f"{_ASSUMED} assumed: the store gives no translation, so the centre of voxel 0 is taken to be at 0"
_HEADER: Final[tuple[str, ...]] = (
    "level",
    "shape",
    "dtype",
    "chunks",
    "shards",
    "voxel size",
    "translation",
    "corner",
    "placed by",
)


def describe_path(path: str, units: Units = None) -> dict[str, Json]:
    """Return what ``worldarray info`` shows: format, kind, axes, and per level its storage and placement; JSON-able.

    Placement is over every axis: spatial axes in `units` where they are given, the others as stored. Documents that
    contradict each other are shown as a warning. A level that is listed but not there has no shape.

    Raises
    ------
    StoreNotFoundError
        Nothing that this package reads stands at `path`.
    WorldArrayError
        A document says something that cannot be read.
    """
    arguments = OpenArguments(path=path, units=units, metadata_conflicts="warn", strict_units=False)
    where = parse_path(path)
    source = source_of(where, None)
    node = require_node(source, where)
    listing = list_pyramid(source, where, conflicts="warn")
    family = Family(source, listing, arguments)
    names = listing.names if node.kind == "group" else (listing.opened or listing.names[0],)
    warnings = [str(note) for note in listing.notices]
    levels = []
    for name in names:
        try:
            described = family.described(name)
        except WorldArrayError as error:
            warnings.append(str(error))
            levels.append({"name": name, "missing": True})
            continue
        view = family.view(described.meta)
        warnings += [str(note) for note in (*view.grid.notices, *chunk_notices(source, described))]
        levels.append(_level(name, view.grid))
    if node.kind == "group" and not any("missing" in level for level in levels):
        warnings += [str(note) for note in check_levels(family.levels(), family.declared())]
    return {
        "path": where.text,
        "format": node.format,
        "kind": node.kind,
        "levels": levels,
        "warnings": list(dict.fromkeys(warnings)),
    }


def _level(name: str, grid: ArrayMeta) -> dict[str, Json]:
    return {
        "name": name,
        "shape": list(grid.shape),
        "dtype": grid.dtype.name,
        "chunks": list(grid.chunk_shape),
        "shards": None if grid.shard_shape is None else list(grid.shard_shape),
        "axes": list(grid.axes),
        "axes_named": grid.axes_named,
        "units": list(grid.units),
        "spatial": list(grid.spatial),
        "voxel_size": list(grid.voxel_size),
        "translation": list(grid.translation),
        "translation_declared": grid.translation_declared,
        "corner": list(grid.corner),
        "placed_by": grid.placed_by,
    }


def table(info: dict[str, Json]) -> str:
    """Return what `describe_path` found as text: a row per level, what a mark there means, then the warnings."""
    rows = [_HEADER]
    rows += [_row(level) for level in info["levels"]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"{info['path']}: {info['format']} {info['kind']}", *_axes_lines(info["levels"])]
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines += [_LEGEND] * any(map(_is_assumed, info["levels"]))
    lines += [f"warning: {text}" for text in info["warnings"]]
    return "\n".join(lines)


def _row(level: dict[str, Json]) -> tuple[str, ...]:
    if "missing" in level:
        return (level["name"], "not readable", *("-",) * (len(_HEADER) - 2))
    mark = _ASSUMED if _is_assumed(level) else ""
    return (
        level["name"],
        _numbers(level["shape"]),
        level["dtype"],
        _numbers(level["chunks"]),
        "-" if level["shards"] is None else _numbers(level["shards"]),
        _numbers(level["voxel_size"]),
        _numbers(level["translation"]) + mark,
        _numbers(level["corner"]) + mark,
        level["placed_by"] or "nothing",
    )


def _is_assumed(level: dict[str, Json]) -> bool:
    return bool(level.get("axes")) and not level["translation_declared"]


def _axes_lines(levels: list[dict[str, Json]]) -> list[str]:
    """Return the axes with their units, once for each way the levels have them."""
    texts = []
    for level in levels:
        if "missing" in level:
            continue
        axes = (f"{name} ({unit})" if unit else name for name, unit in zip(level["axes"], level["units"], strict=True))
        texts.append("axes: " + ", ".join(axes) + ("" if level["axes_named"] else "; not named by the store"))
    return list(dict.fromkeys(texts))


def _numbers(values: list[float]) -> str:
    return ", ".join(f"{value:.10g}" for value in values) or "-"
