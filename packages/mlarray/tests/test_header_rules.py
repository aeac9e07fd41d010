"""What the checks find wrong with a header: every problem, each with its code and the path to it."""

import numpy as np
import pytest
from header_documents import DTYPE, EVERY, INFINITY, MISSING, NAN, SECOND, SEED, SEED_SHAPE, SHAPE, SOURCE, changed

from mlarray.errors import pointer
from mlarray.header.check import (
    axis_names,
    axis_types,
    check,
    check_source_document,
    check_user_document,
)


def problems(document, shape=SHAPE, dtype=DTYPE):
    return [(problem.code, pointer(problem.at)) for problem in check(document, shape, dtype).problems]


def notices(document, shape=SHAPE, dtype=DTYPE):
    return [(notice.code, pointer(notice.at)) for notice in check(document, shape, dtype).notices]


# Each line: what is changed in EVERY, and all that is wrong then.
AXES = [
    ("axes", [], "wrong_length /axes, unknown_name /spaces/0/from_array/array_axes/0, "
     "unknown_name /spaces/0/from_array/array_axes/1, unknown_name /spaces/1/from_array/array_axes/0, "
     "unknown_name /spaces/1/from_array/array_axes/1, unknown_name /spaces/1/from_array/array_axes/2, "
     "conflict /values/label_layout, unknown_name /profiles/ml/boxes/axes/0, unknown_name /profiles/ml/boxes/axes/1, "
     "wrong_length /storage/chunk_size, wrong_length /storage/block_size, wrong_length /storage/patch_size"),
    ("axes/1/name", "c", "duplicate /axes"),
    ("axes/1/name", "", "wrong_value /axes/1/name"),
    ("axes/1/name", 1, "wrong_type /axes/1/name"),
    ("axes/1/type", "day", "wrong_value /axes/1/type"),
    ("axes/1/type", None, "wrong_type /axes/1/type"),
    ("axes/1/type", "space",
     "conflict /axes/1/start, conflict /axes/1/step, conflict /axes/1/unit, conflict /axes/1/unit_code, "
     "wrong_length /storage/patch_size"),
    ("axes/2/unit", "millimeter", "conflict /axes/2/unit"),
    ("axes/2/coordinates", [0, 1, 2, 3], "conflict /axes/2/coordinates"),
    ("axes/2/step", 2, "conflict /axes/2/step"),
    ("axes/1/step", 0, "out_of_range /axes/1/step"),
    ("axes/1/step", -0.0, "out_of_range /axes/1/step"),
    ("axes/1/step", NAN, "not_finite /axes/1/step"),
    ("axes/1/step", MISSING, "missing_key /axes/1"),
    ("axes/1/step", True, "wrong_type /axes/1/step"),
    ("axes/1/start", INFINITY, "not_finite /axes/1/start"),
    ("axes/1/coordinates", [0, 1, 2, 3, 4], "conflict /axes/1/coordinates"),
    ("axes/0/coordinates", [1, 2, 3, 4, 5, 6], "wrong_length /axes/0/coordinates"),
    ("axes/0/coordinates", [1, 2, 3, 4, 5, 6, NAN], "not_finite /axes/0/coordinates/6"),
    ("axes/0/coordinates", "1234567", "wrong_type /axes/0/coordinates"),
    ("axes/0/labels", ["a"], "wrong_length /axes/0/labels"),
    ("axes/0/labels", ["a", 2, "c", "d", "e", "f", b"g"], "wrong_type /axes/0/labels/1, wrong_type /axes/0/labels/6"),
    ("axes/1/unit_code", "ms", "conflict /axes/1/unit_code"),
    ("axes/1/unit", "", "wrong_value /axes/1/unit"),
    ("axes/1/unit_code", 5, "wrong_type /axes/1/unit_code"),
    ("axes/3", "y", "wrong_type /axes/3, unknown_name /spaces/0/from_array/array_axes/0, "
     "unknown_name /spaces/1/from_array/array_axes/2, wrong_length /storage/patch_size"),
    # Used by spaces, so it is a space axis without a word.
    ("axes/4", {"name": "x", "unit": "meter"}, "conflict /axes/4/unit"),
    ("axes/4", {"name": "x", "step": 2}, "conflict /axes/4/step"),
]  # fmt: skip
SPACES = [
    ("spaces", {}, "wrong_type /spaces"),
    ("spaces/0", [], "wrong_type /spaces/0"),
    ("spaces/0/name", "stage", "duplicate /spaces"),
    ("spaces/0/name", "index", "wrong_value /spaces/0/name"),
    ("spaces/0/name", MISSING, "missing_key /spaces/0"),
    ("spaces/0/axes", MISSING, "missing_key /spaces/0"),
    ("spaces/0/from_array", MISSING, "missing_key /spaces/0"),
    ("spaces/0/reference/id", MISSING, "missing_key /spaces/0/reference"),
    ("spaces/0/reference", {}, "missing_key /spaces/0/reference, missing_key /spaces/0/reference"),
    ("spaces/0/reference/scheme", "", "wrong_value /spaces/0/reference/scheme"),
    ("spaces/0/axes", [], "wrong_length /spaces/0/axes"),
    ("spaces/0/axes/0/name", "y", "duplicate /spaces/0/axes"),
    ("spaces/0/axes/0/name", MISSING, "missing_key /spaces/0/axes/0"),
    ("spaces/0/axes/0/unit_code", "cm", "conflict /spaces/0/axes/0/unit_code"),
    ("spaces/0/axes/1/increases_toward", "left", "conflict /spaces/0/axes/1/increases_toward"),
    ("spaces/0/axes/1/increases_toward", "right", "conflict /spaces/0/axes/1/increases_toward"),
    ("spaces/0/axes/1/increases_toward", "L", "wrong_value /spaces/0/axes/1/increases_toward"),
    ("spaces/0/axes/1/increases_toward", 1, "wrong_type /spaces/0/axes/1/increases_toward"),
    # Two axes of the space and one more: four rows.
    ("spaces/0/axes/2", {"name": "z"}, "wrong_length /spaces/0/from_array/matrix"),
    ("spaces/0/from_array/array_axes", ["y", "y"], "duplicate /spaces/0/from_array/array_axes"),
    ("spaces/0/from_array/array_axes", ["y", "q"], "unknown_name /spaces/0/from_array/array_axes/1"),
    ("spaces/0/from_array/array_axes", ["y", "t"], "conflict /spaces/0/from_array/array_axes/1"),
    ("spaces/0/from_array/array_axes", [], "wrong_length /spaces/0/from_array/array_axes"),
    ("spaces/0/from_array/array_axes", ["y"], "wrong_length /spaces/0/from_array/matrix"),
    ("spaces/0/from_array/array_axes", MISSING, "missing_key /spaces/0/from_array"),
    ("spaces/0/from_array/matrix", MISSING, "missing_key /spaces/0/from_array"),
    ("spaces/0/from_array/scale", [1, 1], "conflict /spaces/0/from_array/scale"),
    ("spaces/0/from_array/translation", [1, 1], "conflict /spaces/0/from_array/translation"),
    ("spaces/0/from_array/matrix/2", [0, 0, 1, 0], "wrong_length /spaces/0/from_array/matrix"),
    ("spaces/0/from_array/matrix/2", [0, 0, 2], "wrong_value /spaces/0/from_array/matrix/2"),
    ("spaces/0/from_array/matrix/2", [0, 1e-300, 1], "wrong_value /spaces/0/from_array/matrix/2"),
    ("spaces/0/from_array/matrix/0/1", NAN, "not_finite /spaces/0/from_array/matrix/0/1"),
    ("spaces/0/from_array/matrix/0/1", "1", "wrong_type /spaces/0/from_array/matrix/0/1"),
    ("spaces/0/from_array/matrix/0", 1, "wrong_type /spaces/0/from_array/matrix/0"),
    ("spaces/0/from_array/matrix/0", [], "wrong_length /spaces/0/from_array/matrix"),
    ("spaces/0/from_array/matrix", [], "wrong_length /spaces/0/from_array/matrix"),
    ("spaces/0/from_array/matrix", [[], [], []], "wrong_length /spaces/0/from_array/matrix"),
    ("spaces/0/from_array/matrix", [[1], [1]],
     "wrong_length /spaces/0/from_array/matrix, wrong_length /spaces/0/from_array/matrix"),
    # Columns (0.5, 0.25) and (1, 0.5): the second is twice the first.
    ("spaces/0/from_array/matrix", [[0.5, 1, 3], [0.25, 0.5, 5], [0, 0, 1]], "wrong_value /spaces/0/from_array/matrix"),
    ("spaces/0/from_array/matrix", [[0.5, 0, 3], [0.25, 0, 5], [0, 0, 1]], "wrong_value /spaces/0/from_array/matrix"),
    # Singular values 1 and 1e-9: not greater than 1e-9 times the largest.
    ("spaces/0/from_array/matrix", [[1, 0, 3], [0, 1e-9, 5], [0, 0, 1]], "wrong_value /spaces/0/from_array/matrix"),
    ("spaces/1/from_array/scale/1", 0, "out_of_range /spaces/1/from_array/scale/1"),
    ("spaces/1/from_array/scale", [1, 2], "wrong_length /spaces/1/from_array/scale"),
    ("spaces/1/from_array/translation", [1, 2], "wrong_length /spaces/1/from_array/translation"),
    ("spaces/1/from_array/scale", MISSING, "missing_key /spaces/1/from_array"),
    # z and y are axes of both, x is q in the space: matched neither by name nor by position.
    ("spaces/1/axes/2/name", "q", "conflict /spaces/1/from_array/array_axes"),
    # A scale has as many axes as the array gives: 3 array axes, 4 of the space.
    ("spaces/1/axes/3", {"name": "w"}, "wrong_length /spaces/1/from_array/scale"),
]  # fmt: skip
VALUES = [
    ("values", [], "wrong_type /values"),
    ("values", {"scale": 0}, "out_of_range /values/scale"),
    ("values", {"labels": {}}, "conflict /values/labels"),
    ("values", {"kind": "vector"}, "conflict /values/kind"),
    ("values/kind", "mask", "wrong_value /values/kind"),
    ("values/kind", "measurement", "conflict /values/labels, conflict /values/label_layout"),
    ("values/kind", MISSING, "conflict /values/labels, conflict /values/label_layout"),
    ("values/unit_code", "%", "conflict /values/unit_code"),
    ("values/scale", 0.0, "out_of_range /values/scale"),
    ("values/scale", NAN, "not_finite /values/scale"),
    ("values/offset", INFINITY, "not_finite /values/offset"),
    ("values/offset", "0", "wrong_type /values/offset"),
    ("values/fill", 70000, "not_representable /values/fill"),
    ("values/fill", -32769, "not_representable /values/fill"),
    ("values/fill", 0.5, "not_representable /values/fill"),
    ("values/fill", NAN, "not_representable /values/fill"),
    ("values/fill", "0", "wrong_type /values/fill"),
    ("values/label_layout", "both", "wrong_value /values/label_layout"),
    ("values/labels", {"7": {}}, "out_of_range /values/labels/7"),
    ("values/labels", {"-1": {}}, "out_of_range /values/labels/-1"),
    ("values/labels", {"9" * 5000: {}}, "out_of_range /values/labels/" + "9" * 5000),
    ("values/labels", {"01": {}}, "wrong_value /values/labels/01"),
    ("values/labels", {"-0": {}}, "wrong_value /values/labels/-0"),
    ("values/labels", {"1.0": {}}, "wrong_value /values/labels/1.0"),
    ("values/labels/0", "zero", "wrong_type /values/labels/0"),
    ("values/labels/0/name", 0, "wrong_type /values/labels/0/name"),
    ("values/labels/0/color", "#00aaf", "wrong_value /values/labels/0/color"),
    ("values/labels/0/color", "red", "wrong_value /values/labels/0/color"),
    ("values/labels/6/code/value", MISSING, "missing_key /values/labels/6/code"),
    ("values/labels/6/code/scheme", "", "wrong_value /values/labels/6/code/scheme"),
    ("values/labels/6/code", "SCT", "wrong_type /values/labels/6/code"),
    # No channel axis, and two.
    ("axes/0/type", "other", "conflict /values/label_layout"),
    ("axes/1/type", "channel", "conflict /values/label_layout"),
]
PROFILES = [
    ("profiles", [], "wrong_type /profiles"),
    ("profiles/org_example_cryoem", 1, "wrong_type /profiles/org_example_cryoem"),
    ("profiles/", {}, "wrong_value /profiles/"),
    ("profiles/ml/profile_version", MISSING, "missing_key /profiles/ml"),
    ("profiles/ml/profile_version", "1", "wrong_value /profiles/ml/profile_version"),
    ("profiles/ml/profile_version", 1.0, "wrong_type /profiles/ml/profile_version"),
    ("profiles/medical/profile_version", "2", "wrong_value /profiles/medical/profile_version"),
    ("profiles/medical/dicom", [], "wrong_type /profiles/medical/dicom"),
    ("profiles/medical/dicom", {"Patient Name": 1}, "wrong_value /profiles/medical/dicom/Patient Name"),
    ("profiles/medical/dicom", {"0010": 1}, "wrong_value /profiles/medical/dicom/0010"),
    ("profiles/ml/statistics/mean", NAN, "not_finite /profiles/ml/statistics/mean"),
    ("profiles/ml/statistics/min", "0", "wrong_type /profiles/ml/statistics/min"),
    ("profiles/ml/statistics/standard_deviation", -1, "out_of_range /profiles/ml/statistics/standard_deviation"),
    ("profiles/ml/statistics/percentiles", {"100.5": 1}, "wrong_value /profiles/ml/statistics/percentiles/100.5"),
    ("profiles/ml/statistics/percentiles", {"101": 1}, "wrong_value /profiles/ml/statistics/percentiles/101"),
    ("profiles/ml/statistics/percentiles", {"-1": 1}, "wrong_value /profiles/ml/statistics/percentiles/-1"),
    ("profiles/ml/statistics/percentiles/0", None, "wrong_type /profiles/ml/statistics/percentiles/0"),
    ("profiles/ml/boxes/frame", "world", "unknown_name /profiles/ml/boxes/frame"),
    ("profiles/ml/boxes/frame", MISSING, "missing_key /profiles/ml/boxes"),
    ("profiles/ml/boxes/axes", ["x", "q"], "unknown_name /profiles/ml/boxes/axes/1"),
    ("profiles/ml/boxes/axes", ["x", "x"], "duplicate /profiles/ml/boxes/axes"),
    ("profiles/ml/boxes/axes", [], "wrong_length /profiles/ml/boxes/axes"),
    # The space "patient" has x and y.
    ("profiles/ml/boxes/frame", "patient", "unknown_name /profiles/ml/boxes/axes/1"),
    ("profiles/ml/boxes/items/0/min", [0], "wrong_length /profiles/ml/boxes/items/0/min"),
    ("profiles/ml/boxes/items/0/max", MISSING, "missing_key /profiles/ml/boxes/items/0"),
    ("profiles/ml/boxes/items/0/min", [2.5, 0], "conflict /profiles/ml/boxes/items/0/max/0"),
    ("profiles/ml/boxes/items/0/max", [2, NAN], "not_finite /profiles/ml/boxes/items/0/max/1"),
    ("profiles/ml/boxes/items/0/label", 1.5, "wrong_type /profiles/ml/boxes/items/0/label"),
    ("profiles/ml/boxes/items/0/label", True, "wrong_type /profiles/ml/boxes/items/0/label"),
    ("profiles/ml/boxes/items/0/score", "0.5", "wrong_type /profiles/ml/boxes/items/0/score"),
    ("profiles/ml/patch_size", [4, 0], "out_of_range /profiles/ml/patch_size/1"),
    ("profiles/ml/patch_size", [], "wrong_length /profiles/ml/patch_size"),
    ("profiles/ml/patch_size", 128, "wrong_type /profiles/ml/patch_size"),
    ("profiles/ml/split", "", "wrong_value /profiles/ml/split"),
]
REST = [
    ("writer", 1, "wrong_type /writer"),
    ("axes", MISSING, "missing_key "),
    ("history", {}, "wrong_type /history"),
    ("history/0", "converted", "wrong_type /history/0"),
    ("history/0/action", MISSING, "missing_key /history/0"),
    ("history/0/action", "", "wrong_value /history/0/action"),
    ("history/0/time", "2026-11-06T10:12:00", "wrong_value /history/0/time"),
    ("history/0/time", "2026-11-06 10:12:00Z", "wrong_value /history/0/time"),
    ("history/0/time", 1793959920, "wrong_type /history/0/time"),
    ("history/0/warnings", "odd", "wrong_type /history/0/warnings"),
    ("history/0/warnings", ["odd", None], "wrong_type /history/0/warnings/1"),
    ("storage", [], "wrong_type /storage"),
    ("storage/chunk_size", [1, 5, 4, 3], "wrong_length /storage/chunk_size"),
    ("storage/block_size", [1, 1, 2, 3, -2], "out_of_range /storage/block_size/4"),
    ("storage/patch_size", [4, 3, 0], "out_of_range /storage/patch_size/2"),
    # Three axes of type space among five.
    ("storage/patch_size", [1, 5, 4, 3, 2], "wrong_length /storage/patch_size"),
    ("storage/patch_size", [4, 3, 1.5], "wrong_type /storage/patch_size/2"),
    ("storage/compression", "ZSTD", "wrong_type /storage/compression"),
    ("storage/compression/codec", MISSING, "missing_key /storage/compression"),
    ("storage/compression/level", 10, "out_of_range /storage/compression/level"),
    ("storage/compression/level", -1, "out_of_range /storage/compression/level"),
    ("storage/compression/filters", ["SHUFFLE"] * 7, "wrong_length /storage/compression/filters"),
    ("storage/compression/filters", [""], "wrong_value /storage/compression/filters/0"),
    ("storage/compression/filters_meta", [256], "out_of_range /storage/compression/filters_meta/0"),
]


