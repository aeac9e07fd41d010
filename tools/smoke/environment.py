"""What is installed around a package: which siblings, where its modules lie, and how long importing them takes.

usage: python -I environment.py DIST SIBLING…, in the environment that the wheel of DIST was installed into.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from importlib.metadata import distribution, distributions
from pathlib import Path
from statistics import median

_ROUNDS = 5
_TIMED = "import time; start = time.perf_counter(); import {0}; print(time.perf_counter() - start)"


def normalise(name: str) -> str:
    """Return the name of a distribution as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(name: str, installed: set[str]) -> set[str]:
    """Return the installed distributions that one needs, at any distance; what extras need is left out."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for need in distribution(waiting.pop()).requires or []:
            other = normalise(re.split(r"[^A-Za-z0-9._-]", need, maxsplit=1)[0])
            if other in installed and other not in found and "extra ==" not in need:
                found.add(other)
                waiting.append(other)
    return found


def modules(name: str) -> list[str]:
    """Return the modules of a distribution that are imported by their bare name."""
    files = distribution(name).files or []
    return sorted({path.parts[0] for path in files if len(path.parts) == 2 and path.name == "__init__.py"})


def problems(name: str, siblings: set[str]) -> list[str]:
    """Return which siblings are here without being declared, and which modules come from elsewhere."""
    installed = {normalise(each.metadata["Name"]) for each in distributions()}
    extra = (installed & siblings) - declared(name, installed) - {name}
    found = [f"{other} is installed, and {name} does not declare it" for other in sorted(extra)]
    for module in modules(name):
        spec = importlib.util.find_spec(module)
        origin = spec.origin if spec is not None else None
        if origin is None or not Path(origin).resolve().is_relative_to(Path(sys.prefix).resolve()):
            found.append(f"{module} is imported from {origin}, not from the environment {sys.prefix}")
    return found


def import_time(module: str) -> float:
    """Return the median seconds that importing takes in fresh processes, after one that compiles it."""
    command = [sys.executable, "-I", "-c", _TIMED.format(module)]
    times = [float(subprocess.check_output(command)) for _ in range(_ROUNDS + 1)]
    return median(times[1:])


def main() -> int:
    """Print what is here, then what is wrong with it."""
    name, siblings = normalise(sys.argv[1]), {normalise(each) for each in sys.argv[2:]}
    here = sorted(normalise(each.metadata["Name"]) for each in distributions())
    print(f"{name} {distribution(name).version} in an environment of {len(here)} distributions: {', '.join(here)}")
    for module in modules(name):
        print(f"import {module}: {import_time(module) * 1e3:.0f} ms")
    found = problems(name, siblings)
    if found:
        print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
