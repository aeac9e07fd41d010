import numpy as np

from mlarray.layout import compression
from mlarray.layout.arguments import Wanted, resolve_layout, storage_document
from mlarray.layout.records import Layout
from mlarray.layout.suggest import suggest_layout


def suggest(given):
    chunk, block = suggest_layout(given.pop("shape"), given.pop("dtype"), **given)
    return {"chunk": chunk, "block": block}


def resolve(given):
    shape, dtype, types = given.pop("shape"), np.dtype(given.pop("dtype")), given.pop("types")
    layout = resolve_layout(shape, dtype, types, recorded=given.pop("recorded", None), wanted=Wanted(**given))
    return {
        "chunk": layout.chunk,
        "block": layout.block,
        "patch": layout.patch,
        "compression": compression.document(layout.compression),
    }


def document(given):
    if given["layout"] is None:
        return storage_document(None)
    packed = compression.from_document(given.get("compression"))
    sizes = {key: value and tuple(value) for key, value in given["layout"].items()}
    return storage_document(Layout(**sizes, compression=packed))


OPS = {
    "mlarray.layout.suggest": suggest,
    "mlarray.layout.resolve": resolve,
    "mlarray.storage.document": document,
    "mlarray.storage.compression": lambda given: compression.document(
        compression.from_document(given.get("compression"))
    ),
}
