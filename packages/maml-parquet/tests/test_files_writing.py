"""Tables to files: the entries of the footer in order, types, sizes and Nulls as they came out, values as they were."""

import itertools
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from maml_written import DATE, items_of, names, schema_of, value_of

import maml_parquet as mp
from maml_parquet.errors import MamlError, MamlWarning
from maml_parquet.files import growing

TEXT = """
table: input_table
author: A. Author
DOIs:
- DOI: 10.1/x
  type: paper
comments:
- first
- second
license: [MIT, BSD]
keyarray:
- {key: zp, value: 1.0, comment: mag}
fields:
- name: id0
  unit: unitless
  info: ID field.
  ucd: [meta.id, meta.main]
  data_type: int32
- name: pos
  unit: deg
  col_size: 2
  data_type: float64
- name: kind
  data_type: string
  array_size: 5
"""

ROWS = {"id0": [7, 8, 9], "pos": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "kind": ["ab", "äöü", "c"]}

EXPECTED = [
    ("IVOA.VOTable-Parquet.version", "1.0"),
    ("DATE", DATE),
    ("name", "input_table"),
    ("table", "input_table"),
    ("author", "A. Author"),
    ("DOI_1", "10.1/x"),
    ("comment_1", "first"),
    ("comment_2", "second"),
    ("license", "MIT"),
    ("license", "BSD"),
    ("zp", "1.0"),
    ("epoch", "2015.5"),
    ("epoch.datatype", "float64"),
    ("column.id0.unit", ""),
    ("column.id0.description", "ID field."),
    ("column.id0.ucd", "meta.id;meta.main"),
    ("column.id0.datatype", "int32"),
    ("column.id0.array_size", "1"),
    ("column.id0.col_size", "1"),
    ("column.pos.unit", "deg"),
    ("column.pos.description", ""),
    ("column.pos.ucd", ""),
    ("column.pos.datatype", "float64"),
    ("column.pos.array_size", "1"),
    ("column.pos.col_size", "2"),
    ("column.kind.unit", ""),
    ("column.kind.description", ""),
    ("column.kind.ucd", ""),
    ("column.kind.datatype", "string"),
    ("column.kind.array_size", "5"),
    ("column.kind.col_size", "1"),
]


def worked():
    schema = mp.Schema.from_maml(mp.parse(TEXT))
    schema.add_metadata("epoch", 2015.5)
    return schema


def stream(path, schema, *batches, **options):
    with mp.open_writer(path, schema, **options) as writer:
        for batch in batches:
            writer.write(batch)


@pytest.mark.parametrize("streamed", [False, True])
def test_the_entries_of_the_footer_are_in_their_order_with_repeats(tmp_path, streamed):
    path = tmp_path / "x.parquet"
    if streamed:
        stream(path, worked(), ROWS, file_date=DATE)
    else:
        mp.write_table(ROWS, path, worked(), file_date=DATE)
    found = items_of(path)
    assert found[0][0] == "IVOA.VOTable-Parquet.content"
    assert found[1:32] == EXPECTED
    assert [key for key, _ in found[32:]] == ["maml", "table::len::kind", "ARROW:schema"]
    assert value_of(path, "table::len::kind") == "5"
    root = ElementTree.fromstring(found[0][1])
    assert [field.get("name") for field in root.findall(".//{*}FIELD")] == ["id0", "pos", "kind"]


