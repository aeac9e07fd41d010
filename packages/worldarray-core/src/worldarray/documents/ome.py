"""OME-NGFF multiscales, 0.1 to 0.6: which dataset an array is, its axes, and its composed scale and translation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any, Final, NamedTuple

from worldarray.documents import parsing
from worldarray.documents.attributes import Attributes, Floats, Names
from worldarray.errors import At, Notice, notice

_DEEPEST: Final = 8
"""How many sequences may stand inside each other."""
_EXACT: Final = 2**53
_FLOATS: Final = frozenset({float, int})
_USUAL: Final = ("scale", "translation")
"""The transforms of a dataset as they are written if nothing is special."""
_BEFORE_TRANSFORMS: Final = frozenset({"0.1", "0.2", "0.3"})


class Dataset(NamedTuple):
    """One entry of a multiscale's datasets: its normalised path and its raw JSON."""

    path: str
    at: At
    raw: Mapping[str, Any]


@dataclass(frozen=True)
class Multiscale:
    """One entry of a document's multiscales, its datasets not yet looked into."""

    at: At
    raw: Mapping[str, Any]
    datasets: tuple[Dataset, ...]
    version: str | None
    parsed: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    """Axes and entries made of it, kept so that listing levels and describing them parses each once."""

    def dataset(self, path: str) -> Dataset | None:
        """Return the first dataset of this normalised path, or None."""
        for dataset in self.datasets:
            if dataset.path == path:
                return dataset
        return None


class Axes(NamedTuple):
    """The axes of a multiscale, in the array's C order."""

    names: Names
    types: tuple[str, ...]
    units: tuple[str, ...]


class Entry(NamedTuple):
    """What a multiscale says of one array: `scale` is None where it gives none; missing translations are 0."""

    axes: Axes | None
    scale: Floats | None
    translation: Floats | None
    declared: bool
    """Whether a translation was written, at either level."""
    outer: tuple[Any, ...]
    """The raw multiscale-level transforms."""
    notices: tuple[Notice, ...]

    def fits(self, ndim: int | None) -> bool:
        """Whether every list is known to have `ndim` entries."""
        if ndim is None:
            return True
        return self.scale is not None and len(self.scale) == ndim == len(
            self.scale if self.axes is None else self.axes.names
        )


class _Step(NamedTuple):
    kind: str
    values: Floats
    at: At


def normalise(path: str) -> str:
    """Return a dataset path without ``.`` segments and doubled or outer slashes; the group itself is ``.``.

    Examples
    --------
    >>> normalise("./s0"), normalise("/a//b/"), normalise("")
    ('s0', 'a/b', '.')
    """
    if "/" not in path:
        return path or "."
    return "/".join(part for part in path.split("/") if part not in {"", "."}) or "."


def multiscales(attrs: Attributes) -> tuple[Multiscale, ...]:
    """Return the multiscales of a document, those under ``ome`` first choice, with their datasets listed.

    Raises
    ------
    PlacementError
        They are not a list, an entry is no object, or a dataset has no path.

    Examples
    --------
    >>> attrs = Attributes(("em.zarr/.zattrs",), {"multiscales": [{"datasets": [{"path": "./s0"}]}]})
    >>> [dataset.path for dataset in multiscales(attrs)[0].datasets]
    ['s0']
    """
    found: tuple[Multiscale, ...] | None = attrs.parsed.get("multiscales")
    if found is None:
        found = attrs.parsed["multiscales"] = _multiscales(attrs)
    return found


def _multiscales(attrs: Attributes) -> tuple[Multiscale, ...]:
    ome = attrs.values.get("ome")
    if isinstance(ome, Mapping) and "multiscales" in ome:
        raw, at, version = ome["multiscales"], attrs.path("ome", "multiscales"), ome.get("version")
    else:
        raw, at, version = attrs.values.get("multiscales"), attrs.path("multiscales"), None
    if raw is None:
        return ()
    return tuple(_multiscale(entry, (*at, i), version) for i, entry in enumerate(parsing.sequence(raw, at)))


