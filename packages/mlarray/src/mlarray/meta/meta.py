"""Meta: the metadata of one array."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from importlib.metadata import version as distribution_version
from typing import Any

import numpy as np

from mlarray.errors import ArgumentError, ArgumentTypeError, FormatError, Notice, Problem, warn
from mlarray.geometry.compose import axes_documents
from mlarray.header.canonical import canonical
from mlarray.header.check import axis_names, axis_types, check, check_source_document, check_user_document
from mlarray.header.parse import fill
from mlarray.header.versions import FORMAT_VERSION, check_version
from mlarray.header.wire import encode, normalise
from mlarray.meta.frozen import FrozenMap, freeze, thaw
from mlarray.meta.lazy import Fetch, Lazy
from mlarray.meta.views import Axis, HistoryEntry, Place, Profiles, Space, Storage, Values

CORE, SOURCE, USER = "mlarray", "mlarray.source", "mlarray.user"


def writer_name() -> str:
    """Return what this package calls itself in files: ``mlarray 0.1.0``."""
    return f"mlarray {distribution_version('mlarray')}"


class Meta:
    """The metadata of an array: axes, spaces, values, profiles, history, storage; source and user on first access.

    Made by `MLArray`, or by `from_dict`. An assignment is checked against the rules of the format, and against the
    shape and dtype of the array; where it breaks one it raises an ArgumentError that names the place, and nothing has
    changed.

    Examples
    --------
    >>> meta = Meta.from_dict({"version": "1.0", "axes": [{"name": "t"}, {"name": "y"}]})
    >>> meta.values.unit = "kelvin"
    >>> meta.values.unit_code, meta.axes[0].type
    ('K', 'other')
    >>> meta.axes = ["t", "x"]
    >>> meta.axes[0].type, meta.axes[1].name
    ('time', 'x')
    """

    def __init__(
        self,
        document: dict[str, Any],
        shape: Sequence[int] | None = None,
        dtype: np.dtype[Any] | None = None,
        *,
        source: Fetch | None = None,
        user: Fetch | None = None,
    ) -> None:
        """Take over a checked document with its defaults; see `from_dict`."""
        self._document = document
        self._had = frozenset(document)
        self._shape = None if shape is None else tuple(shape)
        self._dtype = dtype
        self._source = Lazy(SOURCE, [], check_source_document, source)
        self._user = Lazy(USER, {}, check_user_document, user)
        self.changed = False
        """Whether something was assigned since the metadata was read or written."""

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], strict: bool = True) -> Meta:
        """Return metadata that belongs to no array yet, from what `to_dict` gives.

        Parameters
        ----------
        document
            The header; `source` and `user` may stand in it too.
        strict
            False makes warnings of problems behind the version.

        Raises
        ------
        FormatError
            A rule of the format is broken.
        """
        plain = normalise(thaw(document))
        source, user = plain.pop("source", None), plain.pop("user", None)
        plain.setdefault("version", FORMAT_VERSION)
        if (version := check_version(plain)) is not None:
            raise FormatError(version)
        found = check(plain, None, None)
        if found.problems and strict:
            raise FormatError(*found.problems)
        warn([*found.notices, *(Notice(each.code, each.at, each.message) for each in found.problems)])
        made = cls(plain if found.problems else fill(plain))
        if source is not None:
            made.set_source(source)
        if user is not None:
            made.user = user
        made.changed = False
        return made

    # What there is ----------------------------------------------------------------------------------------------------

    @property
    def version(self) -> str:
        """The version of the format, "1.x"."""
        return str(self._document["version"])

    @property
    def writer(self) -> str | None:
        """The software that wrote the file; None where nobody says."""
        return self._document.get("writer")

    @property
    def axes(self) -> tuple[Axis, ...]:
        """One view per axis of the array, C order; assign a list of names or maps."""
        return tuple(Axis(self, ("axes", index)) for index in range(len(self._document["axes"])))

    @axes.setter
    def axes(self, value: Any) -> None:
        self.assign(("axes",), value)

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The names of the axes."""
        return axis_names(self._document)

    @property
    def axis_types(self) -> tuple[str, ...]:
        """The type of each axis: space, time, channel, component or other."""
        return axis_types(self._document)

    @property
    def spaces(self) -> tuple[Space, ...]:
        """The coordinate systems, the default one first; assign a list of maps."""
        return tuple(Space(self, ("spaces", index)) for index in range(len(self._document.get("spaces") or ())))

    @spaces.setter
    def spaces(self, value: Any) -> None:
        self.assign(("spaces",), value)

    @property
    def values(self) -> Values:
        """What the stored numbers mean; assign a map."""
        return Values(self, ("values",))

    @values.setter
    def values(self, value: Any) -> None:
        self.assign(("values",), {} if value is None else value)

    @property
    def profiles(self) -> Profiles:
        """Metadata of domains; assign a map."""
        return Profiles(self, ("profiles",))

    @profiles.setter
    def profiles(self, value: Any) -> None:
        self.assign(("profiles",), value)

    @property
    def history(self) -> tuple[HistoryEntry, ...]:
        """What was done, oldest first; `add_history` adds to it."""
        return tuple(HistoryEntry(self, ("history", i)) for i in range(len(self._document.get("history") or ())))

    @property
    def storage(self) -> Storage:
        """How the array was cut and compressed."""
        return Storage(self, ("storage",))

    @property
    def source(self) -> tuple[FrozenMap, ...]:
        """The original metadata of converted files, read-only; decoded when it is first looked at."""
        found: tuple[FrozenMap, ...] = freeze(self._source.value)
        return found

    @property
    def user(self) -> FrozenMap:
        """Metadata of your own; assign a map. Decoded when it is first looked at."""
        return FrozenMap(self._user.value)

    @user.setter
    def user(self, value: Any) -> None:
        if value is not None and not isinstance(value, Mapping):
            raise ArgumentTypeError(Problem("wrong_type", ("user",), f"{value!r} is no map"))
        self._user.value = {} if value is None else normalise(thaw(value), ("user",))
        self.changed = True

    @property
    def extra(self) -> FrozenMap:
        """The keys of the header that the format does not know."""
        known = {"version", "writer", "axes", "spaces", "values", "profiles", "history", "storage"}
        return FrozenMap({key: value for key, value in self._document.items() if key not in known})

    def at(self, place: Place) -> Any:
        """Return the plain value at a place of the header, None where there is none; nobody may change it."""
        found: Any = self._document
        for part in place:
            try:
                found = found[part]
            except (KeyError, IndexError, TypeError):
                return {} if place in {("profiles",), ("storage",)} else None
        return found

    # Changes ----------------------------------------------------------------------------------------------------------

    def assign(self, place: Place, value: Any) -> None:
        """Put a value at a place of the header; None takes the key away.

        Raises
        ------
        ArgumentTypeError, ArgumentError
            The value cannot be stored, or breaks a rule; nothing has changed.
        """
        if place[0] in {"version", "writer"}:
            raise ArgumentError(Problem("read_only", place, f"{place[0]} is set when a file is written"))
        plain = None if value is None else normalise(_prepared(place, thaw(value), self._ndim), place)
        document = copy.deepcopy(self._document)
        owner: Any = document
        for part in place[:-1]:
            owner = owner.setdefault(part, {}) if isinstance(owner, dict) else owner[part]
        if plain is None:
            owner.pop(place[-1], None)
        else:
            owner[place[-1]] = plain
            _forget_code(owner, place[-1])
        self.replace(document)

    def replace(self, document: dict[str, Any], *, shape: Sequence[int] | None = None) -> None:
        """Take a whole header in place of the one there is, if it breaks no rule.

        Raises
        ------
        ArgumentError
            It breaks one; nothing has changed.
        """
        found = check(document, self._shape if shape is None else tuple(shape), self._dtype)
        if found.problems:
            raise ArgumentError(*found.problems)
        self._document = fill(document)
        self.changed = True
        warn(found.notices, stacklevel=5)

    @property
    def _ndim(self) -> int | None:
        return None if self._shape is None else len(self._shape)

    def set_source(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Set the source of a converted array: for converters.

        Raises
        ------
        ArgumentError
            An entry breaks a rule.
        """
        plain = normalise(thaw(entries), ("source",))
        found = check_source_document({"source": plain})
        if found.problems:
            raise ArgumentError(*found.problems)
        self._source.value = plain
        self.changed = True

    def add_history(self, action: str, tool: str | None = None, **fields: Any) -> None:
        """Add an entry to the history: created, converted, derived, modified, exported or another action.

        Parameters
        ----------
        action
            What was done.
        tool
            The software; this package, where it is None.
        fields
            More keys, such as `warnings`; `from_` stands for the key ``from``. The time is now unless it is given.

        Examples
        --------
        >>> meta = Meta.from_dict({"axes": []})
        >>> meta.add_history("converted", "scanner 2", from_="nifti", time="2026-11-06T10:12:00Z")
        >>> meta.history[0].to_dict()["from"]
        'nifti'
        """
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        entry = {"action": action, "tool": writer_name() if tool is None else tool, "time": now}
        entry |= {key.rstrip("_"): value for key, value in fields.items()}
        plain = normalise(thaw(entry), ("history",))
        document = copy.deepcopy(self._document)
        document.setdefault("history", []).append(plain)
        self.replace(document)

    # Copies -----------------------------------------------------------------------------------------------------------

    def copy(self, *, source: bool = True) -> Meta:
        """Return a copy that shares nothing with this one and belongs to no array; without the source if told so."""
        made = Meta(copy.deepcopy(self._document))
        if source and self._source.present:
            made.set_source(copy.deepcopy(self._source.value))
        if self._user.present:
            made.user = copy.deepcopy(self._user.value)
        return made

    def to_dict(self, *, source: bool = False, user: bool = False) -> dict[str, Any]:
        """Return a copy of the header as plain values; with the lazy keys where they are asked for."""
        found = copy.deepcopy(self._document)
        if source:
            found["source"] = copy.deepcopy(self._source.value)
        if user:
            found["user"] = copy.deepcopy(self._user.value)
        return found

    def bind(self, shape: Sequence[int], dtype: np.dtype[Any]) -> None:
        """Make this the metadata of an array: it is checked against its shape and dtype from now on.

        Raises
        ------
        ArgumentError
            It does not fit.
        """
        found = check(self._document, tuple(shape), dtype)
        if found.problems:
            raise ArgumentError(*found.problems)
        self._shape, self._dtype = tuple(shape), dtype
        warn(found.notices, stacklevel=5)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Meta):
            return NotImplemented
        lazy = ("_source", "_user")
        same = all(getattr(self, name).value == getattr(other, name).value for name in lazy)
        return same and self._document == other._document

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, Any]) -> Meta:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return Meta.from_dict, (self.to_dict(source=True, user=True),)

    def __repr__(self) -> str:
        axes = ", ".join(f"{n} ({t})" for n, t in zip(self.axis_names, self.axis_types, strict=True))
        spaces = ", ".join(str(space.name) for space in self.spaces) or "none"
        return f"<Meta {self.version} axes: {axes}; spaces: {spaces}; values: {self.values.kind}>"

    # What is stored ---------------------------------------------------------------------------------------------------

    def encoded(self, storage: Mapping[str, Any]) -> dict[str, bytes | None]:
        """Return the metadata keys to write: the header, and of the lazy keys those that were changed.

        Raises
        ------
        ArgumentError
            The header breaks a rule, so that the file could not be read.
        """
        document = {**self._document, "storage": {**(self._document.get("storage") or {}), **storage}}
        for key in ("chunk_size", "block_size", "compression"):
            if key not in storage:
                document["storage"].pop(key, None)
        written = canonical(document, writer=writer_name(), had=self._had)
        found = check(written, self._shape, self._dtype)
        if found.problems:
            raise ArgumentError(*found.problems)
        self._document = {**document, "version": written["version"], "writer": written["writer"]}
        keys: dict[str, bytes | None] = {CORE: encode(written)}
        for name, lazy in ((SOURCE, self._source), (USER, self._user)):
            if lazy.changed:
                keys[name] = lazy.encoded()
        return keys

    def settled(self) -> None:
        """Note that all is written as it is now."""
        self.changed = False
        for lazy in (self._source, self._user):
            lazy.changed = False


def _prepared(place: Place, value: Any, ndim: int | None) -> Any:
    """Return a value as a document would hold it: axes by name, label numbers as text."""
    if place == ("axes",) and isinstance(value, (list, tuple)):
        return axes_documents(value, len(value) if ndim is None else ndim)
    if place == ("values",) and isinstance(value, Mapping) and "labels" in value:
        return {**value, "labels": label_keys(value["labels"])}
    return label_keys(value) if place == ("values", "labels") else value


def label_keys(value: Any) -> Any:
    """Return the map of labels with numbers as keys written in decimal digits.

    Examples
    --------
    >>> label_keys({7: {"name": "liver"}})
    {'7': {'name': 'liver'}}
    """
    if not isinstance(value, Mapping):
        return value
    numbers = (int, np.integer)
    return {str(int(k)) if isinstance(k, numbers) and not isinstance(k, bool) else k: v for k, v in value.items()}


def _forget_code(owner: Any, key: str | int) -> None:
    """Take the other half of a unit away where one half is set anew: it is filled in again where it is listed."""
    other = {"unit": "unit_code", "unit_code": "unit"}.get(str(key))
    if other is not None:
        owner.pop(other, None)