def test_streamed_is_whole_but_for_what_may_be_null(tmp_path):
    whole, streamed = tmp_path / "whole.parquet", tmp_path / "streamed.parquet"
    mp.write_table(ROWS, whole, worked(), file_date=DATE)
    parts = [{name: values[start:stop] for name, values in ROWS.items()} for start, stop in ((0, 2), (2, 2), (2, 3))]
    stream(streamed, worked(), *parts, file_date=DATE)
    assert items_of(whole)[:-1] == items_of(streamed)[:-1]
    assert (tmp_path / "whole.maml").read_text() == (tmp_path / "streamed.maml").read_text()
    assert pq.read_table(whole).to_pylist() == pq.read_table(streamed).to_pylist()
    element = pa.field("element", pa.float64(), nullable=False)
    assert pq.read_schema(whole).remove_metadata() == pa.schema(
        [
            pa.field("id0", pa.int32(), nullable=False),
            pa.field("pos", pa.list_(element, 2), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
        ]
    )
    assert pq.read_schema(streamed).remove_metadata() == pa.schema(
        [
            pa.field("id0", pa.int32()),
            pa.field("pos", pa.list_(pa.field("element", pa.float64()), 2), nullable=False),
            pa.field("kind", pa.large_string()),
        ]
    )


def test_the_sidecar_is_the_entry_maml_and_loads_as_what_was_written(tmp_path):
    path = tmp_path / "x.parquet"
    mp.write_table(ROWS, path, worked(), file_date=DATE)
    text = (tmp_path / "x.maml").read_bytes().decode()
    assert text == value_of(path, "maml")
    loaded = mp.load(tmp_path / "x.maml")
    assert [(f.name, str(f.data_type), f.col_size, f.array_size) for f in loaded.fields] == [
        ("id0", "int32", 1, 1),
        ("pos", "float64", 2, 1),
        ("kind", "string", 1, 5),
    ]
    assert ("epoch", "2015.5") in [(entry.key, entry.value) for entry in mp.entries(loaded)]


def test_without_a_sidecar_the_entry_maml_is_there(tmp_path):
    mp.write_table(ROWS, tmp_path / "x.parquet", worked(), write_maml=False)
    assert names(tmp_path) == ["x.parquet"]
    assert mp.parse(value_of(tmp_path / "x.parquet", "maml")).fields[0].name == "id0"


def test_entries_that_repeat_what_the_file_says_come_second(tmp_path):
    with pytest.warns(MamlWarning, match="DATE"):
        schema = schema_of(["name: x, data_type: int32"], head="table: t\nkeyarray: [{key: DATE, value: never}]")
    mp.write_table({"x": [1]}, tmp_path / "x.parquet", schema, file_date=DATE)
    assert [value for key, value in items_of(tmp_path / "x.parquet") if key == "DATE"] == [DATE, "never"]


@pytest.mark.parametrize(
    ("declared", "values", "expected", "len_"),
    [
        ("array_size: auto", ["a", "äöü€", None], "4", "4"),
        ("array_size: auto", ["", None], "1", "1"),
        ("array_size: auto", [], "1", "1"),
        ("array_size: 6", ["abc"], "6", "6"),
        ("unit: ''", ["abcdefg"], "7", "7"),
        ("array_size: 3", ["abc", "äöü"], "3", "3"),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_array_size_is_what_was_declared_or_the_longest_of_the_file(
    tmp_path, declared, values, expected, len_, streamed
):
    path = tmp_path / "x.parquet"
    schema = schema_of([f"name: s, data_type: string, {declared}"])
    column = pa.array(values, pa.string())
    if streamed:
        stream(path, schema, {"s": column[:1]}, {"s": column[1:]})
    else:
        mp.write_table({"s": column}, path, schema)
    assert value_of(path, "column.s.array_size") == expected
    assert value_of(path, "table::len::s") == len_
    assert mp.load(tmp_path / "x.maml").fields[0].array_size == int(expected)
    assert f'arraysize="{expected}*"' in value_of(path, "IVOA.VOTable-Parquet.content")


def test_the_longest_string_may_come_last(tmp_path):
    path = tmp_path / "x.parquet"
    stream(path, schema_of(["name: s, data_type: string, array_size: auto"]), *({"s": ["x" * n]} for n in (3, 5, 4)))
    assert value_of(path, "column.s.array_size") == "5"


def test_a_string_that_is_too_long_is_an_error_that_names_its_row(tmp_path):
    schema = schema_of(["name: s, data_type: string, array_size: 3"])
    with pytest.raises(MamlError) as caught:
        stream(tmp_path / "x.parquet", schema, {"s": ["a", "b"]}, {"s": ["c", "äöüa"]})
    assert "s[3]: 'äöüa' has 4 characters, and the column an array_size of 3" in str(caught.value)
    assert caught.value.code == "value"
    assert names(tmp_path) == []
    stream(tmp_path / "x.parquet", schema, {"s": ["a", "b"]}, {"s": ["c", "äöü"]})
    assert names(tmp_path) == ["x.maml", "x.parquet"]


def test_a_string_of_a_vector_that_is_too_long_is_named_by_row_and_element(tmp_path):
    schema = schema_of(["name: s, data_type: string, array_size: 1, col_size: 3"])
    with pytest.raises(MamlError, match=r"s\[1\]\[2\]: 'ab' has 2 characters"):
        mp.write_table({"s": [["a", "b", "c"], ["d", None, "ab"]]}, tmp_path / "x.parquet", schema)


def test_a_string_that_is_too_long_is_one_warning_where_that_is_asked_for(tmp_path):
    schema = schema_of(["name: s, data_type: string, array_size: 3", "name: v, data_type: string, col_size: 2"])
    with pytest.warns(MamlWarning, match="'s': a string has 5 characters, and array_size is 3") as caught:
        stream(
            tmp_path / "x.parquet",
            schema,
            {"s": ["a", "bbbb"], "v": [["a", "b"], ["c", "dd"]]},
            {"s": ["ccccc"], "v": [["ä", None]]},
            on_overlong="warn",
        )
    assert len(caught) == 1
    assert value_of(tmp_path / "x.parquet", "column.s.array_size") == "5"
    assert value_of(tmp_path / "x.parquet", "column.v.array_size") == "2"
    assert mp.load(tmp_path / "x.maml").fields[0].array_size == 5


def test_a_vector_of_auto_size_is_as_long_as_its_first_rows(tmp_path):
    schema = schema_of(["name: v, data_type: float32, col_size: auto"])
    with mp.open_writer(tmp_path / "x.parquet", schema) as writer:
        writer.write({"v": np.arange(6, dtype="f4").reshape(2, 3)})
        writer.write({"v": [[6, 7, 8]]})
    assert value_of(tmp_path / "x.parquet", "column.v.col_size") == "3"
    assert pq.read_table(tmp_path / "x.parquet")["v"].to_pylist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert mp.load(tmp_path / "x.maml").fields[0].col_size == 3
    assert schema.columns["v"].col_size == "auto"
    with pytest.raises(MamlError, match="4 elements, and the column has a col_size of 3"):
        stream(tmp_path / "y.parquet", schema, {"v": [[1, 2, 3]]}, {"v": [[1, 2, 3, 4]]})


def test_flat_values_are_rows_once_the_size_is_known(tmp_path):
    schema = schema_of(["name: v, data_type: int64, col_size: auto"])
    with pytest.raises(MamlError, match="set col_size first"):
        mp.write_table({"v": [1, 2, 3, 4, 5, 6]}, tmp_path / "x.parquet", schema)
    assert names(tmp_path) == []
    schema.set_col_size("v", 3)
    mp.write_table({"v": [1, 2, 3, 4, 5, 6]}, tmp_path / "x.parquet", schema)
    assert pq.read_table(tmp_path / "x.parquet")["v"].to_pylist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("data_type: int32", pa.int32()),
        ("data_type: int64", pa.int64()),
        ("data_type: float32", pa.float32()),
        ("data_type: Float64", pa.float64()),
        ("data_type: boolean", pa.bool_()),
        ("data_type: date", pa.date32()),
        ("data_type: 'time[ms]'", pa.time32("ms")),
        ("data_type: time", pa.time64("us")),
        ("data_type: 'time[ns]'", pa.time64("ns")),
        ("data_type: 'timestamp[ms]'", pa.timestamp("ms")),
        ("data_type: 'timestamp[utc,NS]'", pa.timestamp("ns", "UTC")),
    ],
)
def test_types_and_who_may_be_null(tmp_path, declared, expected, streamed):
    fields = [f"name: {name}, {declared}" for name in ("full", "gap", "safe", "open")]
    head = "table: t\nextra: {protected_cols: [safe], nullable_cols: [open]}"
    schema = schema_of(fields, head=head)
    held = pa.array([0, 1], pa.int64() if expected.bit_width == 64 else pa.int32()) if expected != pa.bool_() else None
    full = pa.array([True, False]) if held is None else held.cast(expected, safe=False)
    gap = pa.concat_arrays([full[:1], pa.nulls(1, expected)])
    rows = {"full": full, "gap": gap, "safe": full, "open": full}
    if streamed:
        stream(tmp_path / "x.parquet", schema, rows)
    else:
        mp.write_table(rows, tmp_path / "x.parquet", schema)
    found = pq.read_table(tmp_path / "x.parquet")
    assert set(found.schema.types) == {expected}
    assert [field.nullable for field in found.schema] == (
        [True, True, False, True] if streamed else [False, True, False, True]
    )
    assert found["gap"].to_pylist() == gap.to_pylist()


@pytest.mark.parametrize("streamed", [False, True])
def test_a_row_of_a_vector_is_never_null_and_its_elements_are_where_one_is(tmp_path, streamed):
    names_ = ("full", "gap", "safe", "open")
    schema = schema_of(
        [f"name: {name}, data_type: float32, col_size: 2" for name in names_],
        head="table: t\nextra: {protected_cols: safe, nullable_cols: open}",
    )
    rows = {"full": [[1, 2]], "gap": [[1, None]], "safe": [[1, 2]], "open": [[1, 2]]}
    if streamed:
        stream(tmp_path / "x.parquet", schema, rows)
    else:
        mp.write_table(rows, tmp_path / "x.parquet", schema)
    found = pq.read_table(tmp_path / "x.parquet")
    assert not any(field.nullable for field in found.schema)
    elements = [field.type.value_field.nullable for field in found.schema]
    assert elements == ([True, True, False, True] if streamed else [False, True, False, True])
    assert found.to_pylist() == [{name: rows[name][0] for name in names_}]


def test_a_slice_of_vectors_is_its_own_rows(tmp_path):
    schema = schema_of(["name: v, data_type: int32, col_size: 2"])
    held = pa.array([[1, 2], [3, 4], [5, None], [7, 8]], pa.list_(pa.int32(), 2))
    mp.write_table({"v": held[1:3]}, tmp_path / "x.parquet", schema)
    assert pq.read_table(tmp_path / "x.parquet")["v"].to_pylist() == [[3, 4], [5, None]]


def test_columns_are_written_in_the_order_of_the_fields_and_only_those_that_are_enabled(tmp_path):
    schema = schema_of([f"name: {name}, data_type: int32" for name in "abc"])
    schema.disable("b")
    mp.write_table({"c": [3], "b": ["passed over"], "a": [1]}, tmp_path / "x.parquet", schema)
    assert pq.read_table(tmp_path / "x.parquet").to_pylist() == [{"a": 1, "c": 3}]
    assert [field.name for field in mp.load(tmp_path / "x.maml").fields] == ["a", "c"]
    assert not [key for key, _ in items_of(tmp_path / "x.parquet") if key.startswith("column.b.")]


def test_later_changes_of_the_schema_do_not_reach_an_open_writer(tmp_path):
    schema = schema_of([f"name: {name}, data_type: int32" for name in "ab"])
    with mp.open_writer(tmp_path / "x.parquet", schema) as writer:
        schema.disable("a")
        schema.add_metadata("late", 1)
        writer.write({"a": [1], "b": [2]})
    assert pq.read_table(tmp_path / "x.parquet").column_names == ["a", "b"]
    assert "late" not in [key for key, _ in items_of(tmp_path / "x.parquet")]


BASE = "table: b\nfields:\n" + "".join(
    f"- {{name: {name}, data_type: float64}}\n" for name in ("id0", "ra", "mass", "extra1")
)


def test_renamed_columns_have_the_program_s_name_here_and_the_user_s_in_the_file(tmp_path):
    head = "table: u\nextra:\n  col_map: [id0: my_id, ra: RA_J2000]\n  protected_cols: my_id"
    fields = [
        "name: my_id, data_type: int64",
        "name: RA_J2000, data_type: float64, unit: deg",
        "name: mass, data_type: float32",
    ]
    schema = schema_of(fields, head=head, base=mp.parse(BASE))
    path = tmp_path / "x.parquet"
    mp.write_table({"id0": [1, 2], "ra": [0.5, 1.5], "mass": [3, 4], "extra1": [0, 0]}, path, schema)
    assert pq.read_table(path).column_names == ["my_id", "RA_J2000", "mass"]
    assert value_of(path, "column.RA_J2000.unit") == "deg"
    assert [field.name for field in mp.load(tmp_path / "x.maml").fields] == ["my_id", "RA_J2000", "mass"]
    with pytest.raises(MamlError, match=r"id0\[1\]: is Null, and the column is protected"):
        mp.write_table({"id0": [1, None], "ra": [0.5, 1.5], "mass": [3, 4]}, tmp_path / "y.parquet", schema)
    with pytest.raises(MamlError) as caught:
        mp.write_table({"my_id": [1], "ra": [0.5], "mass": [3]}, tmp_path / "y.parquet", schema)
    assert "its name here is 'id0'" in str(caught.value)
    assert "it is called 'id0' here" in str(caught.value)
    assert names(tmp_path) == ["x.maml", "x.parquet"]


def test_a_protected_column_is_named_as_in_the_file():
    head = "table: u\nextra:\n  col_map: [id0: my_id]\n  protected_cols: {}"
    with pytest.raises(MamlError) as caught:
        schema_of(["name: my_id, data_type: int64"], head=head.format("id0"))
    assert caught.value.code == "protected-unknown"
    assert schema_of(["name: my_id, data_type: int64"], head=head.format("my_id")).columns["id0"].is_protected


@pytest.mark.parametrize(
    "declared", ["data_type: int32", "data_type: string", "data_type: 'time[ms]'", "data_type: int32, col_size: 2"]
)
def test_a_null_in_a_protected_column_is_an_error_whatever_its_type(tmp_path, declared):
    schema = schema_of([f"name: x, {declared}"], head="table: t\nextra: {protected_cols: x}")
    vector = "col_size" in declared
    kind = pa.list_(pa.int32(), 2) if vector else schema.arrow_schema().field("x").type
    good = pa.array([[1, 2]], kind) if vector else pa.array(["0" if "string" in declared else 0], kind)
    bad = pa.array([[1, None]] if vector else [None], kind)
    with pytest.raises(MamlError, match=r"x\[1\](\[1\])?: is Null, and the column is protected"):
        stream(tmp_path / "x.parquet", schema, {"x": good}, {"x": bad})
    assert names(tmp_path) == []
    stream(tmp_path / "x.parquet", schema, {"x": good}, {"x": good})
    assert pq.read_table(tmp_path / "x.parquet")["x"].to_pylist() == [*good.to_pylist(), *good.to_pylist()]


@pytest.mark.parametrize(
    ("declared", "values", "words"),
    [
        ("data_type: int32", [2**31], "2147483648 is outside int32"),
        ("data_type: int32", [1.5], "1.5 is no whole number"),
        ("data_type: int32", np.array([1.0, np.nan]), r"x\[1\]: nan"),
        ("data_type: int32", [True], "column is int32"),
        ("data_type: int32", ["5"], "column is int32"),
        ("data_type: boolean", [1], "column is boolean"),
        ("data_type: string", [5], "column is string"),
        ("data_type: float32", [1e300], "too large for float32"),
        ("data_type: float64", [2**53 + 1], "float64"),
        ("data_type: timestamp", np.array([1], "M8[ns]"), "finer than timestamp"),
        ("data_type: 'timestamp[us,utc]'", np.array([1], "M8[us]"), "no time zone"),
        ("data_type: timestamp", pa.array([1], pa.timestamp("us", "America/New_York")), "time zone America/New_York"),
        ("data_type: int32, col_size: 2", [[1, 2], [3]], r"x\[1\]: the row has 1 element"),
        ("data_type: int32, col_size: 2", [[1, 2], None], r"x\[1\]: the row is Null"),
    ],
)
def test_a_value_that_is_none_of_the_type_is_an_error_and_leaves_no_file(tmp_path, declared, values, words):
    with pytest.raises(MamlError, match=words) as caught:
        mp.write_table({"x": values}, tmp_path / "x.parquet", schema_of([f"name: x, {declared}"]))
    assert caught.value.code in ("value", "column")
    assert names(tmp_path) == []


def test_times_without_a_zone_are_in_utc_where_that_is_said(tmp_path):
    schema = schema_of(["name: x, data_type: 'timestamp[us,utc]'"])
    mp.write_table({"x": np.array([1], "M8[us]")}, tmp_path / "x.parquet", schema, assume_utc=True)
    assert pq.read_table(tmp_path / "x.parquet")["x"].type == pa.timestamp("us", "UTC")


def test_everything_that_is_wrong_with_a_batch_is_told_at_once(tmp_path):
    schema = schema_of([f"name: {name}, data_type: int32" for name in "abc"])
    with pytest.raises(MamlError) as caught:
        mp.write_table({"a": [1.5], "b": [2], "c": ["x"]}, tmp_path / "x.parquet", schema)
    assert {problem.at[0] for problem in caught.value.problems} == {"a", "c"}
    with pytest.raises(MamlError) as caught:
        mp.write_table({"a": [1], "x": [2], "y": [2]}, tmp_path / "x.parquet", schema)
    assert [problem.at for problem in caught.value.problems] == [("b",), ("c",), ("x",), ("y",)]
    assert {problem.code for problem in caught.value.problems} == {"column"}


ODD = ["α β", "a.b", "a b", "x" * 300, "name", "Name", "yes", "column.unit", 'q"<&>', "v.list.element"]


def test_odd_names_are_written_and_told_apart(tmp_path):
    fields = "".join(f"- name: '{name}'\n  data_type: int32\n  unit: u{index}\n" for index, name in enumerate(ODD))
    schema = mp.Schema.from_maml(mp.parse("table: t\nfields:\n" + fields))
    path = tmp_path / "x.parquet"
    mp.write_table({name: [index] for index, name in enumerate(ODD)}, path, schema)
    assert pq.ParquetFile(path).read().to_pylist() == [{name: index for index, name in enumerate(ODD)}]
    units = {
        key.removeprefix("column.").rpartition(".")[0]: value for key, value in items_of(path) if key.endswith(".unit")
    }
    assert units == {name: f"u{index}" for index, name in enumerate(ODD)}
    assert [field.name for field in mp.load(tmp_path / "x.maml").fields] == ODD


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("UnitLess", ""),
        ("unitless", ""),
        ("%", "%"),
        ("1e-17 erg/s/cm2/Ang", "1e-17 erg/s/cm2/Ang"),
        ('a<b&"c"', 'a<b&"c"'),
    ],
)
def test_units_are_passed_through(tmp_path, unit, expected):
    schema = schema_of([f"name: x, data_type: int32, unit: '{unit}'"])
    mp.write_table({"x": [1]}, tmp_path / "x.parquet", schema)
    assert value_of(tmp_path / "x.parquet", "column.x.unit") == expected
    field = ElementTree.fromstring(value_of(tmp_path / "x.parquet", "IVOA.VOTable-Parquet.content")).find(".//{*}FIELD")
    assert field.get("unit", "") == expected
    assert mp.load(tmp_path / "x.maml").fields[0].unit == expected


