"""The columns of a table to be written, and what is said of it."""

import warnings

import numpy as np
import pyarrow as pa
import pytest

from maml_parquet import MamlError, MamlWarning, Schema, parse
from maml_parquet.schema.records import Column, TableEntry
from maml_parquet.sections.types import TypeToken

TEXT = """
table: t
author: A
keyarray:
- {key: k, value: 1.10, comment: c}
fields:
- {name: id, data_type: int32, unit: unitless, info: An id., ucd: [meta.id, meta.main], array_size: 4}
- {name: z, data_type: float32, qc: {min: '> 0'}}
- {name: v, data_type: float64, col_size: auto, unit: mJy}
- {name: s, data_type: string, array_size: 18}
- {name: free, data_type: string}
- {name: late, data_type: string, array_size: auto}
extra:
  protected_cols: [id, v]
  nullable_cols: [s]
"""


@pytest.fixture
def schema():
    return Schema.from_maml(parse(TEXT))


def code_of(function, *given, **named):
    with pytest.raises(MamlError) as found:
        function(*given, **named)
    return found.value.code


def test_columns_are_those_of_the_fields(schema):
    assert list(schema.columns) == ["id", "z", "v", "s", "free", "late"]
    # array_size counts for strings only, so that of id is passed over.
    assert schema.columns["id"] == Column(
        "id", "id", TypeToken("int32"), 1, 1, False, "", "An id.", "meta.id;meta.main", None, is_protected=True
    )
    assert schema.columns["v"].col_size == "auto"
    assert schema.columns["v"].unit == "mJy"
    assert schema.columns["s"].is_nullable


def test_only_a_number_limits_strings(schema):
    assert [(schema.columns[name].array_size, schema.columns[name].is_limited) for name in ("s", "free", "late")] == [
        (18, True),
        (1, False),
        ("auto", False),
    ]


def test_metadata_is_what_the_maml_says_then_what_is_added(schema):
    schema.add_metadata("n", np.int32(5), "count")
    assert schema.metadata == (
        TableEntry("table", "t"),
        TableEntry("author", "A"),
        TableEntry("k", "1.10", "c"),
        TableEntry("n", "5", "count", "int32"),
    )


def test_columns_cannot_be_changed_from_outside(schema):
    with pytest.raises(TypeError):
        schema.columns["id"] = None


def test_a_copy_stays_when_the_schema_changes(schema):
    other = schema.copy()
    schema.set_col_size("v", 3)
    schema.add_metadata("n", 1)
    schema.disable("id")
    assert other.columns["v"].col_size == "auto"
    assert other.columns["id"].is_enabled
    assert len(other.metadata) == 3
    assert other.maml is schema.maml
    other.set_qc("z", min="5")
    assert other.columns["z"].qc.min.text == "> 0"


class TestBase:
    BASE = "table: b\nfields: [{name: id, data_type: int64}, {name: z, data_type: float32}, {name: x, data_type: date}]"
    USER = (
        "table: u\nfields: [{name: x, data_type: date}, {name: mine, data_type: int32}]\n"
        "extra: {col_map: [id: mine], protected_cols: mine}"
    )

    def schema(self):
        return Schema.from_maml(parse(self.USER), parse(self.BASE))

    def test_columns_are_by_names_of_the_base(self):
        found = [(c.name, c.output_name, c.is_declared, c.is_enabled) for c in self.schema().columns.values()]
        assert found == [("x", "x", True, True), ("id", "mine", True, True), ("z", "z", False, False)]

    def test_a_type_is_the_users_and_protection_is_by_the_name_in_the_file(self):
        column = self.schema().columns["id"]
        assert str(column.kind) == "int32"
        assert column.is_protected

    def test_metadata_is_the_users(self):
        assert self.schema().metadata == (TableEntry("table", "u"),)

    def test_a_column_that_is_left_out_is_never_enabled(self):
        schema = self.schema()
        assert code_of(schema.enable, "z") == "column"
        schema.disable()
        schema.enable()
        assert [column.is_enabled for column in schema.columns.values()] == [True, True, False]
        schema.disable("z")

    def test_the_name_in_the_file_is_no_name_here(self):
        with pytest.raises(MamlError, match="called 'id' here"):
            self.schema().disable("mine")

    def test_a_user_that_contradicts_the_base_is_refused(self):
        user = parse("table: u\nfields: [{name: other, data_type: date}]")
        assert code_of(Schema.from_maml, user, parse(self.BASE)) == "field-unknown"

    def test_without_a_base_renames_count_too(self):
        assert list(Schema.from_maml(parse(self.USER)).columns) == ["x", "id"]

    @pytest.mark.parametrize(
        "renames", ["[a: nosuch]", "[x: mine]", "[id: mine, id: x]", "[id: mine, other: mine]"], ids=str
    )
    def test_without_a_base_renames_may_not_contradict_the_fields(self, renames):
        fields = "[{name: x, data_type: date}, {name: mine, data_type: int32}]"
        text = f"table: u\nfields: {fields}\nextra: {{col_map: {renames}}}"
        assert code_of(Schema.from_maml, parse(text)) == "col-map"


