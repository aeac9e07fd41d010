"""The MAML of a file that was written says the same when it is read again."""

import json
import re
import time
import warnings
from dataclasses import replace

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maml_parquet import MamlError, MamlWarning, Schema, entries, parse, problems
from maml_parquet.header.sidecar import sidecar
from maml_parquet.header.yaml_text import Bare, yaml_text
from maml_parquet.schema.records import TableEntry, WrittenColumn
from maml_parquet.sections.types import TypeToken


def quietly(text, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MamlWarning)
        return parse(text, **how)


def written(schema, **sizes):
    """Return what is written of a schema: sizes that are open are those given, else 3."""
    return [
        WrittenColumn(
            column.output_name,
            column.kind,
            sizes.get(column.name, 3) if column.col_size == "auto" else column.col_size,
            sizes.get(column.name, 3) if column.array_size == "auto" else column.array_size,
            column.unit,
            column.info,
            column.ucd,
        )
        for column in schema.columns.values()
        if column.is_enabled
    ]


def again(schema, **sizes):
    """Return the sidecar of a schema, and what it says."""
    qc = {column.output_name: column.qc for column in schema.columns.values() if column.qc is not None}
    text = sidecar(schema.maml, written(schema, **sizes), schema.metadata, qc)
    return text, quietly(text)


def of(text, **how):
    return Schema.from_maml(quietly(text, **how))


SEED = """\
MAML_version: 1.2
TABLE: t
version: 1.10
date: 2024-01-01
author: [A, 'yes']
coauthors: B
comments: [c, zeropoint: 1.00]
keywords: [k, l]
DOIs:
- {type: data, doi: 10.1/a}
- DOI: '10.1/b'
depends:
- {version: 1.0, survey: 'a;b'}
KeyArray:
- {key: q, value: [1.0, 'a', "b"], comment: list}
- {key: r}
extra:
  mine: {deep: [1, 'x y', {z: ~}], Null: null, empty: [], none: {}}
  col_map:
  - a: out
  - b: other
  protected_cols: out;s
  nullable_cols: [other]
fields:
- {name: out, data_type: 'TIMESTAMP[ns, UTC]', info: 'An: info', qc: {miss: Null}}
- {name: other, data_type: float64, unit: mJy, ucd: [a, b], col_size: auto, qc: {min: '> 0', max: 1e3, miss: ''}}
- {name: s, data_type: string, array_size: 18, source: computed}
- {name: late, data_type: string, array_size: auto, qc: {}}
"""

EXPECTED = """\
MAML_version: 1.2
table: t
version: '1.10'
date: '2024-01-01'
author:
- A
- 'yes'
coauthors: B
comments:
- c
- 'zeropoint: 1.00'
keywords:
- k
- l
DOIs:
- DOI: '10.1/a'
  type: data
- DOI: '10.1/b'
depends:
- survey: a;b
  version: '1.0'
keyarray:
- key: q
  value: '[1.0, ''a'', "b"]'
  comment: list
- key: r
- key: count
  value: 5
  comment: a count
- key: text
  value: '5'
extra:
  mine:
    deep:
    - 1
    - x y
    - z: ~
    'Null': null
    empty: []
    none: {}
  col_map:
  - a: out
  - b: other
  protected_cols:
  - out
  - s
  nullable_cols:
  - other
fields:
- name: out
  info: 'An: info'
  data_type: timestamp[ns,utc]
  qc:
    miss: Null
- name: other
  unit: mJy
  ucd: a;b
  data_type: float64
  col_size: 4
  qc:
    min: '> 0'
    max: 1e3
    miss: ''
- name: s
  data_type: string
  array_size: 18
  source: computed
- name: late
  data_type: string
  array_size: 7
  qc: {}
"""


def test_the_text_of_a_whole_document():
    schema = of(SEED)
    schema.add_metadata("count", np.int32(5), "a count")
    schema.add_metadata("text", "5")
    text, found = again(schema, b=4, late=7)
    assert text == EXPECTED
    # A second time nothing changes.
    assert again(Schema.from_maml(found))[0] == text


def test_only_what_was_written_is_told():
    schema = of(SEED)
    schema.disable("a", "s")
    _, found = again(schema)
    assert [field.name for field in found.fields] == ["other", "late"]
    assert [(item.internal, item.external) for item in found.extra.col_map] == [("b", "other")]
    assert found.extra.protected_cols == ()
    assert [name.text for name in found.extra.nullable_cols] == ["other"]


def test_lists_of_names_that_were_not_written_are_left_out():
    schema = of(
        "table: t\nfields: [{name: a, data_type: date}, {name: b, data_type: date}]\nextra: {protected_cols: a}"
    )
    schema.disable("a")
    assert again(schema)[0] == "table: t\nfields:\n- name: b\n  data_type: date\n"


