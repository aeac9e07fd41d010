"""Index reads clip, read and pad: what conformance does not say as data."""

import numpy as np
import pytest
from stores import CZYX, SHAPE, coded, placed, volume, zarr2, zarr3

import worldarray as wa

DATA = coded(*SHAPE)


@pytest.fixture
def vol(tmp_path):
    return wa.open(volume(tmp_path / "em.zarr"))


def empty_chunks(path):
    for file in path.rglob("c/**/*"):
        if file.is_file():
            file.write_bytes(b"short")


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ([1, 2, 3], [3, 4, 5]),
        (np.array([1, 2, 3]), np.array([3, 4, 5], np.uint8)),
        ((np.int64(1), np.int8(2), 3), (True + 2, 4, 5)),
    ],
    ids=["list", "numpy", "mixed"],
)
def test_bounds_are_any_integers(vol, begin, end):
    np.testing.assert_array_equal(vol.read_index(begin, end), DATA[1:3, 2:4, 3:5])


@pytest.mark.parametrize("padding", [7, "edge"])
def test_the_part_inside_is_stored_and_the_rest_is_padding_on_every_side(vol, padding):
    # four voxels of z from -1 to 5, y from 3 to 6, x from -2 to 7: the data is z 0..3, y 3..4, x 0..5
    got, mask = vol.read_index((-1, 3, -2), (5, 6, 7), padding, mask=True)
    where = np.zeros((6, 3, 9), bool)
    where[1:5, 0:2, 2:8] = True
    clipped = DATA[np.ix_(*(np.clip(np.arange(b, e), 0, n - 1) for b, e, n in [(-1, 5, 4), (3, 6, 5), (-2, 7, 6)]))]
    np.testing.assert_array_equal(mask, where)
    np.testing.assert_array_equal(got, clipped if padding == "edge" else np.where(where, clipped, 7))


@pytest.mark.parametrize("box", [((4, 0, 0), (6, 2, 2)), ((0, -9, 0), (4, 0, 6)), ((1, 1, 6), (2, 2, 8))])
def test_a_box_outside_the_data_touches_no_storage_for_a_value(tmp_path, box):
    path = volume(tmp_path / "em.zarr")
    empty_chunks(tmp_path)
    vol = wa.open(path)
    shape = tuple(e - b for b, e in zip(*box, strict=False))
    np.testing.assert_array_equal(vol.read_index(*box, padding=9), np.full(shape, 9))
    assert vol._reader is None
    with pytest.raises(wa.errors.DataError):
        vol.read_index(*box, padding="edge")


@pytest.mark.parametrize(
    "make",
    [
        lambda path, values: zarr2(path, values.astype(">u2")),
        lambda path, values: zarr2(path, values.astype(">u2"), order="F"),
        lambda path, values: zarr2(path, values.astype("<u2"), order="F", chunks=(2, 3, 4)),
    ],
    ids=["big-endian", "big-endian F", "F in chunks"],
)
@pytest.mark.parametrize("box", [((0, 0, 0), SHAPE), ((1, 2, 3), (3, 4, 5)), ((-1, 0, 0), (2, 2, 9))])
@pytest.mark.parametrize("padding", [0, "edge"])
def test_the_result_is_c_contiguous_in_native_byte_order(tmp_path, make, box, padding):
    vol = wa.open(make(tmp_path / "a", DATA), units=None)
    got = vol.read_index(*box, padding=padding)
    assert got.flags.c_contiguous
    assert got.dtype == np.dtype("uint16")
    assert got.dtype.isnative
    inside = tuple(slice(max(b, 0), e) for b, e in zip(*box, strict=False))
    lead = max(-box[0][0], 0)
    stored = DATA[inside]
    np.testing.assert_array_equal(got[lead:, : stored.shape[1], : stored.shape[2]], stored)


def test_the_result_is_the_callers_to_write_to(vol):
    first = vol.read_index((0, 0, 0), SHAPE)
    first[:] = 0
    np.testing.assert_array_equal(vol.read_index((0, 0, 0), SHAPE), DATA)


def test_padding_is_a_default_of_the_handle_and_an_argument_of_the_read(vol):
    vol.padding = 5
    assert vol.read_index((4, 0, 0), (5, 1, 1)) == 5
    assert vol.read_index((4, 0, 0), (5, 1, 1), padding=6) == 6
    vol.padding = "edge"
    assert vol.read_index((4, 0, 0), (5, 1, 1)) == 300
    with pytest.raises(wa.errors.ArgumentError, match=r"70000.*uint16"):
        vol.padding = 70000
    assert vol.padding == "edge"


