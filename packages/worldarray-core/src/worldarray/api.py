"""The functions that people call: opening, describing, and reading many boxes at once."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from worldarray import units as unit_table
from worldarray.array import WorldArray
from worldarray.describing.describe import describe, gather, storage_facts
from worldarray.describing.detection import detect_node, require_node
from worldarray.describing.listing import level_node, list_pyramid
from worldarray.emit import warn_notices
from worldarray.errors import ArgumentError, WritePackageError, problem
from worldarray.opening.choose import named_level, open_array, source_of, warn_of_ignored_level
from worldarray.opening.options import OpenArguments, Units
from worldarray.paths import parse_path
from worldarray.pyramid import Pyramid, find_family
from worldarray.reads.planning import Transform
from worldarray.reads.selection import Select
from worldarray.records import ArrayMeta, Node
from worldarray.resample import Method

if TYPE_CHECKING:
    import tensorstore  # noqa: TID251  (types only)

    from worldarray.io.retry import Retry

Path = str | os.PathLike[str]
Mode = Literal["r", "r+"]


def open(  # noqa: PLR0913  (the name and arguments of the specification)
    path: Path,
    level: str | int | None = None,
    voxel_size: Any = None,
    *,
    level_mode: str = "floor",
    on_mismatch: str = "error",
    padding: Any = 0,
    method: Method = "nearest",
    select: Select | None = None,
    units: Units = "nanometer",
    context: tensorstore.Context | None = None,
    retries: Retry | None = None,
    metadata_conflicts: Literal["error", "warn"] = "error",
    base_voxel_size: Any = None,
    base_units: str | None = None,
    anchor: Any = None,
    transform: Transform | None = None,
    strict_units: bool = True,
    dimension_separator: str | None = None,
    field: str | None = None,
    mode: Mode = "r",
) -> WorldArray:
    """Return a handle on one array: an array path, or a level of a group path.

    Documents are read, the array itself is not touched before its first read.

    Parameters
    ----------
    path
        A local path, or an s3, gs, http(s), file or memory URL, or a kvstore pipeline such as ``a.zip|zip:s0``.
    level
        Of a group: a level's name, its position, or "first". Ignored, with a warning, for an array path.
    voxel_size
        The size to read at, per spatial axis, in `units`. Of a group it chooses the level, see `level_mode`.
    level_mode
        "floor" (the level at that size, else the coarsest that is no coarser on any axis, else the finest), "finer"
        (that, but an error in place of the last), "exact", "nearest" (on a log scale) or "resample".
    on_mismatch
        Where no level has `voxel_size`: "error"; "resample" (read the level that `level_mode` picks, resampled);
        "relabel" (read it voxel for voxel and call its voxels `voxel_size`); "keep" (read it at its own size).
    padding, method
        The defaults of reads: what fills a box outside the data, a value the dtype holds or "edge"; the resampling
        kernel, "nearest" or "linear".
    select
        Non-spatial axes pinned to an index, ``{"c": 0}``; pinned axes are dropped.
    units
        The unit of spatial axes, or a unit per axis kind, ``{"space": "micrometer", "time": "second"}``; None keeps
        the store's own.
    context
        A tensorstore.Context; `shared_context` by default.
    retries
        The policy for data reads; ``Retry()`` by default.
    metadata_conflicts
        "warn" reads the OME scale where an array's own voxel size disagrees, instead of refusing.
    base_voxel_size, base_units
        Level 0's true voxel size and its unit: every level's spatial placement scales with it.
    anchor
        A world position for a target voxel's lower corner when resampling; the source's corner by default.
    transform
        Applied to stored values before resampling and padding.
    strict_units
        False takes an unknown unit as the unit asked for, with a warning.
    dimension_separator
        The zarr v2 separator in place of the declared one.
    field
        The field of a structured dtype.
    mode
        "r", or "r+" to write, which needs worldarray-write.

    Raises
    ------
    StoreNotFoundError
        Nothing that this package reads stands at `path`.
    LevelError
        No level answers; the message lists them.
    PlacementError
        A document says something that cannot be read; the message names it, the key and the value.
    UnitError
        A unit on an axis that is converted is unknown.
    AccessError
        The store refused every way in.

    Examples
    --------
    >>> import worldarray as wa
    >>> from worldarray.demo import demo_pyramid
    >>> with demo_pyramid() as path:
    ...     vol = wa.open(path, voxel_size=(40, 32, 21))
    ...     vol.level_name, vol.corner, vol.read(((400, -160, 1050), (480, -64, 1092))).shape
    ('s1', (400.0, -160.0, 1050.0), (2, 3, 2))
    """
    arguments = OpenArguments(
        path=path,
        level=level,
        voxel_size=voxel_size,
        level_mode=level_mode,
        on_mismatch=on_mismatch,
        padding=padding,
        method=method,
        select=select,
        units=units,
        context=context,
        retries=retries,
        metadata_conflicts=metadata_conflicts,
        base_voxel_size=base_voxel_size,
        base_units=base_units,
        anchor=anchor,
        transform=transform,
        strict_units=strict_units,
        dimension_separator=dimension_separator,
        field=field,
    )
    if mode == "r+":
        opened: WorldArray = write_name("open_writable", "open with mode='r+'")(arguments)
        return opened
    check_mode(mode)
    return WorldArray(open_array(arguments))


def open_pyramid(  # noqa: PLR0913  (the arguments of the specification)
    path: Path,
    *,
    context: tensorstore.Context | None = None,
    units: Units = "nanometer",
    select: Select | None = None,
    padding: Any = 0,
    method: Method = "nearest",
    retries: Retry | None = None,
    metadata_conflicts: Literal["error", "warn"] = "error",
    base_voxel_size: Any = None,
    base_units: str | None = None,
    transform: Transform | None = None,
    strict_units: bool = True,
    dimension_separator: str | None = None,
    field: str | None = None,
    mode: Mode = "r",
) -> Pyramid:
    """Return the pyramid at a path: a group, one of its level paths, or a precomputed volume.

    Only documents are read. The arguments are those of `open`, for every level.

    Raises
    ------
    LevelError
        The group has no levels.
    StoreNotFoundError, PlacementError, AccessError
        As for `open`.

    Examples
    --------
    >>> import worldarray as wa
    >>> from worldarray.demo import demo_pyramid
    >>> with demo_pyramid() as path:
    ...     wa.open_pyramid(path, units="micrometer").placements()[1]
    Level(name='s1', voxel_size=(0.04, 0.032, 0.021), translation=(0.42, -0.144, 1.0605))
    """
    arguments = OpenArguments(
        path=path,
        padding=padding,
        method=method,
        select=select,
        units=units,
        context=context,
        retries=retries,
        metadata_conflicts=metadata_conflicts,
        base_voxel_size=base_voxel_size,
        base_units=base_units,
        transform=transform,
        strict_units=strict_units,
        dimension_separator=dimension_separator,
        field=field,
    )
    if mode == "r+":
        opened: Pyramid = write_name("open_writable_pyramid", "open_pyramid with mode='r+'")(arguments)
        return opened
    check_mode(mode)
    return Pyramid(find_family(arguments))


def detect(
    path: Path,
    missing_ok: bool = False,
    *,
    context: tensorstore.Context | None = None,
) -> Node | None:
    """Return what stands at a path: its format, whether it is an array or a group, and its documents.

    Raises
    ------
    StoreNotFoundError
        Nothing stands there and `missing_ok` is false; with it, None is returned.

    Examples
    --------
    >>> import worldarray as wa
    >>> from worldarray.demo import demo_pyramid
    >>> with demo_pyramid() as path:
    ...     node = wa.detect(path)
    ...     node.format, node.kind, len(node.multiscales), wa.detect(path + "/s9", missing_ok=True)
    ('zarr3', 'group', 1, None)
    """
    where = parse_path(path)
    source = source_of(where, context)
    return detect_node(source, where) if missing_ok else require_node(source, where)


def metadata(  # noqa: PLR0913  (the arguments of the specification)
    path: Path,
    level: str | int | None = None,
    units: Units = None,
    *,
    open: bool = True,
    context: tensorstore.Context | None = None,
    metadata_conflicts: Literal["error", "warn"] = "error",
    strict_units: bool = True,
    dimension_separator: str | None = None,
    field: str | None = None,
) -> ArrayMeta:
    """Return what the documents say of one array, in the store's own units unless `units` are given.

    With ``open=True`` the array is opened through tensorstore as well, so that one which cannot be read raises here;
    ``open=False`` reads documents alone, and every field is the same.

    Raises
    ------
    LevelError
        `path` is a group and `level` names none of its levels.
    StoreNotFoundError, PlacementError, AccessError, UnitError
        As for `worldarray.open`.

    Examples
    --------
    >>> import worldarray as wa
    >>> from worldarray.demo import demo_pyramid
    >>> with demo_pyramid() as path:
    ...     meta = wa.metadata(path, "s2", open=False)
    ...     meta.shape, meta.voxel_size, meta.placed_by
    ((12, 10, 12), (80.0, 64.0, 42.0), 'ome')
    """
    where = parse_path(path)
    source = source_of(where, context)
    node = require_node(source, where)
    if node.kind == "array":
        warn_of_ignored_level(where, level)
        told = gather(source, where, node)
    else:
        listing = list_pyramid(source, where, conflicts=metadata_conflicts)
        told = gather(source, *level_node(source, listing, named_level(listing, level)))
    described = describe(told, conflicts=metadata_conflicts, field=field, dimension_separator=dimension_separator)
    if open:
        from worldarray.io.arrays import open_facts  # noqa: PLC0415  (documents need no tensorstore)

        open_facts(described.facts, described.documents.folder, context)
    wanted = unit_table.normalise(units)
    meta = described.meta.in_units(space=wanted.get("space"), time=wanted.get("time"), strict=strict_units)
    warn_notices(meta.notices)
    return meta


def open_tensorstore(
    path: Path,
    level: str | int | None = None,
    context: tensorstore.Context | None = None,
    *,
    dimension_separator: str | None = None,
    field: str | None = None,
) -> tensorstore.TensorStore:
    """Return the array at a path as tensorstore opens it: axes in C order, origin 0.

    No placement is read, so an array with odd placement attributes (a coordinate array, say) opens.

    Raises
    ------
    LevelError
        `path` is a group and `level` names none of its levels.
    StoreNotFoundError, PlacementError, AccessError
        As for `worldarray.open`.

    Examples
    --------
    >>> import worldarray as wa
    >>> from worldarray.demo import demo_pyramid
    >>> with demo_pyramid() as path:
    ...     wa.open_tensorstore(path, "s1").shape
    (24, 20, 24)
    """
    from worldarray.io.arrays import open_facts  # noqa: PLC0415  (documents need no tensorstore)

    where = parse_path(path)
    source = source_of(where, context)
    node = require_node(source, where)
    if node.kind == "group":
        listing = list_pyramid(source, where, conflicts="warn")
        where, node = level_node(source, listing, named_level(listing, level))
    else:
        warn_of_ignored_level(where, level)
    facts, folder = storage_facts(where, node, field=field, dimension_separator=dimension_separator)
    warn_notices(facts.notices)
    opened: tensorstore.TensorStore = open_facts(facts, folder, context)
    return opened


def check_mode(mode: object) -> None:
    """Refuse a mode that is neither "r" nor "r+": nothing here creates, truncates or overwrites."""
    if mode != "r":
        message = f"mode is {mode!r}; it is 'r', or 'r+' to write to what exists"
        raise ArgumentError(problem("wrong_value", ("mode",), message))


def write_name(name: str, wanted: str) -> Any:
    """Return a name of worldarray-write.

    Raises
    ------
    WritePackageError
        It is not installed, or too old to have it.
    """
    try:
        return getattr(import_module("worldarray_write"), name)
    except AttributeError:
        message = f"{wanted} needs a newer worldarray-write; upgrade it: pip install --upgrade worldarray-write"
    except ModuleNotFoundError as error:
        if error.name != "worldarray_write":
            raise
        message = f"{wanted} needs the distribution worldarray-write; install it: pip install worldarray-write"
    raise WritePackageError(problem("write_package_missing", ("worldarray_write",), message))
