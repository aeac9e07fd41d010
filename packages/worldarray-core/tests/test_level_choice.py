"""Which level opening reads and what it then calls its voxels: on_mismatch by level_mode, base sizes, odd units."""

import pickle
import warnings

import numpy as np
import pytest
import tensorstore as ts
from stores import LEVELS, coded, group2, group3, pyramid, write_json, zarr2, zarr3

import worldarray as wa
from worldarray.errors import ArgumentError, ArgumentTypeError, LevelError, PlacementWarning, UnitError


@pytest.fixture
def path(tmp_path):
    return pyramid(tmp_path / "em.zarr")


# The levels are s0 (30, 8, 4), s1 (30, 16, 8) and s2 (60, 32, 16).
ASKED = {
    "exact s1": (30, 16, 8),
    "noise about s1": (30.00001, 15.999995, 8.000004),
    "between": (40, 20, 10),
    "near s2": (50, 28, 14),
    "finer than all": (20, 4, 2),
    "finer on one axis": (60, 32, 6),
    "coarser than all": (100, 100, 100),
}
CHOICES = {
    # floor and resample: the coarsest no coarser on any axis, else the first and the finest; nearest by
    # |log(s / w)| summed: "near s2" s1 .51 + .56 + .56 against s2 .18 + .13 + .13; "finer on one axis" with
    # s0 .69 + 1.39 + .41 = 2.49, s1 .69 + .69 + .29 = 1.67, s2 0 + 0 + .98 = .98
    "exact s1": {"floor": "s1", "finer": "s1", "exact": "s1", "nearest": "s1", "resample": "s1"},
    "noise about s1": {"floor": "s1", "finer": "s1", "exact": "s1", "nearest": "s1", "resample": "s1"},
    "between": {"floor": "s1", "finer": "s1", "exact": None, "nearest": "s1", "resample": "s1"},
    "near s2": {"floor": "s1", "finer": "s1", "exact": None, "nearest": "s2", "resample": "s1"},
    "finer than all": {"floor": "s0", "finer": None, "exact": None, "nearest": "s0", "resample": "s0"},
    "finer on one axis": {"floor": "s0", "finer": "s0", "exact": None, "nearest": "s2", "resample": "s0"},
    "coarser than all": {"floor": "s2", "finer": "s2", "exact": None, "nearest": "s2", "resample": "s2"},
}
TABLE = [(asked, mode, name) for asked, row in CHOICES.items() for mode, name in row.items()]


@pytest.mark.parametrize("on_mismatch", ["error", "resample", "relabel", "keep"])
@pytest.mark.parametrize(("asked", "mode", "name"), TABLE, ids=[f"{a}-{m}" for a, m, _ in TABLE])
def test_the_mode_picks_and_on_mismatch_says_what_becomes_of_it(path, asked, mode, name, on_mismatch):
    size = ASKED[asked]
    same = "s1" in asked

    def opened():
        return wa.open(path, voxel_size=size, level_mode=mode, on_mismatch=on_mismatch)

    if name is None or (on_mismatch == "error" and not same):
        with pytest.raises(LevelError, match=r"s0 \(30, 8, 4\), s1 \(30, 16, 8\), s2 \(60, 32, 16\)"):
            opened()
        return
    vol = opened()
    stored = {n: s for n, s, _ in LEVELS}[name]
    assert vol.level_name == name
    assert vol.source_voxel_size == stored
    assert vol.voxel_size == (stored if same or on_mismatch == "keep" else size)
    assert vol.resampled == (on_mismatch == "resample" and not same)
    again = pickle.loads(pickle.dumps(vol))
    for other in (again, vol.reopen()):
        assert (other.level_name, other.voxel_size, other.resampled) == (name, vol.voxel_size, vol.resampled)
        np.testing.assert_array_equal(other.read(vol.box), vol.read(vol.box))


@pytest.mark.parametrize(
    ("level", "name"),
    [
        ("s1", "s1"),
        ("./s1", "s1"),
        ("s1/", "s1"),
        (np.str_("s2"), "s2"),
        (0, "s0"),
        ("first", "s0"),
        (2, "s2"),
        (np.int64(1), "s1"),
        (np.uint8(2), "s2"),
        (np.array(1), "s1"),
    ],
)
def test_a_level_is_a_name_or_a_position(path, level, name):
    assert wa.open(path, level).level_name == name
    assert wa.metadata(path, level).path == f"{path}/{name}"
    assert wa.open_tensorstore(path, level).shape == wa.open(path, name).shape
    assert wa.open_pyramid(path).by_name(level).level_name == name


