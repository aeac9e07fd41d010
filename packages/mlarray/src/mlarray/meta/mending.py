"""What a header that was opened with ``strict=False`` breaks: refused where it is used, and mended by assignment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mlarray.errors import ArgumentError, ArgumentTypeError, At, FieldError, FormatError, Problem
from mlarray.meta.frozen import equal

_WRITTEN: Final = "it is set when a file is written"
LOCKED: Final[Mapping[str, str]] = {
    "version": _WRITTEN,
    "writer": _WRITTEN,
    "history": "history is only added to; call meta.add_history",
    "storage": "storage says how the array is cut; give patch_size, chunk_size, block_size "
    "or cparams to MLArray or save",
    "source": "source is what files were converted from, and is not edited; give source= to MLArray for another",
}
"""The keys that nobody assigns, and why."""
_ADVICE: Final = {
    "axes": "assign meta.axes = […], a name or a map per axis",
    "spaces": "assign meta.spaces = […], or [] for none",
    "values": "assign meta.values = {…}",
    "profiles": "assign meta.profiles = {…}",
    "history": "assign meta.history = […] without what is wrong",
}
_SAVED: Final = "save the array, which writes it anew"


def touching(problems: Iterable[Problem], places: Iterable[At]) -> tuple[Problem, ...]:
    """Return the problems of some places: of what lies in them, and of what they lie in.

    Examples
    --------
    >>> found = [Problem("wrong_type", ("values",), "5 stands where a map belongs")]
    >>> len(touching(found, [("values", "fill")])), len(touching(found, [("spaces", 0)])), len(touching(found, [()]))
    (1, 0, 1)
    """
    wanted = tuple(places)
    return tuple(one for one in problems if any(all(a == b for a, b in zip(one.at, at)) for at in wanted))  # noqa: B905


def refusal(problems: Sequence[Problem]) -> FormatError:
    """Return the error for a use of what is broken, with how it is mended.

    Examples
    --------
    >>> print(refusal([Problem("wrong_type", ("spaces",), "5 stands where a list belongs")]))
    /spaces: 5 stands where a list belongs. To mend it, assign meta.spaces = […], or [] for none
    """
    said = [(one, _ADVICE.get(str(one.at[0]), _SAVED) if one.at else _ADVICE["axes"]) for one in problems]
    return FormatError(*(Problem(one.code, one.at, f"{one.message}. To mend it, {advice}") for one, advice in said))


def guard(place: At, problems: Sequence[Problem]) -> None:
    """Refuse a place that nobody assigns, or that is none; a history that is broken may be mended where it is.

    Raises
    ------
    FieldError
        Nobody assigns it.
    ArgumentTypeError
        It begins with no key.
    """
    if not place or not isinstance(place[0], str):
        message = f"{place!r} is no place, such as ('axes', 0, 'name')"
        raise ArgumentTypeError(Problem("wrong_type", ("place",), message))
    if place[0] == "user" and len(place) > 1:
        raise FieldError(Problem("read_only", place, "user is assigned whole: meta.user = {…}"))
    broken = [one for one in problems if one.at[:1] == ("history",)]
    if place[0] in LOCKED and not (place[0] == "history" and touching(broken, [place])):
        raise FieldError(Problem("read_only", place, LOCKED[place[0]]))


def keep_history(before: Any, after: Any, problems: Sequence[Problem]) -> None:
    """Refuse a mended history that lacks an entry which breaks no rule.

    Raises
    ------
    ArgumentError
        One is not there any more, or not in its order.

    Examples
    --------
    >>> keep_history([{"action": "created"}, 5], [{"action": "created"}], [Problem("wrong_type", ("history", 1), "")])
    """
    if not isinstance(before, list) or before == after:
        return
    wrong = {one.at[1] for one in problems if one.at[:1] == ("history",) and len(one.at) > 1}
    left: Iterator[Any] = iter(after if isinstance(after, list) else ())
    for index, entry in enumerate(before):
        if index not in wrong and not any(equal(entry, other) for other in left):
            message = f"the entry {entry!r} breaks no rule, so it stays: {LOCKED['history']}"
            raise ArgumentError(Problem("read_only", ("history", index), message))


def worse(
    before: Sequence[Problem], after: Sequence[Problem], old: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[Problem, ...]:
    """Return the problems that a change of a header brings.

    None is one that was there; nor one in a part that was broken and is as it was, of which more can be told now.
    """
    known = {one.at[:1] for one in before}
    same = {key for key in new if key in old and old[key] == new[key]}
    return tuple(
        one
        for one in after
        if one not in before and not (one.at and one.at[0] in same and ((one.at[0],) in known or () in known))
    )
