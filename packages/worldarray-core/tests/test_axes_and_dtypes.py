"""Any axes, any data type: time windows, channels first and last, 0 to 8 axes, no voxels, all that tensorstore has."""

import numpy as np
import pytest
import tensorstore as ts
from stores import TCZYX, coded, group2, placed, zarr2, zarr3

import worldarray as wa
from worldarray.errors import ArgumentError, ArgumentTypeError, PlacementError

# Axes -----------------------------------------------------------------------------------------------------------------

SERIES = coded(4, 3, 2, 5, 6, dtype="uint32")


@pytest.fixture
def series(tmp_path):
    """(t, c, z, y, x): t 1, 1.5, 2, 2.5 s stored in milliseconds; (40, 8, 4) nm from the corner (-20, -4, -2)."""
    return placed(
        tmp_path / "series.zarr", SERIES, (500, 1, 40, 8, 4), (1000, 0, 0, 0, 0), TCZYX, chunks=(1, 2, 2, 3, 4)
    )


IN_SECONDS = {"space": "nanometer", "time": "second"}


@pytest.mark.parametrize(
    ("window", "samples"),
    [
        ((1, 2), (0, 2)),
        ((1.5, 2.5), (1, 3)),
        ((0.75, 2.75), (0, 4)),
        ((1.1, 1.4), (1, 1)),
        ((1.4, 1.6), (1, 2)),
        ((1.0 - 1e-8, 2.5 + 1e-8), (0, 3)),
    ],
)
def test_a_time_window_reads_the_samples_whose_times_lie_in_it(series, window, samples):
    vol = wa.open(series, units=IN_SECONDS)
    # t in [b, e) at 1 + i / 2; z whole, y [4, 20) is voxels 1, 2 of corners -4 + 8 i; x [2, 10) voxels 1, 2 of -2 + 4 i
    got = vol.read(((window[0], 0, -20, 4, 2), (window[1], 3, 60, 20, 10)))
    np.testing.assert_array_equal(got, SERIES[samples[0] : samples[1], :, :, 1:3, 1:3])
    in_ms = wa.open(series)
    box = ((window[0] * 1000, 0, -20, 4, 2), (window[1] * 1000, 3, 60, 20, 10))
    np.testing.assert_array_equal(in_ms.read(box), got)


def test_a_spatial_box_keeps_the_other_axes_whole(series):
    vol = wa.open(series)
    box = ((20, -4, -2), (60, 4, 6))
    np.testing.assert_array_equal(vol.read(box), SERIES[:, :, 1:2, :1, :2])
    assert vol.index_box(box) == ((0, 0, 1, 0, 0), (4, 3, 2, 1, 2))
    assert vol.axes == ("t", "c", "z", "y", "x")
    assert (vol.spatial, vol.voxel_size, vol.shape) == ((2, 3, 4), (40, 8, 4), (4, 3, 2, 5, 6))


@pytest.mark.parametrize("order", [("c", "t"), ("t", "c")])
def test_selecting_at_opening_and_at_a_read_agree(series, order):
    first, second = order
    index = {"t": 2, "c": 1}
    box = ((-20, 4, 2), (60, 20, 10))
    expected = SERIES[2, 1, :, 1:3, 1:3]
    both = wa.open(series, select=index)
    assert both.axes == ("z", "y", "x")
    assert both.meta.shape == both.grid.shape == both.ts.shape == (2, 5, 6)
    one = wa.open(series, select={first: index[first]})
    assert one.axes == (second, "z", "y", "x")
    for got in (
        both.read(box),
        one.read(box, select={second: index[second]}),
        wa.open(series).read(box, select=index),
        wa.open(series).read(box)[2, 1],
        wa.open_pyramid(series, select=index).by_name("s0").read(box),
    ):
        np.testing.assert_array_equal(got, expected)


def test_a_box_over_every_kept_axis_windows_what_select_left(series):
    vol = wa.open(series, units=IN_SECONDS, select={"c": 2})
    got = vol.read(((1.5, -20, -4, -2), (2.5, 20, 4, 2)))
    np.testing.assert_array_equal(got, SERIES[1:3, 2, :1, :1, :1])
    again = wa.open(series, units=IN_SECONDS).read(((1.5, -20, -4, -2), (2.5, 20, 4, 2)), select={"c": 2})
    np.testing.assert_array_equal(again, got)


