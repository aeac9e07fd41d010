"""The commands `mlarray`, `mlarray_header` and `mlarray_convert`."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mlarray.cli.headers import header_of, problems_of
from mlarray.cli.render import rendered
from mlarray.errors import MLArrayError

_EXAMPLES = """examples:
  mlarray header scan.mla --source        the metadata as JSON, with that of the original file
  mlarray convert brain.nii.gz brain.mla  NIfTI, a DICOM folder, NRRD, MetaImage or OME-Zarr to .mla, and back
  mlarray convert raw/ mla/ --jobs 2      every image below a folder
  mlarray validate *.mla                  all that is wrong with the metadata of each
  mlarray verify *.mla                    whether the values are those that were converted
  mlarray view scan.mla scan.png          three orthogonal slices
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `mlarray`; return 0, 1 where something failed, 2 for wrong usage."""
    parser = argparse.ArgumentParser(
        prog="mlarray",
        description="Look at, convert and check .mla files.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"mlarray {version('mlarray')}")
    commands = parser.add_subparsers(dest="command", required=True)
    _header_arguments(commands.add_parser("header", help="print the metadata as JSON; no voxel is read"))
    _convert_arguments(commands.add_parser("convert", help="convert a file, or every file of a folder"))
    _files(commands.add_parser("validate", help="say all that is wrong with the metadata"), _validate)
    _files(commands.add_parser("verify", help="compare the values with the fingerprint of the conversion"), _verify)
    _view_arguments(commands.add_parser("view", help="draw three orthogonal slices"))
    return _run(parser, arguments)


def header(arguments: Sequence[str] | None = None) -> int:
    """Run `mlarray_header`."""
    parser = argparse.ArgumentParser(prog="mlarray_header", description="Print the metadata of .mla files as JSON.")
    _header_arguments(parser)
    return _run(parser, arguments)


def convert(arguments: Sequence[str] | None = None) -> int:
    """Run `mlarray_convert`."""
    parser = argparse.ArgumentParser(prog="mlarray_convert", description="Convert images to .mla and back.")
    _convert_arguments(parser)
    return _run(parser, arguments)


def _run(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    given = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = _say
        try:
            status: int = given.run(given)
            sys.stdout.flush()
        except BrokenPipeError:  # nobody reads on, such as with `| head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except (MLArrayError, OSError) as error:
            return _failed(error)
        except KeyboardInterrupt:
            sys.stderr.write("interrupted\n")
            return 130
    return status


def _say(message: Warning | str, *_: Any, **__: Any) -> None:
    sys.stderr.write(f"warning: {message}\n")


def _failed(error: BaseException, path: str = "") -> int:
    from mlarray.convert.files import reason_of  # noqa: PLC0415  (a header needs none of it)

    reason = reason_of(error)
    named = path in reason or getattr(error, "path", None) or getattr(error, "filename", None)
    sys.stderr.write(f"error: {reason}\n" if named else f"error: {path}: {reason}\n")
    return 1


def _each(paths: Iterable[str], act: Callable[[str], bool]) -> int:
    """Do something with each file; return 1 if any failed."""
    status = 0
    for path in paths:
        try:
            status |= not act(path)
        except BrokenPipeError:
            raise
        except (MLArrayError, OSError) as error:
            status |= _failed(error, path)
    return int(status)


def _files(parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.set_defaults(run=run)


def _header_arguments(parser: argparse.ArgumentParser) -> None:
    _files(parser, _header)
    parser.add_argument("--source", action="store_true", help="with the metadata of the original files")
    parser.add_argument("--user", action="store_true", help="with the metadata of your own")


def _header(given: argparse.Namespace) -> int:
    def show(path: str) -> bool:
        sys.stdout.write(rendered(header_of(path, source=given.source, user=given.user)) + "\n")
        return True

    return _each(given.files, show)


def _validate(given: argparse.Namespace) -> int:
    def check(path: str) -> bool:
        problems, notices = problems_of(path)
        for notice in notices:
            sys.stdout.write(f"{path}: warning: {notice}\n")
        for problem in problems:
            sys.stdout.write(f"{path}: {problem}\n")
        if not problems:
            sys.stdout.write(f"{path}: valid\n")
        return not problems

    return _each(given.files, check)


def _verify(given: argparse.Namespace) -> int:
    from mlarray.array import MLArray  # noqa: PLC0415  (a header needs none of it)

    def verify(path: str) -> bool:
        with MLArray.open(path) as array:
            same = array.verify()
        sys.stdout.write(f"{path}: {'the same values' if same else 'OTHER VALUES than were converted'}\n")
        return same

    return _each(given.files, verify)


def _convert_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="IN", type=Path, help="a file, a DICOM folder, a zarr, or a folder of images")
    parser.add_argument("target", metavar="OUT", type=Path, help="a file, or a folder where IN is a folder of images")
    parser.add_argument("--overwrite", action="store_true", help="replace what exists")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes, for a folder")
    parser.add_argument("--patch-size", type=_numbers, metavar="Z,Y,X", help="the patches that will be read")
    parser.add_argument("--level", help="the level of an OME-Zarr group")
    parser.add_argument(
        "--box", type=_box, metavar="BEGIN:END", help="of an OME-Zarr, such as 0,0,0:10,20,30, in its units"
    )
    parser.add_argument("--series-uid", help="the series of a DICOM folder with several")
    parser.set_defaults(run=_convert)


def _numbers(text: str) -> Any:
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not whole numbers with commas between") from None
    return found[0] if len(found) == 1 else found


def _box(text: str) -> Any:
    try:
        begin, end = (tuple(map(float, corner.split(","))) for corner in text.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not two corners as in 0,0,0:10,20,30") from None
    return begin, end


def _convert(given: argparse.Namespace) -> int:
    from mlarray.cli.progress import convert_folder  # noqa: PLC0415  (a header needs none of it)
    from mlarray.convert.files import Job, expected, is_mla  # noqa: PLC0415  (a header needs none of it)
    from mlarray.convert.files import convert as convert_one  # noqa: PLC0415  (a header needs none of it)
    from mlarray.convert.table import FORMATS  # noqa: PLC0415  (a header needs none of it)

    names = ("patch_size", "level", "box", "series_uid")
    reading = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
    if given.jobs < 1:
        sys.stderr.write("error: --jobs is at least 1\n")
        return 2
    whole = (
        any(row.folder is not None and row.folder(given.source) for row in FORMATS) if given.source.is_dir() else True
    )
    if whole or is_mla(given.target):
        try:
            convert_one(Job(given.source, given.target), overwrite=given.overwrite, reading=reading)
        except expected() as error:
            return _failed(error)
        return 0
    return convert_folder(given.source, given.target, given.overwrite, reading, given.jobs)


def _view_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("out", metavar="OUT.png", type=Path)
    parser.add_argument("--space", help="the space that letters and spacing are of; the first, if not given")
    parser.add_argument("--index", type=_numbers, metavar="Z,Y,X", help="through which voxel; the middle, if not given")
    parser.add_argument("--window", metavar="LOW,HIGH", help="the stored values that are black and white")
    parser.add_argument("--overwrite", action="store_true", help="replace what exists")
    parser.set_defaults(run=_view)


def _view(given: argparse.Namespace) -> int:
    from mlarray.view.picture import view  # noqa: PLC0415  (a header needs none of it)

    window = None
    if given.window is not None:
        try:
            low, high = map(float, given.window.split(","))
        except ValueError:
            sys.stderr.write(f"error: --window is {given.window!r}; it is two numbers with a comma between\n")
            return 2
        window = (low, high)
    index = None if given.index is None else [given.index] if isinstance(given.index, int) else given.index
    view(given.file, given.out, space=given.space, index=index, window=window, overwrite=given.overwrite)
    return 0