def test_a_read_pins_axes_for_itself_only(tmp_path):
    values = coded(3, 4, 5, 6)
    vol = wa.open(placed(tmp_path / "em.zarr", values, (1, 30, 8, 4), (0, 0, 0, 0), CZYX))
    np.testing.assert_array_equal(vol.read_index((1, 2, 3), (3, 5, 4), select={"c": 2}), values[2, 1:3, 2:5, 3:4])
    np.testing.assert_array_equal(vol.read_index((0, 1, 2, 3), (2, 3, 5, 4)), values[0:2, 1:3, 2:5, 3:4])
    assert vol.axes == ("c", "z", "y", "x")
    pinned = wa.open(vol.path, select={"c": 1})
    assert (pinned.axes, pinned.shape, pinned.ts.shape) == (("z", "y", "x"), (4, 5, 6), (4, 5, 6))
    np.testing.assert_array_equal(pinned.read_index((1, 2, 3), (3, 5, 4)), values[1, 1:3, 2:5, 3:4])
    with pytest.raises(ValueError, match=r"select names 'c'; the axes of .* are z, y, x"):
        pinned.read_index((1, 2, 3), (3, 5, 4), select={"c": 1})


def test_a_transform_sees_stored_values_and_never_padding(vol):
    seen = []

    def halved(block):
        seen.append(block.copy())
        return block / 2

    got = vol.read_index((3, 4, 4), (5, 5, 6), padding=-1, transform=halved)
    # voxels (3, 4, 4) and (3, 4, 5) are 344 and 345
    np.testing.assert_array_equal(got, [[[172, 172.5]], [[-1, -1]]])
    assert got.dtype == np.float64
    assert [block.shape for block in seen] == [(1, 1, 1), (1, 1, 2)]


def test_the_dtype_never_depends_on_where_the_box_lies(vol):
    def to_float32(block):
        return block.astype(np.float32) / 1000

    for z in (-9, -1, 0, 3, 4, 9):
        for padding in (np.nan, "edge"):
            got = vol.read_index((z, 0, 0), (z + 1, 1, 1), padding=padding, transform=to_float32)
            assert got.dtype == np.float32
    assert vol.read_index((0, 0, 0), (0, 0, 0), transform=to_float32).dtype == np.float32


def test_padding_is_checked_against_what_the_transform_makes(vol):
    with pytest.raises(wa.errors.ArgumentError, match=r"-1.*uint8"):
        vol.read_index((0, 0, 0), (1, 1, 1), padding=-1, transform=lambda block: block.astype(np.uint8))
    with pytest.raises(wa.errors.ArgumentError, match="uint16"):
        vol.read_index((0, 0, 0), (1, 1, 1), padding=np.nan)


def test_learning_the_dtype_of_a_transform_says_nothing(vol):
    # the logarithm of the fill value 0, and 0 / 0, are no news to the caller
    assert vol.read_index((1, 0, 0), (2, 1, 1), transform=np.log).dtype == np.float32
    assert vol.read_index((1, 0, 0), (2, 1, 1), transform=lambda b: b / b.max()) == 1


def test_a_transform_keeps_the_shape(vol):
    with pytest.raises(wa.errors.ArgumentError, match="keeps the shape"):
        vol.read_index((0, 0, 0), (2, 2, 2), transform=np.ravel)


def test_many_transforms_are_not_kept(vol):
    for _ in range(200):
        vol.read_index((4, 0, 0), (5, 1, 1), transform=lambda block: block + 1)
    assert len(vol._dtypes) < 100


def test_index_and_world_reads_of_one_box_agree(vol):
    box = ((100, 20, 9), (170, 90, 40))
    np.testing.assert_array_equal(vol.read_index(*vol.index_box(box), padding=3), vol.read(box, padding=3))


def test_chunks_covering_is_what_a_voxel_box_touches(vol):
    # chunks of (2, 3, 4) over (4, 5, 6)
    assert vol.chunks_covering((1, 0, 0), (3, 1, 5)) == [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)]
    assert vol.chunks_covering((-5, 4, 5), (1, 99, 99)) == [(0, 1, 1)]
    assert vol.chunks_covering((2, 2, 2), (2, 2, 2)) == []


def test_ts_has_c_order_axes_and_origin_0(vol):
    assert vol.ts.origin == (0, 0, 0)
    assert vol.ts[1, 2, 3].read().result() == 123


def test_a_plain_array_reads_like_any_other(tmp_path):
    vol = wa.open(zarr3(tmp_path / "plain", DATA), units=None)
    np.testing.assert_array_equal(vol.read_index((0, 0, 0), SHAPE), DATA)
    assert (vol.voxel_size, vol.corner) == ((1, 1, 1), (0, 0, 0))
