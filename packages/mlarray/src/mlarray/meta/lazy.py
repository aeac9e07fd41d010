"""A metadata key that is decoded when it is first looked at, and written back as it was unless it is changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlarray.errors import FormatError
from mlarray.header.check import Checked
from mlarray.header.wire import decode, encode
from mlarray.meta.frozen import equal

Fetch = Callable[[], bytes]


class Lazy:
    """The value of a key such as ``mlarray.user``, which holds one map ``{"user": …}``."""

    def __init__(
        self,
        name: str,
        empty: Any,
        check: Callable[[Mapping[str, Any]], Checked],
        raw: Fetch | bytes | None = None,
    ) -> None:
        """Note where the bytes are: at hand, to be fetched, or nowhere."""
        self._name, self._check, self._empty = name, check, empty
        self._raw = raw
        self._document: dict[str, Any] | None = None
        self._edited = False
        self.changed = False
        """Whether it is to be written."""

    @property
    def short(self) -> str:
        """The name without ``mlarray.``."""
        return self._name.rpartition(".")[2]

    @property
    def value(self) -> Any:
        """The plain value; nobody changes it.

        Raises
        ------
        FormatError
            The bytes are damaged, or break a rule.
        """
        if self._document is None:
            raw = self._bytes()
            self._document = {self.short: self._empty} if raw is None else self._decoded(raw)
        return self._document[self.short]

    @value.setter
    def value(self, plain: Any) -> None:
        try:
            _ = self.value
        except FormatError:  # what is damaged is replaced
            self._document = {}
        self._document = {**(self._document or {}), self.short: plain}
        self._edited = self.changed = True

    def _decoded(self, raw: bytes) -> dict[str, Any]:
        document = decode(raw, key=self._name, unique=False)
        found = self._check(document)
        if found.problems:
            raise FormatError(*found.problems)
        return document

    def _bytes(self) -> bytes | None:
        return self._raw() if callable(self._raw) else self._raw

    def encoded(self) -> bytes | None:
        """Return the bytes to store, as they were read unless they were changed; None where nothing is to be stored."""
        if not self._edited:
            return self._bytes()
        assert self._document is not None
        return encode(self._document) if self._document[self.short] or len(self._document) > 1 else None

    def copy(self) -> Lazy:
        """Return one that does not look at this one's file, not written yet; damaged bytes are copied as they are."""
        made = Lazy(self._name, self._empty, self._check, self.encoded())
        made.changed = made.present
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._name, self._empty, self._check, self.encoded())

    @property
    def present(self) -> bool:
        """Whether there is anything: known without decoding."""
        if not self._edited:
            return self._raw is not None
        return self.encoded() is not None

    @property
    def seen(self) -> Any:
        """The value where it was looked at already, else None."""
        return None if self._document is None else self._document[self.short]

    def same(self, other: Lazy) -> bool:
        """Whether another holds the same; bytes that agree are not decoded."""
        if not self._edited and not other._edited and self._bytes() == other._bytes():
            return True
        return equal({"": self.value}, {"": other.value})


def _made(name: str, empty: Any, check: Any, raw: bytes | None) -> Lazy:
    made = Lazy(name, empty, check, raw)
    made.changed = raw is not None
    return made
