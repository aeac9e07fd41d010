"""The schema of parquet and the rules agree: what the schema refuses, the rules refuse, and the other way round."""

import itertools
import json

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maml_parquet import json_schema
from maml_parquet.sections.rules import read_document
from maml_parquet.sections.typed import typed
from maml_parquet.text.nodes import compose

VALIDATOR = jsonschema.Draft202012Validator(json_schema("parquet"))

UNSAID = {
    "key-duplicate",  # the view has one of the two
    "field-name-duplicate",  # schemas compare no items with each other
    "protected-unknown",  # nor lists with items elsewhere
    "protected-nullable",
    "qc-block-scalar",  # the view does not tell how a text was begun
}
"""Problems that a schema cannot say."""

HEAD = "table: t\nfields:\n- name: x\n  data_type: {kind}\n"
KINDS = ("int32", "int64", "float32", "float64", "boolean", "string", "date", "time[ms]", "timestamp[ns, UTC]")


def refused(text):
    """Return whether the schema refuses a text, and the codes of the rules that do."""
    root, found = compose(text)
    _, problems = read_document(root, role="write", profile="parquet", found=found)
    return not VALIDATOR.is_valid(typed(root)), [problem.code for problem in problems]


def check(text):
    by_schema, codes = refused(text)
    if by_schema:
        assert codes, text
    elif codes:
        assert set(codes) <= UNSAID, text


@pytest.mark.parametrize(
    "text",
    [
        "table: t\n",
        "fields: [{name: x, data_type: int32}]\n",
        "table: t\nfields: []\n",
        "table: t\nfields:\n",
        "table: t\nfields: x\n",
        "table: t\nfields: [x]\n",
        "table: t\nfields: [{name: x}]\n",
        "table: t\nfields: [{data_type: int32}]\n",
        "table: [t]\nfields: [{name: x, data_type: int32}]\n",
        "table: ''\nfields: [{name: x, data_type: int32}]\n",
        "table: ~\nfields: [{name: x, data_type: int32}]\n",
        "table: {a: b}\nfields: [{name: x, data_type: int32}]\n",
        "table: t\nfields: [{name: x, data_type: int32, wave: 3}]\n",
        "table: t\nnotes: n\nfields: [{name: x, data_type: int32}]\n",
    ],
)
def test_both_refuse_a_document(text):
    by_schema, codes = refused(text)
    assert by_schema
    assert len(codes) == 1


SECTIONS = [
    ("author: A", False),
    ("author: 5", False),
    ("author:", False),
    ("author: [A, 5, a: b, ~]", False),
    ("author: {a: b}", True),
    ("author: [[A]]", True),
    ("comments: [{a: b, c: d}]", True),
    ("comments: [{a: [b]}]", True),
    ("comments: [{}]", True),
    ("keywords: k", False),
    ("MAML_version: [1.2]", False),
    ("DOIs: [{DOI: a}, {type: b}, ~]", False),
    ("dois: [{doi: a}]", False),
    ("DOIs: x", True),
    ("DOIs: [x]", True),
    ("DOIs: [{DOI: [a]}]", True),
    ("DOIs: [{name: a}]", True),
    ("depends: {table: t}", True),
    ("depends: [{version: 2}]", False),
    ("keyarray: [{key: k}]", False),
    ("keyarray: [{key: 5, value: [1, a, true], comment: ~}]", False),
    ("keyarray: [{value: 5}]", True),
    ("keyarray: [~]", True),
    ("keyarray: [{key: ''}]", True),
    ("keyarray: [{key: k, value: {a: b}}]", True),
    ("keyarray: [{key: k, value: [[1]]}]", True),
    ("keyarray: [{key: maml}]", True),
    ("keyarray: [{key: Maml}]", False),
    ("keyarray: [{key: column.x.unit}]", True),
    ("keyarray: [{key: columns}]", False),
    ("keyarray: [{key: IVOA.VOTable-Parquet.content}]", True),
    ('keyarray: [{key: "a\\nb"}]', True),
    ("keyarray: [{key: DATE}]", False),
    ("extra: [a]", True),
    ("extra: x", True),
    ("extra: ''", False),
    ("extra: {own: [[1]], remap: 5}", False),
    ("extra: {col_map: [id: x]}", False),
    ("extra: {col_map: [id]}", True),
    ("extra: {col_map: [{a: x, b: y}]}", True),
    ("extra: {col_map: {a: x}}", True),
    ("extra: {col_map: [a: ~]}", True),
    ("extra: {col_map: ~}", False),
    ("extra: {protected_cols: x; x}", False),
    ("extra: {protected_cols: [x]}", False),
    ("extra: {protected_cols: [[x]]}", True),
    ("extra: {protected_cols: [~]}", True),
    ("extra: {protected_cols: {x: y}}", True),
    ("extra: {nullable_cols: [x]}", False),
]


