"""Importing the package, beside importing what it is built on; each in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import stores
from harness import Goal, Line, Timer

_CODE = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def lines(root: Path, *, quick: bool) -> list[Line]:  # noqa: ARG001  (nothing here is smaller when quick)
    """Return the import, and the first things that people do after it."""
    path = stores.pyramid(root / "first.zarr", 3)
    says = "in fresh processes, without the interpreter's own start; files in the page cache, byte code cached"
    describe = f"import worldarray; worldarray.open_pyramid({str(path)!r}).metas()"
    cache = root / "bytecode"
    return [
        Line(
            "import worldarray / import tensorstore",
            fresh("import tensorstore", cache),
            fresh("import worldarray", cache),
            Goal(ratio=1),
            says,
            {"op": "import", "cache": str(cache)},
        ),
        Line(
            "import worldarray; worldarray.open / import tensorstore",
            fresh("import tensorstore", cache),
            fresh("import worldarray; worldarray.open", cache),
            Goal(),
            says,
        ),
        Line(
            "import and describe a pyramid / import tensorstore",
            fresh("import tensorstore", cache),
            fresh(describe, cache),
            Goal(),
            says,
        ),
    ]


def fresh(code: str, cache: Path) -> Timer:
    """Return the timer of some code in new processes, measured inside them, with byte code kept in `cache`."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(cache)
    command = [sys.executable, "-c", _CODE.format(code)]

    def timed(count: int) -> float:
        return median(float(subprocess.check_output(command, env=environment)) for _ in range(count))

    return timed