def _multiscale(value: object, at: At, version: object) -> Multiscale:
    raw = parsing.mapping(value, at)
    listed = parsing.required(raw, "datasets", at, parsing.sequence)
    datasets = tuple(_dataset(entry, (*at, "datasets", i)) for i, entry in enumerate(listed))
    known = raw.get("version", version)
    return Multiscale(at, raw, datasets, known if isinstance(known, str) else None)


def _dataset(value: object, at: At) -> Dataset:
    if isinstance(value, str):  # N5 groups list bare names
        return Dataset(normalise(parsing.path_text(value, at)), at, {})
    raw = parsing.mapping(value, at)
    return Dataset(normalise(parsing.required(raw, "path", at, parsing.path_text)), at, raw)


def find(attrs: Attributes, path: str) -> tuple[Multiscale, Dataset] | None:
    """Return the multiscale and dataset of a document that name an array by its path, never by its position."""
    for multiscale in multiscales(attrs):
        dataset = multiscale.dataset(path)
        if dataset is not None:
            return multiscale, dataset
    return None


def entry(multiscale: Multiscale, dataset: Dataset, ndim: int | None = None, *, lenient: bool = False) -> Entry:
    """Return what a multiscale says of one of its datasets.

    In 0.1 to 0.5 the multiscale-level transforms are applied after the dataset's own, in the order written; without a
    scale of its own a dataset is placed by none of them. A document with
    ``coordinateSystems`` (0.6) is read for its intrinsic system: the one that the dataset's first transform leads to.

    Parameters
    ----------
    multiscale, dataset
        What `find` returned.
    ndim : int, optional
        The number of axes of the array; without it the lists must agree with one another.
    lenient : bool
        Whether a translation listed before its scale is applied with a notice, rather than refused.

    Raises
    ------
    PlacementError
        A list does not fit the axes, a scale is not positive, a dataset before 0.6 has two scales or a wrong order.
    """
    key = (dataset.at, lenient)
    known: Entry | None = multiscale.parsed.get(key)
    if known is None or not known.fits(ndim):
        known = multiscale.parsed[key] = _entry(multiscale, dataset, ndim, lenient=lenient)
    return known


def _entry(multiscale: Multiscale, dataset: Dataset, ndim: int | None, *, lenient: bool) -> Entry:
    system = _intrinsic(multiscale, dataset)
    axes = _axes(multiscale, system, ndim)
    ndim = len(axes.names) if ndim is None and axes is not None else ndim
    if system is None and multiscale.raw.get("coordinateTransformations") in (None, []):
        usual = _usual(dataset.raw, ndim)
        if usual is not None:
            return Entry(axes, *usual, (), ())
    notes: list[Notice] = []
    own = _steps(dataset.raw, dataset.at, ndim, notes)
    outer: list[_Step] = []
    if system is None:
        _check_order(own, notes, lenient=lenient)
        outer = _steps(multiscale.raw, multiscale.at, ndim or _length(own), notes)
    placed = any(step.kind == "scale" for step in own)
    scale, translation = _compose([*own, *outer], dataset.at) if placed else (None, None)
    if scale is None and _says_transforms(multiscale, system):
        message = "gives no scale, so it does not place the array; write a scale transform"
        notes.append(notice("missing_key", (*dataset.at, "coordinateTransformations"), message))
    declared = any(step.kind == "translation" for step in (*own, *outer))
    return Entry(axes, scale, translation, declared, raw_outer(multiscale), tuple(notes))


def raw_outer(multiscale: Multiscale) -> tuple[Any, ...]:
    """Return the multiscale-level transforms as they are written, applied or not."""
    raw = multiscale.raw.get("coordinateTransformations")
    return tuple(raw) if isinstance(raw, list) else ()


def _says_transforms(multiscale: Multiscale, system: object) -> bool:
    """Whether this version of the specification has transforms at all."""
    return system is not None or multiscale.version not in _BEFORE_TRANSFORMS


