"""What is written opens elsewhere, with the same values, scales and translations."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
import tensorstore as ts
from trees import counted, read_json

import worldarray as wa

SHAPE, CHUNKS, SHARDS = (7, 11, 13), (3, 4, 5), (6, 8, 10)
SCALES = {"s0": (30.25, 8.0, 10.48 / 3), "s1": (30.25, 16.0, 10.48)}
PLACES = {"s0": (100.5, -20.0, 0.0), "s1": (100.5, -16.0, 10.48 / 3)}  # -20 + 8 / 2; 0 + 10.48 / 3 * (3 - 1) / 2
AXES = {
    ("z", "y", "x"): ["micrometer"] * 3,
    ("c", "z", "y", "x"): ["", *["micrometer"] * 3],
    ("t", "c", "z", "y", "x"): ["second", "", *["micrometer"] * 3],
}
STORED = {
    "zarr2": {"format": "zarr2"},
    "zarr2, dots and blosc": {
        "format": "zarr2",
        "dimension_separator": ".",
        "codecs": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1},
    },
    "zarr2, no codec": {"format": "zarr2", "codecs": "none"},
    "zarr3": {},
    "zarr3, dots and no codec": {"dimension_separator": ".", "codecs": "none"},
    "zarr3, gzip": {"codecs": [{"name": "gzip", "configuration": {"level": 5}}]},
    "sharded": {"shards": SHARDS},
    "sharded, no codec": {"shards": SHARDS, "codecs": "none"},
}


def values(shape, dtype="uint16"):
    """Counting, with the first unit left as fill."""
    found = counted(shape, dtype)
    found[..., :3, :4, :5] = 0
    return found


def written(folder, axes=("z", "y", "x"), dtype="uint16", **how):
    """A pyramid of two levels with data in both; returns its path and what each level holds."""
    lead = (2, 3)[: len(axes) - 3]
    vol = wa.create(
        folder / "em.zarr" / "s0",
        (*lead, *SHAPE),
        dtype,
        SCALES["s0"],
        PLACES["s0"],
        axes=axes,
        units=AXES[axes],
        chunks=(*(1 for _ in lead), *CHUNKS),
        **{**how, **({"shards": (*(1 for _ in lead), *SHARDS)} if "shards" in how else {})},
        attrs={"fs": 1.5},
        group_attrs={"registry": {"y0": 12}},
    )
    coarse = wa.open_pyramid(folder / "em.zarr", mode="r+").add_level("s1", (1, 2, 3))
    held = {}
    for name, level in (("s0", vol), ("s1", coarse)):
        held[name] = values(level.meta.shape, dtype)
        level.write_index((0,) * level.ndim, level.meta.shape, held[name])
    return folder / "em.zarr", held


def test_the_coarse_level_is_where_its_scale_and_translation_say(tmp_path):
    path, _ = written(tmp_path)
    for level in wa.open_pyramid(path, units="um").placements():
        assert level.voxel_size == pytest.approx(SCALES[level.name], rel=1e-15)
        assert level.translation == pytest.approx(PLACES[level.name], rel=1e-15)


# tensorstore ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", STORED)
def test_tensorstore_opens_the_arrays_by_their_own_documents(tmp_path, how):
    path, held = written(tmp_path, **STORED[how])
    driver = "zarr" if STORED[how].get("format") == "zarr2" else "zarr3"
    for name, expected in held.items():
        found = ts.open({"driver": driver, "kvstore": f"file://{path}/{name}/"}, open=True).result()
        assert (found.read().result() == expected).all()
        assert found.chunk_layout.read_chunk.shape == CHUNKS
        if driver == "zarr3":
            assert found.domain.labels == ("z", "y", "x")


@pytest.mark.parametrize("how", ["zarr2", "zarr3", "sharded"])
def test_what_tensorstore_writes_into_the_array_is_read(tmp_path, how):
    path, _ = written(tmp_path, **STORED[how])
    driver = "zarr" if how == "zarr2" else "zarr3"
    array = ts.open({"driver": driver, "kvstore": f"file://{path}/s0/"}, open=True).result()
    array.write(counted(SHAPE) + 7).result()
    assert (wa.open(path, level="s0").read_index((0, 0, 0), SHAPE) == counted(SHAPE) + 7).all()


# zarr-python ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def zarr():
    return pytest.importorskip("zarr", minversion="3", reason="zarr-python 3 is not installed")


@pytest.mark.parametrize("how", STORED)
def test_zarr_python_reads_the_same_values_and_attributes(tmp_path, zarr, how):
    path, held = written(tmp_path, **STORED[how])
    group = zarr.open_group(str(path), mode="r")
    assert group.attrs["registry"] == {"y0": 12}
    assert set(group.array_keys()) == {"s0", "s1"}
    for name, expected in held.items():
        array = group[name]
        assert (array[...] == expected).all()
        assert (array.shape, array.chunks, array.dtype) == (expected.shape, CHUNKS, np.uint16)
        assert array.shards == (SHARDS if "sharded" in how else None)
    assert dict(group["s0"].attrs) == {"fs": 1.5}
    if STORED[how].get("format") != "zarr2":
        assert group["s0"].metadata.dimension_names == ("z", "y", "x")


@pytest.mark.parametrize("fill", [0, 9, float("nan"), -float("inf")])
@pytest.mark.parametrize("format", ["zarr2", "zarr3"])
def test_zarr_python_reads_what_is_not_stored_as_the_same_fill(tmp_path, zarr, format, fill):
    wa.create(
        tmp_path / "a.zarr" / "s0", (4, 6), "float32", (8, 4), (0, 0), chunks=(2, 3), fill_value=fill, format=format
    )
    array = zarr.open_array(str(tmp_path / "a.zarr" / "s0"), mode="r")
    np.testing.assert_array_equal(array.fill_value, np.float32(fill))
    np.testing.assert_array_equal(array[...], np.full((4, 6), fill, "float32"))


DTYPES = ["bool", "int8", "uint64", "int64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("format", ["zarr2", "zarr3"])
def test_zarr_python_reads_every_dtype_that_it_knows(tmp_path, zarr, format, dtype):
    path, held = written(tmp_path, dtype=dtype, format=format)
    array = zarr.open_array(str(path / "s0"), mode="r")
    assert array.dtype == np.dtype(dtype)
    assert (array[...] == held["s0"]).all()


@pytest.mark.parametrize("how", ["zarr2", "zarr3", "sharded"])
def test_what_zarr_python_writes_into_the_array_is_read(tmp_path, zarr, how):
    path, _ = written(tmp_path, **STORED[how])
    zarr.open_array(str(path / "s0"), mode="r+")[...] = counted(SHAPE) + 7
    assert (wa.open(path, level="s0").read_index((0, 0, 0), SHAPE) == counted(SHAPE) + 7).all()


@pytest.mark.parametrize("format", [2, 3])
def test_an_array_that_zarr_python_made_is_filled_listed_and_given_a_coarser_level(tmp_path, zarr, format):
    group = zarr.open_group(str(tmp_path / "em.zarr"), mode="w", zarr_format=format, attributes={"mine": [1]})
    made = group.create_array("s0", shape=SHAPE, chunks=CHUNKS, dtype="uint16", fill_value=0)
    wa.ensure_group_entry(tmp_path / "em.zarr", "s0", SCALES["s0"], PLACES["s0"], units="um")
    pyramid = wa.open_pyramid(tmp_path / "em.zarr", mode="r+", units=None)
    pyramid.by_name("s0").write_index((0, 0, 0), SHAPE, counted(SHAPE))
    assert (made[...] == counted(SHAPE)).all()
    coarse = pyramid.add_level("s1", (1, 2, 3))
    assert (coarse.voxel_size, coarse.translation) == (SCALES["s1"], pytest.approx(PLACES["s1"], rel=1e-15))
    again = zarr.open_group(str(tmp_path / "em.zarr"), mode="r")
    assert again.attrs["mine"] == [1]
    assert again["s1"].shape == (7, 6, 5)


# ngff-zarr -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("how", ["zarr2", "zarr3", "sharded"])
def test_ngff_zarr_reads_the_same_values_scales_and_translations(tmp_path, how, axes):
    ngff_zarr = pytest.importorskip("ngff_zarr", reason="ngff-zarr is not installed")
    path, held = written(tmp_path, axes, **STORED[how])
    found = ngff_zarr.from_ngff_zarr(str(path), validate=True)
    assert [each.path for each in found.metadata.datasets] == ["s0", "s1"]
    for name, image in zip(("s0", "s1"), found.images, strict=True):
        assert tuple(image.dims) == axes
        assert tuple(image.scale[axis] for axis in "zyx") == pytest.approx(SCALES[name], rel=1e-15)
        assert tuple(image.translation[axis] for axis in "zyx") == pytest.approx(PLACES[name], rel=1e-15)
        assert {axis: image.axes_units[axis] for axis in "zyx"} == dict.fromkeys("zyx", "micrometer")
        assert (np.asarray(image.data) == held[name]).all()


# yaozarrs ------------------------------------------------------------------------------------------------------------


def document_version(how):
    return "0.4" if how.startswith("zarr2") else "0.5"


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("how", ["zarr2", "zarr3", "sharded"])
def test_yaozarrs_validates_the_store_and_its_document(tmp_path, how, axes):
    yaozarrs = pytest.importorskip("yaozarrs", reason="yaozarrs is not installed")
    path, _ = written(tmp_path, axes, **STORED[how])
    if how.startswith("zarr2"):
        document = read_json(path, ".zattrs")
    else:
        document = read_json(path, "zarr.json")["attributes"]["ome"]
    image = yaozarrs.validate_ome_object(document)
    multiscale = image.multiscales[0]
    assert (multiscale.version if how.startswith("zarr2") else image.version) == document_version(how)
    assert [axis.name for axis in multiscale.axes] == list(axes)
    assert [dataset.path for dataset in multiscale.datasets] == ["s0", "s1"]
    for dataset in multiscale.datasets:
        scale, translation = dataset.coordinateTransformations
        assert tuple(scale.scale[-3:]) == pytest.approx(SCALES[dataset.path], rel=1e-15)
        assert tuple(translation.translation[-3:]) == pytest.approx(PLACES[dataset.path], rel=1e-15)
    yaozarrs.validate_ome_json(json.dumps(document))
    if find_spec("fsspec") is not None:
        yaozarrs.validate_zarr_store(str(path))
