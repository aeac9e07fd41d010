"""Bytes to JSON: what is no JSON, not UTF-8, or a bare NaN is refused, naming the document and the key."""

from __future__ import annotations

import json
from typing import Any, Final

from worldarray.documents.parsing import mapping, refuse
from worldarray.errors import At

_BYTE_ORDER_MARK: Final = "\ufeff"
_DECODER: Final = json.JSONDecoder()


class _Constant:
    """A bare NaN or Infinity, which JSON does not have, as found while parsing."""

    def __init__(self, word: str) -> None:
        self.word = word


def load_json(data: bytes, at: At) -> object:
    """Return what a JSON document holds; of duplicate keys the last one counts, a byte order mark is skipped.

    Parameters
    ----------
    data : bytes
        The document.
    at : tuple
        The path of the document.

    Raises
    ------
    PlacementError
        ``not_json``: not UTF-8, not JSON, nested too deeply, or a bare NaN or Infinity, whose key the error names.

    Notes
    -----
    RFC 8259 §6 (no NaN), §8.1 (UTF-8).

    Examples
    --------
    >>> load_json(b'{"shape": [4, 5]}', ("em.zarr/.zarray",))
    {'shape': [4, 5]}
    """
    constants: list[str] = []
    try:
        text = data.decode()
        if text.startswith(_BYTE_ORDER_MARK):
            text = text[1:]
        # a decoder of one's own is dear, and only these words need one
        bare = "NaN" in text or "Infinity" in text
        loaded: object = _constants_noted(text, constants) if bare else _decoded(text)
    except UnicodeDecodeError as error:
        refuse("not_json", at, f"byte {error.start} is not UTF-8; a JSON document is UTF-8 text")
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        refuse("not_json", at, f"not JSON: {error.msg} at {where}; rewrite the document or restore it from a copy")
    except RecursionError:
        refuse("not_json", at, "nested too deeply to be read; metadata is nested a few levels")
    except ValueError:  # an integer of thousands of digits
        refuse("not_json", at, "holds a number with too many digits to be read; rewrite the document")
    if constants:
        path, word = _find_constant(loaded) or ((), constants[0])
        refuse("not_json", at + path, f'a bare {word} is not JSON; write it as the string "{word}"')
    return loaded


def _decoded(text: str) -> object:
    """Return what a text holds; of an object with nothing around it, without looking for spaces there."""
    if text.startswith("{"):
        loaded, end = _DECODER.raw_decode(text)
        if end == len(text):
            return loaded
    return _DECODER.decode(text)


def _constants_noted(text: str, words: list[str]) -> object:
    """Return a document in which `_Constant` stands for each bare NaN or Infinity, and add these words to `words`."""

    def constant(word: str) -> _Constant:
        words.append(word)
        return _Constant(word)

    return json.loads(text, parse_constant=constant)


def _find_constant(loaded: object) -> tuple[At, str] | None:
    """Return the path and the word of the first constant of a parsed document."""
    pending: list[tuple[At, object]] = [((), loaded)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, _Constant):
            return path, value.word
        if isinstance(value, dict):
            pending += [((*path, key), entry) for key, entry in reversed(value.items())]
        elif isinstance(value, list):
            pending += [((*path, i), entry) for i, entry in reversed(list(enumerate(value)))]
    return None


def load_object(data: bytes, at: At) -> dict[str, Any]:
    """Return a JSON document that must be an object.

    Raises
    ------
    PlacementError
        ``not_json``, or ``wrong_type`` when the document is a list, a number, …
    """
    return mapping(load_json(data, at), at)
