"""The table of inputs that go wrong elsewhere: each with its outcome."""

import time
import warnings

import pytest

import maml_parquet
from maml_parquet import MamlError, MamlWarning, entries, load, parse, problems, valid_for, validate, validate_user

HEAD = "table: t\n"
TAIL = "fields:\n- name: x\n  data_type: int32\n"


def codes(text, **how):
    return [(problem.code, problem.at, problem.line) for problem in problems(text, **how)]


def field(lines, kind="int32"):
    """Return a MAML with one field `x`; the lines begin in line 5."""
    return f"table: t\nfields:\n- name: x\n  data_type: {kind}\n" + "".join(f"  {line}\n" for line in lines)


def only(lines, kind="int32"):
    [found] = parse(field(lines, kind)).fields
    return found


def pairs(text, **how):
    return [(entry.key, entry.value) for entry in entries(parse(text, **how))]


def test_a_version_keeps_its_zeros_and_a_date_its_form():
    assert pairs(HEAD + "version: 1.10\ndate: 2024-01-01\n" + TAIL) == [
        ("table", "t"),
        ("version", "1.10"),
        ("date", "2024-01-01"),
    ]
    assert ("date", "2024-01-01") in pairs(HEAD + "date: '2024-01-01'\n" + TAIL)


@pytest.mark.parametrize("name", ["yes", "123", "2024-01-01", ".nan", "=", "on", "NO", "0x1F", "1_000", "Nan", "nULL"])
def test_names_are_what_is_written(name):
    assert parse(HEAD + f"fields:\n- name: {name}\n  data_type: int32\n").fields[0].name == name


@pytest.mark.parametrize("name", ["α β", "a.b", "with blank", "n" * 300, "<&>", "'null'", "'~'"])
def test_names_may_be_any_line_of_text(name):
    assert parse(HEAD + f"fields:\n- name: {name}\n  data_type: int32\n").fields[0].name == name.strip("'")


def test_names_that_differ_in_case_are_two():
    assert codes(HEAD + "fields: [{name: x, data_type: int32}, {name: X, data_type: int64}]") == []
    assert codes(HEAD + "fields:\n- {name: x, data_type: int32}\n- {name: x, data_type: int64}\n") == [
        ("field-name-duplicate", ("fields", 1, "name"), 4)
    ]


@pytest.mark.parametrize("name", ["null", "~", "", "''", "'  '", "Null"])
def test_a_name_that_says_nothing_is_missing(name):
    assert codes(HEAD + f"fields:\n- name: {name}\n  data_type: int32\n") == [
        ("field-name-missing", ("fields", 0, "name"), 3)
    ]


def test_a_name_is_one_line():
    assert codes(HEAD + 'fields:\n- name: "a\\nb"\n  data_type: int32\n') == [("shape", ("fields", 0, "name"), 3)]
    assert codes(HEAD + "fields:\n- name: |\n    a\n  data_type: int32\n") == [
        ("qc-block-scalar", ("fields", 0, "name"), 3)
    ]


@pytest.mark.parametrize(
    ("lines", "miss"),
    [
        (["qc: {miss: Null}"], "expected"),
        (["qc: {miss: null}"], "expected"),
        (["qc: {miss: 'Null'}"], "expected"),
        (["qc: {miss: NA}"], "expected"),
        (["qc:", "  miss:"], "unexpected"),
        (["qc: {miss: ''}"], "unexpected"),
        (["qc: {min: 0}"], "unchecked"),
    ],
)
def test_miss_has_three_states(lines, miss):
    assert only(lines).qc.miss == miss


def test_an_empty_qc_is_declared_and_checks_nothing():
    assert only(["qc:"]).qc == maml_parquet.sections.qc.Qc()
    assert only([]).qc is None


@pytest.mark.parametrize("miss", ["-999", "~", "none"])
def test_other_values_of_miss_are_named(miss):
    [problem] = problems(field(["qc:", f"  miss: {miss}"]))
    assert (problem.code, problem.at, problem.line, problem.column) == ("qc-miss", ("fields", 0, "qc", "miss"), 6, 11)
    assert repr(miss) in problem.message


@pytest.mark.parametrize("line", ["min: >5", "max: |", "min: >-"])
def test_an_operator_without_quotes_is_no_missing_bound(line):
    [problem] = problems(field(["qc:", f"  {line}"]))
    assert (problem.code, problem.line) == ("qc-block-scalar", 6)
    assert "'> 5'" in problem.message


