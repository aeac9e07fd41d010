"""The ``worldarray`` command: what a path holds, and a demonstration."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn

from worldarray import info
from worldarray.errors import WorldArrayError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 1 for a path that cannot be read, 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    try:
        text: str = arguments.run(arguments)
    except WorldArrayError as error:
        print(f"worldarray: {error}", file=sys.stderr)  # noqa: T201
        return 1
    try:
        _write(text)
    except BrokenPipeError:  # the reader (head, less) has seen enough
        sys.stderr.close()
    except OSError as error:
        print(f"worldarray: the answer cannot be written: {error.strerror}", file=sys.stderr)  # noqa: T201
        _silence()
        return 1
    return 0


def _write(text: str) -> None:
    """Print a text; what the terminal's encoding does not have is printed as escapes."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)  # noqa: T201


def _silence() -> None:
    """Leave nothing for the interpreter to write, and fail at, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="worldarray", description="Placed volumes: what a path holds.")
    parser.add_argument("--version", action="version", version=f"worldarray-core {version('worldarray-core')}")
    commands = parser.add_subparsers(required=True, metavar="{info,demo}")
    shown = commands.add_parser("info", help="show the levels, their placement and every warning")
    shown.add_argument("path", metavar="PATH", help="a local path or an s3, gs or http(s) URL")
    shown.add_argument("--json", action="store_true", help="print JSON instead of a table")
    shown.add_argument("--units", metavar="UNIT", help="the unit of spatial axes; as stored by default")
    shown.set_defaults(run=_info)
    demo = commands.add_parser("demo", help="show a pyramid and read a box of it at another voxel size")
    demo.add_argument("path", metavar="PATH", nargs="?", help="a volume; by default a small one is made")
    demo.set_defaults(run=_demo)
    return parser


def _info(arguments: argparse.Namespace) -> str:
    found = info.describe_path(arguments.path, arguments.units)
    return json.dumps(found, indent=1, ensure_ascii=False) if arguments.json else info.table(found)


def _demo(arguments: argparse.Namespace) -> str:
    from worldarray.demo import demo_pyramid, show  # noqa: PLC0415  (only this command needs it)

    if arguments.path is not None:
        return show(arguments.path)
    with demo_pyramid() as path:
        return show(path)


def run() -> NoReturn:
    """Run the command and end the process with its status."""
    sys.exit(main())


if __name__ == "__main__":
    run()
