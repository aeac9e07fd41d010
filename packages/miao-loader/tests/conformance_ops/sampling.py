from miao.records import LevelInfo, PyramidInfo, ResolutionRanges, SamplingRules, VolumeInfo
from miao.sampling.places import places_of
from miao.sampling.sampler import Sampler
from miao.sampling.sizes import probabilities


def floats(values):
    return tuple(float(value) for value in values)


def level(name, given):
    translation = given.get("translation")
    return LevelInfo(
        name=name,
        path=name,
        shape=tuple(given["shape"]),
        voxel=floats(given["voxel"]),
        translation=None if translation is None else floats(translation),
        chunk=tuple(given.get("chunk", given["shape"])),
        dtype="uint8",
    )


def pyramid(given, what):
    if what not in given:
        return None
    levels = tuple(level(f"{what}/{index}", raw) for index, raw in enumerate(given[what]))
    return PyramidInfo(what, levels, given["axes"])


def resolutions(given):
    if isinstance(given, dict):
        bounds = tuple((floats(low), floats(high)) for low, high in given["bounds"])
        return ResolutionRanges(bounds, tuple(given["counts"]), given["sort"])
    return tuple(floats(row) for row in given)


def volume_of(given):
    box = given.get("bounding_box")
    return VolumeInfo(
        name=given["name"],
        image=pyramid(given, "image"),
        patch=tuple(given["patch"]),
        resolutions=resolutions(given["resolutions"]),
        order=tuple(given.get("order", range(len(given["patch"])))),
        label=pyramid(given, "label"),
        mask=pyramid(given, "mask"),
        weight=given.get("weight", 1.0),
        overlap=tuple(given.get("overlap", ())),
        bounding_box=None if box is None else tuple(tuple(span) for span in box),
        label_fill=given.get("label_fill"),
        min_foreground=given.get("min_foreground", 0.0),
    )


def rules_of(given, **fields):
    return SamplingRules(**given.get("rules", {}), **fields)


class Listed:
    """Random numbers that the input lists, and what was asked of them."""

    def __init__(self, numbers):
        self.left = list(numbers)
        self.asked = []

    def choice(self, a, *, p):
        assert len(p) == a
        self.asked.append({"draw": "choice", "weights": p})
        return self.left.pop(0)

    def randint(self, low, high):
        self.asked.append({"draw": "integer", "range": (low, high - 1)})
        return self.left.pop(0)

    def uniform(self, low, high):
        self.asked.append({"draw": "uniform", "range": (low, high)})
        return low + (high - low) * self.left.pop(0)


def sizes(given):
    sampler = Sampler([volume_of(given["volume"])], rules_of(given))
    return {"centres": sampler.ranges[0], "size": sampler.sizes[0]}


def grid(given):
    sampler = Sampler([volume_of(given["volume"])], rules_of(given, sampling="sequential"))
    plans = [sampler.plan(index) for index in given.get("positions", ())]
    return {
        "length": sampler.length,
        "origins": sampler.grid(0).origins(),
        "positions": [
            {"grid_index": plan.grid_index, "centre": plan.centre, "starts": [scale.start for scale in plan.scales]}
            for plan in plans
        ],
    }


def chunks(given):
    places = places_of(volume_of(given["volume"]), rules_of(given))
    return [
        None if table is None else {"chunks": table.chunks, "centres": table.centres, "weights": table.weights}
        for table in places.chunks(places.first)
    ]


def read(plan):
    scale = plan.scale
    answer = {"resolution": scale.resolution, "level": scale.level, "start": plan.start, "size": scale.size}
    if scale.label_level is not None:
        answer |= {"label_level": scale.label_level, "label_start": plan.label_start, "label_size": scale.label_size}
    return answer


def draw(given):
    rng = Listed(given["numbers"])
    plan = Sampler([volume_of(one) for one in given["volumes"]], rules_of(given)).plan(0, rng)
    assert not rng.left, "numbers are left over"
    return {
        "volume": plan.volume,
        "centre": plan.centre,
        "scales": [read(scale) for scale in plan.scales],
        "asked": rng.asked,
    }


def foreground(given):
    masks = given["foreground"].as_numpy(), given.get("level", 0)
    sampler = Sampler([volume_of(given["volume"])], rules_of(given), lambda _: masks)
    index = sampler.foreground(0)
    answer = {"fractions": [index.fraction(tuple(centre)) for centre in given["centres"]]}
    if "numbers" in given:
        rng = Listed(given["numbers"])
        answer |= {"centre": index.draw(rng), "asked": rng.asked}
    return answer


OPS = {
    "loader.sizes": sizes,
    "loader.probabilities": lambda given: probabilities(given["sizes"], given["weights"], given["exponent"]),
    "loader.grid": grid,
    "loader.chunks": chunks,
    "loader.draw": draw,
    "loader.foreground": foreground,
}