def test_padding_reaches_over_every_axis(series):
    vol = wa.open(series, units=IN_SECONDS)
    got, mask = vol.read(((2.5, 2, -20, -4, -2), (3.5, 4, 20, 4, 2)), padding=7, mask=True)
    np.testing.assert_array_equal(got[:, :, 0, 0, 0], [[SERIES[3, 2, 0, 0, 0], 7], [7, 7]])
    np.testing.assert_array_equal(mask[:, :, 0, 0, 0], [[True, False], [False, False]])


@pytest.mark.parametrize(
    ("select", "error", "says"),
    [
        ({"t": 4}, ArgumentError, "0 to 3"),
        ({"t": -1}, ArgumentError, "-1"),
        ({"q": 0}, ArgumentError, "t, c, z, y, x"),
        ({"z": 0}, ArgumentError, "spatial"),
        ({"t": 1.0}, ArgumentTypeError, "integer"),
        ({"t": None}, ArgumentTypeError, "integer"),
        ({0: 0}, ArgumentError, "t, c, z, y, x"),
        ("t", ArgumentTypeError, "mapping"),
        (["t"], ArgumentTypeError, "mapping"),
        (3, ArgumentTypeError, "mapping"),
    ],
)
def test_a_selection_that_cannot_be_is_refused_at_opening_and_at_a_read(series, select, error, says):
    vol = wa.open(series)
    for function in (
        lambda: wa.open(series, select=select),
        lambda: wa.open_pyramid(series, select=select).levels,
        lambda: vol.read(vol.box, select=select),
        lambda: vol.read_index((0, 0, 0, 0, 0), (1, 1, 1, 1, 1), select=select),
        lambda: vol.read_index_async((0, 0, 0, 0, 0), (1, 1, 1, 1, 1), select=select),
        lambda: vol.read_onto(vol, select=select),
    ):
        with pytest.raises(error, match=says):
            function()


@pytest.mark.parametrize("index", [np.int64(2), np.uint8(2), np.array(2)])
def test_a_selected_index_is_any_integer(series, index):
    assert wa.open(series, select={"t": index, "c": 0}).read_index((0, 0, 0), (1, 1, 1)) == SERIES[2, 0, 0, 0, 0]


def test_channels_last_are_neither_shifted_nor_resampled(tmp_path):
    axes = (
        ("z", "space", "nanometer"),
        ("y", "space", "nanometer"),
        ("x", "space", "nanometer"),
        ("c", "channel", None),
    )
    values = coded(2, 4, 6, 3)
    vol = wa.open(placed(tmp_path / "rgb.zarr", values, (40, 8, 4, 1), (20, 4, 2, 0), axes))
    assert (vol.spatial, vol.voxel_size, vol.corner) == ((0, 1, 2), (40, 8, 4), (0, 0, 0))
    assert vol.grid.corner == (0, 0, 0, 0)
    np.testing.assert_array_equal(vol.read(((0, 8, 4), (40, 24, 12))), values[:1, 1:3, 1:3])
    np.testing.assert_array_equal(vol.read(((0, 0, 0), (80, 32, 24)), (40, 16, 8)), values[:, 1::2, 1::2])
    np.testing.assert_array_equal(vol.read(((0, 0, 0, 1), (80, 32, 24, 3)), (40, 16, 8)), values[:, 1::2, 1::2, 1:])
    pinned = wa.open(vol.path, select={"c": 1})
    np.testing.assert_array_equal(pinned.read(pinned.box), values[..., 1])
    np.testing.assert_array_equal(vol.read(vol.box, select={"c": 1}), values[..., 1])


def test_an_unplaced_channel_last_array_has_its_corner_at_the_origin(tmp_path):
    vol = wa.open(zarr3(tmp_path / "rgb", coded(4, 6, 3), names=["y", "x", "c"]), units=None)
    assert vol.meta.translation == (0.5, 0.5, 0)
    assert vol.box == wa.Box((0, 0), (4, 6))


