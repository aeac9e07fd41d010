"""The ways to make an `MLArray` without a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mlarray.description import Description, describe
from mlarray.errors import ArgumentError, ArgumentTypeError, At, Problem
from mlarray.handle import Handle, Parts, recorded
from mlarray.header.wire import printed
from mlarray.io import memory_store
from mlarray.io.dtypes import MOST_BYTES, check_dtype, check_shape
from mlarray.layout.arguments import Wanted, resolve_layout
from mlarray.layout.records import Layout
from mlarray.layout.suggest import whole_numbers
from mlarray.meta.meta import Meta

if TYPE_CHECKING:
    from mlarray.array import MLArray

_SAID: Final = frozenset(field.name for field in fields(Description))
_FLAGS: Final = ("copy_source", "compressed")
MOST_THREADS: Final = 256
_WANTED: Final = frozenset(field.name for field in fields(Wanted))


def split(arguments: Mapping[str, Any]) -> tuple[Description, Wanted, dict[str, Any]]:
    """Return the keyword arguments of a constructor, sorted: metadata, layout, and `dparams` and `compressed`.

    Raises
    ------
    ArgumentTypeError
        One is unknown.
    """
    said = {key: value for key, value in arguments.items() if key in _SAID}
    wanted = {key: value for key, value in arguments.items() if key in _WANTED}
    rest = {key: value for key, value in arguments.items() if key not in _SAID | _WANTED}
    for key in rest:
        if key not in {"dparams", "compressed"}:
            known = ", ".join(sorted(_SAID | _WANTED | {"dparams", "compressed"}))
            raise ArgumentTypeError(
                Problem("unknown_name", (key,), f"there is no argument {key!r}; there are: {known}")
            )
    for key in _FLAGS:
        check_flag(arguments.get(key, False), key)
    return Description(**said), Wanted(**wanted), rest


def check_flag(value: Any, name: str) -> None:
    """Refuse what is neither True nor False: a word such as "no" would count as True.

    Raises
    ------
    ArgumentTypeError
        It is neither.

    Examples
    --------
    >>> check_flag(np.True_, "compressed")
    >>> check_flag("no", "compressed")
    Traceback (most recent call last):
    mlarray.errors.ArgumentTypeError: /compressed: compressed is 'no'; it is True or False
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentTypeError(Problem("wrong_type", (name,), f"{name} is {printed(value)}; it is True or False"))


def layout_alone(arguments: Mapping[str, Any], what: str, also: frozenset[str] = frozenset()) -> Wanted:
    """Return the layout that keyword arguments ask for, where nothing else can be said.

    Raises
    ------
    ArgumentTypeError
        Something else is said.

    Examples
    --------
    >>> layout_alone({"patch_size": 64}, "save").patch_size
    64
    """
    for key in arguments:
        if key not in _WANTED | also:
            known = ", ".join(sorted(_WANTED | also))
            hint = "; set it before" if key in _SAID else ""
            message = f"{what} takes no {key!r}{hint}; it takes {known}"
            raise ArgumentTypeError(Problem("unknown_name", (key,), message))
    return Wanted(**{key: value for key, value in arguments.items() if key in _WANTED})


def threads(dparams: Any) -> int:
    """Return the number of threads that `dparams` asks for: 1 unless it says otherwise.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        It is neither a map nor blosc2.DParams, has another setting, or asks for a number of threads that is none.
    """
    if dparams is None:
        return 1
    if isinstance(dparams, Mapping):
        for key in dparams:
            if key != "nthreads":
                message = f"the setting {key!r} is unknown; dparams has nthreads alone"
                raise ArgumentError(Problem("unknown_name", ("dparams", str(key)), message))
        return check_threads(dparams.get("nthreads", 1), ("dparams", "nthreads"))
    if not hasattr(dparams, "nthreads"):
        message = f"dparams is {printed(dparams)}; it is a map such as {{'nthreads': 2}}, or a blosc2.DParams"
        raise ArgumentTypeError(Problem("wrong_type", ("dparams",), message))
    return check_threads(dparams.nthreads, ("dparams", "nthreads"))


