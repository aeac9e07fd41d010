"""Words that other programs have for types, and what they are here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from maml_parquet.errors import MamlError, Problem
from maml_parquet.sections.types import BASES, DATAMAP, TypeToken, parse_type


def type_words(datamap: Mapping[str, str] | None) -> dict[str, TypeToken]:
    """Return the types of the words that stand for one: those of `DATAMAP`, and those given; none for None.

    Parameters
    ----------
    datamap
        From word to type, both in any case. A word may be one of `DATAMAP`, which then has the type given, but not one
        of the types. An empty map stands for `DATAMAP` alone.

    Raises
    ------
    MamlError
        `argument`, for what is no map, for types that are none, and for words that are blank, types, or given twice.

    Examples
    --------
    >>> words = type_words({"Float": "float32"})
    >>> str(words["float"]), str(words["double"]), type_words(None)
    ('float32', 'float64', {})
    """
    if datamap is None:
        return {}
    if not isinstance(datamap, Mapping):
        raise _error(f"datamap is {datamap!r}; give a map from words to types, like {{'float': 'float32'}}")
    given: dict[str, TypeToken] = {}
    items: Iterable[tuple[object, object]] = datamap.items()
    for word, text in items:
        kind = parse_type(text) if isinstance(text, str) else f"{text!r} is no text"
        if isinstance(kind, str):
            raise _error(f"datamap gives {word!r} a type that is none: {kind}")
        folded = word.strip().lower() if isinstance(word, str) else ""
        if not folded or folded.partition("[")[0].rstrip() in BASES:
            raise _error(f"datamap gives {word!r} a type; give one to a word that is no type and not blank")
        if given.setdefault(folded, kind) != kind:
            raise _error(f"datamap gives {folded!r} two types; case does not count: keep one of them")
    known = {word: parse_type(text) for word, text in DATAMAP.items()}
    return {word: kind for word, kind in known.items() if isinstance(kind, TypeToken)} | given


def _error(message: str) -> MamlError:
    return MamlError([Problem("argument", (), message)])
