"""Files made whole: written under other names in the same folder, and given their own once all of them are done."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from maml_parquet.errors import MamlError, Problem

_BYTES: Final = re.compile("[\udc80-\udcff]")
"""What bytes of a name that are not UTF-8 stand as."""

_LONGEST: Final = 180
"""How many bytes of a file's name stand in the name of its draft; systems allow some 255 in all."""


def sidecar_path(path: str | os.PathLike[str]) -> Path:
    """Return where the MAML of a parquet file stands: beside it, ``.maml`` for ``.parquet``, else appended.

    Examples
    --------
    >>> sidecar_path("a.b/x.parquet").as_posix(), sidecar_path("x.pq").as_posix()
    ('a.b/x.maml', 'x.pq.maml')
    """
    found = Path(path)
    return found.with_suffix(".maml") if found.suffix == ".parquet" else found.parent / f"{found.name}.maml"


class Drafts:
    """Files that are being written under names that no reader of a folder takes for data.

    Nothing is seen under the final names before `publish`, which places all of them or none. What is left when the
    object is discarded, or goes away, is removed.

    Parameters
    ----------
    paths
        The final names, the most important one first; a symbolic link is followed.
    overwrite
        Whether files that stand there are replaced; else they are an error, now and when it comes to placing.

    Raises
    ------
    MamlError
        `exists`: something stands there.
    OSError
        There is no such folder, or it cannot be written to; something that is no file stands there.
    """

    def __init__(self, paths: Iterable[str | os.PathLike[str]], *, overwrite: bool = False) -> None:
        self.overwrite = overwrite
        self.paths = tuple(_target(Path(path).absolute(), overwrite) for path in paths)
        self.names = tuple(_draft_name(path) for path in self.paths)
        self._finalizer = weakref.finalize(self, _remove_own, self.names, os.getpid())
        try:
            for name in self.names:
                _create(name)
        except BaseException:
            self.discard()
            raise

    def publish(self) -> None:
        """Give the drafts their names: all of them, or none and what stood there stands there still.

        Raises
        ------
        MamlError
            `exists`: something stands there by now, and it is not to be replaced.
        OSError
            A file could not be placed.
        """
        try:
            if self.overwrite:
                self._replace()
            else:
                self._place()
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove the drafts that have not been published; none is left after it."""
        self._finalizer()

    def _place(self) -> None:
        placed: list[Path] = []
        try:
            for name, path in zip(self.names, self.paths, strict=True):
                _place_new(name, path)
                placed.append(path)
        except BaseException:
            _remove(placed)
            raise

    def _replace(self) -> None:
        """Put the old files aside, the last first, so that no old sidecar is ever beside a new file."""
        aside: list[tuple[Path, Path]] = []
        placed: list[Path] = []
        try:
            for name, path in zip(self.names, self.paths, strict=True):
                _prepare(name, path)
            for path in self.paths[:0:-1]:
                if os.path.lexists(path):
                    aside.append((_draft_name(path), path))
                    path.rename(aside[-1][0])
            if len(self.paths) > 1 and os.path.lexists(self.paths[0]):
                aside.append((_draft_name(self.paths[0]), self.paths[0]))
                _second_name(self.paths[0], aside[-1][0])
            for name, path in zip(self.names, self.paths, strict=True):
                name.replace(path)
                placed.append(path)
        except BaseException:
            _restore(aside, placed)
            raise
        _remove(old for old, _ in aside)


def _restore(aside: list[tuple[Path, Path]], placed: list[Path]) -> None:
    kept = {path for _, path in aside}
    _remove(path for path in placed if path not in kept)
    for old, path in reversed(aside):
        if old.exists():
            old.replace(path)
            _remove([old])  # of two names of one file, renaming leaves both


def _second_name(path: Path, name: Path) -> None:
    """Keep a file under a second name; where a file system has none, it is moved there."""
    try:
        name.hardlink_to(path)
    except (OSError, NotImplementedError):
        path.rename(name)


def _prepare(name: Path, path: Path) -> None:
    """Ready a draft to replace a file: on the disk before the old one goes, with the old one's permissions."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    with name.open("rb+") as file:
        os.fsync(file.fileno())
    with contextlib.suppress(OSError):
        name.chmod(mode & 0o7777)


def _place_new(name: Path, path: Path) -> None:
    """Give a draft a name that nothing has; of two writers that try, one gets it."""
    try:
        path.hardlink_to(name)
    except FileExistsError:
        raise _exists(path) from None
    except (OSError, NotImplementedError):
        _claim(name, path)


def _claim(name: Path, path: Path) -> None:
    """Do so on a file system without second names: an empty file of the name is made, which nobody else can then."""
    try:
        with path.open("xb"):
            pass
    except FileExistsError:
        raise _exists(path) from None
    try:
        name.replace(path)
    except BaseException:
        _remove([path])
        raise


def _target(path: Path, overwrite: bool) -> Path:
    if _BYTES.search(str(path)):
        words = f"{str(path)!r} is a name that is not UTF-8, which pyarrow cannot open; give another one"
        raise MamlError([Problem("argument", ("path",), words)])
    if not overwrite and os.path.lexists(path):
        raise _exists(path)
    resolved = Path(os.path.realpath(path)) if path.is_symlink() else path
    if not resolved.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder; make it first", str(resolved.parent))
    if resolved.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder stands there; give the name of a file", str(path))
    if resolved.exists() and not stat.S_ISREG(resolved.stat().st_mode):
        raise OSError(errno.EINVAL, "no regular file stands there; give another name", str(path))
    return resolved


def _exists(path: Path) -> MamlError:
    more = ", or write_maml=False to leave it" if path.suffix == ".maml" else ""
    words = f"{str(path)!r} is there already; give another name, or overwrite=True to replace it{more}"
    return MamlError([Problem("exists", (), words)])


def _draft_name(path: Path) -> Path:
    """Return an unused name in the folder: hidden, and without the file's own ending."""
    short = os.fsdecode(os.fsencode(path.name)[:_LONGEST])
    return path.with_name(f".{short}.{os.getpid()}.{secrets.token_hex(4)}.tmp")


def _create(name: Path) -> None:
    with name.open("xb"):
        pass


def _remove_own(names: tuple[Path, ...], process: int) -> None:
    """Remove drafts, unless this is a fork of the process that writes them."""
    if os.getpid() == process:
        _remove(names)


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
