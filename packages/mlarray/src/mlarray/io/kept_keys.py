"""Metadata keys that are kept in memory."""

from __future__ import annotations

from collections.abc import Mapping


class KeptKeys:
    """Raw keys in a dict, for stores that are in no file, or in none yet."""

    _keys: dict[str, bytes]

    def keys(self) -> Mapping[str, bytes]:
        """Every metadata key with its raw bytes."""
        return dict(self._keys)

    def set_keys(self, keys: Mapping[str, bytes | None]) -> None:
        """Keep raw keys; None takes one away."""
        for name, raw in keys.items():
            if raw is None:
                self._keys.pop(name, None)
            else:
                self._keys[name] = raw