@pytest.mark.parametrize(
    ("before", "order"),
    [
        ("table: t\nauthor: A\nfields: FIELDS\nextra: {x: y}\n", ["table", "author", "keyarray", "fields", "extra"]),
        ("fields: FIELDS\ntable: t\nextra: {x: y}\n", ["fields", "table", "keyarray", "extra"]),
        ("keyarray: [{key: k}]\nfields: FIELDS\ntable: t\n", ["keyarray", "fields", "table"]),
    ],
)
def test_what_was_added_is_in_keyarray_and_other_entries_keep_their_order(before, order):
    schema = of(before.replace("FIELDS", "[{name: x, data_type: date}]"))
    schema.add_metadata("added", [1, 2])
    _, found = again(schema)
    assert [section.name for section in found.sections] == order
    assert ("added", "[1, 2]") in [(entry.key, entry.value) for entry in entries(found)]


def test_without_a_maml_there_is_a_table_and_what_was_added():
    column = WrittenColumn("x", TypeToken("int32"))
    text = sidecar(None, [column], [TableEntry("author", "A"), TableEntry("table", "t"), TableEntry("table", "u")])
    assert text == (
        "table: t\nkeyarray:\n- key: author\n  value: A\n- key: table\n  value: u\n"
        "fields:\n- name: x\n  data_type: int32\n"
    )
    assert sidecar(None, [column], []) == "table: table\nfields:\n- name: x\n  data_type: int32\n"


TEXTS = [
    "1.10",
    "2024-01-01",
    "yes",
    "No",
    "null",
    "~",
    "",
    "010",
    "1:30",
    "1_000",
    ".nan",
    "=",
    "<<",
    "- a",
    "a: b",
    "a #b",
    "#a",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "'",
    '"',
    "'\"",
    "\\",
    "a\nb",
    "a\n\n b\n",
    "\ttab\t",
    "a\rb",
    "é",
    "😀",
    "\x85",
    "\u2028",
    "\ufeff",
    "\xa0",
    "[a]",
    "{a}",
    "a, b",
    "%",
    "@a",
    "`a",
    "?",
    "? a",
    "a:",
    ":a",
    "---",
    "...",
    " a ",
    "a  b",
    "x" * 1024,
    " x" * 3000,
    "é " * 900,
    "'" * 700,
    '\\"' * 700,
    "\n" * 700,
    "true",
    "1e5",
    "0x1F",
    "+1",
    "-",
    "N",
    "on",
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:20])
def test_a_text_is_read_back_as_it_is(text):
    made = yaml_text({"table": text, "extra": {text: {text: [text, [text, [text]], {text: [{text: text}]}]}}})
    assert max(map(len, made.split("\n"))) <= 1024
    expected = {"table": text, "extra": {text: {text: [text, [text, [text]], {text: [{text: text}]}]}}}
    # Neither readers that leave every scalar a text nor those that give types take it for anything else.
    assert yaml.load(made, Loader=yaml.BaseLoader) == expected
    assert yaml.safe_load(made) == expected
    if hasattr(yaml, "CBaseLoader"):
        assert yaml.load(made, Loader=yaml.CBaseLoader) == expected
    codes = {problem.code for problem in problems(made)}
    assert codes <= {"fields-missing", "table-missing"}


@pytest.mark.parametrize("number", ["0", "-5", "8.1", "1e3", "1.5e-7", "-0.0"])
def test_numbers_stay_numbers_for_readers_that_give_types(number):
    schema = of(f"table: t\nkeyarray: [{{key: k, value: {number}}}]\nfields: [{{name: x, data_type: date}}]")
    assert f"value: {number}\n" in again(schema)[0]


@pytest.mark.parametrize("text", ["+5", "05", ".5", "5.", "1_0", "0x5", "inf", "nan"])
def test_what_readers_do_not_agree_on_is_text(text):
    schema = of(f"table: t\nkeyarray: [{{key: k, value: '{text}'}}]\nfields: [{{name: x, data_type: date}}]")
    _, found = again(schema)
    assert entries(found)[1].value == text


def test_a_maml_of_the_dialect_of_lines_becomes_yaml():
    schema = of("table: t\ndescription: something: and # else\nfields:\n- name: x\n  data_type: date\n", dialect="line")
    assert "description: 'something: and # else'\n" in again(schema)[0]


def test_a_text_that_would_be_too_large_is_refused_soon():
    # The alias stands for 64 kB, 100 times: 6.4 MB.
    long = "\n    ".join(["x" * 1000] * 64)
    text = (
        f"table: t\nfields: [{{name: x, data_type: date}}]\nextra:\n  a: &a {long}\n  b: [{', '.join(['*a'] * 100)}]\n"
    )
    begin = time.monotonic()
    with pytest.raises(MamlError, match="4 MiB") as found:
        again(of(text))
    assert found.value.code == "limit"
    assert time.monotonic() - begin < 5
    again(of(text.replace(", *a" * 99, "")))


def test_the_sidecar_of_a_thousand_columns_is_made_soon():
    fields = "".join(f"- {{name: c{n}, data_type: float64, info: something, qc: {{min: {n}}}}}\n" for n in range(1000))
    schema = of(f"table: t\nfields:\n{fields}")
    begin = time.monotonic()
    text, found = again(schema)
    assert time.monotonic() - begin < 3
    assert text.count("\n") == 2 + 1000 * 5
    assert [field.qc.min.value for field in found.fields] == list(range(1000))


