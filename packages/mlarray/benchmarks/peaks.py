"""Print by how many bytes something raises the peak of this process: ``peaks.py header|open|patch FILE``."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).parents[2] / "worldarray-core" / "benchmarks"))

import memory

from mlarray import MLArray
from mlarray.cli.main import header


def _header(path: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        header([path])


def _open(path: str) -> None:
    MLArray.open(path).close()


def _patch(path: str) -> None:
    with MLArray.open(path) as array:
        array.read_patch([n // 3 for n in array.shape], [min(64, n // 2) for n in array.shape])


_DOES = {"header": _header, "open": _open, "patch": _patch}


def main() -> None:
    """Do the thing with a small file first, so that what is imported for it does not count."""
    does, path = _DOES[sys.argv[1]], sys.argv[2]
    small = f"{path}.{sys.argv[1]}.mla"
    MLArray([[1, 2], [3, 4]], axes=["y", "x"]).save(small)
    does(small)
    Path(small).unlink()
    before = memory.reset_peak()
    does(path)
    print(max(memory.peak_size() - before, 1))


if __name__ == "__main__":
    main()
