"""Statements about a MAML that no single module keeps: keys in any case at every level, and what a bomb may cost."""

import re
import time
import tracemalloc
from pathlib import Path

import pytest

from maml_parquet import MamlError, entries, parse, problems
from maml_parquet.rows.filters import parse_rules
from maml_parquet.rows.sorts import parse_sorts
from maml_parquet.sections.entries import SECTIONS

FIELDS = "fields:\n- {name: mine, data_type: int32}\n"


def test_keys_below_extra_are_in_any_case_and_the_names_there_are_not():
    text = "Table: t\nEXTRA: {Col_Map: [ID: mine], Protected_Cols: mine, NULLABLE_cols: []}\n" + FIELDS
    extra = parse(text).extra
    assert [(rename.internal, rename.external) for rename in extra.col_map] == [("ID", "mine")]
    assert [name.text for name in extra.protected_cols] == ["mine"]
    [problem] = problems(text.replace("Protected_Cols: mine", "Protected_Cols: Mine"))
    assert (problem.code, problem.at) == ("protected-unknown", ("extra", "protected_cols", 0))

    extra = parse("Extra: {ReMap: [Ra: RA], FILTER: ['RA > 1'], Sort: [RA]}\n", role="read").extra
    assert [(rename.internal, rename.external) for rename in extra.remap] == [("Ra", "RA")]
    assert [name.text for name in (*extra.filter, *extra.sort)] == ["RA > 1", "RA"]


def test_keys_of_items_are_in_any_case():
    text = "table: t\ndois: [{Doi: 10.1/a, TYPE: DOI}]\nDEPENDS: [{Survey: S, VERSION: 2}]\n"
    text += "KeyArray: [{KEY: Case, Value: 1, cOMMENT: kept}]\n" + FIELDS
    assert [(entry.key, entry.value, entry.description) for entry in entries(parse(text))] == [
        ("table", "t", ""),
        ("DOI_1", "10.1/a", "DOI"),
        ("depends_1", "S;;;2", ""),
        ("Case", "1", "kept"),
    ]


@pytest.mark.parametrize("key", ["datatype", "type", "data_type"])
def test_no_entry_of_a_maml_says_its_type(key):
    text = "table: t\nkeyarray:\n- key: k\n  value: 1\n" + FIELDS
    assert problems(text) == ()
    [problem] = problems(text.replace("  value: 1\n", f"  value: 1\n  {key}: int32\n"))
    assert (problem.code, problem.at, problem.line) == ("subkey-unknown", ("keyarray", 0, key), 5)


@pytest.mark.parametrize("key", ["col_map", "protected_cols", "nullable_cols", "remap", "filter", "sort"])
def test_what_stands_in_extra_is_no_section(key):
    for role in ("write", "read"):
        [problem] = problems(f"table: t\n{FIELDS}{key}: []\n", role=role)
        assert (problem.code, problem.at, problem.line) == ("section-unknown", (key,), 4)
        assert "put it below extra" in problem.message
        assert problems(f"table: t\n{FIELDS}extra: {{{key}: []}}\n", role=role) == ()


def test_a_bomb_of_aliases_costs_neither_time_nor_memory():
    bomb = "table: t\nextra:\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    # Ten levels of nine: 9**10 = 3.5e9 leaves.
    bomb += "".join(f"  a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 10)) + FIELDS
    assert [problem.code for problem in problems(bomb)] == ["limit"]
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        problems(bomb)
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.05
    tracemalloc.start()
    try:
        problems(bomb)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def test_the_line_dialect_reads_items_that_begin_anyhow():
    text = """table: t\r
# a line of its own\r
DOIs:\r
-\r
  DOI: 10.1/a\r
  type: DOI\r
- type: none\r
- DOI: '10.1/b'\r
fields:\r
- data_type: float64\r
  name: ra\r
  info: "an ID: of #1"\r
  ucd:\r
  - pos.eq.ra\r
  - meta.main\r
  qc:\r
    min: >= 0\r
    max: < 360\r
    miss:\r
"""
    maml = parse(text, dialect="line")
    assert [(entry.key, entry.value, entry.description) for entry in entries(maml)] == [
        ("table", "t", ""),
        ("DOI_1", "10.1/a", "DOI"),
        ("DOI_2", "10.1/b", ""),
    ]
    [field] = maml.fields
    assert (field.name, field.info, field.ucd) == ("ra", "an ID: of #1", "pos.eq.ra;meta.main")
    assert (field.qc.min.operator, field.qc.min.value) == (">=", 0.0)
    assert (field.qc.max.operator, field.qc.max.value) == ("<", 360.0)
    assert field.qc.miss == "unexpected"
    with pytest.raises(MamlError) as caught:
        parse(text)
    assert caught.value.code == "yaml"


def _told(head, section="What a MAML says"):
    """Return the rows of the README's table with this head, and what stands in its backquotes by row."""
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    part = text.split(f"## {section}\n")[1].split("\n## ")[0]
    rows = part.split(f"| {head} |")[1].split("\n\n")[0].splitlines()[2:]
    return [re.findall("`([^`]+)`", row.split("|")[1]) for row in rows], part


def test_the_readme_names_all_types_keys_and_sections():
    types = {word.partition("[")[0] for row in _told("`data_type`")[0] for word in row}
    assert types == {"int32", "int64", "float32", "float64", "boolean", "string", "date", "time", "timestamp"}
    keys = {word for row in _told("key of a field")[0] for word in row} | {"name", "data_type"}
    assert keys == {"name", "unit", "info", "ucd", "data_type", "array_size", "col_size", "qc", "source"}
    rows = _told("section")[0]
    sections = {word.lower() for word in rows[0]} | {row[0].lower() for row in rows[1:]}
    assert sections | {"comments", "extra", "fields"} == set(SECTIONS)
    requests = {word.partition(":")[0] for row in _told("key of `extra`")[0] for word in row}
    assert requests == {"col_map", "protected_cols", "nullable_cols", "remap", "filter", "sort"}


def test_the_rules_of_the_readme_are_rules():
    paragraph = _told("key of `extra`")[1].split("A rule is made of")[1].split("with blanks")[0]
    rules = [found for found in re.findall("`([^`]+)`", paragraph) if " " in found]
    assert len(rules) == 6
    for rule in rules:
        parse_rules([rule])
    for key in ("ra", "-ra", "ra desc", "ra nulls_first"):
        parse_sorts([key])
