"""What stands around a level that is to be made, and would be hidden, mixed up or hold it: refused before any write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from worldarray.documents.attributes import SIZE_KEYS
from worldarray.documents.loading import load_json
from worldarray.documents.n5 import is_n5_array
from worldarray.documents.n5_keys import BASE_KEYS
from worldarray.documents.source import Source, document_path
from worldarray.errors import ArgumentError, PlacementError, StoreExistsError, problem
from worldarray.paths import Location

ABOVE: Final = 4
"""How many folders above a group are looked at for an array that it would lie in."""
LEFTOVERS: Final = frozenset({".zattrs"})
"""What a creation that was interrupted may leave where the array goes, beside the files that writers lock."""
_ARRAY_KEYS: Final = (".zarray", "zarr.json", "attributes.json")
_PLACING: Final = (*dict.fromkeys((*SIZE_KEYS, "offset", *BASE_KEYS, "downsamplingFactors")),)
"""The attributes by which a group places its arrays without listing them."""
_MOST_NAMED: Final = 5


def refuse_inside_array(source: Source, group: Location) -> None:
    """Refuse a group that lies inside an array: readers of the array would not know its folders from chunks.

    Raises
    ------
    ArgumentError
        One of the folders above it, up to four, is an array.
    """
    folder = group.parent
    for _ in range(ABOVE):
        if folder is None or folder.is_root:
            return
        if _is_array(source, folder):
            message = f"lies inside the array {folder.text}; create the level outside it"
            raise ArgumentError(problem("wrong_value", (group.text,), message))
        folder = folder.parent


def refuse_contents(where: Location, names: Sequence[str], lock_suffix: str) -> None:
    """Refuse a folder that holds something but no array, of whose top-level entries these hold something.

    Raises
    ------
    StoreExistsError
        Anything but what a creation leaves that was interrupted.
    """
    found = [name for name in names if name not in LEFTOVERS and not name.endswith(lock_suffix)]
    if not found:
        return
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    message = (
        f"holds {', '.join(found[:_MOST_NAMED])}{more} but no array, so the new array would take them for its own; "
        "move them away, or give another path"
    )
    raise StoreExistsError(problem("already_exists", (where.text,), message))


def hidden_by(source: Source, group: Location, level: str, attributes: Mapping[str, Any]) -> str | None:
    """Return what makes arrays of a group readable that lists none, and would not once it lists a level; None if none.

    Either there is an s0, which is found by its name, or the group's own attributes place its arrays. Where the store
    is not a local folder those attributes alone are enough, since it is not searched for arrays.
    """
    first = "s1" if level == "s0" else "s0"
    if (first == "s0" or _is_array(source, group.join("s0"))) and _is_array(source, group.join(first)):
        return f"the array {first} is found by its name"
    placing = [key for key in _PLACING if attributes.get(key) is not None]
    if not placing:
        return None
    if not group.is_local:
        return f"its own {placing[0]} places the arrays in it"
    for name in source.folders(group):
        if name != level and _is_array(source, group.join(name)):
            return f"its own {placing[0]} places {name}"
    return None


def refuse_hiding(group: Location, why: str) -> None:
    """Refuse to list the first level of a group whose arrays are read by other rules.

    Raises
    ------
    ArgumentError
        Naming `ensure_group_entry` as the way.
    """
    message = (
        f"lists no levels, and {why}: a group that lists one hides the others; list them first with ensure_group_entry"
    )
    raise ArgumentError(problem("missing_key", (group.text,), message))


def _is_array(source: Source, where: Location) -> bool:
    """Whether a document makes a folder an array; one that cannot be read does not."""
    documents = source.documents(where, _ARRAY_KEYS, ancestor=True)
    if ".zarray" in documents:
        return True
    zarr3 = _parsed(documents, where, "zarr.json")
    return (zarr3.get("zarr_format"), zarr3.get("node_type")) == (3, "array") or is_n5_array(
        _parsed(documents, where, "attributes.json")
    )


def _parsed(documents: Mapping[str, bytes], where: Location, key: str) -> Mapping[str, Any]:
    try:
        found = load_json(documents[key], (document_path(where, key),)) if key in documents else {}
    except PlacementError:  # said by whoever needs it read
        return {}
    return found if isinstance(found, Mapping) else {}
