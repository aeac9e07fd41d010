import torch
from scripted import Numbers

from miao.augment import apply_rot90, draw_rot90, spatial_dims_for
from miao.errors import AugmentError
from miao.labels import NEAREST_NEIGHBORHOOD, affinities, erode_labels


def tensor_of(array):
    return torch.from_numpy(array.as_numpy().copy())


def rot90(given):
    dims = given.get("spatial_dims", (-3, -2, -1))
    try:
        return apply_rot90(tensor_of(given["array"]), given["perm"], given["flips"], dims).numpy()
    except AugmentError as error:
        at = ("array",) if error.at[:1] == ("tensors",) else error.at
        raise AugmentError(error.message, code=error.code, at=at) from error


def draw(given):
    perm, flips = draw_rot90(Numbers(*given["numbers"]), fixed_axis=given.get("fixed_axis"))
    return {"perm": list(perm), "flips": list(flips)}


def of_neighbours(given):
    return affinities(tensor_of(given["labels"]), given.get("neighborhood", NEAREST_NEIGHBORHOOD)).numpy()


def erode(given):
    return erode_labels(tensor_of(given["labels"]), given.get("steps", 1), given.get("only_xy", False)).numpy()


OPS = {
    "loader.rot90": rot90,
    "loader.draw_rot90": draw,
    "loader.affinities": of_neighbours,
    "loader.erode": erode,
    "loader.spatial_dims": lambda given: list(spatial_dims_for(given["axes"])),
}
