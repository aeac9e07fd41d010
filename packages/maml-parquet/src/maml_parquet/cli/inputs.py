"""Tables that are converted or described: what they say of their columns, and their rows in batches."""

from __future__ import annotations

import argparse
import errno
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

from maml_parquet.errors import MamlError, Problem
from maml_parquet.schema.records import Column
from maml_parquet.sections.types import TypeToken

Batch: TypeAlias = Mapping[str, Any]
"""Rows of some columns, by name: what `open_writer(…).write` takes."""

_SUFFIXES: Final = {
    ".csv": "csv",
    ".tsv": "csv",
    ".fits": "fits",
    ".fit": "fits",
    ".votable": "votable",
    ".vot": "votable",
    ".xml": "votable",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".ecsv": "ecsv",
    ".mrt": "mrt",
    ".tbl": "ipac",
    ".rdb": "rdb",
}
"""The format of each suffix; one of a packed file stands before it, like `.fits.gz`."""

_HOMES: Final = {
    "csv": ("maml_parquet.cli.inputs_csv", "open_csv"),
    "fits": ("maml_parquet.cli.inputs_fits", "open_fits"),
    "votable": ("maml_parquet.cli.inputs_votable", "open_votable"),
    "parquet": ("maml_parquet.cli.inputs_parquet", "open_parquet"),
    "ecsv": ("maml_parquet.cli.inputs_text", "open_text"),
    "mrt": ("maml_parquet.cli.inputs_text", "open_text"),
    "ipac": ("maml_parquet.cli.inputs_text", "open_text"),
    "rdb": ("maml_parquet.cli.inputs_text", "open_text"),
}
"""What opens each format."""

