"""A document as YAML 1.2 reads it, and what the schemas of the profiles say about it."""

import json
import math
import subprocess
import sys

import jsonschema
import pytest

from maml_parquet import MamlError, json_schema, parse, problems, valid_for
from maml_parquet.sections.typed import find, scalar, typed
from maml_parquet.text.nodes import compose
from maml_parquet.text.records import Scalar

HEAD = "table: t\nversion: 1.10\ndate: 2024-05-06\nauthor: A\n"
FULL = HEAD + "fields:\n- name: x\n  data_type: int32\n"
PROFILES = ("parquet", "spec-1.0", "spec-1.1", "spec-1.2")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("+5", 5),
        ("-05", -5),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("-0x1F", "-0x1F"),
        ("1.10", 1.1),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("true", True),
        ("FALSE", False),
        ("tRUE", "tRUE"),
        ("yes", "yes"),
        ("NO", "NO"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2024-01-31", "2024-01-31"),
        ("=", "="),
        ("nan", "nan"),
        ("null", None),
        ("~", None),
        ("", None),
        ("nULL", "nULL"),
    ],
)
def test_scalars_are_read_by_the_core_rules_of_yaml(text, value):
    found = scalar(Scalar(text, 1, 1, "plain"))
    assert (found, type(found)) == (value, type(value))
    assert scalar(Scalar(f" {text} ", 1, 1, "single")) == text


def test_what_is_no_number_and_a_number_beyond_all_floats():
    assert math.isnan(scalar(Scalar(".nan", 1, 1, "plain")))
    assert scalar(Scalar("9" * 5000, 1, 1, "plain")) == math.inf
    assert scalar(Scalar("9" * 400, 1, 1, "plain")) == 10**400 - 1


def test_keys_that_are_known_are_spelled_as_the_specification_spells_them():
    text = (
        "TABLE: t\nDois:\n- dOI: a\n  Type: b\nFields:\n- Name: x\n  QC: {Min: 1, MEAN: 2}\n  Wave: 3\n"
        "Extra: {Col_Map: [Id: X], Own: {Min: 1}}\nMaml_Version: 1.2\nNotes: n\n"
    )
    assert typed(compose(text)[0]) == {
        "table": "t",
        "DOIs": [{"DOI": "a", "type": "b"}],
        "fields": [{"name": "x", "qc": {"min": 1, "MEAN": 2}, "Wave": 3}],
        "extra": {"col_map": [{"Id": "X"}], "Own": {"Min": 1}},
        "MAML_version": 1.2,
        "Notes": "n",
    }


def test_a_path_leads_to_its_key_and_its_node():
    root, _ = compose("table: t\nDOIs:\n- type: b\n  DOI: a\n")
    key, node, at = find(root, ("DOIs", 0, "DOI"))
    assert (key.text, key.line, node.text, node.line, node.column, at) == ("DOI", 4, "a", 4, 8, ("dois", 0, "doi"))
    key, node, at = find(root, ("DOIs", 0, "none"))
    assert (key.text, node.line, at) == ("DOIs", 3, ("dois", 0))
    assert find(root, ())[1] is root


@pytest.mark.parametrize("profile", PROFILES)
def test_schemas_are_schemas_and_every_key_says_what_it_is(profile):
    schema = json_schema(profile)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema is not json_schema(profile)
    fields = schema["$defs"]["field"] if profile == "parquet" else schema["properties"]["fields"]["items"]
    assert all(value["description"] for value in {**schema["properties"], **fields["properties"]}.values())


def test_there_is_no_schema_of_another_profile():
    with pytest.raises(MamlError, match=r"'spec-1\.3'; use one of parquet, spec-1\.0"):
        json_schema("spec-1.3")


def told(text, profile="spec-1.2", **how):
    return [(found.code, found.at, found.line, found.column) for found in problems(text, profile=profile, **how)]