@pytest.mark.parametrize(("path", "value", "expected"), AXES + SPACES + VALUES + PROFILES + REST)
def test_one_change_to_a_valid_header_and_all_that_is_wrong_then(path, value, expected):
    assert ", ".join(f"{code} {at}" for code, at in problems(changed(EVERY, (path, value)))) == expected


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("axes/1/step", -0.5),
        ("axes/1/start", MISSING),
        ("axes/1/type", MISSING),
        ("axes/1/unit", "fortnight"),
        ("axes/0/labels", [""] * 7),
        ("spaces", []),
        ("spaces", MISSING),
        ("spaces/0/axes/1/increases_toward", "inferior"),
        ("spaces/0/axes/1/increases_toward", MISSING),
        ("spaces/0/from_array/matrix", [[1, 0, 3], [0, 1.0001e-9, 5], [0, 0, 1]]),
        ("spaces/0/from_array/matrix", [[1e300, 0, 3], [0, 1e292, 5], [0, 0, 1.0]]),
        ("spaces/0/from_array/matrix/2", [0, -0.0, 1]),
        # As many rows as axes of the space and one: 2-D in 3-D.
        ("spaces/0", {"name": "p", "axes": [{"name": n} for n in "xyz"], "from_array":
                      {"array_axes": ["y", "x"], "matrix": [[0, 1, 0], [2, 0, 0], [0, 0, 5], [0, 0, 1]]}}),
        ("spaces/1/from_array/translation", MISSING),
        # Other names than the array's: matched by position.
        ("spaces/1/axes", [{"name": "a"}, {"name": "b"}, {"name": "c"}]),
        ("values", {}),
        ("values", MISSING),
        ("values/kind", "instance"),
        ("values/kind", "probability"),
        ("values/fill", 32767.0),
        ("values/fill", False),
        ("values/labels", {}),
        ("profiles/ml/boxes/items", []),
        ("profiles/ml/boxes/items/0/min", [2, 4]),
        ("profiles/ml/boxes/axes", ["y", "t"]),
        ("profiles/ml/statistics/percentiles", {"0.5": 1, "100": 2}),
        ("profiles/ml/statistics", {}),
        ("history", []),
        ("history/0/time", "2026-11-06T10:12:00.5+02:00"),
        ("storage", {}),
        ("storage/chunk_size", [1, 0, 4, 3, 2]),
        ("storage/compression", {"codec": "of_the_future"}),
        ("storage/compression/filters", ["SHUFFLE"] * 6),
    ],
)  # fmt: skip
def test_what_may_be_said_too(path, value):
    assert problems(changed(EVERY, (path, value))) == []


