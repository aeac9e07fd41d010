"""The documents of a new array or group as bytes, and what a level takes over from the array it is made like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from worldarray.documents.dtypes import EXTENDED
from worldarray.documents.facts import StorageFacts
from worldarray.records import Format
from worldarray_write.codecs import codecs_of_facts
from worldarray_write.json_values import render
from worldarray_write.layout import ArrayLayout, Storing

# Of an array that exists ---------------------------------------------------------------------------------------------


def storing_of(facts: StorageFacts) -> Storing:
    """Return how an array's chunks are keyed and ordered, for a level that is made like it.

    Examples
    --------
    >>> from worldarray.documents.zarr2 import parse_zarr2
    >>> doc = {"zarr_format": 2, "shape": [8], "chunks": [4], "dtype": "|u1", "fill_value": 0, "compressor": None,
    ...        "order": "F", "filters": None}
    >>> storing_of(parse_zarr2(doc, (".zarray",)))
    Storing(separator='.', encoding='v2', order='F', index_location='end')
    """
    location = "end"
    for codec in facts.metadata.get("codecs") or ():
        if codec["name"] == "sharding_indexed":
            location = codec["configuration"]["index_location"]
    return Storing(
        separator=facts.storage.separator,
        encoding=facts.storage.encoding,
        order=facts.metadata.get("order", "C"),
        index_location=location,
    )


def like(facts: StorageFacts) -> dict[str, Any]:
    """Return the fields of `Wanted` that a level takes over from the array it is made like, but its shape and place.

    Raises
    ------
    ArgumentError
        The array is of a format that is not written.
    """
    return {
        "dtype": facts.dtype,
        "format": facts.format,
        "chunks": facts.chunk_shape,
        "shards": facts.shard_shape,
        "fill_value": facts.fill_value,
        "codecs": codecs_of_facts(facts),
        "storing": storing_of(facts),
    }


# Documents -----------------------------------------------------------------------------------------------------------


def array_documents(layout: ArrayLayout) -> dict[str, bytes]:
    """Return the documents of an array by their keys in its folder, in the order they are to be written.

    The document that makes it an array comes last. The bytes follow from the layout alone.

    Examples
    --------
    >>> from worldarray_write.layout import Wanted, validate
    >>> planned = validate(Wanted((60, 200), "uint16", (30, 8), (15, 4), "zarr2", chunks=(10, 64), attrs={"by": "me"}))
    >>> list(array_documents(planned.layout))
    ['.zattrs', '.zarray']
    """
    return {key: render(document) for key, document in _DOCUMENTS[layout.format](layout).items()}


def group_documents(format: Format, attributes: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the documents of a new group with these attributes, by their keys, in the order they are to be written.

    Examples
    --------
    >>> list(group_documents("zarr2", {})), list(group_documents("zarr3", {}))
    (['.zgroup', '.zattrs'], ['zarr.json'])
    """
    if format == "zarr2":
        return {".zgroup": render({"zarr_format": 2}), ".zattrs": render(attributes)}
    return {"zarr.json": render({"zarr_format": 3, "node_type": "group", "attributes": attributes})}


def _zarr2(layout: ArrayLayout) -> dict[str, Any]:
    document = {
        "zarr_format": 2,
        "shape": list(layout.shape),
        "chunks": list(layout.chunks),
        "dtype": layout.scalar.name if layout.scalar.name in EXTENDED else _little(layout.dtype),
        "compressor": layout.codecs,
        "fill_value": layout.fill.stored,
        "order": layout.order,
        "filters": None,
        "dimension_separator": layout.separator,
    }
    return {**({".zattrs": layout.attrs} if layout.attrs else {}), ".zarray": document}


def _little(dtype: np.dtype[Any]) -> str:
    return str(dtype.newbyteorder("<").str)


def _zarr3(layout: ArrayLayout) -> dict[str, Any]:
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(layout.shape),
        "data_type": layout.scalar.name,
        "chunk_grid": {
            "name": "regular",
            "configuration": {"chunk_shape": list(layout.shards or layout.chunks)},
        },
        "chunk_key_encoding": {"name": layout.encoding, "configuration": {"separator": layout.separator}},
        "fill_value": layout.fill.stored,
        "codecs": stored_codecs(layout),
        "dimension_names": list(layout.dimension_names),
        "attributes": layout.attrs,
    }
    return {"zarr.json": document}


def stored_codecs(layout: ArrayLayout) -> Any:
    """Return the codecs as the array's document has them: of a sharded array the sharding codec around its own."""
    if layout.shards is None:
        return layout.codecs
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    configuration = {
        "chunk_shape": list(layout.chunks),
        "codecs": layout.codecs,
        "index_codecs": [little, {"name": "crc32c"}],
        "index_location": layout.index_location,
    }
    return [{"name": "sharding_indexed", "configuration": configuration}]


_DOCUMENTS: Final[Mapping[str, Callable[[ArrayLayout], dict[str, Any]]]] = {"zarr2": _zarr2, "zarr3": _zarr3}
