"""World boxes select voxels by their centres: boxes of every kind, strict reads, float noise far from the origin."""

from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import CENTRE, CORNER, END, SHAPE, VOXEL, coded, placed, volume, zarr3

import worldarray as wa

DATA = coded(*SHAPE)


@pytest.fixture
def vol(tmp_path):
    return wa.open(volume(tmp_path / "em.zarr"))


class Roi:
    """What a funlib Roi looks like: integers, offset and shape, and begin and end besides."""

    def __init__(self, offset, shape):
        self.offset, self.shape = offset, shape
        self.begin = offset
        self.end = tuple(o + s for o, s in zip(offset, shape, strict=False))


# z [115, 175) is voxels 1 and 2 of corner 85 + 30 i; y [24, 40) voxels 1, 2 of 16 + 8 i; x [8, 16) 1, 2 of 4 + 4 i
BEGIN, STOP = (115, 24, 8), (175, 40, 16)
BOXES = {
    "tuples": (BEGIN, STOP),
    "lists": [list(BEGIN), list(STOP)],
    "array": np.array([BEGIN, STOP], float),
    "arrays": (np.array(BEGIN), np.array(STOP, np.float32)),
    "box": wa.Box(BEGIN, STOP),
    "begin and end": SimpleNamespace(begin=BEGIN, end=list(STOP)),
    "offset and shape": SimpleNamespace(offset=BEGIN, shape=(60, 16, 8)),
    "offset and shape arrays": SimpleNamespace(offset=np.array(BEGIN), shape=np.array((60, 16, 8))),
    "roi": Roi(BEGIN, (60, 16, 8)),
    "fractions": (tuple(map(Fraction, BEGIN)), tuple(map(Fraction, STOP))),
}


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
def test_a_box_is_anything_with_bounds(vol, box):
    np.testing.assert_array_equal(vol.read(box), DATA[1:3, 1:3, 1:3])
    np.testing.assert_array_equal(vol.read(box, strict=True), DATA[1:3, 1:3, 1:3])
    assert vol.index_box(box) == ((1, 1, 1), (3, 3, 3))


def test_the_arrays_own_box_is_the_whole_array_without_padding(vol):
    assert vol.box == wa.Box(CORNER, END)
    got, mask = vol.read(vol.box, padding=9999, mask=True, strict=True)
    np.testing.assert_array_equal(got, DATA)
    assert mask.all()
    assert mask.shape == SHAPE


def test_a_roi_clipped_and_snapped_reads_what_it_meets(vol):
    roi = Roi((0, 20, 10), (120, 1000, 11))
    # z [85, 120) grows to [85, 145): voxels 0, 1; y [20, 56) to [16, 56): all 5; x [10, 21) to [8, 24): voxels 1 to 4
    box = vol.box.intersect(roi).snap(vol.voxel_size, vol.translation)
    assert box == wa.Box((85, 16, 8), (145, 56, 24))
    np.testing.assert_array_equal(vol.read(box, strict=True), DATA[0:2, :, 1:5])


@pytest.mark.parametrize(
    ("box", "found"),
    [
        # corners: y [16, 24) is voxel 0; centres: y [20, 28) goes from the centre of voxel 0 to that of voxel 1
        (((100, 16, 6), (130, 24, 10)), ((0, 0, 0), (1, 1, 1))),
        (((130, 20, 10), (190, 28, 18)), ((1, 0, 1), (3, 1, 3))),
        # noise of a millionth of a voxel on either side of a centre is that centre
        (((100 + 2e-5, 20 - 7e-6, 6 + 3e-6), (190 - 2e-5, 44 + 7e-6, 18 - 3e-6)), ((0, 0, 0), (3, 3, 3))),
        # negative zero is zero
        (((-0.0, -0.0, -0.0), (100, 20, 6)), ((-3, -2, -1), (0, 0, 0))),
        # before the data, across it and past it
        (((-1000, 0, 0), (-970, 1000, 4)), ((-36, -2, -1), (-35, 123, 0))),
    ],
)
def test_voxels_are_selected_by_their_centres(vol, box, found):
    # z centres 100 + 30 i, y 20 + 8 i, x 6 + 4 i: (0 - 100) / 30 = -3.33 to -3; (0 - 20) / 8 = -2.5 to -2;
    # (-1000 - 100) / 30 = -36.67 to -36, one voxel long; (1000 - 20) / 8 = 122.5 to 123, an extent of 125 voxels
    assert vol.index_box(box) == found


