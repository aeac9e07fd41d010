from worldarray.resample import identity_axis, plan_axis, resample, target_axis


def grid(n, given):
    given = {key: given[key] for key in ("source_size", "target_size", "corner", "anchor") if key in given}
    return target_axis(n, given.pop("source_size"), given.pop("target_size"), **given)


def target(given):
    axis = grid(given["n"], given)
    fractions = {
        key: [value.numerator, value.denominator] for key, value in (("ratio", axis.ratio), ("shift", axis.shift))
    }
    return {**fractions, "first": axis.first, "stop": axis.stop}


def profile(given):
    axes = [{key: given[key] for key in given if key not in ("array", "begin", "end", "method", "edge")}]
    found = volume({**given, "axes": axes, "begin": [given["begin"]], "end": [given["end"]]})
    return {**found, "data": found["data"][0]}


def volume(given):
    array, edge = given["array"].as_numpy(), given.get("edge", False)
    plans = [
        identity_axis(n, begin, end, edge=edge)
        if axis is None
        else plan_axis(grid(n, axis), begin, end, given["method"], edge=edge)
        for n, axis, begin, end in zip(array.shape, given["axes"], given["begin"], given["end"], strict=True)
    ]
    values = resample(array[tuple(slice(*plan.source) for plan in plans)], plans)
    return {"data": [list(plan.data) for plan in plans], "values": values}


OPS = {"resample.target": target, "resample.axis": profile, "resample.array": volume}
