"""Files: opened, created, saved, closed."""

from __future__ import annotations

import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from mlarray import constructors
from mlarray.description import describe
from mlarray.errors import ArgumentError, ArgumentTypeError, MLArrayError, Problem
from mlarray.handle import Handle, Parts, read_meta, recorded_storage, storage_of
from mlarray.io import create as creating
from mlarray.io import file_store, memory_store, paths
from mlarray.io import publish as publishing
from mlarray.io.dtypes import check_dtype
from mlarray.io.frame import check_keys
from mlarray.layout.arguments import resolve_layout, storage_document
from mlarray.layout.records import Layout
from mlarray.meta.meta import Meta

if TYPE_CHECKING:
    from typing_extensions import Self

    from mlarray.array import MLArray


class Files(Handle):
    """What an array does with files."""

    @classmethod
    def open(
        cls, path: Any, mode: str = "r", *, mmap: bool = True, nthreads: int = 1, strict: bool = True, **old: Any
    ) -> MLArray:
        """Open a file; voxels are read when they are asked for.

        Parameters
        ----------
        path
            Of an .mla file.
        mode
            "r" to read; "r+" to change the file in place, alone ("a" is another name of it); "c" to change a copy in
            memory.
        mmap
            Whether the file is mapped: faster while it is in the cache of the system, slower where it is not.
        nthreads
            How many threads decode; with more than one, no process may be forked.
        strict
            False makes warnings of problems in the metadata behind its version, so that a file can be repaired.

        Raises
        ------
        FileNotFoundError
            There is no such file.
        FormatError
            It is damaged, no .mla file, older than format version 1, or breaks a rule.
        LockedError
            Another handle has it open with "r+".

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from mlarray import MLArray
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.mla")
        >>> MLArray(np.arange(24).reshape(2, 3, 4), axes=["z", "y", "x"]).save(path)
        >>> with MLArray.open(path) as m:
        ...     m.shape, int(m[1, 2, 3])
        ((2, 3, 4), 23)
        """
        mode, mmap = _modes(mode, mmap, old)
        constructors.check_flag(mmap, "mmap")
        constructors.check_flag(strict, "strict")
        given = old.get("dparams")
        nthreads = constructors.check_threads(nthreads) if given is None else constructors.threads(given)
        resolved = paths.resolve(path)
        store = file_store.open_file(resolved, mode, mmap=mmap, nthreads=nthreads)
        try:
            meta = read_meta(store, resolved, strict=strict)
        except BaseException:
            store.close()
            raise
        return cls._wrap(Parts(store, meta, _recorded_patch(meta)), mmap=mmap, nthreads=nthreads, strict=strict)

    @classmethod
    def load(cls, path: Any, *, dparams: Any = None, compressed: bool = True, **unknown: Any) -> MLArray:
        """Read a whole file into memory.

        Parameters
        ----------
        path
            Of an .mla file.
        dparams
            How many threads decode: ``{"nthreads": 2}``, or a blosc2.DParams; None is one.
        compressed
            Whether it stays as it is compressed; False holds plain numbers.

        Raises
        ------
        FileNotFoundError, FormatError
            As for `open`.
        ArgumentTypeError, ArgumentError
            An argument that there is not, or no number of threads.
        """
        if unknown:
            message = f"load takes no {', '.join(unknown)}; it takes dparams and compressed"
            raise ArgumentTypeError(Problem("unknown_name", tuple(unknown)[:1], message))
        constructors.check_flag(compressed, "compressed")
        return cls._wrap(loaded(path, compressed=compressed, nthreads=constructors.threads(dparams)))

    @classmethod
    def create(
        cls, path: Any, shape: Any, dtype: Any, *, mode: str = "w", fill_value: Any = None, **arguments: Any
    ) -> MLArray:
        """Begin a file of a shape, to be filled part by part; it stands at its path once it is closed.

        Parameters
        ----------
        path, shape, dtype
            Of the file. What stands there is replaced when this one is closed, in one step.
        mode
            "w"; "x" refuses a path where something stands.
        fill_value
            What is not written to; None is 0.
        arguments
            As for `MLArray`.

        Raises
        ------
        FileExistsError
            The mode is "x", and something stands there.
        FileNotFoundError
            There is no such folder.
        """
        if mode not in {"w", "x"}:
            raise ArgumentError(Problem("wrong_value", ("mode",), f"the mode {mode!r} is none of w, x"))
        resolved = paths.resolve(path, writing=True)
        said, wanted, rest = constructors.split(arguments)
        if not rest.get("compressed", True):
            message = "a file is always compressed; leave compressed=False out, or give cparams={'clevel': 0}"
            raise ArgumentError(Problem("unsupported", ("compressed",), message))
        constructors.threads(rest.get("dparams"))
        sizes, kind = constructors.shape_of(shape), check_dtype(dtype)
        meta = describe(said, sizes, kind)
        layout = constructors.layout_of(meta, sizes, kind, wanted)
        store = creating.create_file(resolved, sizes, kind, layout, fill=fill_value, overwrite=mode == "w")
        meta.changed = True
        return cls._wrap(Parts(store, meta, layout.patch))

    def save(self, path: Any, **layout: Any) -> None:
        """Write the array to a path, in place of what stands there; in one step, whole or not at all.

        Parameters
        ----------
        path
            It may be the file that is open.
        layout
            `patch_size`, `chunk_size`, `block_size`, `cparams`: the array is cut and compressed anew; without any of
            them its chunks are copied as they are.

        Raises
        ------
        FileNotFoundError
            There is no such folder.
        LockedError
            Another handle has that file open with "r+".
        OSError
            It cannot be written; what stood there still does.
        """
        meta, store = self.meta, self._store
        target = paths.resolve(path, writing=True)
        wanted = None
        if layout or store.layout is None:
            asked = constructors.layout_alone(layout, "save")
            wanted = resolve_layout(self.shape, self.dtype, meta.axis_types, asked, self._recorded())
        patch = self._patch if wanted is None else wanted.patch
        storage = storage_of(store, patch) if wanted is None else self._planned(wanted)
        publishing.publish(store, target, meta.encoded(storage), layout=wanted)
        if store.path == target:
            meta.settled()

    def _recorded(self) -> dict[str, Any]:
        return recorded_storage(self.meta)

    def _planned(self, layout: Layout) -> dict[str, Any]:
        """Return what `storage` will record of a layout; where blosc2 chooses, what it would choose."""
        if not layout.chunk and self.shape:
            probe = memory_store.constant(self.shape, self.dtype, None, layout)
            layout = Layout(probe.layout.chunk, probe.layout.block, layout.patch, layout.compression)
        return storage_document(layout)

    def flush(self) -> None:
        """Write changed metadata into a file that is open with "r+"; a file that is being created is not published.

        Raises
        ------
        ArgumentError
            The metadata breaks a rule.
        """
        meta, store = self.meta, self._store
        if store.mode in {"r+", "w"} and meta.changed:
            keys = meta.encoded(storage_of(store, self._patch))
            check_keys(keys)
            store.set_keys(keys)
            meta.settled()
        store.flush()

    def close(self) -> None:
        """Write out what changed, put a file that was being created in place, let go; a second time does nothing.

        In a process that was forked from the one that writes, it only lets go.
        """
        if self.closed:
            return
        if self._store.inherited:
            self._discard()
            return
        try:
            self.flush()
            if self._store.mode == "w":
                self._store.publish()
        finally:
            self._discard()

    def _discard(self) -> None:
        self._store.close()
        self._meta = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and self._store.mode == "w":
            self._discard()
        else:
            self.close()

    def __del__(self) -> None:
        store, meta = getattr(self, "_store", None), getattr(self, "_meta", None)
        if store is None or store.closed or meta is None:
            return
        if store.inherited:
            self._discard()
            return
        if store.mode == "w":
            what = "was created and not closed: nothing was written there"
            self._discard()
        elif store.mode == "r+" and meta.changed:
            what = "was changed and not closed; its metadata is written now"
            try:
                self.close()
            except MLArrayError as error:  # what was broken when it was opened still is
                what = f"was changed and not closed, and its metadata cannot be written: {error}"
        else:
            store.close()
            return
        warnings.warn(f"{store.path} {what}; call close(), or use with", ResourceWarning, stacklevel=2)


