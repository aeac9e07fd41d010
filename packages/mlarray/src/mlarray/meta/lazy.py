"""A metadata key that is decoded when it is first looked at, and written back as it was unless it is changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlarray.errors import FormatError
from mlarray.header.check import Checked
from mlarray.header.wire import decode, encode

Fetch = Callable[[], bytes]


class Lazy:
    """The value of a key such as ``mlarray.user``, which holds one map ``{"user": …}``."""

    def __init__(
        self, name: str, empty: Any, check: Callable[[Mapping[str, Any]], Checked], fetch: Fetch | None
    ) -> None:
        self._name, self._check, self._fetch = name, check, fetch
        self._empty = empty
        self._document: dict[str, Any] | None = None
        self.changed = False

    @property
    def _short(self) -> str:
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
            if self._fetch is None:
                self._document = {self._short: self._empty}
            else:
                document = decode(self._fetch(), key=self._name, unique=False)
                found = self._check(document)
                if found.problems:
                    raise FormatError(*found.problems)
                self._document = document
        return self._document[self._short]

    @value.setter
    def value(self, plain: Any) -> None:
        rest = {} if self._document is None else {k: v for k, v in self._document.items() if k != self._short}
        self._document = {self._short: plain, **rest}
        self.changed = True

    def encoded(self) -> bytes | None:
        """Return the bytes to store; None where nothing is to be stored."""
        value = self.value
        assert self._document is not None
        return encode(self._document) if value or len(self._document) > 1 else None

    def settled(self, fetch: Fetch | None) -> None:
        """Note that the value is stored as it is now."""
        self.changed = False
        self._fetch = fetch

    @property
    def present(self) -> bool:
        """Whether there is anything: known without decoding."""
        return self._fetch is not None if self._document is None else bool(self._document[self._short])
