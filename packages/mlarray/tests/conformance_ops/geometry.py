import numpy as np

from mlarray import MLArray
from mlarray.geometry import derive, fingerprint, index_map
from mlarray.geometry.patch import plan_patch
from mlarray.geometry.sampling import axis_coordinates
from mlarray.header.parse import filled

SAID = ("axes", "space", "spacing", "origin", "direction", "matrix")
"""What the constructor is told."""


def placed(given):
    """An array of one voxel with the axes and spaces that are given."""
    return MLArray(
        np.zeros((1,) * len(given["axes"]), "u1"), axes=given["axes"], spaces=given["spaces"], compressed=False
    )


def derived(given):
    name = given.get("space")
    array = placed(given)
    matrix = array.matrix(name)
    if matrix is None:
        return None
    if name is None:
        spacing, origin, direction = array.spacing, array.origin, array.direction
    else:
        position = [space["name"] for space in given["spaces"]].index(name)
        derive.refuse_mixed_units(array.meta.to_dict()["spaces"][position], ("spaces", position, "axes"))
        spacing, origin, direction = derive.spacing(matrix), derive.origin(matrix), derive.direction(matrix)
    return {
        "matrix": matrix,
        "spacing": spacing,
        "origin": origin,
        "direction": direction,
        "letter_codes": array.letter_codes(name),
    }


def composed(given):
    said = {key: given[key] for key in SAID if key in given}
    document = MLArray(np.zeros((1,) * given["ndim"], "u1"), **said, compressed=False).meta.to_dict()
    return {"axes": document["axes"], "spaces": document.get("spaces", [])}


def changed(given):
    array = placed(given)
    for key, name in (("spacing", "spacing"), ("origin", "origin"), ("direction", "direction"), ("matrix", "affine")):
        if key in given:
            setattr(array, name, given[key])
    return array.meta.to_dict()["spaces"]


def geometry_hash(given):
    document = filled({"version": "1.0", **given})
    names = [axis["name"] for axis in document["axes"]]
    return fingerprint.geometry_hash(next(iter(document["spaces"]), None), names)


def plan(given):
    found = plan_patch(given["start"], given["size"], given["shape"])
    box = None if found.empty else {"begin": found.begin, "end": found.end, "into": found.into}
    return {"box": box, "pads": found.pads}


def read_patch(given):
    values = {"fill": given["fill"]} if "fill" in given else None
    array = MLArray(given["array"].as_numpy(), values=values, compressed=False)
    return array.read_patch(given["start"], given["size"], pad_value=given.get("pad_value"))


OPS = {
    "mlarray.geometry.derive": derived,
    "mlarray.geometry.to_space": lambda given: (
        placed(given).index_to_space(given["index"], given.get("space")).tolist()
    ),
    "mlarray.geometry.to_index": lambda given: (
        placed(given).space_to_index(given["coord"], given.get("space")).tolist()
    ),
    "mlarray.geometry.compose": composed,
    "mlarray.geometry.change": changed,
    "mlarray.axes.compose": lambda given: composed(given)["axes"],
    "mlarray.axis.coordinates": lambda given: axis_coordinates(given["axis"], given["size"]),
    "mlarray.fingerprint.data": lambda given: MLArray(given["array"].as_numpy(), compressed=False).fingerprint(),
    "mlarray.fingerprint.geometry": geometry_hash,
    "mlarray.index_map.apply": lambda given: index_map.apply(given["index_map"], given["array"].as_numpy()),
    "mlarray.index_map.invert": lambda given: index_map.invert(given["index_map"], given["array"].as_numpy()),
    "mlarray.patch.plan": plan,
    "mlarray.patch.read": read_patch,
}
