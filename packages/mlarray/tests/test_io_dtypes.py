"""Dtypes: those that a file holds come back byte for byte; every other one is refused by its name, with what to do."""

import numpy as np
import pytest

from mlarray import MLArray
from mlarray.errors import ArgumentTypeError
from mlarray.io.dtypes import check_dtype
from mlarray.io.frame import read_header_of

# Values as big-endian bytes: the least, the greatest, both zeros, infinities, the smallest that is not zero, and NaNs
# that are quiet, negative, signalling, and with every bit set. What a file does not keep byte for byte shows in these.
BITS = {
    "b1": "00 01 01 00",
    "i1": "80 7f 00 ff",
    "i2": "8000 7fff 0000 ffff 0102",
    "i4": "80000000 7fffffff 00000000 ffffffff 01020304",
    "i8": "8000000000000000 7fffffffffffffff 0000000000000000 ffffffffffffffff 0102030405060708",
    "u1": "00 ff 01 80",
    "u2": "0000 ffff 8000 0102",
    "u4": "00000000 ffffffff 80000000 01020304",
    "u8": "0000000000000000 ffffffffffffffff 8000000000000000 0102030405060708",
    "f2": "0000 8000 7c00 fc00 0001 7e00 fe01 7d01 ffff 3c00",
    "f4": "00000000 80000000 7f800000 ff800000 00000001 7fc00000 ffc00001 7fa00001 ffffffff 3f800000",
    "f8": "0000000000000000 8000000000000000 7ff0000000000000 fff0000000000000 0000000000000001 7ff8000000000000 "
    "fff8000000000001 7ff4000000000001 ffffffffffffffff 3ff0000000000000",
    "c8": "0000000080000000 7f800000ff800000 7fc00000ffc00001 7fa0000100000001 ffffffff3f800000",
    "c16": "00000000000000008000000000000000 7ff0000000000000fff0000000000000 7ff8000000000000fff8000000000001",
}
DTYPES = [order + kind for kind in BITS for order in "<>"]


def values_of(dtype):
    """The values of a dtype, from their bytes: no arithmetic, which would quieten a NaN."""
    size = int(dtype[2:])
    unit = size // 2 if dtype[1] == "c" else size
    parts = [bytes.fromhex(text) for text in BITS[dtype[1:]].split()]
    halves = [part[at : at + unit] for part in parts for at in range(0, size, unit)]
    raw = b"".join(half[::-1] if dtype[0] == "<" else half for half in halves)
    return np.frombuffer(raw, dtype), raw


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_dtype_comes_back_byte_for_byte_in_its_byte_order(tmp_path, dtype):
    values, raw = values_of(dtype)
    path = tmp_path / "a.mla"
    MLArray(values).save(path)
    assert read_header_of(str(path))[0].dtype.str == np.dtype(dtype).str
    for options in ({}, {"mmap": False}, {"mode": "c"}, {"mode": "r+"}):
        with MLArray.open(path, **options) as array:
            assert (array.dtype.str, array.shape) == (np.dtype(dtype).str, values.shape)
            for found in (array.to_numpy(), array[...], array.read_patch((0,), values.shape)):
                assert (found.dtype.str, found.tobytes()) == (np.dtype(dtype).str, raw)
    for compressed in (True, False):
        assert MLArray.load(path, compressed=compressed).to_numpy().tobytes() == raw


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_dtype_survives_every_way_to_write_it(tmp_path, dtype):
    values, raw = values_of(dtype)
    MLArray(values, compressed=False).save(tmp_path / "plain.mla")
    with MLArray.open(tmp_path / "plain.mla") as array:
        array.save(tmp_path / "copied.mla")
        array.save(tmp_path / "cut.mla", chunk_size=(3,), block_size=(2,))
    with MLArray.create(tmp_path / "filled.mla", values.shape, dtype) as array:
        array[...] = values
    with MLArray.open(tmp_path / "filled.mla") as array:
        array.save(tmp_path / "changed.mla")
    with MLArray.open(tmp_path / "changed.mla", mode="r+") as array:
        array[1:3] = values[1:3]
    for name in ("plain", "copied", "cut", "filled", "changed"):
        with MLArray.open(tmp_path / f"{name}.mla") as array:
            assert (array.dtype.str, array.to_numpy().tobytes()) == (np.dtype(dtype).str, raw), name


