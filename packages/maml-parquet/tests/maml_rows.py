"""Rows, rules and keys of every kind, for tests that compare columns with the reference on rows."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

NAN = math.nan
TENTH = float(np.float32(0.1))
"""0.1 as 32 bits hold it, which is not the double 0.1."""

TYPES = {
    "f": pa.float64(),
    "g": pa.float32(),
    "h": pa.float16(),
    "i": pa.int64(),
    "j": pa.int8(),
    "u": pa.uint64(),
    "s": pa.string(),
    "b": pa.bool_(),
    "d": pa.date32(),
    "t": pa.time32("ms"),
    "z": pa.timestamp("us", "UTC"),
}

EVERY = "".join(TYPES)

VALUES = {
    "f": [-1.5, -0.0, 0.0, 0.1, 2.0, 2.0**60, math.inf, -math.inf, NAN],
    "g": [-1.5, -0.0, 0.0, TENTH, 2.0, math.inf, -math.inf, NAN],
    "h": [-1.5, -0.0, 0.0, 2.0, math.inf, NAN],
    "i": [-(2**63), -1, 0, 2**53, 2**53 + 1, 2**63 - 1],
    "j": [-128, -1, 0, 127],
    "u": [0, 1, 2**63, 2**64 - 1],
    "s": ["", "a", "and", "(", "b", "é", "\uffff", "\U0001f600"],
    "b": [False, True],
    "d": [-1, 0, 19753],
    "t": [0, 500, 86_399_999],
    "z": [-1, 0, 86_400_000_000],
}

LITERALS = {
    "f": ["-1.5", "-0.0", "0", "0.1", "2", "1152921504606846976", "inf", "-inf", "1e300"],
    "g": ["-1.5", "-0.0", "0", "0.1", "0.10000000149011612", "2", "inf", "-inf", "1e300"],
    "h": ["-1.5", "-0.0", "0", "0.1", "2", "inf", "1e300"],
    "i": ["-1", "0", "9007199254740992", "9007199254740993", "9223372036854775807", "-9223372036854775808"],
    "j": ["-128", "0", "5", "127"],
    "u": ["0", "1", "9223372036854775808", "18446744073709551615"],
    "s": ['""', '"a"', '"and"', '"("', '"aa"', '"é"', '"\U0001f600"'],
    "b": ["true", "FALSE"],
    "d": ['"1969-12-31"', '"1970-01-01"', '"2024-01-31"'],
    "t": ['"00:00:00"', '"00:00:00.5"', '"23:59:59.999"'],
    "z": ['"1970-01-01"', '"1969-12-31T23:59:59.999999"', '"1970-01-02T00:00:00"'],
}

_ALL = ["==", "/=", "in", "not_in", "is_null", "is_not_null"]
_ORDERING = [">", ">=", "<", "<="]
_FLOATS = ["is_nan", "is_not_nan", "is_finite", "is_not_finite"]
OPS = {name: _ALL + _ORDERING * (name != "b") + _FLOATS * (name in "fgh") for name in TYPES}


def rows(names=EVERY, max_size=12, min_size=0):
    """Lists of rows, every value of which may be Null."""
    row = st.fixed_dictionaries({name: st.none() | st.sampled_from(VALUES[name]) for name in names})
    return st.lists(row, min_size=min_size, max_size=max_size)


@st.composite
def clauses(draw, names=EVERY, prefix=""):
    name = draw(st.sampled_from(names))
    op = draw(st.sampled_from(OPS[name]))
    literal = st.sampled_from(LITERALS[name])
    if op.startswith("is"):
        return f"{prefix}{name} {op}"
    if op.endswith("in"):
        return f"{prefix}{name} {op} ({', '.join(draw(st.lists(literal, min_size=1, max_size=3)))})"
    return f"{prefix}{name} {op} {draw(literal)}"


def rules(leaves, max_leaves=5):
    """Rules over clauses."""
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            inner.map("not ({})".format),
            st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: "({}) {} ({})".format(*parts)),
        ),
        max_leaves=max_leaves,
    )


def column(values, type_):
    """Values of one column, as rows have them, in memory."""
    if pa.types.is_float16(type_):
        return pa.array([None if one is None else np.float16(one) for one in values], type_)
    return pa.array(values, type_)


def table(found, names=EVERY):
    """Rows as a table."""
    return pa.table({name: column([row[name] for row in found], TYPES[name]) for name in names})
