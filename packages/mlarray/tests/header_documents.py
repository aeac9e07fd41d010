"""Headers to start from: the one of the documentation, one that has every key, any valid one; and what breaks them."""

import copy
import json
from importlib.resources import files

import numpy as np
from hypothesis import strategies as st

SHAPE, DTYPE = (7, 5, 4, 3, 2), np.dtype("int16")
NAN, INFINITY = float("nan"), float("inf")

SEED_SHAPE = (40, 512, 480)
SEED = {
    "version": "1.0",
    "writer": "mlarray 1.0.0",
    "axes": [{"name": name, "type": "space"} for name in "zyx"],
    "spaces": [
        {
            "name": "patient",
            "reference": {"scheme": "dicom_frame_of_reference", "id": "1.2.826.0.1.3680043.8.498.1"},
            "axes": [
                {"name": "x", "unit": "millimeter", "unit_code": "mm", "increases_toward": "left"},
                {"name": "y", "unit": "millimeter", "unit_code": "mm", "increases_toward": "posterior"},
                {"name": "z", "unit": "millimeter", "unit_code": "mm", "increases_toward": "superior"},
            ],
            "from_array": {
                "array_axes": ["z", "y", "x"],
                "matrix": [
                    [0.0, 0.0, 0.7, -170.1],
                    [0.0, 0.7, 0.0, -201.3],
                    [-2.5, 0.0, 0.0, -87.0],
                    [0.0, 0.0, 0.0, 1.0],
                ],
            },
        }
    ],
    "values": {"kind": "measurement", "unit": "hounsfield_unit", "unit_code": "[hnsf'U]"},
    "storage": {
        "chunk_size": [1, 256, 256],
        "block_size": [1, 64, 64],
        "patch_size": [128, 128, 128],
        "compression": {"codec": "LZ4HC", "level": 5, "filters": ["SHUFFLE"]},
    },
}

# Axes c, t, z, y, x of the sizes 7, 5, 4, 3, 2; every key of the format stands somewhere.
EVERY = {
    "version": "1.0",
    "writer": "mlarray 1.0.0",
    "axes": [
        {"name": "c", "type": "channel", "labels": ["a", "b", "", "d", "e", "f", "g"]},
        {"name": "t", "type": "time", "start": 2, "step": 0.5, "unit": "second", "unit_code": "s"},
        {"name": "z", "type": "space"},
        {"name": "y", "type": "space"},
        {"name": "x", "type": "space"},
    ],
    "spaces": [
        {
            "name": "patient",
            "reference": {"scheme": "frames", "id": "7"},
            "axes": [
                {"name": "x", "unit": "millimeter", "unit_code": "mm", "increases_toward": "left"},
                {"name": "y", "unit": "micrometer", "unit_code": "um", "increases_toward": "posterior"},
            ],
            "from_array": {"array_axes": ["y", "x"], "matrix": [[0.0, 0.75, 3], [-0.5, 0.25, 5.5], [0, 0, 1]]},
        },
        {
            "name": "stage",
            "axes": [{"name": "z"}, {"name": "y"}, {"name": "x"}],
            "from_array": {"array_axes": ["x", "z", "y"], "scale": [0.5, -2, 3], "translation": [4, 0, -1.5]},
        },
    ],
    "values": {
        "kind": "label",
        "unit": "counts",
        "unit_code": "{counts}",
        "scale": 2,
        "offset": -0.5,
        "fill": -1,
        "labels": {
            "0": {"name": "", "color": "#00aaFF"},
            "6": {"name": "six", "color": "#00aaFF80", "code": {"scheme": "SCT", "value": "12", "meaning": "six"}},
        },
        "label_layout": "channel",
    },
    "profiles": {
        "ml": {
            "profile_version": "1.0",
            "statistics": {
                "min": -3, "max": 9.5, "mean": 2, "median": 1.5, "standard_deviation": 0,
                "percentiles": {"0": -3, "99.5": 9, "100.0": 9.5},
            },
            "boxes": {
                "frame": "index",
                "axes": ["x", "z"],
                "items": [
                    {"min": [0, 0.5], "max": [2, 4], "label": 3, "score": 0.75},
                    {"min": [1, 1], "max": [1, 2], "label": "three"},
                ],
            },
            "patch_size": [4, 3, 2],
            "split": "train",
        },
        "medical": {"profile_version": "1.0", "dicom": {"Modality": "MR", "EchoTime": 2.5, "Rows": [1, None, b"x"]}},
        "org_example_cryoem": {"dose": NAN},
    },
    "history": [
        {"action": "converted", "tool": "a 1", "time": "2026-11-06T10:12:00Z", "from": "nifti", "warnings": ["odd"]},
        {"action": "modified", "time": "2026-11-06T10:12:00.25-05:30"},
    ],
    "storage": {
        "chunk_size": [1, 5, 4, 3, 2],
        "block_size": [1, 1, 2, 3, 2],
        "patch_size": [4, 3, 2],
        "compression": {"codec": "ZSTD", "level": 9, "filters": ["BITSHUFFLE", "DELTA"], "filters_meta": [0, 255]},
    },
}  # fmt: skip

