"""Which files of a folder are read as one table."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from maml_parquet.errors import MamlError, Problem

SUFFIXES: Final = (".parquet", ".parq", ".pq")
"""What the names of files in a folder end with; others in it are left alone."""


def files_of(folder: Path) -> list[Path]:
    """Return the parquet files of a folder by name; names that begin with ``_`` or ``.`` are skipped.

    Raises
    ------
    MamlError
        Code ``file``: there are none, or there are folders inside, whose files would be left out.
    """
    found = sorted(path for path in folder.iterdir() if not path.name.startswith(("_", ".")))
    inside = next((path.name for path in found if path.is_dir()), None)
    if inside is not None:
        words = (
            f"the folder holds the folder {inside!r}, and the files of a table lie side by side; name one folder of it"
        )
        raise _refused(words, folder)
    files = [path for path in found if path.name.endswith(SUFFIXES)]
    if not files:
        words = f"the folder holds no parquet files, whose names end with {', '.join(SUFFIXES)}; name another one"
        raise _refused(words, folder)
    return files


def _refused(words: str, folder: Path) -> MamlError:
    return MamlError([Problem("file", (), words)], str(folder))