@pytest.mark.parametrize(
    ("written", "operator", "value"), [("'>= 0'", ">=", 0), ('"> 0"', ">", 0), ("0", ">=", 0), ("'>=0'", ">=", 0)]
)
def test_bounds_are_written_with_and_without_operators(written, operator, value):
    bound = only([f"qc: {{min: {written}}}"]).qc.min
    assert (bound.operator, bound.value) == (operator, value)


def test_both_reversed_operators_are_in_one_report():
    assert codes(field(["qc:", "  min: '< 5'", "  max: '>= 1'"])) == [
        ("qc-direction", ("fields", 0, "qc", "min"), 6),
        ("qc-direction", ("fields", 0, "qc", "max"), 7),
    ]


@pytest.mark.parametrize(
    ("line", "kind", "code"),
    [
        ("min: '>='", "int32", "qc-empty-operator"),
        ("min: .nan", "float64", "qc-bound"),
        ("min: nan", "float64", "qc-bound"),
        ("max: inf", "float64", "qc-bound"),
        ("max: 1e999", "float64", "qc-bound"),
        ("max: 3000000000", "int32", "qc-bound"),
        ("min: 1.5", "int32", "qc-bound"),
        ("max: 9223372036854775808", "int64", "qc-bound"),
        ("min: 0", "timestamp", "qc-temporal"),
        ("max: 0", "date", "qc-temporal"),
        ("min: [1]", "int32", "shape"),
        ("max: {a: 1}", "int32", "shape"),
        ("mean: 1", "int32", "subkey-unknown"),
    ],
)
def test_bounds_are_of_the_type_of_the_column(line, kind, code):
    [problem] = problems(field(["qc:", f"  {line}"], kind))
    assert (problem.code, problem.line, problem.at[:3]) == (code, 6, ("fields", 0, "qc"))


def test_bounds_that_fit_are_exact():
    assert only(["qc: {min: 1e3}"]).qc.min.value == 1000
    assert only(["qc: {max: 9223372036854775807}"], "int64").qc.max.value == 9223372036854775807
    assert only(["qc: {max: 9007199254740993}"], "int64").qc.max.value == 9007199254740993
    assert only(["qc: {min: '< 5'}"], "boolean").qc.min.operator == "<"
    assert only(["qc: {miss: Null}"], "timestamp[ns]").qc.miss == "expected"
    assert only(["qc: {min: null, max: ''}"], "date").qc.min is None


@pytest.mark.parametrize(
    ("text", "at", "line", "first"),
    [
        ("Table: a\ntable: b\n" + TAIL, ("table",), 2, "line 1"),
        ("table: a\n" + TAIL + "  qc:\n    Min: 1\n    min: 2\n", ("fields", 0, "qc", "min"), 7, "line 6"),
        ("table: a\nauthor: b\nauthor: c\n" + TAIL, ("author",), 3, "line 2"),
    ],
)
def test_a_key_stands_once_in_whatever_case(text, at, line, first):
    [problem] = problems(text)
    assert (problem.code, problem.at, problem.line) == ("key-duplicate", at, line)
    assert first in problem.message


