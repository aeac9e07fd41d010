"""Metadata as strict JSON: bytes in base64, what JSON has no numbers for as text."""

from __future__ import annotations

import base64
import json
import math
from typing import Any


def rendered(value: Any) -> str:
    """Return a plain value as JSON text, keys in their order.

    Examples
    --------
    >>> print(rendered({"raw": b"12", "fill": float("nan")}))
    {
      "raw": {
        "$base64": "MTI="
      },
      "fill": "NaN"
    }
    """
    return json.dumps(_strict(value), indent=2, ensure_ascii=False, allow_nan=False)


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    if isinstance(value, bytes):
        return {"$base64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
