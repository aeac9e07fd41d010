"""The sizes of a column: a positive whole number, or `auto`."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

Auto: TypeAlias = Literal["auto"]
Size: TypeAlias = int | Auto

AUTO: Final[Auto] = "auto"
"""A size that the data decides."""

MAX_SIZE: Final = 2**31 - 1
"""The largest size."""

_WHOLE: Final = re.compile(r"\+?[0-9]+")


def parse_size(text: str) -> Size | None:
    """Return the size that the text is; 1 for blank text, None for text that is no size.

    Examples
    --------
    >>> parse_size("18"), parse_size(" Auto "), parse_size(""), parse_size("2.0")
    (18, 'auto', 1, None)
    """
    words = text.strip()
    if not words:
        return 1
    if words.lower() == AUTO:
        return AUTO
    if not _WHOLE.fullmatch(words) or len(words.lstrip("+0")) > 10:
        return None
    size = int(words)
    return size if 1 <= size <= MAX_SIZE else None