def test_a_maml_that_describes_a_file_is_refused():
    assert code_of(Schema.from_maml, parse("fields: [{name: x}]", role="read")) == "argument"


def test_types_that_only_the_specification_knows_are_refused():
    text = "table: t\nversion: v\ndate: d\nauthor: a\nfields: [{name: x, data_type: uint128}]"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MamlWarning)
        maml = parse(text, profile="spec-1.2")
    with pytest.raises(MamlError, match="profile='parquet'") as found:
        Schema.from_maml(maml)
    assert (found.value.code, found.value.problems[0].line) == ("type-invalid", 5)


class TestSizes:
    def test_auto_is_decided_once(self, schema):
        schema.set_col_size("v", np.int64(3))
        assert schema.columns["v"].col_size == 3
        assert code_of(schema.set_col_size, "v", 4) == "size-invalid"
        schema.set_col_size("v", 4, force=True)
        assert schema.columns["v"].col_size == 4

    def test_a_declared_size_needs_force(self, schema):
        assert code_of(schema.set_array_size, "s", 19) == "size-invalid"
        schema.set_array_size("s", 19, force=True)
        assert (schema.columns["s"].array_size, schema.columns["s"].is_limited) == (19, True)

    def test_a_size_that_is_set_limits(self, schema):
        schema.set_array_size("late", 5)
        assert (schema.columns["late"].array_size, schema.columns["late"].is_limited) == (5, True)

    def test_array_size_is_of_strings(self, schema):
        assert code_of(schema.set_array_size, "id", 3) == "column"

    @pytest.mark.parametrize("size", [0, -1, True, 2.0, "3", None, 2**31])
    def test_a_size_is_a_positive_whole_number(self, schema, size):
        assert code_of(schema.set_col_size, "v", size) == "size-invalid"

    def test_the_largest_size(self, schema):
        schema.set_col_size("v", 2**31 - 1)
        assert schema.columns["v"].col_size == 2**31 - 1

    def test_a_name_that_would_be_several_columns_when_it_is_read_again(self):
        text = "table: t\nfields: [{name: x_icol, data_type: int32}]\n"
        schema = Schema.from_maml(parse(f"MAML_version: 1.2\n{text}"))
        schema.set_col_size("x_icol", 1, force=True)
        assert code_of(schema.set_col_size, "x_icol", 3, force=True) == "size-invalid"
        Schema.from_maml(parse(text)).set_col_size("x_icol", 3, force=True)

    def test_an_unknown_column(self, schema):
        assert code_of(schema.set_col_size, "nosuch", 3) == "column"
        assert code_of(schema.set_array_size, "nosuch", 3) == "column"


class TestQc:
    def test_bounds_from_code(self, schema):
        schema.set_qc("id", min="1", max="< 10", miss="")
        qc = schema.columns["id"].qc
        assert (qc.min.operator, qc.min.value, qc.max.operator, qc.max.value) == (">=", 1, "<", 10)
        assert qc.miss == "unexpected"

    def test_what_the_maml_says_wins_whole(self, schema):
        schema.set_qc("z", max="5", miss="")
        qc = schema.columns["z"].qc
        assert (qc.min.text, qc.max, qc.miss) == ("> 0", None, "unchecked")

    def test_an_empty_qc_of_the_maml_wins_too(self):
        schema = Schema.from_maml(parse("table: t\nfields: [{name: x, data_type: int32, qc: {}}]"))
        schema.set_qc("x", min="5")
        assert schema.columns["x"].qc.min is None

    def test_code_replaces_what_code_said(self, schema):
        schema.set_qc("id", min="1")
        schema.set_qc("id", max="2")
        assert schema.columns["id"].qc.min is None

    def test_everything_that_is_wrong_is_told(self, schema):
        with pytest.raises(MamlError) as found:
            schema.set_qc("id", min="< 5", max="1.5", miss="-999")
        assert [problem.code for problem in found.value.problems] == ["qc-direction", "qc-bound", "qc-miss"]

    def test_bounds_are_texts(self, schema):
        assert code_of(schema.set_qc, "id", min=5) == "qc-bound"
        assert code_of(schema.set_qc, "id", miss=5) == "qc-miss"
        assert code_of(schema.set_qc, "nosuch", min="5") == "column"


