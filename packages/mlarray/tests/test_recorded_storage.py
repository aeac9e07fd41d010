"""What a file records of its layout, against what its array is."""

import warnings

import numpy as np
import pytest

from mlarray import MLArray, MLArrayWarning
from mlarray.header.wire import decode, encode
from mlarray.io.file_store import LARGE, open_file
from mlarray.layout.compression import differing
from mlarray.layout.records import Compression

VALUES = np.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6)
REAL = {"codec": "ZSTD", "level": 3, "filters": ["DELTA", "BITSHUFFLE"]}


def recorded(path):
    """What a file records."""
    store = open_file(str(path))
    try:
        return decode(store.keys()["mlarray"])["storage"]
    finally:
        store.close()


def write(path, storage=None, **more):
    """Save a file that is compressed as `REAL`, with keys of `storage` replaced."""
    MLArray(VALUES, axes=["z", "y", "x"], cparams=REAL, **more).save(path)
    store = open_file(str(path), "r+")
    header = decode(store.keys()["mlarray"])
    assert header["storage"]["compression"] == REAL
    header["storage"] |= storage or {}
    store.set_keys({"mlarray": encode(header)})
    store.close()
    return path


WRONG = [
    ({"codec": "LZ4"}, "codec LZ4 (it is ZSTD)"),
    ({"codec": "OTHER"}, "codec OTHER (it is ZSTD)"),
    ({"codec": "ZSTD", "level": 4}, "level 4 (it is 3)"),
    ({"codec": "ZSTD", "filters": ["BITSHUFFLE", "DELTA"]}, "filters ['BITSHUFFLE', 'DELTA']"),
    ({"codec": "ZSTD", "filters": []}, "filters [] (it is ['DELTA', 'BITSHUFFLE'])"),
    ({"codec": "ZSTD", "filters_meta": [0, 2]}, "filters_meta [0, 2] (it is absent)"),
]


@pytest.mark.parametrize(("compression", "words"), WRONG)
@pytest.mark.parametrize("large", [False, True])
def test_another_compression_than_the_real_one_is_noticed_and_corrected_by_saving(tmp_path, compression, words, large):
    # The metadata of a file that blosc2 opens only later, when a voxel is asked for, is above LARGE when packed.
    user = {"user": {"a": np.random.default_rng(3).bytes(2 * LARGE)}} if large else {}
    path = write(tmp_path / "a.mla", {"compression": compression}, **user)
    with pytest.warns(MLArrayWarning) as found:
        m = MLArray.open(path)
    assert len(found) == 1
    assert f"{path}: /storage: the file records {words}" in str(found[0].message)
    assert m.meta.storage.compression == REAL
    m.save(tmp_path / "b.mla")
    m.close()
    assert recorded(tmp_path / "b.mla")["compression"] == REAL
    MLArray.open(tmp_path / "b.mla").close()
    assert recorded(path)["compression"] == compression


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    "compression",
    [
        REAL,
        {"codec": "ZSTD"},
        {"codec": "ZSTD", "level": 3.0},
        {"codec": "ZSTD", "filters": ["NOFILTER", "DELTA", "NOFILTER", "BITSHUFFLE"]},
        {"codec": "ZSTD", "filters_meta": [0, 0]},
        {"codec": "ZSTD", "filters_meta": [0], "org_x": 1},
    ],
)
def test_the_real_compression_in_other_words_is_not_noticed(tmp_path, compression, large):
    user = {"user": {"a": np.random.default_rng(3).bytes(2 * LARGE)}} if large else {}
    path = write(tmp_path / "a.mla", {"compression": compression}, **user)
    for mode in ("r", "r+", "c"):
        MLArray.open(path, mode).close()
    MLArray.load(path).close()
    assert recorded(path)["compression"] == compression


def test_a_file_that_is_open_for_writing_is_corrected_when_it_is_closed(tmp_path):
    path = write(tmp_path / "a.mla", {"compression": {"codec": "LZ4"}, "chunk_size": [1, 1, 1]})
    with pytest.warns(MLArrayWarning, match=r"chunk_size \[1, 1, 1\] .*codec LZ4"), MLArray.open(path, "r+"):
        pass
    assert recorded(path)["compression"] == REAL
    MLArray.open(path).close()


def test_a_broken_storage_is_corrected_when_a_file_that_is_open_for_writing_is_closed(tmp_path):
    path = write(tmp_path / "a.mla", {"compression": 5, "patch_size": "x"})
    with pytest.warns(MLArrayWarning, match="/storage"), MLArray.open(path, "r+", strict=False):
        pass
    assert recorded(path)["compression"] == REAL
    MLArray.open(path).close()


FILTERS = ([], ["SHUFFLE"], ["BITSHUFFLE"], ["DELTA", "SHUFFLE"])


@pytest.mark.parametrize("codec", ["BLOSCLZ", "LZ4", "LZ4HC", "ZLIB", "ZSTD"])
@pytest.mark.parametrize(
    ("dtype", "filters"),
    # TRUNC_PREC cuts the precision of floats of 4 or 8 bytes alone.
    [*((dtype, filters) for dtype in ("u1", "<f4", "c16") for filters in FILTERS), ("<f4", ["TRUNC_PREC", "SHUFFLE"])],
)
def test_what_this_package_writes_it_records_as_it_is(tmp_path, codec, filters, dtype):
    path = tmp_path / "a.mla"
    for level in (0, 1, 9):
        settings = {"codec": codec, "clevel": level, "filters": filters, "filters_meta": [9, 0][: len(filters)]}
        if "TRUNC_PREC" not in filters:
            del settings["filters_meta"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for shape in ((), (0, 3), (1,), (40, 50)):
                MLArray(np.ones(shape, dtype)).save(path, cparams=settings)
                MLArray.open(path).close()
                MLArray(np.ones(shape, dtype), cparams=settings).save(path)
                MLArray.load(path).close()
                with MLArray.create(path, shape, dtype, cparams=settings) as m:
                    m[...] = 1
                MLArray.open(path, "r+").close()


def test_what_differs_is_told_key_by_key():
    real = Compression("LZ4", 5, ("DELTA", "SHUFFLE"), (3, 0))
    assert differing({"codec": "LZ4"}, real) == ()
    assert differing({"codec": "LZ4", "filters": ["DELTA", "SHUFFLE"], "filters_meta": [3]}, real) == ()
    assert differing({"codec": "LZ4", "filters_meta": [0, 3]}, real) == ("filters_meta",)
    assert differing({"codec": "lz4", "level": 0, "filters": ["SHUFFLE"]}, real) == ("codec", "level", "filters")
