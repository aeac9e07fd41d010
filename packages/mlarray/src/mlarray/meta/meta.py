"""Meta: the metadata of one array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mlarray.errors import ArgumentError, ArgumentTypeError, FormatError, Notice, Problem, warn
from mlarray.header.canonical import TOP, canonical
from mlarray.header.check import axis_names, axis_types, check, check_source_document, check_user_document
from mlarray.header.parse import fill
from mlarray.header.versions import FORMAT_VERSION, check_version, writer_name
from mlarray.header.wire import decode, encode, normalise
from mlarray.meta.assignment import drop_patch, history_entry, label_keys, put
from mlarray.meta.fields import Place, unknown
from mlarray.meta.frozen import FrozenMap, copied, equal, freeze
from mlarray.meta.lazy import Fetch, Lazy
from mlarray.meta.mending import guard, keep_history, refusal, touching, worse
from mlarray.meta.parts import Part, each
from mlarray.meta.show import lines
from mlarray.meta.views import Axis, HistoryEntry, Profiles, Space, Storage, Values

CORE, SOURCE, USER = "mlarray", "mlarray.source", "mlarray.user"
__all__ = ["CORE", "SOURCE", "USER", "Meta", "label_keys", "writer_name"]


class Meta:
    """The metadata of an array: axes, spaces, values, profiles, history, storage; source and user on first access.

    Made by `MLArray`, or by `from_dict`. Every attribute has the name and the words of the format. What is read is
    frozen; what is assigned (maps, lists, numpy values) is copied, and checked as a whole against the rules of the
    format, and against the shape and dtype of the array. Where it breaks one, an ArgumentError names every place, and
    nothing has changed. Keys that the format does not know are kept; they are items, here and in each map of it.

    Examples
    --------
    >>> meta = Meta.from_dict({"version": "1.0", "axes": [{"name": "t"}, {"name": "y"}]})
    >>> meta.values.unit = "kelvin"
    >>> meta.values.unit_code, meta.axes[0].type
    ('K', 'other')
    >>> meta.axes = ["t", "x"]
    >>> meta.axes[0].type, meta.axes[1].name
    ('time', 'x')
    >>> meta.profiles.ml.statistics.mean = np.float32(0.5)
    >>> meta.profiles
    Profiles(ml={'profile_version': '1.0', 'statistics': {'mean': 0.5}})
    >>> meta.values.scale = 0
    Traceback (most recent call last):
    mlarray.errors.ArgumentError: /values/scale: the number is 0, which it may not be
    """

    __slots__ = ("_document", "_dtype", "_had", "_problems", "_shape", "_source", "_user", "changed")

    def __init__(
        self,
        document: dict[str, Any],
        shape: Sequence[int] | None = None,
        dtype: np.dtype[Any] | None = None,
        *,
        source: Fetch | None = None,
        user: Fetch | None = None,
        problems: Sequence[Problem] = (),
    ) -> None:
        """Take over a document with its defaults, and what is wrong with it; see `from_dict`."""
        self._document = document
        self._problems = tuple(problems)
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
            The header; `source` and `user` may stand in it too. Without a version it is of this package's.
        strict
            False makes warnings of problems behind the version.

        Raises
        ------
        ArgumentTypeError, ArgumentError
            A value cannot be stored.
        FormatError
            A rule of the format is broken.
        """
        if not isinstance(document, Mapping):
            raise ArgumentTypeError(Problem("wrong_type", (), f"the metadata is {document!r}; it is a map"))
        given = dict(document)
        if isinstance(given.get("values"), Mapping) and "labels" in given["values"]:
            given["values"] = {**given["values"], "labels": label_keys(given["values"]["labels"])}
        plain = normalise(given)
        source, user = plain.pop("source", None), plain.pop("user", None)
        plain = plain if "version" in plain else {"version": FORMAT_VERSION, **plain}
        if (version := check_version(plain)) is not None:
            raise FormatError(version)
        found = check(plain, None, None)
        if found.problems and strict:
            raise FormatError(*found.problems)
        warn([*found.notices, *(Notice(each.code, each.at, each.message) for each in found.problems)])
        made = cls(fill(plain), problems=found.problems)
        if source is not None:
            made.set_source(source)
        if user is not None:
            made.user = user
        made.changed = False
        return made

    # What there is ----------------------------------------------------------------------------------------------------

    version = Part('The version of the format, "1.x".', lambda meta: str(meta.at(("version",))))
    writer: Part[str | None] = Part(
        "The software that wrote the file; None where nobody says.", lambda meta: meta.at(("writer",))
    )
    axes = Part("The axes of the array, C order; assign a name or a map each.", lambda meta: each(meta, "axes", Axis))
    spaces = Part(
        "The coordinate systems, the default one first; assign a list of maps.",
        lambda meta: each(meta, "spaces", Space),
    )
    values = Part("What the stored numbers mean; assign a map.", lambda meta: Values(meta, ("values",)))
    profiles = Part(
        "Metadata of domains: `ml`, `medical` and others; assign a map.", lambda meta: Profiles(meta, ("profiles",))
    )
    history = Part(
        "What was done, oldest first; `add_history` adds to it.",
        lambda meta: each(meta, "history", HistoryEntry),
    )
    storage = Part("How the array was last cut and compressed.", lambda meta: Storage(meta, ("storage",)))
    source: Part[tuple[FrozenMap, ...]] = Part(
        "The original metadata of converted files, frozen; decoded when it is first looked at.",
        lambda meta: freeze(meta._source.value),
    )

    @property
    def user(self) -> FrozenMap:
        """Metadata of your own, frozen; assign a map. Decoded when it is first looked at."""
        return FrozenMap(self._user.value)

    @user.setter
    def user(self, value: Any) -> None:
        if value is not None and not isinstance(value, Mapping):
            raise ArgumentTypeError(Problem("wrong_type", ("user",), f"{value!r} is no map"))
        self._user.value = {} if value is None else normalise(value, ("user",))
        self.changed = True

    @user.deleter
    def user(self) -> None:
        self.user = None

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The names of the axes."""
        return axis_names(self._document)

    @property
    def axis_types(self) -> tuple[str, ...]:
        """The type of each axis: space, time, channel, component or other."""
        return axis_types(self._document)

    @property
    def extra(self) -> FrozenMap:
        """The keys of the header that the format does not know."""
        return FrozenMap({key: value for key, value in self._document.items() if key not in TOP})

    def __getitem__(self, key: str) -> Any:
        value = self._document[key]
        return getattr(self, key) if key in TOP else freeze(value)

    def __setitem__(self, key: str, value: Any) -> None:
        if key in TOP or key in {"source", "user"}:
            setattr(self, key, value)
        else:
            self.assign((key,), value)

    def __delitem__(self, key: str) -> None:
        if key not in self._document:
            raise KeyError(key)
        self[key] = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __contains__(self, key: object) -> bool:
        return key in self._document

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name):
            fields = [*TOP, "source", "user"]
            raise unknown("Meta", name, dict.fromkeys(fields), (name,))
        object.__setattr__(self, name, value)

    def at(self, place: Place) -> Any:
        """Return the plain value at a place of the header, None where there is none; nobody may change it."""
        found: Any = self._document
        for part in place:
            try:
                found = found[part]
            except (KeyError, IndexError, TypeError):
                return None
        return found

    def usable(self, *places: Place) -> None:
        """Raise a FormatError where what stands at some places breaks a rule; with how to mend it. See `wrong`."""
        if found := self.wrong(*places):
            raise refusal(found)

    def wrong(self, *places: Place) -> tuple[Problem, ...]:
        """Return the rules that what stands at some places breaks, of a file that was opened with ``strict=False``."""
        return touching(self._problems, places) if self._problems else ()

    # Changes ----------------------------------------------------------------------------------------------------------

    def assign(self, place: Place, value: Any) -> None:
        """Put a value at a place of the header, such as ``("axes", 0, "name")``; None takes the key away.

        Raises
        ------
        FieldError
            What stands there is not assigned: version, writer, history (but where it is broken), storage, source.
        ArgumentTypeError, ArgumentError
            The value cannot be stored, or breaks a rule; nothing has changed.
        """
        guard(place, self._problems)
        if place == ("user",):
            self.user = value
            return
        document = copied(self._document)
        put(document, place, value, None if self._shape is None else len(self._shape))
        keep_history(self._document.get("history"), document.get("history"), self._problems)
        self._replace(document)

    def _replace(self, document: dict[str, Any]) -> None:
        """Take a whole plain header over in place of the one there is, if it breaks no rule that this one keeps.

        A header that was read with ``strict=False`` can so be repaired rule by rule. What is odd is warned of once.

        Raises
        ------
        ArgumentError
            It breaks one; nothing has changed.
        """
        drop_patch(document)
        found = check(document, self._shape, self._dtype)
        if found.problems or found.notices:
            before = check(self._document, self._shape, self._dtype)
            if problems := worse(before.problems, found.problems, self._document, document):
                raise ArgumentError(*problems)
            warn([each for each in found.notices if each not in before.notices])
        self._document, self._problems = fill(document), found.problems
        self.changed = True

    def set_source(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Set the source of a converted array: for converters.

        Raises
        ------
        ArgumentError
            An entry breaks a rule.
        """
        plain = normalise(entries, ("source",))
        found = check_source_document({"source": plain})
        if found.problems:
            raise ArgumentError(*found.problems)
        self._source.value = plain
        self.changed = True

    def adopt(self, other: Meta, *, source: bool, user: bool) -> None:
        """Take the source, or the user metadata, of another over, without looking at it."""
        self._source = other._source.copy() if source else self._source
        self._user = other._user.copy() if user else self._user
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
            More keys, such as `warnings`; `from_` stands for the key ``from``. The time is now (UTC, whole seconds)
            unless it is given.

        Examples
        --------
        >>> meta = Meta.from_dict({"version": "1.0", "axes": [{}]})
        >>> meta.add_history("converted", "scanner 2", from_="nifti", time="2026-11-06T10:12:00Z")
        >>> meta.history[0].from_, meta.history[0].time
        ('nifti', '2026-11-06T10:12:00Z')
        """
        self.usable(("history",))
        document = copied(self._document)
        entry = history_entry(action, writer_name() if tool is None else tool, fields)
        document.setdefault("history", []).append(normalise(entry, ("history", len(self.history))))
        self._replace(document)

    # Copies -----------------------------------------------------------------------------------------------------------

    def copy(self, *, source: bool = True) -> Meta:
        """Return a copy that shares nothing with this one and belongs to no array; without the source if told so."""
        made = Meta(copied(self._document), problems=self._problems)
        made._had = self._had
        made.adopt(self, source=source, user=True)
        made.changed = False
        return made

    def to_dict(self, *, source: bool = False, user: bool = False) -> dict[str, Any]:
        """Return a copy of the header as plain values; with the lazy keys where they are asked for."""
        found: dict[str, Any] = copied(self._document)
        for lazy, asked in ((self._source, source), (self._user, user)):
            if asked:
                found |= copied({lazy.short: lazy.value})
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
        warn(found.notices)
        self._shape, self._dtype, self._problems = tuple(shape), dtype, ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Meta):
            return NotImplemented
        if not equal(self._document, other._document):
            return False
        return self._source.same(other._source) and self._user.same(other._user)

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Meta:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Meta:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (encode(self._document), self._had, self._source, self._user, self._problems)

    def __repr__(self) -> str:
        return lines(self)

    # What is stored ---------------------------------------------------------------------------------------------------

    def encoded(self, storage: Mapping[str, Any]) -> dict[str, bytes | None]:
        """Return the metadata keys to write: the header, and of the lazy keys those that were changed.

        Raises
        ------
        ArgumentError
            The header breaks a rule, so that the file could not be read.
        """
        before = self._document.get("storage")
        document = {**self._document, "storage": {**(before if isinstance(before, dict) else {}), **storage}}
        for key in ("chunk_size", "block_size", "patch_size", "compression"):
            if key not in storage:
                document["storage"].pop(key, None)
        drop_patch(document)
        written = canonical(document, writer=writer_name(), had=self._had)
        found = check(written, self._shape, self._dtype)
        if found.problems:
            raise ArgumentError(*found.problems)
        self._document = {**document, "version": written["version"], "writer": written["writer"]}
        self._problems = ()
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


def _made(header: bytes, had: frozenset[str], source: Lazy, user: Lazy, problems: Sequence[Problem] = ()) -> Meta:
    made = Meta(decode(header, unique=False), problems=problems)
    made._had, made._source, made._user = had, source, user
    return made
