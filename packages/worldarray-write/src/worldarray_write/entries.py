"""Listing an array that was made elsewhere in its group."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from worldarray.describing.describe import describe_array, storage_facts
from worldarray.describing.detection import require_node
from worldarray.documents.source import Source
from worldarray.emit import warn_notices
from worldarray.errors import ArgumentError, PlacementError, problem
from worldarray.grid import Grid
from worldarray.opening import choose
from worldarray.opening.options import Units
from worldarray.paths import Location, parse_path
from worldarray.records import Node
from worldarray_write.datasets import GroupLevel
from worldarray_write.differences import displaced
from worldarray_write.groups import GROUP_KEYS, group_of
from worldarray_write.layout import FORMATS
from worldarray_write.merge import merged_group
from worldarray_write.multiscales import level_path

if TYPE_CHECKING:
    import tensorstore  # noqa: TID251  (types only)


def ensure_group_entry(
    group_path: str | os.PathLike[str],
    name: str,
    voxel_size: Sequence[float],
    translation: Sequence[float],
    axes: Sequence[str] | None = None,
    *,
    units: Units | Sequence[str] = "nanometer",
    group_attrs: Mapping[str, Any] | None = None,
    context: tensorstore.Context | None = None,
) -> None:
    """List an array that stands below a group as one of its levels, placed; the array itself is left alone.

    The group is made if absent, in the array's format. Many processes may list levels of one group at once. Nothing is
    written unless readers find the array where it is asked for once it is listed.

    Parameters
    ----------
    group_path, name
        The group, and the array's path below it.
    voxel_size, translation
        One index step and the centre of voxel 0, in `units`, over the spatial axes or one per axis.
    axes, units
        As `create` takes them.
    group_attrs
        JSON for the group's attributes; no one else's key is changed or dropped.

    Raises
    ------
    StoreNotFoundError
        There is no array.
    ArgumentError
        It is no zarr array or a symbolic link, its number of axes or their names differ, or the group's axes or units
        do; or readers would still find it elsewhere, since its own attributes or a nearer group place it there.
    PlacementError, AccessError, StoreUnavailableError
        The group's documents cannot be read or written.

    Examples
    --------
    >>> import tempfile, numpy, tensorstore as ts, worldarray as wa
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     spec = {"driver": "zarr3", "kvstore": f"file://{folder}/em.zarr/s0"}
    ...     _ = ts.open(spec, create=True, dtype="uint8", shape=(4, 6)).result()
    ...     ensure_group_entry(f"{folder}/em.zarr", "s0", (8, 4), (4, 2))
    ...     wa.open_pyramid(f"{folder}/em.zarr").placements()
    (Level(name='s0', voxel_size=(8.0, 4.0), translation=(4.0, 2.0)),)
    """
    from worldarray_write.io import store  # noqa: PLC0415  (documents need no tensorstore)

    group = parse_path(group_path)
    store.check_writable(group)
    where = group.join(level_path(name, ("name",)))
    source = choose.source_of(where, context)
    node = require_node(source, where)
    if node.format not in FORMATS or node.kind != "array":
        message = f"is a {node.format} {node.kind}; only zarr v2 and v3 arrays are listed"
        raise ArgumentError(problem("unsupported", where.text, message))
    store.refuse_symlink(where)
    facts, _ = storage_facts(where, node)
    grid = Grid(facts.shape, voxel_size, translation, axes=axes, units=units)
    for axis, (own, asked) in enumerate(zip(facts.dimension_names or (), grid.axes, strict=False)):
        if own is not None and own != asked:
            message = f"axis {axis} is called {own!r} by the array, not {asked!r}; give the array's own axis names"
            raise ArgumentError(problem("conflict", (where.text, "axes", axis), message))
    level = GroupLevel(name, grid.every_voxel_size, grid.every_translation, grid.axes, grid.units, grid.axis_types)

    def listing(there: Mapping[str, bytes]) -> dict[str, bytes]:
        documents = merged_group(there, level, group.text, format=node.format, group_attrs=group_attrs)
        _check_read(Relisted(source, group, {**there, **documents}), where, node, grid)
        return documents

    after = store.update_documents(group, GROUP_KEYS, listing, context)
    warn_notices(group_of(after, group.text).notices)


class Relisted:
    """A store with the documents of one folder as they will be."""

    def __init__(self, source: Source, folder: Location, documents: Mapping[str, bytes]) -> None:
        self._source = source
        self._folder = folder
        self._documents = documents

    def documents(self, where: Location, keys: Sequence[str], *, ancestor: bool = False) -> dict[str, bytes]:
        """Return the bytes of each key that exists directly below `where`, or will."""
        if where == self._folder:
            return {key: self._documents[key] for key in keys if key in self._documents}
        return self._source.documents(where, keys, ancestor=ancestor)

    def exists(self, where: Location) -> bool:
        """Whether anything stands there now."""
        return self._source.exists(where)

    def present(self, where: Location, keys: Sequence[str]) -> frozenset[str]:
        """Return which of these keys exist now."""
        return self._source.present(where, keys)

    def folders(self, where: Location) -> tuple[str, ...]:
        """Return the folders that are there now."""
        return self._source.folders(where)


def _check_read(source: Source, where: Location, node: Node, grid: Grid) -> None:
    """Check that readers will find an array where its group lists it.

    Raises
    ------
    ArgumentError
        They would not: what its own documents and the groups above it say, read together, is something else.
    """
    try:
        found = describe_array(source, where, node).meta
    except PlacementError as error:
        raise ArgumentError(*error.problems) from error
    differing = tuple(displaced(found, grid))
    if differing:
        told = "; ".join(f"{field} {a}, not {b}" for field, a, b in differing)
        message = (
            f"would still be read with {told}: its own attributes, or those of a nearer group, say so; correct these, "
            "or list the array in the group that has the say"
        )
        raise ArgumentError(problem("conflict", (where.text,), message))
