"""Pyramids from documents: what is read of a store to list, place and describe levels."""

import pickle

import pytest

from worldarray.describing.describe import describe_array
from worldarray.describing.listing import describe_level, level_location, list_pyramid
from worldarray.documents.source import MappingSource
from worldarray.errors import PlacementError, StoreNotFoundError
from worldarray.paths import parse_path
from worldarray.records import Level

ZARR2 = {"zarr_format": 2, "chunks": [3, 4], "dtype": "|u1", "order": "C", "filters": None, "fill_value": 0}
ZARR2 |= {"compressor": None}
N5 = {"blockSize": [4, 3], "dataType": "uint8", "compression": {"type": "raw"}}
SCALE = {"chunk_sizes": [[4, 3, 2]], "encoding": "raw"}


def dataset(path, scale, translation):
    transforms = [{"type": "scale", "scale": scale}, {"type": "translation", "translation": translation}]
    return {"path": path, "coordinateTransformations": transforms}


DATASETS = [dataset(f"s{i}", [8 * 2**i, 4 * 3**i], [4 * 2**i, 2 * 3**i]) for i in range(3)]
GROUP = {"em/.zgroup": {"zarr_format": 2}, "em/.zattrs": {"multiscales": [{"axes": ["y", "x"], "datasets": DATASETS}]}}
ARRAYS = {f"em/s{i}/.zarray": ZARR2 | {"shape": [40 // 2**i, 54 // 3**i]} for i in range(3)}
VOLUME = {
    "vol/info": {
        "type": "image",
        "data_type": "uint8",
        "num_channels": 1,
        "scales": [
            SCALE | {"key": "a", "size": [8, 7, 6], "resolution": [4, 8, 40], "voxel_offset": [1, 2, 3]},
            SCALE | {"key": "b/c", "size": [4, 4, 6], "resolution": [8, 16, 40]},
        ],
    }
}


class Counting(MappingSource):
    """A store that remembers which folders it was asked for documents of."""

    def __init__(self, store):
        super().__init__(store)
        self.folders = []

    def documents(self, where, keys, *, ancestor=False):
        self.folders.append(where.text)
        return super().documents(where, keys, ancestor=ancestor)


def test_listing_and_placing_a_group_reads_its_own_documents_alone():
    source = Counting({**GROUP, **ARRAYS})
    listing = list_pyramid(source, parse_path("em"))
    assert set(source.folders) == {"em"}
    # centres: half a voxel of 8, 16, 32 and of 4, 12, 36
    assert listing.levels == (
        Level("s0", (8.0, 4.0), (4.0, 2.0)),
        Level("s1", (16.0, 12.0), (8.0, 6.0)),
        Level("s2", (32.0, 36.0), (16.0, 18.0)),
    )


def test_levels_are_over_the_spatial_axes_alone():
    axes = [{"name": "c", "type": "channel"}, {"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    attrs = {"multiscales": [{"axes": axes, "datasets": [dataset("s0", [1, 8, 4], [7, 4, 2])]}]}
    listing = list_pyramid(MappingSource({**GROUP, "em/.zattrs": attrs}), parse_path("em"))
    assert listing.levels == (Level("s0", (8.0, 4.0), (4.0, 2.0)),)
    assert listing.placements[0].translation == (7.0, 4.0, 2.0)


def test_describing_every_level_reads_each_level_once_and_the_group_once():
    source = Counting({**GROUP, **ARRAYS})
    listing = list_pyramid(source, parse_path("em"))
    source.folders.clear()
    read = {}
    metas = [describe_level(source, listing, name, read=read).meta for name in listing.names]
    assert source.folders == ["em/s0", "em/s1", "em/s2"]
    assert [meta.shape for meta in metas] == [(40, 54), (20, 18), (10, 6)]
    assert [meta.translation for meta in metas] == [(4.0, 2.0), (8.0, 6.0), (16.0, 18.0)]


def test_folders_above_a_group_without_multiscales_are_read_once_for_all_levels():
    store = {f"x/y/em/s{i}/attributes.json": N5 | {"dimensions": [8, 6]} for i in range(3)}
    source = Counting(store)
    listing = list_pyramid(source, parse_path("x/y/em"))
    source.folders.clear()
    read = {}
    for name in listing.names:
        describe_level(source, listing, name, read=read)
    above = [folder for folder in source.folders if "/s" not in folder]
    assert sorted(above) == sorted(set(above))


@pytest.mark.parametrize(("store", "path"), [({**GROUP, **ARRAYS}, "em"), (VOLUME, "vol")])
def test_a_level_is_described_alike_by_its_listing_and_by_its_path(store, path):
    source = MappingSource(store)
    listing = list_pyramid(source, parse_path(path))
    for name in listing.names[:1]:
        meta = describe_array(source, parse_path(path).join(name)).meta
        assert describe_level(source, listing, name).meta == meta
        assert level_location(listing, name).text == meta.path


def test_a_scale_whose_key_has_two_segments_is_described_by_its_listing():
    source = MappingSource(VOLUME)
    listing = list_pyramid(source, parse_path("vol"))
    meta = describe_level(source, listing, "b/c").meta
    assert (meta.path, meta.shape, meta.translation) == ("vol/b/c", (6, 4, 4), (20.0, 8.0, 4.0))


def test_a_folder_between_a_group_and_its_level_has_the_first_say():
    between = {"axes": ["y", "x"], "datasets": [dataset("s0", [5, 7], [1, 2])]}
    above = {"axes": ["y", "x"], "datasets": [dataset("a/s0", [8, 4], [4, 2])]}
    store = {"em/.zgroup": {"zarr_format": 2}, "em/.zattrs": {"multiscales": [above]}}
    store |= {"em/a/.zattrs": {"multiscales": [between]}, "em/a/s0/.zarray": ARRAYS["em/s0/.zarray"]}
    for found in (store, {key: value for key, value in store.items() if key != "em/a/.zattrs"}):
        source = MappingSource(found)
        listing = list_pyramid(source, parse_path("em"))
        meta = describe_level(source, listing, "a/s0").meta
        assert meta == describe_array(source, parse_path("em/a/s0")).meta
        assert meta.voxel_size == ((5.0, 7.0) if "em/a/.zattrs" in found else (8.0, 4.0))


BESIDE = [
    {"types": ["space", "channel"]},
    {"voxel_size": [8, 4], "offset": [100, 200]},
    {"resolution": [8, 4], "units": ["nm", "nm"], "offset": [1, 1]},
    {"multiscales": [{"axes": ["y", "x"], "datasets": [dataset(".", [3, 5], [1, 2])]}]},
    {"ome": {"multiscales": [{"axes": ["y", "x"], "datasets": [dataset(".", [3, 5], [1, 2])]}]}},
    {"transform": {"scale": [3, 5], "translate": [1, 2]}, "scale": [3, 5], "_ARRAY_DIMENSIONS": ["a", "b"]},
    {"axis_names": ["y", "c^"]},
    {},
]


@pytest.mark.parametrize("own", BESIDE)
@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("group", [{}, {"voxel_size": [8, 4], "types": ["channel", "space"]}])
def test_a_level_with_attributes_of_its_own_is_described_alike_by_its_listing_and_by_its_path(own, typed, group):
    axes = [{"name": name, "type": "space", "unit": "nm"} if typed else {"name": name} for name in "yx"]
    attrs = {"multiscales": [{"axes": axes, "datasets": DATASETS}], **group}
    source = MappingSource({**GROUP, **ARRAYS, "em/.zattrs": attrs, "em/s0/.zattrs": own})
    listing = list_pyramid(source, parse_path("em"))
    assert describe_level(source, listing, "s0").meta == describe_array(source, parse_path("em/s0")).meta


def test_a_level_that_is_listed_and_not_there_says_so():
    source = MappingSource({**GROUP, "em/s0/.zarray": ARRAYS["em/s0/.zarray"]})
    listing = list_pyramid(source, parse_path("em/s0"))
    assert listing.names == ("s0", "s1", "s2")
    assert describe_level(source, listing, "s0").meta.shape == (40, 54)
    with pytest.raises(StoreNotFoundError, match="listed as a level of em") as error:
        describe_level(source, listing, "s1")
    assert error.value.at == ("em/s1",)


def test_a_level_in_another_format_than_its_group_is_found():
    store = {**GROUP, "em/s0/attributes.json": N5 | {"dimensions": [54, 40]}}
    source = MappingSource(store)
    listing = list_pyramid(source, parse_path("em"))
    assert describe_level(source, listing, "s0").meta.format == "n5"


def test_a_dataset_may_lie_beside_the_group():
    attrs = {"multiscales": [{"datasets": [dataset("../raw/s0", [8, 4], [4, 2])]}]}
    store = {**GROUP, "em/.zattrs": attrs, "raw/s0/.zarray": ZARR2 | {"shape": [6, 7]}}
    source = MappingSource(store)
    listing = list_pyramid(source, parse_path("em"))
    assert level_location(listing, listing.names[0]).text == "raw/s0"
    assert describe_level(source, listing, listing.names[0]).meta.shape == (6, 7)


def test_conflicting_documents_of_a_level_are_noted_when_asked():
    store = {**GROUP, **ARRAYS, "em/s0/.zattrs": {"voxel_size": [9, 9]}}
    source = MappingSource(store)
    listing = list_pyramid(source, parse_path("em"))
    with pytest.raises(PlacementError):
        describe_level(source, listing, "s0")
    assert [n.code for n in describe_level(source, listing, "s0", conflicts="warn").meta.notices] == ["conflict"]


def test_a_listing_pickles():
    listing = list_pyramid(MappingSource({**GROUP, **ARRAYS}), parse_path("em"))
    assert pickle.loads(pickle.dumps(listing)) == listing
