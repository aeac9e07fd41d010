"""From bytes to lines: the encoding, the line endings, and the limits on size and length."""

from __future__ import annotations

import codecs
import re
from typing import Final

from maml_parquet.errors import MamlError, Problem

MAX_BYTES: Final = 4 * 1024 * 1024
"""The largest text that is read, in bytes of UTF-8."""

MAX_LINE: Final = 1024
"""The longest line, in code points, its ending not counted."""

MAX_TOLD: Final = 1000
"""After so many wrong lines no more are looked for."""

_BOM: Final = "\ufeff"

_REFUSED: Final = re.compile("[\x00-\x08\x0b\x0c\r\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def lines(source: str | bytes, *, max_line: int = MAX_LINE) -> str:
    r"""Return the text with ``\n`` endings: decoded, without byte order mark, every line checked.

    Parameters
    ----------
    source
        A whole MAML; bytes are UTF-8.
    max_line
        The most code points of one line, the ending not counted.

    Raises
    ------
    MamlError
        `encoding` for bytes that are not UTF-8 (naming the offset), a lone carriage return and control characters;
        `line-too-long` per line; `limit` above 4 MiB; `argument` for anything but text and for a bad `max_line`.

    Examples
    --------
    >>> lines(b"\xef\xbb\xbftable: t\r\nauthor: \xc3\x85sa\r\n")
    'table: t\nauthor: Åsa\n'
    """
    _check_limit(max_line)
    text = _decoded(source).replace("\r\n", "\n").removeprefix(_BOM)
    found: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        if len(found) >= MAX_TOLD:
            break
        if len(line) > max_line:
            words = f"the line has {len(line)} characters, {max_line} are the most; shorten it, or raise max_line"
            found.append(Problem("line-too-long", (), words, number, max_line + 1))
        if refused := _REFUSED.search(line):
            found.append(Problem("encoding", (), _refusal(refused[0]), number, refused.start() + 1))
    if found:
        raise MamlError(found)
    return text


def _check_limit(max_line: object) -> None:
    if isinstance(max_line, bool) or not isinstance(max_line, int) or max_line < 1:
        raise MamlError([Problem("argument", (), f"max_line is {max_line!r}; give a whole number of at least 1")])


def _decoded(source: object) -> str:
    if isinstance(source, str):
        size = len(source) if len(source) > MAX_BYTES else len(source.encode("utf-8", "surrogatepass"))
        _check_size(size)
        return source
    if not isinstance(source, bytes | bytearray | memoryview):
        words = f"a MAML is text or bytes, not {type(source).__name__}; read the file first, or use load(path)"
        raise MamlError([Problem("argument", (), words)])
    raw = bytes(source)
    _check_size(len(raw))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].removeprefix(codecs.BOM_UTF8).decode("utf-8")) + 1
        words = f"byte {error.start} (0x{raw[error.start]:02x}) is not UTF-8; save the file as UTF-8"
        raise MamlError([Problem("encoding", (), words, line, column)]) from None


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        words = f"the text has {size} bytes, {MAX_BYTES} (4 MiB) are the most; keep data out of the MAML"
        raise MamlError([Problem("limit", (), words)])


def _refusal(character: str) -> str:
    if character == "\r":
        return "a carriage return without a line feed; save the file with LF or CRLF line endings"
    if character in "\x85\u2028\u2029":
        return f"U+{ord(character):04X} ends a line for some readers of YAML and not for others; use a line feed"
    return f"the character U+{ord(character):04X} is not allowed in a MAML; remove it"
