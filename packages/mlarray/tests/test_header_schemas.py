"""The JSON Schemas that ship and the checks that run say the same of every document."""

from collections import Counter

import jsonschema
import numpy as np
import pytest
import referencing
from header_documents import (
    DTYPE,
    EVERY,
    MISSING,
    SCHEMAS,
    SECOND,
    SEED,
    SEED_SHAPE,
    SHAPE,
    SOURCE,
    changed,
    documents,
    mutations,
    paths,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from mlarray.header.check import check, check_source_document
from mlarray.header.parse import parse
from mlarray.header.wire import encode

REGISTRY = referencing.Registry().with_resources(
    (schema["$id"], referencing.Resource.from_contents(schema)) for schema in SCHEMAS.values() if "$id" in schema
)


def validator(name):
    return jsonschema.Draft202012Validator(SCHEMAS[name], registry=REGISTRY)


HEADER, SOURCES = validator("mlarray-1.0.json"), validator("mlarray-source-1.0.json")

STRUCTURE = {"wrong_type", "missing_key"}
"""What is said of one value, or of one map, can be said in a schema."""


def disagreement(schema, document, found):
    """What schema and checks say of a document, if that differs: all the schema refuses, the checks refuse as well."""
    refused = not schema.is_valid(document)
    # A word that a later minor version may have brought is a notice, which a schema of 1.0 cannot say.
    noticed = bool(found.problems) or any(notice.code == "wrong_value" for notice in found.notices)
    if refused and not noticed:
        return f"refused by the schema alone: {next(schema.iter_errors(document)).message}"
    if not refused and STRUCTURE & {problem.code for problem in found.problems}:
        return f"refused by the checks alone: {found.problems}"
    return None


@pytest.mark.parametrize("name", sorted(name for name in SCHEMAS if name != "units-1.0.json"))
def test_schemas_are_schemas_that_close_nothing_and_describe_every_key(name):
    schema = SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert (schema["$schema"], schema["$id"]) == ("https://json-schema.org/draft/2020-12/schema", name)
    for place, found in nodes(schema):
        assert found.get("additionalProperties") is not False, place
        for key, below in found.get("properties", {}).items():
            described = (
                isinstance(below, bool) or "description" in below or set(below) & {"const", "enum", "$ref", "if"}
            )
            assert described or place[-1:] in {("if",), ("then",)} or place[1:2] == ("other_major",), (*place, key)


def nodes(schema, at=()):
    """Every map of a schema that is a schema."""
    if isinstance(schema, dict):
        yield at, schema
    pairs = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ()
    for key, value in pairs:
        yield from nodes(value, (*at, key))


def test_the_documents_to_start_from_are_valid():
    for document, shape in ((EVERY, SHAPE), (SECOND, SHAPE), (SEED, SEED_SHAPE)):
        assert check(document, shape, DTYPE).problems == ()
        assert HEADER.is_valid(document)
    assert check_source_document(SOURCE).problems == ()
    assert SOURCES.is_valid(SOURCE)


def test_the_documents_to_start_from_have_every_key_of_the_schemas():
    wanted = {key for name, schema in SCHEMAS.items() if name != "units-1.0.json" for key in described_keys(schema)}
    held = {key for document in (EVERY, SECOND, SOURCE) for key in held_keys(document)}
    assert wanted - held == set()


def described_keys(schema):
    return {
        key for _, found in nodes(schema) if isinstance(found.get("properties"), dict) for key in found["properties"]
    }


def held_keys(document):
    values = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    yield from document if isinstance(document, dict) else ()
    for value in values:
        yield from held_keys(value)


@pytest.mark.parametrize(
    ("document", "below", "enough"),
    [
        (EVERY, "", (200, 2000)),
        (SECOND, "axes/1", (20, 100)),
        (SECOND, "values", (20, 50)),
        (SECOND, "profiles", (40, 100)),
    ],
)
def test_schema_and_checks_agree_on_every_mutation_of_every_key(document, below, enough):
    counts = Counter()
    for change in mutations(document, below):
        mutated = changed(document, change)
        found = check(mutated, SHAPE, DTYPE)
        assert disagreement(HEADER, mutated, found) is None, change
        counts[bool(found.problems)] += 1
    assert (counts[False] >= enough[0], counts[True] >= enough[1]) == (True, True), counts


@pytest.mark.parametrize("value", [MISSING, None, 0, 1, "", "a", [], {}])
def test_schema_and_checks_agree_on_every_key_that_is_alone_in_its_map(value):
    counts = Counter()
    for path in paths(EVERY):
        owner = EVERY
        for part in path[:-1]:
            owner = owner[part]
        if isinstance(owner, dict) and len(path) > 1:
            held = owner[path[-1]] if value is MISSING else value
            mutated = changed(EVERY, (path[:-1], {path[-1]: held}))
            found = check(mutated, SHAPE, DTYPE)
            assert disagreement(HEADER, mutated, found) is None, path
            counts[bool(found.problems)] += 1
    assert sum(counts.values()) > 80


def test_schema_and_checks_agree_on_every_mutation_of_every_key_of_a_source():
    counts = Counter()
    for change in mutations(SOURCE):
        mutated = changed(SOURCE, change)
        found = check_source_document(mutated)
        assert disagreement(SOURCES, mutated, found) is None, change
        counts[bool(found.problems)] += 1
    assert (counts[False] >= 50, counts[True] >= 300) == (True, True), counts


@settings(max_examples=100, deadline=None)
@given(documents(), st.data())
def test_schema_and_checks_agree_on_any_document_and_its_mutations(drawn, data):
    document, shape = drawn
    assert check(document, shape, DTYPE).problems == ()
    assert HEADER.is_valid(document)
    every = list(mutations(document))
    for _ in range(5):
        change = data.draw(st.sampled_from(every))
        mutated = changed(document, change)
        assert disagreement(HEADER, mutated, check(mutated, shape, DTYPE)) is None, change


@settings(max_examples=60, deadline=None)
@given(documents())
def test_any_valid_document_is_read_with_what_it_says_unchanged(drawn):
    document, shape = drawn
    read = parse(encode(document), shape, DTYPE).document
    assert superset(read, document)


def superset(read, said):
    """Whether all that was said stands in what was read: defaults are filled in, nothing else changes."""
    if isinstance(said, dict):
        return read.keys() >= said.keys() and all(superset(read[key], value) for key, value in said.items())
    if isinstance(said, list):
        return len(read) == len(said) and all(map(superset, read, said))
    return repr(read) == repr(said) if isinstance(said, float) else read == said


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        # `$` of a regular expression matches before a line break at the end.
        ("version", "1.0\n", "wrong_value"),
        ("values/labels", {"1\n": {}}, "wrong_value"),
        ("values/labels/6/color", "#00aaFF\n", "wrong_value"),
        ("history/0/time", "2026-11-06T10:12:00Z\n", "wrong_value"),
        ("profiles/ml/profile_version", "1.0\n", "wrong_value"),
        ("profiles/ml/statistics/percentiles", {"5\n": 1}, "wrong_value"),
        ("profiles/medical/dicom", {"Modality\n": 1}, "wrong_value"),
        # NaN is a number, and no number below a minimum.
        ("axes/1/start", float("nan"), "not_finite"),
        ("axes/1/step", float("inf"), "not_finite"),
        ("spaces/0/from_array/matrix/1/2", float("-inf"), "not_finite"),
        ("values/scale", float("nan"), "not_finite"),
        ("profiles/ml/statistics/standard_deviation", float("nan"), "not_finite"),
        ("profiles/ml/boxes/items/0/score", float("inf"), "not_finite"),
    ],
)
def test_what_a_schema_does_not_see_the_checks_do(path, value, code):
    mutated = changed(EVERY, (path, value))
    assert HEADER.is_valid(mutated)
    assert [problem.code for problem in check(mutated, SHAPE, DTYPE).problems] == [code]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        # Digits of other scripts are no digits.
        ("version", "1.\u0663"),
        ("values/labels", {"\u0663": {}}),
        ("history/0/time", "\u0662026-11-06T10:12:00Z"),
        # Bytes are of none of the types.
        ("writer", b"a"),
        ("axes/2/name", b"z"),
        ("axes/2/type", b"space"),
        ("values/fill", b"\x00"),
        ("storage/compression/codec", b"LZ4"),
        # A boolean is no number, and a number with a fraction is no integer.
        ("values/scale", True),
        ("storage/patch_size/0", True),
        ("storage/compression/level", 4.5),
    ],
)
def test_what_both_refuse(path, value):
    mutated = changed(EVERY, (path, value))
    assert not HEADER.is_valid(mutated)
    assert check(mutated, SHAPE, DTYPE).problems


