"""A folder at a chunk's key is found however the read lies on the chunks, and only where fill was read."""

from __future__ import annotations

import numpy as np
import pytest

from worldarray.documents.zarr2 import parse_zarr2
from worldarray.errors import DataError
from worldarray.io.folders import refuse_folders
from worldarray.paths import parse_path

# 6 by 10 voxels in chunks of 3 by 4; the folder stands at chunk (1, 2): voxels 3 to 5 and 8 to 9
KEY = "1.2"


def facts(fill=0, dtype="<u2"):
    document = {
        "zarr_format": 2,
        "shape": [6, 10],
        "chunks": [3, 4],
        "dtype": dtype,
        "order": "C",
        "filters": None,
        "fill_value": fill,
        "compressor": None,
    }
    return parse_zarr2(document, (".zarray",))


def stored(fill=0, dtype="u2", data=7):
    values = np.full((6, 10), data, dtype)
    values[3:, 8:] = fill
    return values


@pytest.fixture
def folder(tmp_path):
    (tmp_path / KEY).mkdir()
    return parse_path(tmp_path)


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (slice(4, 5), slice(9, 10)),  # one voxel
        (slice(3, 6), slice(8, 10)),  # the chunk
        (slice(0, 6), slice(0, 10)),  # everything, from a chunk's begin
        (slice(3, 6), slice(4, 10)),  # two chunks, from a chunk's begin
        (slice(2, 6), slice(1, 10)),  # from within a chunk
        (slice(0, 6), slice(5, 10)),  # from within a chunk on one axis
        (slice(1, 6, 3), slice(0, 10, 3)),  # with steps: rows 1 and 4, columns 0, 3, 6 and 9
        (4, slice(0, 10)),  # a pinned row, from a chunk's begin
        (slice(0, 6), 9),
    ],
)
def test_it_is_found_wherever_the_read_begins(folder, rows, columns):
    with pytest.raises(DataError) as caught:
        refuse_folders(folder, facts(), (rows, columns), stored()[rows, columns])
    assert caught.value.at == (f"{folder.text}/{KEY}",)


@pytest.mark.parametrize(("rows", "columns"), [(slice(0, 3), slice(0, 10)), (slice(0, 6), slice(0, 8)), (3, 7)])
def test_a_read_beside_it_is_not_refused(folder, rows, columns):
    refuse_folders(folder, facts(), (rows, columns), stored()[rows, columns])


@pytest.mark.parametrize(("fill", "dtype"), [("NaN", "<f4"), (0, "|b1"), (None, "<i8"), (9, "|u1")])
def test_fill_is_told_in_every_kind_of_number(folder, fill, dtype):
    value = float("nan") if fill == "NaN" else fill or 0
    values = stored(value, np.dtype(dtype), data=1)
    for box in ((slice(4, 5), slice(9, 10)), (slice(0, 6), slice(0, 10)), (slice(1, 6), slice(1, 10))):
        with pytest.raises(DataError):
            refuse_folders(folder, facts(fill, dtype), box, values[box])


def test_data_where_the_folder_stands_is_not_looked_up(folder):
    # no read gives data there; it shows that one that is no fill costs no look
    refuse_folders(folder, facts(), (slice(0, 6), slice(0, 10)), np.full((6, 10), 7, "u2"))


@pytest.mark.parametrize("separator", [".", "/"])
@pytest.mark.parametrize("strays", [0, 400], ids=["few", "many"])
@pytest.mark.parametrize("linked", [False, True], ids=["folder", "link"])
def test_it_is_found_among_many_missing_chunks_whatever_else_its_parent_holds(tmp_path, separator, strays, linked):
    # 3 by 40 chunks of one voxel, all fill; the folder stands at chunk (1, 25)
    document = {"zarr_format": 2, "shape": [3, 40], "chunks": [1, 1], "dtype": "|u1", "order": "C", "filters": None}
    document |= {"fill_value": 0, "compressor": None, "dimension_separator": separator}
    place = tmp_path / separator.join(("1", "25"))
    place.parent.mkdir(exist_ok=True)
    for i in range(strays):
        (place.parent / f"stray{i}").touch()
    (place.parent / "stray folder").mkdir()
    block, box = np.zeros((3, 40), "u1"), (slice(0, 3), slice(0, 40))
    where = parse_path(tmp_path)
    refuse_folders(where, parse_zarr2(document, (".zarray",)), box, block)
    if linked:
        place.symlink_to(tmp_path, target_is_directory=True)
    else:
        place.mkdir()
    with pytest.raises(DataError) as caught:
        refuse_folders(where, parse_zarr2(document, (".zarray",)), box, block)
    assert caught.value.at == (f"{where.text}/1{separator}25",)


def test_a_file_where_the_folder_of_many_chunks_belongs_is_no_folder(tmp_path):
    document = {"zarr_format": 2, "shape": [3, 40], "chunks": [1, 1], "dtype": "|u1", "order": "C", "filters": None}
    document |= {"fill_value": 0, "compressor": None, "dimension_separator": "/"}
    for row in range(3):
        (tmp_path / str(row)).touch()
    box = (slice(0, 3), slice(0, 40))
    refuse_folders(parse_path(tmp_path), parse_zarr2(document, (".zarray",)), box, np.zeros((3, 40), "u1"))
