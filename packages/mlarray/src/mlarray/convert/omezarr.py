"""A level, or a box of one, of a volume that worldarray opens; and an OME-Zarr array of its own back."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from mlarray.array import MLArray
from mlarray.convert import sources
from mlarray.convert.omezarr_geometry import place_of, space_of
from mlarray.convert.table import needed
from mlarray.errors import ArgumentError, Problem
from mlarray.geometry import index_map
from mlarray.io.publish import temporary_name

_CHUNK: Final = 128
"""Voxels of a chunk along each axis of type space, unless `chunks` is given."""
_UNTYPED: Final = frozenset({"component", "other"})
_TYPES: Final = {"space": "space", "time": "time", "channel": "channel"}
_BY_NAME: Final = {"t": "time", "time": "time", "c": "channel", "channel": "channel"}


def from_worldarray(
    path: Any, *, level: Any = None, box: Any = None, voxel_size: Any = None, units: str | None = None, **layout: Any
) -> MLArray:
    """Return a level of a zarr, N5 or precomputed volume as an array in memory, placed as it is there.

    Parameters
    ----------
    path
        Of an array or a multiscale group, local or remote.
    level, voxel_size
        The level of a group: a name or a position; or the voxel size, in `units`. Neither: the first.
    box
        A `worldarray.Box` in `units`, or (begin, end); None is all of it. The array's origin is that of the box.
    units
        Of lengths; None keeps those of the store.
    layout
        As for `MLArray`.

    Raises
    ------
    worldarray.errors.WorldArrayError
        The volume cannot be opened or read.
    """
    wa = needed("worldarray", "worldarray")
    if level is None and voxel_size is None and wa.detect(path).kind == "group":
        level = "first"
    volume = wa.open(path, level=level, voxel_size=voxel_size, units=units)
    begin, end = (0,) * len(volume.shape), tuple(volume.shape)
    if box is not None:
        found = box if isinstance(box, wa.Box) else wa.Box(*box)
        begin, end = _indices(volume, found)
    values = volume.read_index(begin, end)
    meta = volume.meta
    space = [axis for axis in range(len(meta.axes)) if axis in meta.spatial]
    axes = [_axis(meta, axis, begin[axis]) for axis in range(len(meta.axes))]
    made = MLArray(values, axes=axes, spaces=_spaces(volume, space, begin), values=_meaning(meta, values), **layout)
    entry = {
        "format": meta.format,
        "files": [],
        "reader": f"worldarray {wa.__version__}" if hasattr(wa, "__version__") else "worldarray",
        "index_map": index_map.document(range(values.ndim)),
        "header": {
            "path": str(path),
            "level": volume.level_name or "",
            "begin": list(map(int, begin)),
            "end": list(map(int, end)),
            "attributes": _plain(meta.attrs),
            "group_attributes": _plain(meta.group_attrs),
        },
    }
    return sources.attach(made, entry)


def _indices(volume: Any, box: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the index range whose voxel centres lie in a box, clipped to the array; all along the other axes."""
    inside = volume.index_box(box)
    begin, end = [], []
    for low, high, size in zip(*inside, volume.shape, strict=True):
        begin.append(max(0, int(low)))
        end.append(min(size, int(high)))
    if any(a >= b for a, b in zip(begin, end, strict=True)):
        message = f"no voxel of the array lies in the box {box}; its own is {volume.box}"
        raise ArgumentError(Problem("out_of_range", ("box",), message))
    return tuple(begin), tuple(end)


def _axis(meta: Any, axis: int, begin: int) -> dict[str, Any]:
    name = meta.axes[axis]
    given = (meta.axis_types or ("",) * len(meta.axes))[axis]
    kind = "space" if axis in meta.spatial else _TYPES.get(given) or _BY_NAME.get(name, "other")
    found: dict[str, Any] = {"name": name, "type": kind}
    if kind == "time":
        step, start = meta.voxel_size[axis], meta.translation[axis]
        found |= {"start": float(start + begin * step), "step": float(step)}
        if meta.units[axis]:
            found["unit"] = _name_of(meta.units[axis])
    return found


def _name_of(unit: str) -> str:
    """Return a unit by its listed name, where worldarray spells it in another way."""
    found = needed("worldarray", "worldarray").units.parse(unit) if unit else None
    return unit if found is None else str(found.name)


def _spaces(volume: Any, space: Sequence[int], begin: Sequence[int]) -> list[dict[str, Any]]:
    """Return the space of a volume: positions of voxel centres, in the units of the handle."""
    if not space:
        return []
    meta = volume.meta
    sizes = list(map(float, volume.voxel_size))
    first = list(map(float, volume.translation))
    units = [_name_of(volume.units[axis]) for axis in space]
    moved = [t + begin[axis] * s for axis, t, s in zip(space, first, sizes, strict=True)]
    return [space_of([meta.axes[axis] for axis in space], sizes, moved, units)]


