"""Other words for types, and fields that are several columns."""

import pytest

from maml_parquet import MamlError, load, parse, problems, validate, validate_user
from maml_parquet.sections.datamaps import type_words
from maml_parquet.sections.types import BASES, DATAMAP

HEAD = "table: t\nMAML_version: 1.2\nfields:\n"


def typed(word):
    return f"table: t\nfields:\n- name: x\n  data_type: {word}\n"


def names(text, **how):
    return [field.name for field in parse(text, **how).fields]


def told(text, **how):
    return [(found.code, found.at, found.line) for found in problems(text, **how)]


@pytest.mark.parametrize(
    ("word", "kind"), [("double", "float64"), ("Bool", "boolean"), (" LOGICAL ", "boolean"), ("character", "string")]
)
def test_words_that_stand_for_one_type_are_read_where_a_map_is_given(word, kind):
    text = typed(f"'{word}'")
    assert str(parse(text, datamap={}).fields[0].data_type) == kind
    [found] = problems(text)
    assert (found.code, found.line) == ("type-invalid", 4)
    assert f"write {kind}, or read it as that with datamap={{}}" in found.message


@pytest.mark.parametrize(("word", "types"), [("float", "float32 or float64"), ("Int", "int32 or int64")])
def test_words_that_stand_for_several_need_to_be_told(word, types):
    for how in ({}, {"datamap": {}}, {"datamap": {"double": "float64"}}):
        [found] = problems(typed(word), **how)
        assert found.code == "type-invalid"
        assert f"may be {types}; write one of the two, or say which with datamap" in found.message
    kind = types.split()[0]
    assert str(parse(typed(word), datamap={"FLOAT ": "float32", "int": "INT32"}).fields[0].data_type) == kind


def test_a_map_may_say_otherwise_and_say_units():
    datamap = {"double": "float32", "datetime": "timestamp[ns, UTC]"}
    assert str(parse(typed("double"), datamap=datamap).fields[0].data_type) == "float32"
    assert str(parse(typed("datetime"), datamap=datamap).fields[0].data_type) == "timestamp[ns,utc]"
    assert str(parse(typed("int64"), datamap=datamap).fields[0].data_type) == "int64"
    assert [found.code for found in problems(typed("double[ms]"), datamap=datamap)] == ["type-invalid"]


def test_words_are_read_in_every_role_and_profile():
    text = typed("double") + "  qc: {min: 1.5, max: '', miss: Null}\n"
    assert str(parse(text, datamap={}, role="read").fields[0].data_type) == "float64"
    full = text + "version: 1\ndate: 2024-05-06\nauthor: A\n"
    maml = parse(full, datamap={}, profile="spec-1.2")
    assert (maml.fields[0].qc.min.value, maml.notices) == (1.5, ())


@pytest.mark.parametrize(
    "datamap",
    [
        {"float": "double"},
        {"float": "time[s]"},
        {"float": 32},
        {"int32": "int64"},
        {"Time": "date"},
        {"time[s]": "time[ms]"},
        {"": "int32"},
        {5: "int32"},
        {"a": "int32", " A": "int64"},
        ["float"],
        True,
    ],
)
def test_maps_that_say_nothing_are_refused(datamap):
    for call in (parse, problems, validate):
        with pytest.raises(MamlError, match="datamap") as caught:
            call(typed("int32"), datamap=datamap)
        assert caught.value.code == "argument"


def test_every_word_has_one_type_and_is_none():
    assert set(DATAMAP.values()) <= set(BASES)
    assert not set(DATAMAP) & set(BASES)
    assert {str(kind) for kind in type_words({}).values()} == set(DATAMAP.values())
    assert str(type_words({"a": "int32", "A ": "INT32"})["a"]) == "int32"


def test_files_are_read_with_words_too(tmp_path):
    path = tmp_path / "a.maml"
    path.write_text(typed("double"))
    assert str(load(path, datamap={}).fields[0].data_type) == "float64"
    validate(path, datamap={})
    with pytest.raises(MamlError, match=r"a\.maml:4:14"):
        validate(path)


ICOL = "- name: flux_icol\n  data_type: float32\n  unit: mJy\n  ucd: phot.flux\n  qc: {min: 0}\n  col_size: 3\n"


