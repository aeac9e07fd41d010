from worldarray import geometry
from worldarray.box import Box


def rendered(box):
    return {"begin": box.begin, "end": box.end}


def box_of(given):
    return Box(given["begin"], given["end"])


def index_range(given):
    begin, end = geometry.index_range(**given)
    return {"begin": begin, "end": end}


def facts(given):
    box = box_of(given["box"])
    return {"shape": box.shape, "centre": box.centre, "empty": box.empty}


def intersect(given):
    found = box_of(given["box"]).intersect(box_of(given["other"]))
    return None if found.empty else rendered(found)


def contains(given):
    other = given["point"] if "point" in given else box_of(given["other"])
    return box_of(given["box"]).contains(other)


def on_box(name):
    """Call a method of `box` with the other fields and render the box that comes back."""

    def call(given):
        fields = {key: box_of(value) if key == "other" else value for key, value in given.items() if key != "box"}
        return rendered(getattr(box_of(given["box"]), name)(**fields))

    return call


OPS = {
    "geometry.snap": lambda given: geometry.snap_integral(given["value"]),
    "geometry.index_range": index_range,
    "geometry.alignment": lambda given: geometry.alignment(**given),
    "geometry.corner_to_centre": lambda given: geometry.corner_to_centre(**given),
    "geometry.box.facts": facts,
    "geometry.box.intersect": intersect,
    "geometry.box.union": on_box("union"),
    "geometry.box.contains": contains,
    "geometry.box.grow": on_box("grow"),
    "geometry.box.shift": on_box("shift"),
    "geometry.box.snap": on_box("snap"),
    "geometry.box.from_index": lambda given: rendered(Box.from_index(**given)),
}
