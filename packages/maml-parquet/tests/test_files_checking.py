"""Bounds of columns that are read: those of a MAML and of the caller, as errors, as warnings, or not at all."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from maml_parquet.errors import MamlError, MamlWarning
from maml_parquet.files.reading import read_table
from maml_parquet.files.tables import open_table
from maml_parquet.files.writing import write_table
from maml_parquet.schema.schema import Schema
from maml_parquet.sections.loading import parse

TABLE = {
    "id": pa.array([1, 2, 3, 4, 5, 6], pa.int32()),
    "mag": [10.0, 11.0, None, 13.0, 99.0, 15.0],
    "z": pa.array([0.5, 0.25, float("nan"), 1.5, 2.0, 0.0], pa.float32()),
    "name": ["a", "b", "c", None, "e", "f"],
    "ok": [True, False, None, True, True, True],
    "big": [2**53 + 1, 0, 1, 2, 3, 4],
    "t": pa.array([1, None, 3, 4, 5, 6], pa.timestamp("ms")),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write six rows in groups of 2: of mag, the Null is in group 1 and 99 in group 2."""
    pq.write_table(pa.table(TABLE), tmp_path / "t.parquet", row_group_size=2)
    return tmp_path / "t.parquet"


def _qc(name: str, text: str, more: str = "") -> str:
    return f"fields:\n- name: {name}\n  qc: {{{text}}}\n{more}"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        # mag has 10 to 99 and a Null.
        ("mag", "min: 10, max: 99, miss: Null", None),
        ("mag", "min: '> 10'", "1 of 5"),
        ("mag", "max: '< 99'", "1 of 5"),
        ("mag", "max: 12", "3 of 5"),
        ("mag", "min: 11, max: 20", "2 of 5"),
        ("mag", "miss: ''", "Null"),
        ("mag", "miss: NA", None),
        ("mag", "{}", None),
        # NaN is a value that is within no bound.
        ("z", "min: -1000", "1 of 6"),
        ("z", "miss: ''", None),
        # Exactly, not as doubles.
        ("big", "max: 9007199254740992", "1 of 6"),
        ("big", "max: 9007199254740993", None),
        ("id", "max: 1e1", None),
        ("id", "min: 2", "1 of 6"),
        # By bytes; the Null is no value.
        ("name", "min: b", "1 of 5"),
        ("name", "min: a, max: f", None),
        # Bounds of booleans are never looked at, Nulls are.
        ("ok", "min: 5", None),
        ("ok", "miss: ''", "Null"),
        ("t", "miss: ''", "Null"),
        ("t", "miss: Null", None),
    ],
)
def test_values_that_break_their_bounds_are_an_error(path: Path, name: str, text: str, said: str | None) -> None:
    maml = _qc(name, text.replace("{}", ""))
    if said is None:
        assert read_table(path, maml).num_rows == 6
        return
    with pytest.raises(MamlError, match=said) as caught:
        read_table(path, maml)
    assert caught.value.code == "qc"
    assert repr(name) in str(caught.value)
    assert caught.value.source == str(path)
    assert read_table(path, maml, qc="off").num_rows == 6


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("id", "min: 1.5", "qc-bound"),
        ("id", "max: 3000000000", "qc-bound"),
        ("z", "max: 1e999", "qc-bound"),
        ("mag", "min: nan", "qc-bound"),
        ("t", "min: 0", "qc-temporal"),
    ],
)
def test_bounds_are_of_the_type_that_the_file_has(path: Path, name: str, text: str, code: str) -> None:
    with pytest.raises(MamlError) as caught:
        read_table(path, _qc(name, text))
    assert caught.value.code == code
    assert caught.value.problems[0].at == ("fields", 0, "qc", text[:3])
    assert read_table(path, _qc(name, text), qc="off").num_rows == 6


def test_the_first_row_group_with_a_problem_is_named(path: Path) -> None:
    with pytest.raises(MamlError) as caught:
        read_table(path, _qc("mag", "max: 20, miss: ''"))
    nulls, bounds = (problem.message for problem in caught.value.problems)
    assert f"row group 1 of {path}" in nulls
    assert f"row group 2 of {path}" in bounds