@pytest.mark.parametrize("dtype", DTYPES)
def test_one_value_of_a_dtype_comes_back_byte_for_byte(tmp_path, dtype):
    values, _ = values_of(dtype)
    for index, value in enumerate(values):
        path = tmp_path / f"{index}.mla"
        MLArray.full((5,), value, dtype).save(path)
        found = MLArray.load(path).to_numpy()
        kept = values[index : index + 1].tobytes()
        if np.isnan(value) and np.dtype(dtype).kind in "fc":
            assert np.isnan(found).all()  # a number that is computed with: which NaN it was may be lost
        else:
            assert (found.dtype.str, found.tobytes()) == (np.dtype(dtype).str, kept * 5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_axes_of_no_length_and_no_axes_keep_the_dtype(tmp_path, dtype):
    values, raw = values_of(dtype)
    for name, array in (("none", np.empty((0, 3), dtype)), ("scalar", values[1:2].reshape(()))):
        MLArray(array).save(tmp_path / f"{name}.mla")
    with MLArray.open(tmp_path / "none.mla") as found:
        assert (found.shape, found.dtype.str) == ((0, 3), np.dtype(dtype).str)
    size = np.dtype(dtype).itemsize
    with MLArray.open(tmp_path / "scalar.mla") as found:
        assert (found.shape, found.to_numpy().tobytes()) == ((), raw[size : 2 * size])


# What no file holds -------------------------------------------------------------------------------------

REFUSED = {
    "O": "the dtype object cannot be stored: .* convert it to numbers",
    "S3": r"the dtype \|S3 cannot be stored: text is metadata",
    "<U3": "the dtype <U3 cannot be stored: text is metadata",
    "M8[s]": r"the dtype datetime64\[s\] cannot be stored: .* time axis",
    "m8[ms]": r"the dtype timedelta64\[ms\] cannot be stored: .* values\.unit",
    "V2": r"the dtype \|V2 cannot be stored: .* bfloat16 as float32",
    "i2,f4": "the dtype .*f0.* cannot be stored: structured",
    "(2,)i2": "the dtype .* cannot be stored: structured",
    "g": "the dtype float(96|128|64) cannot be stored: convert it to float64",
    "G": "the dtype complex(192|256|128) cannot be stored: convert it to complex128",
}


def refusable(text):
    dtype = np.dtype(text)
    return not (text in "gG" and dtype.itemsize == np.dtype("d" if text == "g" else "D").itemsize)


@pytest.mark.parametrize("text", [text for text in REFUSED if refusable(text)])
def test_a_dtype_that_no_file_holds_is_refused_by_name_wherever_it_is_given(tmp_path, text):
    dtype, words = np.dtype(text), REFUSED[text]
    path = tmp_path / "a.mla"
    ways = {
        "check": lambda: check_dtype(dtype),
        "zeros": lambda: MLArray.zeros((3,), dtype),
        "full": lambda: MLArray.full((3,), 0, dtype),
        "zeros_like": lambda: MLArray.zeros_like(MLArray(np.zeros(3, "i2")), dtype),
        "create": lambda: MLArray.create(path, (3,), dtype),
    }
    if dtype.subdtype is None:  # an array of such a dtype is one of more axes
        ways["array"] = lambda: MLArray(np.zeros(3, dtype))
        ways["plain"] = lambda: MLArray(np.zeros(3, dtype), compressed=False)
        ways["asarray"] = lambda: MLArray.asarray(np.zeros(3, dtype))
    for name, way in ways.items():
        with pytest.raises(ArgumentTypeError, match=words) as caught:
            way()
        assert (caught.value.code, caught.value.at) == ("unsupported", ("dtype",)), name
    assert list(tmp_path.iterdir()) == []


def test_a_dtype_of_short_numbers_that_numpy_does_not_have_is_refused_by_name():
    short = pytest.importorskip("ml_dtypes")
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "int4"):
        with pytest.raises(ArgumentTypeError, match=f"the dtype {name} cannot be stored"):
            MLArray(np.zeros(3, getattr(short, name)))
    # As the hint says: float32 holds every bfloat16.
    assert MLArray(np.ones(3, short.bfloat16).astype("f4"))[:].tolist() == [1.0, 1.0, 1.0]


def test_text_of_any_length_is_refused_as_text():
    kind = getattr(np.dtypes, "StringDType", None)
    if kind is None:
        pytest.skip("this numpy has no such dtype")
    with pytest.raises(ArgumentTypeError, match=r"StringDType.* cannot be stored: text is metadata"):
        MLArray(np.array(["a"], kind()))


@pytest.mark.parametrize("given", ["nothing", 5, object(), "i3", "f16x"])
def test_what_names_no_dtype_says_so(given):
    with pytest.raises(ArgumentTypeError, match="is no dtype"):
        MLArray.zeros((3,), given)
    assert MLArray.zeros((3,), "i2").dtype == np.dtype("i2")