def test_time_lat_lon_opens_with_defaults_and_reads_in_its_own_units(tmp_path):
    axes = (("time", "time", "hour"), ("lat", "space", "degrees_north"), ("lon", "space", "degrees_east"))
    values = coded(3, 4, 5)
    path = placed(tmp_path / "climate.zarr", values, (6, 0.5, 0.25), (12, -60, 10), axes)
    vol = wa.open(path)
    assert vol.grid.units == ("hour", "degrees_north", "degrees_east")
    assert (vol.spatial, vol.voxel_size) == ((1, 2), (0.5, 0.25))
    assert vol.corner == (-60.25, 9.875)
    # lat centres -60, -59.5, -59, -58.5; lon 10, 10.25, ...; times 12, 18, 24 h
    np.testing.assert_array_equal(vol.read(((-59.5, 10.25), (-58.5, 10.75))), values[:, 1:3, 1:3])
    np.testing.assert_array_equal(vol.read(((18, -59.5, 10.25), (25, -58.5, 10.75))), values[1:, 1:3, 1:3])
    in_days = wa.open(path, units={"time": "day"})
    assert in_days.grid.voxel_size == (0.25, 0.5, 0.25)
    np.testing.assert_array_equal(in_days.read(((0.75, -59.5, 10.25), (1.01, -58.5, 10.75))), values[1:, 1:3, 1:3])
    np.testing.assert_array_equal(
        wa.open(path, select={"time": 2}).read(((-60.25, 9.875), (-58.25, 11.125))), values[2]
    )


def test_an_axis_marked_as_not_spatial_is_selected_with_or_without_its_mark(tmp_path):
    attributes = {
        "voxel_size": [40, 8, 4],
        "offset": [0, 8, 12],
        "axis_names": ["c^", "z", "y", "x"],
        "units": ["nm"] * 3,
    }
    values = coded(3, 2, 2, 2)
    path = zarr2(tmp_path / "pred", values, attributes=attributes)
    for name in ("c^", "c"):
        vol = wa.open(path, select={name: 1})
        assert (vol.axes, vol.corner) == (("z", "y", "x"), (0, 8, 12))
        np.testing.assert_array_equal(vol.read(vol.box), values[1])


