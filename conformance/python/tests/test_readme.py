"""The README is enough to write a runner: it names every op, field, code and capability."""

import json
import re
from pathlib import Path

import pytest

import worldarray_conformance as conformance

README = Path(__file__).parents[2] / "README.md"
SCHEMA = conformance.data_root() / "schema"

pytestmark = pytest.mark.skipif(not README.exists(), reason="the README lies in the checkout only")


def described():
    table = json.loads((SCHEMA / "ops.schema.json").read_text("utf-8"))
    for row in table["allOf"]:
        family = json.loads((SCHEMA / row["$ref"]).read_text("utf-8"))
        yield from ((op, family, schema) for op, schema in family["properties"].items())


def fields(schema, family):
    if "$ref" in schema and schema["$ref"].startswith("#"):
        schema = family["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return schema.get("properties", {})


def section(op):
    found = re.search(rf"^#### `{re.escape(op)}`\n(.*?)(?=^##|\Z)", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found, f"README.md has no heading for {op}"
    return found[1]


@pytest.mark.parametrize("op", conformance.ops())
def test_readme_names_every_field_of_an_op(op):
    family, schema = next((family, schema) for name, family, schema in described() if name == op)
    text = section(op)
    for part in ("input", "expect"):
        for name in fields(schema["properties"][part], family):
            assert f"`{name}`" in text, f"README.md does not name {part} field {name} of {op}"


@pytest.mark.parametrize("table", ["code", "capability"])
def test_readme_says_what_every_word_means(table):
    words = json.loads((SCHEMA / "values.schema.json").read_text("utf-8"))["$defs"][table]["enum"]
    text = README.read_text("utf-8")
    assert [word for word in words if f"\n| `{word}` | " not in text] == []


def test_example_of_a_case_file_is_one(tmp_path):
    (tmp_path / "example.json").write_text(re.search(r"```json\n(.*?)```", README.read_text("utf-8"), re.DOTALL)[1])
    exact, unknown = conformance.load_file(tmp_path / "example.json", tmp_path)
    assert exact.input == {"value": 0.004, "source": "um", "target": "nanometer"}
    assert unknown.error.code == "unknown_unit"