def test_every_problem_of_a_header_is_found_in_the_order_of_the_header():
    broken = changed(
        EVERY, ("writer", 1), ("axes/0/labels", ["a"]), ("spaces/0/name", "index"), ("values/scale", 0),
        ("profiles/ml/split", ""), ("history/1/action", 2), ("storage/compression/level", 11),
    )  # fmt: skip
    assert problems(broken) == [
        ("wrong_type", "/writer"),
        ("wrong_length", "/axes/0/labels"),
        ("wrong_value", "/spaces/0/name"),
        ("out_of_range", "/values/scale"),
        ("wrong_value", "/profiles/ml/split"),
        ("wrong_type", "/history/1/action"),
        ("out_of_range", "/storage/compression/level"),
    ]


def test_messages_name_the_value_the_rule_and_what_belongs_there():
    matrix = [[0.0, 0.75, 3], [-0.5, 0.25, 5.5], [0, 0, 1]]
    seed = changed(SEED, ("spaces/0/from_array/matrix", [row[1:] for row in SEED["spaces"][0]["from_array"]["matrix"]]))
    found = check(seed, SEED_SHAPE, DTYPE).problems
    assert str(found[0]) == "/spaces/0/from_array/matrix: 3 columns, expected 4 (array_axes has 3)"
    assert len(found) == 1
    several = changed(EVERY, ("spaces/0/from_array/matrix", [*matrix, [0, 0, 1]]), ("axes/0/labels", ["a"]))
    assert [str(problem) for problem in check(several, SHAPE, DTYPE).problems] == [
        "/axes/0/labels: 1 labels, expected 7 (the axis 'c' has 7 indices)",
        "/spaces/0/from_array/matrix: 4 rows, expected 3 (2 space axes and the last row)",
    ]
    kind = changed(EVERY, ("values/kind", "mask"))
    assert str(check(kind, SHAPE, DTYPE).problems[0]) == (
        "/values/kind: the word 'mask' is none of measurement, label, instance, probability, vector, other"
    )