def test_lines_of_a_description_stay_lines(tmp_path):
    text = "table: t\ndescription: |\n  one\n  two\nfields: [{name: x, data_type: int32}]"
    mp.write_table({"x": [1]}, tmp_path / "x.parquet", mp.Schema.from_maml(mp.parse(text)))
    assert value_of(tmp_path / "x.parquet", "description") == "one\ntwo"
    root = ElementTree.fromstring(value_of(tmp_path / "x.parquet", "IVOA.VOTable-Parquet.content"))
    values = [param.get("value") for param in root.findall(".//{*}PARAM")]
    assert "one\ntwo" in values
    assert ("description", "one\ntwo") in [
        (entry.key, entry.value) for entry in mp.entries(mp.load(tmp_path / "x.maml"))
    ]


@pytest.mark.parametrize(
    ("value", "text", "datatype"),
    [
        (True, "true", "boolean"),
        (np.int32(5), "5", "int32"),
        (5, "5", "int64"),
        (1.5, "1.5", "float64"),
        (np.float32(0.5), "0.5", "float32"),
        ([1, 2], "[1, 2]", "int64[]"),
        (["a"], None, "string[]"),
        ("5", "5", None),
    ],
)
def test_values_of_the_program_have_their_type_behind_them(tmp_path, value, text, datatype):
    schema = schema_of(["name: x, data_type: int32"])
    schema.add_metadata("before", "b")
    schema.add_metadata("key", value)
    schema.add_metadata("after", "a")
    mp.write_table({"x": [1]}, tmp_path / "x.parquet", schema)
    found = items_of(tmp_path / "x.parquet")
    place = found.index(("before", "b"))
    between = found[place + 1 : found.index(("after", "a"))]
    assert between[0][0] == "key"
    assert text is None or between[0][1] == text
    assert between[1:] == ([("key.datatype", datatype)] if datatype else [])