def _length(steps: list[_Step]) -> int | None:
    return len(steps[0].values) if steps else None


def _intrinsic(multiscale: Multiscale, dataset: Dataset) -> tuple[Mapping[str, Any], At] | None:
    """Return the coordinate system of a 0.6 dataset and its path, or None in a document without systems."""
    systems = multiscale.raw.get("coordinateSystems")
    if not isinstance(systems, list):
        return None
    at = (*multiscale.at, "coordinateSystems")
    known = [(system, (*at, i)) for i, system in enumerate(systems) if isinstance(system, Mapping)]
    if not known:
        return {}, at
    wanted = _output(dataset.raw.get("coordinateTransformations"))
    return next((pair for pair in known if wanted is not None and pair[0].get("name") == wanted), known[0])


def _output(transforms: object) -> object:
    """Return the name of the system that the first transform of a dataset leads to."""
    first = transforms[0] if isinstance(transforms, list) and transforms else None
    output = first.get("output") if isinstance(first, Mapping) else None
    return output.get("name") if isinstance(output, Mapping) else output


def _axes(multiscale: Multiscale, system: tuple[Mapping[str, Any], At] | None, ndim: int | None) -> Axes | None:
    holder, at = (multiscale.raw, multiscale.at) if system is None else system
    if holder.get("axes") is None:
        return None
    at = (*at, "axes")
    known: Axes | None = multiscale.parsed.get(at)
    if known is None or ndim not in (None, len(known.names)):
        known = multiscale.parsed[at] = _parse_axes(holder["axes"], at, ndim, strict=system is None)
    return known


def _parse_axes(value: object, at: At, ndim: int | None, *, strict: bool) -> Axes:
    parsed = parsing.each(value, at, _axis, ndim)
    names = tuple(name for name, _, _ in parsed)
    given = [name for name in names if name is not None]
    if strict and len(set(given)) < len(given):
        parsing.refuse("duplicate", at, f"are {parsing.show(given)}; each axis must have a name of its own")
    return Axes(names, tuple(kind for _, kind, _ in parsed), tuple(unit for _, _, unit in parsed))


def _axis(value: object, at: At) -> tuple[str | None, str, str]:
    """Return the name, type and unit of an axis; 0.3 writes the name alone."""
    if value is None or isinstance(value, str):
        return (None if value is None else parsing.text(value, at)) or None, "", ""
    raw = parsing.mapping(value, at)
    name, kind, unit = raw.get("name"), raw.get("type"), raw.get("unit")
    if not (_is_word(name) and _is_word(kind) and _is_word(unit)):
        name, kind, unit = (parsing.optional(raw, key, at, parsing.text) for key in ("name", "type", "unit"))
    return name or None, kind or "", unit or ""


def _is_word(value: object) -> bool:
    """Whether a value is ordinary text, or none; others have to be looked at closely."""
    return value is None or (type(value) is str and value.isascii())


def _usual(raw: Mapping[str, Any], ndim: int | None) -> tuple[Floats, Floats, bool] | None:
    """Return the scale, the translation and whether it is declared, of transforms as nearly all are written.

    These are a scale and perhaps a translation of ordinary numbers; None stands for any others.
    """
    transforms = raw.get("coordinateTransformations")
    if type(transforms) is not list or not 1 <= len(transforms) <= len(_USUAL):
        return None
    lists: list[list[object]] = []
    for transform, kind in zip(transforms, _USUAL, strict=False):
        if type(transform) is not dict or transform.get("type") != kind or type(transform.get(kind)) is not list:
            return None
        lists.append(transform[kind])
    size, declared = len(lists[0]), len(lists) == len(_USUAL)
    numbers = _plain([*lists[0], *lists[-1]] if declared else lists[0], None, above=-inf)
    if numbers is None or len(lists[-1]) != size or ndim not in (None, size) or min(numbers[:size], default=1) <= 0:
        return None
    return numbers[:size], numbers[size:] if declared else (0.0,) * size, declared