@pytest.mark.parametrize("path", ["axes/1/type", "values/label_layout", "history/0/time", "version", "axes/2/name"])
def test_messages_stay_short_whatever_the_file_says(path):
    found = check(changed(EVERY, (path, "x" * 100_000)), SHAPE, DTYPE)
    assert found.problems
    assert all(len(problem.message) < 500 for problem in found.problems)


# The array ------------------------------------------------------------------------------------------------------------


def test_there_is_an_entry_per_axis_of_the_array():
    assert problems(SEED, SEED_SHAPE) == []
    assert problems(SEED, (512, 480)) == [("wrong_length", "/axes")]
    assert problems({"version": "1.0", "axes": []}, ()) == []


def test_an_array_that_is_not_known_checks_the_header_alone():
    assert check(EVERY, None, None).problems == ()
    short = changed(EVERY, ("axes/0/labels", ["a"]), ("values/fill", 70000), ("values/labels", {"9": {}}))
    assert check(short, None, None).problems == ()
    assert len(check(short, SHAPE, DTYPE).problems) == 3


@pytest.mark.parametrize(
    ("dtype", "fits", "not_"),
    [
        ("bool", [True, 0, 1, 1.0], [2, -1, 0.5, NAN]),
        ("int8", [-128, 127, True], [-129, 128, NAN, INFINITY]),
        ("uint64", [0, 2**64 - 1], [-1, 0.5]),
        ("int64", [-(2**63), 2**63 - 1], [2**63]),
        # The largest is 65504; up to half a step above, 65520, numbers round to it.
        ("float16", [NAN, -INFINITY, 65504, 65519, 1e-30], [65520, -70000]),
        # The largest is (2 - 2^-23) 2^127 = 3.4028234…e38.
        ("float32", [0.1, 3.4028234e38, 2**64 - 1], [3.5e38]),
        (">f8", [1e308, True], []),
        ("complex64", [NAN, 1.5], [1e39]),
    ],
)
def test_fill_is_a_stored_value_that_the_dtype_holds(dtype, fits, not_):
    for value in fits:
        assert problems(changed(EVERY, ("values/fill", value)), dtype=np.dtype(dtype)) == [], value
    for value in not_:
        found = problems(changed(EVERY, ("values/fill", value)), dtype=np.dtype(dtype))
        assert found == [("not_representable", "/values/fill")], value


