from miao.geometry.levels import choose_level, extent_size
from miao.geometry.pinned import pinned_index
from miao.geometry.resample_map import label_indices, linear_taps, nearest_indices
from miao.geometry.windows import (
    bbox,
    centre_range,
    clipped,
    geometry_of,
    place,
    scale_of,
    start_of,
    window_range,
)
from miao.records import LevelInfo, PyramidInfo, ScalePlan, VolumeInfo


def floats(values, factor=1):
    return tuple(value / factor for value in values)


def one_level(name, given, factor=1):
    shape, translation = tuple(given["shape"]), given.get("translation")
    return LevelInfo(
        name=name,
        path=name,
        shape=shape,
        voxel=floats(given["voxel"], factor),
        translation=None if translation is None else floats(translation, factor),
        chunk=shape,
        dtype="uint8",
    )


def pyramid(given, what):
    if what not in given:
        return None
    factor = given.get("exp_factor", 1)
    levels = tuple(one_level(f"{what}/{index}", raw, factor) for index, raw in enumerate(given[what]))
    return PyramidInfo(what, levels, given["axes"])


def volume_of(given):
    box = given.get("bounding_box")
    return VolumeInfo(
        name=given["name"],
        image=pyramid(given, "image"),
        patch=tuple(given["patch"]),
        resolutions=(),
        label=pyramid(given, "label"),
        bounding_box=None if box is None else tuple(tuple(span) for span in box),
        label_fill=given.get("label_fill"),
    )


def scales_of(given, volume):
    how = (given.get("policy", "strict"), given.get("label_sampling", "index"))
    return [scale_of(volume, floats(resolution), *how) for resolution in given["resolutions"]]


def level(given):
    levels = [LevelInfo("", "", (), floats(voxel), None, (), "uint8") for voxel in given["voxels"]]
    return choose_level(levels, floats(given["resolution"]), given.get("policy", "strict"))


def windows(given):
    volume = volume_of(given["volume"])
    geometry, centre = geometry_of(volume), tuple(given["centre"])
    plans = []
    for scale in scales_of(given, volume):
        start = start_of(geometry, volume, scale, centre)
        start = clipped(volume, scale, start, geometry) if given.get("clip", False) else start
        plans.append(place(geometry, volume, scale, start))
    mode, anchor = given.get("bbox_mode", "absolute"), given.get("bbox_anchor", "centre")
    answers = []
    for plan in plans:
        answer = {"level": plan.scale.level, "start": plan.start, "size": plan.scale.size}
        if volume.label is not None:
            answer["label_level"] = plan.scale.label_level
            answer["label_start"], answer["label_size"] = plan.label_start, plan.scale.label_size
            if plan.scale.by_position:
                answer["label_voxels"] = label_indices(geometry, volume, plan)
        answer["bbox"] = bbox(geometry, volume, plan, mode=mode, anchor=anchor, reference=plans[0])
        answers.append(answer)
    return answers


def centres(given):
    volume = volume_of(given["volume"])
    clamp = given.get("clamp", False)
    return centre_range(geometry_of(volume), volume, scales_of(given, volume), clamp=clamp)


def covering(given):
    volume = volume_of(given["volume"])
    before, scale = (scale_of(volume, floats(given[name])) for name in ("previous", "resolution"))
    return window_range(geometry_of(volume), volume, scale, ScalePlan(before, tuple(given["start"])))


def profile(given):
    values, count = given["values"], given["count"]
    taps = linear_taps(len(values), count)
    pairs = zip(taps.lower, taps.upper, taps.weight, strict=True)
    return {
        "positions": [low + weight for low, weight in zip(taps.lower, taps.weight, strict=True)],
        "values": [values[low] * (1 - weight) + values[high] * weight for low, high, weight in pairs],
        "nearest": nearest_indices(len(values), count),
    }


OPS = {
    "loader.level": level,
    "loader.extent_size": lambda given: extent_size(
        tuple(given["patch"]), floats(given["resolution"]), floats(given["voxel"])
    ),
    "loader.windows": windows,
    "loader.centres": centres,
    "loader.window_range": covering,
    "loader.pinned": lambda given: pinned_index(given["index"], given["voxel"], given["level_voxel"]),
    "loader.profile": profile,
}
