"""Importing the package, beside importing what it is built on; each in a fresh process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

import stores
from harness import Goal, Line, Timer

_CODE = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def lines(root: Path, *, quick: bool) -> list[Line]:  # noqa: ARG001  (nothing here is smaller when quick)
    """Return imports, and the first document read of a process."""
    path = stores.pyramid(root / "first.zarr", 3)
    says = "in fresh processes, without the interpreter's own start; files in the page cache"
    first = f"import worldarray; worldarray.open_pyramid({str(path)!r}).metas()"
    return [
        Line(
            "import worldarray / import tensorstore",
            fresh("import tensorstore"),
            fresh("import worldarray"),
            Goal(ratio=1),
            says,
            {"op": "import"},
        ),
        Line("import worldarray / import numpy", fresh("import numpy"), fresh("import worldarray"), Goal(), says),
        Line(
            "import and describe a pyramid / import tensorstore",
            fresh("import tensorstore"),
            fresh(first),
            Goal(ratio=1),
            says,
        ),
    ]


def fresh(code: str, executable: str = sys.executable) -> Timer:
    """Return the timer of some code in new processes, measured inside them."""

    def timed(count: int) -> float:
        return median(float(subprocess.check_output([executable, "-c", _CODE.format(code)])) for _ in range(count))

    return timed