def same(first, second):
    """Compare what two MAMLs say, without places and without what only texts tell."""

    def plain(maml):
        extra = maml.extra
        return (
            [replace(field, line=1, has_array_size=False) for field in maml.fields],
            [(entry.key, entry.value, entry.description) for entry in entries(maml)],
            [(item.internal, item.external) for item in extra.col_map],
            [name.text for name in extra.protected_cols],
            [name.text for name in extra.nullable_cols],
        )

    assert plain(first) == plain(second)


LETTERS = "abAB01 .;:,-_#&*!|>'\"%@`[]{}?<=~\\\n\té😀\u2028\x85"
_TEXT = st.text(st.sampled_from(LETTERS), max_size=12) | st.sampled_from([*TEXTS, "z" * 2000, "unitless"])
_WORD = _TEXT.filter(lambda text: text.strip() and not any(letter in text for letter in "\n\t\r\x85\u2028"))


def _map(**members):
    return st.fixed_dictionaries({}, optional=members)


_PAIR = st.dictionaries(_WORD, _TEXT, min_size=1, max_size=1)
_TEXTS = _TEXT | st.lists(_TEXT, max_size=3)
_ITEMS = _TEXTS | st.lists(_TEXT | _PAIR, max_size=3)
_OPAQUE = st.recursive(
    _TEXT | st.sampled_from([1, 1.5, None, True]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)
_BOUNDS = {
    "int32": (st.integers(-9, 9).map(str), st.sampled_from(["> 1e1", "-5", " >= 7", ""])),
    "string": (_WORD.map(lambda text: f">={text}"), st.just("> a b")),
    "boolean": (st.just("x"), st.just("< ")),
}


@st.composite
def _field(draw, name):
    kind = draw(st.sampled_from(["int32", "float64", "boolean", "string", "date", "Time", "timestamp[utc, MS]"]))
    found = {"name": name, "data_type": kind}
    found |= draw(_map(unit=_TEXT, info=_TEXT, ucd=_TEXTS, source=st.sampled_from(["file", "computed"])))
    found |= draw(_map(col_size=st.sampled_from(["1", 3, ""])))
    if kind == "string":
        found |= draw(_map(array_size=st.sampled_from(["1", "+18", ""])))
    if draw(st.booleans()):
        miss = _map(miss=st.sampled_from(["Null", "nA", "", " "]))
        found["qc"] = draw(miss) | (
            draw(_map(min=st.one_of(*_BOUNDS[kind]), max=st.just("<= 5"))) if kind in _BOUNDS else {}
        )
    return found


@st.composite
def documents(draw):
    names = draw(st.lists(_WORD.map(str.strip), min_size=1, max_size=4, unique=True))
    sections = draw(
        _map(
            survey=_ITEMS, version=_TEXTS, author=_ITEMS, description=_TEXT, MAML_version=_TEXT, license=_TEXTS,
            comments=_ITEMS, coauthors=_ITEMS, keywords=_ITEMS,
            DOIs=st.lists(_map(DOI=_TEXT, type=_TEXT), max_size=3),
            depends=st.lists(_map(survey=_TEXT, version=_TEXT, table=_TEXT), max_size=3),
            keyarray=st.lists(
                st.fixed_dictionaries({"key": _WORD}, optional={"value": _TEXTS, "comment": _TEXT}), max_size=3
            ),
            extra=st.fixed_dictionaries({}, optional={"mine": _OPAQUE, "remap": _OPAQUE}),
        )
    )  # fmt: skip
    document = {"table": draw(_WORD), "fields": [draw(_field(name)) for name in names]} | sections
    if "extra" in document:
        document["extra"]["protected_cols"] = names[:1]
        document["extra"]["nullable_cols"] = names[1:2]
        document["extra"]["col_map"] = [{f"internal {n}": name} for n, name in enumerate(names[:2])]
    order = draw(st.permutations(list(document)))
    text = json.dumps({name: document[name] for name in order}, ensure_ascii=False, indent=0)
    return re.sub("[\x85\u2028\ufeff]", lambda found: f"\\u{ord(found[0]):04x}", text)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents())
def test_every_document_says_the_same_again(text):
    how = {"max_line": 10**6}
    if problems(text, **how):
        return
    maml = quietly(text, **how)
    if any(item.internal in {field.name for field in maml.fields} for item in maml.extra.col_map):
        return
    schema = Schema.from_maml(maml)
    _, found = again(schema)
    same(maml, found)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(_WORD, _TEXT, _TEXT), max_size=3))
def test_everything_that_was_added_is_said_again(added):
    schema = of("table: t\nfields: [{name: x, data_type: date}]")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MamlWarning)
        for key, value, description in added:
            schema.add_metadata(key, value, description)
    _, found = again(schema)
    assert [(e.key, e.value, e.description) for e in entries(found)] == [
        (e.key, e.value, e.description) for e in schema.metadata
    ]


def test_bare_words_stand_as_they_are():
    assert yaml_text({"a": Bare("5"), "b": [Bare("null")]}) == "a: 5\nb:\n- null\n"