def _meaning(meta: Any, values: NDArray[Any]) -> dict[str, Any]:
    """Return labels where the group says so: OME's image-label, with its colours, or precomputed's segmentation."""
    group = meta.group_attrs
    inner = group.get("ome")
    stated = (inner if isinstance(inner, Mapping) else group).get("image-label")
    if values.dtype.kind not in "iub" or (stated is None and "segmentation" not in _types(meta)):
        return {}
    colours = stated.get("colors") if isinstance(stated, Mapping) else None
    labels: dict[str, dict[str, Any]] = {}
    for item in colours if isinstance(colours, Sequence) else ():
        value, rgba = (item.get(key) for key in ("label-value", "rgba")) if isinstance(item, Mapping) else (None, None)
        if type(value) is int and isinstance(rgba, Sequence) and _is_colour(rgba):
            labels[str(value)] = {"color": "#" + bytes(rgba).hex()}
    properties = stated.get("properties") if isinstance(stated, Mapping) else None
    for item in properties if isinstance(properties, Sequence) else ():
        value, name = (item.get(key) for key in ("label-value", "name")) if isinstance(item, Mapping) else (None, None)
        if type(value) is int and isinstance(name, str):
            labels[str(value)] = {"name": name, **labels.get(str(value), {})}
    return {"kind": "label", **({"labels": labels} if labels else {})}


def _is_colour(rgba: Sequence[Any]) -> bool:
    return len(rgba) == 4 and all(isinstance(part, int) and 0 <= part < 256 for part in rgba)


def _types(meta: Any) -> tuple[Any, ...]:
    return meta.attrs.get("type"), meta.group_attrs.get("type")


def _plain(value: Any) -> Any:
    if isinstance(value, dict) or hasattr(value, "items"):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def to_worldarray(array: MLArray, path: Any, *, level: str = "s0", overwrite: bool = False, **options: Any) -> None:
    """Write an array as the first level of a new OME-Zarr group, with its placement and, of a label image, its labels.

    Parameters
    ----------
    array
        Its default space must be axis-aligned, each array axis along a space axis with a positive scale.
    path
        Of the group, which must not exist.
    level
        The name of the level.
    overwrite
        Nothing that exists is replaced: anything but False is refused.
    options
        As for `worldarray.create`; `chunks` are 128 along axes of type space unless they are given.

    Raises
    ------
    ArgumentError
        OME-NGFF cannot hold the geometry.
    FileExistsError
        Something stands there.
    """
    wa = needed("worldarray_write", "worldarray")
    if overwrite:
        raise ArgumentError(
            Problem("unsupported", ("overwrite",), "a zarr is never replaced; take the old one away first")
        )
    array.meta.usable(())
    target = sources.new_path(path, overwrite=False)
    size, centre, units = place_of(array.meta.at(("axes",)), array.meta.at(("spaces",)) or [])
    values = array.to_numpy()
    chunks = [min(_CHUNK, n) if k == "space" else 1 for n, k in zip(array.shape, array.meta.axis_types, strict=True)]
    options.setdefault("chunks", chunks)
    options.setdefault("axis_types", ["" if kind in _UNTYPED else kind for kind in array.meta.axis_types])
    stated = _image_label(array)
    if stated is not None:
        given = dict(options.get("group_attrs") or {})
        second = options.get("format") == "zarr2"
        inner = {"image-label": {"version": "0.4", **stated} if second else stated}
        options["group_attrs"] = {**inner, **given} if second else {**given, "ome": {**inner, **given.get("ome", {})}}
    # Made beside its place, so that an interruption leaves no half of it there.
    making = Path(temporary_name(str(target)) + target.suffix)
    try:
        _write(wa, making / level, values, (size, centre, units), {"axes": array.meta.axis_names, **options})
        making.rename(target)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _image_label(array: MLArray) -> dict[str, Any] | None:
    """Return OME's image-label of an image whose values are labels, with their colours and names; else None."""
    values = array.meta.at(("values",)) or {}
    if values.get("kind") not in {"label", "instance"} or values.get("label_layout") == "channel":
        return None
    if array.dtype.kind not in "iub":
        return None
    colours, names = [], []
    for key, label in sorted((values.get("labels") or {}).items(), key=lambda item: int(item[0])):
        if "color" in label:
            rgba = list(bytes.fromhex(label["color"][1:]))
            colours.append({"label-value": int(key), "rgba": rgba if len(rgba) == 4 else [*rgba, 255]})
        if "name" in label:
            names.append({"label-value": int(key), "name": label["name"]})
    return {**({"colors": colours} if colours else {}), **({"properties": names} if names else {})}


def _write(wa: Any, path: Path, values: NDArray[Any], place: tuple[Any, Any, Any], options: dict[str, Any]) -> None:
    size, centre, units = place
    made = wa.create(
        path,
        values.shape,
        values.dtype.newbyteorder("="),
        size,
        centre,
        units=units,
        **options,
    )
    made.write_index((0,) * values.ndim, values.shape, values.astype(values.dtype.newbyteorder("="), copy=False))
