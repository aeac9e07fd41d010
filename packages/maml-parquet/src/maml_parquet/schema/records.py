"""A column as it is to be written, and as it was."""

from __future__ import annotations

from dataclasses import dataclass

from maml_parquet.sections.qc import Qc
from maml_parquet.sections.sizes import Size
from maml_parquet.sections.types import TypeToken


@dataclass(frozen=True)
class Column:
    """A column of a table to be written.

    Attributes
    ----------
    name
        The name inside the program: every function takes this one.
    output_name
        The name in the file, its header and its MAML.
    kind
        Its type.
    col_size
        Elements of a row: 1 is a scalar, more a vector; ``auto`` is decided by the first rows.
    array_size
        Characters (code points) that strings have at most; ``auto`` is the longest that is written.
    is_limited
        Whether `array_size` was declared as a number; strings without one are as long as they are.
    qc
        Bounds and Nulls that are checked; None where nothing was declared.
    is_protected
        Nulls are an error, and the file says that there are none.
    is_nullable
        The file says that there may be Nulls, whatever the rows hold.
    is_enabled
        Whether it is written.
    is_declared
        False for a column that a program knows and the user's MAML leaves out: it is never written.
    """

    name: str
    output_name: str
    kind: TypeToken
    col_size: Size = 1
    array_size: Size = 1
    is_limited: bool = False
    unit: str = ""
    info: str = ""
    ucd: str = ""
    qc: Qc | None = None
    is_protected: bool = False
    is_nullable: bool = False
    is_enabled: bool = True
    is_declared: bool = True


@dataclass(frozen=True)
class WrittenColumn:
    """A column as a file's header tells it: its name in the file, sizes as they came out."""

    name: str
    kind: TypeToken
    col_size: int = 1
    array_size: int = 1
    unit: str = ""
    info: str = ""
    ucd: str = ""


@dataclass(frozen=True)
class TableEntry:
    """An entry of a table's metadata as it is written.

    `datatype` is the type of a value that a program gave: one of ``int32 int64 float32 float64 boolean``, those with
    ``[]`` behind for lists, ``string[]``; empty for text, and for all that a MAML says.
    """

    key: str
    value: str
    description: str = ""
    datatype: str = ""