def test_only_touched_columns_are_checked(path: Path) -> None:
    maml = _qc("mag", "max: 20")
    assert read_table(path, maml, columns=["id", "z"]).num_rows == 6
    # A column that only a rule or a key names is not read for the caller.
    assert read_table(path, maml, columns=["id"], filter="mag > 5", sort="mag").num_rows == 5
    with pytest.raises(MamlError):
        read_table(path, maml, columns=["mag"])


def test_checks_come_after_the_filter(path: Path) -> None:
    maml = _qc("mag", "max: 20, miss: ''")
    assert read_table(path, maml, filter="mag < 50").num_rows == 4
    assert read_table(path, maml, rows=(0, 2)).num_rows == 2
    assert read_table(path, maml, rows=(5, 6)).num_rows == 1


def test_a_maml_names_columns_of_the_file_and_checks_name_those_of_the_program(path: Path) -> None:
    # The file's mag is `z` inside, its z is `mag`.
    remap = "extra:\n  remap:\n  - z: mag\n  - mag: z\n"
    with pytest.raises(MamlError) as caught:
        read_table(path, _qc("mag", "max: 20", remap))
    assert [problem.at for problem in caught.value.problems] == [("z",)]
    with pytest.raises(MamlError) as caught:
        read_table(path, remap, checks={"mag": {"max": 1.75}})
    # The file's z: 2.0 and NaN are beyond 1.75, of 6.
    assert "2 of 6" in str(caught.value)


def test_bounds_of_a_maml_count_whole_and_those_of_the_caller_not_at_all(path: Path) -> None:
    # The MAML says nothing of max: the caller's max is not taken over.
    maml = _qc("mag", "min: 0")
    assert read_table(path, maml, checks={"mag": {"max": 20, "miss": ""}}).num_rows == 6
    empty = "fields:\n- name: mag\n  qc:\n"
    assert read_table(path, empty, checks={"mag": {"max": 20}}).num_rows == 6
    with pytest.raises(MamlError):
        read_table(path, "fields:\n- name: mag\n  unit: mag\n", checks={"mag": {"max": 20}})


@pytest.mark.parametrize("limit", ["< 99", "20", 20, 98.5])
def test_bounds_of_the_caller_are_numbers_or_texts(path: Path, limit: Any) -> None:
    with pytest.raises(MamlError, match="'mag'"):
        read_table(path, checks={"mag": {"max": limit}})
    assert read_table(path, checks={"mag": {"max": 99, "min": "> 9.99", "miss": None}}).num_rows == 6


def test_wrong_bounds_of_the_caller_are_told_where_they_stand(path: Path) -> None:
    with pytest.raises(MamlError) as caught:
        read_table(path, checks={"mag": {"min": "< 5"}, "t": {"max": "5"}})
    assert [(problem.code, problem.at) for problem in caught.value.problems] == [
        ("qc-direction", ("checks", "mag", "min")),
        ("qc-temporal", ("checks", "t", "max")),
    ]


def test_checks_of_a_column_that_is_not_there_are_warned_about(path: Path) -> None:
    with pytest.warns(MamlWarning, match="'magnitude', which the table has not"):
        assert read_table(path, checks={"magnitude": {"max": 20}}).num_rows == 6


def test_warnings_are_one_for_each_column_and_kind(path: Path) -> None:
    maml = _qc("mag", "max: 12, miss: ''", "- name: z\n  qc: {min: 0}\n")
    with pytest.warns(MamlWarning) as caught:
        found = read_table(path, maml, qc="warn")
    assert found.num_rows == 6
    texts = [str(warning.message) for warning in caught]
    assert len(texts) == 3
    assert "3 of 5" in texts[1]
    assert all(text.startswith(f"{path}: column ") for text in texts)


def test_an_open_table_warns_once(path: Path) -> None:
    with open_table(path, _qc("mag", "max: 12, miss: ''"), qc="warn") as table:
        with pytest.warns(MamlWarning) as caught:
            list(table.iter_batches(["mag"], batch_size=1))
        assert len(caught) == 2
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            table.column("mag")
            table.reload("mag")
            table.column("mag")