# What EVERY cannot hold beside the rest: coordinates in place of a step, a unit of values without labels.
SECOND = {
    **EVERY,
    "axes": [EVERY["axes"][0], {"name": "t", "coordinates": [0, 1, 2.5, 4, 8], "unit": "second"}, *EVERY["axes"][2:]],
    "values": {"kind": "measurement", "unit": "kelvin", "fill": True},
    "profiles": {
        "ml": {
            "profile_version": "1.7",
            "boxes": {"frame": "stage", "axes": ["z"], "items": [{"min": [-1e9], "max": [1e9]}]},
        },
        "medical": {"profile_version": "1.3"},
    },
}

SOURCE = {
    "source": [
        {
            "format": "nifti",
            "files": [{"name": "a.nii.gz", "bytes": 416, "sha256": "0f" * 32}],
            "reader": "nibabel 5.4.2",
            "index_map": {"axes": [2, 0, 1], "flip": [False, True, False]},
            "fingerprint": {
                "shape": [2, 3, 4],
                "dtype": "<i2",
                "geometry": "sha256:" + "a1" * 32,
                "data": "sha256:" + "b2" * 32,
            },
            "header": {"fields": {"descrip": "x"}, "raw": b"\x00\x01"},
        }
    ]
}

SCHEMAS = {
    path.name: json.loads(path.read_text("utf-8"))
    for path in files("mlarray").joinpath("schemas").iterdir()
    if path.name.endswith(".json")
}

ODD = (
    None, True, 0, 1.0, -1, 1.5, 2**64 - 1, NAN, "", "a", "a\n", "index", "1.0", "\u0663", b"a", [], [1, 2],
    ["a", "a"], {}, {"name": 1},
)  # fmt: skip
"""Values to put in the place of others, of every type."""


def changed(document, *places):
    """A copy of a document with other values at some places: (path, value) each; MISSING takes the key away."""
    made = copy.deepcopy(document)
    for path, value in places:
        *above, last = path.split("/") if isinstance(path, str) else path
        owner = made
        for part in above:
            owner = owner[int(part) if isinstance(owner, list) else part]
        last = int(last) if isinstance(owner, list) else last
        if value is MISSING:
            del owner[last]
        elif isinstance(owner, list) and last == len(owner):
            owner.append(value)
        else:
            owner[last] = value
    return made


MISSING = object()


def paths(document, at=()):
    """The path to everything in a document, itself without."""
    pairs = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in pairs:
        yield (*at, key)
        yield from paths(value, (*at, key))


def mutations(document, below=""):
    """What to change, for `changed`: each value below a path taken away, or one of ODD in its place; a key more."""
    for path in paths(document):
        if "/".join(map(str, path)).startswith(below):
            yield from ((path, value) for value in (MISSING, *ODD))
    for path in ((), *paths(document)):
        found = document
        for part in path:
            found = found[part]
        if isinstance(found, dict):
            yield (*path, "org_example"), {"deep": [1, None]}


NAMES = ("z", "y", "x", "t", "c", "u", "v", "w")
PAIRS = (("left", "right"), ("posterior", "anterior"), ("superior", "inferior"), ("east", "west"), ("up", "down"))
FINITE = st.one_of(
    st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0, -1, 2.5])
)
NONZERO = FINITE.filter(lambda value: value != 0)
UNITS = st.sampled_from(
    [
        {},
        {"unit": "millimeter"},
        {"unit_code": "mm"},
        {"unit": "kelvin", "unit_code": "K"},
        {"unit": "furlong"},
        {"unit": "furlong", "unit_code": "[fur_us]"},
        {"unit_code": "[fur_us]"},
    ]
)
PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), FINITE, st.floats(), st.text(max_size=3), st.binary(max_size=3)),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(st.text(max_size=3), below, max_size=3)),
    max_leaves=6,
)


def some(draw, found, **optional):
    """A map with some more keys, each drawn or left out."""
    for key, strategy in optional.items():
        if draw(st.booleans()):
            found[key] = draw(strategy)
    if draw(st.integers(0, 9)) == 0:
        found["org_example"] = draw(PLAIN)
    return found


