"""The planes of DICOM files: one of a plain image, one a frame of an enhanced image."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mlarray.convert.dicom_geometry import SlicePlace
from mlarray.errors import FormatError, Problem

PLACE: Final = {"ImagePositionPatient": 3, "ImageOrientationPatient": 6, "PixelSpacing": 2}
"""What places a plane, and how many numbers it has."""
_MACROS: Final = {
    "ImagePositionPatient": "PlanePositionSequence",
    "ImageOrientationPatient": "PlaneOrientationSequence",
    "PixelSpacing": "PixelMeasuresSequence",
    "SliceThickness": "PixelMeasuresSequence",
    "SpacingBetweenSlices": "PixelMeasuresSequence",
    "RescaleSlope": "PixelValueTransformationSequence",
    "RescaleIntercept": "PixelValueTransformationSequence",
    "RescaleType": "PixelValueTransformationSequence",
}
"""The functional group that holds an element of a frame (PS3.3 C.7.6.16)."""
_BROKEN: Final = (ValueError, KeyError, AttributeError, TypeError, NotImplementedError, IndexError, OverflowError)
"""What pydicom raises for an element that it cannot make sense of."""


@dataclass(frozen=True)
class Plane:
    """One plane of an image: its file, and where elements are looked for, the first place first."""

    path: Path
    dataset: Any
    groups: tuple[Any, ...] = ()
    """The functional groups of the frame, then those that all frames share."""

    def get(self, keyword: str) -> Any:
        """Return the value of an element; None where it is missing or empty.

        Raises
        ------
        FormatError
            It cannot be read.
        """
        try:
            for group in self.groups:
                macro = group.get(_MACROS.get(keyword, ""))
                if macro and macro[0].get(keyword) is not None:
                    return macro[0].get(keyword)
            value = self.dataset.get(keyword)
        except _BROKEN as error:
            raise self.error(keyword, f"cannot be read: {error}") from None
        return None if value is None or value == "" else value

    def numbers(self, keyword: str, count: int) -> tuple[float, ...] | None:
        """Return the numbers of an element; None where it is missing.

        Raises
        ------
        FormatError
            They are not that many, or not finite.
        """
        value = self.get(keyword)
        if value is None:
            return None
        many = isinstance(value, Iterable) and not isinstance(value, (str, bytes))
        try:
            found = tuple(float(one) for one in (value if many else [value]))
        except (TypeError, ValueError):
            found = ()
        if len(found) != count or not all(map(math.isfinite, found)):
            raise self.error(keyword, f"is {value!r}; {count} finite numbers belong there")
        return found

    def number(self, keyword: str) -> float | None:
        """Return the number of an element; None where it is missing."""
        found = self.numbers(keyword, 1)
        return None if found is None else found[0]

    def word(self, keyword: str) -> str:
        """Return an element as text, empty where it is missing."""
        value = self.get(keyword)
        return "" if value is None else str(value)

    def error(self, keyword: str, words: str) -> FormatError:
        """Return the error that an element is wrong."""
        return FormatError(Problem("wrong_value", (keyword,), f"{keyword} {words}"), path=str(self.path))

    def place(self) -> SlicePlace:
        """Return where the plane lies.

        Raises
        ------
        FormatError
            An element that says it is missing.
        """
        found = {key: self.numbers(key, count) for key, count in PLACE.items()}
        absent = [key for key, value in found.items() if value is None]
        if absent:
            verb = "is" if len(absent) == 1 else "are"
            message = f"{' and '.join(absent)} {verb} missing, so the image cannot be placed"
            raise FormatError(Problem("missing_key", (absent[0],), message), path=str(self.path))
        position, orientation, spacing = (value or () for value in found.values())
        if min(spacing) <= 0:
            raise self.error("PixelSpacing", f"is {spacing}; sizes above zero belong there")
        return SlicePlace(position, orientation, spacing)


def planes_of(chosen: Sequence[tuple[Path, Any]]) -> list[Plane]:
    """Return the planes of the files of a series: each file is one, or one file holds all as its frames.

    Raises
    ------
    FormatError
        Frames without functional groups, or several files with frames.
    """
    found = []
    for path, dataset in chosen:
        plane = Plane(path, dataset)
        frames = int(plane.number("NumberOfFrames") or 1)
        groups = plane.get("PerFrameFunctionalGroupsSequence")
        if frames > 1 and (groups is None or len(chosen) > 1):
            why = "without functional groups" if groups is None else "in several files"
            message = f"a multi-frame image {why}, which is not converted; split it into single frames first"
            raise FormatError(Problem("unsupported", ("NumberOfFrames",), message), path=str(path))
        if groups is None:
            found.append(plane)
            continue
        if len(groups) != frames:
            raise plane.error("PerFrameFunctionalGroupsSequence", f"has {len(groups)} items for {frames} frames")
        shared = tuple(plane.get("SharedFunctionalGroupsSequence") or ())
        found += [Plane(path, dataset, (group, *shared)) for group in groups]
    return found
