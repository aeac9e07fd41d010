import json

from worldarray.axes import default_axes
from worldarray.chunks import chunk_indices
from worldarray.describing.describe import describe_array
from worldarray.documents.source import MappingSource
from worldarray.errors import WorldArrayError, problem
from worldarray.paths import parse_path
from worldarray_conformance import Answer, store_bytes
from worldarray_write.datasets import GroupLevel
from worldarray_write.differences import differences, storage_notices
from worldarray_write.documents import array_documents
from worldarray_write.groups import GROUP_KEYS, group_of
from worldarray_write.layout import Storing, Wanted, validate
from worldarray_write.merge import merged_group
from worldarray_write.multiscales import axis_names, axis_units, ome_multiscales, types_of
from worldarray_write.placement import level_placement, level_shape
from worldarray_write.write_plan import Target, check_aligned, check_box

STORING = ("separator", "encoding", "order", "index_location")


def parsed(documents):
    return {key: json.loads(data) for key, data in documents.items()}


def multiscales(given):
    levels = [(level["name"], level["voxel_size"], level["translation"]) for level in given.pop("levels")]
    return ome_multiscales(levels=levels, **given)


def placement(given):
    voxel_size, translation = level_placement(**given)
    return {"voxel_size": voxel_size, "translation": translation}


def planned(given):
    storing = Storing(**{key: given.pop(key) for key in STORING if key in given})
    return validate(Wanted(**given, storing=storing))


def array_document(given):
    return parsed(array_documents(planned(given).layout))


def compared(given):
    found = describe_array(MappingSource(store_bytes(given["store"])), parse_path(given["path"]))
    wanted = planned(given["wanted"])
    return Answer([row._asdict() for row in differences(found, wanted)], storage_notices(found, wanted))


def merge(given):
    where = given["path"]
    store = store_bytes(given["store"])
    existing = {key: store[f"{where}/{key}"] for key in GROUP_KEYS if f"{where}/{key}" in store}
    names = axis_names(given["axes"])
    types = types_of(names, given.get("axis_types"))
    level = GroupLevel(
        given["name"],
        tuple(map(float, given["voxel_size"])),
        tuple(map(float, given["translation"])),
        names,
        axis_units(names, given["units"], types),
        types,
    )
    options = {key: given[key] for key in ("format", "group_attrs") if key in given}
    return Answer(parsed(merged_group(existing, level, where, **options)), group_of(existing, where).notices)


def plan(given):
    shape, unit = tuple(given["shape"]), tuple(given["unit"])
    names = tuple(given.get("axes") or default_axes(len(shape)))
    pins = tuple((names.index(name), index) for name, index in given.get("select", {}).items())
    target = Target("array", names, shape, unit, pins)
    begin, end = tuple(given["begin"]), tuple(given["end"])
    try:
        check_box(target, begin, end)
        if not given.get("partial", False):
            check_aligned(target, begin, end)
    except WorldArrayError as error:  # of a case, `at` begins with the field
        raise type(error)(*(problem(found.code, found.at[1:], found.message) for found in error.problems)) from error
    lows, highs = dict(pins), {axis: index + 1 for axis, index in pins}
    lows.update(zip(target.kept, begin, strict=True))
    highs.update(zip(target.kept, end, strict=True))
    axes = range(len(shape))
    return list(chunk_indices([lows[i] for i in axes], [highs[i] for i in axes], unit, shape))


OPS = {
    "write.multiscales": multiscales,
    "write.level_placement": placement,
    "write.level_shape": lambda given: level_shape(**given),
    "write.array_document": array_document,
    "write.differences": compared,
    "write.merge": merge,
    "write.plan": plan,
}
