"""The text in front of the voxels of NRRD and MetaImage files, kept as it stands."""

from __future__ import annotations

from typing import Any, Final

_LONGEST: Final = 1 << 20
_LAST_OF_META: Final = b"ElementDataFile"


def raw_header(content: bytes, name: str) -> dict[str, Any]:
    r"""Return the text of a header and its fields; nothing for other formats.

    Examples
    --------
    >>> raw_header(b"NRRD0004\ntype: short\nspace:=x\n\n12", "nrrd")["fields"]
    {'type': 'short'}
    """
    head = content[:_LONGEST]
    if name == "nrrd" and head.startswith(b"NRRD"):
        end = min((at for at in (head.find(b"\n\n"), head.find(b"\r\n\r\n")) if at >= 0), default=len(head))
        return _described(head[:end], ": ")
    if name == "metaimage" and (at := head.find(_LAST_OF_META)) >= 0:
        end = head.find(b"\n", at)
        return _described(head[: end if end >= 0 else len(head)], "=")
    return {}


def _described(raw: bytes, separator: str) -> dict[str, Any]:
    text = raw.decode("utf-8", "replace")
    fields = {}
    for line in text.splitlines():
        key, found, value = line.partition(separator)
        if found and not line.startswith("#") and ":=" not in line:
            fields[key.strip()] = value.strip()
    return {"raw": raw, "fields": fields}
