"""Which rows are read and in which order: filters, statistics, sort keys, names."""

from collections.abc import Mapping

from maml_parquet.errors import MamlError
from maml_parquet.rows.filters import Stats, bind, bind_rules, evaluate, keeps, parse_filter
from maml_parquet.rows.kinds import Kind
from maml_parquet.rows.literals import convert
from maml_parquet.rows.remap import remap
from maml_parquet.rows.sorts import bind_sorts, order, parse_sorts
from maml_parquet.rows.trees import And, Literal, Not, Or


def problems(error):
    return {
        "problems": [
            {"code": problem.code, "at": list(problem.at)}
            | ({} if problem.code == "remap" else {"character": problem.column})
            for problem in error.problems
        ]
    }


def answered(function):
    """Answer an error with its problems."""

    def answer(given):
        try:
            return function(given)
        except MamlError as error:
            return problems(error)

    return answer


def kinds_of(given):
    return {name: Kind.of(kind) if isinstance(kind, str) else kinds_of(kind) for name, kind in given.items()}


def stored(value, kind):
    """A value of a row or of statistics: dates and times as counts, everything else as it is."""
    if isinstance(kind, Mapping):
        return None if value is None else {name: stored(one, kind[name]) for name, one in value.items()}
    if value is None or not kind.is_temporal:
        return float(value) if value is not None and kind.is_float else value
    return convert(Literal(value, quoted=True), kind)


def rows_of(given):
    return [stored(row, kinds_of(given["kinds"])) for row in given["rows"]]


def written(tree):
    if isinstance(tree, And | Or):
        return {"and" if isinstance(tree, And) else "or": [written(item) for item in tree.items]}
    if isinstance(tree, Not):
        return {"not": written(tree.item)}
    return {"column": list(tree.path), "op": tree.op, "values": list(tree.values)}


def bound(given):
    return bind(parse_filter(given["rule"], at=("rule",)), kinds_of(given["kinds"]), at=("rule",))


def filter_rows(given):
    rule = bind_rules(given["rules"], kinds_of(given["kinds"]), at=("rules",))
    rows = rows_of(given)
    return [index for index, row in enumerate(rows) if rule is None or evaluate(rule, row) is True]


def prune(given):
    rule = bound(given)
    kinds = kinds_of(given["kinds"])
    bounds = {
        name: Stats(one["rows"], one.get("nulls"), *(stored(one.get(end), kinds[name]) for end in ("min", "max")))
        for name, one in given["stats"].items()
    }
    return keeps(rule, bounds)


def sort(given):
    keys = bind_sorts(parse_sorts(given["keys"], at=("keys",)), kinds_of(given["kinds"]), at=("keys",))
    return [{"column": list(key.path), "descending": key.descending, "nulls_first": key.nulls_first} for key in keys]


def sort_rows(given):
    keys = bind_sorts(parse_sorts(given["keys"], at=("keys",)), kinds_of(given["kinds"]), at=("keys",))
    return list(order(rows_of(given), keys))


def remapped(given):
    return [list(pair) for pair in remap(given["columns"], [tuple(item) for item in given["items"]], at=("items",))]


OPS = {
    "maml.filter": answered(lambda given: written(bound(given))),
    "maml.filter_rows": answered(filter_rows),
    "maml.prune": prune,
    "maml.sort": answered(sort),
    "maml.sort_rows": answered(sort_rows),
    "maml.remap": answered(remapped),
}
