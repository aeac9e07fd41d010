"""Tables read with names, rules and keys of a MAML and of the caller; rows are those of reading everything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from maml_parquet.errors import MamlError
from maml_parquet.files.reading import read_table
from maml_parquet.sections.loading import parse

STARS = {
    "id": [11, 12, 13, 14, 15, 16, 17],
    "ra": [10.0, None, 190.0, 350.0, 200.0, 181.0, float("nan")],
    "dec": [-5.0, 6.0, 7.5, None, 1.0, -2.0, 3.0],
    "q": [3, 1, 3, 2, 3, 1, 2],
    "name": ["a", "b", None, "d", "e", "f", "g"],
}


@pytest.fixture
def stars(tmp_path: Path) -> Path:
    """Write seven rows in three row groups."""
    path = tmp_path / "stars.parquet"
    pq.write_table(pa.table(STARS), path, row_group_size=3)
    return path


def _extra(**lists: list[str]) -> str:
    """Return a MAML of what `extra` asks for."""
    text = "extra:\n"
    for key, items in lists.items():
        text += f"  {key}:\n" + "".join(f"  - {item}\n" for item in items)
    return text


def test_without_anything_it_is_the_file(stars: Path) -> None:
    found = read_table(stars)
    assert found.schema.names == ["id", "ra", "dec", "q", "name"]
    assert found.drop_columns("ra").to_pydict() == {key: value for key, value in STARS.items() if key != "ra"}


# Names.


def test_an_internal_name_reads_the_column_of_the_file(stars: Path) -> None:
    found = read_table(stars, _extra(remap=["identifier: id", "right_ascension: ra"]))
    assert found.schema.names == ["identifier", "right_ascension", "dec", "q", "name"]
    assert found.column("identifier").to_pylist() == STARS["id"]


def test_a_claimed_name_is_shadowed(stars: Path) -> None:
    # ra reads dec; the file's own ra cannot be reached, and dec goes by ra alone.
    found = read_table(stars, _extra(remap=["ra: dec"]))
    assert found.schema.names == ["id", "ra", "q", "name"]
    assert found.column("ra").to_pylist() == STARS["dec"]


def test_a_shadowed_column_is_reached_under_another_name(stars: Path) -> None:
    found = read_table(stars, _extra(remap=["ra: dec", "dec: ra"]), columns=["ra", "dec"])
    assert found.column("ra").to_pylist() == STARS["dec"]
    assert found.column("dec").to_pylist()[:3] == [10.0, None, 190.0]


def test_two_names_read_one_column_and_stand_in_their_order_at_its_place(stars: Path) -> None:
    found = read_table(stars, _extra(remap=["second: q", "first: q", "z: ra"]))
    assert found.schema.names == ["id", "z", "dec", "second", "first", "name"]
    assert found.column("first").to_pylist() == found.column("second").to_pylist() == STARS["q"]


def test_columns_are_in_the_order_that_they_are_named_in(stars: Path) -> None:
    maml = _extra(remap=["v: q"])
    assert read_table(stars, maml, columns=["name", "v", "id"]).schema.names == ["name", "v", "id"]
    assert read_table(stars, columns="dec").schema.names == ["dec"]


def test_no_columns_are_rows_alone(stars: Path) -> None:
    found = read_table(stars, columns=[], filter="q == 3")
    assert (found.num_columns, found.num_rows) == (0, 3)


# Rules.


def test_rules_of_a_maml_are_in_the_names_of_the_file_and_those_of_the_caller_in_internal_names(stars: Path) -> None:
    # ra and dec are exchanged: the MAML's `ra > 180` asks of the file's ra (rows 13 to 16), the caller's `ra < 0`
    # of the internal ra, which is the file's dec: of those rows, -2.0 in row 16 alone.
    maml = _extra(remap=["ra: dec", "dec: ra"], filter=["'ra > 180'"])
    found = read_table(stars, maml, filter="ra < 0")
    assert found.column("id").to_pylist() == [16]


def test_rules_are_joined_by_and(stars: Path) -> None:
    maml = _extra(filter=["'(ra > 180 and ra <= 360) or ra is_null'", "id is_not_null"])
    assert read_table(stars, maml).column("id").to_pylist() == [12, 13, 14, 15, 16]
    assert read_table(stars, maml, filter=["q /= 3", "dec > 0"]).column("id").to_pylist() == [12]


def test_nulls_are_unknown_and_nan_is_a_value(stars: Path) -> None:
    # ra: NaN is not greater than 0, so `not` keeps it; the Null stays unknown.
    assert read_table(stars, filter="not ra > 0").column("id").to_pylist() == [17]
    assert read_table(stars, filter="ra /= 10").column("id").to_pylist() == [13, 14, 15, 16, 17]
    assert read_table(stars, filter="ra is_nan").column("id").to_pylist() == [17]


def test_columns_that_only_rules_and_keys_name_are_left_out(stars: Path) -> None:
    found = read_table(stars, columns=["name"], filter="ra > 180", sort="-dec")
    # dec of rows 13 to 16: 7.5, Null, 1.0, -2.0; the Null goes last.
    assert found.to_pydict() == {"name": [None, "e", "f", "d"]}


def test_a_rule_that_nothing_passes_gives_no_rows(stars: Path) -> None:
    found = read_table(stars, filter="id > 1000")
    assert found.num_rows == 0
    assert found.schema == read_table(stars).schema


def test_rules_name_what_is_in_structs_under_the_internal_name(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"s": [{"x": 1}, {"x": 5}, None], "s.x": [7, 8, 9]}), path)
    maml = _extra(remap=["pos: s"])
    assert read_table(path, maml, filter="pos.x > 2").column("s.x").to_pylist() == [8]
    assert read_table(path, maml, sort="-pos.x").column("s.x").to_pylist() == [8, 7, 9]
    # In the file's names, a column of exactly this name goes before a path.
    assert read_table(path, _extra(filter=["s.x > 8"])).column("s.x").to_pylist() == [9]


# Order.


def test_the_keys_of_a_maml_go_first_and_the_callers_decide_between_equals(stars: Path) -> None:
    # q descending: 3 3 3 2 2 1 1; the caller's dec descending within, and its Null last.
    # q=3: rows 11 (-5), 13 (7.5), 15 (1) -> 13 15 11; q=2: 14 (Null), 17 (3) -> 17 14; q=1: 12 (6), 16 (-2).
    found = read_table(stars, _extra(sort=["q desc"]), sort=["dec desc"])
    assert found.column("id").to_pylist() == [13, 15, 11, 17, 14, 12, 16]


def test_rows_that_are_equal_stay_as_they_stand(stars: Path) -> None:
    assert read_table(stars, sort="q").column("id").to_pylist() == [12, 16, 14, 17, 11, 13, 15]


def test_tiers_are_absolute(stars: Path) -> None:
    # Values, NaN, Null; turned round, only the values change.
    assert read_table(stars, sort="ra").column("id").to_pylist() == [11, 16, 13, 15, 14, 17, 12]
    assert read_table(stars, sort="ra desc").column("id").to_pylist() == [14, 15, 13, 16, 11, 17, 12]
    found = read_table(stars, sort="ra desc nulls_first").column("id").to_pylist()
    assert found == [12, 17, 14, 15, 13, 16, 11]


def test_keys_of_a_maml_take_nulls_first(stars: Path) -> None:
    found = read_table(stars, _extra(sort=["dec asc NULLS_FIRST"]), filter="q == 2")
    assert found.column("id").to_pylist() == [14, 17]


def test_the_callers_keys_are_internal_names(stars: Path) -> None:
    found = read_table(stars, _extra(remap=["ra: dec", "dec: ra"], sort=["-q"]), sort="ra")
    # q=3: the file's dec -5.0 (11), 1.0 (15), 7.5 (13).
    assert found.column("id").to_pylist()[:3] == [11, 15, 13]


def test_the_filter_runs_before_the_sort(stars: Path) -> None:
    assert read_table(stars, filter="q == 1", sort="-id").column("id").to_pylist() == [16, 12]


# Slices.


@pytest.mark.parametrize("rows", [(2, 5), slice(2, 5)])
def test_a_slice_is_of_the_rows_of_the_file(stars: Path, rows: Any) -> None:
    assert read_table(stars, rows=rows).column("id").to_pylist() == [13, 14, 15]


def test_the_filter_applies_inside_the_slice(stars: Path) -> None:
    # Rows 1 to 4 are 12 to 15; of those q == 3 in 13 and 15, and in 11 outside.
    assert read_table(stars, rows=(1, 5), filter="q == 3").column("id").to_pylist() == [13, 15]


@pytest.mark.parametrize(
    ("rows", "ids"), [((0, 0), []), ((7, 7), []), ((6, 7), [17]), (slice(None, 1), [11]), (slice(5, None), [16, 17])]
)
def test_slices_at_the_ends(stars: Path, rows: Any, ids: list[int]) -> None:
    assert read_table(stars, rows=rows, columns="id").column("id").to_pylist() == ids


@pytest.mark.parametrize("rows", [(0, 8), (8, 8), slice(3, 100)])
def test_a_slice_is_not_clamped(stars: Path, rows: Any) -> None:
    with pytest.raises(MamlError, match="has 7 rows") as caught:
        read_table(stars, rows=rows)
    assert caught.value.code == "argument"


@pytest.mark.parametrize("rows", [(-1, 3), (3, 2), slice(0, 4, 2), slice(-3, None), (1.5, 2), (1,), "ab", 3, (True, 2)])
def test_rows_that_are_no_range_are_told_before_the_file_is_opened(tmp_path: Path, rows: Any) -> None:
    with pytest.raises(MamlError, match="rows") as caught:
        read_table(tmp_path / "none.parquet", rows=rows)
    assert caught.value.code == "argument"


def test_a_sort_of_a_slice_is_refused_before_the_file_is_opened_and_names_the_maml(tmp_path: Path) -> None:
    path = tmp_path / "view.maml"
    path.write_text("table: t\nextra:\n  sort:\n  - ra\n")
    with pytest.raises(MamlError, match=r"view\.maml sorts") as caught:
        read_table(tmp_path / "none.parquet", path, rows=(0, 1))
    assert (caught.value.code, caught.value.source, caught.value.problems[0].line) == ("sort", str(path), 4)
    with pytest.raises(MamlError) as caught:
        read_table(tmp_path / "none.parquet", sort="ra", rows=slice(0, 1))
    assert caught.value.code == "sort"


# What is told before any row is read.


@pytest.mark.parametrize(
    ("maml", "arguments", "code", "said"),
    [
        (_extra(remap=["a: MASS"]), {}, "remap", "no column 'MASS'"),
        (_extra(filter=["mass > 3"]), {}, "filter", "no column 'mass'"),
        (_extra(filter=["ra > x"]), {}, "filter", "x"),
        (_extra(sort=["mass"]), {}, "sort", "no column 'mass'"),
        (_extra(remap=["r: ra"], filter=["r > 3"]), {}, "filter", "no column 'r'"),
        (_extra(remap=["r: ra"], sort=["r"]), {}, "sort", "no column 'r'"),
        (_extra(remap=["r: ra"]), {"filter": "ra > 3"}, "filter", "no column 'ra'"),
        (_extra(remap=["r: ra"]), {"sort": "ra"}, "sort", "no column 'ra'"),
        (_extra(remap=["r: ra"]), {"columns": ["ra"]}, "column", "no column 'ra'"),
        (None, {"columns": ["id", "ID"]}, "column", "there is 'id'"),
        (None, {"filter": "id > 1.5"}, "filter", "1.5"),
        (None, {"filter": "name > 5"}, "filter", "name"),
        ("fields:\n- name: id\n  qc: {min: 1.5}\n", {}, "qc-bound", "'1.5' is no whole number"),
        (None, {"checks": {"id": {"max": "1e30"}}}, "qc-bound", "1e30"),
    ],
)
def test_wrong_names_and_values_are_told_before_any_row_is_read(
    stars: Path, maml: str | None, arguments: dict[str, Any], code: str, said: str
) -> None:
    # The pages are torn, so that reading a row would fail with another code.
    data = bytearray(stars.read_bytes())
    data[4:200] = b"\xff" * 196
    stars.write_bytes(data)
    with pytest.raises(MamlError) as caught:
        read_table(stars, maml, **arguments)
    assert caught.value.code == code
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("maml", "arguments", "code"),
    [
        (_extra(remap=["a: x", "a: y"]), {}, "remap"),
        (_extra(filter=["ra >"]), {}, "filter"),
        (_extra(sort=["-ra desc"]), {}, "sort"),
        (None, {"filter": "x = 1"}, "filter"),
        (None, {"sort": ["ra up"]}, "sort"),
        (None, {"sort": [f"k{i}" for i in range(17)]}, "sort"),
        (_extra(sort=["a", "b"]), {"sort": [f"k{i}" for i in range(15)]}, "sort"),
        (None, {"qc": "soft"}, "argument"),
        (None, {"columns": ["id", "id"]}, "argument"),
        (None, {"columns": [3]}, "argument"),
        (None, {"columns": 3}, "argument"),
        (None, {"filter": [3]}, "argument"),
        (None, {"checks": {"id": {"low": 3}}}, "argument"),
        (None, {"checks": {"id": {"min": True}}}, "argument"),
        (None, {"checks": {"id": 3}}, "argument"),
        (None, {"checks": ["id"]}, "argument"),
        (None, {"checks": {"id": {"miss": "-999"}}}, "qc-miss"),
        (3, {}, "argument"),
        ("colour: red\n", {}, "section-unknown"),
        ("fields:\n- name: x\n  colour: red\n", {}, "subkey-unknown"),
        ("fields:\n- name: x\n- name: x\n", {}, "field-name-duplicate"),
        ("fields:\n- name: x\n  qc: {miss: -999}\n", {}, "qc-miss"),
        ("fields:\n- name: x\n  qc: {min: '< 5'}\n", {}, "qc-direction"),
        ("remap:\n- a: b\n", {}, "section-unknown"),
        *((None, {"filter": rule}, "filter") for rule in ("v>3", "x == 'a'", "a b > 1", "()", "x > 1 or", "", '"x')),
        (None, {"filter": "(" * 33 + "x > 1" + ")" * 33}, "filter"),
    ],
)
def test_what_is_wrong_without_a_file_is_told_before_it_is_opened(
    tmp_path: Path, maml: Any, arguments: dict[str, Any], code: str
) -> None:
    with pytest.raises(MamlError) as caught:
        read_table(tmp_path / "none.parquet", maml, **arguments)
    assert caught.value.code == code


def test_problems_of_a_maml_are_in_one_report_with_its_lines(stars: Path) -> None:
    text = _extra(remap=["a: MASS", "b: ra"], filter=["id > 3", "nope > 3"], sort=["q", "other"])
    with pytest.raises(MamlError) as caught:
        read_table(stars, text)
    # Line 1 is extra:, 2 remap:, 3 and 4 its items, 5 filter:, 6 and 7, 8 sort:, 9 and 10.
    found = [(problem.code, problem.line) for problem in caught.value.problems]
    assert found == [("remap", 3), ("filter", 7), ("sort", 10)]


def test_a_maml_that_was_parsed_to_write_is_refused(stars: Path) -> None:
    text = "table: t\nfields: [{name: id, data_type: int64}]\nextra: {filter: [q == 3]}\n"
    with pytest.raises(MamlError, match="role='read'") as caught:
        read_table(stars, parse(text))
    assert caught.value.code == "argument"
    assert read_table(stars, parse(text, role="read")).column("id").to_pylist() == [11, 13, 15]


def test_a_maml_is_a_path_a_text_or_bytes(stars: Path, tmp_path: Path) -> None:
    text = "extra: {filter: [q == 2]}"
    path = tmp_path / "view.maml"
    path.write_text(text)
    for maml in (path, str(path), text, text.encode(), parse(text, role="read")):
        assert read_table(stars, maml).column("id").to_pylist() == [14, 17]
    with pytest.raises(FileNotFoundError):
        read_table(stars, tmp_path / "none.maml")


def test_fields_of_a_maml_that_the_file_lacks_are_left_alone(stars: Path) -> None:
    maml = "fields:\n- name: other\n  unit: kg\n  qc: {min: 1.5}\n- name: id\n  data_type: whatever\n"
    assert read_table(stars, maml).num_rows == 7


def test_a_file_with_two_columns_of_one_name_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"]), path)
    with pytest.raises(MamlError, match="several columns named 'x'") as caught:
        read_table(path)
    assert caught.value.code == "column"


# Units, UCDs, descriptions, entries.


def test_fields_carry_unit_ucd_and_description(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    told = {
        "survey": "Deep",
        "column.ra.unit": "deg",
        "column.ra.ucd": "pos.eq.ra",
        "column.ra.description": "Right ascension",
        "column.m.unit": "g",
    }
    pq.write_table(pa.table({"ra": [1.5], "m": [2.5], "k": [3]}).replace_schema_metadata(told), path)
    found = read_table(path, "fields:\n- name: m\n  unit: kg\nextra:\n  remap:\n  - mass: m\n")
    said = {b"unit": b"deg", b"ucd": b"pos.eq.ra", b"description": b"Right ascension"}
    assert found.field("ra").metadata == said
    # The MAML's unit goes before the file's; it names the file's column.
    assert found.field("mass").metadata == {b"unit": b"kg"}
    assert not found.field("k").metadata
    assert found.schema.metadata == {b"survey": b"Deep"}


def test_unitless_takes_the_unit_away_and_silence_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"a": [1], "b": [2]})
    pq.write_table(table.replace_schema_metadata({"column.a.unit": "deg", "column.b.unit": "mJy"}), path)
    found = read_table(path, "fields:\n- name: a\n  unit: UnitLess\n- name: b\n  info: flux\n")
    assert not found.field("a").metadata
    assert found.field("b").metadata == {b"unit": b"mJy"}


def test_other_metadata_of_fields_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    field = pa.field("a", pa.int64(), metadata={b"origin": b"x", b"unit": b"deg"})
    pq.write_table(pa.table([[1]], schema=pa.schema([field])), path)
    assert read_table(path).field("a").metadata == {b"origin": b"x", b"unit": b"deg"}
    assert read_table(path, "fields:\n- name: a\n  unit: unitless\n").field("a").metadata == {b"origin": b"x"}


def test_a_folder_is_one_table(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [4, 5], "x": [1.0, 2.0]}), tmp_path / "part1.parquet")
    pq.write_table(pa.table({"id": [1, 2, 3], "x": [None, 7.0, 0.5]}), tmp_path / "part0.parquet")
    assert read_table(tmp_path).column("id").to_pylist() == [1, 2, 3, 4, 5]
    assert read_table(tmp_path, rows=(2, 4)).column("id").to_pylist() == [3, 4]
    assert read_table(tmp_path, filter="x < 2", sort="-x").column("id").to_pylist() == [4, 3]
    with pytest.raises(MamlError, match="has 5 rows"):
        read_table(tmp_path, rows=(2, 6))


def test_vectors_and_times_come_back_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table(
        {
            "v": pa.array([[1.0, None], [3.0, 4.0], [5.0, 6.0]], pa.list_(pa.float32(), 2)),
            "t": pa.array([1, 2, None], pa.timestamp("ns", "UTC")),
            "d": pa.array([None, 2, 3], pa.date32()),
            "id": [1, 2, 3],
        }
    )
    pq.write_table(table, path)
    found = read_table(path, filter="id >= 2", sort="-id")
    assert found.schema.types == table.schema.types
    assert found.column("v").to_pylist() == [[5.0, 6.0], [3.0, 4.0]]
    with pytest.raises(MamlError, match="'v' is no scalar"):
        read_table(path, filter="v > 1")


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2], pa.decimal128(5, 2)),
        pa.array([b"a", b"b"]),
        pa.array([1, 2], pa.duration("ms")),
        pa.nulls(2),
    ],
)
def test_columns_of_types_that_rules_do_not_know_are_read_and_not_named(tmp_path: Path, values: pa.Array) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": values, "id": [1, 2]}), path)
    assert read_table(path, filter="id > 1").column("x").to_pylist() == values[1:].to_pylist()
    with pytest.raises(MamlError, match="the column 'x' is of a type that rules and keys do not know") as caught:
        read_table(path, filter="x is_null")
    assert caught.value.code == "filter"
    with pytest.raises(MamlError, match="the column 'x' is of a type that rules and keys do not know") as caught:
        read_table(path, sort="x")
    assert caught.value.code == "sort"


def test_an_empty_file_is_an_empty_table(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": pa.array([], pa.float64())}), path)
    assert read_table(path).num_rows == 0
    assert read_table(path, filter="x > 1", sort="x").num_rows == 0
    assert read_table(path, rows=(0, 0)).num_rows == 0
    assert read_table(path, checks={"x": {"min": 1}}).num_columns == 1


def test_views_of_strings_are_read_as_strings(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    inside = pa.struct([("s", pa.string_view())])
    table = pa.table(
        {
            "s": pa.array(["b", None, "a"], pa.string_view()),
            "b": pa.array([b"x", b"y", None], pa.binary_view()),
            "in": pa.array([{"s": "p"}, {"s": None}, {"s": "q"}], inside),
        }
    )
    try:
        pq.write_table(table, path)
    except pa.ArrowNotImplementedError:
        pytest.skip("this pyarrow does not write views, so that there are no such files")
    found = read_table(path, filter='s is_null or in.s == "q"', sort="s nulls_first")
    assert found.to_pydict() == {"s": [None, "a"], "b": [b"y", None], "in": [{"s": None}, {"s": "q"}]}
    assert found.schema.types == [pa.large_string(), pa.large_binary(), pa.struct([("s", pa.large_string())])]


@pytest.mark.parametrize(
    "rule", ["q > 3.5", "ra > nan", "ra > 'x'", "q is_nan", 'q == "3"', "name == a", "q > 3000000000"]
)
def test_values_that_do_not_go_with_a_column_are_told(stars: Path, rule: str) -> None:
    path = stars.with_name("narrow.parquet")
    table = pa.table(STARS)
    pq.write_table(table.set_column(3, "q", table.column("q").cast(pa.int32())), path)
    with pytest.raises(MamlError) as caught:
        read_table(path, filter=rule)
    assert caught.value.code == "filter"
    assert read_table(path, filter="q > 2 and ra is_not_nan").num_rows == 3


def test_float32_is_compared_as_doubles_and_minus_zero_is_zero(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    columns = {"f": pa.array([0.1, 0.5, None], pa.float32()), "x": [-0.0, None, float("nan")], "id": [1, 2, 3]}
    pq.write_table(pa.table(columns), path)
    # The float32 nearest to 0.1 is 0.100000001490116…, not 0.1.
    assert read_table(path, filter="f == 0.1").num_rows == 0
    assert read_table(path, filter="f > 0.1").column("id").to_pylist() == [1, 2]
    assert read_table(path, filter="x in (0.0)").column("id").to_pylist() == [1]
    assert read_table(path, filter="not x in (0.0)").column("id").to_pylist() == [3]


def test_text_in_quotes_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"s": ["a and b", "(x", "α β", "is_null"]}), path)
    for text in ("a and b", "(x", "α β", "is_null"):
        assert read_table(path, filter=f's == "{text}"').column("s").to_pylist() == [text]


def test_temporal_values_are_in_the_unit_of_the_column(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    # 2024-01-31 is day 19753 since 1970-01-01.
    days = pa.array([19752, 19753, None], pa.date32())
    times = pa.array([1_000, 1_001, None], pa.timestamp("ms", "UTC"))
    pq.write_table(pa.table({"d": days, "t": times, "id": [1, 2, 3]}), path)
    assert read_table(path, filter='d == "2024-01-31"').column("id").to_pylist() == [2]
    assert read_table(path, filter='t > "1970-01-01T00:00:01"').column("id").to_pylist() == [2]
    for rule in ('t > "1970-01-01T00:00:01.0001"', "d == 2024-01-31", 'd == "2024-01-31T00:00:01"'):
        with pytest.raises(MamlError) as caught:
            read_table(path, filter=rule)
        assert caught.value.code == "filter"