def _modes(mode: str, mmap: bool, old: dict[str, Any]) -> tuple[str, bool]:
    """Return mode and mapping, with the older keyword `mmap_mode` and the mode "a" taken in."""
    unknown = set(old) - {"mmap_mode", "dparams"}
    if unknown:
        raise ArgumentTypeError(Problem("unknown_name", (min(unknown),), f"open takes no {', '.join(sorted(unknown))}"))
    if old.get("mmap_mode") is not None:
        mode, mmap = old["mmap_mode"], True
    return ("r+" if mode == "a" else mode), mmap


def _recorded_patch(meta: Meta) -> tuple[int, ...] | None:
    found = recorded_storage(meta).get("patch_size")
    return None if found is None else tuple(found)


def loaded(path: Any, *, compressed: bool, nthreads: int = 1) -> Parts:
    """Return a whole file in memory, as it is compressed or as plain numbers."""
    resolved = paths.resolve(path)
    store = memory_store.load_file(resolved, nthreads)
    meta = read_meta(store, resolved)
    meta.changed = False
    if compressed:
        return Parts(store, meta, _recorded_patch(meta))
    plain = memory_store.PlainStore(np.asarray(store[...]).reshape(store.shape))
    plain.set_keys(dict(store.keys()))
    return Parts(plain, meta, None)