def test_a_whole_number_that_is_held_as_a_float_is_an_integer_and_is_read_as_one():
    mutated = changed(
        EVERY, ("storage/chunk_size", [1.0, 5, 4, 3, 2]), ("storage/compression/level", 9.0),
        ("storage/compression/filters_meta", [0.0, 255]), ("profiles/ml/patch_size", [4, 3.0, 2]),
        ("profiles/ml/boxes/items/0/label", 3.0), ("storage/patch_size/1", 3.0),
    )  # fmt: skip
    assert HEADER.is_valid(mutated)
    read = parse(encode(mutated), SHAPE, DTYPE).document
    integers = [
        *read["storage"]["chunk_size"], read["storage"]["compression"]["level"], read["storage"]["patch_size"][1],
        *read["storage"]["compression"]["filters_meta"], *read["profiles"]["ml"]["patch_size"],
        read["profiles"]["ml"]["boxes"]["items"][0]["label"],
    ]  # fmt: skip
    assert integers == [1, 5, 4, 3, 2, 9, 3, 0, 255, 4, 3, 2, 3]
    assert {type(value) for value in integers} == {int}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64"])
def test_fill_alone_may_be_no_finite_number(dtype):
    for value in (float("nan"), float("inf"), float("-inf")):
        mutated = changed(EVERY, ("values/fill", value))
        assert HEADER.is_valid(mutated)
        assert check(mutated, SHAPE, np.dtype(dtype)).problems == ()
        assert [problem.code for problem in check(mutated, SHAPE, DTYPE).problems] == ["not_representable"]
