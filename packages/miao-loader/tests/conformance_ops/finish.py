import torch

from miao.errors import ArgumentError
from miao.finish.assembling import as_tensor, computable
from miao.finish.normalise import divisor, normalise, patch_normalise
from miao.records import Normalisation


def of_sample(given):
    rule = Normalisation(given.get("normalize", True), given.get("low"), given.get("high"))
    arrays = [array.as_numpy() for array in given["scales"]]
    dtype = arrays[0].dtype.name
    try:
        divisor(dtype, rule)
    except ArgumentError as error:
        raise ArgumentError(error.message, code=error.code, at=("scales", 0)) from error
    scales = [normalise(computable(as_tensor(array)), dtype, rule) for array in arrays]
    if given.get("patch_normalize", False):
        # Scales of a sample are of one size; here each is standardised beside the coarsest.
        coarsest = scales[given.get("coarsest", 0)].reshape(-1).clone()
        for position, scale in enumerate(scales):
            stack = torch.full((2, max(scale.numel(), coarsest.numel())), float("nan"))
            stack[0, : coarsest.numel()], stack[1, : scale.numel()] = coarsest, scale.reshape(-1)
            scales[position] = patch_normalise(stack, 0, 0)[1, : scale.numel()].view(scale.shape)
    return [scale.numpy() for scale in scales]


OPS = {"loader.normalise": of_sample}