def test_values_of_kind_vector_need_one_axis_of_components():
    document = {"version": "1.0", "axes": [{"type": "component"}, {}], "values": {"kind": "vector"}}
    assert problems(document, (3, 2)) == []
    assert problems(changed(document, ("axes/0/type", "channel")), (3, 2)) == [("conflict", "/values/kind")]
    assert problems(changed(document, ("axes/1/type", "component")), (3, 2)) == [("conflict", "/values/kind")]
    assert problems(changed(document, ("values/kind", "vector"), ("values/scale", 2)), (3, 2)) == []


def test_a_patch_has_a_number_per_space_axis_or_per_axis_where_there_is_none():
    document = {"version": "1.0", "axes": [{"name": "c"}, {"name": "y"}], "storage": {"patch_size": [2, 3]}}
    assert problems(document, (3, 2)) == []
    assert problems(changed(document, ("axes/1/type", "space")), (3, 2)) == [("wrong_length", "/storage/patch_size")]
    one = changed(document, ("axes/1/type", "space"), ("storage/patch_size", [3]))
    assert problems(one, (3, 2)) == []


def test_boxes_that_reach_beyond_the_array_are_noticed_in_index_space_alone():
    assert notices(EVERY) == []
    # x has 2 indices, z 4: a box may end at 2 and 4, and is half open.
    beyond = changed(EVERY, ("profiles/ml/boxes/items/0/max", [2.5, 4]))
    assert (problems(beyond), notices(beyond)) == ([], [("out_of_range", "/profiles/ml/boxes/items/0")])
    below = changed(EVERY, ("profiles/ml/boxes/items/1/min", [1, -0.5]))
    assert (problems(below), notices(below)) == ([], [("out_of_range", "/profiles/ml/boxes/items/1")])
    assert notices(SECOND) == []