@pytest.mark.parametrize(
    ("lines", "code", "at", "column"),
    [
        ("description: 5", "shape", ("description",), 14),
        ("description: .nan", "shape", ("description",), 14),
        ("survey: True", "shape", ("survey",), 9),
        ("keywords: [a, 2024]", "shape", ("keywords", 1), 15),
        ("comments: [a: b]", "shape", ("comments", 0), 12),
        ("comments: 5", "shape", ("comments",), 11),
        ("keywords: true", "shape", ("keywords",), 11),
        ("coauthors: {a: b}", "shape", ("coauthors",), 12),
        ("coauthors: [~]", "shape", ("coauthors", 0), 13),
        ("DOIs: [{DOI: a}]", "key-missing", ("dois", 0, "type"), 8),
        ("DOIs: [{DOI: '', type: b}]", "key-missing", ("dois", 0, "doi"), 14),
        ("depends: [{table: '', version: 2}]", "key-missing", ("depends", 0, "table"), 19),
        ("keyarray: [{key: 5, value: 1, comment: c}]", "shape", ("keyarray", 0, "key"), 18),
        ("keyarray: [{key: k, value: true, comment: c}]", "shape", ("keyarray", 0, "value"), 28),
        ("keyarray: [{key: k, value: [1, true], comment: c}]", "shape", ("keyarray", 0, "value", 1), 32),
        ("MAML_version: 1.20001", "shape", ("maml_version",), 15),
        ("extra:", "shape", ("extra",), 7),
    ],
)
def test_what_a_schema_says_is_at_the_value(lines, code, at, column):
    assert told(f"{FULL}{lines}\n") == [(code, at, 8, column)]


@pytest.mark.parametrize(
    "lines",
    [
        "description: '5'",
        "survey: tRUE",
        "keywords: [a, '2024']",
        "keywords: a",
        "coauthors: B",
        "comments: '5'",
        "coauthors:",
        "comments: ~",
        "keywords: []",
        "DOIs: [{DOI: a, type: b, note: 5}]",
        "depends: [{table: t, note: [c]}]",
        "keyarray: [{key: k, value: 1, comment: c, unit: m}]",
        "comments: ['a: b']",
        "version: 2",
        "DOIs: [{DOI: a, type: b}]",
        "depends: [{table: t, version: 2}]",
        "keyarray: [{key: k, value: [1, a], comment: c}]",
        "keyarray: [{key: k, value: 0x1F, comment: c}]",
        "MAML_version: 1.20",
        "extra: {}",
        "license:",
    ],
)
def test_and_nothing_where_it_fits(lines):
    head = FULL.replace("version: 1.10\n", "") if lines.startswith("version") else FULL
    assert told(f"{head}{lines}\n") == []


@pytest.mark.parametrize(
    ("lines", "code", "at", "column"),
    [
        ("unit: 5", "shape", "unit", 9),
        ("info: true", "shape", "info", 9),
        ("ucd: [a, 5]", "shape", "ucd", 12),
        ("col_size: 0", "size-invalid", "col_size", 13),
        ("qc: {min: true, max: 1, miss: x}", "shape", "qc", 13),
        ("qc: x", "shape", "qc", 7),
    ],
)
def test_what_a_schema_says_of_a_field(lines, code, at, column):
    [(found, path, line, place)] = told(f"{FULL}  {lines}\n")
    assert (found, path[:3], line, place) == (code, ("fields", 0, at), 8, column)


@pytest.mark.parametrize("lines", ["unit:", "unit: '5'", "ucd: [a, '5']", "col_size: 3", "qc:", "wave: [1]"])
def test_and_nothing_where_the_field_fits(lines):
    assert told(f"{FULL}  {lines}\n") == []


def test_names_and_types_of_fields_are_texts():
    text = HEAD + "fields:\n- name: 5\n  data_type: 6\n- name: '6'\n  data_type: yes\n"
    assert told(text) == [
        ("shape", ("fields", 0, "name"), 6, 9),
        ("shape", ("fields", 0, "data_type"), 7, 14),
    ]
    assert [found.code for found in problems(text)] == ["type-invalid", "type-invalid"]