def test_a_bomb_of_aliases_in_extra_is_refused_at_once():
    bomb = HEAD + TAIL + "extra:\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"  a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 10))
    begin = time.monotonic()
    assert [code for code, _, _ in codes(bomb)] == ["limit"]
    assert time.monotonic() - begin < 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (HEAD + TAIL + "extra: &e {x: *e}\n", "yaml"),
        (HEAD + TAIL + "extra: " + "[" * 100_000, "line-too-long"),
        (HEAD + TAIL + "extra: " + "[\n" * 100_000, "limit"),
        (HEAD + "author: !!python/object:os.system x\n" + TAIL, "yaml"),
        (HEAD + "author: !x y\n" + TAIL, "yaml"),
        (HEAD + "<<: {author: x}\n" + TAIL, "section-unknown"),
        (HEAD + "fields:\n- <<: {name: x}\n  name: y\n  data_type: int32\n", "subkey-unknown"),
        (HEAD + "? [a, b]\n: c\n" + TAIL, "yaml"),
        (HEAD + "fields:\n\t- name: x\n", "yaml"),
        ("", "shape"),
        ("---\n", "shape"),
        ("- a\n", "shape"),
        ("word", "shape"),
        (HEAD + TAIL + "---\n" + HEAD + TAIL, "yaml"),
        (b"table: t\rauthor: a\r", "encoding"),
        (b"table: t\x00\n", "encoding"),
        (b"table: caf\xe9\n", "encoding"),
        ((HEAD + TAIL).encode() + b"#" + b"x" * 1024, "line-too-long"),
        (HEAD + "comments: something: and else\n" + TAIL, "yaml"),
    ],
)
def test_what_is_no_maml_is_one_problem(text, code):
    assert [problem.code for problem in problems(text)] == [code]
    with pytest.raises(MamlError):
        parse(text)


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbf" + (HEAD + TAIL).encode(),
        (HEAD + TAIL).replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + (HEAD + TAIL).replace("\n", "\r\n").encode(),
        (HEAD + TAIL).encode() + b"#" + b"x" * 1023 + b"\r\n",
        (HEAD + "author: &a A\nlicense: *a\n" + TAIL).encode(),
    ],
)
def test_files_of_other_systems_are_read(raw):
    assert parse(raw).fields[0].name == "x"


def test_the_line_dialect_reads_what_is_no_yaml():
    text = HEAD + "keyarray:\n- key: k\n  value: //h/x #new\n  comment: something: and else\n" + TAIL
    [_, entry] = entries(parse(text, dialect="line"))
    assert (entry.key, entry.value, entry.description) == ("k", "//h/x #new", "something: and else")
    [_, entry] = entries(parse(text.replace("something: and", "and")))
    assert entry.value == "//h/x"


def test_items_with_a_colon_are_texts():
    assert pairs(HEAD + "comments:\n- zeropoint: 1.00\n- b\n" + TAIL)[1:] == [
        ("comment_1", "zeropoint: 1.00"),
        ("comment_2", "b"),
    ]
    for item in ("{a: 1, b: 2}", "[a, b]", "{a: [b]}", "{}"):
        assert codes(HEAD + f"comments:\n- {item}\n" + TAIL) == [("shape", ("comments", 0), 3)]


def test_keywords_are_one_entry():
    with pytest.warns(MamlWarning, match="'b;c'"):
        assert pairs(HEAD + "keywords: [a, 'b;c']\n" + TAIL)[1:] == [("keywords", "a;b;c")]
    assert pairs(HEAD + "keywords: a\n" + TAIL)[1:] == [("keywords", "a")]


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("column.x.unit", "reserved-key"),
        ("maml", "reserved-key"),
        ("pandas", "reserved-key"),
        ("ARROW:schema", "reserved-key"),
        ("IVOA.VOTable-Parquet.version", "reserved-key"),
        ("table::len::x", "reserved-key"),
        ("''", "key-missing"),
        ("", "key-missing"),
    ],
)
def test_keys_that_files_need_are_refused(key, code):
    assert codes(HEAD + f"keyarray:\n- key: {key}\n  value: 1\n" + TAIL) == [(code, ("keyarray", 0, "key"), 3)]


@pytest.mark.parametrize("key", ["DATE", "name"])
def test_keys_that_readers_do_not_find_are_warned_of(key):
    with pytest.warns(MamlWarning, match=key):
        assert pairs(HEAD + f"keyarray: [{{key: {key}, value: 1}}]\n" + TAIL)[1:] == [(key, "1")]


def test_a_key_that_another_entry_has_is_kept_and_warned_of():
    with pytest.warns(MamlWarning, match="find the first"):
        found = pairs(HEAD + "author: A\nkeyarray: [{key: author, value: B}]\n" + TAIL)
    assert found[1:] == [("author", "A"), ("author", "B")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pairs(HEAD + "author: [A, B]\n" + TAIL)[1:] == [("author", "A"), ("author", "B")]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("true", "true"),
        ("8.10", "8.10"),
        ("[1.8, 2, 5]", "[1.8, 2, 5]"),
        ("[1.8,2,5]", "[1.8, 2, 5]"),
        ("[\"a\", 'b', c]", "[\"a\", 'b', c]"),
        ("[]", "[]"),
        ("", ""),
        ("~", ""),
    ],
)
def test_values_of_the_keyarray_are_texts(value, text):
    assert pairs(HEAD + f"keyarray:\n- key: k\n  value: {value}\n" + TAIL)[1:] == [("k", text)]