# Names and types ------------------------------------------------------------------------------------------------------


def test_axes_without_names_are_called_by_their_position():
    document = {"version": "1.0", "axes": [{}, {"name": "y"}, {}]}
    assert axis_names(document) == ("axis_0", "y", "axis_2")
    assert problems(document, (1, 2, 3)) == []
    assert problems(changed(document, ("axes/1/name", "axis_2")), (1, 2, 3)) == [("duplicate", "/axes")]


def test_an_axis_without_a_type_is_space_where_a_space_uses_it_else_other():
    bare = changed(EVERY, *((f"axes/{index}/type", MISSING) for index in range(5)))
    assert axis_types(bare) == ("other", "other", "space", "space", "space")
    assert problems(changed(bare, ("values/label_layout", MISSING))) == []
    unnamed = {
        "version": "1.0",
        "axes": [{}, {}],
        "spaces": [{"name": "w", "axes": [{"name": "x"}], "from_array": {"array_axes": ["axis_1"], "scale": [2]}}],
    }
    assert axis_types(unnamed) == ("other", "space")
    assert problems(unnamed, (2, 3)) == []


# Later minor versions, profiles of another major one ------------------------------------------------------------------


def test_words_that_a_later_minor_version_may_have_brought_are_noticed_and_read_as_other():
    later = changed(
        EVERY, ("version", "1.1"), ("axes/1/type", "phase"), ("spaces/0/axes/1/increases_toward", "apex"),
        ("values/kind", "flow"), ("values/label_layout", "tree"),
    )  # fmt: skip
    assert problems(later) == []
    assert notices(later) == [
        ("wrong_value", "/axes/1/type"),
        ("wrong_value", "/spaces/0/axes/1/increases_toward"),
        ("wrong_value", "/values/kind"),
        ("wrong_value", "/values/label_layout"),
    ]
    assert axis_types(later)[1] == "other"
    assert [code for code, _ in problems(changed(later, ("version", "1.0")))] == ["wrong_value"] * 4


