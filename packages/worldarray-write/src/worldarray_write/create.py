"""Creating a placed level: everything is checked first, then the group lists it, then the array is made."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from numpy.typing import DTypeLike

from worldarray import opening
from worldarray import units as unit_table
from worldarray.describe import describe_array
from worldarray.detection import detect_node
from worldarray.emit import warn_notices
from worldarray.errors import (
    ArgumentError,
    ArgumentTypeError,
    StoreExistsError,
    StoreUnavailableError,
    problem,
)
from worldarray.grid import Grid
from worldarray.opened import Opened
from worldarray.options import OpenArguments, Units, check_context, check_retries
from worldarray.paths import Location, parse_path
from worldarray_write.codecs import Codecs
from worldarray_write.datasets import GroupLevel
from worldarray_write.differences import differences, meta_differences, refuse_differences, storage_notices
from worldarray_write.documents import array_documents
from worldarray_write.groups import GROUP_KEYS, format_of, group_of
from worldarray_write.layout import Planned, Storing, Wanted, validate
from worldarray_write.merge import merged_attributes, merged_group
from worldarray_write.writable import WritableArray

if TYPE_CHECKING:
    import tensorstore  # noqa: TID251  (types only)

    from worldarray.io.retry import Retry

Path = str | os.PathLike[str]
Exists = Literal["error", "adopt"]

ARRAY_KEYS: Final = ("zarr.json", ".zarray", ".zattrs", ".zgroup", "attributes.json", "info")
"""Any of these at a path is something that a creation would overwrite or hide."""
_MAKES_ARRAY: Final = {"zarr2": ".zarray", "zarr3": "zarr.json"}
LOST_RACE_ATTEMPTS: Final = 5
LOST_RACE_DELAY: Final = 0.5
"""Seconds, times the attempt: metadata that another process wrote may appear late."""
_LOG: Final = logging.getLogger("worldarray_write")


@dataclass(frozen=True)
class Creation:
    """One level that is to be made, checked against everything that is known before the first write."""

    where: Location
    group: Location
    planned: Planned
    level: GroupLevel
    exists: Exists
    group_attrs: Mapping[str, Any] | None
    context: Any

    @property
    def format(self) -> str:
        """The zarr format of the level and its group."""
        return self.planned.layout.format

    def listed(self, existing: Mapping[str, bytes], *, keep_near: bool) -> dict[str, bytes]:
        """Return the group's documents with the level in them, those that change."""
        return merged_group(
            existing,
            self.level,
            self.group.text,
            format=self.format,
            group_attrs=self.group_attrs,
            keep_near=keep_near,
        )


def create(  # noqa: PLR0913  (the arguments of the specification)
    path: Path,
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    voxel_size: Sequence[float] | None = None,
    translation: Sequence[float] | None = None,
    *,
    grid: Grid | None = None,
    axes: Sequence[str] | None = None,
    units: Units | Sequence[str] = "nanometer",
    axis_types: Sequence[str] | None = None,
    chunks: Sequence[int] | None = None,
    shards: Sequence[int] | None = None,
    fill_value: Any = 0,
    codecs: Codecs = "zstd",
    format: str | None = None,
    dimension_separator: str | None = None,
    attrs: Mapping[str, Any] | None = None,
    group_attrs: Mapping[str, Any] | None = None,
    exists: Exists = "error",
    store_fill: bool = False,
    context: tensorstore.Context | None = None,
    retries: Retry | None = None,
) -> WritableArray:
    """Make a placed, empty array and list it in its group; return it, opened for writing.

    The last component of `path` is the level, its parent the multiscale group, made if absent. Everything is checked
    before the first write. The group is written first, then the array; a creation that was interrupted between is
    completed by the same call with ``exists="adopt"``. Nothing is overwritten, truncated or deleted.

    Parameters
    ----------
    path
        Where the level is made: a local path or a URL.
    shape, dtype
        Voxels per axis, in C order; what numpy.dtype takes.
    voxel_size, translation
        One index step and the centre of voxel 0, in `units`, over the spatial axes or one per axis.
    grid
        A Grid in place of shape, voxel_size, translation, axes, units, axis_types, chunks and shards (the last two
        are given beside a grid that has none).
    axes, units, axis_types
        As `worldarray.Grid` takes them; axis names default to the last of t, c, z, y, x.
    chunks, shards
        The storage chunk (required; of a sharded array the inner chunk), and zarr v3's shard: whole chunks.
    fill_value
        What absent chunks read as.
    codecs
        "zstd" (level 3), "none", or the format's JSON: zarr v2's compressor, zarr v3's codecs.
    format
        "zarr3" (with OME-NGFF 0.5) or "zarr2" (with 0.4): the group's own, else zarr3.
    dimension_separator
        Of chunk keys: "/" by default.
    attrs, group_attrs
        JSON for the new array's and the group's attributes; no one else's key is changed or dropped. The attributes
        of an array that is adopted stay as they are.
    exists
        "error": whatever stands at `path` raises. "adopt": an array that is the same (shape, dtype, chunks, shards,
        fill value, axes, units by meaning, placement within rtol 1e-6) is opened; a different one raises.
    store_fill
        Store write units whose values all equal the fill value, instead of leaving them absent.

    Raises
    ------
    ArgumentError
        What is asked for cannot be made, contradicts the group, or, under "adopt", differs from what exists; every
        problem is listed.
    StoreExistsError
        Something stands at `path` and `exists` is "error".
    PlacementError, AccessError, StoreUnavailableError
        The group's documents cannot be read or written.

    Notes
    -----
    Behaviour 11 of the specification.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     vol = create(f"{folder}/em.zarr/s0", (60, 200), "uint16", (30, 8), (15, 4), chunks=(10, 64))
    ...     vol.corner, vol.axes, vol.meta.placed_by
    ((0.0, 0.0), ('y', 'x'), 'ome')
    """
    given = {"shape": shape, "voxel_size": voxel_size, "translation": translation, "axes": axes}
    placed = given | {"chunks": chunks, "shards": shards, "units": units, "axis_types": axis_types}
    wanted = Wanted(
        **(placed if grid is None else _from_grid(grid, placed)),
        dtype=dtype,
        format=format,
        fill_value=fill_value,
        codecs=codecs,
        attrs=attrs,
        storing=Storing(separator=dimension_separator),
    )
    return create_wanted(
        parse_path(path),
        wanted,
        exists=exists,
        group_attrs=group_attrs,
        store_fill=store_fill,
        context=context,
        retries=retries,
    )


