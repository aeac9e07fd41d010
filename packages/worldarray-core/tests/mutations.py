"""Small valid stores of every dialect on disk, and random JSON put at random places of their documents."""

import json
from pathlib import Path

import stores
import volumes

NM = {"space": "nanometer", "time": "second"}
WORDS = (
    "", ".", "/", "0", "nm", "um", "NaN", "Infinity", "-1", "zyx", "x", "z", "t", "c", "space", "time", "scale",
    "translation", "sequence", "identity", "affine", "F", "C", "<u2", ">f8", "|b1", "|S4", "|V8", "<U3", "<M8[ns]",
    "uint8", "float16", "bfloat16", "int4", "complex64", "r16", "string", "float8_e4m3fn", "zstd", "gzip", "blosc",
    "bz2", "raw", "jpeg", "png", "compressed_segmentation", "crc32c", "transpose", "bytes", "sharding_indexed",
    "default", "v2", "regular", "group", "array", "../s0", "s1/../s0", "/s0", "s0/s0", "a" * 300, "\ud800", "é\0",
    "neuroglancer_uint64_sharded_v1", "murmurhash3_x86_128", "identity", "end", "start", "big", "little",
    "multiscales", "0.4", "0.5", "0.6", "1 nm", "-4 um", "degrees_north", "second", "pixel", "A1", "0x00",
)  # fmt: skip
NUMBERS = (
    0, 1, 2, 3, 5, 7, 64, -1, -3, 2**16, 2**31 - 1, 2**31, 2**32, 2**40, 2**53, 2**62, 2**63 - 1, 2**63, 2**64,
    -(2**63), 10**30, -(10**400), 0.0, -0.0, 0.5, 1.0, 1.5, 2.0000001, -1.5, 1e-320, 1e-300, 1e300, 1e308, float("nan"),
    float("inf"), float("-inf"),
)  # fmt: skip
OME_06 = {
    "zarr_format": 3,
    "node_type": "group",
    "attributes": {
        "ome": {
            "version": "0.6",
            "multiscales": [
                {
                    "coordinateSystems": [
                        {
                            "name": "physical",
                            "axes": [
                                {"name": "y", "type": "space", "unit": "nanometer"},
                                {"name": "x", "type": "space", "unit": "nanometer"},
                            ],
                        }
                    ],
                    "datasets": [
                        {
                            "path": "s0",
                            "coordinateTransformations": [
                                {
                                    "type": "sequence",
                                    "input": "s0",
                                    "output": "physical",
                                    "transformations": [
                                        {"type": "scale", "scale": [8, 4]},
                                        {"type": "translation", "translation": [4, 2]},
                                    ],
                                }
                            ],
                        }
                    ],
                }
            ],
        }
    },
}


def write_all(folder: Path) -> dict[str, list[str]]:
    """Write one store per dialect; return the documents of each, relative to the folder."""
    for kind in volumes.KINDS:
        volumes.write(folder / kind, kind)
    volumes.write(
        folder / "zarr2-blosc", "zarr2", {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
    )
    volumes.write(folder / "zarr3-gzip", "zarr3", {"name": "gzip", "configuration": {"level": 1}})
    volumes.write(folder / "n5-gzip", "n5", {"type": "gzip", "level": 1})
    data = stores.coded(4, 6)
    stores.zarr3(folder / "ome-0.6" / "s0", data, (2, 3))
    volumes.dump(folder / "ome-0.6" / "zarr.json", OME_06)
    funlib = {"voxel_size": [8, 4], "offset": [16, 8], "units": ["nm", "nm"], "axis_names": ["y", "x"]}
    stores.zarr2(folder / "funlib-zarr2" / "s0", data, (2, 3), funlib, order="F")
    stores.zarr3(folder / "funlib-zarr3" / "s0", data, (2, 3), ["y", "x"], {**funlib, "types": ["space", "space"]})
    cosem = {"axes": ["y", "x"], "scale": [8.0, 4.0], "translate": [4.0, 2.0], "units": ["nm", "nm"], "order": "C"}
    stores.zarr2(folder / "cosem" / "s0", data, (2, 3), {"transform": cosem, "pixelResolution": [4, 8]})
    stores.zarr3(folder / "units" / "s0", data, (2, 3), ["y", "x"], {"dimension_units": ["8 nm", "4nm"]})
    xarray = {"_ARRAY_DIMENSIONS": ["lat", "lon"], "scale_factor": 0.5, "_FillValue": 7}
    stores.zarr2(folder / "xarray" / "s0", data, (2, 3), xarray)
    stores.placed(
        folder / "channels", stores.coded(2, 3, 4, 5), (1, 30, 8, 4), (0, 100, 20, 6), stores.CZYX, (1, 2, 2, 3)
    )
    n5 = json.loads((folder / "n5" / "s0" / "attributes.json").read_text(encoding="utf-8"))
    volumes.write(folder / "cosem-n5", "n5")
    multiscales = [{"datasets": [{"path": "s0", "transform": {**cosem, "axes": ["z", *"yx"], "scale": [1, 8, 4]}}]}]
    volumes.dump(folder / "cosem-n5" / "attributes.json", {"multiscales": multiscales})
    volumes.dump(
        folder / "cosem-n5" / "s0" / "attributes.json", {**n5, "resolution": [4, 8, 40], "axes": ["x", "y", "z"]}
    )
    return {
        store.name: sorted(
            path.relative_to(folder).as_posix()
            for path in store.rglob("*")
            if path.is_file() and path.name in {".zarray", ".zattrs", ".zgroup", "zarr.json", "info", "attributes.json"}
        )
        for store in sorted(folder.iterdir())
    }


def places(document):
    """The path to every part of a document, the document itself first."""
    found, pending = [], [((), document)]
    while pending:
        path, value = pending.pop()
        found.append(path)
        if isinstance(value, dict):
            pending += [((*path, key), entry) for key, entry in value.items()]
        elif isinstance(value, list):
            pending += [((*path, index), entry) for index, entry in enumerate(value)]
    return found


def part(document, path):
    """The part of a document at a path."""
    for step in path:
        document = document[step]
    return document


def random_json(rng, depth=3):
    """A JSON value: words and numbers that mean something somewhere, and nests of them."""
    choice = rng.randrange(8 if depth else 5)
    if choice == 0:
        return rng.choice([None, True, False, [], {}])
    if choice in (1, 2):
        return rng.choice(NUMBERS)
    if choice in (3, 4):
        return rng.choice(WORDS)
    if choice in (5, 6):
        return [random_json(rng, depth - 1) for _ in range(rng.randrange(5))]
    return {rng.choice(WORDS): random_json(rng, depth - 1) for _ in range(rng.randrange(4))}


def mutated(rng, document):
    """A copy of a document with one part replaced, scaled, dropped, repeated or taken from elsewhere in it."""
    copy = json.loads(json.dumps(document))
    path = rng.choice(places(copy))
    if not path:
        return random_json(rng) if rng.randrange(4) == 0 else {**copy, rng.choice(WORDS): random_json(rng)}
    holder, last = part(copy, path[:-1]), path[-1]
    kind = rng.randrange(8)
    if kind < 4:
        holder[last] = random_json(rng)
    elif kind == 4:
        del holder[last]
    elif kind == 5:
        holder[last] = json.loads(json.dumps(part(copy, rng.choice(places(copy)))))
    elif kind == 6 and isinstance(holder[last], list):
        holder[last] = holder[last] * rng.randrange(4)
    else:
        holder[last] = [holder[last]]
    return copy
