"""The command `maml-parquet`: one module per word."""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Final

from maml_parquet.errors import MamlError, MamlWarning

_WORDS: Final[dict[str, str]] = {
    "convert": "Write a CSV, FITS, VOTable or parquet file to a parquet file that carries a MAML.",
    "header": "Show what a parquet file says of its columns and of the table.",
    "init": "Draft the MAML of a table that is there.",
    "validate": "Say everything that is wrong with MAML files.",
}
"""What each word of the command does; its module has `add` (arguments) and `run` (the exit status)."""

_OPTIONS: Final[dict[str, str]] = {
    "overwrite=True": "--overwrite",
    "write_maml=False": "--no-sidecar",
    "on_overlong='warn'": "--on-overlong warn",
    "NaN is among them": "NaN is among them (--nan-is-null writes Nulls for NaN)",
}
"""What arguments of functions are called on the command line, and what there else is to be done."""

_DATAMAP: Final = re.compile(r", or (read it as that|say which) with datamap=\{[^}]*\}")
"""What only `validate` can do, which says it itself."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 for done, 1 for what is wrong with a file, 2 for what is wrong with the command.

    Problems go to standard error, one a line: file, line, column, path and words.
    """
    parser = argparse.ArgumentParser(prog="maml-parquet", description="MAML metadata of tables, and parquet.")
    parser.add_argument("--version", action="version", version=f"maml-parquet {version('maml-parquet')}")
    words = parser.add_subparsers(dest="word", required=True, metavar=f"{{{','.join(_WORDS)}}}")
    for word, says in _WORDS.items():
        module = import_module(f"maml_parquet.cli.{word}")
        module.add(words.add_parser(word, help=says, description=says))
    given = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("always", MamlWarning)
        warnings.showwarning = _show
        try:
            status: int = import_module(f"maml_parquet.cli.{given.word}").run(given)
        except BrokenPipeError:
            # Nobody reads any more; what is left over is not written at the end either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return 1
        except MamlError as error:
            _say(_in_options(str(error)))
            return 1
        except OSError as error:
            named = error.filename is not None and error.strerror is not None
            _say(f"{error.filename}: {error.strerror}" if named else str(error))
            return 1
    return status


def _in_options(words: str) -> str:
    """Return what to do in words of the command line."""
    for argument, option in _OPTIONS.items():
        words = words.replace(argument, option)
    return _DATAMAP.sub("", words)


def _show(message: Warning | str, *_: object, **__: object) -> None:
    _say(f"warning: {_in_options(str(message))}")


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
