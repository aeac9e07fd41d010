"""The YAML that configurations are written in: plain data, each key once, numbers as YAML 1.2 reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from miao.config.values import shown
from miao.errors import ConfigError

if TYPE_CHECKING:
    from yaml import Node

DEEPEST: Final = 100
"""How deep lists and mappings may lie in each other."""
MOST: Final = 1_000_000
"""How many values a document may have when every reference is written out."""
_DIGITS: Final = "[0-9](?:_?[0-9])*"
_INT: Final = re.compile(rf"[-+]?{_DIGITS}|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(
    rf"[-+]?(?:{_DIGITS}\.(?:{_DIGITS})?(?:[eE][-+]?[0-9]+)?|\.{_DIGITS}(?:[eE][-+]?[0-9]+)?|{_DIGITS}[eE][-+]?[0-9]+)"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_DROPPED: Final = frozenset({"int", "float", "timestamp", "value"})
"""What YAML 1.1 resolves otherwise: base 60, octal with a mere zero, dates."""
_PREFIX: Final = "tag:yaml.org,2002:"


def parse(text: str, name: str) -> tuple[Any, Node]:
    r"""Return the data of one YAML document and its nodes, which know their lines.

    `name` is what errors call it. Integers and floats are decimal as YAML 1.2 has them, 1e-3 is a float and 1:25 a
    text; yes, no, on and off are booleans.

    Raises
    ------
    ConfigError
        It is no YAML, is empty or no mapping, says a key twice, contains itself, or has tags that are not plain data.

    Examples
    --------
    >>> parse("t: 1:25\nscale: 1e-3", "config.yaml")[0]
    {'t': '1:25', 'scale': 0.001}
    """
    import yaml  # noqa: PLC0415

    loader_class = _loader()
    try:
        loader = loader_class(text)
        try:
            node = loader.get_single_node()
            _check(node, name)
            data = loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = ", ".join(part for part in (error.context, error.problem) if part)
        raise ConfigError(f"{_where(name, mark)}: {what}", code="wrong_value") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{name}: {' '.join(str(error).split())}", code="wrong_value") from None
    except RecursionError:
        raise _too_deep(name) from None
    return data, node


def dump(data: Any, **how: Any) -> str:
    r"""Return data as YAML that `parse` and readers of YAML 1.1 understand alike.

    Examples
    --------
    >>> dump({"name": "1e3", "patch_size": [64, 64]}, sort_keys=False)
    "name: '1e3'\npatch_size: [64, 64]\n"
    """
    import yaml  # noqa: PLC0415

    how = {"default_flow_style": None, "allow_unicode": True, "width": 120, **how}
    return str(yaml.dump(data, None, Dumper=_dumper(), encoding=None, **how))


def line_of(node: Node, at: Iterable[str | int]) -> int:
    """Return the line, from 1, of the value at a path, or of what of it there is."""
    import yaml  # noqa: PLC0415

    found, line = node, node.start_mark.line
    for part in at:
        if isinstance(found, yaml.MappingNode):
            here = [(key, value) for key, value in found.value if getattr(key, "value", None) == part]
            if not here:
                break
            key, found = here[-1]
            line = key.start_mark.line
        elif isinstance(found, yaml.SequenceNode) and isinstance(part, int) and part < len(found.value):
            found = found.value[part]
            line = found.start_mark.line
        else:
            break
    return int(line) + 1


def _where(name: str, mark: Any) -> str:
    return f"{name}, line {mark.line + 1}" if mark is not None else name


def _too_deep(name: str) -> ConfigError:
    return ConfigError(f"{name}: lists and mappings lie more than {DEEPEST} deep in each other", code="unsupported")


def _check(node: Node | None, name: str) -> None:
    """Refuse what is no mapping, says a key twice or contains itself."""
    import yaml  # noqa: PLC0415

    if node is None:
        raise ConfigError(f"{name}: the file is empty; write the keys of a configuration", code="wrong_type")
    if not isinstance(node, yaml.MappingNode):
        raise ConfigError(
            f"{_where(name, node.start_mark)}: the document is no mapping; write keys such as volumes: and patch_size:",
            code="wrong_type",
        )
    _walk(node, name, (), {})


def _walk(node: Any, name: str, above: tuple[int, ...], seen: dict[int, int]) -> int:
    """Return how many values a node has when every reference is written out; `seen` has those of earlier nodes."""
    import yaml  # noqa: PLC0415

    if id(node) in above:
        raise ConfigError(f"{_where(name, node.start_mark)}: the value contains itself", code="wrong_value")
    if len(above) > DEEPEST:
        raise _too_deep(name)
    if id(node) in seen:
        return seen[id(node)]
    parts: list[Any] = []
    if isinstance(node, yaml.MappingNode):
        _once(node, name)
        parts = [part for item in node.value for part in item]
    elif isinstance(node, yaml.SequenceNode):
        parts = node.value
    count = 1 + sum(_walk(part, name, (*above, id(node)), seen) for part in parts)
    if count > MOST:
        raise ConfigError(
            f"{_where(name, node.start_mark)}: with its references written out the value has {count} values; "
            f"at most {MOST} are allowed",
            code="unsupported",
        )
    seen[id(node)] = count
    return count


def _once(node: Any, name: str) -> None:
    lines: dict[Hashable, int] = {}
    for key, _ in node.value:
        said = (key.tag, key.value) if isinstance(key.value, str) else id(key)
        if said in lines:
            raise ConfigError(
                f"{_where(name, key.start_mark)}: the key {key.value!r} stands twice, also in line {lines[said]}",
                code="duplicate",
            )
        lines[said] = key.start_mark.line + 1


def _resolvers(kept: dict[str, list[tuple[str, Any]]]) -> dict[str, list[tuple[str, Any]]]:
    """Return implicit resolvers by first character: those of YAML 1.1 but numbers and dates, and those of 1.2."""
    found = {
        first: [(tag, rule) for tag, rule in rules if tag.removeprefix(_PREFIX) not in _DROPPED]
        for first, rules in kept.items()
    }
    for first in "-+.0123456789":
        found.setdefault(first, []).extend([(f"{_PREFIX}float", _whole(_FLOAT)), (f"{_PREFIX}int", _whole(_INT))])
    return found


def _whole(rule: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(f"(?:{rule.pattern})\\Z")


@cache
def _loader() -> Any:
    import yaml  # noqa: PLC0415

    class Loader(yaml.SafeLoader):
        """Plain data, with the numbers of YAML 1.2."""

    Loader.yaml_implicit_resolvers = _resolvers(yaml.SafeLoader.yaml_implicit_resolvers)
    for kind, convert in (("int", _integer), ("float", _real)):
        Loader.add_constructor(_PREFIX + kind, partial(_converted, convert=convert))
    return Loader


@cache
def _dumper() -> Any:
    import yaml  # noqa: PLC0415

    class Dumper(yaml.SafeDumper):
        """Quotes what either version of YAML would take for something else than text."""

        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  (PyYAML's name)
            """Write the same list twice rather than a reference."""
            return True

    older = yaml.SafeDumper.yaml_implicit_resolvers
    newer = _resolvers(older)
    Dumper.yaml_implicit_resolvers = {first: older.get(first, []) + newer.get(first, []) for first in {*older, *newer}}
    return Dumper


def _converted(loader: Any, node: Any, *, convert: Callable[[str], Any]) -> Any:
    import yaml  # noqa: PLC0415

    text = loader.construct_scalar(node)
    try:
        return convert(text)
    except ValueError:
        raise yaml.constructor.ConstructorError(None, None, f"{shown(text)} is no number", node.start_mark) from None


def _integer(text: str) -> int:
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text, base)


def _real(text: str) -> float:
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