@pytest.mark.parametrize(
    ("box", "axis"),
    [
        (((100, 16, 5), (130, 24, 9)), "x"),
        (((100, 18, 4), (130, 26, 8)), "y"),
        (((90, 16, 4), (120, 24, 8)), "z"),
        (((85, 16, 4), (115, 24, 6)), "x"),
    ],
)
def test_strict_names_the_axis_that_is_aligned_to_neither(vol, box, axis):
    assert vol.read(box).ndim == 3
    with pytest.raises(wa.errors.ArgumentError, match=f"axis '{axis}'") as caught:
        vol.read(box, strict=True)
    assert caught.value.code == "not_aligned"


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("box", "error", "says"),
    [
        (((0, 0), (1, 1)), ValueError, "give 3"),
        (((0, 0, 0, 0), (1, 1, 1, 1)), ValueError, "give 3"),
        (((0, 0, 0), (1, 1)), ValueError, "length"),
        (((0, 0, 0), (1, 1, float("nan"))), ValueError, "nan"),
        (((0, 0, 0), (1, 1, float("inf"))), ValueError, "inf"),
        (((0, 0, 0), (1, 1, -1)), ValueError, "before"),
        (None, TypeError, "no box"),
        (5, TypeError, "no box"),
        ("ab", TypeError, "no box"),
        ((("a", 0, 0), (1, 1, 1)), TypeError, "number"),
        (((0, 0, 0), None), TypeError, "no box"),
        (((0, 0, 0), (1, 1, 1), (2, 2, 2)), TypeError, "no box"),
    ],
)
def test_what_is_no_box_says_so(vol, box, error, says, strict):
    with pytest.raises(error, match=says) as caught:
        vol.read(box, strict=strict)
    assert isinstance(caught.value, wa.errors.WorldArrayError)
    with pytest.raises(error, match=says):
        vol.index_box(box)


def test_a_block_is_no_world_box(vol):
    block = vol.blocks()[0]
    with pytest.raises(TypeError, match="read_index"):
        vol.read(block)
    np.testing.assert_array_equal(vol.read_index(block.read_begin, block.read_end), DATA[0:2, 0:3, 0:4])


def test_default_blocks_are_write_units_and_tile_the_array(vol):
    out = np.zeros(SHAPE, np.uint16)
    for block in vol.blocks(context=1):
        part = vol.read_index(block.read_begin, block.read_end)
        out[tuple(map(slice, block.begin, block.end))] = part[block.inner]
    np.testing.assert_array_equal(out, DATA)
    assert len(vol.blocks()) == 2 * 2 * 2


FAR = 10.48, 3.7  # voxel size and translation of a grid whose float quotients are noise at index 1e5


@pytest.fixture
def far(tmp_path):
    return wa.open(placed(tmp_path / "far.zarr", np.zeros((1, 1, 1), "u1"), (FAR[0],) * 3, (FAR[1],) * 3))


@pytest.mark.parametrize("count", [1, 7, 128])
@pytest.mark.parametrize("half", [0, 0.5], ids=["centres", "corners"])
def test_aligned_boxes_are_exact_at_index_100000_of_a_10_48_grid(far, count, half):
    size, centre = FAR
    for k in (*range(99_990, 100_010), -100_003, 65_537):
        # from the centre (half 0) or the corner (half a voxel lower) of voxel k: exactly voxels k .. k + count - 1
        begin = centre + (k - half) * size
        box = ((begin,) * 3, (begin + count * size,) * 3)
        assert far.index_box(box) == ((k,) * 3, (k + count,) * 3)
        box = ((begin,) * 3, (centre + (k + count - half) * size,) * 3)
        assert far.index_box(box) == ((k,) * 3, (k + count,) * 3)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(data=st.data())