@pytest.mark.parametrize(("line", "wrong"), SECTIONS)
def test_both_judge_a_section_in_the_same_way(line, wrong):
    by_schema, codes = refused(HEAD.format(kind="int32") + line + "\n")
    assert (by_schema, bool(codes)) == (wrong, wrong)


FIELDS = [
    ("unit: [m]", True),
    ("unit: 5", False),
    ("info: {a: b}", True),
    ("ucd: [a, 5, ~]", False),
    ("ucd: [[a]]", True),
    ("col_size: 3", False),
    ("col_size: '+3'", False),
    ("col_size: AUTO", False),
    ("col_size: ' 007 '", False),
    ("col_size: ''", False),
    ("col_size: 0", True),
    ("col_size: -1", True),
    ("col_size: 1.5", True),
    ("col_size: 1_0", True),
    ("col_size: '2.0'", True),
    ("col_size: 2147483647", False),
    ("col_size: 2147483648", True),
    ("col_size: true", True),
    ("col_size: [3]", True),
    ("array_size: 0", True),
    ("array_size: x", True),
    ("array_size: 5", False),
    ("array_size: auto", True),
    ("source: computed", False),
    ("source: disk", True),
    ("qc:", False),
    ("qc: x", True),
    ("qc: [min]", True),
    ("qc: {mean: 1}", True),
    ("qc: {miss: nULL}", False),
    ("qc: {miss: 'NA'}", False),
    ("qc: {miss: ''}", False),
    ("qc: {miss: -999}", True),
    ("qc: {miss: none}", True),
    ("qc: {miss: [Null]}", True),
    ("qc: {min: 0, max: '< 5'}", False),
    ("qc: {min: '>= -5', max: 1e3}", False),
    ("qc: {min: 5.0}", False),
    ("qc: {min: '< 5'}", True),
    ("qc: {max: '>= 5'}", True),
    ("qc: {min: '>'}", True),
    ("qc: {min: 1.5}", True),
    ("qc: {min: x}", True),
    ("qc: {min: true}", True),
    ("qc: {min: [1]}", True),
    ("qc: {min: 2147483648}", True),
    ("qc: {min: -2147483648}", False),
    ("qc: {min: -2147483649}", True),
    ("qc: {min: '', max: ~}", False),
]


@pytest.mark.parametrize(("line", "wrong"), FIELDS)
def test_both_judge_a_whole_number_column_in_the_same_way(line, wrong):
    by_schema, codes = refused(HEAD.format(kind="int32") + f"  {line}\n")
    assert (by_schema, bool(codes)) == (wrong, wrong)


@pytest.mark.parametrize(
    ("kind", "line", "wrong"),
    [
        ("int64", "qc: {max: 9223372036854775807}", False),
        ("int64", "qc: {max: 9223372036854775808}", True),
        ("float32", "qc: {max: 1.5, min: '> -2e-3'}", False),
        ("float32", "qc: {max: 1e39}", True),
        ("float64", "qc: {max: 1e39}", False),
        ("float64", "qc: {max: .inf}", True),
        ("float64", "qc: {max: nan}", True),
        ("float64", "qc: {min: ' .5 '}", False),
        ("string", "qc: {min: a, max: '< b'}", False),
        ("string", "qc: {min: 5, max: true}", False),
        ("string", "qc: {min: '< b'}", True),
        ("string", "qc: {max: '> b'}", True),
        ("string", "qc: {min: '>='}", True),
        ("string", "qc: {min: '> ='}", False),
        ("string", "array_size: auto", False),
        ("String", "array_size: Auto", False),
        ("boolean", "qc: {min: '< 5', max: x}", False),
        ("boolean", "array_size: auto", True),
        ("date", "qc: {min: 0}", True),
        ("date", "qc: {min: '', max: ~, miss: Null}", False),
        ("time[ms]", "qc: {max: 0}", True),
        ("timestamp[utc]", "qc: {max: x}", True),
        ("timestamp[utc]", "array_size: auto", True),
    ],
)
def test_both_judge_the_columns_of_other_types_in_the_same_way(kind, line, wrong):
    by_schema, codes = refused(HEAD.format(kind=kind) + f"  {line}\n")
    assert (by_schema, bool(codes)) == (wrong, wrong)