_PACKED: Final = frozenset({".gz", ".bz2", ".xz", ".zst"})
_BATCH_BYTES: Final = 16 * 2**20
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True)
class InputColumn:
    """A column of a file in the words of MAML.

    Attributes
    ----------
    kind
        Its type; None where MAML has no word for it, and `reason` says why.
    col_size
        Elements of a row.
    array_size
        Characters that strings have at most, where the file says so.
    reason
        What is lost or not carried over.
    """

    name: str
    kind: TypeToken | None
    col_size: int = 1
    array_size: int | None = None
    unit: str = ""
    info: str = ""
    ucd: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Input:
    """A table of an open file.

    Attributes
    ----------
    table
        Its name; that of the file where it has none.
    names
        Its columns, in order: unique, without blanks around them.
    describe
        Returns what the file says of its columns; this may take a pass over its rows.
    batches
        Returns the rows of some columns, in order, a few MiB at a time.
    num_rows
        How many there are, where that is known beforehand.
    maml
        The MAML inside, where there is one.
    units
        The units of columns, where the file says any.
    """

    table: str
    names: tuple[str, ...]
    describe: Callable[[], tuple[InputColumn, ...]]
    batches: Callable[[Sequence[Column]], Iterator[Batch]]
    description: str = ""
    num_rows: int | None = None
    maml: str | None = None
    units: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Options:
    """How files are read, whatever their format; what a format does not know it ignores."""

    format: str | None = None
    table: str | None = None
    delimiter: str | None = None
    nulls: tuple[str, ...] = ()
    skip: int = 0
    assume_utc: bool = False


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say which file is read, and how."""
    parser.add_argument(
        "input", metavar="IN", help=f"a table: {' '.join(_SUFFIXES)}, packed ({' '.join(sorted(_PACKED))}) or not"
    )
    parser.add_argument("--format", choices=sorted(_HOMES), help="what the file is, where its suffix does not say so")
    parser.add_argument(
        "--table", metavar="NAME", help="which of its tables: a name, or a number (FITS counts its HDUs, both from 0)"
    )
    parser.add_argument("--delimiter", metavar="CHAR", help="between the cells of a CSV (default: a comma; .tsv: tab)")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="lines of a CSV before the names of columns")
    parser.add_argument(
        "--null",
        metavar="WORD",
        action="append",
        default=[],
        help="a cell of a CSV that is Null, like NA; the empty cell is always one; may be repeated",
    )


def is_known_otherwise(path: str) -> bool:
    """Return whether a name is that of a table that is no parquet file.

    Examples
    --------
    >>> is_known_otherwise("a.csv"), is_known_otherwise("a.parquet"), is_known_otherwise("a.dat")
    (True, False, False)
    """
    return _SUFFIXES.get(Path(path).suffix.lower(), "parquet") != "parquet"


def options_of(given: argparse.Namespace) -> Options:
    """Return the options that a command line says."""
    return Options(
        format=given.format,
        table=given.table,
        delimiter=given.delimiter,
        nulls=tuple(given.null),
        skip=given.skip,
        assume_utc=getattr(given, "assume_utc", False),
    )


def open_input(path: str | os.PathLike[str], options: Options | None = None) -> AbstractContextManager[Input]:
    """Return the table of a file, as a context that keeps it open.

    Raises
    ------
    MamlError
        ``file``: no table is in it, or it cannot be understood. ``argument``: its format is not known, or needs a
        package that is not installed.
    OSError
        It cannot be opened.
    """
    found = Path(path)
    if not found.is_file():
        code = errno.EISDIR if found.is_dir() else errno.ENOENT
        raise OSError(code, os.strerror(code), os.fspath(path))
    chosen = options or Options()
    format_ = chosen.format or _format(found)
    module, opener = _HOMES[format_]
    opened: AbstractContextManager[Input] = getattr(import_module(module), opener)(found, format_, chosen)
    return opened


MAX_SAID: Final = 400
"""The most characters of what others say about a file."""


def file_error(path: Path, message: str) -> MamlError:
    """Return an error about what is in a file, in one line that is not endless: others than us word it."""
    text = one_line(message)
    text = text if len(text) <= MAX_SAID else f"{text[: MAX_SAID // 2]} … {text[-MAX_SAID // 2 :]}"
    return MamlError([Problem("file", (), text)], os.fspath(path))


def imported(module: str) -> Any:
    """Return a module of astropy, which is an extra."""
    try:
        return import_module(module)
    except ImportError as error:
        words = f"{module} is needed to read this file; pip install 'maml-parquet[astropy]'"
        raise MamlError([Problem("argument", (), words)]) from error


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what other packages warn of in a file away: what is lost of it is said in words of this one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def stem(path: Path) -> str:
    """Return the name of a file without the suffixes of its format and packing.

    Examples
    --------
    >>> stem(Path("a/gama.dr4.fits.gz"))
    'gama.dr4'
    """
    unpacked = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    return unpacked.stem if unpacked.suffix.lower() in _SUFFIXES else unpacked.name


def unique(names: Sequence[str]) -> tuple[str, ...]:
    r"""Return names that a MAML may use: one line each, without blanks around them, no two the same.

    Examples
    --------
    >>> unique(["ra", " ra", "", "a\nb"])
    ('ra', 'ra_2', 'column_3', 'a b')
    """
    cleaned = [_CONTROL.sub(" ", name).strip() or f"column_{position}" for position, name in enumerate(names, start=1)]
    taken = set(cleaned)
    found: list[str] = []
    seen: set[str] = set()
    for name in cleaned:
        free = name
        number = 2
        while free in seen or (free != name and free in taken):
            free, number = f"{name}_{number}", number + 1
        seen.add(free)
        found.append(free)
    return tuple(found)


def rows_per_batch(row_bytes: int) -> int:
    """Return how many rows make a batch of some 16 MiB; never fewer than 1024."""
    return max(1024, _BATCH_BYTES // max(row_bytes, 1))


def clean_unit(text: str) -> str:
    """Return a unit; catalogues write dashes where there is none.

    Examples
    --------
    >>> clean_unit("---"), clean_unit(" km/s ")
    ('', 'km/s')
    """
    words = one_line(text)
    return "" if set(words) == {"-"} else words


def one_line(text: str) -> str:
    r"""Return a text without line ends, control characters and blanks at its ends.

    Examples
    --------
    >>> one_line("  Right\n  ascension ")
    'Right ascension'
    """
    return " ".join(_CONTROL.sub(" ", text).split())


def _format(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    if suffixes and suffixes[-1] in _SUFFIXES:
        return _SUFFIXES[suffixes[-1]]
    words = f"the suffix of {path.name} says no format; rename it ({' '.join(_SUFFIXES)}) or use --format"
    raise MamlError([Problem("argument", (), words)])
