"""Behaviours 13, 16 and 17: whole write units, each one put; anything else is refused with nothing written."""

import json
from contextlib import nullcontext

import numpy as np
import pytest
import stores
import tensorstore as ts
import volumes
from servers import PUBLIC, HttpServer, serving
from trees import CENTRE, VOXEL, counted, tree, write_json

import worldarray as wa
from worldarray.errors import ArgumentError, ArgumentTypeError
from worldarray_write.write_plan import Piece, Target, whole_pieces

SHAPE, CHUNKS, SHARDS = (7, 11, 13), (3, 4, 5), (6, 8, 10)
STORED = [("zarr2", None), ("zarr3", None), ("zarr3", SHARDS)]
CORNER = (85.0, 16.0, 4.0)


def make(path, **changes):
    given = {"shape": SHAPE, "dtype": "uint16", "voxel_size": VOXEL, "translation": CENTRE, "chunks": CHUNKS}
    return wa.create(path, **{**given, **changes})


@pytest.fixture
def vol(tmp_path):
    """(z, y, x) of shape (7, 11, 13) in units of (3, 4, 5): 3 x 3 x 3 of them, the last clipped to (1, 3, 3)."""
    return make(tmp_path / "em.zarr" / "s0")


def whole(handle):
    return handle.read_index((0,) * handle.ndim, handle.meta.shape)


# Whole units ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format", "shards"), STORED)
def test_whole_units_and_the_clipped_end_are_written(tmp_path, format, shards):
    vol = make(tmp_path / "em.zarr" / "s0", format=format, shards=shards)
    expected, values = np.zeros(SHAPE, "uint16"), counted(SHAPE)
    middle = ((0, 0, 0), (6, 8, 10))
    boxes = [middle, ((6, 8, 10), SHAPE), ((0, 8, 0), (6, 11, 10)), ((0, 0, 10), (7, 11, 13)), ((0, 0, 0), SHAPE)]
    for begin, end in boxes:
        box = tuple(map(slice, begin, end))
        vol.write_index(begin, end, values[box])
        expected[box] = values[box]
        assert (whole(vol) == expected).all()
        assert (whole(wa.open(vol.path)) == expected).all()


def test_every_way_to_read_gives_what_was_written(vol):
    values = counted(SHAPE)
    vol.write_index((0, 0, 0), SHAPE, values)
    begin, end = CORNER, (85 + 7 * 30, 16 + 11 * 8, 4 + 13 * 4)
    assert vol.box == wa.Box(begin, end)
    ways = {
        "read_index": whole(vol),
        "read": vol.read(vol.box),
        "async": vol.read_index_async((0, 0, 0), SHAPE).result(),
        "ts": vol.ts.read().result(),
        "onto": vol.read_onto(vol),
        "many": wa.read_many([(vol, (0, 0, 0), SHAPE)])[0],
        "reopened": whole(vol.reopen()),
        "open_tensorstore": wa.open_tensorstore(vol.path).read().result(),
        "tensorstore alone": ts.open({"driver": "zarr3", "kvstore": f"file://{vol.path}"}).result().read().result(),
    }
    for way, found in ways.items():
        np.testing.assert_array_equal(found, values, way)


