"""How a file is written, checked before anything is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from numbers import Integral
from typing import Final, Literal, TypeAlias

from maml_parquet.arguments import is_word
from maml_parquet.errors import MamlError, Problem

OnOverlong: TypeAlias = Literal["error", "warn"]

CODECS: Final[dict[str, range | None]] = {
    "none": None,
    "snappy": None,
    "lz4": None,
    "gzip": range(1, 10),
    "brotli": range(12),
    "zstd": range(-131_072, 23),
}
"""Names of codecs, and the levels of those that have some."""

MOST_ROWS: Final = 2**31 - 1
"""The most rows of a row group, and of a batch."""

_FLAGS: Final = ("write_maml", "qc", "overwrite", "assume_utc")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}")


@dataclass(frozen=True)
class Options:
    """How a file is written; `write_table` tells what each of them does.

    Raises
    ------
    MamlError
        `argument`, for each option that is none.
    """

    write_maml: bool = True
    qc: bool = True
    on_overlong: OnOverlong = "error"
    file_date: str | datetime | None = None
    overwrite: bool = False
    assume_utc: bool = False
    compression: str | None = "zstd"
    compression_level: int | None = 3
    row_group_size: int | None = None

    def __post_init__(self) -> None:
        found = [Problem("argument", (), words) for words in self._problems()]
        if found:
            raise MamlError(found)

    @property
    def codec(self) -> tuple[str, int | None]:
        """The codec, and its level where it takes one."""
        name = (self.compression or "none").lower()
        level = None if self.compression_level is None else int(self.compression_level)
        return name, None if CODECS[name] is None else level

    def date(self) -> str:
        """Return the date that the file says it is of, in UTC: `file_date`, or now."""
        if isinstance(self.file_date, str):
            return self.file_date
        moment = self.file_date or datetime.now(timezone.utc)
        return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")

    def _problems(self) -> Iterator[str]:
        for name in _FLAGS:
            if not isinstance(getattr(self, name), bool):
                yield f"{name} is {getattr(self, name)!r}; use True or False"
        if not is_word(self.on_overlong, ("error", "warn")):
            yield f"on_overlong is {self.on_overlong!r}; use 'error' or 'warn'"
        yield from _date_problems(self.file_date)
        yield from _codec_problems(self.compression, self.compression_level)
        size = self.row_group_size
        if not _is_whole(size) or (size is not None and not 1 <= size <= MOST_ROWS):
            yield f"row_group_size is {size!r}; use a number of rows from 1 to {MOST_ROWS}, or None for some 256 MiB"


def _is_whole(value: object) -> bool:
    return value is None or (isinstance(value, Integral) and not isinstance(value, bool))


def _date_problems(value: object) -> Iterator[str]:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            yield f"file_date is {value.isoformat()}, which is in no time zone; add one: tzinfo=timezone.utc"
    elif value is not None and not (isinstance(value, str) and _is_date(value)):
        yield f"file_date is {value!r}; write it in UTC like '2024-05-06T07:08:09', or give a datetime with a time zone"


def _codec_problems(name: object, level: object) -> Iterator[str]:
    codec = "none" if name is None else name.lower() if isinstance(name, str) else ""
    if codec not in CODECS:
        yield f"compression is {name!r}; use one of {', '.join(CODECS)}"
        return
    levels = CODECS[codec]
    if not _is_whole(level) or (levels is not None and level is not None and level not in levels):
        allowed = f"a whole number from {levels[0]} to {levels[-1]}" if levels else "a whole number"
        yield f"compression_level is {level!r}; use {allowed}, or None for the codec's own"


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
