"""Metadata in a few lines of text, for people at a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from mlarray.header.report import cut

if TYPE_CHECKING:
    from mlarray.meta.lazy import Lazy
    from mlarray.meta.meta import Meta

_INDENT: Final = 10


def lines(meta: Meta) -> str:
    """Return the metadata as text: what is there, a line each; neither source nor user is decoded for it.

    Examples
    --------
    >>> from mlarray import Meta
    >>> print(lines(Meta.from_dict({"version": "1.0", "axes": [{"name": "t"}], "values": {"unit": "kelvin"}})))
    Meta of format 1.0
      axes      t (other)
      values    measurement in kelvin
    """
    head = f"Meta of format {meta.version}" + (f", written by {meta.writer}" if meta.writer else "")
    return "\n".join([head, *(f"  {name:{_INDENT}}{text}" for name, text in _parts(meta))])


def _parts(meta: Meta) -> Iterator[tuple[str, str]]:
    document = meta.at(())
    yield "axes", ", ".join(f"{n} ({t})" for n, t in zip(meta.axis_names, meta.axis_types, strict=True))
    for space in _maps(document.get("spaces")):
        yield "space", _space(space)
    yield "values", _values(document.get("values"))
    if profiles := document.get("profiles"):
        yield "profiles", ", ".join(profiles) if isinstance(profiles, dict) else cut(repr(profiles))
    for entry in _maps(document.get("history")):
        yield "history", " ".join(str(entry[key]) for key in ("time", "action", "tool") if key in entry)
    if storage := document.get("storage"):
        yield "storage", cut(str(storage))
    for lazy in (meta._source, meta._user):
        if lazy.present:
            yield lazy.short, _lazy(lazy)
    if meta.extra:
        yield "others", ", ".join(meta.extra)


def _maps(value: Any) -> Sequence[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _space(space: Mapping[str, Any]) -> str:
    axes = _maps(space.get("axes"))
    named = [" ".join(str(axis[key]) for key in ("name", "increases_toward") if key in axis) for axis in axes]
    units = sorted({str(axis["unit"]) for axis in axes if "unit" in axis})
    return f"{space.get('name')}: {', '.join(named)}" + (f" ({', '.join(units)})" if units else "")


def _values(values: Any) -> str:
    if not isinstance(values, dict):
        return cut(repr(values))
    found = str(values.get("kind"))
    if "unit" in values:
        found += f" in {values['unit']}"
    for key in ("scale", "offset", "fill", "labels"):
        if key in values:
            found += f", {key} {cut(str(values[key]))}"
    return found


def _lazy(lazy: Lazy) -> str:
    seen = lazy.seen
    return "not read yet" if seen is None else cut(str(seen))