# Numbers of axes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [zarr2, zarr3])
@pytest.mark.parametrize("ndim", range(9))
def test_arrays_of_0_to_8_axes_read_by_index_and_by_world_box(tmp_path, make, ndim):
    shape = (2, 3, 2, 4, 1, 2, 3, 2)[8 - ndim :]
    values = (7 + np.arange(np.prod(shape, dtype=int)).reshape(shape)).astype("uint16")
    path = make(tmp_path / "a", values)
    vol = wa.open(path, units=None)
    assert (vol.ndim, vol.shape, vol.ts.ndim) == (ndim, shape, ndim)
    assert len(vol.spatial) == min(ndim, 3)
    np.testing.assert_array_equal(vol.read_index((0,) * ndim, shape), values)
    np.testing.assert_array_equal(vol.read(vol.box, strict=True), values)
    np.testing.assert_array_equal(vol.read_index_async((0,) * ndim, shape).result(), values)
    got, mask = vol.read_index((-1,) * ndim, [n + 2 for n in shape], padding=1, mask=True)
    assert got.shape == tuple(n + 3 for n in shape)
    np.testing.assert_array_equal(got[mask].reshape(shape), values)
    assert (got[~mask] == 1).all()
    assert got.ndim == mask.ndim == ndim
    spatial = min(ndim, 3)
    halved = tuple(-(-n // 2) for n in shape[ndim - spatial :])
    # voxels of 2 from the corner 0: as many as cover the data
    assert vol.read(((0,) * spatial, [2 * n for n in halved]), 2).shape == (*shape[: ndim - spatial], *halved)
    assert vol.read_onto(vol).shape == shape
    assert isinstance(vol.read_index((0,) * ndim, shape), np.ndarray)
    assert wa.metadata(path).shape == shape
    assert len(vol.blocks()) == (1 if ndim else len(vol.blocks()))


@pytest.mark.parametrize("make", [zarr2, zarr3])
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4, 2), (2, 0, 3, 4)])
def test_arrays_without_voxels_open_and_read(tmp_path, make, shape):
    path = make(tmp_path / "a", np.zeros(shape, "uint8"), chunks=(2,) * len(shape))
    vol = wa.open(path, units=None)
    assert vol.shape == vol.read(vol.box).shape == shape
    assert vol.read_index((0,) * len(shape), shape).shape == shape
    got, mask = vol.read_index((0,) * len(shape), (2,) * len(shape), padding=4, mask=True)
    np.testing.assert_array_equal(got, np.full((2,) * len(shape), 4))
    assert not mask.any()
    with pytest.raises(ArgumentError, match="edge"):
        vol.read_index((0,) * len(shape), (2,) * len(shape), padding="edge")
    for method in ("nearest", "linear"):
        assert 0 in vol.read(vol.box, 2, method=method).shape
        assert (vol.read(vol.box.grow(4), 2, 9, method)[..., 0] == 9).all()
    assert wa.open(path, units=None, voxel_size=2, on_mismatch="resample").shape[-1] == -(-shape[-1] // 2)
    assert len(vol.blocks()) == 0
    assert vol.list_chunks() == []


# Data types -----------------------------------------------------------------------------------------------------------

NUMBERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)] + ["float32", "float64"]
WIDE = ["bool", *NUMBERS, "float16", "bfloat16", "complex64", "complex128"]
SMALL = ["int4", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2", "float8_e5m2fnuz"]
ZARR2_NAMES = {"bfloat16": "bfloat16", **{name: name for name in SMALL}}


def some(shape, dtype):
    """Different small values, made of integers by numpy itself."""
    count = int(np.prod(shape))
    return (np.arange(1, count + 1) % (2 if dtype.kind == "b" else 7)).reshape(shape).astype(dtype)


def made(folder, driver, name, shape=(3, 4, 5)):
    """An array that tensorstore makes and writes; returns its path and its values in C order."""
    dtype = ts.dtype(name).numpy_dtype
    base = {"kvstore": {"driver": "file", "path": f"{folder}/"}}
    if driver == "neuroglancer_precomputed":
        scale = {"size": shape[::-1], "chunk_size": [2, 2, 2], "encoding": "raw", "resolution": [4, 8, 40]}
        whole = {"data_type": name, "num_channels": 1, "type": "image"}
        spec = {"driver": driver, **base, "multiscale_metadata": whole, "scale_metadata": scale}
    else:
        chunks = {"zarr": "chunks", "zarr3": "chunk_grid", "n5": "blockSize"}[driver]
        shapes = {"zarr": "shape", "zarr3": "shape", "n5": "dimensions"}[driver]
        grid = {"name": "regular", "configuration": {"chunk_shape": [2, 2, 2]}} if driver == "zarr3" else [2, 2, 2]
        sizes = shape[::-1] if driver == "n5" else shape
        spec = {"driver": driver, **base, "metadata": {shapes: sizes, chunks: grid}, "dtype": name}
    store = ts.open(spec, create=True).result()
    values = some(shape, dtype)
    flipped = values.T if driver in ("n5", "neuroglancer_precomputed") else values
    store.write(flipped if store.ndim == 3 else flipped[..., None]).result()
    if driver == "neuroglancer_precomputed":
        return f"{folder}/{next(iter(p.name for p in folder.iterdir() if p.is_dir()))}", values
    return str(folder), values


DTYPES = [
    *(("zarr", name) for name in (*WIDE, *SMALL)),
    *(("zarr3", name) for name in (*WIDE, *SMALL)),
    *(("n5", name) for name in NUMBERS),
    *(
        ("neuroglancer_precomputed", name)
        for name in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "float32")
    ),
]


@pytest.mark.parametrize(("driver", "name"), DTYPES, ids=["-".join(pair) for pair in DTYPES])
def test_every_data_type_reads_as_tensorstore_has_it(tmp_path, driver, name):
    path, values = made(tmp_path, driver, name)
    vol = wa.open(path, units=None)
    assert vol.dtype == values.dtype
    got = vol.read_index((0, 0, 0), values.shape)
    assert got.dtype == values.dtype
    assert got.tobytes() == values.tobytes()
    padded = vol.read_index((2, 3, 4), (4, 4, 5), padding=1)
    assert padded.tobytes() == np.array([[[values[2, 3, 4]]], [[1]]], values.dtype).tobytes()
    edged = vol.read_index((2, 3, 4), (4, 4, 5), padding="edge")
    assert edged.tobytes() == np.full((2, 1, 1), values[2, 3, 4]).tobytes()
    halved = wa.Grid.from_meta(vol.grid, [2 * s for s in vol.voxel_size])
    # centres of targets 0, 1, 2 are the lower corners of source voxels 1, 3, 5; those past the data are padding
    near = vol.read_onto(halved, padding=1)
    assert near.tobytes() == np.pad(values[1::2, 1::2, 1::2], [(0, 1), (0, 0), (0, 1)], constant_values=1).tobytes()
    mean = vol.read(halved.box, halved.voxel_size, method="linear")
    assert (mean.dtype, mean.shape) == (values.dtype, (2, 2, 3))
    # the last block is cut short by the end of the data: two voxels of y, one of z and x
    lasts = values[2, 2:4, 4].astype("complex128" if values.dtype.kind == "c" else "float64")
    assert mean[1, 1, 2] == np.asarray(
        lasts.mean() if values.dtype.kind in "cf" or name == "bfloat16" or "float8" in name else np.rint(lasts.mean())
    ).astype(values.dtype)
    assert wa.metadata(path, open=False) == wa.metadata(path)


