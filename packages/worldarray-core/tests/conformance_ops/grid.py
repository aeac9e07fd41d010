from worldarray.chunks import grid_shape
from worldarray.grid import Grid
from worldarray.tiling import blocks, level_factors


def bounds(begin, end):
    return {"begin": begin, "end": end}


def rendered(grid):
    meta = grid.meta("uint8")
    assert meta.shape == grid.shape
    assert meta.corner == tuple(
        grid.corner[grid.spatial.index(i)] if i in grid.spatial else t for i, t in enumerate(meta.translation)
    )
    return {
        "shape": grid.shape,
        "axes": meta.axes,
        "axis_types": meta.axis_types,
        "spatial": grid.spatial,
        "units": meta.units,
        "voxel_size": grid.voxel_size,
        "translation": grid.translation,
        "corner": grid.corner,
        "box": bounds(grid.box.begin, grid.box.end),
        "write_shape": None if grid.chunks is None else grid.write_shape,
        "chunks": grid.chunks,
        "shards": meta.shard_shape,
        "every_voxel_size": meta.voxel_size,
        "every_translation": meta.translation,
    }


def from_meta(given):
    target = given.pop("target", None)
    return rendered(Grid.from_meta(Grid(**given).meta("uint8"), voxel_size=target))


def index_box(given):
    box = given.pop("box")
    return bounds(*Grid(**given).index_box((box["begin"], box["end"])))


def chunks_covering(given):
    options = {"write": given.pop("write")} if "write" in given else {}
    begin, end = given.pop("begin"), given.pop("end")
    flat = [1] * len(given["shape"])
    return Grid(**given, voxel_size=flat, translation=flat).chunks_covering(begin, end, **options)


def tiling(given):
    if "box" in given:
        given["box"] = (given["box"]["begin"], given["box"]["end"])
    return blocks(**given)


def every_block(given):
    return [
        {
            **block._asdict(),
            "inner": bounds([s.start for s in block.inner], [s.stop for s in block.inner]),
        }
        for block in tiling(given)
    ]


def block_arrays(given):
    ids = {name: given.pop(name) for name in ("start", "stop") if name in given}
    return {name: rows.tolist() for name, rows in tiling(given).arrays(**ids)._asdict().items()}


def index_of(given):
    begin = given.pop("begin")
    tiles = tiling(given)
    return {"index": tiles.index_of(begin), "id": tiles.id_of(begin)}


OPS = {
    "grid.grid": lambda given: rendered(Grid(**given)),
    "grid.from_meta": from_meta,
    "grid.index_box": index_box,
    "grid.chunks_covering": chunks_covering,
    "grid.chunk_grid": lambda given: grid_shape(given["shape"], given["unit"]),
    "grid.blocks": every_block,
    "grid.block_arrays": block_arrays,
    "grid.index_of": index_of,
    "grid.level_factors": lambda given: level_factors(**given),
}
