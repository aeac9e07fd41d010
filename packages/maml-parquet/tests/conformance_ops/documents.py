"""What a text says: sections, fields, entries, and what is wrong with it."""

import warnings

from maml_parquet import MamlError, entries, parse, problems, validate_user
from maml_parquet.sections.qc import BoundError, parse_bound
from maml_parquet.sections.sizes import parse_size
from maml_parquet.sections.types import TypeToken, parse_type


def told(found):
    return [{"code": problem.code, "at": list(problem.at), "line": problem.line} for problem in found]


def quietly(given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parse(**given)


def answered(function):
    """Answer an error with its problems."""

    def answer(given):
        try:
            return function(given)
        except MamlError as error:
            return {"problems": told(error.problems)}

    return answer


def type_of(kind):
    return {"base": kind.base, "unit": kind.unit, "utc": kind.utc} if isinstance(kind, TypeToken) else None


def bound_of(bound):
    return None if bound is None else {"operator": bound.operator, "value": bound.value}


def field_of(field):
    qc = field.qc and {"min": bound_of(field.qc.min), "max": bound_of(field.qc.max), "miss": field.qc.miss}
    plain = ("name", "col_size", "array_size", "unit", "info", "ucd", "source", "line")
    return {name: getattr(field, name) for name in plain} | {"data_type": type_of(field.data_type), "qc": qc}


def renames_of(renames):
    return [{"internal": rename.internal, "external": rename.external} for rename in renames]


def maml_of(given):
    maml = quietly(given)
    extra = maml.extra
    return {
        "sections": [section.name for section in maml.sections],
        "fields": [field_of(field) for field in maml.fields],
        "col_map": renames_of(extra.col_map),
        "remap": renames_of(extra.remap),
    } | {
        name: [item.text for item in getattr(extra, name)]
        for name in ("protected_cols", "nullable_cols", "filter", "sort")
    }


def problems_of(given):
    found = problems(**given)
    return {"problems": told(found), "notices": [] if found else told(quietly(given).notices)}


def entries_of(given):
    found = entries(quietly(given))
    return [{"key": entry.key, "value": entry.value, "description": entry.description} for entry in found]


def qc_bound(given):
    kind = parse_type(given["data_type"]) if "data_type" in given else None
    bound = parse_bound(given["text"], given["side"], kind)
    return {"code": bound.code} if isinstance(bound, BoundError) else bound_of(bound)


OPS = {
    "maml.problems": problems_of,
    "maml.parse": answered(maml_of),
    "maml.entries": answered(entries_of),
    "maml.type": lambda given: type_of(parse_type(given["text"])),
    "maml.size": lambda given: parse_size(given["text"]),
    "maml.qc_bound": qc_bound,
    "maml.user": answered(
        lambda given: renames_of(validate_user(quietly({"text": given["user"]}), quietly({"text": given["base"]})))
    ),
}