def test_adjoining_boxes_tile_and_whole_extents_are_exact(data):
    # an oracle in exact fractions of the centre rule, away from the tolerance
    size = data.draw(st.sampled_from([4.0, 10.48, 0.3, 1e6 / 7]))
    centre = data.draw(st.sampled_from([0.0, 3.7, -1e5, 12345.678]))
    grid = wa.Grid((10,), (size,), (centre,), axes=("x",))
    cuts = sorted(data.draw(st.lists(st.floats(-50, 50, width=32), min_size=2, max_size=5)))
    bounds = [centre + cut * size for cut in cuts]
    ranges = [grid.index_box(((low,), (high,))) for low, high in pairwise(bounds)]
    for (_, (stop,)), ((begin,), _) in pairwise(ranges):
        assert stop == begin
    whole = data.draw(st.integers(0, 9))
    ((low,), (high,)) = grid.index_box(((bounds[0],), (bounds[0] + whole * size,)))
    assert high - low == whole
    quotient = (Fraction(bounds[0]) - Fraction(centre)) / Fraction(size)
    if abs(quotient - round(quotient)) > Fraction(1, 10**5):
        assert low == -(-quotient.numerator // quotient.denominator)


def test_a_box_over_a_two_dimensional_array_has_two_entries(tmp_path):
    axes = (("y", "space", "nanometer"), ("x", "space", "nanometer"))
    values = coded(5, 6)
    vol = wa.open(placed(tmp_path / "flat.zarr", values, (8, 4), (4, 2), axes))
    # y [8, 24) is voxels 1, 2; x [4, 12) voxels 1, 2
    np.testing.assert_array_equal(vol.read(((8, 4), (24, 12))), values[1:3, 1:3])


def test_an_array_without_spatial_axes_is_read_by_every_axis_or_whole(tmp_path):
    axes = (("t", "time", "second"), ("c", "channel", None))
    values = coded(4, 3)
    vol = wa.open(placed(tmp_path / "series.zarr", values, (0.5, 1), (10, 0), axes))
    assert (vol.spatial, vol.voxel_size, vol.box) == ((), (), wa.Box((), ()))
    np.testing.assert_array_equal(vol.read(vol.box), values)
    # samples at 10, 10.5, 11, 11.5 s: [10.5, 11.5) holds two; channel [1, 2) is channel 1
    np.testing.assert_array_equal(vol.read(((10.5, 1), (11.5, 2))), values[1:3, 1:2])


def test_world_facts_are_the_documents_in_the_units_asked_for(tmp_path):
    path = volume(tmp_path / "em.zarr")
    vol = wa.open(path, units="micrometer")
    assert vol.voxel_size == (0.03, 0.008, 0.004)
    assert vol.translation == (0.1, 0.02, 0.006)
    assert vol.grid.units == ("micrometer",) * 3
    assert vol.meta.voxel_size == VOXEL
    assert vol.meta.translation == CENTRE
    np.testing.assert_array_equal(vol.read(((0.115, 0.024, 0.008), (0.175, 0.04, 0.016))), DATA[1:3, 1:3, 1:3])


def test_a_plain_array_lies_at_its_indices(tmp_path):
    with pytest.warns(wa.errors.PlacementWarning, match="no unit"):
        vol = wa.open(zarr3(tmp_path / "plain", DATA))
    assert (vol.translation, vol.corner, vol.meta.placed_by) == ((0.5, 0.5, 0.5), (0, 0, 0), None)
    np.testing.assert_array_equal(vol.read(((1, 2, 3), (3, 4, 5))), DATA[1:3, 2:4, 3:5])
