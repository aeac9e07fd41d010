"""One creation, as data and as writes: the store is checked, then the group lists the level, then it is made."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

from worldarray.describing.describe import describe_array
from worldarray.describing.detection import detect_node
from worldarray.documents.loading import load_object
from worldarray.documents.source import MappingSource, Source, document_path
from worldarray.emit import warn_notices
from worldarray.errors import (
    ArgumentError,
    PlacementError,
    StoreExistsError,
    StoreNotFoundError,
    StoreUnavailableError,
    problem,
)
from worldarray.opening import choose
from worldarray.opening.opened import Opened
from worldarray.opening.options import check_context
from worldarray.paths import Location
from worldarray_write.datasets import GroupLevel, is_near
from worldarray_write.differences import differences, meta_differences, refuse_differences, storage_notices
from worldarray_write.documents import array_documents
from worldarray_write.groups import GROUP_KEYS, NEW, format_of, group_of
from worldarray_write.layout import Planned, Wanted, validate
from worldarray_write.merge import merged_attributes, merged_group, placed_level, unlisted_attributes
from worldarray_write.surroundings import hidden_by, refuse_contents, refuse_hiding, refuse_inside_array
from worldarray_write.unchanged import refuse_other_keys

Exists = Literal["error", "adopt"]

ARRAY_KEYS: Final = ("zarr.json", ".zarray", ".zattrs", ".zgroup", "attributes.json", "info")
"""Any of these at a path is something that a creation would overwrite or hide."""
_KEYS_OF_ARRAY: Final = {"zarr2": (".zarray", ".zattrs"), "zarr3": ("zarr.json",)}
LOCK_SUFFIX: Final = ".__lock"
"""Of the files that writers lock; tensorstore opens nothing below a folder of such a name."""
_MAKES_ARRAY: Final = {"zarr2": ".zarray", "zarr3": "zarr.json"}
LOST_RACE_ATTEMPTS: Final = 5
LOST_RACE_DELAY: Final = 0.5
"""Seconds, times the attempt: metadata that another process wrote may appear late."""
_LOG: Final = logging.getLogger("worldarray_write")


class Listing(NamedTuple):
    """What was made of a group's documents: kept, since they are mostly the same when they are written."""

    existing: Mapping[str, bytes]
    keep_near: bool
    documents: dict[str, bytes]


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
    known: Listing | None = None

    @property
    def format(self) -> str:
        """The zarr format of the level and its group."""
        return self.planned.layout.format

    def listed(self, existing: Mapping[str, bytes], *, keep_near: bool) -> dict[str, bytes]:
        """Return the group's documents with the level in them, those that change."""
        if self.known is not None and (self.known.existing, self.known.keep_near) == (existing, keep_near):
            return self.known.documents
        return merged_group(
            existing,
            self.level,
            self.group.text,
            format=self.format,
            group_attrs=self.group_attrs,
            keep_near=keep_near,
        )


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

    given: object = exists
    if not isinstance(given, str) or given not in ("error", "adopt"):
        message = f"exists is {exists!r}; it is 'error' or 'adopt', since nothing is ever overwritten"
        raise ArgumentError(problem("wrong_value", ("exists",), message))
    check_context(context)
    store.check_writable(where)
    group = where.parent
    if group is None or group.is_root:
        message = "has no group to be listed in; give a path with a folder, such as em.zarr/s0"
        raise ArgumentError(problem("invalid_argument", (where.text,), message))
    _refuse_group_name(where)
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
    creation = replace(creation, known=Listing(existing, is_there, creation.listed(existing, keep_near=is_there)))
    source = choose.source_of(where, context)
    _refuse_hiding(creation, source, existing)
    if not is_there:
        _refuse_name(where, creation.format)
        if where.is_local or not there.present:
            refuse_inside_array(source, group)
        store.refuse_obstacles(group, tuple(NEW[creation.format]))
        store.refuse_obstacles(where, _KEYS_OF_ARRAY[creation.format])
        _refuse_contents(creation)
        _refuse_unreadable(creation, existing, store.read_documents(where, (".zattrs",), context))
    warn_notices(there.notices)
    return creation


def _refuse_hiding(creation: Creation, source: Source, existing: Mapping[str, bytes]) -> None:
    """Refuse a level in a group that lists none, where that would hide arrays that are read by other rules."""
    from worldarray_write.io import store  # noqa: PLC0415  (documents need no tensorstore)

    group = creation.group
    attributes = unlisted_attributes(existing, group.text)
    why = None if attributes is None else hidden_by(source, group, creation.where.name, attributes)
    if why is None:
        return
    now = store.read_documents(group, GROUP_KEYS, creation.context)  # another process may have listed it meanwhile
    if unlisted_attributes(now, group.text) is not None:
        refuse_hiding(group, why)