@pytest.mark.parametrize(
    ("value", "at"), [("[[1], 2]", ("value", 0)), ("{a: 1}", ("value",)), ("[{a: 1}]", ("value", 0))]
)
def test_nested_values_of_the_keyarray_are_refused(value, at):
    assert codes(HEAD + f"keyarray:\n- key: k\n  value: {value}\n" + TAIL) == [("shape", ("keyarray", 0, *at), 4)]


def test_a_keyarray_item_takes_nothing_from_the_one_before():
    text = HEAD + "keyarray:\n- key: a\n  value: 1\n  comment: c\n- comment: d\n  key: b\n- key: e\n" + TAIL
    found = [(entry.key, entry.value, entry.description) for entry in entries(parse(text))]
    assert found[1:] == [("a", "1", "c"), ("b", "", "d"), ("e", "", "")]


@pytest.mark.parametrize("key", ["col_size", "array_size"])
@pytest.mark.parametrize("size", ["0", "-1", "2.0", "0x2", "1_0", "99999999999", "x", "[2]"])
def test_a_size_is_a_positive_whole_number(key, size):
    code = "shape" if size == "[2]" else "size-invalid"
    assert codes(field([f"{key}: {size}"])) == [(code, ("fields", 0, key), 5)]


@pytest.mark.parametrize(("written", "size"), [("auto", "auto"), ("AUTO", "auto"), ("", 1), ("7", 7), ("'7'", 7)])
def test_a_size_may_be_left_to_the_data(written, size):
    assert only([f"col_size: {written}"]).col_size == size
    assert only([f"array_size: {written}"], "string").array_size == size


def test_only_strings_have_a_length_that_the_data_decides():
    assert codes(field(["array_size: auto"])) == [("array-auto-nonstring", ("fields", 0, "array_size"), 5)]
    assert only(["array_size: 5"]).array_size == 5


def test_the_type_of_a_table_has_numbers_for_sizes():
    assert codes(field(["col_size: auto"]), role="table-type") == [("size-invalid", ("fields", 0, "col_size"), 5)]
    assert codes(field(["col_size: 3", "source: computed"]), role="table-type") == []
    assert codes(field(["source: disk"])) == [("shape", ("fields", 0, "source"), 5)]


@pytest.mark.parametrize(
    "kind", ["timestamp[s]", "time[ms,utc]", "date[us]", "time[ms", "timestamp[ms,ns]", "stringy", "int8", "list"]
)
def test_types_are_nine(kind):
    text = f"table: t\nfields:\n- name: x\n  data_type: {kind}\n"
    assert codes(text) == [("type-invalid", ("fields", 0, "data_type"), 4)]


def test_types_in_any_case():
    assert str(only([], "timestamp[utc,NS]").data_type) == "timestamp[ns,utc]"
    assert str(only([], "TIME[millis]").data_type) == "time[ms]"


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        ("unitless", ""),
        ("UnitLess", ""),
        ("'%'", "%"),
        ("1e-17 erg/s/cm2/Ang", "1e-17 erg/s/cm2/Ang"),
        ('a<b&"c"', 'a<b&"c"'),
        ("", ""),
        ("  ' m '", "m"),
    ],
)
def test_units_are_passed_through(unit, text):
    assert only([f"unit: {unit}"]).unit == text


def test_a_ucd_may_be_a_list():
    assert only(["ucd: [meta.id, meta.main]"]).ucd == "meta.id;meta.main"
    assert only(["ucd: meta.id;meta.main"]).ucd == "meta.id;meta.main"


def test_names_of_protected_columns_are_those_of_the_file():
    text = "table: t\nextra:\n  col_map:\n  - id0: mine\n  protected_cols: {}\n"
    text += "fields: [{{name: mine, data_type: int32}}]\n"
    assert codes(text.format("[id0]")) == [("protected-unknown", ("extra", "protected_cols", 0), 5)]
    assert "'mine'" in problems(text.format("[id0]"))[0].message
    assert [name.text for name in parse(text.format("mine")).extra.protected_cols] == ["mine"]


