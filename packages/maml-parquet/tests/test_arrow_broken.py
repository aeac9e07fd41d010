"""Arrays of Arrow whose memory is not what it says: told, and neither written nor followed."""

import numpy as np
import pyarrow as pa
import pytest

import maml_parquet as mp
from maml_parquet.arrow.incoming import columns_of

WORD = pa.array(["abc"])
STRING = pa.string()


def text(offsets, data, type_=STRING):
    """Strings by hand: where each begins, and the bytes of all."""
    kind = "i8" if pa.types.is_large_string(type_) else "i4"
    buffers = [None, pa.py_buffer(np.array(offsets, kind)), pa.py_buffer(data)]
    return pa.Array.from_buffers(type_, len(offsets) - 1, buffers)


@pytest.mark.parametrize(
    "values",
    [
        text([0, 1], b"\xff"),
        text([0, 3], b"\xed\xa0\x80"),  # half a character, which UTF-8 does not have
        text([0, 1], b"\xff", pa.large_string()),
        text([0, 5, 2], b"abcdef"),  # the second ends before it begins
        pa.chunked_array([WORD, text([0, 1], b"\xff")]),
        pa.DictionaryArray.from_arrays(pa.array([0, 7]), WORD, safe=False),
        pa.DictionaryArray.from_arrays(pa.array([0]), text([0, 1], b"\xff")),
    ],
)
def test_a_broken_array_is_told(values, tmp_path):
    with pytest.raises(mp.MamlError, match=r"no valid Arrow array \(.*\); make it anew") as caught:
        columns_of({"x": values})
    assert (caught.value.code, caught.value.at) == ("column", ("x",))
    schema = mp.Schema.from_maml(mp.parse("table: t\nfields: [{name: x, data_type: string, array_size: auto}]"))
    with pytest.raises(mp.MamlError, match="no valid Arrow array"):
        mp.write_table(pa.table({"x": values}), tmp_path / "x.parquet", schema)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "values",
    [
        text([0, 3, 3], b"abc"),
        text([1, 3], b"abc"),
        text([0, 3], b"abc").slice(1),
        pa.DictionaryArray.from_arrays(pa.array([0, None]), WORD),
        pa.array(["a" * 20, None], pa.string_view()),
        pa.array([["a"], ["b"]], pa.list_view(pa.string())),
    ],
)
def test_odd_arrays_that_are_whole_are_taken(values):
    assert columns_of({"x": values})[1] == len(values)


def test_a_stream_that_fails_is_told_with_its_own_words():
    schema = pa.schema([("x", pa.int64())])

    def rows():
        yield pa.record_batch([pa.array([1])], schema=schema)
        raise OverflowError("the well is dry")

    with pytest.raises(mp.MamlError, match=r"failed while its rows were read .*the well is dry"):
        columns_of(pa.RecordBatchReader.from_batches(schema, rows()))
