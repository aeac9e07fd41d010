"""Resampling as handles and reads do it: target grids, order of transforms and padding, chunk independence."""

import itertools
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import CZYX, TCZYX, coded, placed, pyramid, volume, zarr3

import worldarray as wa
from worldarray.errors import ArgumentError, ArgumentTypeError, UnitError

X = (("x", "space", "nanometer"),)
LINE = np.array([3, 10, 14, 26, 25, 31, 40], "uint8")


@pytest.fixture
def line(tmp_path):
    """Seven voxels of 4 nm from the corner 4: [4, 32)."""
    return placed(tmp_path / "line.zarr", LINE, (4,), (6,), X, chunks=(3,))


# Handles --------------------------------------------------------------------------------------------------------------


def test_a_resample_target_at_opening_is_what_the_handle_describes(tmp_path):
    path = pyramid(tmp_path / "em.zarr")
    vol = wa.open(path, voxel_size=(60, 20, 12), on_mismatch="resample", method="linear")
    # floor picks s1, (4, 3, 4) voxels of (30, 16, 8) from (85, 16, 4): ceil(120/60), ceil(48/20), ceil(32/12)
    assert (vol.level_name, vol.resampled, vol.source_voxel_size) == ("s1", True, (30, 16, 8))
    assert (vol.shape, vol.voxel_size) == ((2, 3, 3), (60, 20, 12))
    assert vol.corner == (85, 16, 4)
    assert vol.translation == (115, 26, 10)  # corner + half a target voxel
    assert vol.box == wa.Box((85, 16, 4), (205, 76, 40))
    assert vol.read(vol.box, strict=True).shape == vol.shape
    # the stored grid is what it was
    assert vol.meta.shape == vol.ts.shape == vol.grid.shape == (4, 3, 4)
    assert vol.grid.voxel_size == (30, 16, 8)
    assert vol.index_box(((85, 16, 4), (145, 48, 20))) == ((0, 0, 0), (2, 2, 2))
    assert vol.read_index((0, 0, 0), (4, 3, 4)).shape == (4, 3, 4)
    assert len(vol.blocks((2, 3, 4))) == 2
    assert vol.chunks_covering((0, 0, 0), (4, 3, 4)) == [(0, 0, 0)]
    # the target as a grid
    target = vol.target
    assert (target.shape, target.voxel_size, target.translation) == (vol.shape, vol.voxel_size, vol.translation)
    assert target.box == vol.box
    assert target.units == ("nanometer",) * 3
    # a size given to the read replaces the target's; the stored size reads what is stored
    np.testing.assert_array_equal(vol.read(((85, 16, 4), (205, 64, 36)), (30, 16, 8)), coded(4, 3, 4, base=1000))


def test_an_anchored_target_covers_the_data_from_the_grid_that_holds_the_anchor(line):
    # target voxels of 10 with a corner at 101, and so at 1: [1, 11), [11, 21), [21, 31), [31, 41) meet [4, 32)
    vol = wa.open(line, voxel_size=10, on_mismatch="resample", anchor=101)
    assert (vol.shape, vol.corner, vol.translation) == ((4,), (1,), (6,))
    assert vol.box == wa.Box((1,), (41,))
    # centres 6, 16, 26, 36 lie in source voxels 0, 3, 5 and outside
    got, mask = vol.read(vol.box, mask=True, padding=99)
    np.testing.assert_array_equal(got, [3, 26, 31, 99])
    np.testing.assert_array_equal(mask, [True, True, True, False])
    assert vol.target.box == vol.box
    assert vol.reopen().corner == (1,)


def test_an_anchor_alone_is_for_reads_that_name_a_size(line):
    vol = wa.open(line, anchor=2)
    assert (vol.resampled, vol.shape, vol.corner) == (False, (7,), (4,))
    np.testing.assert_array_equal(vol.read(vol.box), LINE)
    # voxels of 8 from 2: [2, 10) centred at 6, [10, 18) at 14, ...: source voxels 0, 2, 4, 6
    np.testing.assert_array_equal(vol.read(((2,), (34,)), 8), LINE[[0, 2, 4, 6]])
    # voxels of the stored size from 2: centres 4, 8, ...: 4 is the corner of voxel 0, 8 that of voxel 1
    shifted = wa.open(line, voxel_size=4, anchor=2)
    assert (shifted.resampled, shifted.shape, shifted.corner) == (True, (8,), (2,))
    np.testing.assert_array_equal(shifted.read(shifted.box, padding=77), [*LINE, 77])