def test_protected_columns_are_a_list_or_divided_by_semicolons():
    fields = "fields: [{name: a, data_type: int32}, {name: b, data_type: int32}, {name: c, data_type: int32}]\n"
    found = parse(HEAD + "extra: {protected_cols: a;b; c}\n" + fields).extra.protected_cols
    assert [name.text for name in found] == ["a", "b", "c"]
    assert codes(HEAD + "extra:\n  protected_cols: [a, z]\n  nullable_cols: [b, a]\n" + fields) == [
        ("protected-unknown", ("extra", "protected_cols", 1), 3),
        ("protected-nullable", ("extra", "nullable_cols", 1), 4),
    ]


def test_one_report_has_everything_in_the_order_of_the_lines():
    text = (
        "author: A\nnotes: b\nfields:\n- name: x\n  data_type: int8\n  col_size: 0\n- unit: m\n  wave: 5\n"
        "- name: x\n  data_type: date\n  array_size: auto\nextra:\n  protected_cols: [y]\n"
    )
    assert codes(text) == [
        ("table-missing", ("table",), 1),
        ("section-unknown", ("notes",), 2),
        ("type-invalid", ("fields", 0, "data_type"), 5),
        ("size-invalid", ("fields", 0, "col_size"), 6),
        ("field-name-missing", ("fields", 1, "name"), 7),
        ("type-missing", ("fields", 1, "data_type"), 7),
        ("subkey-unknown", ("fields", 1, "wave"), 8),
        ("field-name-duplicate", ("fields", 2, "name"), 9),
        ("array-auto-nonstring", ("fields", 2, "array_size"), 11),
        ("protected-unknown", ("extra", "protected_cols", 0), 13),
    ]
    with pytest.raises(MamlError) as caught:
        parse(text, source="a.maml")
    assert str(caught.value).splitlines()[1].startswith("a.maml:2:1 notes: 'notes' is no section")


@pytest.mark.parametrize("text", ["table:\n", "table: ~\n", "table: ''\n"])
def test_a_table_has_a_name(text):
    assert codes("author: A\n" + text + TAIL) == [("table-missing", ("table",), 2)]
    assert codes("table: [a, b]\n" + TAIL) == [("shape", ("table",), 1)]


@pytest.mark.parametrize(
    ("tail", "code", "line"),
    [("", "fields-missing", 1), ("fields:\n", "fields-missing", 2), ("fields: []\n", "fields-missing", 2)],
)
def test_there_is_a_field(tail, code, line):
    assert codes(HEAD + tail) == [(code, ("fields",), line)]
    assert codes(HEAD + tail, role="read") == []
    assert codes(HEAD + "fields: x\n") == [("shape", ("fields",), 2)]
    assert codes(HEAD + "fields:\n- x\n") == [("shape", ("fields", 0), 3)]


def test_what_describes_a_file_needs_names_only():
    text = "fields:\n- name: x\n  unit: m\n  data_type: whatever\n  qc: {min: 0}\n- name: y\n  qc: {max: 'noon'}\n"
    maml = parse(text, role="read")
    assert [(field.name, field.data_type) for field in maml.fields] == [("x", None), ("y", None)]
    assert maml.fields[0].qc.min.value == "0"
    assert codes("notes: x\nfields:\n- unit: m\n- name: y\n  wave: 3\n  qc: {min: '< 1', miss: -9}\n", role="read") == [
        ("section-unknown", ("notes",), 1),
        ("field-name-missing", ("fields", 0, "name"), 3),
        ("subkey-unknown", ("fields", 1, "wave"), 5),
        ("qc-direction", ("fields", 1, "qc", "min"), 6),
        ("qc-miss", ("fields", 1, "qc", "miss"), 6),
    ]


def test_what_is_asked_of_a_file():
    extra = parse(
        "extra:\n  Remap:\n  - mass: MASS_KG\n  - m: MASS_KG\n  filter: ['a > 1']\n  sort: [b desc]\n  own: [1]\n",
        role="read",
    ).extra
    assert [(rename.internal, rename.external) for rename in extra.remap] == [("mass", "MASS_KG"), ("m", "MASS_KG")]
    assert [rule.text for rule in extra.filter + extra.sort] == ["a > 1", "b desc"]
    assert codes("extra:\n  remap:\n  - a: x\n  - a: y\n", role="read") == [("remap", ("extra", "remap", 1), 4)]
    assert codes("extra:\n  remap: [a, {b: c, d: e}]\n  filter: a > 1\n  sort: [x: y]\n", role="read") == [
        ("shape", ("extra", "remap", 0), 2),
        ("shape", ("extra", "remap", 1), 2),
        ("shape", ("extra", "filter"), 3),
        ("shape", ("extra", "sort", 0), 4),
    ]
    assert codes(HEAD + TAIL + "extra: {remap: 5, filter: {a: b}}\n") == []


