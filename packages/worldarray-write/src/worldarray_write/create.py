"""Creating a placed level: everything is checked first, then the group lists it, then the array is made."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from numpy.typing import DTypeLike

from worldarray import units as unit_table
from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.grid import Grid
from worldarray.opening import choose
from worldarray.opening.options import OpenArguments, Units, check_retries
from worldarray.paths import Location, parse_path
from worldarray_write.codecs import Codecs
from worldarray_write.creation import Creation, Exists, carry_out, check_made, plan_creation
from worldarray_write.layout import Storing, Wanted
from worldarray_write.writable import WritableArray

if TYPE_CHECKING:
    import tensorstore  # noqa: TID251  (types only)

    from worldarray.io.retry import Retry

Path = str | os.PathLike[str]


class _Unsaid(str):
    """A default that can be told from the same string when a caller gives it."""

    __slots__ = ()


_NANOMETER: Final = _Unsaid("nanometer")


def create(  # noqa: PLR0913  (the arguments of the specification)
    path: Path,
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    voxel_size: Sequence[float] | None = None,
    translation: Sequence[float] | None = None,
    *,
    grid: Grid | None = None,
    axes: Sequence[str] | None = None,
    units: Units | Sequence[str] = _NANOMETER,
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
        Where the level is made, GROUP/LEVEL: a local path or a URL, such as em.zarr/s0. A level is not called
        something.zarr or something.n5, which are names of groups.
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
        fill value, axes, units by meaning, placement within rtol 1e-6) is opened; a different one raises. A local
        folder that holds something but no array raises either way, but for what an interrupted creation left; of
        other stores documents alone are looked at, so chunks left there without an array are not noticed.
    store_fill
        Store write units whose values all equal the fill value, instead of leaving them absent. It goes with this
        handle and its pickles; ``open(mode="r+")`` does not know of it.

    Raises
    ------
    ArgumentError
        What is asked for cannot be made, contradicts the group, or, under "adopt", differs from what exists; every
        problem is listed. Or the group lists no levels but holds arrays that are read by other rules, which a list
        would hide (see `ensure_group_entry`), or lies inside an array.
    StoreExistsError
        Something stands at `path` and `exists` is "error", or something that is no array.
    PlacementError, AccessError, StoreUnavailableError
        The group's documents cannot be read or written.

    Notes
    -----
    Behaviour 11 of the specification. Many processes may create levels of one group at once: its document is changed
    by compare-and-swap, so none is lost. Of those that create the same level one makes it; under ``exists="adopt"``
    the others open it, and raise if it is not what they asked for.

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
    both = [name for name, value in given.items() if name not in own and value is not None and value is not _NANOMETER]
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
    opened = choose.open_array(_arguments(creation, retries))
    check_made(creation, opened)
    return WritableArray(opened, store_fill=store_fill)


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
