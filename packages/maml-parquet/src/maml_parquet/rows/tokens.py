"""From the text of a rule to tokens, each with its position: words, quoted text, parentheses."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

from maml_parquet.errors import At, MamlError, Problem

MAX_RULE: Final = 8192
MAX_NAME: Final = 64
MAX_VALUE: Final = 512

_BLANKS: Final = " \t\r\n"


@dataclass(frozen=True)
class Token:
    """A piece of a rule: ``word``, ``quoted``, ``(``, ``)`` or ``end``; positions count characters from 1."""

    kind: str
    text: str
    position: int

    @property
    def word(self) -> str:
        """The word in lower case; empty for everything else, so that quoted text is never a keyword."""
        return self.text.lower() if self.kind == "word" else ""


@dataclass(frozen=True)
class Place:
    """Where a rule or a sort key stands, for its problems: a code, a path and a line."""

    code: str
    at: At
    line: int = 1

    def problem(self, message: str, position: int) -> Problem:
        """Return the problem at a position of the text."""
        return Problem(self.code, self.at, f"{message} (character {position})", self.line, position)

    def error(self, message: str, position: int) -> MamlError:
        """Return the error that holds this problem alone."""
        return MamlError([self.problem(message, position)])


def shown(text: str) -> str:
    """Return text for a message, cut where it is long."""
    return repr(text if len(text) <= 80 else text[:77] + "...")


def checked_text(value: object, place: Place) -> str:
    """Return what should be text if it is.

    Raises
    ------
    MamlError
        It is something else.
    """
    if not isinstance(value, str):
        raise place.error(f"{value!r} is a {type(value).__name__}, not text; write it in quotes", 1)
    return value


def tokens(rule: str, place: Place) -> tuple[Token, ...]:
    """Return the tokens of a rule, ``end`` last.

    Blanks, tabs, line breaks, parentheses and double quotes end a word. Quoted text is kept as it stands.

    Raises
    ------
    MamlError
        Code ``filter``: the rule is longer than 8192 characters, a quote has no end, a value is longer than 512, or a
        character that looks like a blank or cannot be seen stands outside quotes.

    Examples
    --------
    >>> [token.text for token in tokens('(name == "a b")', Place("filter", ()))]
    ['(', 'name', '==', 'a b', ')', '']
    """
    if len(rule) > MAX_RULE:
        raise place.error(
            f"the rule has {len(rule)} characters, at most {MAX_RULE} are allowed; split it", MAX_RULE + 1
        )
    found = []
    position = 0
    while position < len(rule):
        if rule[position] in _BLANKS:
            position += 1
            continue
        token, position = _next(rule, position, place)
        found.append(token)
    return (*found, Token("end", "", len(rule) + 1))


def _next(rule: str, start: int, place: Place) -> tuple[Token, int]:
    """Return the token that begins at an index, and the index behind it."""
    if rule[start] in "()":
        return Token(rule[start], rule[start], start + 1), start + 1
    if rule[start] == '"':
        end = rule.find('"', start + 1)
        if end < 0:
            raise place.error('a quote has no end; write "…", and no " inside', start + 1)
        if end - start - 1 > MAX_VALUE:
            raise place.error(f"a value has {end - start - 1} characters, at most {MAX_VALUE} are allowed", start + 1)
        return Token("quoted", rule[start + 1 : end], start + 1), end + 1
    end = start
    while end < len(rule) and rule[end] not in _BLANKS + '()"':
        refuse_unseen(rule[end], end + 1, place)
        end += 1
    return Token("word", rule[start:end], start + 1), end


def refuse_unseen(character: str, position: int, place: Place) -> None:
    """Refuse controls, unusual blanks and marks without a shape: they would silently become part of a name."""
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp"):
        raise place.error(f"the character U+{ord(character):04X} stands outside quotes; write a plain blank", position)