@pytest.mark.parametrize("level", ["s3", "", "S1", 3, -1, np.int8(-2), 1.0, 0.0, True, None, b"s0", ("s0",), ["s0"]])
def test_a_level_that_is_not_there_raises_with_the_list(path, level):
    for function in (wa.open, wa.metadata, wa.open_tensorstore):
        with pytest.raises(LevelError, match="s0, s1, s2") as caught:
            function(path, level)
        assert path in str(caught.value)
    with pytest.raises(LevelError, match="s0, s1, s2"):
        wa.open_pyramid(path).by_name(level)


@pytest.mark.parametrize("level", [None, 0, "first", np.int64(0)])
def test_an_array_path_is_that_array_at_the_first_level_silently(path, level):
    assert wa.open(f"{path}/s1", level).level_path == f"{path}/s1"
    assert wa.metadata(f"{path}/s1", level).path == f"{path}/s1"
    assert wa.open_tensorstore(f"{path}/s1", level).shape == (4, 3, 4)


@pytest.mark.parametrize("level", ["s0", "s1", 1, -1, True, np.int64(2), "nothing"])
def test_an_array_path_ignores_any_other_level_with_a_warning(path, level):
    with pytest.warns(PlacementWarning, match="ignored"):
        assert wa.open(f"{path}/s1", level).level_path == f"{path}/s1"
    with pytest.warns(PlacementWarning, match="ignored"):
        assert wa.metadata(f"{path}/s1", level).path == f"{path}/s1"
    with pytest.warns(PlacementWarning, match="ignored"):
        assert wa.open_tensorstore(f"{path}/s1", level).shape == (4, 3, 4)


@pytest.mark.parametrize(
    ("on_mismatch", "size"), [("resample", (30, 8, 4)), ("relabel", (30, 8, 4)), ("keep", (30, 16, 8))]
)
def test_an_array_path_never_hops_to_a_sibling(path, on_mismatch, size):
    vol = wa.open(f"{path}/s1", voxel_size=(30, 8, 4), on_mismatch=on_mismatch)
    assert (vol.level_name, vol.level_path, vol.voxel_size) == ("s1", f"{path}/s1", size)
    assert vol.source_voxel_size == (30, 16, 8)
    with pytest.raises(LevelError, match=r"has voxel size \(30, 16, 8\), not \(30, 8, 4\)"):
        wa.open(f"{path}/s1", voxel_size=(30, 8, 4))


def test_level_and_voxel_size_together_take_the_level_at_that_size(path):
    vol = wa.open(path, "s2", voxel_size=(30, 8, 4), on_mismatch="resample")
    assert (vol.level_name, vol.voxel_size, vol.shape) == ("s2", (30, 8, 4), (4, 8, 8))
    with pytest.raises(LevelError):
        wa.open(path, "s2", voxel_size=(30, 8, 4))


def test_relabelling_scales_every_world_quantity_and_moves_no_voxel(path):
    vol = wa.open(path, voxel_size=(45, 20, 12), on_mismatch="relabel")
    # floor picks s1: (30, 16, 8) centred at (100, 24, 8) from the corner (85, 16, 4); ratios 1.5, 1.25, 1.5
    assert vol.level_name == "s1"
    assert vol.voxel_size == vol.grid.voxel_size == (45, 20, 12)
    assert vol.translation == (150, 30, 12)
    assert vol.corner == (127.5, 20, 6)
    assert (vol.shape, vol.resampled, vol.source_voxel_size) == ((4, 3, 4), False, (30, 16, 8))
    assert vol.box == wa.Box((127.5, 20, 6), (127.5 + 4 * 45, 20 + 3 * 20, 6 + 4 * 12))
    stored = coded(4, 3, 4, base=1000)
    np.testing.assert_array_equal(vol.read(vol.box, strict=True), stored)
    # two voxels of z, one of y and x from the corner: as many stored ones
    np.testing.assert_array_equal(vol.read(((127.5, 20, 6), (217.5, 40, 18))), stored[:2, :1, :1])
    assert vol.meta.voxel_size == (30, 16, 8)
    assert vol.target.voxel_size == (45, 20, 12)


