"""The rules of `values`: kind, scaling, fill and labels."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from mlarray.errors import At
from mlarray.header import report as check
from mlarray.header.report import Report
from mlarray.header.wire import is_number

KINDS: Final = ("measurement", "label", "instance", "probability", "vector", "other")
LABELLED: Final = ("label", "instance", "probability")
LAYOUTS: Final = ("index", "channel")
LABEL_KEY: Final = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
COLOR: Final = re.compile(r"#[0-9A-Fa-f]{6}([0-9A-Fa-f]{2})?")
_LABEL_KEYS: Final = ("labels", "label_layout")


def check_values(
    value: object, shape: Sequence[int] | None, types: Sequence[str], dtype: np.dtype[Any] | None, report: Report
) -> None:
    """Check what the stored numbers mean, against the array's axes and dtype."""
    at: At = ("values",)
    values = check.mapping(value, at, report)
    if values is None:
        return
    kind = values.get("kind", "measurement")
    known = "kind" not in values or check.word(kind, KINDS, (*at, "kind"), report)
    check.unit(values, at, report)
    if "scale" in values:
        check.nonzero(values["scale"], (*at, "scale"), report)
    if "offset" in values:
        check.number(values["offset"], (*at, "offset"), report)
    if "fill" in values:
        _fill(values["fill"], (*at, "fill"), dtype, report)
    _labelled(values, kind, known=known, report=report)
    if values.get("label_layout") == "channel":
        _channel_layout(values, shape, types, report)
    if kind == "vector" and types.count("component") != 1:
        found = types.count("component")
        report.add("conflict", (*at, "kind"), f"values of kind vector need one axis of type component, found {found}")


def _labelled(values: Mapping[str, Any], kind: object, *, known: bool, report: Report) -> None:
    at: At = ("values",)
    if known and kind not in LABELLED:
        for key in _LABEL_KEYS:
            if key in values:
                message = f"{key} belongs to the kinds {', '.join(LABELLED)}, and the kind is {check.shown(kind)}"
                report.add("conflict", (*at, key), message)
    if "label_layout" in values:
        check.word(values["label_layout"], LAYOUTS, (*at, "label_layout"), report)
    if "labels" in values and (labels := check.mapping(values["labels"], (*at, "labels"), report)) is not None:
        for key, label in labels.items():
            _label(key, label, report)


def _label(key: str, value: object, report: Report) -> None:
    at: At = ("values", "labels", key)
    if not LABEL_KEY.fullmatch(key):
        report.add("wrong_value", at, f"the key {check.shown(key)} is no integer in decimal digits, such as '7'")
    label = check.mapping(value, at, report)
    if label is None:
        return
    check.optional_text(label, ("name",), at, report, empty=True)
    if "color" in label:
        color = label["color"]
        if check.text(color, (*at, "color"), report) and not COLOR.fullmatch(color):
            report.add(
                "wrong_value",
                (*at, "color"),
                f"the colour {check.shown(color)} is not of the form #rrggbb or #rrggbbaa",
            )
    if "code" in label and (code := check.mapping(label["code"], (*at, "code"), report)) is not None:
        check.required(code, ("scheme", "value"), (*at, "code"), report)
        check.optional_text(code, ("scheme", "value"), (*at, "code"), report)
        check.optional_text(code, ("meaning",), (*at, "code"), report, empty=True)


def _channel_layout(
    values: Mapping[str, Any], shape: Sequence[int] | None, types: Sequence[str], report: Report
) -> None:
    at: At = ("values", "label_layout")
    channels = [index for index, kind in enumerate(types) if kind == "channel"]
    if len(channels) != 1:
        report.add("conflict", at, f"the layout channel needs one axis of type channel, found {len(channels)}")
        return
    labels = values.get("labels")
    size = shape[channels[0]] if shape is not None and channels[0] < len(shape) else None
    if not isinstance(labels, Mapping) or size is None:
        return
    for key in labels:
        # More digits than an index has are not read as a number: Python refuses very long ones.
        if LABEL_KEY.fullmatch(key) and (len(key) > 18 or not 0 <= int(key) < size):
            message = f"the key {check.shown(key)} names no channel; keys are at least 0 and below {size}"
            report.add("out_of_range", ("values", "labels", key), message)


def _fill(value: object, at: At, dtype: np.dtype[Any] | None, report: Report) -> None:
    if type(value) is not bool and not is_number(value):
        report.add("wrong_type", at, f"{check.shown(value)} stands where a number or a boolean belongs")
    elif dtype is not None and not representable(value, dtype):
        report.add("not_representable", at, f"{value} cannot be stored as {dtype}")


def representable(value: Any, dtype: np.dtype[Any]) -> bool:
    """Whether a dtype holds a number: integers exactly; floats unless a finite one becomes infinite.

    Examples
    --------
    >>> representable(70000, np.dtype("int16")), representable(0.1, np.dtype("float32"))
    (False, True)
    >>> representable(65519, np.dtype("float16")), representable(65520, np.dtype("float16"))
    (True, False)
    """
    if type(value) is bool:
        return True
    if dtype.kind == "b":
        return value in {0, 1}
    if dtype.kind in "iu":
        if type(value) is float and not value.is_integer():
            return False
        info = np.iinfo(dtype)
        return bool(info.min <= value <= info.max)
    if not math.isfinite(value):
        return True
    with np.errstate(over="ignore"):
        return bool(np.isfinite(np.float64(value).astype(dtype)))
