"""`maml-parquet validate`: everything that is wrong with MAML files, one line each."""

from __future__ import annotations

import argparse
import json
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypedDict

from maml_parquet.errors import MamlError, MamlWarning, Notice, Problem, render_at
from maml_parquet.sections.datamaps import type_words
from maml_parquet.sections.loading import load
from maml_parquet.sections.records import Maml, Profile, Role
from maml_parquet.sections.rules import PROFILES, ROLES
from maml_parquet.sections.users import user_problems
from maml_parquet.text.nodes import Dialect

_EXAMPLES: Final = """examples:
  maml-parquet validate *.maml                    what would keep each from being written into a parquet file
  maml-parquet validate --profile spec-1.2 a.maml what version 1.2 of the specification asks for
  maml-parquet validate --base all.maml mine.maml whether its columns are columns of all.maml
"""

_WORD: Final = re.compile(r"datamap=\{'(\w+)': …\}")
"""A word that `datamap` is asked to explain."""


class _How(TypedDict):
    profile: Profile
    role: Role
    dialect: Dialect
    datamap: dict[str, str] | None


@dataclass(frozen=True)
class _Looked:
    """A file that was looked at: its record where it has no problems, and what was found."""

    file: str
    maml: Maml | None
    found: tuple[Problem, ...]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a MAML; all of them are looked at")
    parser.add_argument("--profile", choices=PROFILES, default="parquet", help="whose rules (%(default)s)")
    parser.add_argument("--role", choices=ROLES, default="write", help="what the MAML is for (%(default)s)")
    parser.add_argument("--dialect", choices=("yaml", "line"), default="yaml", help="how it is written (%(default)s)")
    parser.add_argument("--base", metavar="FILE", help="a MAML whose columns the columns of each file have to be")
    parser.add_argument(
        "--datamap",
        metavar="WORD=TYPE,...",
        help="other words for types, like float=float32; double, bool and the like are read too ('': those alone)",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list of everything that was found")
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.set_defaults(refuse=parser.error)


def run(given: argparse.Namespace) -> int:
    """Print what is wrong, one line each: ``file:line:column path: text [code]``; return 1 where anything is.

    What is odd but usable goes to standard error, and counts as nothing wrong.
    """
    if given.base is not None and (given.profile != "parquet" or given.role != "write"):
        given.refuse("--base is for tables to be written into parquet: leave --profile and --role out")
    how: _How = {"profile": given.profile, "role": given.role, "dialect": given.dialect, "datamap": _datamap(given)}
    looked = list(_look_at_all(given.files, given.base, how))
    if given.json:
        rows = [_row(one.file, problem) for one in looked for problem in one.found]
        sys.stdout.write(json.dumps(rows, indent=1) + "\n")
    else:
        for one in looked:
            for problem in one.found:
                _print(one.file, problem)
    return int(any(not isinstance(problem, Notice) for one in looked for problem in one.found))


def _datamap(given: argparse.Namespace) -> dict[str, str] | None:
    if given.datamap is None:
        return None
    datamap: dict[str, str] = {}
    for pair in _pairs(given.datamap):
        word, equals, kind = pair.partition("=")
        if not equals:
            given.refuse(f"--datamap has {pair!r}; write a word, = and a type, like float=float32")
        datamap[word.strip()] = kind
    try:
        type_words(datamap)
    except MamlError as error:
        given.refuse(f"--datamap: {error}")
    return datamap


def _pairs(text: str) -> Iterator[str]:
    """Yield the parts between commas that are not in brackets."""
    part = ""
    for letter in text:
        if letter == "," and part.count("[") <= part.count("]"):
            yield part
            part = ""
        else:
            part += letter
    if part.strip():
        yield part


def _look_at_all(names: list[str], base: str | None, how: _How) -> Iterator[_Looked]:
    known = None
    if base is not None:
        found = _look(base, how)
        known = found.maml
        yield found
    for name in names:
        looked = _look(name, how)
        if looked.maml is not None and known is not None:
            looked = _Looked(name, looked.maml, (*user_problems(looked.maml, known), *looked.found))
        yield looked


def _look(name: str, how: _How) -> _Looked:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MamlWarning)
            maml = load(name, **how)
    except MamlError as error:
        return _Looked(name, None, error.problems)
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or str(error)
        return _Looked(name, None, (Problem("file", (), f"the file cannot be read: {words}"),))
    return _Looked(name, maml, maml.notices)


def _row(name: str, problem: Problem) -> dict[str, Any]:
    return {
        "file": name,
        "line": problem.line,
        "column": problem.column,
        "path": render_at(problem.at),
        "at": list(problem.at),
        "code": problem.code,
        "kind": "notice" if isinstance(problem, Notice) else "problem",
        "message": problem.message,
    }


def _print(name: str, problem: Problem) -> None:
    stream = sys.stderr if isinstance(problem, Notice) else sys.stdout
    start = "warning: " if isinstance(problem, Notice) else ""
    line = _printable(f"{start}{name}:{_in_options(str(problem))} [{problem.code}]")
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def _in_options(words: str) -> str:
    """Return what to do in words of the command line.

    Examples
    --------
    >>> _in_options("with datamap={}"), _in_options("with datamap={'float': …}")
    ("with --datamap ''", 'with --datamap float=…')
    """
    return _WORD.sub(r"--datamap \1=…", words.replace("datamap={}", "--datamap ''"))


def _printable(text: str) -> str:
    """Return the text as one line: what cannot be seen is written as an escape."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in text
    )