@pytest.mark.parametrize(("format", "shards"), STORED)
def test_a_unit_is_one_put_with_nothing_read_before_the_clipped_ones_too(tmp_path, s3, format, shards):
    vol = make(f"s3://{PUBLIC}/{tmp_path.name}/em.zarr/s0", format=format, shards=shards)
    unit = shards or CHUNKS
    keys = [vol.chunk_key(i) for i in np.ndindex(*(-(-n // u) for n, u in zip(SHAPE, unit, strict=True)))]
    document = ("GET", ".zarray" if format == "zarr2" else "zarr.json")
    for first in ([document], []):  # new, with the document read once; and over what is there
        s3.log.clear()
        vol.write_index((0, 0, 0), SHAPE, counted(SHAPE))
        asked = [(method, path.rpartition("em.zarr/s0/")[2]) for method, path, _ in s3.log]
        assert sorted(asked) == sorted([*first, *(("PUT", key) for key in keys)])
    assert (whole(wa.open(vol.path)) == counted(SHAPE)).all()


def test_a_unit_that_is_corrupt_is_written_anew(vol, tmp_path):
    vol.write_index((0, 0, 0), SHAPE, counted(SHAPE))
    for index in ((0, 0, 0), (2, 2, 2)):  # a middle one, and one that is clipped on every axis
        (tmp_path / "em.zarr" / "s0" / vol.chunk_key(index)).write_bytes(b"torn")
    with pytest.raises(wa.errors.DataError):
        whole(vol)
    vol.write_index((0, 0, 0), SHAPE, counted(SHAPE))
    assert (whole(vol) == counted(SHAPE)).all()


@pytest.mark.parametrize("codecs", ["zstd", "none"])
@pytest.mark.parametrize("partial", [False, True])
def test_what_a_killed_writer_left_beside_a_unit_does_not_end_up_in_it(tmp_path, codecs, partial):
    vol = make(tmp_path / "em.zarr" / "s0", codecs=codecs)
    key = tmp_path / "em.zarr" / "s0" / vol.chunk_key((0, 0, 0))
    key.parent.mkdir(parents=True)
    key.with_name(f"{key.name}.__lock").write_bytes(b"x" * 5000)  # tensorstore's lock file, written and not renamed
    vol.write_index((0, 0, 0), CHUNKS, counted(CHUNKS), partial=partial)
    assert key.stat().st_size < 200, "a unit is 3 * 4 * 5 * 2 = 120 bytes, and little more when compressed"
    assert (wa.open(vol.path).read_index((0, 0, 0), CHUNKS) == counted(CHUNKS)).all()
    assert vol.list_chunks() == [(0, 0, 0)]


def test_a_box_that_ends_with_the_array_is_written_in_parts_the_last_units_filled_up():
    target = Target("v", ("c", "y", "x"), (2, 10, 9), (1, 4, 9), ((0, 1),))
    found = whole_pieces(target, (slice(1, 2), slice(4, 10), slice(0, 9)))
    rest = (slice(1, 2), slice(0, 9))
    assert found == [  # y: [4, 8) is a whole unit, [8, 10) becomes [8, 12)
        Piece((slice(0, 1), slice(0, 4), slice(0, 9)), (rest[0], slice(4, 8), rest[1])),
        Piece((slice(0, 1), slice(4, 6), slice(0, 9)), (rest[0], slice(8, 12), rest[1])),
    ]
    assert found[1].shape == (1, 4, 9)


# What is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format", "shards"), STORED)
@pytest.mark.parametrize(
    ("axis", "name", "bound"),
    [("z", "begin", 1), ("z", "end", 4), ("y", "begin", 5), ("y", "end", 10), ("x", "end", 12)],
)
def test_a_misaligned_bound_is_refused_naming_axis_bound_and_unit(tmp_path, format, shards, axis, name, bound):
    vol = make(tmp_path / "em.zarr" / "s0", format=format, shards=shards)
    index = "zyx".index(axis)
    bounds = {"begin": [0, 0, 0], "end": list(SHAPE)}
    bounds[name][index] = bound
    before = tree(tmp_path)
    shape = tuple(e - b for b, e in zip(bounds["begin"], bounds["end"], strict=True))
    unit = (shards or CHUNKS)[index]
    with pytest.raises(
        ValueError, match=rf"axis '{axis}': {name} {bound} is .* write unit {unit} nor the end"
    ) as caught:
        vol.write_index(bounds["begin"], bounds["end"], counted(shape))
    assert [found.at[1:] for found in caught.value.problems] == [(name, index)]
    assert tree(tmp_path) == before
    vol.write_index((0, 0, 0), SHAPE, counted(SHAPE))


def test_every_bound_that_does_not_fit_is_said_at_once(vol):
    with pytest.raises(ArgumentError) as caught:
        vol.write_index((1, 4, 0), (3, 7, 13), counted((2, 3, 13)))
    assert [found.at[1:] for found in caught.value.problems] == [("begin", 0), ("end", 1)]
    assert "partial=True" in str(caught.value)


def test_the_end_of_the_array_is_no_place_to_begin(vol):
    vol.write_index((7, 0, 0), (7, 11, 13), np.zeros((0, 11, 13), "uint16"))  # nothing, so nothing is cut
    with pytest.raises(ArgumentError, match="begin 5"):
        vol.write_index((0, 5, 0), (3, 11, 5), counted((3, 6, 5)))


DATA = {
    "another shape": (np.zeros((3, 4, 6), "uint16"), ArgumentError, r"shape \(3, 4, 6\), the box \(3, 4, 5\)"),
    "one value": (np.uint16(7), ArgumentError, r"shape \(\), the box"),
    "one axis more": (np.zeros((1, 3, 4, 5), "uint16"), ArgumentError, "one value per voxel"),
    "a wider dtype": (np.zeros(CHUNKS, "uint32"), ArgumentError, "dtype uint32, the array uint16; nothing is cast"),
    "a narrower dtype": (np.zeros(CHUNKS, "uint8"), ArgumentError, "nothing is cast"),
    "a signed dtype": (np.zeros(CHUNKS, "int16"), ArgumentError, "nothing is cast"),
    "bool": (np.zeros(CHUNKS, "bool"), ArgumentError, "nothing is cast"),
    "a list": (np.zeros(CHUNKS, "uint16").tolist(), ArgumentError, "dtype int64"),
    "a ragged list": ([[1], [2, 3]], ArgumentTypeError, "no array"),
    "nothing": (None, ArgumentError, "shape"),
}


@pytest.mark.parametrize("why", DATA)
@pytest.mark.parametrize("partial", [False, True])
def test_data_of_another_shape_or_dtype_is_refused_with_nothing_written(vol, tmp_path, why, partial):
    data, kind, words = DATA[why]
    before = tree(tmp_path)
    with pytest.raises(kind, match=words):
        vol.write_index((0, 0, 0), CHUNKS, data, partial=partial)
    assert tree(tmp_path) == before
    vol.write_index((0, 0, 0), CHUNKS, counted(CHUNKS), partial=partial)


def test_masked_data_is_refused_since_what_is_masked_would_be_written(vol, tmp_path):
    before = tree(tmp_path)
    with pytest.raises(ArgumentTypeError, match="masked"):
        vol.write_index((0, 0, 0), CHUNKS, np.ma.masked_less(counted(CHUNKS), 9))
    assert tree(tmp_path) == before


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize(
    ("begin", "end", "words"),
    [
        ((0, 0, 0), (9, 4, 5), r"axis 'z': \[0, 9\) reaches outside the array, which has 7 voxels"),
        ((0, -4, 0), (3, 4, 5), r"axis 'y': \[-4, 4\) reaches outside"),
        ((0, 0, 10), (3, 4, 15), r"axis 'x': \[10, 15\) reaches outside"),
        ((3, 0, 0), (0, 4, 5), "axis 'z' ends at 0 before it begins at 3"),
    ],
)
def test_a_box_outside_the_array_is_refused_with_nothing_written(vol, tmp_path, partial, begin, end, words):
    before = tree(tmp_path)
    shape = tuple(abs(e - b) for b, e in zip(begin, end, strict=True))
    with pytest.raises(ArgumentError, match=words):
        vol.write_index(begin, end, counted(shape), partial=partial)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("bounds", [((0, 0), (3, 4)), ((0, 0, 0.5), (3, 4, 5)), ((0, 0, 0), "end"), (0, 3)])
def test_bounds_that_are_no_indices_are_refused(vol, tmp_path, bounds):
    before = tree(tmp_path)
    with pytest.raises((ArgumentError, ArgumentTypeError)):
        vol.write_index(*bounds, counted(CHUNKS))
    with pytest.raises(ArgumentTypeError, match="retry policy"):
        vol.write_index((0, 0, 0), CHUNKS, counted(CHUNKS), retries=3)
    assert tree(tmp_path) == before


# What is accepted ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["uint16", "float64", "complex64"])
@pytest.mark.parametrize("layout", ["other byte order", "column order", "strided", "read-only", "negative stride"])
def test_data_is_taken_in_any_byte_order_and_layout(tmp_path, dtype, layout):
    vol = make(tmp_path / "em.zarr" / "s0", dtype=dtype)
    values = (counted(SHAPE) * 300).astype(dtype)
    given = {
        "other byte order": lambda: values.astype(values.dtype.newbyteorder()),
        "column order": lambda: np.asfortranarray(values),
        "strided": lambda: np.repeat(values, 2, axis=1)[:, ::2],
        "negative stride": lambda: values[::-1].copy()[::-1],
        "read-only": lambda: values,
    }[layout]()
    given.flags.writeable = False
    vol.write_index((0, 0, 0), SHAPE, given)
    assert (whole(vol) == values).all()


def test_data_is_whatever_numpy_takes_for_an_array_of_that_dtype(vol):
    class Lazy:
        def __array__(self, dtype=None, copy=None):
            return counted(CHUNKS)

    vol.write_index([np.int64(0)] * 3, np.array(CHUNKS), Lazy())
    assert (vol.read_index((0, 0, 0), CHUNKS) == counted(CHUNKS)).all()


def test_the_data_may_be_changed_once_the_write_has_returned(vol):
    values = counted(SHAPE)
    vol.write_index((0, 0, 0), SHAPE, values)
    values[:] = 0
    assert (whole(wa.open(vol.path)) == counted(SHAPE)).all()


@pytest.mark.parametrize("cache_bytes", [0, 1 << 24])
def test_a_handles_reads_see_its_own_writes(tmp_path, cache_bytes):
    vol = make(tmp_path / "em.zarr" / "s0", context=wa.shared_context(cache_bytes))
    for value in range(1, 6):
        vol.write_index((0, 0, 0), SHAPE, np.full(SHAPE, value, "uint16"))
        assert (whole(vol) == value).all()
        vol.write_index((2, 3, 4), (4, 5, 6), np.full((2, 2, 2), 9, "uint16"), partial=True)
        assert vol.read_index((3, 4, 5), (4, 5, 6)) == 9
        assert vol.read_index((1, 4, 5), (2, 5, 6)) == value


# partial -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format", "shards"), STORED)
def test_partial_writes_any_box_and_keeps_the_rest_of_its_units(tmp_path, format, shards):
    vol = make(tmp_path / "em.zarr" / "s0", format=format, shards=shards, fill_value=5)
    expected = np.full(SHAPE, 5, "uint16")
    for begin, end in (((1, 2, 3), (5, 9, 11)), ((6, 10, 12), SHAPE), ((0, 0, 0), (1, 1, 1)), ((4, 0, 2), (5, 11, 4))):
        box = tuple(map(slice, begin, end))
        values = counted(tuple(e - b for b, e in zip(begin, end, strict=True))) + 100
        vol.write_index(begin, end, values, partial=True)
        expected[box] = values
        assert (whole(wa.open(vol.path)) == expected).all()


# World boxes ---------------------------------------------------------------------------------------------------------


def test_a_world_box_writes_the_voxels_whose_centres_lie_in_it(vol):
    # centres on z: 100, 130, …, so [86, 186) holds 0 to 2; on y: 20, 28, …, so [12.5, 45) holds 0 to 3; on x: 6, 10, …,
    # so [6, 26) holds 0 to 4
    vol.write(((86, 12.5, 6), (186, 45, 26)), counted(CHUNKS))
    expected = np.zeros(SHAPE, "uint16")
    expected[:3, :4, :5] = counted(CHUNKS)
    assert (whole(vol) == expected).all()
    vol.write(vol.box, counted(SHAPE))
    assert (vol.read(vol.box) == counted(SHAPE)).all()
    unit = wa.Box.from_index((6, 8, 10), SHAPE, vol.voxel_size, vol.translation)
    vol.write(unit, np.full((1, 3, 3), 8, "uint16"))
    assert (vol.read(unit) == 8).all()


def test_a_world_box_is_in_the_units_of_the_handle(tmp_path, vol):
    small = wa.open(vol.path, mode="r+", units="um")
    assert small.corner == pytest.approx((0.085, 0.016, 0.004))
    small.write(((0.085, 0.016, 0.004), (0.175, 0.048, 0.024)), counted(CHUNKS))
    assert (vol.read_index((0, 0, 0), CHUNKS) == counted(CHUNKS)).all()


@pytest.mark.parametrize(
    ("box", "shape"),
    [
        (((25, 16, 4), (175, 48, 24)), (5, 4, 5)),  # two voxels before the first on z
        (((85, 16, 4), (175, 48, 64)), (3, 4, 15)),  # x ends at 56
        (((85, 16, -1000), (175, 48, -900)), (3, 4, 25)),
    ],
)
def test_a_world_box_outside_the_array_is_refused(vol, tmp_path, box, shape):
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match="reaches outside the array"):
        vol.write(box, counted(shape))
    assert tree(tmp_path) == before


def test_a_world_box_is_aligned_as_an_index_box_is(vol):
    with pytest.raises(ArgumentError, match="axis 'y': end 3"):
        vol.write(((85, 16, 4), (175, 40, 24)), counted((3, 3, 5)))
    vol.write(((85, 16, 4), (175, 40, 24)), counted((3, 3, 5)), partial=True)
    assert (vol.read_index((0, 0, 0), (3, 3, 5)) == counted((3, 3, 5))).all()


def test_a_box_over_every_axis_writes_a_window_of_time(tmp_path):
    vol = wa.create(
        tmp_path / "em.zarr" / "s0",
        (6, 4, 6),
        "uint8",
        (0.5, 8, 4),
        (10, 4, 2),
        axes=("t", "y", "x"),
        units={"space": "nm", "time": "s"},
        chunks=(2, 4, 6),
    )
    vol.write(((10.9, 0, 0), (12, 32, 24)), counted((2, 4, 6), "uint8"))  # t: 10, 10.5, 11, 11.5, 12: 2 and 3
    assert vol.read_index((0, 0, 0), (6, 1, 1))[:, 0, 0].tolist() == [0, 0, 1, 25, 0, 0]


def test_nothing_is_resampled_on_writing(vol, tmp_path):
    before = tree(tmp_path)
    for how in ({"voxel_size": (30, 16, 8)}, {"voxel_size": VOXEL, "anchor": (85, 16, 5)}):
        resampled = wa.open(vol.path, mode="r+", on_mismatch="resample", **how)
        with pytest.raises(ArgumentError, match="nothing is resampled on writing"):
            resampled.write(resampled.box, counted(resampled.shape))
    assert tree(tmp_path) == before
    resampled.write_index((0, 0, 0), CHUNKS, counted(CHUNKS))
    assert (vol.read_index((0, 0, 0), CHUNKS) == counted(CHUNKS)).all()


def test_a_relabelled_handle_writes_the_voxels_that_its_boxes_read(vol):
    doubled = wa.open(vol.path, mode="r+", voxel_size=(60, 16, 8), on_mismatch="relabel")
    doubled.write(((170, 32, 8), (350, 96, 48)), counted(CHUNKS))  # the corner scales too: 2 * (85, 16, 4)
    assert (vol.read_index((0, 0, 0), CHUNKS) == counted(CHUNKS)).all()


# Pinned axes ---------------------------------------------------------------------------------------------------------


def channels(path, chunk, count=3, **more):
    return wa.create(
        path,
        (count, *SHAPE),
        "uint16",
        VOXEL,
        CENTRE,
        axes=("c", "z", "y", "x"),
        chunks=(chunk, *CHUNKS),
        **more,
    )


def test_a_pinned_channel_that_is_a_unit_of_its_own_is_written(tmp_path):
    every = channels(tmp_path / "em.zarr" / "s0", 1)
    one = wa.open(every.path, mode="r+", select={"c": 1})
    one.write_index((0, 0, 0), SHAPE, counted(SHAPE))
    expected = np.zeros((3, *SHAPE), "uint16")
    expected[1] = counted(SHAPE)
    assert (whole(every) == expected).all()
    assert (whole(one) == counted(SHAPE)).all()
    one.write_chunk((2, 2, 2), np.full((1, 3, 3), 7, "uint16"))
    assert (every.read_index((1, 6, 8, 10), (2, *SHAPE)) == 7).all()


@pytest.mark.parametrize(("chunk", "shards"), [(2, None), (1, (2, *SHARDS))])
def test_a_pinned_channel_that_shares_its_unit_is_refused_unless_partial(tmp_path, chunk, shards):
    every = channels(tmp_path / "em.zarr" / "s0", chunk, 4, shards=shards)
    every.write_index((0, 0, 0, 0), (4, *SHAPE), np.full((4, *SHAPE), 5, "uint16"))
    one = wa.open(every.path, mode="r+", select={"c": 2})
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match="axis 'c' is pinned to 2, but its write unit holds 2 indices"):
        one.write_index((0, 0, 0), SHAPE, counted(SHAPE))
    assert tree(tmp_path) == before
    one.write_index((0, 0, 0), SHAPE, counted(SHAPE), partial=True)
    assert (whole(one) == counted(SHAPE)).all()
    assert (every.read_index((3, 0, 0, 0), (4, *SHAPE)) == 5).all()


def test_the_last_channel_alone_in_a_clipped_unit_is_a_whole_unit(tmp_path, s3):
    every = channels(f"s3://{PUBLIC}/{tmp_path.name}/em.zarr/s0", 2)  # three channels in units of two
    last = wa.open(every.path, mode="r+", select={"c": 2})
    s3.log.clear()
    last.write_chunk((0, 0, 0), counted(CHUNKS))
    assert [method for method, _, _ in s3.log] == ["GET", "PUT"], "the document, then the unit"
    assert (every.read_index((2, 0, 0, 0), (3, *CHUNKS)) == counted(CHUNKS)).all()
    with pytest.raises(ArgumentError, match="holds 2 indices"):
        wa.open(every.path, mode="r+", select={"c": 1}).write_chunk((0, 0, 0), counted(CHUNKS))


# Units, keys, blocks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format", "shards"), STORED)
def test_write_shape_is_the_shard_else_the_chunk_and_everything_runs_on_that_grid(tmp_path, format, shards):
    vol = make(tmp_path / "em.zarr" / "s0", format=format, shards=shards)
    unit = shards or CHUNKS
    counts = (2, 2, 2) if shards else (3, 3, 3)
    assert vol.write_shape == unit
    assert vol.chunks_covering((0, 0, 0), SHAPE, write=True) == list(np.ndindex(*counts))
    assert len(vol.chunks_covering((0, 0, 0), SHAPE)) == 27
    for index in ((1, 0, 1), (0, 1, 0)):
        shape = tuple(min(u, n - i * u) for i, u, n in zip(index, unit, SHAPE, strict=True))
        vol.write_chunk(index, np.ones(shape, "uint16"))
        assert (tmp_path / "em.zarr" / "s0" / vol.chunk_key(index)).is_file()
        assert vol.parse_chunk_key(vol.chunk_key(index)) == index
    assert vol.list_chunks() == [(0, 1, 0), (1, 0, 1)]
    assert vol.list_chunks() == wa.open(vol.path).list_chunks()


@pytest.mark.parametrize(("format", "shards"), STORED)
def test_default_blocks_are_aligned_writes_and_tell_which_are_left(tmp_path, format, shards):
    vol = make(tmp_path / "em.zarr" / "s0", format=format, shards=shards)
    blocks, values = vol.blocks(), counted(SHAPE)
    for block in list(blocks)[::2]:
        vol.write_index(block.begin, block.end, values[tuple(map(slice, block.begin, block.end))])
    done = set(wa.open(vol.path).list_chunks())
    assert done == {block.index for block in list(blocks)[::2]}
    for block in blocks:  # another run, which does what is left
        if block.index not in done:
            vol.write_chunk(block.index, values[tuple(map(slice, block.begin, block.end))])
    assert (whole(vol) == values).all()


def test_write_chunk_takes_a_middle_and_a_clipped_unit_of_their_own_shape(vol):
    vol.write_chunk((0, 1, 1), counted(CHUNKS))
    vol.write_chunk((2, 2, 2), counted((1, 3, 3)))
    vol.write_chunk(np.array([2, 0, 1]), counted((1, 4, 5)))
    assert (vol.read_index((0, 4, 5), (3, 8, 10)) == counted(CHUNKS)).all()
    assert (vol.read_index((6, 8, 10), SHAPE) == counted((1, 3, 3))).all()
    assert (vol.read_index((6, 0, 5), (7, 4, 10)) == counted((1, 4, 5))).all()
    assert vol.list_chunks() == [(0, 1, 1), (2, 0, 1), (2, 2, 2)]


@pytest.mark.parametrize(
    ("index", "shape", "words"),
    [
        ((2, 2, 2), CHUNKS, r"shape \(3, 4, 5\), the box \(1, 3, 3\)"),
        ((0, 0, 0), (1, 3, 3), r"shape \(1, 3, 3\), the box \(3, 4, 5\)"),
        ((3, 0, 0), CHUNKS, "axis 'z' has write units 0 to 2, not 3"),
        ((0, -1, 0), CHUNKS, "axis 'y' has write units 0 to 2, not -1"),
        ((0, 0), CHUNKS, "index"),
        ((0, 0, 0.5), CHUNKS, "index"),
    ],
)
def test_write_chunk_refuses_what_is_no_unit_or_has_another_shape(vol, tmp_path, index, shape, words):
    before = tree(tmp_path)
    with pytest.raises((ArgumentError, ArgumentTypeError), match=words):
        vol.write_chunk(index, counted(shape))
    assert tree(tmp_path) == before


def test_an_array_without_voxels_has_no_units(tmp_path):
    vol = make(tmp_path / "em.zarr" / "s0", shape=(0, 11, 13))
    with pytest.raises(ArgumentError, match="axis 'z' has no write units"):
        vol.write_chunk((0, 0, 0), np.zeros((0, 4, 5), "uint16"))
    assert list(vol.blocks()) == []


# What others made ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["n5", "precomputed", "precomputed-sharded"])
def test_n5_and_precomputed_are_read_and_never_written(tmp_path, kind):
    folder = volumes.write(tmp_path / "v", kind)
    before = tree(tmp_path)
    for refused in (
        lambda: wa.open(volumes.level_path(folder, kind), mode="r+"),
        lambda: wa.open(folder, level=0, mode="r+"),
        lambda: wa.open_pyramid(folder, mode="r+"),
    ):
        with pytest.raises(ArgumentError, match=f"is {kind.partition('-')[0]}; only zarr v2 and v3 are written"):
            refused()
    assert tree(tmp_path) == before
    assert wa.open(folder, level=0).shape == volumes.SHAPE


@pytest.mark.parametrize("kind", ["zarr2", "zarr3", "zarr3-sharded"])
def test_arrays_that_others_made_are_opened_for_writing_with_every_rule_of_reading(tmp_path, kind):
    folder = volumes.write(tmp_path / "v", kind)
    documents = {name: data for name, data in tree(tmp_path).items() if name.endswith((".json", ".zattrs", ".zarray"))}
    vol, read = wa.open(folder, level="s0", mode="r+"), wa.open(folder, level="s0")
    assert vol.writable
    assert not read.writable
    assert (vol.meta, vol.grid, vol.box, vol.level_name) == (read.meta, read.grid, read.box, read.level_name)
    vol.write_index((0, 0, 0), volumes.SHAPE, counted(volumes.SHAPE) + 7)
    assert (whole(read) == counted(volumes.SHAPE) + 7).all()
    assert documents.items() <= tree(tmp_path).items()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<u2", ">u2"])
@pytest.mark.parametrize("separator", [".", "/"])
def test_zarr_v2_of_either_order_byte_order_and_separator_is_written_as_it_is_stored(tmp_path, order, dtype, separator):
    values = counted((4, 6)).astype(dtype)
    path = stores.zarr2(tmp_path / "a", values, (2, 3), order=order, dimension_separator=separator)
    before = tree(tmp_path)
    vol = wa.open(path, mode="r+", units=None)
    vol.write_index((0, 0), (4, 6), np.zeros((4, 6), "uint16"))
    assert vol.list_chunks() == []
    vol.write_index((0, 0), (4, 6), values)
    assert {name: data for name, data in tree(tmp_path).items() if data != "folder"} == {
        name: data for name, data in before.items() if data != "folder"
    }


@pytest.mark.parametrize("fill", [None, "0", 0])
def test_compressor_members_and_fills_that_tensorstore_refuses_do_not_stop_writing(tmp_path, fill):
    document = {
        "zarr_format": 2,
        "shape": [5, 7],
        "chunks": [2, 3],
        "dtype": "<u2",
        "compressor": {"id": "zstd", "level": 1, "checksum": False},
        "filters": None,
        "order": "C",
        "fill_value": fill,
        "dimension_separator": ".",
    }
    write_json(tmp_path / "a" / ".zarray", document)
    before = (tmp_path / "a" / ".zarray").read_bytes()
    with pytest.warns(wa.errors.PlacementWarning) if fill == "0" else nullcontext():
        vol = wa.open(tmp_path / "a", mode="r+", units=None)
    values = counted((5, 7))
    values[4, 6] = 0
    vol.write_index((0, 0), (5, 7), values)
    assert (whole(vol) == values).all()
    absent = set() if fill is None else {(2, 2)}  # where there is no fill value, no unit equals it
    assert set(vol.list_chunks()) == {(y, x) for y in range(3) for x in range(3)} - absent
    assert (tmp_path / "a" / ".zarray").read_bytes() == before


def test_a_0_d_array_is_written_as_one_voxel(tmp_path):
    path = stores.zarr3(tmp_path / "a", np.array(3, "uint16"), ())
    vol = wa.open(path, mode="r+")
    vol.write_index((), (), np.array(9, "uint16"))
    assert wa.open(path).read_index((), ()) == 9
    vol.write_chunk((), np.uint16(8))
    assert vol.read_index((), ()) == 8


def test_a_field_of_a_structured_dtype_is_read_and_not_written(tmp_path):
    values = np.zeros((4, 6), [("id", "<u2"), ("score", "<f4")])
    path = stores.zarr2(tmp_path / "a", values, (2, 3), dtype=[["id", "<u2"], ["score", "<f4"]], fill_value=None)
    assert wa.open(path, field="id", units=None).dtype == np.uint16
    with pytest.raises(ArgumentError, match="field='id'"):
        wa.open(path, field="id", mode="r+", units=None)


def test_a_level_that_is_a_symbolic_link_is_never_written_through(tmp_path):
    real = make(tmp_path / "em.zarr" / "s0")
    (tmp_path / "em.zarr" / "s1").symlink_to(tmp_path / "em.zarr" / "s0")
    assert wa.detect(tmp_path / "em.zarr" / "s1").kind == "array"
    with pytest.raises(ArgumentError, match="symbolic link"), pytest.warns(wa.errors.PlacementWarning):
        wa.open(tmp_path / "em.zarr" / "s1", mode="r+")
    real.write_chunk((0, 0, 0), counted(CHUNKS))


def test_what_is_read_over_http_is_not_written(tmp_path):
    make(tmp_path / "em.zarr" / "s0")
    with serving(HttpServer) as server:
        server.add_folder(tmp_path)
        path = f"{server.url}/em.zarr"
        assert wa.open(path, level="s0").shape == SHAPE
        with pytest.raises(ArgumentError, match="read alone"):
            wa.open(path, level="s0", mode="r+")


def test_modes_are_r_and_r_plus(vol):
    for mode in ("w", "a", "x", "w-", "r++", None):
        with pytest.raises(ArgumentError, match="'r', or 'r\\+'"):
            wa.open(vol.path, mode=mode)
        with pytest.raises(ArgumentError, match="'r', or 'r\\+'"):
            wa.open_pyramid(vol.path, mode=mode)
    assert not hasattr(wa.open(vol.path), "write_index")


def test_documents_are_not_touched_by_writing(vol, tmp_path):
    before = {name: data for name, data in tree(tmp_path).items() if name.endswith(".json")}
    vol.write_index((0, 0, 0), SHAPE, counted(SHAPE))
    vol.write_index((1, 1, 1), (2, 2, 2), counted((1, 1, 1)), partial=True)
    after = tree(tmp_path)
    assert before.items() <= after.items()
    assert not [name for name in after if "lock" in name], "nothing is left beside the chunks"
    assert json.loads(after["em.zarr/s0/zarr.json"])["shape"] == list(SHAPE)