def _refuse_contents(creation: Creation) -> None:
    """Refuse a local folder without an array that holds something, unless another process made the array meanwhile."""
    from worldarray_write.io import store  # noqa: PLC0415  (documents need no tensorstore)

    names = store.contents(creation.where)
    if names and not _is_there(creation, nothing=creation.exists == "error"):
        refuse_contents(creation.where, names, LOCK_SUFFIX)


def _refuse_unreadable(creation: Creation, group: Mapping[str, bytes], beside: Mapping[str, bytes]) -> None:
    """Refuse attributes, of the caller or left there, with which readers would not find the level as it is wanted."""
    attributes = {**beside, **_attributes_files(creation, beside)} if creation.format == "zarr2" else {}
    if not creation.planned.layout.attrs and not attributes:
        return
    where = creation.where
    array = {**array_documents(creation.planned.layout), **attributes}
    listed = {**group, **creation.listed(group, keep_near=False)}
    folders = ((creation.group, listed), (where, array))
    source = MappingSource(
        {document_path(at, key).removeprefix("memory://"): data for at, found in folders for key, data in found.items()}
    )
    try:
        found = describe_array(source, where)
    except PlacementError as error:
        raise ArgumentError(*error.problems) from error
    refuse_differences(where.text, differences(found, creation.planned))


def _refuse_group_name(where: Location) -> None:
    """Refuse a level that is called what groups are called: its folder would become the group."""
    if where.name.lower().endswith((".zarr", ".n5")):
        message = (
            f"path is GROUP/LEVEL: give {where.name}/s0 for an array in the group {where.name}; as it is, the array "
            "would be listed in the folder around"
        )
        raise ArgumentError(problem("wrong_value", (where.text,), message))


def _refuse_name(where: Location, format: str) -> None:
    """Refuse a level whose name is that of a document of its group, or of the files that writers lock."""
    if where.name in NEW[format] or where.name.endswith(LOCK_SUFFIX):
        message = f"a level cannot be called {where.name!r}, which is the name of a document or lock; give another name"
        raise ArgumentError(problem("wrong_value", (where.text,), message))


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
    source = choose.source_of(where, creation.context)
    node = detect_node(source, where)
    if node is None:
        return False
    if node.kind == "group":
        message = "is a group, and nothing is overwritten; give another path, or one below it"
        raise StoreExistsError(problem("already_exists", (where.text,), message))
    found = describe_array(source, where, node, conflicts="warn")
    refuse_differences(where.text, differences(found, creation.planned))
    refuse_other_keys(source, found, " (open with mode='r+' takes it)")
    for note in storage_notices(found, creation.planned):
        _LOG.info("%s", note)
    return True


def carry_out(creation: Creation) -> None:
    """Write the group's documents, then the array's; the one that makes it an array comes last.

    Just before the group is written the array is looked for once more: one that another process has made meanwhile
    is adopted, and one that is not as it is wanted is refused before its entry is touched. Where the group lists the
    level elsewhere and has no array, another process may be about to make it, so it is waited for a moment.
    """
    from worldarray_write.io import store  # noqa: PLC0415  (documents need no tensorstore)

    where, context = creation.where, creation.context
    there = False
    waited: GroupLevel | None = None

    def listing(existing: Mapping[str, bytes]) -> dict[str, bytes]:
        nonlocal there, waited
        there = _is_there(creation, nothing=False)
        other = None if there else _elsewhere(creation, existing)
        if other is not None and other != waited:
            waited = other
            time.sleep(LOST_RACE_DELAY)
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


def _elsewhere(creation: Creation, existing: Mapping[str, bytes]) -> GroupLevel | None:
    """Return the level as a group lists it now, if that is elsewhere."""
    level = creation.level
    now = placed_level(existing, level, creation.group.text)
    return None if now is None or is_near(now.voxel_size, now.translation, level) else now


def _attributes_files(creation: Creation, there: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the ``.zattrs`` of a zarr v2 array with its attributes in it; what is there already stays."""
    layout = creation.planned.layout
    if layout.format != "zarr2" or not layout.attrs:
        if ".zattrs" in there:  # readers read it, so the array would not open
            load_object(there[".zattrs"], (f"{creation.where.text}/.zattrs",))
        return {}
    return merged_attributes(there, layout.attrs, creation.where.text)


def _join(creation: Creation) -> None:
    """Adopt an array that another process made since it was looked for; its metadata may appear late."""
    for attempt in range(1, LOST_RACE_ATTEMPTS + 1):
        try:
            if _adopt(creation):
                return
        except (StoreNotFoundError, StoreUnavailableError):
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