def test_voxel_size_may_be_one_number_or_any_list(tmp_path):
    group3(tmp_path / "iso", [("a", (8, 8, 8), (4, 4, 4)), ("b", (16, 16, 16), (8, 8, 8))])
    for name, shape in (("a", (4, 4, 4)), ("b", (2, 2, 2))):
        zarr3(tmp_path / "iso" / name, coded(*shape))
    for size in (16, 16.0, np.float32(16), [16, 16, 16], np.array([16, 16, 16]), (16.0, 16, np.int8(16))):
        assert wa.open(tmp_path / "iso", voxel_size=size).level_name == "b"
        assert wa.open_pyramid(tmp_path / "iso").select(size).level_name == "b"
        assert wa.open(tmp_path / "iso" / "b").read(((0, 0, 0), (32, 32, 32)), size).shape == (2, 2, 2)


@pytest.mark.parametrize(
    ("size", "error"),
    [
        ((8, 8), ArgumentError),
        ((8, 8, 8, 8), ArgumentError),
        ((8, 8, 0), ArgumentError),
        ((8, 8, -1), ArgumentError),
        ((8, 8, float("nan")), ArgumentError),
        (float("inf"), ArgumentError),
        (0, ArgumentError),
        ("8", ArgumentTypeError),
        ((8, 8, "x"), ArgumentTypeError),
        ({}, ArgumentError),
        (1j, ArgumentTypeError),
    ],
)
def test_a_size_that_is_none_is_refused_wherever_it_is_given(path, size, error):
    vol = wa.open(path, 0)
    for function in (
        lambda: wa.open(path, voxel_size=size),
        lambda: wa.open(f"{path}/s0", voxel_size=size, on_mismatch="resample"),
        lambda: wa.open(path, 0, base_voxel_size=size),
        lambda: wa.open_pyramid(path, base_voxel_size=size).placements(),
        lambda: wa.open_pyramid(path).select(size),
        lambda: vol.read(vol.box, size),
    ):
        with pytest.raises(error, match="voxel_size"):
            function()


# A base size ----------------------------------------------------------------------------------------------------------


def test_a_base_size_rescales_the_pyramid_before_anything_is_chosen(tmp_path):
    # A pyramid in voxels: s0 has (1, 1, 1), s1 (1, 2, 4); level 0 truly has (40, 8, 6) nm
    axes = tuple((name, "space", None) for name in "zyx")
    group3(tmp_path / "big", [("s0", (1, 1, 1), (0, 0, 0)), ("s1", (1, 2, 4), (0, 0.5, 1.5))], axes)
    zarr3(tmp_path / "big" / "s0", coded(2, 4, 8))
    zarr3(tmp_path / "big" / "s1", coded(2, 2, 2))
    size = (40, 8, 6)
    pyr = wa.open_pyramid(tmp_path / "big", base_voxel_size=size)
    assert pyr.placements() == (
        wa.Level("s0", (40, 8, 6), (0, 0, 0)),
        wa.Level("s1", (40, 16, 24), (0, 4, 9)),
    )
    for vol in (
        wa.open(tmp_path / "big", voxel_size=(40, 16, 24), base_voxel_size=size),
        wa.open(tmp_path / "big" / "s1", base_voxel_size=size),
        pyr.select((40, 16, 24)),
        wa.open(tmp_path / "big", "s1", base_voxel_size=(0.04, 0.008, 0.006), base_units="um"),
        wa.open(tmp_path / "big", "s1", base_voxel_size=size, units=None),
    ):
        assert (vol.level_name, vol.voxel_size, vol.translation) == ("s1", (40, 16, 24), (0, 4, 9))
        assert vol.meta.voxel_size == (1, 2, 4)
        assert vol.meta.units == ("", "", "")
    in_um = wa.open(tmp_path / "big", "s1", base_voxel_size=size, base_units="nm", units="um")
    assert in_um.voxel_size == (0.04, 0.016, 0.024)
    assert in_um.grid.units == ("micrometer",) * 3
    # without base_units the size is in the unit asked for
    assert wa.open(tmp_path / "big", "s1", base_voxel_size=size, units="um").voxel_size == (40, 16, 24)