TYPES = [
    f"{base}{bracket}"
    for base, bracket in itertools.product(
        ("int32", "FLOAT64", "String", "date", "time", "Timestamp", "double", "list", "int8", "timestamps"),
        (
            "",
            "[]",
            "[ms]",
            "[ NANO ]",
            "[utc]",
            "[us,utc]",
            "[UTC , micros]",
            "[ms,ns]",
            "[utc,utc]",
            "[s]",
            "[ms",
            "[,]",
        ),
    )
] + ["5", "true", "''", "'  int32 '", "[int32]", "~", "time [us]", "time ", "stringy", "xint32"]


@pytest.mark.parametrize("kind", TYPES)
def test_both_know_the_same_types(kind):
    quoted = kind if kind[0] in "'[~" or kind in ("5", "true") else f"'{kind}'"
    by_schema, codes = refused(HEAD.format(kind=quoted))
    assert by_schema == bool(codes)


@pytest.mark.parametrize(
    "name", ["x", "5", "true", "α β", "n" * 300, "'~'", "''", "~", '"a\\tb"', '"\\x85"', "[x]", "{a: b}"]
)
def test_both_know_the_same_names(name):
    by_schema, codes = refused(f"table: t\nfields:\n- name: {name}\n  data_type: int32\n")
    assert by_schema == bool(codes)


WORDS = st.sampled_from(
    [
        "x",
        "Null",
        "",
        "  ",
        "~",
        "5",
        "auto",
        "> 1",
        "'> 1'",
        "'<= 1'",
        "a;b",
        "int32",
        "timestamp[ns]",
        "1.10",
        "true",
        "maml",
        "NA",
    ]
).map(lambda word: json.dumps(word) if word in ("", "  ", "> 1", "timestamp[ns]") else word)
KEYS = st.sampled_from(
    [
        "table",
        "Fields",
        "name",
        "data_type",
        "qc",
        "min",
        "max",
        "miss",
        "keyarray",
        "key",
        "value",
        "comment",
        "DOIs",
        "doi",
        "extra",
        "col_map",
        "protected_cols",
        "nullable_cols",
        "ucd",
        "unit",
        "author",
        "zz",
        "depends",
        "version",
        "keywords",
        "col_size",
        "array_size",
        "source",
    ]
)


def flow(value):
    """Return the YAML of a document whose texts are YAML already."""
    if isinstance(value, list):
        return f"[{', '.join(flow(item) or '~' for item in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    return value


NESTED = st.recursive(
    WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
FIELD = st.fixed_dictionaries(
    {"name": WORDS | st.sampled_from(["a", "b"]), "data_type": st.sampled_from(KINDS).map(json.dumps) | WORDS},
    optional={
        "unit": WORDS,
        "ucd": WORDS | st.lists(WORDS, max_size=2),
        "col_size": WORDS,
        "array_size": WORDS,
        "qc": st.fixed_dictionaries({}, optional={"min": WORDS, "max": WORDS, "miss": WORDS}) | NESTED,
        "source": WORDS,
    },
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(KEYS, NESTED, max_size=6))
def test_both_judge_documents_of_any_shape_in_the_same_way(document):
    check("\n".join(f"{key}: {flow(value)}" for key, value in document.items()) + "\n" if document else "{}")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(FIELD, min_size=1, max_size=3), st.dictionaries(KEYS, NESTED, max_size=2))
def test_both_judge_documents_with_fields_in_the_same_way(fields, more):
    rows = [f"{key}: {flow(value)}" for key, value in more.items() if key.lower() not in ("table", "fields")]
    check("\n".join(["table: t", *rows, f"fields: {flow(fields)}"]) + "\n")
