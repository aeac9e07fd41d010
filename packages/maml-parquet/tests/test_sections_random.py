"""Whatever comes in: a record or a MamlError, soon."""

import random
import time
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maml_parquet import Maml, MamlError, entries, parse, problems, valid_for
from maml_parquet.errors import CODES

SEED = (
    "MAML_version: 1.2\ntable: t\nversion: 1.10\ndate: 2024-01-01\nauthor: &a A\ncoauthors: [B, *a]\n"
    "DOIs:\n- DOI: 10.1/a\n  type: data\ndepends:\n- survey: s\n  table: u\nkeyarray:\n- key: k\n  value: [1, 2]\n"
    "  comment: |\n    c\nextra:\n  col_map:\n  - a: x\n  protected_cols: [x]\n  remap:\n  - a: x\n"
    "  filter: ['x > 1']\n"
    "fields:\n- name: x\n  unit: 'unitless'\n  data_type: timestamp[ns,utc]\n  qc:\n    miss: Null\n"
    "- name: y\n  data_type: string\n  array_size: auto\n  qc: {min: '> a', max: b}\n"
)

PIECES = [
    "\n", "  ", "- ", ": ", "[", "]", "{", "}", "'", '"', "|", ">", "&a ", "*a", "!!str ", "!x ", "? ", "#", "---\n",
    "...\n", "%YAML 1.2\n", "\t", "\r", "\x00", "\ufeff", "\u2028", "α", "~", "null", "\\x00", "<<", "1e999",
    "name", "fields", "table", "qc", "min", "9" * 400, "- " * 40, "[" * 40, "{a: " * 40, "\\U00110000", "\ud800", "@",
    "`", ",", "_icol", "\n  col_size: 3\n", "\n  col_size: 9999999\n", "MAML_version: 1.1\n", ".nan", "0x1F",
]  # fmt: skip

HOWS = [
    {"dialect": dialect, "role": role, "profile": profile}
    for dialect in ("yaml", "line")
    for role, profile in (
        ("write", "parquet"),
        ("read", "parquet"),
        ("table-type", "parquet"),
        ("write", "spec-1.2"),
        ("write", "spec-1.0"),
        ("read", "spec-1.1"),
    )
]


def outcome(text, how):
    """Return the record or the problems, and check that each problem says what and where."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begin = time.monotonic()
        try:
            found = parse(text, **how)
        except MamlError as error:
            found = error.problems
            assert problems(text, **how) == found
        assert time.monotonic() - begin < 2
    if isinstance(found, Maml):
        assert problems(text, **how) == ()
        assert all(entry.key and isinstance(entry.value, str) for entry in entries(found))
        assert set(valid_for(found)) <= {"1.0", "1.1", "1.2"}
        return found
    assert found
    rows = (text if isinstance(text, str) else text.decode("utf-8", "replace")).count("\n") + 1
    for problem in found:
        assert problem.code in CODES - {"argument"}
        assert 1 <= problem.line <= rows + 1
        assert problem.column >= 1
        assert problem.message
        assert str(problem)
    return found


def test_the_seed_is_read():
    assert isinstance(outcome(SEED, HOWS[0]), Maml)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=200) | st.text(max_size=200), st.sampled_from(HOWS))
def test_any_bytes_and_any_text(text, how):
    outcome(text, how)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.sampled_from(HOWS))
def test_any_pieces_of_yaml(text, how):
    outcome(text, how)


@pytest.mark.parametrize("how", HOWS, ids=lambda how: "-".join(how.values()))
def test_any_change_of_a_good_file(how):
    draw = random.Random(7)
    for _ in range(300):
        text = SEED
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(text))
            text = text[:place] + draw.choice(PIECES) + text[place + draw.choice((0, 0, 1, 2, 9)) :]
        assert isinstance(outcome(text, how), (Maml, tuple))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.recursive(
        st.sampled_from(["x", "Null", "", "5", "auto", "> 1", "a;b", "int32", "1.10"]),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "table",
                        "Fields",
                        "name",
                        "data_type",
                        "qc",
                        "min",
                        "miss",
                        "keyarray",
                        "key",
                        "value",
                        "DOIs",
                        "doi",
                        "extra",
                        "filter",
                        "remap",
                        "col_map",
                        "protected_cols",
                        "ucd",
                        "author",
                        "zz",
                        "depends",
                        "keywords",
                    ]
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=25,
    ),
    st.sampled_from(HOWS[:6]),
)
def test_any_shape_of_a_document(document, how):
    import json

    outcome(json.dumps(document, indent=1), how)


@pytest.mark.parametrize("dialect", ["yaml", "line"])
def test_a_thousand_fields_are_read_soon(dialect):
    text = "table: t\nfields:\n" + "".join(
        f"- name: c{number}\n  unit: mJy\n  info: something\n  data_type: float64\n  qc:\n    min: {number}\n"
        for number in range(1000)
    )
    begin = time.monotonic()
    maml = parse(text, dialect=dialect)
    assert time.monotonic() - begin < 3
    assert [field.qc.min.value for field in maml.fields] == list(range(1000))
    assert maml.fields[999].line == 3 + 999 * 6
