"""The versions used in development: pyproject.toml pins all that uv resolves, since no lock file is committed."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from workspace import ROOT, normalise, read_toml

# What one build of torch is linked with, which torch itself requires exactly: a build for CPUs needs none of them.
_OF_TORCH: Final = ("cuda-", "nvidia-", "triton")
_BLOCK: Final = re.compile(r"^constraint-dependencies = \[.*?\]\n", re.M | re.S)


def pin_name(pin: str) -> str:
    """Return the distribution a pin is about.

    Examples
    --------
    >>> pin_name("numpy==2.2.6 ; python_full_version < '3.11'")
    'numpy'
    """
    return normalise(pin.partition("==")[0].strip())


def simplify(pins: Iterable[str]) -> list[str]:
    """Return the pins without what torch pins itself, and one pin where builds of one version differ by marker alone.

    Examples
    --------
    >>> simplify(["a==1 ; os_name == 'nt'", "torch==2 ; p", "torch==2 ; q", "nvidia-nvtx==13", "triton==3"])
    ["a==1 ; os_name == 'nt'", 'torch==2']
    """
    found: dict[str, list[str]] = {}
    for pin in pins:
        version = pin.partition(";")[0].strip()
        if not version.startswith(_OF_TORCH):
            found.setdefault(version, []).append(pin)
    return [version if len(same) > 1 else same[0] for version, same in found.items()]


def merge(resolved: Iterable[str], pinned: Iterable[str]) -> list[str]:
    """Return the pins to write: `resolved`, and those of `pinned` that nothing here resolves yet."""
    new = list(resolved)
    names = {pin_name(pin) for pin in new}
    kept = [pin for pin in pinned if pin_name(pin) not in names]
    return sorted([*new, *kept], key=lambda pin: (pin_name(pin), pin))


def render(pins: Iterable[str]) -> str:
    """Return the setting as it stands in pyproject.toml."""
    return "constraint-dependencies = [\n" + "".join(f'    "{pin}",\n' for pin in pins) + "]\n"


def resolved_pins(root: Path) -> list[str]:
    """Return a pin for each version that uv resolved for the whole workspace, markers included."""
    command = ["uv", "export", "--quiet", "--all-packages", "--all-groups", "--no-emit-workspace"]
    command += ["--no-hashes", "--no-annotate", "--no-header"]
    lines = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    # A local label (+cpu) belongs to the machine the lock was written on, never to the pin.
    return simplify(re.sub(r"(==[^ +]+)\+\S+", r"\1", line.strip()) for line in lines if "==" in line)


def main() -> int:
    """Say which resolved versions pyproject.toml does not pin, or write them into it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--write", action="store_true", help="write the pins of uv.lock into pyproject.toml")
    asked = parser.parse_args()
    path = ROOT / "pyproject.toml"
    pinned = read_toml(path)["tool"]["uv"]["constraint-dependencies"]
    wanted = merge(resolved_pins(ROOT), pinned)
    if asked.write:
        text = path.read_text(encoding="utf-8")
        path.write_text(_BLOCK.sub(lambda _: render(wanted), text, count=1), encoding="utf-8")
        return 0
    missing = [pin for pin in wanted if pin not in pinned]
    if missing:
        print("pyproject.toml does not pin:", *missing, sep="\n- ", file=sys.stderr)
        print("run `uv run python tools/pins.py --write`", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
