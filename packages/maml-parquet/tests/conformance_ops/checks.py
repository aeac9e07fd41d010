"""Values against bounds, through the columns that are written and read."""

import pyarrow as pa

from maml_parquet.arrow.checks import Check
from maml_parquet.arrow.types import arrow_type
from maml_parquet.rows.bounds import Counts, count
from maml_parquet.rows.kinds import Kind
from maml_parquet.rows.literals import convert
from maml_parquet.rows.trees import Literal
from maml_parquet.sections.qc import Qc, parse_bound, parse_miss
from maml_parquet.sections.types import parse_type


def stored(value, kind):
    """Dates and times as counts, everything else as it is."""
    if isinstance(value, list):
        return [stored(one, kind) for one in value]
    if value is None or not kind.is_temporal:
        return float(value) if value is not None and kind.is_float else value
    return convert(Literal(value, quoted=True), Kind.of(str(kind)))


def qc_check(given):
    kind = parse_type(given["data_type"])
    bounds = [parse_bound(given.get(side, ""), side, kind) for side in ("min", "max")]
    qc = Qc(*bounds, parse_miss(given["miss"]) if "miss" in given else "unchecked")
    rows = [[stored(value, kind) for value in chunk] for chunk in given["chunks"]]
    width = max((len(value) for chunk in rows for value in chunk if isinstance(value, list)), default=1)
    check = Check(qc, kind, "x")
    for chunk in rows:
        check.add(pa.array(chunk, arrow_type(kind, width)))
    elements = [one for chunk in rows for value in chunk for one in (value if isinstance(value, list) else [value])]
    found = Counts(check.nulls, check.valid, check.outside, check.low, check.high)
    assert found == count(elements, qc, kind)
    told = [
        word for word, text in (("nulls", "miss says"), ("bounds", "out of bounds")) if text in str(check.problems())
    ]
    return {name: getattr(found, name) for name in ("nulls", "valid", "outside", "low", "high")} | {"told": told}


OPS = {"maml.qc_check": qc_check}
