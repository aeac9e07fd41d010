"""Behaviour 14: add_level lists a level, placed over another, and makes its empty array; it writes no voxel."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
import stores
import tensorstore as ts
import volumes
from trees import CENTRE, VOXEL, counted, datasets, read_json, tree, write_json

import worldarray as wa
from worldarray.errors import ArgumentError, ArgumentTypeError, LevelError, StoreExistsError
from worldarray_write import codecs_of, ensure_group_entry

SHAPE, CHUNKS = (7, 11, 13), (3, 4, 5)
FORMATS = ("zarr2", "zarr3")


def make(path, **changes):
    given = {"shape": SHAPE, "dtype": "uint16", "voxel_size": VOXEL, "translation": CENTRE, "chunks": CHUNKS}
    return wa.create(path, **{**given, **changes})


@pytest.fixture
def group(tmp_path):
    """A pyramid of one level s0 of shape (7, 11, 13), voxels of (30, 8, 4) nm from the corner (85, 16, 4)."""
    make(tmp_path / "em.zarr" / "s0")
    return tmp_path / "em.zarr"


def writable(path, **how):
    return wa.open_pyramid(path, mode="r+", **how)


# Placement -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_a_level_is_placed_and_sized_by_factors_over_the_finest(tmp_path, format):
    make(tmp_path / "em.zarr" / "s0", format=format)
    made = writable(tmp_path / "em.zarr").add_level("s1", (1, 2, 3))
    # centres: 100, 20 + 8 / 2, 6 + 4 * 2 / 2; ceil(7), ceil(11 / 2), ceil(13 / 3)
    assert (made.voxel_size, made.translation, made.shape) == ((30, 16, 12), (100, 24, 10), (7, 6, 5))
    assert made.corner == (85, 16, 4)
    again = wa.open(tmp_path / "em.zarr", level="s1")
    assert again.meta == made.meta
    assert made.writable
    assert made.levels == ("s0", "s1")


@pytest.mark.parametrize(
    ("origin", "translation", "shape"),
    [
        (0, (115, 24, 8), (4, 6, 7)),  # 100 + 30 / 2; 20 + 8 / 2; 6 + 4 / 2
        (1, (145, 32, 12), (3, 5, 6)),  # one source voxel further; ceil((7 - 1) / 2), …
        ((0, 4, 7), (115, 56, 36), (4, 4, 3)),  # 24 + 4 * 8; 8 + 7 * 4; ceil(7 / 2), ceil(6 / 2)
        ((7, 0, 0), (325, 24, 8), (0, 6, 7)),  # nothing is left on z
    ],
)
def test_an_origin_moves_and_shortens_the_level(group, origin, translation, shape):
    made = writable(group).add_level("s1", 2, origin)
    assert (made.translation, made.shape) == (translation, shape)


def test_a_block_mean_anchored_at_the_levels_corner_gives_the_levels_values(tmp_path):
    source = make(tmp_path / "em.zarr" / "s0", shape=(8, 12, 14))
    source.write_index((0, 0, 0), (8, 12, 14), counted((8, 12, 14)) * 2)
    made = writable(tmp_path / "em.zarr").add_level("s1", 2, (2, 4, 6))
    blocks = (counted((8, 12, 14)) * 2)[2:, 4:, 6:].reshape(3, 2, 4, 2, 4, 2).mean(axis=(1, 3, 5))
    made.write_index((0, 0, 0), made.shape, np.rint(blocks).astype("uint16"))
    read = source.read(made.box, voxel_size=made.voxel_size, method="linear", anchor=made.corner)
    assert (read == made.read(made.box)).all()


@pytest.mark.parametrize("from_level", ["s1", 1])
def test_a_level_may_be_made_from_another_than_the_finest(group, from_level):
    pyramid = writable(group)
    pyramid.add_level("s1", (1, 2, 2))
    made = pyramid.add_level("s2", (3, 1, 2), from_level=from_level)
    # s1: (30, 16, 8) at (100, 24, 8), shape (7, 6, 7); then 100 + 30, 24, 8 + 4
    assert (made.voxel_size, made.translation, made.shape) == ((90, 16, 16), (130, 24, 12), (3, 6, 4))


def test_the_finest_is_the_smallest_voxel_whatever_the_order_of_the_list(tmp_path):
    for name, factor in (("a", 4), ("b", 1), ("c", 2)):
        make(tmp_path / "em.zarr" / name, voxel_size=tuple(v * factor for v in VOXEL))
    document = read_json(tmp_path, "em.zarr", "zarr.json")
    document["attributes"]["ome"]["multiscales"][0]["datasets"].reverse()
    write_json(tmp_path / "em.zarr" / "zarr.json", document)
    assert writable(tmp_path / "em.zarr").add_level("d", 8).voxel_size == (240, 64, 32)


def test_an_explicit_placement_is_in_the_pyramids_units_and_written_in_the_groups(tmp_path):
    make(tmp_path / "em.zarr" / "s0", units="um", voxel_size=(0.03, 0.008, 0.004), translation=(0, 0, 0))
    made = writable(tmp_path / "em.zarr").add_level(
        "s1", voxel_size=(60, 17.3, 9.1), translation=(-5, 0.1, 3.7), shape=(4, 5, 6)
    )
    assert (made.voxel_size, made.translation, made.shape) == ((60, 17.3, 9.1), (-5, 0.1, 3.7), (4, 5, 6))
    thousandth = Fraction(1, 1000)
    stored = [tuple(float(Fraction(v) * thousandth) for v in row) for row in ((60, 17.3, 9.1), (-5, 0.1, 3.7))]
    assert datasets(tmp_path / "em.zarr")["s1"] == tuple(stored)


@pytest.mark.parametrize(
    ("translation", "shape"),
    [
        ((115, 24, 10), (4, 6, 5)),  # from the corner (85, 16, 4): ceil(7 / 2), ceil(11 / 2), ceil(13 * 4 / 12)
        ((145, 24, 10), (3, 6, 5)),  # from 115 on z, to 85 + 7 * 30 = 295: 180 / 60
        ((55, 8, 22), (5, 7, 4)),  # from (25, 0, 16) to (295, 104, 56): 270 / 60, 104 / 16, 40 / 12
        ((294, 24, 10), (1, 6, 5)),  # from 264 on z, to 295: 31 / 60
    ],
)
def test_an_explicit_placement_without_a_shape_covers_the_source_from_its_corner_on(group, translation, shape):
    made = writable(group).add_level("s1", voxel_size=(60, 16, 12), translation=translation)
    assert (made.translation, made.shape) == (translation, shape)


def test_a_shape_may_be_given_beside_factors(group):
    assert writable(group).add_level("s1", 2, shape=(3, 6, 7)).shape == (3, 6, 7)


def test_no_float_is_rounded_more_than_once(tmp_path):
    size, place = (10.48, 0.1, 1 / 3), (3.7, -1e9 + 0.3, 1e-9)
    make(tmp_path / "em.zarr" / "s0", voxel_size=size, translation=place)
    made = writable(tmp_path / "em.zarr").add_level("s1", (3, 7, 1000), (1, 2, 3))
    factors, origin = (3, 7, 1000), (1, 2, 3)
    exact = [
        (float(Fraction(s) * f), float(Fraction(t) + Fraction(s) * (o + Fraction(f - 1, 2))))
        for s, t, f, o in zip(size, place, factors, origin, strict=True)
    ]
    assert (made.voxel_size, made.translation) == tuple(map(tuple, zip(*exact, strict=True)))


@pytest.mark.parametrize("select", [None, {"c": 1}])
def test_factors_are_over_the_spatial_axes_or_over_every_axis(tmp_path, select):
    wa.create(
        tmp_path / "em.zarr" / "s0",
        (6, 2, 5, 7),
        "uint8",
        (0.5, 1, 8, 4),
        (10, 0, 4, 2),
        axes=("t", "c", "y", "x"),
        units={"space": "nm", "time": "s"},
        chunks=(1, 1, 2, 3),
    )
    pyramid = writable(tmp_path / "em.zarr", select=select)
    space = pyramid.add_level("s1", (2, 3))
    assert wa.metadata(space.level_path).shape == (6, 2, 3, 3)
    every = pyramid.add_level("s2", (3, 1, 2, 2), (1, 0, 0, 0))
    meta = wa.metadata(every.level_path)
    assert (meta.shape, meta.voxel_size) == ((2, 2, 3, 4), (1.5, 1, 16, 8))  # ceil((6 - 1) / 3)
    assert meta.translation == (11.0, 0.0, 8.0, 4.0)  # 10 + 0.5 * (1 + (3 - 1) / 2)
    assert space.axes == (("t", "y", "x") if select else ("t", "c", "y", "x"))


def test_a_level_of_one_voxel_and_factors_larger_than_the_array(group):
    made = writable(group).add_level("s1", (7, 16, 13))
    assert (made.shape, made.corner, made.voxel_size) == ((1, 1, 1), (85, 16, 4), (210, 128, 52))
    made.write_chunk((0, 0, 0), counted((1, 1, 1)))
    assert writable(group).add_level("s2", 2, from_level="s1").shape == (1, 1, 1)


def test_a_schedule_of_factors_makes_a_pyramid_that_checks(group):
    pyramid = writable(group)
    for number, factors in enumerate(wa.level_factors(VOXEL, max_levels=3)[1:], 1):
        pyramid.add_level(f"s{number}", factors)
    assert pyramid.check() == ()
    assert len(pyramid.names) == 3


# What is copied ------------------------------------------------------------------------------------------------------

ZSTD7 = {"name": "zstd", "configuration": {"level": 7, "checksum": True}}
SHUFFLED = {"id": "blosc", "cname": "zstd", "clevel": 7, "shuffle": 2, "blocksize": 0}
LIKE = {
    "zarr2": {"format": "zarr2", "codecs": SHUFFLED, "dimension_separator": ".", "fill_value": 7},
    "zarr3": {"codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, ZSTD7], "fill_value": 7},
    "zarr3, dots": {"dimension_separator": ".", "codecs": "none"},
    "sharded": {"shards": (6, 8, 10), "codecs": [ZSTD7], "fill_value": 9},
    "NaN": {"dtype": "float32", "fill_value": float("nan")},
    "infinite": {"dtype": "float64", "fill_value": -float("inf"), "format": "zarr2"},
    "complex": {"dtype": "complex64", "fill_value": 1 + 2j},
    "bfloat16": {"dtype": "bfloat16", "fill_value": 1.5},
    "null fill": {"format": "zarr2", "fill_value": None},
    "transposed": {"codecs": [{"name": "transpose", "configuration": {"order": [2, 0, 1]}}, ZSTD7]},
}


@pytest.mark.parametrize("how", LIKE)
def test_everything_about_storage_is_that_of_the_source(tmp_path, how):
    source = make(tmp_path / "em.zarr" / "s0", **LIKE[how])
    made = writable(tmp_path / "em.zarr").add_level("s1", 2)
    key = ".zarray" if LIKE[how].get("format") == "zarr2" else "zarr.json"
    before, after = (read_json(tmp_path, "em.zarr", level, key) for level in ("s0", "s1"))
    assert after == {**before, "shape": [4, 6, 7]}
    for name in ("dtype", "write_shape"):
        assert getattr(made, name) == getattr(source, name)
    np.testing.assert_array_equal(made.meta.fill_value, source.meta.fill_value)
    assert codecs_of(made) == codecs_of(source)
    values = counted((4, 6, 7)).astype(made.dtype)
    made.write_index((0, 0, 0), (4, 6, 7), values)
    assert (wa.open(made.level_path).read_index((0, 0, 0), (4, 6, 7)) == values).all()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("separator", [".", "/"])
def test_the_order_and_separator_of_a_zarr_v2_array_that_others_made_are_copied(tmp_path, order, separator):
    values = counted((6, 8))
    stores.zarr2(tmp_path / "em.zarr" / "s0", values, (2, 3), order=order, dimension_separator=separator)
    stores.group2(tmp_path / "em.zarr", [("s0", (8, 4), (4, 2))], axes=stores.ZYX[1:])
    writable(tmp_path / "em.zarr").add_level("s1", 2).write_index((0, 0), (3, 4), values[:3, :4])
    document = read_json(tmp_path, "em.zarr", "s1", ".zarray")
    assert (document["order"], document["dimension_separator"]) == (order, separator)
    first = (tmp_path / "em.zarr" / "s1" / f"0{separator}0").read_bytes()
    assert first == values[:2, :3].tobytes(order)


@pytest.mark.parametrize(
    "encoding",
    [
        {"name": "v2", "configuration": {"separator": "."}},
        {"name": "v2", "configuration": {"separator": "/"}},
        {"name": "default", "configuration": {"separator": "."}},
        {"name": "v2"},
    ],
)
def test_the_chunk_key_encoding_of_a_zarr_v3_array_is_copied(tmp_path, encoding):
    metadata = {
        "shape": [6, 8],
        "data_type": "uint16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
        "chunk_key_encoding": encoding,
    }
    kvstore = f"file://{tmp_path}/em.zarr/s0/"
    ts.open({"driver": "zarr3", "kvstore": kvstore, "metadata": metadata}, create=True).result()
    stores.group3(tmp_path / "em.zarr", [("s0", (8, 4), (4, 2))], axes=stores.ZYX[1:])
    made = writable(tmp_path / "em.zarr").add_level("s1", 2)
    made.write_index((0, 0), (3, 4), counted((3, 4)))
    separator = encoding.get("configuration", {}).get("separator", ".")
    key = ("" if encoding["name"] == "v2" else f"c{separator}") + f"1{separator}1"
    assert (tmp_path / "em.zarr" / "s1" / key).is_file()


def test_the_place_of_a_shards_index_is_copied(tmp_path):
    sharding = {
        "chunk_shape": [2, 3],
        "codecs": [volumes.BYTES],
        "index_codecs": [volumes.BYTES, {"name": "crc32c"}],
        "index_location": "start",
    }
    metadata = {
        "shape": [8, 9],
        "data_type": "uint16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 6]}},
        "codecs": [{"name": "sharding_indexed", "configuration": sharding}],
    }
    spec = {"driver": "zarr3", "kvstore": f"file://{tmp_path}/em.zarr/s0/", "metadata": metadata}
    ts.open(spec, create=True).result()
    stores.group3(tmp_path / "em.zarr", [("s0", (8, 4), (4, 2))], axes=stores.ZYX[1:])
    made = writable(tmp_path / "em.zarr").add_level("s1", (1, 3))
    codec = read_json(tmp_path, "em.zarr", "s1", "zarr.json")["codecs"][0]["configuration"]
    assert (codec["index_location"], made.write_shape, made.meta.chunk_shape) == ("start", (4, 6), (2, 3))


def test_what_is_given_is_not_copied(tmp_path):
    make(tmp_path / "em.zarr" / "s0", shards=(6, 8, 10), attrs={"theirs": 1})
    pyramid = writable(tmp_path / "em.zarr")
    made = pyramid.add_level(
        "s1", 2, dtype="float32", chunks=(2, 4, 5), codecs="none", fill_value=1.5, attrs={"mine": 2}
    )
    assert (made.dtype, made.meta.chunk_shape, made.meta.shard_shape) == (np.float32, (2, 4, 5), (6, 8, 10))
    assert (made.meta.fill_value, made.meta.attrs) == (1.5, {"mine": 2})
    assert codecs_of(made) == [volumes.BYTES]
    made = pyramid.add_level("s2", 4, chunks=(2, 3, 4), shards=(4, 3, 8))
    assert (made.write_shape, made.meta.chunk_shape, made.meta.attrs) == ((4, 3, 8), (2, 3, 4), {})
    assert pyramid.add_level("s3", 8, shards=(3, 4, 5)).write_shape == (3, 4, 5)


def test_units_of_fill_are_stored_where_that_is_asked_for(group):
    made = writable(group).add_level("s1", 2, store_fill=True)
    made.write_index((0, 0, 0), made.shape, np.zeros(made.shape, "uint16"))
    assert len(made.list_chunks()) == 8


# What is listed ------------------------------------------------------------------------------------------------------


def test_levels_are_inserted_in_order_and_the_pyramid_knows_them(group):
    pyramid = writable(group)
    for name, factor in (("s3", 8), ("s1", 2), ("s2", 4)):
        pyramid.add_level(name, factor)
    assert pyramid.names == ("s0", "s1", "s2", "s3")
    assert list(datasets(group)) == ["s0", "s1", "s2", "s3"]
    assert [size[2] for size in pyramid.voxel_sizes()] == [4, 8, 16, 32]
    assert all(level.writable for level in pyramid.levels)
    pyramid.by_name("s2").write_chunk((0, 0, 0), counted((2, 3, 4)))
    pyramid.select((120, 32, 16)).write_chunk((0, 0, 0), counted((2, 3, 4)))


def test_levels_that_others_added_meanwhile_are_kept_and_seen(group):
    first, second = writable(group), writable(group)
    first.add_level("s1", 2)
    second.add_level("s2", 4)
    assert second.names == ("s0", "s1", "s2")
    assert wa.open_pyramid(group).names == ("s0", "s1", "s2")


def test_an_entry_of_the_same_name_whose_array_is_gone_is_replaced(group):
    pyramid = writable(group)
    pyramid.add_level("s1", 2)
    (group / "s1" / "zarr.json").unlink()
    made = writable(group).add_level("s1", 4)
    assert datasets(group) == {"s0": (VOXEL, CENTRE), "s1": ((120, 32, 16), (145, 32, 12))}  # 100 + 30 * 3 / 2, …
    assert made.shape == (2, 3, 4)


def test_an_array_of_the_same_name_is_never_replaced_and_adopted_only_if_it_is_the_same(group):
    writable(group).add_level("s1", 2).write_chunk((0, 0, 0), counted(CHUNKS))
    before = tree(group)
    pyramid = writable(group)
    with pytest.raises(StoreExistsError, match="s1"):
        pyramid.add_level("s1", 2)
    with pytest.raises(ArgumentError, match=r"shape.*\(4, 6, 7\).*\(2, 3, 4\)"):
        pyramid.add_level("s1", 4, exists="adopt")
    with pytest.raises(ArgumentError, match="translation"):
        pyramid.add_level("s1", 2, (0, 0, 1), exists="adopt")  # ceil(12 / 2) is another shape, too
    assert tree(group) == before
    adopted = pyramid.add_level("s1", 2, exists="adopt")
    assert (adopted.read_index((0, 0, 0), CHUNKS) == counted(CHUNKS)).all()
    assert tree(group) == before


@pytest.mark.parametrize("format", FORMATS)
def test_no_voxel_and_nothing_of_anyone_else_is_written(tmp_path, format):
    make(tmp_path / "em.zarr" / "s0", format=format, group_attrs={"theirs": 1}, attrs={"fs": 2}).write_index(
        (0, 0, 0), SHAPE, counted(SHAPE)
    )
    before = tree(tmp_path)
    writable(tmp_path / "em.zarr").add_level("s1", 2)
    after = tree(tmp_path)
    key, document = (".zarray", ".zattrs") if format == "zarr2" else ("zarr.json", "zarr.json")
    assert set(after) - set(before) == {"em.zarr/s1", f"em.zarr/s1/{key}"}
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {f"em.zarr/{document}"}


@pytest.mark.parametrize("where", ["", "s0"])
def test_the_level_is_the_one_that_is_opened_again_however_the_pyramid_was_opened(group, where):
    pyramid = writable(group / where)
    made = pyramid.add_level("s1", 2)
    again = [made.reopen(), pickle.loads(pickle.dumps(made)), pickle.loads(pickle.dumps(pyramid)).by_name("s1")]
    for handle in (*again, pickle.loads(pickle.dumps(made)).reopen(), pyramid.by_name("s1").reopen()):
        assert handle.level_path == str(group / "s1")
        assert handle.writable
    assert pyramid.by_name("s0").reopen().level_path == str(group / "s0")


def test_a_level_is_in_the_units_of_the_pyramid(group):
    made = writable(group, units="um").add_level("s1", 2)
    assert made.voxel_size == (0.06, 0.016, 0.008)
    assert made.meta.voxel_size == (60, 16, 8)


# What is refused -----------------------------------------------------------------------------------------------------

REFUSED = {
    "neither factors nor a placement": ({}, "factors"),
    "both": ({"factors": 2, "voxel_size": VOXEL, "translation": CENTRE, "shape": SHAPE}, "either factors"),
    "a placement with an origin": ({"voxel_size": VOXEL, "translation": CENTRE, "origin": 1}, "goes with factors"),
    "a place alone": ({"translation": CENTRE}, "voxel_size"),
    "a shape alone": ({"shape": SHAPE}, "factors"),
    "a size that is not positive": ({"voxel_size": (60, 0, 8), "translation": CENTRE}, "voxel_size"),
    "a shape of another length": ({"factors": 2, "shape": (4, 5)}, "shape"),
    "a size alone": ({"voxel_size": VOXEL}, "translation"),
    "factors of zero": ({"factors": (2, 0, 2)}, "factors is 0 on axis 1"),
    "factors that are not whole": ({"factors": (2, 1.5, 2)}, "factors"),
    "factors of another length": ({"factors": (2, 2)}, "factors has 2 entries"),
    "an origin beyond the source": ({"factors": 2, "origin": (0, 12, 0)}, "origin is 12 on axis 1"),
    "a level that is not there": ({"factors": 2, "from_level": "s7"}, "s7"),
    "a position that is not there": ({"factors": 2, "from_level": 4}, "4"),
    "chunks of zero": ({"factors": 2, "chunks": (0, 4, 5)}, "chunks"),
    "shards that are not whole chunks": ({"factors": 2, "shards": (6, 8, 9)}, "shard of 9"),
    "a fill that the dtype does not hold": ({"factors": 2, "fill_value": -1}, "fill_value"),
    "a fill that another dtype does not hold": ({"factors": 2, "dtype": "uint8", "fill_value": 300}, "300"),
    "a codec that is none": ({"factors": 2, "codecs": "zip"}, "zip"),
    "attributes that are no JSON": ({"factors": 2, "attrs": {"a": {1, 2}}}, "attrs"),
    "a word for exists that is none": ({"factors": 2, "exists": "replace"}, "nothing is ever overwritten"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_made_is_refused_and_leaves_the_tree_byte_for_byte(group, why):
    given, words = REFUSED[why]
    before, pyramid = tree(group), writable(group)
    with pytest.raises((ArgumentError, ArgumentTypeError, LevelError)) as caught:
        pyramid.add_level("s1", **given)
    assert words in str(caught.value)
    assert tree(group) == before
    assert pyramid.names == ("s0",)


@pytest.mark.parametrize("name", ["", ".", "..", "../s1", "/s1", "s1/", "a//b", "deep/s1", "a/b/c/d/e", None, 3])
def test_a_name_that_is_no_folder_of_the_group_is_refused(group, name):
    before = tree(group.parent)
    with pytest.raises((ArgumentError, ArgumentTypeError), match=r"level|name"):
        writable(group).add_level(name, 2)
    assert tree(group.parent) == before


def test_a_level_that_is_a_symbolic_link_is_refused(group):
    (group / "s1").symlink_to(group.parent)
    before = tree(group)
    with pytest.raises(ArgumentError, match="symbolic link"):
        writable(group).add_level("s1", 2)
    assert tree(group) == before


def test_a_group_that_lists_no_levels_is_refused_since_one_that_is_listed_would_hide_the_others(tmp_path):
    for name in ("s0", "s1"):
        stores.zarr2(
            tmp_path / "em.zarr" / name, counted((6, 8)), attributes={"resolution": [8, 4], "units": ["nm"] * 2}
        )
    write_json(tmp_path / "em.zarr" / ".zgroup", {"zarr_format": 2})
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match="ensure_group_entry"):
        writable(tmp_path / "em.zarr").add_level("s2", 2)
    assert tree(tmp_path) == before
    ensure_group_entry(tmp_path / "em.zarr", "s0", (8, 4), (4, 2))
    ensure_group_entry(tmp_path / "em.zarr", "s1", (8, 4), (4, 2))
    assert writable(tmp_path / "em.zarr").add_level("s2", 2).levels == ("s0", "s1", "s2")


def test_a_declared_base_size_is_refused_since_it_is_not_what_the_group_says(group):
    before = tree(group)
    with pytest.raises(ArgumentError, match="base_voxel_size"):
        writable(group, base_voxel_size=(31, 8, 4)).add_level("s1", 2)
    assert tree(group) == before


# Listing what was made elsewhere -------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_an_array_made_elsewhere_is_listed_and_left_alone(tmp_path, format):
    make_ = stores.zarr2 if format == "zarr2" else stores.zarr3
    make_(tmp_path / "em.zarr" / "raw" / "s0", counted((6, 8)))
    before = tree(tmp_path)
    ensure_group_entry(
        tmp_path / "em.zarr", "raw/s0", (0.008, 0.004), (0.5, -0.25), units="micron", group_attrs={"by": 1}
    )
    pyramid = wa.open_pyramid(tmp_path / "em.zarr")
    assert (pyramid.names, pyramid.attrs["by"]) == (("raw/s0",), 1)
    vol = pyramid.by_name("raw/s0")
    assert (vol.voxel_size, vol.translation, vol.meta.units) == ((8, 4), (500, -250), ("micrometer",) * 2)
    assert (vol.read_index((0, 0), (6, 8)) == counted((6, 8))).all()
    after = tree(tmp_path)
    assert before.items() <= after.items()
    ensure_group_entry(tmp_path / "em.zarr", "raw/s0", (0.008, 0.004), (0.5, -0.25), units="um")
    assert tree(tmp_path) == after, "listed already"


@pytest.mark.parametrize(
    ("name", "given", "kind", "words"),
    [
        ("s7", {}, FileNotFoundError, "s7"),
        ("n5", {}, ArgumentError, "n5 array"),
        ("deep", {}, ArgumentError, "zarr3 group"),
        ("s0", {"voxel_size": (8, 0)}, ArgumentError, "voxel_size"),
        ("s0", {"voxel_size": (8, 4, 2)}, ArgumentError, "voxel_size"),
        ("s0", {"axes": ("z", "y", "x")}, ArgumentError, "axes"),
        ("s0", {"axes": ("z", "x")}, ArgumentError, "called 'y' by the array, not 'z'"),
        ("s0", {"units": "parsnip"}, ValueError, "parsnip"),
        ("s0", {"group_attrs": {"ome": {"multiscales": []}}}, ArgumentError, "group_attrs"),
        ("../s0", {}, ArgumentError, "level"),
    ],
)
def test_what_cannot_be_listed_is_refused_and_leaves_the_tree_byte_for_byte(tmp_path, name, given, kind, words):
    stores.zarr3(tmp_path / "em.zarr" / "s0", counted((6, 8)), names=("y", "x"))
    stores.placed(tmp_path / "em.zarr" / "deep", counted((2, 2, 2)), VOXEL, CENTRE)
    write_json(
        tmp_path / "em.zarr" / "n5" / "attributes.json",
        {"dimensions": [4, 3], "blockSize": [2, 3], "dataType": "uint8", "compression": {"type": "raw"}},
    )
    before = tree(tmp_path)
    with pytest.raises(kind, match=words):
        ensure_group_entry(
            tmp_path / "em.zarr", name, given.pop("voxel_size", (8, 4)), given.pop("translation", (4, 2)), **given
        )
    assert tree(tmp_path) == before


def test_an_array_of_another_format_than_its_group_is_not_listed(tmp_path):
    make(tmp_path / "em.zarr" / "s0", format="zarr2")
    stores.zarr3(tmp_path / "em.zarr" / "s1", counted((4, 6, 7)))
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match=r"zarr3.*zarr2"):
        ensure_group_entry(tmp_path / "em.zarr", "s1", (60, 16, 8), (0, 0, 0))
    assert tree(tmp_path) == before