def test_a_list_becomes_numbered_or_repeated_entries_in_the_order_of_the_file():
    text = (
        "MAML_version: 1.2\nSurvey: [S1, S2]\nkeyarray:\n- {key: K, value: 1}\n" + HEAD + "DOIs:\n- type: paper\n"
        "- DOI: 10.1/a\n  type: data\n- {DOI: 10.1/b}\ndepends:\n- dataset: SpecZ\n  survey: The Medium Survey\n"
        "-\n- {version: 2, table: Phot_South}\ncoauthors: [B, '', C]\ncomments: one\nlicense: ~\n" + TAIL
    )
    assert pairs(text) == [
        ("maml_version", "1.2"),
        ("survey", "S1"),
        ("survey", "S2"),
        ("K", "1"),
        ("table", "t"),
        ("DOI_1", "10.1/a"),
        ("DOI_2", "10.1/b"),
        ("depends_1", "The Medium Survey;SpecZ;;"),
        ("depends_2", ";;Phot_South;2"),
        ("coauthor_1", "B"),
        ("coauthor_2", "C"),
        ("comments", "one"),
    ]


def test_sections_have_their_shapes():
    for text, at in (
        ("DOIs: 10.1/a\n", ("dois",)),
        ("depends: {table: x}\n", ("depends",)),
        ("keyarray: x\n", ("keyarray",)),
        ("keyarray: [x]\n", ("keyarray", 0)),
        ("author: {a: b}\n", ("author",)),
        ("extra: [a]\n", ("extra",)),
    ):
        assert codes(HEAD + text + TAIL) == [("shape", at, 2)]
    assert codes(HEAD + "DOIs: [{doi: x, kind: y}]\n" + TAIL) == [("subkey-unknown", ("dois", 0, "kind"), 2)]


BASE = "table: b\nfields:\n" + "".join(f"- name: {name}\n  data_type: int32\n" for name in ("id0", "ra", "dec"))


@pytest.mark.parametrize(
    ("renames", "names", "found"),
    [
        (["id0: mine"], ["mine", "ra"], []),
        (["id0: id0"], ["id0"], []),
        ([], ["dec"], []),
        (["id9: mine"], ["mine"], [("col-map", ("extra", "col_map", 0), 4)]),
        (["id0: mine", "id0: own"], ["mine", "own"], [("col-map", ("extra", "col_map", 1), 5)]),
        (["id0: mine", "ra: mine"], ["mine"], [("col-map", ("extra", "col_map", 1), 5)]),
        (["id0: mine"], ["ra"], [("col-map", ("extra", "col_map", 0), 4)]),
        (["id0: mine"], ["mine", "id0"], [("col-map", ("extra", "col_map", 0), 4)]),
        (["id0: ra"], ["ra"], [("col-map", ("extra", "col_map", 0), 4)]),
        ([], ["other"], [("field-unknown", ("fields", 0, "name"), 5)]),
    ],
)
def test_a_users_columns_are_those_of_the_base(renames, names, found):
    text = "table: u\nextra:\n  col_map:\n" + "".join(f"  - {rename}\n" for rename in renames)
    text += "fields:\n" + "".join(f"- {{name: {name}, data_type: int64}}\n" for name in names)
    user = parse(text)
    if not found:
        assert [f"{rename.internal}: {rename.external}" for rename in validate_user(user, parse(BASE))] == renames
        return
    with pytest.raises(MamlError) as caught:
        validate_user(user, parse(BASE))
    assert [(problem.code, problem.at, problem.line) for problem in caught.value.problems] == found


def test_everything_that_is_wrong_with_a_users_columns_is_one_report():
    user = parse("table: u\nextra:\n  col_map:\n  - id9: ra\nfields:\n- {name: z, data_type: int32}\n")
    with pytest.raises(MamlError) as caught:
        validate_user(user, parse(BASE))
    assert [problem.code for problem in caught.value.problems] == ["col-map"] * 3 + ["field-unknown"]
    # The items are `- id9: ra` in line 4, and `- {name: z` in line 6: both begin behind the dash.
    assert [(problem.line, problem.column) for problem in caught.value.problems] == [(4, 5)] * 3 + [(6, 3)]


