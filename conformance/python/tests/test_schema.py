"""Every case file and every merged input and answer against the schemas; the schemas are closed."""

import json

import pytest

import worldarray_conformance as conformance

jsonschema = pytest.importorskip("jsonschema")
referencing = pytest.importorskip("referencing")

ROOT = conformance.data_root()
SCHEMA = ROOT / "schema"
SCHEMAS = {path.relative_to(SCHEMA).as_posix(): json.loads(path.read_text("utf-8")) for path in SCHEMA.rglob("*.json")}
BASE = "https://schema.example/"
REGISTRY = referencing.Registry().with_resources(
    (BASE + name, referencing.Resource.from_contents(schema)) for name, schema in SCHEMAS.items()
)
FILES = sorted([*(ROOT / "cases").rglob("*.json"), *(ROOT / "selftest").glob("*.json")])
REFUSED_BY_SCHEMA = (
    "expect-and-error",
    "id-not-kebab-case",
    "no-case",
    "no-expect",
    "unknown-capability",
    "unknown-case-key",
    "unknown-error-key",
    "unknown-file-key",
    "unknown-op",
    "unknown-status",
    "unknown-suite",
)


def validator(name):
    return jsonschema.Draft202012Validator({"$ref": BASE + name}, registry=REGISTRY)


CASE_FILE = validator("case-file.schema.json")
OPS = validator("ops.schema.json")


def problems(checker, instance):
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:400]}" for e in checker.iter_errors(instance)]


def objects(schema, at=""):
    if isinstance(schema, dict):
        yield at, schema
        for key, value in schema.items():
            yield from objects(value, f"{at}/{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from objects(value, f"{at}/{index}")


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_schema_is_a_schema_and_closed(name):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    for at, schema in objects(SCHEMAS[name]):
        described = isinstance(schema.get("properties"), dict) and schema.get("type") == "object"
        if described and at:
            assert "additionalProperties" in schema, f"{name}{at} is open"
        if isinstance(schema.get("$ref"), str):
            assert REGISTRY.resolver(BASE + name).lookup(schema["$ref"]).contents is not None


@pytest.mark.parametrize("name", sorted(name for name in SCHEMAS if name.startswith("ops/")))
def test_family_is_a_row_of_the_table_and_names_its_ops(name):
    assert {"$ref": name} in SCHEMAS["ops.schema.json"]["allOf"]
    family = name.removeprefix("ops/").removesuffix(".schema.json")
    for op, schema in SCHEMAS[name]["properties"].items():
        assert op.startswith(f"{family}.")
        assert schema["description"]
        assert set(schema["properties"]) == {"input", "expect"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_case_file_is_valid(path):
    assert problems(CASE_FILE, json.loads(path.read_text("utf-8"))) == []
    for case in conformance.load_file(path, path.parents[1]):
        assert problems(OPS, {case.op: dict(case.raw)}) == [], case.key


def test_case_files_lie_in_the_folder_of_their_family():
    for path in (ROOT / "cases").rglob("*.json"):
        assert json.loads(path.read_text("utf-8"))["op"].split(".")[0] == path.parent.name, path.name


@pytest.mark.parametrize("name", REFUSED_BY_SCHEMA)
def test_schema_refuses_what_it_can_see(name):
    document = json.loads((ROOT / "selftest" / "refused" / f"{name}.json").read_text("utf-8"))
    found = problems(CASE_FILE, document)
    for case in document["cases"]:
        found += problems(OPS, {document["op"]: {key: case[key] for key in ("input", "expect") if key in case}})
    assert found
