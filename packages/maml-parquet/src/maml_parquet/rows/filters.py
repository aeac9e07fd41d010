"""Filter rules: text to a frozen tree; then bound to columns, evaluated on rows, and checked against statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from maml_parquet.errors import At, MamlError, Problem
from maml_parquet.rows.binding import Kinds, bind
from maml_parquet.rows.evaluation import evaluate
from maml_parquet.rows.pruning import Stats, keeps
from maml_parquet.rows.tokens import MAX_NAME, MAX_VALUE, Place, Token, checked_text, shown, tokens
from maml_parquet.rows.trees import And, Bound, Clause, Expr, Leaf, Literal, Not, Or, Tree

__all__ = ["Stats", "bind", "bind_rules", "evaluate", "keeps", "parse_filter", "parse_rules"]

MAX_LEVELS: Final = 32
MAX_TERMS: Final = 1024

VALUES: Final = {
    ">": "one",
    ">=": "one",
    "<": "one",
    "<=": "one",
    "==": "one",
    "/=": "one",
    "in": "list",
    "not_in": "list",
    "is_null": "none",
    "is_not_null": "none",
    "is_nan": "none",
    "is_not_nan": "none",
    "is_finite": "none",
    "is_not_finite": "none",
}
"""What each operator takes."""

_MEANT: Final = {"=": "==", "!=": "/=", "<>": "/=", "=>": ">=", "=<": "<=", "is": "is_null", "isnull": "is_null"}
"""Operators of other languages, and what is written here."""


def parse_filter(rule: str, *, at: At = ("filter",), line: int = 1) -> Expr:
    """Return a rule as a tree. `not` binds tighter than `and`, `and` tighter than `or`.

    Keywords and operators are in any case. Operators need blanks around them, parentheses do not. Which columns there
    are, and what their values are, is not asked here: see `bind`.

    Parameters
    ----------
    rule
        At most 8192 characters, 32 levels of parentheses and `not`, 1024 clauses; names of 64 characters and
        values of 512.
    at, line
        Where the rule stands, for its problems. Their column counts characters of the rule, from 1.

    Raises
    ------
    MamlError
        Code ``filter``; the message says what is wrong and what to write.

    Examples
    --------
    >>> rule = parse_filter("ra > 180 and name is_null")
    >>> [(clause.name, clause.op, [value.text for value in clause.values]) for clause in rule.items]
    [('ra', '>', ['180']), ('name', 'is_null', [])]
    """
    return _Parser(rule, Place("filter", at, line)).parse()


def parse_rules(rules: Sequence[str], *, at: At = ("filter",), lines: Sequence[int] | None = None) -> Expr | None:
    """Return several rules as one: rows have to pass each. None where there is no rule.

    Text alone is one rule. `lines` are those of the rules; where they are not given, each rule is a line of its own,
    counted from 1.

    Raises
    ------
    MamlError
        The problems of every rule, each at its position; or more than 1024 clauses in all of them.

    Examples
    --------
    >>> len(parse_rules(["a is_null", "b is_null or b > 3"]).items)
    2
    """
    return _joined(_parsed(rules, at, lines, lambda tree, _: tree))


def bind_rules(
    rules: Sequence[str], kinds: Kinds, *, at: At = ("filter",), lines: Sequence[int] | None = None
) -> Bound | None:
    """Return several rules as one that is bound to columns: what `parse_rules` and `bind` do, in one report.

    Raises
    ------
    MamlError
        The problems of every rule, of its text or, where that is right, of its columns and values.

    Examples
    --------
    >>> bind_rules([], {}) is None
    True
    """
    return _joined(_parsed(rules, at, lines, lambda tree, place: bind(tree, kinds, at=place.at, line=place.line)))


def _parsed(
    rules: Sequence[str], at: At, lines: Sequence[int] | None, finish: Callable[[Expr, Place], Tree[Leaf]]
) -> list[Tree[Leaf]]:
    """Return what is made of each rule, or raise all their problems."""
    trees: list[Tree[Leaf]] = []
    problems: list[Problem] = []
    terms = 0
    for index, rule in enumerate([rules] if isinstance(rules, str) else rules):
        parser = _Parser(rule, Place("filter", (*at, index), lines[index] if lines is not None else index + 1))
        try:
            trees.append(finish(parser.parse(), parser.place))
        except MamlError as error:
            problems += error.problems
        if terms <= MAX_TERMS < terms + parser.terms:
            problems.append(parser.place.problem(f"the rules together have more than {MAX_TERMS} clauses", 1))
        terms += parser.terms
    if problems:
        raise MamlError(problems)
    return trees


def _joined(trees: list[Tree[Leaf]]) -> Tree[Leaf] | None:
    return And(tuple(trees)) if len(trees) > 1 else trees[0] if trees else None


class _Parser:
    """Descends through one rule, from `or` to the clause."""

    def __init__(self, rule: str, place: Place) -> None:
        self.place = place
        self.rule = rule
        self.tokens: tuple[Token, ...] = ()
        self.index = 0
        self.levels = 0
        self.terms = 0

    def parse(self) -> Expr:
        self.tokens = tokens(checked_text(self.rule, self.place), self.place)
        if len(self.tokens) == 1:
            raise self.place.error("the rule is empty; write for example 'ra > 180'", 1)
        tree = self.either()
        left = self.here
        if left.kind == ")":
            raise self.place.error("the ')' closes nothing; take it away or add a '('", left.position)
        if left.kind != "end":
            raise self.follows(left)
        return tree

    @property
    def here(self) -> Token:
        return self.tokens[self.index]

    @property
    def before(self) -> Token:
        return self.tokens[max(self.index - 1, 0)]

    def take(self) -> Token:
        token = self.here
        self.index += 1
        return token

    def either(self) -> Tree[Clause]:
        items = [self.both()]
        while self.here.word == "or":
            self.take()
            items.append(self.both())
        return Or(tuple(items)) if len(items) > 1 else items[0]

    def both(self) -> Tree[Clause]:
        items = [self.negation()]
        while self.here.word == "and":
            self.take()
            items.append(self.negation())
        return And(tuple(items)) if len(items) > 1 else items[0]

    def negation(self) -> Tree[Clause]:
        first = self.here
        if first.word != "not" and first.kind != "(":
            return self.clause()
        self.take()
        self.levels += 1
        if self.levels > MAX_LEVELS:
            raise self.place.error(f"more than {MAX_LEVELS} levels of parentheses and 'not'", first.position)
        tree = Not(self.negation()) if first.word == "not" else self.inside(first)
        self.levels -= 1
        return tree

    def inside(self, opened: Token) -> Tree[Clause]:
        if self.here.kind == ")":
            raise self.place.error(
                "the parentheses are empty; write a clause in them or take them away", opened.position
            )
        tree = None if self.here.kind == "end" else self.either()
        if tree is None or self.here.kind == "end":
            raise self.place.error("the '(' is never closed; add a ')'", opened.position)
        if self.here.kind != ")":
            raise self.follows(self.here)
        self.take()
        return tree

    def clause(self) -> Clause:
        name = self.here
        if name.kind == "quoted":
            raise self.place.error("a clause begins with the name of a column, without quotes", name.position)
        if name.kind != "word" or name.word in ("and", "or"):
            raise self.dangling()
        if len(name.text) > MAX_NAME:
            message = f"the name {shown(name.text)} has {len(name.text)} characters, at most {MAX_NAME} are allowed"
            raise self.place.error(message, name.position)
        self.take()
        self.terms += 1
        if self.terms > MAX_TERMS:
            raise self.place.error(f"more than {MAX_TERMS} clauses", name.position)
        op = self.operator(name)
        takes = VALUES[op]
        values = () if takes == "none" else (self.value(op),) if takes == "one" else self.values(op)
        return Clause(name.text, op, values, name.position)

    def dangling(self) -> MamlError:
        """Return the error of a place where a clause belongs and none is."""
        wrong = self.here
        if self.before.word in ("and", "or", "not") and self.index:
            wrong = self.before
        return self.place.error(f"a clause such as 'ra > 180' belongs beside {wrong.text!r}", wrong.position)

    def operator(self, name: Token) -> str:
        token = self.here
        if token.word in VALUES:
            return self.take().word
        if token.kind == "word" and token.word not in ("and", "or", "not"):
            meant = _MEANT.get(token.word)
            hint = f"write {meant}" if meant else f"the operators are {' '.join(VALUES)}"
            raise self.place.error(f"{shown(token.text)} is no operator; {hint}", token.position)
        message = (
            f"no operator follows {shown(name.text)}; write for example 'ra > 180', with blanks around the operator"
        )
        raise self.place.error(message, name.position)

    def value(self, op: str) -> Literal:
        token = self.here
        if token.kind not in ("word", "quoted") or token.word in ("and", "or"):
            raise self.place.error(f"no value follows {op}; write one, text in double quotes", self.before.position)
        self.take()
        return self.literal(token.text, token)

    def literal(self, text: str, token: Token, offset: int = 0) -> Literal:
        position = token.position + offset
        if token.kind == "word" and text.startswith("'"):
            raise self.place.error(f"{shown(text)}: text stands in double quotes, not in single ones", position)
        if len(text) > MAX_VALUE:
            raise self.place.error(f"a value has {len(text)} characters, at most {MAX_VALUE} are allowed", position)
        return Literal(text, token.kind == "quoted", position)

    def values(self, op: str) -> tuple[Literal, ...]:
        opened = self.here
        if opened.kind != "(":
            raise self.place.error(f"no list follows {op}; write for example '{op} (1, 2)'", self.before.position)
        self.take()
        found: list[Literal] = []
        comma: int | None = None
        for part in self.parts(opened):
            if isinstance(part, Literal) and found and comma is None:
                raise self.place.error("a comma belongs between the values of a list", part.position)
            if isinstance(part, int) and (comma is not None or not found):
                raise self.place.error("no value stands before the comma", part)
            if isinstance(part, Literal):
                found.append(part)
            comma = part if isinstance(part, int) else None
        if comma is not None:
            raise self.place.error("no value follows the comma", comma)
        if not found:
            raise self.place.error("the list is empty; write at least one value", opened.position)
        return tuple(found)

    def parts(self, opened: Token) -> Iterable[Literal | int]:
        """Give the values and commas of a list, a comma as its position, and take the ``)``."""
        while self.here.kind in ("word", "quoted"):
            token = self.take()
            if token.kind == "quoted":
                yield self.literal(token.text, token)
                continue
            offset = 0
            for count, piece in enumerate(token.text.split(",")):
                if count:
                    yield token.position + offset - 1
                if piece:
                    yield self.literal(piece, token, offset)
                offset += len(piece) + 1
        if self.here.kind != ")":
            raise self.place.error("the list is never closed; add a ')'", opened.position)
        self.take()

    def follows(self, token: Token) -> MamlError:
        """Return the error of what follows a whole clause and is neither ``and`` nor ``or``."""
        message = (
            f"{shown(token.text)} follows a whole clause; write 'and' or 'or' between clauses, and one value in each"
        )
        return self.place.error(message, token.position)
