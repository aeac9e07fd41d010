"""Values that a program gives as metadata: their text, and the word of their type."""

from __future__ import annotations

import math
import re
from typing import Any, Final

import numpy as np

from maml_parquet.errors import MamlError, Problem

COMPANION: Final = ".datatype"
"""What stands behind a key in the key of its type."""

UNWRITABLE: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that neither XML nor YAML can hold."""

_SMALL: Final = {
    "int8": "int32",
    "int16": "int32",
    "uint8": "int32",
    "uint16": "int32",
    "int32": "int32",
    "uint32": "int64",
    "int64": "int64",
    "uint64": "int64",
    "float16": "float32",
    "float32": "float32",
    "float64": "float64",
    "bool": "boolean",
}
"""The type that holds every value of numpy's (uint64: those that fit)."""

_PLAIN_ITEM: Final = re.compile(r"[^\s,\[\]'\"\\](?:[^,\[\]'\"\\\n\r\t]*[^\s,\[\]'\"\\])?")


def typed(value: object) -> tuple[str, str]:
    """Return the text of a value, and the word of its type, which is empty for text.

    Parameters
    ----------
    value
        A text, a truth value, a whole number of at most 64 bits, a float; such a scalar of numpy; or a list, a tuple or
        a one-dimensional array of values of one type. Python's numbers are ``int64`` and ``float64``.

    Raises
    ------
    MamlError
        `metadata` for everything else: None, nested and mixed and empty lists, characters that no header can hold.

    Notes
    -----
    A float is written as Python writes it, with the fewest digits that give the value back in its type. Items of a
    list of texts stand in double quotes where they hold a comma, a bracket, a quote or blanks at an end.

    Examples
    --------
    >>> typed(True), typed(5), typed(np.int32(5)), typed(1.5), typed("5")
    (('true', 'boolean'), ('5', 'int64'), ('5', 'int32'), ('1.5', 'float64'), ('5', ''))
    >>> typed([1, 2, 3]), typed(["a", "b, c"])
    (('[1, 2, 3]', 'int64[]'), ('[a, "b, c"]', 'string[]'))
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, list | tuple | np.ndarray):
        return _listed(value)
    return _scalar(value)


def _listed(values: Any) -> tuple[str, str]:
    if isinstance(values, np.ndarray):
        if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
            raise _refused("masked, and Null is no metadata; give values only")
        if values.ndim == 0:
            raise _refused(f"{type(values).__name__}; give its number, and say its unit in the description")
        if values.ndim > 1:
            raise _refused(f"an array of {values.ndim} dimensions; give a list of values")
    if len(values) == 0:
        raise _refused("an empty list, whose type nobody can tell; leave the key out, or give a text")
    found = []
    for item in values:
        if isinstance(item, list | tuple | np.ndarray):
            raise _refused("a list in a list; give one list of values")
        found.append(_scalar(item))
    words = {word for _, word in found}
    if len(words) > 1:
        told = ", ".join(sorted(word or "text" for word in words))
        raise _refused(f"a list of values of several types ({told}); give values of one")
    word = words.pop()
    texts = [text if word else _item(text) for text, _ in found]
    return f"[{', '.join(texts)}]", f"{word or 'string'}[]"


def _item(text: str) -> str:
    if _PLAIN_ITEM.fullmatch(text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _scalar(value: object) -> tuple[str, str]:
    if isinstance(value, str):
        return text_of(value), ""
    if isinstance(value, np.generic):
        word = _SMALL.get(value.dtype.name)
        if word is None:
            raise _refused(f"a value of numpy's {value.dtype.name}; give text, a number or a truth value")
        return _number(value.item(), word)
    if isinstance(value, bool):
        return _number(value, "boolean")
    if isinstance(value, int):
        return _number(int(value), "int64")
    if isinstance(value, float):
        return _number(float(value), "float64")
    raise _refused(f"{type(value).__name__}; give text, a number, a truth value, or a list of them")


def _number(value: bool | int | float, word: str) -> tuple[str, str]:
    if word == "boolean":
        return ("true" if value else "false"), word
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise _refused("a whole number beyond 64 bits; give it as text, or as a float")
    return (_shortest(float(value)) if word == "float32" else repr(value)), word


def _shortest(value: float) -> str:
    """Return the fewest digits that are this value as a float of 32 bits."""
    if not math.isfinite(value):
        return repr(value)
    for digits in range(1, 9):
        near = float(f"{value:.{digits}g}")
        if abs(near) < 3.4028235677973366e38 and float(np.float32(near)) == value:
            return repr(near)
    return repr(float(f"{value:.9g}"))


def text_of(value: str) -> str:
    """Return the text without the blanks around it; MamlError `metadata` for what no header can hold."""
    if found := UNWRITABLE.search(value):
        raise _refused(f"text with the character U+{ord(found[0]):04X}, which no header can hold; remove it")
    return value.strip()


def _refused(what: str) -> MamlError:
    return MamlError([Problem("metadata", ("metadata",), f"the value is {what}")])