def test_the_anchor_of_a_read_goes_before_the_handles(line):
    vol = wa.open(line, voxel_size=8, on_mismatch="resample", anchor=2)
    # from 4: [4, 12) centred at 8, the corner of voxel 1; from 2: centred at 6
    assert vol.read(((4,), (12,)), anchor=4) == LINE[1]
    assert vol.read(((2,), (10,))) == LINE[0]


def test_keeping_or_relabelling_is_no_resampling(line):
    for on_mismatch in ("keep", "relabel"):
        vol = wa.open(line, voxel_size=5, on_mismatch=on_mismatch)
        assert (vol.resampled, vol.shape) == (False, (7,))
        np.testing.assert_array_equal(vol.read(vol.box), LINE)


def test_other_axes_are_never_resampled(tmp_path):
    values = coded(2, 3, 2, 4, 4, dtype="uint32")
    path = placed(tmp_path / "t.zarr", values, (500, 1, 40, 8, 4), (1000, 0, 0, 0, 0), TCZYX)
    vol = wa.open(path, voxel_size=(40, 16, 8), on_mismatch="resample", units={"space": "nm", "time": "s"})
    assert vol.shape == (2, 3, 2, 2, 2)
    assert vol.voxel_size == (40, 16, 8)
    # a window of one sample at 1.5 s and channels 1, 2; y and x are read at 1 and 3
    got = vol.read(((1.25, 1, -20, -4, -2), (1.75, 3, 60, 28, 14)))
    np.testing.assert_array_equal(got, values[1:2, 1:3, :, 1::2, 1::2])
    pinned = wa.open(path, voxel_size=(40, 16, 8), on_mismatch="resample", select={"t": 1})
    assert pinned.shape == (3, 2, 2, 2)
    np.testing.assert_array_equal(pinned.read(pinned.box, select={"c": 2}), values[1, 2, :, 1::2, 1::2])


# Order ----------------------------------------------------------------------------------------------------------------


def test_transform_comes_before_resampling_and_post_transform_after_it(line):
    vol = wa.open(line)
    # squares of 3, 10, 14, 26 are 9, 100, 196, 676: as uint16 their means by 2 are 54.5 to 54 and 436
    squared = vol.read(((4,), (20,)), 8, method="linear", transform=lambda b: b.astype("uint16") ** 2)
    np.testing.assert_array_equal(squared, np.array([54, 436], "uint16"))
    assert squared.dtype == np.uint16
    # means 6.5 to 6 and 20, cast back to the stored dtype; then their squares
    seen = []

    def after(block):
        seen.append(block.dtype)
        return block.astype("float32") ** 2

    later = vol.read(((4,), (20,)), 8, method="linear", post_transform=after)
    np.testing.assert_array_equal(later, np.array([36, 400], "float32"))
    assert set(seen) == {np.dtype("uint8")}
    # halved, then meaned, then moved by one
    both = vol.read(((4,), (20,)), 8, method="linear", transform=lambda b: b / 2, post_transform=lambda b: b + 1)
    np.testing.assert_array_equal(both, [(1.5 + 5) / 2 + 1, (7 + 13) / 2 + 1])