def _from_grid(grid: object, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that a grid stands for, from it alone; the chunks of one that has none are the caller's."""
    if not isinstance(grid, Grid):
        message = f"grid is {grid!r}; give a worldarray.Grid, such as Grid.from_meta makes of an array"
        raise ArgumentTypeError(problem("wrong_type", ("grid",), message))
    own: dict[str, Any] = {name: given[name] for name in ("chunks", "shards")} if grid.chunks is None else {}
    said = {name for name, value in given.items() if name not in own and value is not None}
    both = [name for name in given if name in said and (name != "units" or given[name] != "nanometer")]
    if both:
        message = f"{', '.join(both)} and grid are given, and the grid says them already; give one or the other"
        raise ArgumentError(problem("invalid_argument", ("grid",), message))
    return {
        "shape": grid.shape,
        "voxel_size": grid.every_voxel_size,
        "translation": grid.every_translation,
        "axes": grid.axes,
        "units": grid.units,
        "axis_types": grid.axis_types,
        "chunks": grid.chunks,
        "shards": grid.shards,
        **own,
    }


def create_wanted(
    where: Location,
    wanted: Wanted,
    *,
    exists: Exists,
    group_attrs: Mapping[str, Any] | None = None,
    store_fill: bool = False,
    context: Any = None,
    retries: Retry | None = None,
) -> WritableArray:
    """Return the array of `create`, from what is wanted of it."""
    check_retries(retries)
    creation = plan_creation(where, wanted, exists=exists, group_attrs=group_attrs, context=context)
    carry_out(creation)
    opened = opening.open_array(_arguments(creation, retries))
    check_made(creation, opened)
    return WritableArray(opened, store_fill=store_fill)


def plan_creation(
    where: Location, wanted: Wanted, *, exists: Exists, group_attrs: Mapping[str, Any] | None, context: Any
) -> Creation:
    """Return a creation that was checked against what stands in the store; nothing is written.

    Raises
    ------
    ArgumentError, StoreExistsError, PlacementError
        As for `create`.
    """
    from worldarray_write.io import store  # noqa: PLC0415  (documents need no tensorstore)

    if exists not in ("error", "adopt"):
        message = f"exists is {exists!r}; it is 'error' or 'adopt', since nothing is ever overwritten"
        raise ArgumentError(problem("wrong_value", ("exists",), message))
    check_context(context)
    store.check_writable(where)
    group = where.parent
    if group is None or group.is_root:
        message = "has no group to be listed in; give a path with a folder, such as em.zarr/s0"
        raise ArgumentError(problem("invalid_argument", (where.text,), message))
    existing = store.read_documents(group, GROUP_KEYS, context)
    there = group_of(existing, group.text)
    planned = validate(replace(wanted, format=format_of(there, wanted.format, group.text)))
    grid = planned.grid
    level = GroupLevel(
        where.name, grid.every_voxel_size, grid.every_translation, grid.axes, grid.units, grid.axis_types
    )
    creation = Creation(where, group, planned, level, exists, group_attrs, context)
    store.refuse_symlink(where)
    is_there = _is_there(creation, nothing=exists == "error")
    creation.listed(existing, keep_near=is_there)
    if not is_there:
        _attributes_files(creation, store.read_documents(where, (".zattrs",), context))
    warn_notices(there.notices)
    return creation


def _is_there(creation: Creation, *, nothing: bool) -> bool:
    """Whether the array exists, as it is wanted; `nothing` refuses whatever stands at its path."""
    from worldarray_write.io import store  # noqa: PLC0415  (documents need no tensorstore)

    where = creation.where
    present = store.read_documents(where, ARRAY_KEYS, creation.context)
    if not present:
        return False
    if nothing:
        message = (
            f"holds {', '.join(sorted(present))} already, and nothing is overwritten; give exists='adopt' to go on "
            "with the same array, or remove it first"
        )
        raise StoreExistsError(problem("already_exists", (where.text,), message))
    return _adopt(creation)


def _adopt(creation: Creation) -> bool:
    """Whether there is an array; one that is not as it is wanted is refused, and so is a group."""
    where = creation.where
    source = opening.source_of(where, creation.context)
    node = detect_node(source, where)
    if node is None:
        return False
    if node.kind == "group":
        message = "is a group, and nothing is overwritten; give another path, or one below it"
        raise StoreExistsError(problem("already_exists", (where.text,), message))
    found = describe_array(source, where, node, conflicts="warn")
    refuse_differences(where.text, differences(found, creation.planned))
    for note in storage_notices(found, creation.planned):
        _LOG.info("%s", note)
    return True


def carry_out(creation: Creation) -> None:
    """Write the group's documents, then the array's; the one that makes it an array comes last.

    Just before the group is written the array is looked for once more: one that another process has made meanwhile
    is adopted, and one that is not as it is wanted is refused before its entry is touched.
    """
    from worldarray_write.io import store  # noqa: PLC0415  (documents need no tensorstore)

    where, context = creation.where, creation.context
    there = False

    def listing(existing: Mapping[str, bytes]) -> dict[str, bytes]:
        nonlocal there
        there = _is_there(creation, nothing=False)
        return creation.listed(existing, keep_near=there)

    store.update_documents(creation.group, GROUP_KEYS, listing, context)
    if there:
        return
    documents = array_documents(creation.planned.layout)
    final = _MAKES_ARRAY[creation.format]
    for key in documents:
        if key != final:
            store.update_documents(where, (key,), lambda found: _attributes_files(creation, found), context)
    if not store.create_only(where, final, documents[final], context):
        _join(creation)


def _attributes_files(creation: Creation, there: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the ``.zattrs`` of a zarr v2 array with its attributes in it; what is there already stays."""
    layout = creation.planned.layout
    if layout.format != "zarr2" or not layout.attrs:
        return {}
    return merged_attributes(there, layout.attrs, creation.where.text)


def _join(creation: Creation) -> None:
    """Adopt an array that another process made since it was looked for; its metadata may appear late."""
    for attempt in range(1, LOST_RACE_ATTEMPTS + 1):
        try:
            if _adopt(creation):
                return
        except StoreUnavailableError:
            if attempt == LOST_RACE_ATTEMPTS:
                raise
        time.sleep(LOST_RACE_DELAY * attempt)
    message = "another process has made an array there, but its documents do not appear; open it later"
    raise StoreUnavailableError(problem("unavailable", (creation.where.text,), message))


def check_made(creation: Creation, opened: Opened) -> None:
    """Check that the array, as readers find it, is the one that was asked for: another process may have been faster.

    Raises
    ------
    ArgumentError
        ``conflict``, once per field that differs.
    """
    refuse_differences(creation.where.text, meta_differences(opened.view.stored, creation.planned))


def _arguments(creation: Creation, retries: Retry | None) -> OpenArguments:
    """Return what opens a level that was made or adopted, in the units that it was placed in."""
    grid = creation.planned.grid
    known = [unit_table.parse(grid.units[axis]) for axis in grid.spatial]
    lengths = bool(known) and all(unit is not None and unit.dimension == "length" for unit in known)
    return OpenArguments(
        path=creation.where.text,
        units={"space": grid.units[grid.spatial[0]]} if lengths else None,
        context=creation.context,
        retries=retries,
    )
