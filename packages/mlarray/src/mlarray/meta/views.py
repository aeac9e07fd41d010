"""The views of the maps of a header: an attribute per key of the format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlarray.header.check_axes import TYPES
from mlarray.header.check_spaces import OPPOSITES
from mlarray.header.check_values import KINDS, LAYOUTS
from mlarray.layout.compression import from_document
from mlarray.meta.fields import Field, View

if TYPE_CHECKING:
    import blosc2


class Axis(View):
    """One axis of the array, C order: a name, a type, labels, and the sampling of an axis that is no space axis."""

    name = Field("Unique among the axes; it says nothing about direction.")
    type = Field("space, time, channel, component or other; absent, space where a space uses the axis.", words=TYPES)
    labels = Field("One text per index.")
    start = Field("The coordinate of index 0; that of index i is start + i * step.")
    step = Field("The coordinate's growth per index. Setting it takes `coordinates` away.")
    coordinates = Field("One coordinate per index. Setting them takes `start` and `step` away.")
    unit = Field("Of the coordinates: a listed name, which brings its code, or free text.")
    unit_code = Field("The code of the unit in UCUM; a listed one brings the name.")

    def _absent(self, field: Field) -> Any:
        return self._meta.axis_types[int(self._place[1])] if field.key == "type" else super()._absent(field)


class SpaceAxis(View):
    """One axis of a space: a name, a unit, and the direction in which its coordinate grows."""

    name = Field("Unique within the space.")
    unit = Field("Of the coordinates: a listed name, which brings its code, or free text.")
    unit_code = Field("The code of the unit in UCUM; a listed one brings the name.")
    increases_toward = Field(f"One of {', '.join(OPPOSITES)}.", words=tuple(OPPOSITES))


class Reference(View):
    """The physical frame that a space is: two spaces are one frame where scheme and id agree."""

    scheme = Field("What kind of id it is, such as dicom_frame_of_reference.")
    id = Field("The frame.")


class FromArray(View):
    """The map from array indices (of voxel centres) to a space: a matrix, or a scale and a translation."""

    array_axes = Field("The array axes that it uses; the matrix has a column per entry, in this order.")
    matrix = Field("A row per axis of the space and [0, …, 0, 1]. Setting it takes `scale` and `translation` away.")
    scale = Field("One number per array axis, of a grid along the axes. Setting it takes `matrix` away.")
    translation = Field("The coordinates of index 0, beside `scale`.")


class Space(View):
    """A named coordinate system, and where the array lies in it."""

    name = Field("Unique among the spaces.")
    reference = Field("The physical frame that it is, if that is known.", view=Reference)
    axes = Field("Its axes.", view=SpaceAxis, several=True)
    from_array = Field("The map from array indices to it.", view=FromArray)


class Values(View):
    """What the stored numbers mean."""

    kind = Field("measurement, label, instance, probability, vector or other.", default="measurement", words=KINDS)
    unit = Field("Of the physical values: a listed name, which brings its code, or free text.")
    unit_code = Field("The code of the unit in UCUM; a listed one brings the name.")
    scale = Field("The physical value is scale * stored + offset.", default=1)
    offset = Field("The physical value is scale * stored + offset.", default=0)
    fill = Field("The stored value that means that there is no data.")
    labels = Field("Per label value, as decimal text, a map of name, color and code; whole numbers may be assigned.")
    label_layout = Field("index: a label per element; channel: a channel per label.", words=LAYOUTS)


class Statistics(View):
    """Statistics of the stored values."""

    _optional = True

    min = Field("The smallest value.")
    max = Field("The largest value.")
    mean = Field("The mean.")
    median = Field("The median.")
    standard_deviation = Field("The standard deviation, at least 0.")
    percentiles = Field('Values by percentage, as text: {"99.5": 1500}.')


class Box(View):
    """One box."""

    min = Field("The lower corner, a number per axis of the boxes.")
    max = Field("The upper corner; in frame index it lies behind the box, as in array[min:max].")
    label = Field("A whole number or text.")
    score = Field("A number.")


class Boxes(View):
    """Boxes, over array indices or in a space."""

    frame = Field("index: bounds are of array indices, half-open; or a space's name: closed bounds of coordinates.")
    axes = Field("Which axes of the frame the bounds are of, in their order.")
    # A mapping's own `items` would hide the key of that name.
    items = Field("The boxes; a list of maps may be assigned.", view=Box, several=True)


class MlProfile(View):
    """The profile ml: what training needs to know of an array."""

    _optional = True

    profile_version = Field("1.0; filled in.")
    statistics = Field("Of the stored values.", view=Statistics)
    boxes = Field("Boxes of objects.", view=Boxes)
    patch_size = Field("The size of patches that is meant for the array.")
    split = Field("Which part of a data set it is in, such as train.")


class MedicalProfile(View):
    """The profile medical: curated metadata where there is no DICOM source, or other values on purpose."""

    _optional = True

    profile_version = Field("1.0; filled in.")
    dicom = Field('Values by DICOM keyword: {"Modality": "MR"}.')


class Profiles(View):
    """Metadata of domains; those of third parties are items under their reverse-domain name, kept as they are."""

    _optional = True

    ml = Field("What training needs to know of the array; empty where there is none.", view=MlProfile)
    medical = Field("Curated medical metadata; empty where there is none.", view=MedicalProfile)


class HistoryEntry(View):
    """One thing that was done; entries are only ever added."""

    action = Field("created, converted, derived, modified, exported or another.")
    tool = Field("The software that did it.")
    time = Field("When, with a zone: 2026-11-06T10:12:00Z.")
    from_ = Field("The format that it was converted from; ``from`` in the file.", key="from")
    warnings = Field("What was odd.")


class RecordedCompression(View):
    """How the array was compressed, in the words of blosc2."""

    codec = Field("Such as LZ4.")
    level = Field("From 0 to 9.")
    filters = Field("In the order in which they are applied, without empty slots.")
    filters_meta = Field("A number per filter, where they are not 0.")


class Storage(View):
    """How the array was last cut and compressed: portable settings alone."""

    _optional = True

    chunk_size = Field("The size of a chunk, per array axis.")
    block_size = Field("The size of a block, per array axis.")
    patch_size = Field("The size of patches that it was cut for, per axis of type space.")
    compression = Field("The settings of blosc2 that matter elsewhere too.", view=RecordedCompression)

    def to_cparams(self, *, nthreads: int = 1) -> blosc2.CParams:
        """Return the recorded compression as blosc2.CParams; the library's default where none is recorded.

        Raises
        ------
        ArgumentError
            blosc2 does not know the codec or a filter.
        FormatError
            What is recorded breaks a rule.

        Examples
        --------
        >>> from mlarray import Meta
        >>> compression = {"codec": "ZSTD", "level": 3, "filters": ["BITSHUFFLE"]}
        >>> meta = Meta.from_dict({"axes": [{}], "storage": {"compression": compression}})
        >>> meta.storage.to_cparams().codec.name
        'ZSTD'
        """
        self._meta.usable((*self._place, "compression"))
        return from_document(self._plain().get("compression")).to_cparams(nthreads=nthreads)
