"""The loader: decoding, defaults, lookups, known failures."""

import base64
import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

import worldarray_conformance as conformance


@pytest.fixture
def np():
    return pytest.importorskip("numpy")


def write(folder, *cases, **fields):
    document = {
        "$schema": "schema/case-file.schema.json",
        "suite": 1,
        "op": "selftest.identity",
        "description": "A file.",
        "spec": ["A rule"],
        **fields,
        "cases": [{"description": "A case.", "input": {}, "expect": None, **case} for case in cases],
    }
    path = folder / "file.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return conformance.load_file(path, folder)


def test_defaults_are_merged_shallowly_and_decoded(tmp_path):
    defaults = {"answer": {"a": {"$int": "9007199254740993"}, "b": 2}, "kept": {"$float": "NaN"}}
    (plain, own) = write(tmp_path, {"id": "plain"}, {"id": "own", "input": {"answer": {"c": 3}}}, defaults=defaults)
    assert plain.input["answer"] == {"a": 2**53 + 1, "b": 2}
    assert own.input["answer"] == {"c": 3}
    assert math.isnan(own.input["kept"])
    assert own.raw["input"]["kept"] == {"$float": "NaN"}


def test_array_becomes_numpy_with_dtype_and_shape(np):
    array = conformance.decode({"$array": {"dtype": "int16", "shape": [2, 3], "iota": {"start": -1, "step": 2}}}, "x")
    assert array.as_numpy().tolist() == [[-1, 1, 3], [5, 7, 9]]
    assert array.as_numpy().dtype == np.int16
    assert array.as_numpy().flags.writeable


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "complex64", "complex128"])
def test_array_bytes_are_little_endian_c_order(dtype, np):
    data = {"bool": [True, False], "complex64": [[1, 2], [3, 4]], "complex128": [[1, 2], [3, 4]]}.get(dtype, [1, 2])
    array = conformance.decode({"$array": {"dtype": dtype, "shape": [2], "data": data}}, "x")
    assert array.tobytes() == np.asarray(array.data, np.dtype(dtype).newbyteorder("<")).tobytes()


def test_store_is_written_as_bytes():
    store = {
        "a/.zarray": {"shape": [2], "fill_value": {"$float": "NaN"}},
        "a/.zattrs": {"$text": '{"x": NaN'},
        "a/0": {"$array": {"dtype": "uint16", "shape": [2], "data": [1, 258]}},
        "a/1": {"$bytes": base64.b64encode(b"\x00\xff").decode()},
    }
    found = conformance.store_bytes({key: conformance.decode(value, key) for key, value in store.items()})
    assert found["a/.zattrs"] == b'{"x": NaN'
    assert found["a/0"] == b"\x01\x00\x02\x01"
    assert found["a/1"] == b"\x00\xff"


def test_numpy_answers_are_compared_as_arrays_and_numbers(tmp_path, np):
    array = {"$array": {"dtype": "uint16", "shape": [2, 2], "data": [1, 2, 3, 4]}}
    (case,) = write(tmp_path, {"id": "one", "expect": {"array": array, "n": 3, "yes": True}})
    value = np.asarray([[1, 2], [3, 4]], np.uint16)
    assert conformance.differences(case, {"array": value, "n": np.float32(3), "yes": np.bool_(True)}) == []
    assert conformance.differences(case, {"array": value[:, ::-1], "n": 3, "yes": True})
    assert conformance.differences(case, {"array": value.astype(np.int32), "n": 3, "yes": True})


def test_answer_of_another_kind_is_an_error_of_the_runner(tmp_path):
    (case,) = write(tmp_path, {"id": "one"})
    with pytest.raises(TypeError, match="neither JSON nor an array"):
        conformance.differences(case, Fraction(1, 2))


def test_error_without_code_does_not_pass(tmp_path):
    (case,) = write(tmp_path, {"id": "one"})
    assert "ValueError" in conformance.differences(case, ValueError("no"))[0]


def test_op_without_case_raises():
    with pytest.raises(conformance.NoCasesError, match="in no table"):
        conformance.cases("units.nothing")
    with pytest.raises(conformance.NoCasesError, match="no file has a case"):
        conformance.cases("selftest.identity")


def test_known_failures_name_cases_that_exist(tmp_path):
    found = {"selftest.identity": write(tmp_path, {"id": "one"})}
    path = tmp_path / "xfail.json"
    assert conformance.expected_failures(path, found) == {}
    path.write_text('{"file/one": "not built"}')
    assert conformance.expected_failures(path, found) == {"file/one": "not built"}
    path.write_text('{"file/two": "not built"}')
    with pytest.raises(conformance.CaseFileError, match="file/two"):
        conformance.expected_failures(path, found)
    path.write_text('{"file/one": ""}')
    with pytest.raises(conformance.CaseFileError, match="say why"):
        conformance.expected_failures(path, found)


def test_installed_package_finds_its_data():
    root = conformance.data_root()
    assert isinstance(root, Path)
    assert (root / "schema" / "case-file.schema.json").is_file()
    assert (root / "selftest" / "pass.json").is_file()