def test_a_base_size_replaces_units_that_no_table_knows(tmp_path):
    axes = tuple((name, "space", "pixel") for name in "zyx")
    group3(tmp_path / "px", [("s0", (1, 1, 1), None), ("s1", (2, 2, 2), None)], axes)
    zarr3(tmp_path / "px" / "s0", coded(2, 2, 2))
    zarr3(tmp_path / "px" / "s1", coded(1, 1, 1))
    vol = wa.open(tmp_path / "px", "s1", base_voxel_size=(30, 8, 4))
    assert (vol.voxel_size, vol.grid.units) == ((60, 16, 8), ("nanometer",) * 3)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"base_units": "nm"}, ArgumentError, "no base_voxel_size"),
        ({"base_voxel_size": 8, "base_units": "furlong"}, UnitError, "furlong"),
        ({"base_voxel_size": 8, "base_units": "s"}, UnitError, "s"),
        ({"base_voxel_size": 8, "base_units": 3}, ValueError, "3"),
        ({"base_voxel_size": 8, "base_units": "furlong", "units": None}, UnitError, "furlong"),
    ],
)
def test_a_base_size_or_unit_that_cannot_be_used_is_refused(path, arguments, error, says):
    for function in (
        lambda: wa.open(path, 0, **arguments),
        lambda: wa.open(f"{path}/s0", **arguments),
        lambda: wa.open_pyramid(path, **arguments).placements(),
    ):
        with pytest.raises(error, match=says):
            function()


# Odd units ------------------------------------------------------------------------------------------------------------

PIXELS = tuple((name, "space", "pixel") for name in "zyx")


@pytest.fixture
def pixels(tmp_path):
    return pyramid(tmp_path / "px.zarr", axes=PIXELS)


def test_an_unknown_unit_raises_wherever_it_is_converted(pixels):
    for function in (
        lambda: wa.open(pixels, 0),
        lambda: wa.open(pixels, voxel_size=(30, 8, 4)),
        lambda: wa.open(f"{pixels}/s0"),
        lambda: wa.open_pyramid(pixels).placements(),
        lambda: wa.open_pyramid(pixels).voxel_sizes(),
        lambda: wa.open_pyramid(pixels).select((30, 8, 4)),
        lambda: wa.open_pyramid(pixels).levels,
        lambda: wa.open_pyramid(pixels).by_name("s0"),
        lambda: wa.open_pyramid(pixels).check(),
        lambda: wa.metadata(pixels, 0, units="nm"),
    ):
        with pytest.raises(UnitError, match="pixel"):
            function()


def test_an_unknown_unit_is_taken_as_the_target_with_a_warning_everywhere_when_lenient(pixels):
    lenient = {"strict_units": False}
    for function in (
        lambda: wa.open(pixels, 0, **lenient),
        lambda: wa.open(pixels, voxel_size=(30, 8, 4), **lenient),
        lambda: wa.open(f"{pixels}/s0", **lenient),
        lambda: wa.open_pyramid(pixels, **lenient).placements()[0],
        lambda: wa.open_pyramid(pixels, **lenient).select((30, 8, 4)),
        lambda: wa.open_pyramid(pixels, **lenient).levels[0],
        lambda: wa.open_pyramid(pixels, **lenient).by_name("s0"),
        lambda: wa.metadata(pixels, 0, units="nm", **lenient),
    ):
        with pytest.warns(PlacementWarning, match="pixel"):
            found = function()
        assert found.voxel_size == (30, 8, 4)
    with pytest.warns(PlacementWarning, match="pixel"):
        assert wa.open_pyramid(pixels, **lenient).voxel_sizes()[1] == (30, 16, 8)


def test_units_none_converts_nothing_and_says_nothing(pixels):
    vol = wa.open(pixels, voxel_size=(30, 16, 8), units=None)
    assert (vol.level_name, vol.grid.units) == ("s1", ("pixel",) * 3)
    assert wa.open_pyramid(pixels, units=None).voxel_sizes()[2] == (60, 32, 16)
    assert wa.metadata(pixels, 0).units == ("pixel",) * 3


