from worldarray import units


def parse(given):
    unit = units.parse(given["text"])
    if unit is None:
        return None
    return {
        "name": unit.name,
        "abbreviation": unit.abbreviation,
        "dimension": unit.dimension,
        "factor": [unit.factor.numerator, unit.factor.denominator],
    }


OPS = {
    "units.parse": parse,
    "units.convert": lambda given: units.convert(given["value"], units.factor(given["source"], given["target"])),
    "units.abbreviation": lambda given: units.abbreviation(given["text"]),
    "units.same": lambda given: units.same(given["a"], given["b"]),
}