def test_a_later_minor_version_lifts_no_other_rule():
    later = changed(EVERY, ("version", "1.999"), ("axes/1/type", 1), ("values/scale", 0))
    assert problems(later) == [("wrong_type", "/axes/1/type"), ("out_of_range", "/values/scale")]


@pytest.mark.parametrize("version", ["2.0", "0.9", "10.3"])
def test_a_known_profile_of_another_major_version_is_kept_and_noticed(version):
    document = changed(EVERY, ("profiles/ml", {"profile_version": version, "boxes": 7}))
    assert problems(document) == []
    assert notices(document) == [("unsupported", "/profiles/ml/profile_version")]
    assert problems(changed(document, ("profiles/ml/profile_version", "1.5"))) == [("wrong_type", "/profiles/ml/boxes")]


def test_profiles_of_third_parties_and_unknown_keys_may_hold_anything():
    document = changed(
        EVERY, ("profiles/org_example_cryoem", {"profile_version": 7, "x": [NAN, None, b"y"]}), ("org_x", NAN),
        ("axes/0/org_x", [None]), ("spaces/0/org_x", 1), ("spaces/0/axes/0/org_x", 1), ("spaces/0/from_array/org_x", 1),
        ("spaces/0/reference/org_x", 1), ("values/org_x", 1), ("values/labels/0/org_x", 1),
        ("values/labels/6/code/org_x", 1),
        ("profiles/ml/org_x", 1), ("profiles/ml/boxes/org_x", 1), ("profiles/ml/boxes/items/0/org_x", 1),
        ("history/0/org_x", 1), ("storage/org_x", 1), ("storage/compression/org_x", 1),
    )  # fmt: skip
    assert problems(document) == []