@pytest.mark.parametrize("make", ["open", "levels", "placements", "array"])
def test_a_missing_unit_warns_once(tmp_path, make):
    path = pyramid(tmp_path / "u.zarr", axes=tuple((name, "space", None) for name in "zyx"))
    functions = {
        "open": lambda: wa.open(path, voxel_size=(30, 8, 4)),
        "array": lambda: wa.open(f"{path}/s0"),
        "placements": lambda: wa.open_pyramid(path).placements(),
        "levels": lambda: wa.open_pyramid(path).by_name("s0"),
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        functions[make]()
    assert len([w for w in caught if "no unit" in str(w.message)]) == 1
    assert {w.filename for w in caught} == {__file__}


def test_warnings_stand_at_the_line_that_called(path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        wa.open(f"{path}/s0", "s1")
    (warning,) = caught
    assert warning.filename == __file__
    assert warning.category is PlacementWarning


# Precomputed ----------------------------------------------------------------------------------------------------------


def precomputed(path, keys=("8_8_40", "16_16_40")):
    scales = [
        {
            "key": key,
            "size": [4 // f, 4 // f, 2],
            "resolution": [8 * f, 8 * f, 40],
            "voxel_offset": [2, 4, 6],
            "chunk_sizes": [[4, 4, 2]],
            "encoding": "raw",
        }
        for key, f in zip(keys, (1, 2), strict=False)
    ]
    info = {"type": "image", "data_type": "uint8", "num_channels": 1, "scales": scales}
    write_json(path / "info", {"@type": "neuroglancer_multiscale_volume", **info})
    for index in range(2):
        spec = {"driver": "neuroglancer_precomputed", "kvstore": {"driver": "file", "path": f"{path}/"}}
        store = ts.open({**spec, "scale_index": index}, open=True).result()
        store.write(np.full(store.shape, 10 * (index + 1), np.uint8)).result()
    return str(path)


@pytest.mark.parametrize("keys", [("8_8_40", "16_16_40"), ("s0", "s1")])
def test_a_precomputed_path_that_names_a_scale_is_that_scale(tmp_path, keys):
    path = precomputed(tmp_path / "vol", keys)
    for text in (f"{path}/{keys[1]}", f"precomputed://{path}/{keys[1]}"):
        for level in (None, 0, "first"):
            vol = wa.open(text, level)
            assert (vol.level_name, vol.voxel_size, vol.shape) == (keys[1], (40, 16, 16), (2, 2, 2))
            # the corner is voxel_offset * resolution: z 6 * 40, y 4 * 16, x 2 * 16
            assert vol.corner == (240, 64, 32)
            assert vol.read(vol.box).max() == 20
            assert vol.levels == keys
        with pytest.warns(PlacementWarning, match="ignored"):
            assert wa.open(text, keys[0]).level_name == keys[1]
        pyr = wa.open_pyramid(text)
        assert pyr.names == keys
        for handle in (*pyr.levels, wa.open(text), wa.open(path, keys[1]), wa.open(path, 0), pyr.select((40, 16, 16))):
            for again in (pickle.loads(pickle.dumps(handle)), handle.reopen(), handle.reopen().reopen()):
                assert again.level_name == handle.level_name
                assert again.read_index((0, 0, 0), (1, 1, 1)) == handle.read_index((0, 0, 0), (1, 1, 1))


# Reopening ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["", "/s0", "/s2"])
def test_a_level_of_a_pyramid_reopens_to_itself_however_the_pyramid_was_opened(path, given):
    pyr = wa.open_pyramid(path + given)
    for level, vol in zip(range(3), pyr.levels, strict=False):
        for again in (vol.reopen(), vol.reopen(context=wa.capped_context()), pickle.loads(pickle.dumps(vol))):
            assert (again.level_name, again.level_path) == (f"s{level}", f"{path}/s{level}")
            assert again.read_index((0, 0, 0), (1, 1, 1)) == 1000 * level
            assert again.levels == ("s0", "s1", "s2")


def test_reopening_keeps_what_was_set_and_takes_overrides(path):
    class Mine(wa.WorldArray):
        pass

    vol = Mine(wa.open(path, voxel_size=(30, 16, 8), select=None).opened)
    vol.padding, vol.method, vol.retries = "edge", "linear", wa.Retry(3)
    again = vol.reopen()
    assert type(again) is Mine
    assert (again.padding, again.method, again.retries) == ("edge", "linear", wa.Retry(3))
    other = vol.reopen(padding=9, voxel_size=(0.03, 0.016, 0.008), units="um")
    assert (other.padding, other.method, other.voxel_size) == (9, "linear", (0.03, 0.016, 0.008))
    with pytest.raises(TypeError, match=r"open takes no 'paddding'.*padding"):
        vol.reopen(paddding=1)
    with pytest.raises(TypeError, match="open takes no 'path'"):
        vol.reopen(path="elsewhere")


def test_a_context_of_ones_own_reads_the_same(path):
    for context in (wa.shared_context(1 << 20), wa.capped_context(concurrency=2), ts.Context()):
        vol = wa.open(path, "s1", context=context)
        assert vol.read_index((1, 2, 3), (2, 3, 4)) == 1123
        assert vol.reopen(context).read_index((0, 0, 0), (1, 1, 1)) == 1000


def test_array_in_zarr_2_and_3_groups_are_chosen_alike(tmp_path):
    path = pyramid(tmp_path / "two.zarr", make=zarr2, group=group2)
    assert wa.open(path, voxel_size=(60, 32, 16)).read_index((1, 1, 1), (2, 2, 2)) == 2111
