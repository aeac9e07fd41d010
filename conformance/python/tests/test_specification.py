"""Every statement that a case file names stands in one of the specifications."""

import json
import re
from pathlib import Path

import pytest

import worldarray_conformance as conformance

CASES = conformance.data_root() / "cases"
SPECIFICATIONS = sorted(Path(__file__).parents[2].glob("SPECIFICATION*.md"))
STATEMENTS = [f"Convention {n}" for n in range(1, 7)] + [f"Behaviour {n}" for n in range(1, 20)]

pytestmark = pytest.mark.skipif(not SPECIFICATIONS, reason="the specification lies in the checkout only")


def headings():
    texts = [path.read_text("utf-8") for path in SPECIFICATIONS]
    return [heading for text in texts for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]


def named(text):
    """The headings that one `spec` string names: "Convention 4a, 4b: …" names two."""
    subject, _, _ = text.partition(":")
    found = re.fullmatch(r"(Convention|Behaviour) (\d+[a-d]?(?:, \d+[a-d]?)*)(?:, [a-z ]+)?", subject)
    return [f"{found[1]} {number}" for number in found[2].split(", ")] if found else [subject]


def test_every_statement_has_one_heading():
    found = [heading.partition(":")[0] for heading in headings()]
    assert [name for name in STATEMENTS if found.count(name) != 1] == []


@pytest.mark.parametrize("path", sorted(CASES.rglob("*.json")), ids=lambda path: path.relative_to(CASES).as_posix())
def test_statements_of_a_case_file_stand_in_the_specification(path):
    known = {heading.partition(":")[0] for heading in headings()}
    names = [name for text in json.loads(path.read_text("utf-8"))["spec"] for name in named(text)]
    assert names
    assert [name for name in names if name not in known] == []


def test_a_statement_that_does_not_exist_is_seen():
    assert named("Convention 4a, 4b, 4c") == ["Convention 4a", "Convention 4b", "Convention 4c"]
    assert named("Behaviour 4, per axis") == ["Behaviour 4"]
    assert named("Behaviour 20: nothing") == ["Behaviour 20"]
    assert named("Section 2") == ["Section 2"]