@pytest.mark.parametrize("dtype", [">u2", ">i4", ">f4", ">f8", ">c8", ">u8", "<f2", ">f2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_either_byte_order_and_memory_order_reads_native(tmp_path, dtype, order):
    values = coded(3, 4, 5).astype(dtype)
    vol = wa.open(zarr2(tmp_path / "a", values, (2, 3, 4), order=order, fill_value=None), units=None)
    for got in (
        vol.read_index((0, 0, 0), (3, 4, 5)),
        vol.read(vol.box),
        vol.read_index((0, 0, 0), (3, 4, 6))[..., :5],
        vol.read(vol.box, 1.0),
        vol.read(vol.box, transform=lambda block: block),
    ):
        np.testing.assert_array_equal(got, values)
        assert got.dtype == values.dtype.newbyteorder("=")
        assert got.dtype.isnative
    assert vol.read_index((0, 0, 0), (3, 4, 6), mask=True)[0].flags.c_contiguous


STRUCTURED = np.dtype([("id", "<u4"), ("score", ">f8"), ("pair", "<i2", (2,))])


@pytest.fixture
def records(tmp_path):
    values = np.zeros((2, 3), STRUCTURED)
    values["id"] = coded(2, 3)
    values["score"] = coded(2, 3) / 4
    description = [["id", "<u4"], ["score", ">f8"], ["pair", "<i2", [2]]]
    return zarr2(tmp_path / "a", values, dtype=description, fill_value=None), values


def test_a_field_of_a_structured_array_is_chosen_by_name(records):
    path, values = records
    vol = wa.open(path, units=None, field="score")
    assert vol.dtype == np.dtype("float64")
    np.testing.assert_array_equal(vol.read(vol.box), values["score"])
    assert wa.open_tensorstore(path, field="id").read().result()[1, 2] == 12
    assert wa.metadata(path, field="id").dtype == np.dtype("uint32")
    assert vol.reopen(field="id").read_index((1, 2), (2, 3)) == 12


def test_a_field_is_that_of_every_level(tmp_path, records):
    _, values = records
    group2(tmp_path, [("a", (8, 4), (4, 2))], (("y", "space", "nanometer"), ("x", "space", "nanometer")))
    pyr = wa.open_pyramid(tmp_path, field="id")
    assert [meta.dtype for meta in pyr.metas()] == [np.dtype("uint32")]
    np.testing.assert_array_equal(pyr.levels[0].read(((0, 0), (16, 12))), values["id"])


def test_a_structured_array_without_a_field_lists_them(records):
    path, _ = records
    for function in (wa.open, wa.open_tensorstore, wa.metadata, lambda p: wa.metadata(p, open=False)):
        with pytest.raises(ValueError, match=r"field= .*id.*score.*pair"):
            function(path)
    with pytest.raises(ValueError, match=r"no field .other.*id.*score.*pair"):
        wa.open(path, field="other")


def test_a_field_of_an_array_without_fields_is_refused(tmp_path):
    path = zarr2(tmp_path / "a", coded(2, 3))
    with pytest.raises(ValueError, match="field"):
        wa.open(path, units=None, field="id")


def test_a_data_type_that_nothing_reads_names_it(tmp_path):
    path = zarr2(tmp_path / "a", coded(2, 3), dtype="<M8[ns]")
    with pytest.raises(PlacementError, match="M8"):
        wa.open(path)