@pytest.mark.parametrize("version", ["1.2", "'1.2'", "1.20", "+1.2", "01.2"])
def test_a_field_of_version_1_2_is_several_columns(version):
    maml = parse(HEAD.replace("1.2", version) + "- {name: id, data_type: int64}\n" + ICOL)
    assert [(field.name, field.col_size, field.unit, field.line, field.position) for field in maml.fields] == [
        ("id", 1, "", 4, 0),
        ("flux_1", 1, "mJy", 5, 1),
        ("flux_2", 1, "mJy", 5, 1),
        ("flux_3", 1, "mJy", 5, 1),
    ]
    assert {field.qc.min.value for field in maml.fields[1:]} == {0.0}


@pytest.mark.parametrize("version", ["1.1", "1.21", "1.2a", "2", "[1.2]", ""])
def test_of_other_versions_it_is_a_vector(version):
    for head in (HEAD.replace("MAML_version: 1.2\n", ""), HEAD.replace("1.2", version)):
        [field] = parse(head + ICOL).fields
        assert (field.name, field.col_size) == ("flux_icol", 3)


@pytest.mark.parametrize(
    ("name", "size", "columns"),
    [
        ("a_icol", "2", ["a_1", "a_2"]),
        ("a_icol", "1", ["a_1"]),
        ("a_icol", "", ["a_icol"]),
        ("_icol", "2", ["_1", "_2"]),
        ("a_b_icol", "2", ["a_b_1", "a_b_2"]),
        ("a_ICOL", "2", ["a_ICOL"]),
        ("a_icols", "2", ["a_icols"]),
        ("aicol", "2", ["aicol"]),
    ],
)
def test_the_end_of_the_name_and_a_size_make_columns(name, size, columns):
    text = HEAD + f"- name: {name}\n  data_type: int32\n  col_size: {size}\n"
    assert names(text) == columns
    assert names(text, role="read") == columns
    assert names(HEAD + f"- name: {name}\n  data_type: int32\n") == [name]


def test_the_number_of_columns_is_written():
    text = HEAD + ICOL.replace("size: 3", "size: auto")
    assert told(text) == [("size-invalid", ("fields", 0, "col_size"), 9)]
    assert told(text, role="table-type") == [("size-invalid", ("fields", 0, "col_size"), 9)]
    assert told(text.replace("_icol", "")) == []


def test_columns_have_one_name_each():
    other = "- {name: flux_2, data_type: int32}\n"
    assert told(HEAD + ICOL + other) == [("field-name-duplicate", ("fields", 1, "name"), 10)]
    assert told(HEAD + other + ICOL) == [("field-name-duplicate", ("fields", 1, "name"), 5)]
    [found] = problems(HEAD + other + ICOL)
    assert found.message == (
        "'flux_icol' is 3 columns, and the field 'flux_2' stands in line 4 already; names are unique"
    )
    assert told(HEAD + ICOL + other.replace("flux_2", "flux_4")) == []


def test_columns_are_not_more_than_ten_thousand():
    most = "- {name: a_icol, data_type: int32, col_size: 6000}\n- {name: b_icol, data_type: int32, col_size: 4000}\n"
    assert len(names(HEAD + most)) == 10_000
    assert told(HEAD + most.replace("4000", "4001")) == [("limit", ("fields", 1, "col_size"), 5)]
    assert told(HEAD + most.replace("4000", "2147483647")) == [("limit", ("fields", 1, "col_size"), 5)]
    assert names(HEAD + most.replace("_icol", "").replace("4000", "2147483647")) == ["a", "b"]


def test_other_lists_name_the_columns():
    text = HEAD + ICOL + "extra: {protected_cols: [NAME]}\n"
    assert told(text.replace("NAME", "flux_3")) == []
    [found] = problems(text.replace("NAME", "flux_icol"))
    assert (found.code, found.line) == ("protected-unknown", 10)
    assert "write the names of its columns, 'flux_1' first" in found.message


def test_a_users_columns_are_columns_of_the_base():
    base = parse(HEAD + ICOL)
    user = parse("table: u\nfields:\n- {name: flux_2, data_type: float32}\n")
    assert validate_user(user, base) == ()
    with pytest.raises(MamlError) as caught:
        validate_user(base, user)
    assert [(found.code, found.at, found.line) for found in caught.value.problems] == [
        ("field-unknown", ("fields", 0, "name"), 4)
    ]
    renamed = parse(
        "table: u\nMAML_version: 1.2\nextra: {col_map: [flux_1: a_1]}\nfields:\n" + ICOL.replace("flux", "a")
    )
    with pytest.raises(MamlError) as caught:
        validate_user(renamed, base)
    assert len(caught.value.problems) == 1
