"""The JSON Schemas of the profiles, and what they say about a document, at its lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any, Final

from maml_parquet.arguments import is_word
from maml_parquet.errors import At, MamlError, Problem
from maml_parquet.sections.records import Profile
from maml_parquet.sections.report import START
from maml_parquet.sections.typed import find, typed
from maml_parquet.text.records import Mapping, Node

_NAMES: Final = ("parquet", "spec-1.0", "spec-1.1", "spec-1.2")
_SINCE: Final = {"keyarray": "1.1", "extra": "1.1"}
_TEXT: Final = ["string"]


def json_schema(profile: Profile) -> dict[str, Any]:
    """Return the JSON Schema of a profile, in the dialect 2020-12.

    It looks at a MAML as YAML 1.2 reads it, with keys as the specification spells them: editors check MAML with it
    while it is written. `problems` says more: that names are unique, that quoted bounds are in the range of their type,
    and every line.

    Parameters
    ----------
    profile
        ``parquet`` for a table to be written, or ``spec-1.0``, ``spec-1.1``, ``spec-1.2``.

    Raises
    ------
    MamlError
        `argument` for another word.

    Examples
    --------
    >>> json_schema("parquet")["required"]
    ['table', 'fields']
    """
    if not is_word(profile, _NAMES):
        raise MamlError([Problem("argument", (), f"profile is {profile!r}; use one of {', '.join(_NAMES)}")])
    text = (files("maml_parquet") / "schemas" / f"{profile}.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@lru_cache(maxsize=len(_NAMES))
def _validator(profile: Profile) -> Any:
    return import_module("jsonschema").Draft202012Validator(json_schema(profile))


def schema_problems(root: Mapping, profile: Profile) -> tuple[Problem, ...]:
    r"""Return what the schema of the profile says about a document, one problem a place, at its lines.

    Examples
    --------
    >>> from maml_parquet.text.nodes import compose
    >>> root, _ = compose("table: t\nversion: 1\ndate: 2024\nfields: [{name: x, data_type: int32}]")
    >>> for problem in schema_problems(root, "spec-1.0"):
    ...     print(problem)
    1:1 author: there is no author, which the specification wants; write author: …
    3:7 date: date is 2024, which YAML takes for a number or a truth value; put it in quotes
    """
    found: dict[At, Problem] = {}
    for error in _validator(profile).iter_errors(typed(root)):
        for problem in _problems(error, root, profile):
            found.setdefault(problem.at, problem)
    return tuple(found.values())


def _problems(error: Any, root: Mapping, profile: Profile) -> Iterator[Problem]:
    """Yield the problems of one error: one for each key that is missing, or too many."""
    path = tuple(error.absolute_path)
    key, node, at = find(root, path)
    if error.validator == "required":
        for name in error.validator_value:
            if name not in error.instance:
                place = node if at else START
                yield _at("key-missing", (*at, name.lower()), _missing(name, at), place)
    elif error.validator == "additionalProperties":
        for name in error.instance:
            if name not in error.schema["properties"]:
                extra, _, where = find(root, (*path, name))
                code = "subkey-unknown" if at else "section-unknown"
                yield _at(code, where, _unknown(name, profile), extra or node)
    else:
        name = key.text.strip() if key else "the document"
        code, words = _value(error, name, path, profile)
        yield _at(code, at, words, node)


def _at(code: str, at: At, words: str, node: Node) -> Problem:
    return Problem(code, at, words, node.line, node.column)


def _missing(name: str, at: At) -> str:
    if not at:
        return f"there is no {name}, which the specification wants; write {name}: …"
    if at[-1] == "qc":
        return f"qc has no {name}; the specification wants all three: min, max and miss"
    return f"the item has no {name}, which the specification wants; write {name}: …"


def _unknown(name: str, profile: Profile) -> str:
    if name in _SINCE:
        version = profile.removeprefix("spec-")
        return f"{name} is of version {_SINCE[name]}, not of {version}; remove it, or use the newer version"
    return f"the key {name!r} is not known here; remove it"


def _value(error: Any, name: str, path: At, profile: Profile) -> tuple[str, str]:
    """Return the code and the words of a value that is not what the schema wants."""
    value = error.instance
    what = f"an item of {name}" if path and isinstance(path[-1], int) else name
    if error.validator == "const":
        version = profile.removeprefix("spec-")
        words = f"{name} is {value!r}, the specification is {version}; write {name}: {version} without quotes"
        return "shape", words
    if error.validator == "minLength" or value is None:
        code = "key-missing" if _is_required(error, profile) else "shape"
        return code, f"{what} is empty, which the specification does not allow; write a value, or remove it"
    if error.validator == "type":
        allowed = error.validator_value
        return "shape", _wrong_type(what, value, [allowed] if isinstance(allowed, str) else allowed)
    return "shape", f"{what} is {value!r}, which the specification does not allow: {error.message}"


def _is_required(error: Any, profile: Profile) -> bool:
    """Whether the map that the value is in has to have it."""
    schema = json_schema(profile)
    for part in list(error.absolute_path)[:-1]:
        schema = schema["items"] if isinstance(part, int) else schema["properties"][part]
    return error.absolute_path[-1] in schema.get("required", ())


def _wrong_type(what: str, value: object, allowed: list[str]) -> str:
    if isinstance(value, (dict, list)):
        kind = "a list" if isinstance(value, list) else "a map"
        wanted = "one text" if allowed == _TEXT else "one value" if "array" not in allowed else "a list"
        fix = "put the text in quotes" if isinstance(value, dict) else "write it without '- ' and brackets"
        return f"{what} is {wanted} for the specification, not {kind}; {fix}"
    if "array" in allowed and "string" not in allowed:
        return f"{what} is a list for the specification; write each item with '- '"
    if "object" in allowed:
        return f"{what} is a map for the specification; write keys and values"
    if "string" in allowed:
        return f"{what} is {_yaml(value)}, which YAML takes for a number or a truth value; put it in quotes"
    return f"{what} is {_yaml(value)}, which the specification does not allow; write {' or '.join(allowed)}"


def _yaml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