@pytest.mark.parametrize("method", ["nearest", "linear"])
def test_padding_is_never_transformed_or_resampled(line, method):
    vol = wa.open(line, transform=lambda block: block / np.float32(2))
    # targets of 8 from 4: four hold data, the last one voxel; two before and two after are padding
    got, mask = vol.read(
        ((-12,), (52,)), 8, -7.5, method, mask=True, post_transform=lambda block: block + np.float32(100)
    )
    np.testing.assert_array_equal(got[[0, 1, 6, 7]], [-7.5] * 4)
    np.testing.assert_array_equal(
        mask, [False] * 2 + [method == "linear" or c < 32 for c in (8, 16, 24, 32)] + [False] * 2
    )
    values = {"nearest": LINE[[1, 3, 5]], "linear": [6.5, 20, 28]}[method]
    np.testing.assert_array_equal(got[2:5], np.asarray(values, "float32") / 2 + 100)
    assert got.dtype == np.float32


@pytest.mark.parametrize("how", ["transform", "post_transform"])
@pytest.mark.parametrize("method", ["nearest", "linear"])
@pytest.mark.parametrize("padding", [5, "edge"])
def test_the_dtype_is_the_transforms_wherever_the_box_lies(line, how, method, padding):
    vol = wa.open(line)
    for begin in (-80, -4, 4, 8, 20, 28, 36, 800):
        got = vol.read(((begin,), (begin + 8,)), 8, padding, method, **{how: lambda b: b.astype("int64")})
        assert got.dtype == np.int64


def test_a_transform_whose_dtype_depends_on_its_values_is_refused(line):
    vol = wa.open(line)
    with pytest.raises(ArgumentError, match="dtype"):
        vol.read(vol.box, transform=lambda block: block.astype(np.float32 if block.any() else np.uint8))


@pytest.mark.parametrize(("padding", "outside"), [(200, 200), (0, 0)])
def test_padding_is_checked_and_given_in_the_stored_dtype(line, padding, outside):
    vol = wa.open(line)
    got = vol.read(((28,), (44,)), 8, padding, "linear")
    np.testing.assert_array_equal(got, np.array([40, outside], "uint8"))
    with pytest.raises(ArgumentError, match=r"300.*uint8"):
        vol.read(((4,), (12,)), 8, 300)


def test_methods_and_sizes_are_arguments_of_the_read_and_defaults_of_the_handle(line):
    vol = wa.open(line, voxel_size=8, on_mismatch="resample")
    assert (vol.method, vol.read(((4,), (12,)))) == ("nearest", LINE[1])
    assert vol.read(((4,), (12,)), method="linear") == 6
    vol.method = "linear"
    assert vol.read(((4,), (12,))) == 6
    for set_ in (lambda: setattr(vol, "method", "cubic"), lambda: vol.read(vol.box, method="cubic")):
        with pytest.raises(ArgumentError, match="'nearest', 'linear'"):
            set_()
    assert vol.method == "linear"


def test_no_storage_is_touched_for_a_box_outside(line):
    vol = wa.open(line, voxel_size=8, on_mismatch="resample")
    np.testing.assert_array_equal(vol.read(((1000,), (1016,)), padding=3), [3, 3])
    assert vol._reader is None


# Chunk independence ---------------------------------------------------------------------------------------------------


def exact_nearest(values, size, corner, target, anchor, index, edge):
    """The source voxel that holds the centre of a target voxel, in exact fractions; None where none does."""
    centre = (Fraction(anchor) + (index + Fraction(1, 2)) * Fraction(target) - Fraction(corner)) / Fraction(size)
    found = floor(centre)
    if edge:
        found = min(max(found, 0), len(values) - 1)
    return values[found] if 0 <= found < len(values) else None


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    target=st.sampled_from([2, 3, 4, 5, 6, 8, 12, 20, 7.5, 4.25]),
    anchor=st.sampled_from([None, 0, 4, 5, -3.5, 1000.25]),
    method=st.sampled_from(["nearest", "linear"]),
    padding=st.sampled_from([255, "edge"]),
    cuts=st.lists(st.integers(-6, 22), min_size=2, max_size=4).map(sorted),
)
def test_adjoining_reads_agree_with_one_across_them(line_factory, target, anchor, method, padding, cuts):
    vol = line_factory
    origin = 4 if anchor is None else anchor
    bounds = [origin + cut * target for cut in cuts]
    how = {"voxel_size": target, "anchor": anchor, "method": method, "padding": padding, "mask": True}
    whole, mask = vol.read(((bounds[0],), (bounds[-1],)), **how)
    parts = [vol.read(((low,), (high,)), **how) for low, high in itertools.pairwise(bounds)]
    np.testing.assert_array_equal(np.concatenate([part for part, _ in parts]), whole)
    np.testing.assert_array_equal(np.concatenate([held for _, held in parts]), mask)
    assert len(whole) == cuts[-1] - cuts[0]
    if method == "nearest":
        expected = [
            exact_nearest(LINE, 4, 4, target, origin, index, padding == "edge") for index in range(cuts[0], cuts[-1])
        ]
        np.testing.assert_array_equal(whole, [255 if value is None else value for value in expected])