def check_threads(value: Any, at: At = ("nthreads",)) -> int:
    """Return a number of threads.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        It is no whole number from 1 to 256.

    Examples
    --------
    >>> check_threads(np.int64(2))
    2
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ArgumentTypeError(Problem("wrong_type", at, f"nthreads is {printed(value)}; it is a whole number"))
    if not 1 <= value <= MOST_THREADS:
        message = f"nthreads is {printed(value)}; it is at least 1 and at most {MOST_THREADS}"
        raise ArgumentError(Problem("not_positive" if value < 1 else "out_of_range", at, message))
    return int(value)


def layout_of(meta: Meta, shape: tuple[int, ...], dtype: np.dtype[Any], wanted: Wanted) -> Layout:
    """Return the layout that a caller wants for an array of some metadata."""
    return resolve_layout(shape, dtype, meta.axis_types, wanted, meta.at(("storage",)) or None)


def as_array(value: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Return an array-like as a numpy array of a dtype and with as many axes as a file holds.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        It is none; or it is masked, and what is masked would become values.
    """
    if np.ma.is_masked(value):
        message = "some of the array is masked, which a file cannot hold; give array.filled(…), and values.fill"
        raise ArgumentTypeError(Problem("unsupported", ("array",), message))
    try:
        found = np.asarray(value)
    except ValueError as error:
        raise ArgumentTypeError(Problem("wrong_type", ("array",), f"it makes no array: {error}")) from None
    check_dtype(found.dtype)
    check_shape(found.shape)
    return found


def from_array(value: Any, arguments: Mapping[str, Any]) -> Parts:
    """Return an array in memory with what a caller says of it."""
    said, wanted, rest = split(arguments)
    array = as_array(value)
    meta = describe(said, array.shape, array.dtype)
    layout = layout_of(meta, array.shape, array.dtype, wanted)
    if not rest.get("compressed", True):
        return Parts(memory_store.PlainStore(np.array(array, order="C", copy=True)), meta, layout.patch)
    store = memory_store.in_memory(array, layout, threads(rest.get("dparams")))
    return Parts(store, recorded(meta, store, layout.patch), layout.patch)


def from_value(shape: Any, dtype: Any, fill: Any, arguments: Mapping[str, Any]) -> Parts:
    """Return an array of one value in memory with what a caller says of it."""
    said, wanted, rest = split(arguments)
    sizes = shape_of(shape)
    kind = check_dtype(dtype)
    meta = describe(said, sizes, kind)
    layout = layout_of(meta, sizes, kind, wanted)
    if not rest.get("compressed", True):
        return Parts(memory_store.plain(sizes, kind, fill), meta, layout.patch)
    store = memory_store.constant(sizes, kind, fill, layout, threads(rest.get("dparams")))
    return Parts(store, recorded(meta, store, layout.patch), layout.patch)


def shape_of(shape: Any) -> tuple[int, ...]:
    """Return a shape as integers; one number is an array of one axis.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        It is none, or has too many axes.
    """
    listed = [shape] if np.ndim(shape) == 0 else list(shape)
    if any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) for n in listed):
        raise ArgumentTypeError(Problem("wrong_type", ("shape",), f"shape is {shape!r}; it holds whole numbers"))
    return check_shape(tuple(int(n) for n in listed))


def _bounds(**numbers: Any) -> None:
    """Refuse bounds of a range that are no finite numbers."""
    for name, value in numbers.items():
        number = np.asarray(value)
        if number.ndim or number.dtype.kind not in "iuf":
            raise ArgumentTypeError(Problem("wrong_type", (name,), f"{name} is {printed(value)}; it is a number"))
        if not np.isfinite(number):
            raise ArgumentError(Problem("not_finite", (name,), f"{name} is {printed(value)}; it must be finite"))


def _count(count: int, at: At) -> int:
    if count > MOST_BYTES // 8:
        raise ArgumentError(Problem("out_of_range", at, f"it makes {printed(count)} values, beyond any memory"))
    return count


