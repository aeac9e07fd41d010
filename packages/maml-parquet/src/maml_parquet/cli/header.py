"""`maml-parquet header`: what a parquet file says of its columns and of the table."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from maml_parquet.cli.counting import counted
from maml_parquet.errors import MamlError, Problem

if TYPE_CHECKING:
    from maml_parquet.files.metadata import FileMetadata

_HEADS = ("column", "type", "elements", "characters", "unit", "ucd", "description")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("file", metavar="FILE", help="a parquet file, or a folder of such files")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="columns and entries as JSON")
    forms.add_argument("--xml", action="store_true", help="the VOTable as it stands in the file")
    forms.add_argument("--maml", action="store_true", help="the MAML as it stands in the file")


def run(given: argparse.Namespace) -> int:
    """Print what was asked for."""
    from maml_parquet.files.metadata import metadata  # noqa: PLC0415  (what is not asked for is not loaded)

    found = metadata(given.file)
    if given.json:
        _print(json.dumps(_plain(found), indent=2) + "\n")
    elif given.xml:
        _print_document(found.votable, "VOTable", found.source)
    elif given.maml:
        _print_document(found.maml, "MAML", found.source)
    else:
        _print("".join(f"{line}\n" for line in _lines(found)))
    return 0


def _plain(found: FileMetadata) -> dict[str, object]:
    return {
        "file": found.path,
        "num_rows": found.num_rows,
        "created_by": found.created_by,
        "date": found.header.date,
        "name": found.header.name,
        "columns": [{"name": name} | asdict(info) for name, info in found.columns.items()],
        "entries": [asdict(entry) for entry in found.entries],
        "has_votable": found.votable is not None,
        "has_maml": found.maml is not None,
    }


def _lines(found: FileMetadata) -> Iterable[str]:
    by = f", by {found.created_by}" if found.created_by else ""
    yield _visible(f"{found.path}: {counted(found.num_rows, 'row')}, {counted(len(found.names), 'column')}{by}")
    if found.header.date:
        yield _visible(f"written {found.header.date}")
    rows = [(entry.key, entry.value, entry.datatype, entry.description) for entry in found.entries]
    if rows:
        yield ""
        yield from _aligned([("entry", "value", "type", "description"), *rows])
    columns = [
        (name, info.datatype, _size(info.col_size), _size(info.array_size), info.unit, info.ucd, info.description)
        for name, info in found.columns.items()
    ]
    if columns:
        yield ""
        yield from _aligned([_HEADS, *columns])


def _size(size: int | None) -> str:
    return "" if size in (None, 1) else str(size)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Yield the rows as lines; columns in which no row says anything are left out."""
    shown = [[_visible(cell) for cell in row] for row in rows]
    kept = [place for place in range(len(shown[0])) if any(row[place] for row in shown[1:])]
    widths = [min(40, max(len(row[place]) for row in shown)) for place in kept]
    for row in shown:
        yield "  ".join(row[place].ljust(width) for place, width in zip(kept, widths, strict=True)).rstrip()


def _visible(text: str) -> str:
    """Return the text in one line, without characters that steer a terminal."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _print(text: str) -> None:
    """Print what people read; letters that the terminal lacks are written as escapes."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def _print_document(text: str | None, what: str, source: str) -> None:
    """Print a document as it stands in the file, in UTF-8 whatever the terminal has: others read it."""
    if text is None:
        words = f"there is no {what} in the file; what else it says is shown without --xml and --maml"
        raise MamlError([Problem("file", (), words)], source)
    text = text if text.endswith("\n") else f"{text}\n"
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    binary.write(text.encode("utf-8", "backslashreplace"))
    binary.flush()