@pytest.fixture(scope="module")
def line_factory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("resampled")
    return wa.open(placed(folder / "line.zarr", LINE, (4,), (6,), X, chunks=(3,)))


@pytest.mark.parametrize("method", ["nearest", "linear"])
@pytest.mark.parametrize("size", [(60, 16, 8), (30, 12, 4), (45, 8, 6), (15, 4, 2), (30, 20, 12), (60, 8, 6)])
@pytest.mark.parametrize("padding", [9999, "edge"])
def test_blocks_of_the_target_agree_with_the_whole_in_three_dimensions(tmp_path, method, size, padding):
    vol = wa.open(volume(tmp_path / "em.zarr"), voxel_size=size, on_mismatch="resample", method=method)
    target = vol.target
    whole = vol.read(vol.box.grow([2 * s for s in size]), padding=padding)
    again = np.zeros_like(whole)
    shape = tuple(n + 4 for n in target.shape)
    for block in wa.blocks(shape, (2, 3, 3)):
        begin, end = ([i - 2 for i in bound] for bound in (block.begin, block.end))
        part = vol.read(wa.Box.from_index(begin, end, target.voxel_size, target.translation), padding=padding)
        again[tuple(map(slice, block.begin, block.end))] = part
        np.testing.assert_array_equal(vol.read_onto(target, begin, end, padding=padding), part)
    np.testing.assert_array_equal(again, whole)


def test_labels_read_coarser_introduce_no_values(tmp_path):
    labels = (2**63 + coded(4, 6, 8, dtype="uint64") * 7919).astype("uint64")
    vol = wa.open(placed(tmp_path / "seg.zarr", labels, (8, 8, 8), (4, 4, 4)))
    got = vol.read(((0, 0, 0), (48, 64, 80)), 16, padding=2**64 - 1)
    np.testing.assert_array_equal(got[:2, :3, :4], labels[1::2, 1::2, 1::2])
    assert (got[2:] == 2**64 - 1).all()


# Onto another grid ----------------------------------------------------------------------------------------------------


def test_onto_an_array_is_onto_what_it_reads(tmp_path, line):
    mine = wa.open(line)
    other = wa.open(placed(tmp_path / "o.zarr", np.zeros(3, "u1"), (8,), (8,), X))
    # the other covers [4, 28) in voxels of 8: source voxels 1, 3, 5
    np.testing.assert_array_equal(mine.read_onto(other), LINE[[1, 3, 5]])
    np.testing.assert_array_equal(mine.read_onto(other, method="linear"), [6, 20, 28])
    np.testing.assert_array_equal(mine.read_onto(other, [1], [4], padding=250), [LINE[3], LINE[5], 250])
    resampled = wa.open(other.path, voxel_size=2, on_mismatch="resample")
    # twelve voxels of 2 from 4: each source voxel twice
    np.testing.assert_array_equal(mine.read_onto(resampled), np.repeat(LINE[:6], 2))
    got, mask = mine.read_onto(other, (2,), (5,), mask=True, padding="edge")
    np.testing.assert_array_equal(mask, [True, False, False])
    np.testing.assert_array_equal(got, [31, 40, 40])