# Source and user ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("source", MISSING, "missing_key "),
        ("source", {}, "wrong_type /source"),
        ("source/0", [], "wrong_type /source/0"),
        ("source/0/format", MISSING, "missing_key /source/0"),
        ("source/0/format", "", "wrong_value /source/0/format"),
        ("source/0/files/0/name", MISSING, "missing_key /source/0/files/0"),
        ("source/0/files/0/bytes", -1, "out_of_range /source/0/files/0/bytes"),
        ("source/0/files/0/sha256", "0F" * 32, "wrong_value /source/0/files/0/sha256"),
        ("source/0/files/0/sha256", "0f" * 32 + "\n", "wrong_value /source/0/files/0/sha256"),
        ("source/0/reader", 1, "wrong_type /source/0/reader"),
        ("source/0/index_map/flip", MISSING, "missing_key /source/0/index_map"),
        ("source/0/index_map/flip", [False, True], "wrong_length /source/0/index_map/flip"),
        ("source/0/index_map/flip/1", 1, "wrong_type /source/0/index_map/flip/1"),
        ("source/0/index_map/axes", [2, 0, 2], "wrong_value /source/0/index_map/axes"),
        ("source/0/index_map/axes", [3, 0, 1], "wrong_value /source/0/index_map/axes"),
        ("source/0/index_map/axes", [0, 1], "wrong_length /source/0/index_map/flip"),
        ("source/0/fingerprint/data", MISSING, "missing_key /source/0/fingerprint"),
        ("source/0/fingerprint/geometry", "a1" * 32, "wrong_value /source/0/fingerprint/geometry"),
        ("source/0/fingerprint/shape/1", -3, "out_of_range /source/0/fingerprint/shape/1"),
        ("source/0/fingerprint", 1, "wrong_type /source/0/fingerprint"),
        ("source/0/header", [], "wrong_type /source/0/header"),
        ("source/0/header", {}, ""),
        ("source/0/files", [], ""),
        ("source/0/fingerprint/geometry", MISSING, ""),
        ("source/0/header/fields", NAN, ""),
        ("source", [], ""),
    ],
)
def test_one_change_to_a_valid_source_and_all_that_is_wrong_then(path, value, expected):
    found = check_source_document(changed(SOURCE, (path, value))).problems
    assert ", ".join(f"{problem.code} {pointer(problem.at)}" for problem in found) == expected


def test_user_metadata_is_a_map_that_holds_anything():
    assert check_user_document({"user": {"a": [NAN, b"x", None]}}).problems == ()
    for document, code in (({}, "missing_key"), ({"user": [1]}, "wrong_type")):
        assert [problem.code for problem in check_user_document(document).problems] == [code]