def test_columns_of_an_open_table_are_checked_when_they_are_touched(path: Path) -> None:
    with open_table(path, _qc("mag", "max: 20")) as table:
        assert table.column("id").to_pylist() == [1, 2, 3, 4, 5, 6]
        with pytest.raises(MamlError) as caught:
            table.column("mag")
        assert caught.value.code == "qc"
        table.rename_column("mag", "m")
        with pytest.raises(MamlError, match="'m'"):
            table.to_arrow(["m"])


def test_batches_before_the_one_that_breaks_its_bounds_are_given(path: Path) -> None:
    with open_table(path, _qc("mag", "max: 20")) as table:
        batches = table.iter_batches(["mag"], batch_size=2)
        assert next(batches).column("mag").to_pylist() == [10.0, 11.0]
        assert next(batches).column("mag").to_pylist() == [None, 13.0]
        with pytest.raises(MamlError, match="row group 2 of"):
            next(batches)


def test_vectors_are_checked_element_by_element(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    vectors = pa.array([[1, 2], [3, None], [9, 4]], pa.list_(pa.int16(), 2))
    pq.write_table(pa.table({"v": vectors}), path)
    assert read_table(path, _qc("v", "min: 1, max: 9")).num_rows == 3
    with pytest.raises(MamlError, match="1 of 5"):
        read_table(path, _qc("v", "max: '< 9'"))
    with pytest.raises(MamlError, match="1 of 6"):
        read_table(path, _qc("v", "miss: ''"))


def test_values_without_an_order_are_asked_for_nulls_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = {"b": [b"x", None], "s": [{"x": 1}, None], "d": pa.array([1, None], pa.decimal128(5, 2)), "k": [1, 2]}
    pq.write_table(pa.table(table), path)
    for name in "bsd":
        assert read_table(path, _qc(name, "miss: Null")).num_rows == 2
        with pytest.raises(MamlError, match="Null") as caught:
            read_table(path, _qc(name, "miss: ''"))
        assert caught.value.code == "qc"
        with pytest.raises(MamlError, match="have no bounds") as caught:
            read_table(path, _qc(name, "min: 5"))
        assert caught.value.code == "qc-bound"


def test_two_names_of_one_column_are_both_checked(path: Path) -> None:
    remap = "extra:\n  remap:\n  - a: mag\n  - b: mag\n"
    with pytest.raises(MamlError) as caught:
        read_table(path, _qc("mag", "max: 20", remap))
    assert [problem.at for problem in caught.value.problems] == [("a",), ("b",)]
    with pytest.raises(MamlError) as caught:
        read_table(path, _qc("mag", "max: x", remap))
    assert len(caught.value.problems) == 1


def test_units_play_no_part_in_bounds(path: Path) -> None:
    # mag goes from 10 to 99 in whatever unit.
    maml = "fields:\n- name: mag\n  unit: km\n  qc: {min: 10, max: 99}\n"
    assert read_table(path, maml).num_rows == 6


def test_bounds_of_booleans_have_no_direction(path: Path) -> None:
    assert read_table(path, checks={"ok": {"min": "< 5"}}).num_rows == 6


def test_the_maml_of_a_file_with_bounds_of_booleans_describes_that_file(tmp_path: Path) -> None:
    text = "table: t\nfields: [{name: ok, data_type: boolean, qc: {min: '< 5', max: '>='}}]\n"
    write_table({"ok": [True, None]}, tmp_path / "x.parquet", Schema.from_maml(parse(text)))
    assert read_table(tmp_path / "x.parquet", tmp_path / "x.maml").num_rows == 2
    # Where the file has numbers, such a bound is none.
    pq.write_table(pa.table({"ok": [1]}), tmp_path / "n.parquet")
    with pytest.raises(MamlError, match="min takes >= or >") as caught:
        read_table(tmp_path / "n.parquet", tmp_path / "x.maml")
    assert {problem.code for problem in caught.value.problems} == {"qc-direction", "qc-empty-operator"}


def test_a_folder_names_the_file_whose_rows_break_their_bounds(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1.0, 2.0]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": [3.0, -1.0]}), tmp_path / "b.parquet")
    with pytest.raises(MamlError, match=r"first in row group 0 of .*b\.parquet"):
        read_table(tmp_path, checks={"x": {"min": 0}})
