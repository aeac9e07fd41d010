"""From arguments to a layout, and from a file's layout to what it records."""

from __future__ import annotations

import blosc2
import numpy as np
import pytest

from mlarray import MLArray
from mlarray.errors import ArgumentError, ArgumentTypeError
from mlarray.layout.arguments import Wanted, resolve_layout, storage_document
from mlarray.layout.records import Compression, Layout, default_for

SPACE = ["space", "space"]


def resolved(shape=(40, 50), dtype="int16", types=SPACE, recorded=None, **wanted):
    return resolve_layout(shape, np.dtype(dtype), types, Wanted(**wanted), recorded)


def test_numbers_of_numpy_are_numbers():
    layout = resolved(chunk_size=np.array([16, 24]), block_size=(np.int64(8), np.int8(6)))
    assert (layout.chunk, layout.block, layout.patch) == ((16, 24), (8, 6), None)
    assert {type(n) for n in (*layout.chunk, *layout.block)} == {int}


def test_whether_anything_is_wanted():
    assert not Wanted().anything
    assert Wanted(patch_size=None).anything


@pytest.mark.parametrize(
    "recorded",
    [
        "no map",
        {"patch_size": "ab", "chunk_size": 7, "block_size": None, "compression": "LZ4"},
        {"patch_size": [0, 4], "compression": {"level": 3}},
        {"chunk_size": [0, 9], "block_size": [0, 3], "compression": {"codec": 7}},
        {"patch_size": [], "chunk_size": [], "block_size": []},
    ],
)
def test_what_is_recorded_wrongly_is_passed_over(recorded):
    """As after `open(strict=False)`: the default of 192, cut off at (40, 50)."""
    assert resolved(recorded=recorded) == Layout((40, 50), (40, 50), (192, 192), default_for(2))


def test_a_codec_nobody_knows_is_refused_only_where_it_is_needed():
    layout = resolved(recorded={"compression": {"codec": "NEW", "filters": ["SHUFFLE"]}})
    assert layout.compression.codec == "NEW"
    with pytest.raises(ArgumentError, match="NEW") as caught:
        layout.compression.to_cparams()
    assert caught.value.at == ("storage", "compression", "codec")


def test_a_plain_array_records_nothing():
    assert storage_document(None) == {}


@pytest.mark.parametrize(
    ("shape", "axes", "patch"),
    [
        ((40, 50, 60), ["z", "y", "x"], [192, 192, 192]),
        ((40, 50, 3), ["y", "x", "c"], [192, 192]),
        ((40, 50), ["a", "b"], [192, 192]),
        ((), [], None),
        ((0, 50), ["y", "x"], [192, 192]),
    ],
)
def test_a_file_records_what_blosc2_made(tmp_path, shape, axes, patch):
    path = tmp_path / "a.mla"
    MLArray(np.zeros(shape, "i2"), axes=axes).save(path)
    frame = blosc2.open(str(path), mode="r")
    with MLArray.open(path) as m:
        storage = m.meta.to_dict()["storage"]
    assert storage["chunk_size"] == list(frame.chunks)
    assert storage["block_size"] == list(frame.blocks)
    assert storage.get("patch_size") == patch
    assert storage["compression"] == {"codec": "LZ4HC", "level": 8, "filters": ["SHUFFLE"]}


def test_a_patch_larger_than_the_image_is_cut_off(tmp_path):
    MLArray(np.zeros((7, 5, 9), "i2"), axes=["z", "y", "x"], patch_size=(64, 32, 16)).save(tmp_path / "a.mla")
    with MLArray.open(tmp_path / "a.mla") as m:
        found = m.meta.to_dict()["storage"]
    assert (found["chunk_size"], found["block_size"], found["patch_size"]) == ([7, 5, 9], [7, 5, 9], [64, 32, 16])


def test_cutting_anew_keeps_what_is_recorded(tmp_path):
    """Chunk and block are given, the compression is that of the file."""
    a, b = tmp_path / "a.mla", tmp_path / "b.mla"
    MLArray(np.arange(2000, dtype="i2").reshape(40, 50), axes=["y", "x"], cparams={"codec": "ZSTD"}).save(a)
    with MLArray.open(a) as m:
        m.save(b, chunk_size=(16, 24), block_size=(8, 6))
    with MLArray.open(b) as m:
        storage = m.meta.to_dict()["storage"]
        assert m[3, 4] == 154
    assert storage == {
        "chunk_size": [16, 24],
        "block_size": [8, 6],
        "compression": {"codec": "ZSTD", "level": 5, "filters": ["SHUFFLE"]},
    }


def test_a_mask_like_its_image_is_not_shuffled():
    """A copy brings the image's layout along, not its default for two bytes."""
    image = MLArray(np.zeros((40, 50), "i2"), axes=["y", "x"], patch_size=(20, 30))
    mask = MLArray.zeros_like(image, dtype="u1")
    assert mask.meta.storage.to_cparams().filters == [blosc2.Filter.NOFILTER]
    back = MLArray.zeros_like(mask, dtype="f4")
    assert back.meta.storage.to_cparams().filters == [blosc2.Filter.SHUFFLE]


@pytest.mark.parametrize(
    ("arguments", "code", "at"),
    [
        ({"patch_size": 0}, "not_positive", ("patch_size",)),
        ({"patch_size": -5}, "not_positive", ("patch_size",)),
        ({"patch_size": 2.5}, "wrong_type", ("patch_size",)),
        ({"patch_size": "big"}, "wrong_value", ("patch_size",)),
        ({"patch_size": 8, "chunk_size": 8, "block_size": 8}, "conflict", ("patch_size",)),
        ({"chunk_size": 8}, "missing_field", ("block_size",)),
        ({"chunk_size": 8, "block_size": 9}, "conflict", ("block_size", 0)),
        ({"cparams": {"codec": "NEW"}}, "unknown_name", ("cparams", "codec")),
        ({"cparams": {"filters": ["NEW"]}}, "unknown_name", ("cparams", "filters", 0)),
        ({"cparams": 5}, "wrong_type", ("cparams",)),
    ],
)
def test_wrong_arguments_are_one_clear_error(arguments, code, at):
    with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
        MLArray(np.zeros((40, 50)), axes=["y", "x"], **arguments)
    assert (caught.value.code, caught.value.at) == (code, at)


def test_their_neighbours_pass():
    for given in ({"patch_size": np.int64(2)}, {"chunk_size": 8, "block_size": 8}, {"cparams": {"codec": "ZSTD"}}):
        MLArray(np.zeros((40, 50)), axes=["y", "x"], **given)


def test_an_empty_layout_is_blosc2_s():
    made = MLArray(np.zeros((40, 50), "i2"), axes=["y", "x"], patch_size=None)
    like = blosc2.asarray(np.zeros((40, 50), "i2"), cparams=Compression().to_cparams())
    storage = made.meta.to_dict()["storage"] or {"chunk_size": list(like.chunks), "block_size": list(like.blocks)}
    assert storage["chunk_size"] == list(like.chunks)
    assert storage["block_size"] == list(like.blocks)
    assert "patch_size" not in storage
