"""MAML text to records, and entries and headers from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml
from harness import Goal, Growth, Line, timer

import maml_parquet as mp

_FIELD = """- name: column_{0}
  unit: deg
  info: The column of number {0}, described in a few words.
  ucd: pos.eq.ra;meta.main
  data_type: float64
  qc: {{min: 0, max: '< 360', miss: }}
"""


def _text(fields: int) -> str:
    return "table: t\nauthor: A\nfields:\n" + "".join(map(_FIELD.format, range(fields)))


def lines(_: Path, *, quick: bool) -> Iterator[Line]:
    """Yield a MAML of 1000 fields, through libyaml and into a schema."""
    text = _text(100 if quick else 1000)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reference = timer(lambda: yaml.compose(text, loader))
    says = "yaml.compose of the same text, libyaml where it is there"
    yield Line("parse 1000 fields", reference, timer(lambda: mp.parse(text)), Goal(), says)
    maml = mp.parse(text)
    yield Line("a schema of 1000 fields", reference, timer(lambda: mp.Schema.from_maml(maml)), Goal(), says)


def growth(_: Path, *, quick: bool) -> Iterator[Growth]:
    """Yield parsing, over the number of fields: the cost grows with them and no faster."""
    sizes = (10, 100) if quick else (10, 100, 1000)
    texts = {count: _text(count) for count in sizes}
    points = [(count, timer(lambda text=text: mp.parse(text))) for count, text in texts.items()]
    yield Growth("parse, over fields", points)