@st.composite
def axes(draw, shape, used):
    found = []
    for position, size in enumerate(shape):
        axis = {"name": NAMES[position]}
        if position in used:
            found.append(some(draw, axis, type=st.just("space")))
            continue
        kind = draw(st.sampled_from([None, "time", "channel", "component", "other"]))
        axis |= {} if kind is None else {"type": kind}
        sampling = draw(st.sampled_from(["none", "step", "coordinates"]))
        if sampling == "step":
            axis = some(draw, axis | {"step": draw(NONZERO)}, start=FINITE)
        elif sampling == "coordinates":
            axis["coordinates"] = draw(st.lists(FINITE, min_size=size, max_size=size))
        axis |= draw(UNITS)
        found.append(some(draw, axis, labels=st.lists(st.text(max_size=3), min_size=size, max_size=size)))
    return found


@st.composite
def space(draw, name, used):
    """A space over the axes at some positions: a scale, or a matrix with as many rows or one more."""
    array_axes = [NAMES[position] for position in draw(st.permutations(used))]
    count = len(array_axes)
    rows = count + draw(st.integers(0, 1))
    words = [draw(st.sampled_from(pair)) for pair in draw(st.permutations(PAIRS))]
    space_axes = []
    for row in range(rows):
        axis = {"name": f"s{row}"} | draw(UNITS)
        space_axes.append(some(draw, axis, increases_toward=st.just(words[row % len(words)])) if row < 5 else axis)
    numbers = st.lists(FINITE, min_size=count, max_size=count)
    if rows == count and draw(st.booleans()):
        scale = draw(st.lists(NONZERO, min_size=count, max_size=count))
        from_array = some(draw, {"array_axes": array_axes, "scale": scale}, translation=numbers)
    else:
        # Triangular with a diagonal of 1 to 4 and small numbers above it: far from singular.
        matrix = [
            [draw(st.sampled_from([1, 2.5, -4])) if row == column else 0 for column in range(count)] + [draw(FINITE)]
            for row in range(rows)
        ]
        from_array = {"array_axes": array_axes, "matrix": [*matrix, [0] * count + [draw(st.sampled_from([1, 1.0]))]]}
    reference = st.builds(lambda a, b: {"scheme": a, "id": b}, st.text(min_size=1, max_size=3), st.just("1.2"))
    return some(draw, {"name": name, "axes": space_axes, "from_array": from_array}, reference=reference)


@st.composite
def documents(draw):
    """A valid header, and the shape of its array; of int16, so that every number fits that `fill` may be."""
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=5)))
    ndim = len(shape)
    used = sorted(draw(st.sets(st.integers(0, ndim - 1), max_size=3))) if ndim else []
    document = {"version": draw(st.sampled_from(["1.0", "1.0", "1.12"])), "axes": draw(axes(shape, used))}
    if used:
        document["spaces"] = [draw(space(name, used)) for name in draw(st.sampled_from([["a"], ["a", "b"]]))]
    kind = draw(st.sampled_from([None, "measurement", "label", "instance", "probability", "other"]))
    values = {} if kind is None else {"kind": kind}
    values |= draw(UNITS)
    values = some(draw, values, scale=NONZERO, offset=FINITE, fill=st.sampled_from([-5, 7.0, True]))
    if kind in {"label", "instance", "probability"}:
        label = st.builds(lambda name: {"name": name, "color": "#0fA034"}, st.text(max_size=3))
        values = some(draw, values, labels=st.dictionaries(st.integers(-99, 99).map(str), label, max_size=3))
    statistics = st.fixed_dictionaries({}, optional={"min": FINITE, "mean": FINITE, "percentiles": st.just({"5": 1})})
    ml = some(
        draw, {"profile_version": "1.0"}, statistics=statistics, patch_size=st.just([2, 3]), split=st.just("test")
    )
    entry = st.fixed_dictionaries({"action": st.text(min_size=1, max_size=3)}, optional={"tool": st.text(max_size=3)})
    sizes = st.lists(st.integers(0, 9), min_size=ndim, max_size=ndim)
    storage = some(draw, {}, chunk_size=sizes, block_size=sizes)
    profiles = st.sampled_from([{"ml": ml}, {"org_x": {"ml": 1}}, {"medical": {"profile_version": "2.0", "dicom": 7}}])
    return some(
        draw, document, writer=st.text(max_size=3), values=st.just(values), profiles=profiles,
        history=st.lists(entry, max_size=2), storage=st.just(storage),
    ), shape  # fmt: skip