EVERYTHING = """survey: The Deep Survey
dataset: Spectra
table: T
version: 1.0
date: '2025-09-01'
author: A <a@example.org>
coauthors:
- B <b@example.org>
- '... <...>'
DOIs:
- DOI: 10.1/x
  type: paper
depends:
- survey: S
  dataset: D
  table: T
  version: 2
description: Everything that a version knows.
comments:
- c
license: MIT
keywords:
- k
OTHERS
MAML_version: VERSION
fields:
- name: ID
  unit:
  info:
  ucd:
  - meta.id
  - meta.main
  data_type: int32
  array_size:
  qc:
    min: 1
    max: '< 5'
    miss: 'Null'
- name: Date
  unit: d
  info: When it was seen.
  ucd: time.epoch
  data_type: string
  array_size: 10
  qc:
    min: '2025-06-13'
    max: '2025-09-03'
    miss: 'Null'
"""
OTHERS = "keyarray:\n- key: k\n  value: [1.8, 2, a]\n  comment: c\nextra:\n  any:\n    thing: [1.3]"


@pytest.mark.parametrize(("version", "others"), [("1.0", ""), ("1.1", OTHERS), ("1.2", OTHERS)])
def test_everything_that_a_version_knows_is_valid_for_it_alone(version, others):
    text = EVERYTHING.replace("OTHERS", others).replace("VERSION", version)
    if version == "1.2":
        text += "- {name: flux, data_type: float32, col_size: 3}\n- {name: z, data_type: float32, col_size: }\n"
    assert told(text, f"spec-{version}") == []
    assert valid_for(parse(text)) == [version]
    without = valid_for(parse(text.replace("MAML_version", "# MAML_version")))
    assert without == (["1.0", "1.1", "1.2"] if version == "1.0" else ["1.1", "1.2"])


def test_one_place_has_one_problem():
    text = "Table: [a]\nfields:\n- name:\n  data_type: int32\n  qc: {min: '> 1', max: 2, miss: 3}\nnotes: n\ndate: ~\n"
    assert told(text) == [
        ("section-unknown", ("table",), 1, 1),
        ("key-missing", ("version",), 1, 1),
        ("key-missing", ("author",), 1, 1),
        ("shape", ("table",), 1, 8),
        ("field-name-missing", ("fields", 0, "name"), 3, 8),
        ("section-unknown", ("notes",), 6, 1),
        ("key-missing", ("date",), 7, 7),
    ]


def test_messages_say_what_to_do():
    text = "version: true\ndate:\nauthor: [A]\ntable: {a: b}\nDOIs: B\nextra: {}\nMAML_version: 1.1\nfields: []\n"
    words = [str(found) for found in problems(text, profile="spec-1.0")]
    assert words == [
        "1:10 version: version is true, which YAML takes for a number or a truth value; put it in quotes",
        "2:6 date: date is empty, which the specification does not allow; write a value, or remove it",
        "3:9 author: author is one text for the specification, not a list; write it without '- ' and brackets",
        "4:8 table: a map stands here; write one text (in quotes where it holds ': ')",
        "5:7 dois: this is no list; write a list of maps (doi, type), each begun with '- '",
        "6:1 extra: extra is of version 1.1, not of 1.0; remove it, or use the newer version",
        "7:15 maml_version: MAML_version is 1.1, the specification is 1.0; write MAML_version: 1.0 without quotes",
        "8:9 fields: there are no fields; write one for each column, - name: … first",
    ]


def test_what_describes_a_file_needs_neither_table_nor_fields_nor_types():
    text = HEAD.replace("table: t\n", "") + "fields: [{name: x}]\n"
    assert told(text, role="read") == []
    assert [code for code, *_ in told(text)] == ["table-missing", "type-missing"]
    assert told("fields: []\n", role="read")[0] == ("key-missing", ("version",), 1, 1)


def test_reading_with_the_profile_of_parquet_loads_no_schemas():
    code = (
        "import sys, maml_parquet; maml_parquet.parse('table: t\\nfields: [{name: x, data_type: int32}]'); "
        "print([name for name in sys.modules if name.startswith(('jsonschema', 'pyarrow', 'numpy'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_record_keeps_the_profile_and_its_notices():
    with pytest.warns(match="col_size is of version 1.2, and ignored by 1.1"):
        maml = parse(FULL + "  col_size: 3\n", profile="spec-1.1")
    assert (maml.profile, [notice.at for notice in maml.notices]) == ("spec-1.1", [("fields", 0, "col_size")])
    assert json.loads(json.dumps(typed(maml.root)))["fields"] == [{"name": "x", "data_type": "int32", "col_size": 3}]