FULL = "table: t\nversion: 1.10\ndate: 2024-05-06\nauthor: A\nfields:\n- name: x\n  data_type: double\n"


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        (FULL, ["1.0", "1.1", "1.2"]),
        (FULL + "MAML_version: 1.1\n", ["1.1"]),
        (FULL + "MAML_version: '1.1'\n", []),
        (FULL + "extra: {a: b}\n", ["1.1", "1.2"]),
        (FULL + "keyarray: [{key: k, value: 1, comment: c}]\n", ["1.1", "1.2"]),
        (FULL + "keyarray: [{key: k, value: 1}]\n", []),
        (FULL + "survey:\n", []),
        (FULL + "license:\n", ["1.0", "1.1", "1.2"]),
        (FULL + "coauthors: B\n", ["1.0", "1.1", "1.2"]),
        (FULL + "coauthors: [B, 5]\n", []),
        (FULL + "comments:\nkeywords: ~\n", ["1.0", "1.1", "1.2"]),
        (FULL + "keywords: 5\n", []),
        (FULL + "DOIs: [{DOI: x, type: y, note: z}]\n", ["1.0", "1.1", "1.2"]),
        (FULL + "keyarray: [{key: k, value: 1, comment: c, unit: m}]\n", ["1.1", "1.2"]),
        (FULL + "DOIs: [{DOI: x, type: y}]\n", ["1.0", "1.1", "1.2"]),
        (FULL + "dois: [{DOI: x, type: y}]\n", []),
        (FULL + "depends: [{survey: s}]\n", []),
        (FULL.replace("author: A", "author: 5"), []),
        (FULL.replace("author: A\n", ""), []),
        (FULL + "  col_size: 3\n", ["1.0", "1.1", "1.2"]),
        (FULL + "  array_size: auto\n", ["1.0", "1.1", "1.2"]),
        (FULL + "  col_size: auto\n", []),
        (FULL + "  qc: {min: 0, max: 1, miss: -999}\n", ["1.0", "1.1", "1.2"]),
        (FULL + "  qc: {min: 0, miss: -999}\n", []),
        (FULL + "  wave: 5\n", ["1.0", "1.1", "1.2"]),
    ],
)
def test_versions_of_the_specification(text, versions):
    assert valid_for(parse_spec(text)) == versions


def parse_spec(text):
    """Return the record of a text that only the specification lets pass."""
    from maml_parquet.sections.rules import read_document
    from maml_parquet.text.nodes import compose

    return read_document(compose(text)[0], role="write", profile="spec-1.2")[0]


def test_files_are_read_with_their_names_in_messages(tmp_path):
    path = tmp_path / "a.maml"
    path.write_text(HEAD + TAIL)
    assert load(path).fields == parse(HEAD + TAIL).fields
    assert load(str(path)).source == str(path)
    validate(path)
    validate(str(path))
    validate(HEAD + TAIL)
    path.write_text(TAIL)
    for call in (load, validate):
        with pytest.raises(MamlError, match=r"a\.maml:1:1 table: there is no table"):
            call(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.maml")


@pytest.mark.parametrize("how", [{"role": "writer"}, {"profile": "spec"}, {"dialect": "toml"}, {"max_line": 0}])
def test_arguments_are_words_of_the_tables(how):
    for call in (parse, problems, validate):
        with pytest.raises(MamlError) as caught:
            call(HEAD + TAIL, **how)
        assert caught.value.code == "argument"


def test_warnings_are_told_where_the_file_was_asked_for(tmp_path):
    path = tmp_path / "a.maml"
    path.write_text(HEAD + "keywords: [a, 'b;c']\n" + TAIL)
    with pytest.warns(MamlWarning, match=r"a\.maml:2:11 keywords") as caught:
        maml = load(path)
    assert caught[0].filename == __file__
    assert [notice.code for notice in maml.notices] == ["separator"]


def test_public_names_are_there():
    assert {name for name in maml_parquet.__all__ if getattr(maml_parquet, name, None) is None} == set()
    assert set(maml_parquet.__all__) <= set(dir(maml_parquet))