class Constructors(Handle):
    """Class methods that make arrays in memory; each takes the keyword arguments of `MLArray`."""

    @classmethod
    def asarray(cls, array: Any, **arguments: Any) -> MLArray:
        """Return a compressed copy of an array-like."""
        return cls._wrap(from_array(array, arguments))

    @classmethod
    def empty(cls, shape: Any, dtype: Any = np.float64, **arguments: Any) -> MLArray:
        """Return an array of a shape; its values are zeros, and nobody should rely on it."""
        return cls._wrap(from_value(shape, dtype, None, arguments))

    @classmethod
    def zeros(cls, shape: Any, dtype: Any = np.float64, **arguments: Any) -> MLArray:
        """Return an array of zeros."""
        return cls._wrap(from_value(shape, dtype, None, arguments))

    @classmethod
    def ones(cls, shape: Any, dtype: Any = np.float64, **arguments: Any) -> MLArray:
        """Return an array of ones."""
        return cls._wrap(from_value(shape, dtype, 1, arguments))

    @classmethod
    def full(cls, shape: Any, fill_value: Any, dtype: Any = None, **arguments: Any) -> MLArray:
        """Return an array of one value, of the value's own dtype unless another is given."""
        kind = np.asarray(fill_value).dtype if dtype is None else dtype
        return cls._wrap(from_value(shape, kind, fill_value, arguments))

    @classmethod
    def arange(
        cls, start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, shape: Any = None, **arguments: Any
    ) -> MLArray:
        """Return evenly spaced values as numpy's arange: ceil((stop - start) / step) of them, reshaped if asked for."""
        first, last = (0, start) if stop is None else (start, stop)
        _bounds(start=first, stop=last, step=step)
        if step == 0:
            raise ArgumentError(Problem("out_of_range", ("step",), "the step is 0, with which there is no end"))
        count = _count(max(0, math.ceil((last - first) / step)), ("stop",))
        values = first + step * np.arange(count)
        kind = np.result_type(first, last, step) if dtype is None else dtype
        arguments.setdefault("patch_size", None)
        return cls._wrap(from_array(_shaped(values.astype(kind), shape), arguments))

    @classmethod
    def linspace(
        cls,
        start: Any,
        stop: Any,
        num: int = 50,
        dtype: Any = np.float64,
        endpoint: bool = True,
        shape: Any = None,
        **arguments: Any,
    ) -> MLArray:
        """Return evenly spaced values as numpy's linspace, reshaped if asked for."""
        _bounds(start=start, stop=stop)
        count = whole_numbers(num, "num", 1, "one", least=0)[0]
        arguments.setdefault("patch_size", None)
        values = np.linspace(start, stop, _count(count, ("num",)), endpoint=endpoint).astype(dtype)
        return cls._wrap(from_array(_shaped(values, shape), arguments))

    @classmethod
    def empty_like(cls, x: Any, dtype: Any = None, **arguments: Any) -> MLArray:
        """Return an array of the shape, dtype and metadata of another; the source only with ``copy_source=True``."""
        return cls._wrap(_like(x, None, dtype, arguments))

    @classmethod
    def zeros_like(cls, x: Any, dtype: Any = None, **arguments: Any) -> MLArray:
        """Return zeros of the shape, dtype and metadata of another array; see `empty_like`."""
        return cls._wrap(_like(x, None, dtype, arguments))

    @classmethod
    def ones_like(cls, x: Any, dtype: Any = None, **arguments: Any) -> MLArray:
        """Return ones of the shape, dtype and metadata of another array; see `empty_like`."""
        return cls._wrap(_like(x, 1, dtype, arguments))

    @classmethod
    def full_like(cls, x: Any, fill_value: Any, dtype: Any = None, **arguments: Any) -> MLArray:
        """Return an array of one value, of the shape, dtype and metadata of another array; see `empty_like`."""
        return cls._wrap(_like(x, fill_value, dtype, arguments))


def _shaped(values: np.ndarray[Any, np.dtype[Any]], shape: Any) -> np.ndarray[Any, np.dtype[Any]]:
    if shape is None:
        return values
    sizes = shape_of(shape)
    if math.prod(sizes) != values.size:
        message = f"{values.size} values do not fill the shape {sizes}"
        raise ArgumentError(Problem("wrong_length", ("shape",), message))
    return values.reshape(sizes)


def _like(x: Any, fill: Any, dtype: Any, arguments: Mapping[str, Any]) -> Parts:
    given = dict(arguments)
    if isinstance(getattr(x, "meta", None), Meta) and given.get("meta") is None:
        given.setdefault("copy", x)
    else:
        x = as_array(x)
    return from_value(x.shape, x.dtype if dtype is None else dtype, fill, given)
