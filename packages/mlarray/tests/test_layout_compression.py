"""Compression between blosc2's settings, documents and arguments."""

from __future__ import annotations

import subprocess
import sys

import blosc2
import numpy as np
import pytest

from mlarray.errors import ArgumentError, ArgumentTypeError
from mlarray.layout.compression import document, from_argument, from_cparams, from_document
from mlarray.layout.records import DEFAULTS, Compression, default_for


def test_the_default_is_split_into_streams():
    found = Compression().to_cparams()
    assert (found.codec, found.clevel) == (blosc2.Codec.LZ4HC, 8)
    assert (found.filters, found.filters_meta) == ([blosc2.Filter.SHUFFLE], [0])
    assert (found.splitmode, found.nthreads) == (blosc2.SplitMode.ALWAYS_SPLIT, 1)


@pytest.mark.parametrize(
    "other", [Compression("ZSTD", 5), Compression("LZ4HC", 8, ("BITSHUFFLE",)), Compression("LZ4HC", 8, ())]
)
def test_others_are_split_as_blosc2_does(other):
    assert other.to_cparams().splitmode == blosc2.CParams().splitmode


def test_no_filter_is_blosc2_s_nofilter():
    assert default_for(1).to_cparams().filters == [blosc2.Filter.NOFILTER]


@pytest.mark.parametrize("itemsize", [2, 4, 8, 16])
def test_more_than_one_byte_is_shuffled(itemsize):
    assert default_for(itemsize) == Compression("LZ4HC", 8, ("SHUFFLE",)) == DEFAULTS[1]


@pytest.mark.parametrize(
    "made", [Compression(), Compression("ZSTD", 3, ("TRUNC_PREC", "SHUFFLE"), (10, 0)), Compression("LZ4", 1, ())]
)
def test_a_file_tells_how_it_was_compressed(tmp_path, made):
    """Six slots with SHUFFLE last, or in another place, are read as what was asked for."""
    path = str(tmp_path / "a.b2nd")
    values = np.linspace(0, 1, 600, dtype="f4").reshape(20, 30)
    blosc2.asarray(values, urlpath=path, mode="w", cparams=made.to_cparams())
    assert from_cparams(blosc2.open(path, mode="r").schunk.cparams) == made
    assert from_document(document(made)) == made


def test_cparams_of_blosc2_are_taken_as_they_are():
    whole = blosc2.CParams(codec=blosc2.Codec.ZSTD, clevel=5, filters=[blosc2.Filter.SHUFFLE], filters_meta=[0])
    assert from_argument(whole) == Compression("ZSTD", 5, ("SHUFFLE",))
    made = blosc2.CParams(codec=blosc2.Codec.BLOSCLZ, clevel=2, filters=[blosc2.Filter.DELTA], filters_meta=[0])
    assert from_argument(made) == Compression("BLOSCLZ", 2, ("DELTA",))


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"codec": blosc2.Codec.LZ4, "clevel": np.int64(3)}, Compression("LZ4", 3)),
        ({"codec": "lz4"}, Compression("LZ4", 5)),
        ({"filters": blosc2.Filter.BITSHUFFLE}, Compression("LZ4HC", 8, ("BITSHUFFLE",))),
        ({"filters": "BITSHUFFLE"}, Compression("LZ4HC", 8, ("BITSHUFFLE",))),
        ({"filters": ()}, Compression("LZ4HC", 8, ())),
        ({"filters_meta": [0, 0]}, Compression("LZ4HC", 8)),
        (Compression("ZLIB", 1), Compression("ZLIB", 1)),
        (None, Compression()),
        ({}, Compression()),
    ],
)
def test_settings_in_every_spelling(asked, found):
    assert from_argument(asked) == found


@pytest.mark.parametrize(
    ("wrong", "code", "at"),
    [
        ({"clevel": True}, "wrong_type", ("cparams", "level")),
        ({"clevel": 2.5}, "wrong_type", ("cparams", "level")),
        ({"clevel": "high"}, "wrong_type", ("cparams", "level")),
        ({"clevel": -1}, "out_of_range", ("cparams", "level")),
        ({"filters": 7.5}, "wrong_type", ("cparams", "filters")),
        ({"filters_meta": 7.5}, "wrong_type", ("cparams", "filters_meta")),
        ({"filters": ["TRUNC_PREC"], "filters_meta": ["x"]}, "wrong_type", ("cparams", "filters_meta")),
        ({"codec": 77}, "unknown_name", ("cparams", "codec")),
        ({"codec": None}, "unknown_name", ("cparams", "codec")),
        ({3: 4}, "unknown_name", ("cparams", "3")),
        ("LZ4", "wrong_type", ("cparams",)),
    ],
)
def test_wrong_settings(wrong, code, at):
    with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
        from_argument(wrong)
    assert (caught.value.code, caught.value.at) == (code, at)


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ArgumentError, match="LZ4HC, ZLIB, ZSTD"):
        from_argument({"codec": "NEW"})


def test_layouts_need_no_blosc2():
    code = (
        "import sys, mlarray.layout.arguments, mlarray.layout.compression as c; "
        "from mlarray.layout.suggest import suggest_layout; suggest_layout((9, 8), 'i2'); "
        "c.document(c.from_document({'codec': 'ZSTD'})); print('blosc2' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