def _steps(holder: Mapping[str, Any], at: At, ndim: int | None, notes: list[Notice]) -> list[_Step]:
    """Return the scales and translations of a list of transforms, sequences unpacked; others are noted and left out."""
    raw = holder.get("coordinateTransformations")
    if raw is None:
        return []
    at = (*at, "coordinateTransformations")
    steps: list[_Step] = []
    for transform, place in _flat(raw, at, 0):
        kind = transform.get("type")
        if kind not in ("scale", "translation"):
            kind = parsing.required(transform, "type", place, parsing.text)
        if kind in {"scale", "translation"}:
            raw_values = parsing.member(transform, kind, place)
            values = _plain(raw_values, ndim, above=0.0 if kind == "scale" else -inf)
            if values is None:
                parse = parsing.positive if kind == "scale" else parsing.number
                values = parsing.each(raw_values, (*place, kind), parse, ndim)
            ndim = len(values)
            steps.append(_Step(kind, values, place))
        elif kind != "identity":
            message = f"is {parsing.show(kind)}, which is not applied; only scale and translation are read"
            notes.append(notice("unsupported", (*place, "type"), message))
    return steps


def _plain(value: object, ndim: int | None, *, above: float) -> Floats | None:
    """Return a list that holds nothing but ordinary numbers; None for any that has to be looked at closely."""
    if type(value) is not list or ndim not in (None, len(value)):
        return None
    kinds = set(map(type, value))
    if not kinds <= _FLOATS or (int in kinds and not all(-_EXACT <= v <= _EXACT for v in value)):
        return None
    found = tuple(map(float, value))
    return found if isfinite(sum(found)) and min(found, default=inf) > above else None


def _flat(raw: object, at: At, depth: int) -> Iterator[tuple[Mapping[str, Any], At]]:
    """Yield transforms in order, those of a sequence in its place."""
    if depth > _DEEPEST:
        parsing.refuse("unsupported", at, f"more than {_DEEPEST} sequences stand inside each other; write them flat")
    for i, value in enumerate(parsing.sequence(raw, at)):
        transform, place = parsing.mapping(value, (*at, i)), (*at, i)
        if transform.get("type") == "sequence":
            yield from _flat(
                parsing.member(transform, "transformations", place), (*place, "transformations"), depth + 1
            )
        else:
            yield transform, place


def _check_order(steps: list[_Step], notes: list[Notice], *, lenient: bool) -> None:
    """Check that there is one scale and at most one translation, which comes after it."""
    seen: set[str] = set()
    for step in steps:
        if step.kind in seen:
            parsing.refuse("duplicate", step.at, f"is a second {step.kind}; OME-NGFF allows one of each")
        if step.kind == "scale" and "translation" in seen:
            message = "a translation stands before the scale; write the scale first"
            if not lenient:
                parsing.refuse("order", step.at, message)
            notes.append(notice("order", step.at, f"{message} (applied in the order written)"))
        seen.add(step.kind)


def _compose(steps: list[_Step], at: At) -> tuple[Floats, Floats]:
    """Return the scale and translation of index to world."""
    kinds = [step.kind for step in steps]
    ndim = len(steps[0].values)
    if kinds in (["scale"], ["scale", "translation"]):
        return steps[0].values, steps[1].values if len(steps) > 1 else (0.0,) * ndim
    scale, translation = (1.0,) * ndim, (0.0,) * ndim
    for step in steps:
        if step.kind == "scale":
            scale = tuple(a * b for a, b in zip(scale, step.values, strict=True))
            translation = tuple(a * b for a, b in zip(translation, step.values, strict=True))
        else:
            translation = tuple(a + b for a, b in zip(translation, step.values, strict=True))
    if not all(map(isfinite, (*scale, *translation))) or not all(value > 0 for value in scale):
        message = f"composes to the scale {scale} and translation {translation}; they must be finite, the scale above 0"
        parsing.refuse("not_finite", (*at, "coordinateTransformations"), message)
    return scale, translation