@pytest.mark.parametrize("streamed", [False, True])
def test_no_rows_are_a_valid_file(tmp_path, streamed):
    path = tmp_path / "x.parquet"
    rows = {"id0": [], "pos": pa.array([], pa.list_(pa.float64(), 2)), "kind": pa.array([], pa.string())}
    if streamed:
        stream(path, worked(), rows)
    else:
        mp.write_table(rows, path, worked())
    found = pq.read_table(path)
    assert found.num_rows == 0
    assert found.column_names == ["id0", "pos", "kind"]
    assert [key for key, _ in items_of(path)][-3:] == ["maml", "table::len::kind", "ARROW:schema"]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.integers(-9, 9)), st.one_of(st.none(), st.text("aä", max_size=3))),
        max_size=30,
    ),
    st.lists(st.integers(0, 30), max_size=4),
    st.integers(1, 9),
)
def test_any_cut_into_batches_is_the_same_table(tmp_path_factory, rows, cuts, size):
    folder = tmp_path_factory.mktemp("cuts")
    schema = schema_of(["name: i, data_type: int32", "name: s, data_type: string, array_size: auto"])
    columns = {"i": pa.array([i for i, _ in rows], pa.int32()), "s": pa.array([s for _, s in rows], pa.string())}
    edges = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    batches = [
        {name: column[start:stop] for name, column in columns.items()} for start, stop in itertools.pairwise(edges)
    ]
    stream(folder / "streamed.parquet", schema, *batches, row_group_size=size, file_date=DATE)
    mp.write_table(columns, folder / "whole.parquet", schema, row_group_size=size, file_date=DATE)
    assert items_of(folder / "streamed.parquet")[:-1] == items_of(folder / "whole.parquet")[:-1]
    for name in ("streamed", "whole"):
        found = pq.ParquetFile(folder / f"{name}.parquet")
        assert [found.read()[column].to_pylist() for column in columns] == [c.to_pylist() for c in columns.values()]
        sizes = [found.metadata.row_group(index).num_rows for index in range(found.num_row_groups)]
        # As many full groups as there are, and one of what is left.
        assert sizes == [size] * (len(rows) // size) + ([len(rows) % size] if len(rows) % size else [])


def test_strings_of_more_bytes_than_offsets_of_32_bits_count_have_offsets_of_64(tmp_path, monkeypatch):
    schema = schema_of(["name: s, data_type: string", "name: v, data_type: string, col_size: 2"])
    # 3 + 3 characters of two bytes are 12 bytes; as vectors the same.
    rows = {"s": ["äöü", "üöä"], "v": [["ä", "ö"], ["ü", "äöü"]]}
    for limit, expected in ((12, pa.string()), (11, pa.large_string())):
        monkeypatch.setattr(growing, "_MAX_BYTES", limit)
        mp.write_table(rows, tmp_path / "x.parquet", schema, overwrite=True)
        found = pq.read_table(tmp_path / "x.parquet")
        assert [found.schema.field("s").type, found.schema.field("v").type.value_type] == [expected, expected]
        assert found.to_pydict() == rows


def arrow_rows():
    return pa.table(
        {
            "i": pa.array([3, 1, 2], pa.int64()),
            "s": pa.array(["é", "b", "ccc"]),
            "v": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.float64(), 2)),
            "t": pa.array([5, 6, 7], pa.timestamp("ms")),
        }
    )