@pytest.mark.parametrize("unit", ["nm", "um", "angstrom", "mm"])
def test_onto_a_grid_in_other_units_compares_in_one(line, unit):
    per = {"nm": 1, "um": Fraction(1, 1000), "angstrom": 10, "mm": Fraction(1, 10**6)}[unit]
    grid = wa.Grid((3,), (float(8 * per),), (float(8 * per),), axes=("x",), units=unit)
    np.testing.assert_array_equal(wa.open(line).read_onto(grid), LINE[[1, 3, 5]])
    same = wa.Grid((3,), (float(4 * per),), (float(14 * per),), axes=("x",), units=unit)
    # equal voxel sizes: an index read from the voxel centred at 14
    np.testing.assert_array_equal(wa.open(line).read_onto(same), LINE[2:5])


def test_at_equal_voxel_sizes_the_centre_rule_says_which_voxels(line):
    vol = wa.open(line)
    # centres of the source 6 + 4 i; the grid's voxel 0 covers [corner, corner + 4)
    for corner, first in [(4, 0), (5, 0), (6, 0), (6.01, 1), (7, 1), (8, 1), (2, -1), (2.01, 0), (1.99, -1), (-3, -2)]:
        grid = wa.Grid((2,), (4,), (corner + 2,), axes=("x",))
        expected = [LINE[i] if 0 <= i < 7 else 111 for i in (first, first + 1)]
        np.testing.assert_array_equal(vol.read_onto(grid, padding=111), expected, str(corner))


def test_onto_keeps_other_axes_whole_and_takes_select(tmp_path):
    values = coded(3, 2, 4, 4)
    vol = wa.open(placed(tmp_path / "c.zarr", values, (1, 40, 8, 4), (0, 20, 4, 2), CZYX))
    grid = wa.Grid((2, 2, 2), (40, 16, 8), (20, 8, 4))
    np.testing.assert_array_equal(vol.read_onto(grid), values[:, :, 1::2, 1::2])
    np.testing.assert_array_equal(vol.read_onto(grid, select={"c": 2}), values[2, :, 1::2, 1::2])
    np.testing.assert_array_equal(vol.read_onto(grid, (0, 1, 1), (1, 2, 2)), values[:, :1, 3:, 3:])


@pytest.mark.parametrize(
    ("grid", "error", "says"),
    [
        (wa.Grid((3, 3), (4, 4), (0, 0)), ArgumentError, "spatial axes are y, x"),
        (wa.Grid((3,), (4,), (0,), axes=("y",)), ArgumentError, "spatial axes are y"),
        (wa.Grid((3,), (4,), (0,), axes=("x",), units=["furlong"]), UnitError, "furlong"),
        (((0,), (4,)), ArgumentTypeError, "Grid"),
        (None, ArgumentTypeError, "Grid"),
    ],
)
def test_onto_what_is_no_such_grid_says_so(line, grid, error, says):
    with pytest.raises(error, match=says):
        wa.open(line).read_onto(grid)


def test_onto_takes_a_missing_unit_as_nanometres_as_opening_does(tmp_path, line):
    bare = wa.Grid((3,), (8,), (8,), axes=("x",), units=None)
    np.testing.assert_array_equal(wa.open(line).read_onto(bare), LINE[[1, 3, 5]])
    plain = wa.open(zarr3(tmp_path / "plain", LINE, names=["x"]), units=None)
    np.testing.assert_array_equal(plain.read_onto(wa.Grid((3,), (2,), (1,), axes=("x",))), LINE[[1, 3, 5]])


def test_counts_of_targets_are_those_of_the_grid_over_it(tmp_path):
    vol = wa.open(volume(tmp_path / "em.zarr"))
    for size in [(30, 8, 4), (60, 16, 8), (50, 12, 7), (10.48, 3, 1), (1000, 1000, 1000)]:
        grid = wa.Grid.from_meta(vol.grid, size)
        counts = tuple(
            ceil(Fraction(n) * Fraction(s) / Fraction(t)) for n, s, t in zip((4, 5, 6), (30, 8, 4), size, strict=True)
        )
        assert grid.shape == counts
        assert vol.read(grid.box, size).shape == counts
        assert wa.open(vol.path, voxel_size=size, on_mismatch="resample").shape == counts
