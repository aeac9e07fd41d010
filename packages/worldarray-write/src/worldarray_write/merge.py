"""The documents of a group, with one level listed and placed in them: bytes in, bytes out.

Only what has to change changes: the dataset entry of the level in the group's first multiscale, and attributes that
the caller adds. Every other byte of a document that was there stays (see `splice`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from worldarray.documents import ome, parsing
from worldarray.documents.attributes import Attributes
from worldarray.documents.parsing import refuse, show
from worldarray.errors import ArgumentError, ArgumentTypeError, At, PlacementError, problem
from worldarray_write import splice
from worldarray_write.datasets import (
    GroupLevel,
    axes_problem,
    check_version,
    is_listed,
    is_near,
    is_version,
    with_dataset,
)
from worldarray_write.groups import NEW, format_of, group_of
from worldarray_write.json_values import parsed, plain_json, render
from worldarray_write.multiscales import OF_FORMAT, axes_entries, dataset_entry, versioned

_ATTRIBUTES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "zarr2": (".zattrs", ()),
    "zarr3": ("zarr.json", ("attributes",)),
}
"""Per format: the document that holds the attributes of a group, and where in it they are."""
_OURS: Final = (("multiscales",), ("ome", "multiscales"), ("ome", "version"))
"""What attributes that a caller adds may not touch."""


def merged_group(
    existing: Mapping[str, bytes],
    level: GroupLevel,
    where: str,
    *,
    format: str | None = None,
    group_attrs: Mapping[str, Any] | None = None,
    keep_near: bool = False,
) -> dict[str, bytes]:
    """Return the documents to write so that a group lists a level; none where it does already.

    The level's entry in the first multiscale is added, so that the list stays ordered finest to coarsest, or replaced.
    A multiscale with transforms of its own gets the placement divided by them. A group without multiscales gets one, a
    folder without a group document becomes a group.

    Parameters
    ----------
    existing
        The documents of the folder, of `groups.GROUP_KEYS`; empty where it is not there.
    level
        What is listed.
    where
        The path of the group, for errors.
    format
        "zarr2" or "zarr3": what the caller insists on; without it the group's own, and zarr3 for a new one.
    group_attrs
        JSON to merge into the group's attributes, deeply. A value that differs from one that is there is refused.
    keep_near
        Whether an entry that is the same within the tolerance (rtol 1e-6) stays as it is.

    Returns
    -------
    dict
        Document name to bytes, in the order in which they are to be written.

    Raises
    ------
    PlacementError
        A document is not what it should be, or of a version of OME-NGFF that is not written: versions are never mixed.
    ArgumentError
        `format` contradicts the group; the level's axes or units differ from the group's; `group_attrs` is no JSON,
        touches the multiscales or contradicts an attribute that is there.

    Notes
    -----
    Behaviours 11 and 12 of the specification.

    Examples
    --------
    >>> level = GroupLevel("s0", (8.0,), (4.0,), ("x",), ("nanometer",), ("space",))
    >>> documents = merged_group({}, level, "em.zarr", format="zarr2")
    >>> list(documents)
    ['.zgroup', '.zattrs']
    >>> merged_group(documents, level, "em.zarr")
    {}
    """
    kind = format_of(group_of(existing, where), format, where)
    name, inside = _ATTRIBUTES[kind]
    texts = {key: _text(existing, key, document, where) for key, document in NEW[kind].items()}
    document = _Document(f"{where}/{name}", kind, inside)
    text = document.with_level(document.with_attributes(texts[name]), level, keep_near=keep_near)
    text = document.with_attrs(text, {} if group_attrs is None else group_attrs)
    document.check(text, level)
    texts[name] = text
    written = {key: text.encode() if key in existing else render(json.loads(text)) for key, text in texts.items()}
    return {key: data for key, data in written.items() if data != existing.get(key)}


def placed_level(existing: Mapping[str, bytes], level: GroupLevel, where: str) -> GroupLevel | None:
    """Return a level where a group lists it now; None for no entry, or none that can be read.

    Examples
    --------
    >>> level = GroupLevel("s0", (8.0,), (4.0,), ("x",), ("nanometer",), ("space",))
    >>> placed_level({}, level, "em.zarr") is None
    True
    >>> there = merged_group({}, level, "em.zarr")
    >>> placed_level(there, replace(level, translation=(9.0,)), "em.zarr").translation
    (4.0,)
    """
    kind = format_of(group_of(existing, where), None, where)
    name, inside = _ATTRIBUTES[kind]
    if name not in existing:
        return None
    document = _Document(f"{where}/{name}", kind, inside)
    try:
        found = ome.find(document.attributes(document.with_attributes(existing[name].decode())), level.name)
        entry = None if found is None else ome.entry(*found, len(level.axes))
    except PlacementError:  # said by whoever needs it read
        return None
    if entry is None or entry.scale is None or entry.translation is None:
        return None
    return replace(level, voxel_size=entry.scale, translation=entry.translation)


def unlisted_attributes(existing: Mapping[str, bytes], where: str) -> Mapping[str, Any] | None:
    """Return the attributes of a group that lists no levels, or of a folder that is none; None for one that does.

    Examples
    --------
    >>> unlisted_attributes({".zgroup": b'{"zarr_format": 2}', ".zattrs": b'{"voxel_size": [8]}'}, "em.zarr")
    {'voxel_size': [8]}
    """
    kind = format_of(group_of(existing, where), None, where)
    name, inside = _ATTRIBUTES[kind]
    if name not in existing:
        return {}
    document = _Document(f"{where}/{name}", kind, inside)
    found = document.attributes(document.with_attributes(existing[name].decode()))
    return None if ome.multiscales(found) else found.values


def merged_attributes(existing: Mapping[str, bytes], attrs: Mapping[str, Any], where: str) -> dict[str, bytes]:
    """Return the ``.zattrs`` of a zarr v2 array with attributes merged in deeply; nothing where it has them already.

    Raises
    ------
    PlacementError
        The document is not JSON.
    ArgumentError
        A value differs from one that is there.

    Examples
    --------
    >>> merged_attributes({".zattrs": b'{"by": "me"}'}, {"by": "me"}, "em.zarr/s0")
    {}
    """
    texts = {".zattrs": _text(existing, ".zattrs", {}, where)}
    document = _Document(f"{where}/.zattrs", "zarr2", ())
    text = document.with_attrs(texts[".zattrs"], attrs, "attrs")
    data = text.encode() if ".zattrs" in existing else render(json.loads(text))
    return {} if existing.get(".zattrs") == data else {".zattrs": data}


def _text(existing: Mapping[str, bytes], key: str, new: Mapping[str, Any], where: str) -> str:
    """Return a document as text, whole: its byte order mark too. One that is missing is a new one, on one line."""
    if key not in existing:
        return json.dumps(new)
    parsed(existing[key], (f"{where}/{key}",))
    return existing[key].decode()


@lru_cache(maxsize=4)
def _attributes(data: bytes, path: str, inside: tuple[str, ...]) -> Attributes:
    """Return the attributes that stand in a document, with what is made of them."""
    raw = parsed(data, (path,))
    for part in inside:
        raw = parsing.mapping(raw[part], (path, *inside))
    return Attributes((path, *inside), raw)


@dataclass(frozen=True)
class _Document:
    """The document that holds the attributes of a group."""

    path: str
    format: str
    inside: tuple[str, ...]
    """Where in it the attributes are."""

    @property
    def at(self) -> At:
        """The path of the attributes, for errors."""
        return (self.path, *self.inside)

    def attributes(self, text: str) -> Attributes:
        """Return the attributes, parsed."""
        return _attributes(text.encode(), self.path, self.inside)

    def with_attributes(self, text: str) -> str:
        """Return the document with an object for the attributes to be in."""
        raw = parsed(text.encode(), (self.path,))
        missing = self.inside and raw.get(self.inside[0]) is None
        return splice.with_value(text, self.inside, {}) if missing else text

    def with_level(self, text: str, level: GroupLevel, *, keep_near: bool) -> str:
        """Return the document with the level listed and placed."""
        attrs, version = self.attributes(text), OF_FORMAT[self.format]
        self._check_version(attrs)
        known = ome.multiscales(attrs)
        if not known:
            return self._with_multiscale(text, attrs, level)
        check_version(known[0], version)
        if known[0].dataset(level.name) is None and _is_listed_in_another(known[1:], level):
            return text
        conflict = axes_problem(known[0], level)
        if conflict is not None:
            raise ArgumentError(conflict)
        path = (*self.inside, *known[0].at[len(self.at) :])
        return with_dataset(text, path, known[0], level, keep_near=keep_near)

    def _check_version(self, attrs: Attributes) -> None:
        """Refuse OME metadata that does not go with the format, or of a version that is not written."""
        nested = attrs.values.get("ome")
        if self.format == "zarr2":
            if isinstance(nested, Mapping) and "multiscales" in nested:
                message = "is OME-NGFF 0.5 in a zarr v2 group, which goes with 0.4; correct the group first"
                refuse("conflict", attrs.path("ome", "multiscales"), message)
            return
        if nested is not None:
            version = parsing.mapping(nested, attrs.path("ome")).get("version")
            if version is not None and not is_version(version, OF_FORMAT[self.format]):
                message = f"is {show(version)}, but in a zarr v3 group a level is listed in OME-NGFF 0.5 alone"
                refuse("unsupported", attrs.path("ome", "version"), message)
        if attrs.values.get("multiscales") is not None and (nested is None or "multiscales" not in nested):
            message = (
                "is OME-NGFF 0.4 in a zarr v3 group, which goes with 0.5, and the two are never mixed; move it to "
                "attributes.ome first"
            )
            refuse("conflict", attrs.path("multiscales"), message)

    def _with_multiscale(self, text: str, attrs: Attributes, level: GroupLevel) -> str:
        """Return the document with a multiscale that lists the level alone."""
        entry: dict[str, Any] = {"name": level.multiscale_name} if level.multiscale_name else {}
        entry["axes"] = axes_entries(level.axes, level.units, level.axis_types)
        entry["datasets"] = [dataset_entry(level.name, level.voxel_size, level.translation)]
        return self._added(text, versioned(OF_FORMAT[self.format])([entry]), attrs.values, ())

    def _added(self, text: str, wanted: Mapping[str, Any], found: Mapping[str, Any], path: tuple[str, ...]) -> str:
        """Return the document with members added where they are missing, null, or no multiscales at all."""
        for key, value in wanted.items():
            place = (*path, key)
            if isinstance(value, dict) and found.get(key) is not None:
                text = self._added(text, value, found[key], place)
            elif found.get(key) is None or key == "multiscales":
                text = splice.with_value(text, (*self.inside, *place), value)
        return text

    def with_attrs(self, text: str, wanted: Mapping[str, Any], argument: str = "group_attrs") -> str:
        """Return the document with attributes merged in deeply; one that differs is refused."""
        given: object = wanted
        if not isinstance(given, Mapping):
            message = f"{argument} is {show(given)}; give a mapping of attribute names to JSON"
            raise ArgumentTypeError(problem("wrong_type", (argument,), message))
        plain = plain_json(wanted, (argument,))
        if not plain:
            return text
        for ours in _OURS:
            if _holds(plain, ours):
                message = "is written by this package alone; leave it out, and give levels by their own arguments"
                raise ArgumentError(problem("invalid_argument", (argument, *ours), message))
        return self._merged(text, plain, self.attributes(text).values, (), argument)

    def _merged(
        self, text: str, wanted: Mapping[str, Any], found: Mapping[str, Any], path: tuple[str, ...], argument: str
    ) -> str:
        for key, value in wanted.items():
            place = (*path, key)
            if key not in found:
                text = splice.with_value(text, (*self.inside, *place), value)
            elif isinstance(value, dict) and isinstance(found[key], dict):
                text = self._merged(text, value, found[key], place, argument)
            elif not _same_json(value, found[key]):
                message = (
                    f"is {show(value)}, but {self.path} has {show(found[key])} there, which may be someone else's; "
                    "leave the key out, or change the document first"
                )
                raise ArgumentError(problem("conflict", (argument, *place), message))
        return text

    def check(self, text: str, level: GroupLevel) -> None:
        """Check that the group, read again, places the level as asked: its own transforms may leave no way to."""
        found = ome.find(self.attributes(text), level.name)
        assert found is not None, text
        entry = ome.entry(*found, len(level.axes))
        assert entry.scale is not None, text
        assert entry.translation is not None, text
        if not is_near(entry.scale, entry.translation, level):
            message = (
                f"voxel size {level.voxel_size} and translation {level.translation} become {entry.scale} and "
                f"{entry.translation} under the transforms of the whole multiscale; choose another group"
            )
            raise ArgumentError(problem("not_representable", (self.path, level.name), message))


def _is_listed_in_another(multiscales: Sequence[ome.Multiscale], level: GroupLevel) -> bool:
    """Whether a multiscale that is not the first lists the level as asked, with its axes."""
    for multiscale in multiscales:
        if is_listed(multiscale, level, keep_near=True):
            return multiscale.raw.get("axes") is not None and axes_problem(multiscale, level) is None
    return False


def _holds(attrs: Any, path: Sequence[str]) -> bool:
    for key in path:
        if not isinstance(attrs, dict) or key not in attrs:
            return False
        attrs = attrs[key]
    return True


def _same_json(a: Any, b: Any) -> bool:
    """Whether two JSON values are equal; true is not 1."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same_json(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same_json, a, b))
    return bool(a == b)
