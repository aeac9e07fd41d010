import numpy as np

from mlarray.errors import ArgumentError, FormatError
from mlarray.header import report, units
from mlarray.header.canonical import canonical
from mlarray.header.check import axis_types, check, check_source_document, check_user_document
from mlarray.header.parse import parse
from mlarray.header.wire import decode, encode
from worldarray_conformance import Answer

CHECKS = {"mlarray.source": check_source_document, "mlarray.user": check_user_document}


def stored(given):
    """The bytes of a metadata key: as they are given, or of the map that is given."""
    return given["bytes"] if "bytes" in given else encode(given["header"])


def read(given):
    found = parse(stored(given), given["shape"], np.dtype(given["dtype"]), strict=given.get("strict", True))
    return Answer({"header": found.document, "axis_types": list(axis_types(found.document))}, found.notices)


def every_problem(given):
    dtype = np.dtype(given["dtype"]) if "dtype" in given else None
    found = check(decode(stored(given)), given.get("shape"), dtype)
    listed = [{"code": problem.code, "at": list(problem.at)} for problem in found.problems]
    return sorted(listed, key=lambda problem: ([str(part) for part in problem["at"]], problem["code"]))


def write(given):
    document = from_tree(given["header"])
    return to_tree(canonical(document, writer=given["writer"], had=frozenset(given.get("held", []))))


def read_lazy(given):
    document = decode(stored(given), key=given["key"], unique=False)
    found = CHECKS[given["key"]](document)
    if found.problems:
        raise FormatError(*found.problems)
    return document


def resolve(given):
    problems = report.Report()
    report.unit(given, (), problems)
    if problems.problems:
        raise ArgumentError(*problems.problems)
    unit, code = units.resolve(given.get("unit"), given.get("unit_code"))
    return {"unit": unit, "unit_code": code}


def from_tree(value):
    """A value whose maps are written as `{"map": [[key, value], …]}`, so that the order of keys counts."""
    if isinstance(value, dict):
        return {key: from_tree(item) for key, item in value["map"]}
    return [from_tree(item) for item in value] if isinstance(value, list) else value


def to_tree(value):
    if isinstance(value, dict):
        return {"map": [[key, to_tree(item)] for key, item in value.items()]}
    return [to_tree(item) for item in value] if isinstance(value, list) else value


OPS = {
    "mlarray.header.read": read,
    "mlarray.header.check": every_problem,
    "mlarray.header.write": write,
    "mlarray.header.encode": lambda given: encode(from_tree(given["header"])),
    "mlarray.lazy.read": read_lazy,
    "mlarray.units.resolve": resolve,
    "mlarray.units.table": lambda given: dict(units.codes()),
}
