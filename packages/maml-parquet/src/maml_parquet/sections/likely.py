"""What a wrong word probably stands for."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_SAID_FOR: Final = {
    "columns": "fields",
    "cols": "fields",
    "authors": "author",
    "co_authors": "coauthors",
    "comment": "comments",
    "keyword": "keywords",
    "title": "table",
    "name": "table",
    "licence": "license",
    "desc": "info",
    "description": "info",
    "units": "unit",
    "dtype": "data_type",
    "datatype": "data_type",
    "type": "data_type",
    "length": "array_size",
    "arraysize": "array_size",
    "shape": "col_size",
    "datetime": "timestamp",
}
"""Words of other formats, and those that MAML has for them."""


def likely(word: str, known: Iterable[str]) -> str:
    """Return the question whether another word was meant, to stand before what to do; nothing where none is like it.

    Examples
    --------
    >>> likely("colsize", ("name", "col_size")), likely("Units", ("name", "unit")), likely("x", ("name", "unit"))
    ("did you mean 'col_size'? ", "did you mean 'unit'? ", '')
    """
    names = {name.lower(): name for name in known}
    folded = word.lower()
    close = [_SAID_FOR[folded]] if _SAID_FOR.get(folded) in names else get_close_matches(folded[:64], names, 1)
    return f"did you mean {names[close[0]]!r}? " if close else ""
