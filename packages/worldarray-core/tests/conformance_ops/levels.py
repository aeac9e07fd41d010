from worldarray.levels import check_levels, misplaced_levels, select_level
from worldarray_conformance import Answer


def select(given):
    levels = [(level["name"], level["voxel_size"]) for level in given["levels"]]
    mode = {"mode": given["mode"]} if "mode" in given else {}
    return select_level(levels, given["voxel_size"], **mode).name


def check(given):
    levels = [(level["name"], level["voxel_size"], level["translation"]) for level in given["levels"]]
    declared = [level.get("declared", False) for level in given["levels"]]
    found = [
        {"name": m.name, "translation": m.translation, "block_mean_translation": m.block_mean_translation}
        for m in misplaced_levels(levels, declared)
    ]
    return Answer(found, check_levels(levels, declared))


OPS = {"levels.select": select, "levels.check": check}
