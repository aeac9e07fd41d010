"""The write grid of a handle: covering, keys and listing agree, whichever axes are pinned."""

import sys
import types

import pytest
from stores import coded, write_json, zarr3

import worldarray as wa
from worldarray.errors import ArgumentError, PlacementWarning, WritePackageError

CZYX = ("c", "z", "y", "x")


@pytest.fixture
def channels(tmp_path):
    """(c, z, y, x) of shape (3, 2, 4, 5) in chunks of (2, 1, 3, 2): grid (2, 2, 2, 3)."""
    attributes = {"voxel_size": [1, 30, 8, 4], "offset": [0, 0, 0, 0], "units": ["", "nm", "nm", "nm"]}
    return zarr3(tmp_path / "em", coded(3, 2, 4, 5), (2, 1, 3, 2), CZYX, attributes)


def test_chunk_indices_of_a_pinned_handle_have_the_kept_axes_everywhere(channels):
    vol = wa.open(channels, select={"c": 2})  # index 2 lies in unit 2 // 2 = 1 of the channel axis
    (covering,) = vol.chunks_covering((1, 3, 4), (2, 4, 5), write=True)
    assert covering == (1, 1, 2)  # 1 // 1, 3 // 3, 4 // 2
    assert vol.chunk_key(covering) == "c/1/1/1/2"
    assert vol.parse_chunk_key("c/1/1/1/2") == covering
    assert vol.parse_chunk_key("c/0/1/1/2") is None
    assert vol.list_chunks() == [(z, y, x) for z in range(2) for y in range(2) for x in range(3)]


def test_chunk_indices_of_a_whole_handle_have_every_axis(channels):
    vol = wa.open(channels)
    assert vol.chunk_key((0, 1, 1, 2)) == "c/0/1/1/2"
    assert vol.parse_chunk_key("c/0/1/1/2") == (0, 1, 1, 2)
    assert len(vol.list_chunks()) == 24
    with pytest.raises(ArgumentError) as caught:
        vol.chunk_key((0, 1, 1))
    assert caught.value.code == "wrong_length"


def sharded_precomputed(folder, sharding):
    scale = {
        "key": "8_8_40",
        "size": [6, 5, 4],
        "voxel_offset": [0, 0, 0],
        "resolution": [4, 8, 30],
        "chunk_sizes": [[2, 3, 4]],
        "encoding": "raw",
        **({"sharding": sharding} if sharding else {}),
    }
    info = {"type": "image", "data_type": "uint8", "num_channels": 1, "scales": [scale]}
    write_json(folder / "info", {"@type": "neuroglancer_multiscale_volume", **info})
    return str(folder)


SHARDING = {
    "@type": "neuroglancer_uint64_sharded_v1",
    "preshift_bits": 0,
    "hash": "identity",
    "minishard_bits": 0,
    "shard_bits": 0,
    "minishard_index_encoding": "raw",
    "data_encoding": "raw",
}


def test_a_chunk_of_a_sharded_precomputed_scale_has_no_key(tmp_path):
    plain = wa.open(sharded_precomputed(tmp_path / "plain", None), level=0)
    assert plain.chunk_key((0, 1, 2)) == "4-6_3-5_0-4"  # x 2 * 2, y 1 * 3 to the end 5, z 0 to 4
    sharded = wa.open(sharded_precomputed(tmp_path / "sharded", SHARDING), level=0)
    with pytest.raises(ArgumentError, match="hold many chunks"):
        sharded.chunk_key((0, 1, 2))
    assert sharded.parse_chunk_key("4-6_3-5_0-4") is None


def test_a_level_that_its_own_document_places_elsewhere_than_its_group_is_told(tmp_path):
    transform = {"axes": ["z", "y", "x"], "scale": [30, 8, 4], "translate": [100, 20, 6], "units": ["nm"] * 3}
    array = {"dimensions": [6, 5, 4], "blockSize": [6, 5, 4], "dataType": "uint8", "compression": {"type": "raw"}}
    group = {"multiscales": [{"datasets": [{"path": "s0", "transform": transform}]}]}
    write_json(tmp_path / "em.n5" / "attributes.json", group)
    write_json(tmp_path / "em.n5" / "s0" / "attributes.json", {**array, "transform": transform})
    assert wa.open(tmp_path / "em.n5", level=0).voxel_size == (30.0, 8.0, 4.0)
    own = {**transform, "scale": [60, 16, 8]}
    write_json(tmp_path / "em.n5" / "s0" / "attributes.json", {**array, "transform": own})
    with pytest.warns(PlacementWarning, match="which are read"):
        assert wa.open(tmp_path / "em.n5", level=0).voxel_size == (60.0, 16.0, 8.0)


def test_a_worldarray_write_that_lacks_a_name_is_to_be_upgraded(monkeypatch):
    monkeypatch.setitem(sys.modules, "worldarray_write", types.ModuleType("worldarray_write"))
    with pytest.raises(WritePackageError, match="--upgrade worldarray-write"):
        wa.create  # noqa: B018
    with pytest.raises(WritePackageError, match="--upgrade worldarray-write"):
        wa.open("anything", mode="r+")