class TestMetadata:
    @pytest.mark.parametrize(
        ("key", "code"),
        [
            ("column.x.unit", "reserved-key"),
            ("maml", "reserved-key"),
            ("pandas", "reserved-key"),
            ("ARROW:schema", "reserved-key"),
            ("IVOA.VOTable-Parquet.version", "reserved-key"),
            ("table::len::x", "reserved-key"),
            ("", "key-missing"),
            ("  ", "key-missing"),
            ("a\nb", "shape"),
            ("a\x00", "metadata"),
            (5, "metadata"),
        ],
    )
    def test_keys_that_are_refused(self, schema, key, code):
        assert code_of(schema.add_metadata, key, 1) == code

    @pytest.mark.parametrize("key", ["DATE", "name", "author", "k"])
    def test_keys_that_readers_find_elsewhere_first_are_warned_of_and_kept(self, schema, key):
        with pytest.warns(MamlWarning, match=key):
            schema.add_metadata(key, "x")
        assert schema.metadata[-1].key == key

    def test_a_type_that_a_user_gives_is_warned_of(self, schema):
        schema.add_metadata("n", 5)
        with pytest.warns(MamlWarning, match=r"'n\.datatype'"):
            schema.add_metadata("n.datatype", "text")
        schema.add_metadata("m.datatype", "text")
        with pytest.warns(MamlWarning, match=r"'m\.datatype'"):
            schema.add_metadata("m", 5)

    def test_a_value_that_is_none_is_refused(self, schema):
        assert code_of(schema.add_metadata, "n", None) == "metadata"
        assert code_of(schema.add_metadata, "n", 1, "a\x07") == "metadata"
        assert code_of(schema.add_metadata, "n", 1, None) == "metadata"
        assert len(schema.metadata) == 3


class TestArrow:
    def test_a_size_that_is_open_is_named(self, schema):
        with pytest.raises(MamlError, match="'v' is auto") as found:
            schema.arrow_schema()
        assert found.value.code == "size-invalid"

    def test_protected_columns_hold_no_null_and_vectors_never_as_rows(self, schema):
        schema.set_col_size("v", 3)
        element = pa.field("element", pa.float64(), nullable=False)
        assert schema.arrow_schema().equals(
            pa.schema(
                [
                    pa.field("id", pa.int32(), nullable=False),
                    pa.field("z", pa.float32()),
                    pa.field("v", pa.list_(element, 3), nullable=False),
                    pa.field("s", pa.string()),
                    pa.field("free", pa.string()),
                    pa.field("late", pa.string()),
                ]
            )
        )

    def test_only_what_is_enabled_under_names_of_the_file(self):
        fields = "[{name: out, data_type: int32}, {name: b, data_type: 'time[ms]'}]"
        text = f"table: t\nfields: {fields}\nextra: {{col_map: [a: out]}}"
        schema = Schema.from_maml(parse(text))
        schema.disable("b")
        assert schema.arrow_schema().equals(pa.schema([pa.field("out", pa.int32())]))
        schema.enable("b")
        schema.disable("a")
        assert schema.arrow_schema().names == ["b"]
        schema.disable()
        assert schema.arrow_schema().names == []


def test_names_are_unique():
    one, two = Column("a", "x", TypeToken("int32")), Column("b", "x", TypeToken("int32"))
    assert code_of(Schema, [one, two]) == "field-name-duplicate"
    assert code_of(Schema, [one, one]) == "field-name-duplicate"
    assert list(Schema([one, Column("b", "y", TypeToken("int32"))]).columns) == ["a", "b"]