CONTAINERS = {
    "table": arrow_rows,
    "batch": lambda: arrow_rows().to_batches()[0],
    "reader": lambda: arrow_rows().to_reader(),
    "slice": lambda: pa.concat_tables([arrow_rows(), arrow_rows()]).slice(3),
    "dictionary": lambda: arrow_rows().set_column(1, "s", arrow_rows()["s"].dictionary_encode()),
    "view": lambda: arrow_rows().set_column(1, "s", arrow_rows()["s"].cast(pa.string_view())),
    "lists": lambda: arrow_rows().to_pydict(),
    "numpy": lambda: {
        "i": np.array([3, 1, 2]),
        "s": np.array(["é", "b", "ccc"]),
        "v": np.arange(1.0, 7.0).reshape(3, 2),
        "t": np.array([5, 6, 7], "M8[ms]"),
    },
    "strided": lambda: {
        "i": np.array([3, 0, 1, 0, 2, 0])[::2],
        "s": np.array(["é", "", "b", "", "ccc", ""])[::2],
        "v": np.asfortranarray(np.arange(1.0, 7.0).reshape(3, 2)),
        "t": np.array([7, 6, 5], "M8[ms]")[::-1],
    },
    "pandas": lambda: pytest.importorskip("pandas").DataFrame(arrow_rows().to_pandas()),
    "polars": lambda: pytest.importorskip("polars").from_arrow(arrow_rows()),
    "astropy": lambda: pytest.importorskip("astropy.table").Table(CONTAINERS["numpy"]()),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_tables_of_every_kind_are_the_same_file(tmp_path, name):
    fields = [
        "i, data_type: int32",
        "s, data_type: string",
        "v, data_type: float32, col_size: 2",
        "t, data_type: timestamp",
    ]
    schema = schema_of([f"name: {field}" for field in fields])
    mp.write_table(CONTAINERS[name](), tmp_path / "x.parquet", schema)
    found = pq.read_table(tmp_path / "x.parquet")
    assert found.to_pydict() == arrow_rows().to_pydict()
    assert found.schema.types[0] == pa.int32()
    assert found.schema.types[3] == pa.timestamp("us")


@pytest.mark.parametrize("overwrite", [False, True])
def test_the_maml_that_the_schema_was_loaded_from_stays_as_its_author_wrote_it(tmp_path, monkeypatch, overwrite):
    text = "table: t  # mine\nfields: [{name: x, data_type: int32}]\n"
    (tmp_path / "x.maml").write_text(text)
    monkeypatch.chdir(tmp_path)
    schema = mp.Schema.from_maml(mp.load("x.maml"))
    mp.write_table({"x": [7]}, tmp_path / "x.parquet", schema, overwrite=overwrite)
    assert (tmp_path / "x.maml").read_text() == text
    assert mp.metadata(tmp_path / "x.parquet").maml.startswith("table: t\n")
    # Beside a file of another name it is written.
    mp.write_table({"x": [7]}, tmp_path / "y.parquet", schema, overwrite=overwrite)
    assert mp.load("y.maml").fields[0].name == "x"
