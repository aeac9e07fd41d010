"""NIfTI both ways: on files of other people's writers, and on headers made here field by field."""

import gzip
import warnings
from pathlib import Path

import numpy as np
import pytest

from mlarray import FormatError, MLArray, MLArrayError, MLArrayWarning
from mlarray.convert import from_nifti, to_nifti
from mlarray.errors import ArgumentError

nibabel = pytest.importorskip("nibabel")

SHIPPED = Path(nibabel.__file__).parent / "tests" / "data"
REAL = ("anatomical.nii", "example4d.nii.gz", "example_nifti2.nii.gz", "functional.nii", "reoriented_anat_moved.nii")
LAS = [[-0.7, 0, 0, 170.1], [0, 0.7, 0, -150.2], [0, 0, 2.5, -87], [0, 0, 0, 1]]
OBLIQUE = [[-0.69282032, -0.45, 0, 170.1], [-0.4, 0.77942286, 0, -150.2], [0, 0, 3, -87], [0, 0, 0, 1]]
VALUES = np.arange(2 * 3 * 4, dtype="i2").reshape(2, 3, 4)
"""Indices x, y, z."""


def write(path, values=VALUES, affine=LAS, codes=(1, 1), kind=nibabel.Nifti1Image, **fields):
    image = kind(values, np.array(affine, float))
    image.set_sform(np.array(affine, float), codes[0])
    image.set_qform(np.array(affine, float) if codes[1] else None, codes[1])
    image.header.set_xyzt_units(2, 8)
    for name, value in fields.items():
        image.header[name] = value
    nibabel.save(image, path)
    return path


def plain(path):
    content = Path(path).read_bytes()
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def quietly(function, *arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MLArrayWarning)
        return function(*arguments, **keywords)


@pytest.mark.parametrize("name", REAL)
def test_a_real_file_comes_back_byte_for_byte(name, tmp_path):
    quietly(from_nifti, SHIPPED / name).save(tmp_path / "a.mla")
    with MLArray.open(tmp_path / "a.mla") as array:
        to_nifti(array, tmp_path / "again.nii")
        to_nifti(array, tmp_path / "again.nii.gz")
        assert array.verify()
    assert (tmp_path / "again.nii").read_bytes() == plain(SHIPPED / name)
    assert plain(tmp_path / "again.nii.gz") == plain(SHIPPED / name)


@pytest.mark.parametrize("name", REAL)
def test_every_voxel_lies_where_nibabel_says(name):
    array, image = quietly(from_nifti, SHIPPED / name), nibabel.load(SHIPPED / name)
    assert array.shape == image.shape[::-1]
    assert np.array_equal(array.physical().T, np.asarray(image.dataobj), equal_nan=True)
    assert array.letter_codes() == "".join(nibabel.aff2axcodes(image.affine))[::-1].translate(str.maketrans("", ""))
    for index in ((0, 0, 0), (2, 1, 3), (1, 5, 2)):
        x, y, z = (image.affine @ (*index, 1))[:3]
        # RAS to LPS turns the signs of x and y; our indices are z, y, x.
        assert array.index_to_space(index[::-1]).tolist() == pytest.approx([-x, -y, z], rel=1e-6, abs=1e-4)


def test_templates_of_nilearn_agree_with_nibabel():
    nilearn = pytest.importorskip("nilearn")
    path = Path(nilearn.__file__).parent / "datasets" / "data" / "mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"
    array, image = quietly(from_nifti, path), nibabel.load(path)
    x, y, z = (image.affine @ (50, 60, 70, 1))[:3]
    assert array.index_to_space((70, 60, 50)).tolist() == [-x, -y, z]
    assert array[70, 60, 50] == image.dataobj.get_unscaled()[50, 60, 70]


def test_the_affine_of_the_example(tmp_path):
    array = from_nifti(write(tmp_path / "a.nii"))
    f = np.float32
    # Columns z, y, x: F A S turns the signs of the rows x and y, and the order of the columns; float32 stays exact.
    assert array.matrix() == [
        [0, 0, float(f(0.7)), float(-f(170.1))],
        [0, float(-f(0.7)), 0, float(f(150.2))],
        [2.5, 0, 0, -87],
        [0, 0, 0, 1],
    ]
    assert array.letter_codes() == "SAL"
    assert np.array_equal(array.to_numpy(), VALUES.T)
    space = array.meta.spaces[0]
    assert (space.name, space.reference.scheme, space.reference.id) == ("patient", "nifti_xform", "1")
    assert len(array.meta.spaces) == 1
    source = array.meta.source[0]
    assert source["format"] == "nifti"
    assert source["index_map"] == {"axes": [2, 1, 0], "flip": [False] * 3}
    assert source["files"][0]["bytes"] == (tmp_path / "a.nii").stat().st_size
    assert source["header"]["fields"]["dim"][:4] == (3, 2, 3, 4)
    entry = array.meta.history[0]
    assert (entry.action, entry["from"]) == ("converted", "nifti")


def test_an_oblique_affine(tmp_path):
    array = from_nifti(write(tmp_path / "a.nii", affine=OBLIQUE))
    assert np.allclose(
        array.matrix(), [[0, 0.45, 0.69282032, -170.1], [0, -0.77942286, 0.4, 150.2], [3, 0, 0, -87], [0, 0, 0, 1]]
    )
    assert array.spacing == pytest.approx([3, 0.9, 0.8], rel=1e-6)
    assert array.letter_codes() == "SAL"


def test_scaling_goes_into_values_and_voxels_stay_as_stored(tmp_path):
    image = nibabel.Nifti1Image(VALUES, np.array(LAS))
    image.header.set_slope_inter(2, -1024)
    image.header.set_xyzt_units(2)
    nibabel.save(image, tmp_path / "a.nii")
    raw = bytearray((tmp_path / "a.nii").read_bytes())
    array = from_nifti(tmp_path / "a.nii")
    assert (array.meta.values.scale, array.meta.values.offset) == (2.0, -1024.0)
    assert array.dtype == np.int16
    raw[112:116] = np.float32(0).tobytes()
    (tmp_path / "b.nii").write_bytes(raw)
    # A slope of 0 means that nothing is scaled.
    assert from_nifti(tmp_path / "b.nii").meta.values.scale == 1


@pytest.mark.parametrize(
    ("codes", "names"), [((2, 0), ["aligned"]), ((0, 3), ["talairach"]), ((4, 1), ["mni"]), ((7, 0), ["nifti_7"])]
)
def test_spaces_are_named_by_their_codes(tmp_path, codes, names):
    path = write(tmp_path / "a.nii", codes=(1, 1))
    raw = bytearray(path.read_bytes())
    raw[252:256] = np.array(codes[::-1], "<i2").tobytes()  # qform_code, sform_code
    path.write_bytes(raw)
    array = from_nifti(path)
    assert [space.name for space in array.meta.spaces] == names


def test_a_qform_that_differs_is_a_second_space(tmp_path):
    image = nibabel.Nifti1Image(VALUES, np.array(LAS))
    image.set_sform(np.array(LAS), 4)
    image.set_qform(np.diag([2.0, 3, 4, 1]), 1)
    image.header.set_xyzt_units(2)
    nibabel.save(image, tmp_path / "a.nii")
    array = from_nifti(tmp_path / "a.nii")
    assert [space.name for space in array.meta.spaces] == ["mni", "patient"]
    assert array.index_to_space((1, 1, 1), "patient").tolist() == [-2.0, -3.0, 4.0]


def test_without_codes_voxel_sizes_alone_are_known(tmp_path):
    path = write(tmp_path / "a.nii", codes=(0, 0))
    with pytest.warns(MLArrayWarning, match="neither sform nor qform"):
        array = from_nifti(path)
    assert array.meta.spaces[0].name == "scanner"
    assert array.letter_codes() is None
    assert array.spacing == pytest.approx([2.5, 0.7, 0.7], rel=1e-7)


def test_time_is_sampled_from_toffset(tmp_path):
    image = nibabel.Nifti1Image(np.zeros((2, 3, 4, 5), "f4"), np.array(LAS))
    image.header["pixdim"][4], image.header["toffset"] = 2.5, 0.5
    image.header.set_xyzt_units("mm", "msec")
    nibabel.save(image, tmp_path / "a.nii")
    array = from_nifti(tmp_path / "a.nii")
    assert array.meta.axis_names == ("t", "z", "y", "x")
    assert array.meta.axis_types[0] == "time"
    assert array.axis_coordinates("t") == [0.5, 3.0, 5.5, 8.0, 10.5]
    assert array.meta.axes[0].unit_code == "ms"


def test_labels_and_vectors_are_told_by_the_intent(tmp_path):
    assert from_nifti(write(tmp_path / "a.nii", intent_code=1002)).meta.values.kind == "label"
    vectors = np.zeros((2, 3, 4, 1, 3), "f4")
    array = from_nifti(write(tmp_path / "v.nii", vectors, intent_code=1007))
    assert array.meta.values.kind == "vector"
    assert array.meta.axis_types == ("component", "time", "space", "space", "space")


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "f4", "f8", "c8", "u2", "i8"])
@pytest.mark.parametrize("kind", [nibabel.Nifti1Image, nibabel.Nifti2Image])
def test_dtypes_and_both_versions_come_back(tmp_path, dtype, kind):
    values = VALUES.astype(dtype)
    path = tmp_path / "a.nii"
    nibabel.save(kind(values, np.array(LAS), dtype=values.dtype), path)
    array = quietly(from_nifti, path)
    assert array.dtype == np.dtype(dtype)
    to_nifti(array, tmp_path / "b.nii")
    assert (tmp_path / "b.nii").read_bytes() == path.read_bytes()


def test_big_endian_comes_back(tmp_path):
    header = nibabel.Nifti1Header(endianness=">")
    header.set_data_dtype(np.dtype(">i2"))
    image = nibabel.Nifti1Image(VALUES.astype(">i2"), np.array(LAS), header)
    nibabel.save(image, tmp_path / "a.nii")
    array = quietly(from_nifti, tmp_path / "a.nii")
    assert array.dtype == np.dtype(">i2")
    to_nifti(array, tmp_path / "b.nii")
    assert (tmp_path / "b.nii").read_bytes() == (tmp_path / "a.nii").read_bytes()


def test_extensions_and_what_follows_the_voxels_come_back(tmp_path):
    image = nibabel.Nifti1Image(VALUES, np.array(LAS))
    image.header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", b"made here"))
    nibabel.save(image, tmp_path / "a.nii")
    with (tmp_path / "a.nii").open("ab") as file:
        file.write(b"tail")
    to_nifti(quietly(from_nifti, tmp_path / "a.nii"), tmp_path / "b.nii")
    assert (tmp_path / "b.nii").read_bytes() == (tmp_path / "a.nii").read_bytes()


def test_a_pair_becomes_one_file_with_the_same_voxels(tmp_path):
    nibabel.save(nibabel.Nifti1Pair(VALUES, np.array(LAS)), tmp_path / "a.img")
    for name in ("a.img", "a.hdr"):
        array = quietly(from_nifti, tmp_path / name)
        assert np.array_equal(array.to_numpy(), VALUES.T)
        assert [file["name"] for file in array.meta.source[0]["files"]] == ["a.hdr", "a.img"]
    to_nifti(array, tmp_path / "b.nii")
    again = nibabel.load(tmp_path / "b.nii")
    assert np.array_equal(np.asarray(again.dataobj), VALUES)
    assert np.allclose(again.affine, LAS)
    assert len((tmp_path / "b.nii").read_bytes()) == 352 + 24 * 2


@pytest.mark.parametrize("kind", [nibabel.Nifti1Pair, nibabel.Nifti2Pair])
def test_a_pair_comes_back_as_a_pair_byte_for_byte(tmp_path, kind):
    nibabel.save(kind(VALUES, np.array(LAS)), tmp_path / "a.img")
    header, voxels = (tmp_path / "a.hdr").read_bytes(), (tmp_path / "a.img").read_bytes()
    to_nifti(quietly(from_nifti, tmp_path / "a.hdr"), tmp_path / "b.img")
    assert (tmp_path / "b.hdr").read_bytes() == header
    assert (tmp_path / "b.img").read_bytes() == voxels
    # A single file becomes a pair that nibabel reads alike.
    to_nifti(quietly(from_nifti, write(tmp_path / "c.nii")), tmp_path / "d.hdr")
    again = nibabel.load(tmp_path / "d.img")
    assert np.array_equal(np.asarray(again.dataobj), VALUES)
    assert np.allclose(again.affine, LAS)
    with pytest.raises(FileExistsError):
        to_nifti(quietly(from_nifti, tmp_path / "a.hdr"), tmp_path / "d.img")


def test_voxels_of_a_pair_begin_where_its_header_says(tmp_path):
    nibabel.save(nibabel.Nifti1Pair(VALUES, np.array(LAS)), tmp_path / "a.img")
    header = bytearray((tmp_path / "a.hdr").read_bytes())
    header[108:112] = np.float32(16).tobytes()
    (tmp_path / "a.hdr").write_bytes(header)
    (tmp_path / "a.img").write_bytes(b"sixteen bytes...".ljust(16) + (tmp_path / "a.img").read_bytes())
    array = quietly(from_nifti, tmp_path / "a.img")
    assert np.array_equal(array.to_numpy(), VALUES.T)
    to_nifti(array, tmp_path / "b.img")
    assert (tmp_path / "b.img").read_bytes() == (tmp_path / "a.img").read_bytes()
    (tmp_path / "a.img").write_bytes(b"short")
    with pytest.raises(FormatError, match=r"a\.img.*truncated"):
        quietly(from_nifti, tmp_path / "a.img")


def test_changed_values_keep_the_header_and_lose_its_window(tmp_path):
    path = write(tmp_path / "a.nii", cal_max=9, descrip=b"mine")
    array = from_nifti(path)
    array[0, 0, 0] = 77
    to_nifti(array, tmp_path / "b.nii")
    again = nibabel.load(tmp_path / "b.nii")
    assert again.header["descrip"] == b"mine"
    assert float(again.header["cal_max"]) == 0.0
    assert np.asarray(again.dataobj)[0, 0, 0] == 77
    assert np.allclose(again.affine, LAS)


def test_changed_geometry_is_written_with_its_old_code_and_a_warning(tmp_path):
    array = from_nifti(write(tmp_path / "a.nii", codes=(4, 4)))
    array.origin = (1.0, 2.0, 3.0)
    with pytest.warns(MLArrayWarning, match="geometry"):
        to_nifti(array, tmp_path / "b.nii")
    again = nibabel.load(tmp_path / "b.nii")
    assert again.affine[:3, 3].tolist() == [-1.0, -2.0, 3.0]
    assert int(again.header["sform_code"]) == 4


def test_a_changed_scale_time_or_kind_is_written_though_no_voxel_changed(tmp_path):
    image = nibabel.Nifti1Image(np.zeros((2, 3, 4, 5), "i2"), np.array(LAS))
    image.header["pixdim"][4], image.header["toffset"], image.header["descrip"] = 2.5, 0.5, b"mine"
    image.header.set_xyzt_units("mm", "msec")
    nibabel.save(image, tmp_path / "a.nii")
    array = quietly(from_nifti, tmp_path / "a.nii")
    array.meta.values = {"kind": "label", "scale": 4.0, "offset": -2.0}
    array.meta.axes[0].step = 3.0
    array.meta.axes[0].unit = "minute"
    to_nifti(array, tmp_path / "b.nii")
    header = nibabel.load(tmp_path / "b.nii").header
    raw = (tmp_path / "b.nii").read_bytes()
    # scl_slope and scl_inter lie at bytes 112 and 116; 3 and 0.5 minutes are 180 and 30 seconds.
    assert np.frombuffer(raw[112:120], "<f4").tolist() == [4.0, -2.0]
    assert (float(header["pixdim"][4]), float(header["toffset"])) == (180.0, 30.0)
    assert header.get_xyzt_units() == ("mm", "sec")
    assert (int(header["intent_code"]), bytes(header["descrip"].item())) == (1002, b"mine")


def test_changed_shape_and_dtype_rewrite_their_fields(tmp_path):
    array = from_nifti(write(tmp_path / "a.nii", descrip=b"mine", cal_max=5))
    cut = MLArray(array.to_numpy()[1:].astype("f2"), copy=array, copy_source=True)
    to_nifti(cut, tmp_path / "b.nii")
    again = nibabel.load(tmp_path / "b.nii")
    assert again.shape == (2, 3, 3)
    assert again.get_data_dtype() == np.float32  # no NIfTI has float16
    assert bytes(again.header["descrip"].item()) == b"mine"
    assert np.array_equal(np.asarray(again.dataobj), VALUES[..., 1:])


@pytest.mark.parametrize(
    ("unit", "factor", "name"), [("centimeter", 10, "mm"), ("meter", 1, "meter"), (None, 1, "unknown")]
)
def test_lengths_that_nifti_has_no_code_for_become_millimetres(tmp_path, unit, factor, name):
    given = {"unit": unit} if unit else {}
    axes = [{"name": n, "increases_toward": n, **given} for n in ("superior", "right", "anterior")]
    matrix = [[0.5, 0, 0, 7], [0, 0, 3, 8], [0, -2, 0, 9], [0, 0, 0, 1]]
    space = {"name": "s", "axes": axes, "from_array": {"array_axes": ["z", "y", "x"], "matrix": matrix}}
    to_nifti(MLArray(VALUES.T, axes=["z", "y", "x"], spaces=[space]), tmp_path / "a.nii")
    again = nibabel.load(tmp_path / "a.nii")
    # Right, anterior, superior are rows 2, 3, 1 of the space; index x, y, z are its columns 3, 2, 1.
    wanted = np.array([[3, 0, 0, 8], [0, -2, 0, 9], [0, 0, 0.5, 7]]) * factor
    assert again.affine[:3].tolist() == wanted.tolist()
    assert again.header.get_zooms() == tuple(factor * size for size in (3, 2, 0.5))
    assert again.header.get_xyzt_units()[0] == name


def test_a_space_without_directions_keeps_its_sizes_alone_and_says_so(tmp_path):
    array = MLArray(VALUES.T, axes=["z", "y", "x"], spacing=(4, 3, 2), origin=(7, 8, 9))
    with pytest.warns(MLArrayWarning, match="no anatomical directions"):
        to_nifti(array, tmp_path / "a.nii")
    again = nibabel.load(tmp_path / "a.nii")
    assert again.header.get_zooms() == (2, 3, 4)
    assert (int(again.header["sform_code"]), int(again.header["qform_code"])) == (0, 0)


def test_time_that_stands_last_is_moved_and_components_are_the_fifth(tmp_path):
    values = np.arange(2 * 3 * 4 * 5 * 3, dtype="f4").reshape(2, 3, 4, 5, 3)
    axes = ["z", "y", "x", "t", {"name": "v", "type": "component"}]
    array = MLArray(values, axes=axes, space="patient", spacing=(1, 2, 3), values={"kind": "vector"})
    to_nifti(array, tmp_path / "a.nii")
    again = nibabel.load(tmp_path / "a.nii")
    assert again.shape == (4, 3, 2, 5, 3)
    assert np.array_equal(np.asarray(again.dataobj), values.transpose(2, 1, 0, 3, 4))
    assert int(again.header["intent_code"]) == 1007


def test_two_dimensions_have_a_third_direction_at_right_angles(tmp_path):
    axes = [
        {"name": n, "unit": "millimeter", "increases_toward": w}
        for n, w in zip("xyz", ("left", "posterior", "superior"), strict=True)
    ]
    matrix = [[0, 0.5, 1], [2, 0, 2], [0, 0, 3], [0, 0, 1]]
    space = {"name": "patient", "axes": axes, "from_array": {"array_axes": ["y", "x"], "matrix": matrix}}
    array = MLArray(np.zeros((3, 2), "u1"), axes=["y", "x"], spaces=[space])
    to_nifti(array, tmp_path / "a.nii")
    again = nibabel.load(tmp_path / "a.nii")
    # x: (-0.5, 0, 0), y: (0, -2, 0) in RAS; x times y is (0, 0, 1).
    assert again.affine.tolist() == [[-0.5, 0, 0, -1], [0, -2, 0, -2], [0, 0, 1, 3], [0, 0, 0, 1]]
    assert quietly(from_nifti, tmp_path / "a.nii").matrix() == [[float(v) for v in row] for row in matrix]


def test_long_axes_take_nifti_2_and_what_fits_nowhere_is_refused(tmp_path):
    array = MLArray(np.zeros((1, 1, 40000), "u1"), space="patient", spacing=(1, 1, 1))
    to_nifti(array, tmp_path / "a.nii")
    again = nibabel.load(tmp_path / "a.nii")
    assert isinstance(again, nibabel.Nifti2Image)
    assert again.shape == (40000, 1, 1)
    refused = {
        "no voxels": MLArray(np.zeros((0, 2, 3), "u1")),
        "at most 7": MLArray(np.zeros((1,) * 8, "u1"), axes=[*"abcdefgh"]),
        "scl_slope": MLArray(np.zeros((2, 2), "u1"), values={"scale": 1e300}),
        "4 spatial": MLArray(np.zeros((2, 2, 2, 2), "u1"), axes=[{"name": n, "type": "space"} for n in "wzyx"]),
    }
    for words, one in refused.items():
        with pytest.raises(ArgumentError, match=words):
            quietly(to_nifti, one, tmp_path / "b.nii")
    assert not (tmp_path / "b.nii").exists()


def test_spectra_are_no_time(tmp_path):
    image = nibabel.Nifti1Image(np.zeros((2, 3, 4, 5), "f4"), np.array(LAS))
    image.header["pixdim"][4], image.header["xyzt_units"] = 2.5, 2 | 32
    nibabel.save(image, tmp_path / "a.nii")
    axis = quietly(from_nifti, tmp_path / "a.nii").meta.axes[0]
    assert (axis.name, axis.type, axis.step, axis.unit_code) == ("frequency", "other", 2.5, "Hz")


@pytest.mark.parametrize(
    "header",
    [{}, {"raw": 7}, {"raw": b"short"}, {"version": 3}, {"version": [1]}, {"endian": "?"}, {"tail": "text"}],
    ids=str,
)
def test_a_source_that_holds_no_header_is_passed_over(tmp_path, header):
    array = from_nifti(write(tmp_path / "a.nii", descrip=b"mine"))
    entry = array.meta.source[0].to_dict()
    entry["header"] = {**entry["header"], **header} if header else {}
    made = MLArray(VALUES.T, space="patient", spacing=(1, 2, 3), source=[entry])
    to_nifti(made, tmp_path / "b.nii")
    again = nibabel.load(tmp_path / "b.nii")
    assert bytes(again.header["descrip"].item()) == b""
    assert again.header.get_zooms() == (3, 2, 1)


def test_simpleitk_reads_the_same_places(tmp_path):
    sitk = pytest.importorskip("SimpleITK")
    # A rotation about z by an angle of cosine 0.8 and sine 0.6, spacings 0.5, 0.75, 3.
    affine = [[0.4, -0.45, 0, 11], [0.3, 0.6, 0, -12], [0, 0, 3, 13], [0, 0, 0, 1]]
    array = from_nifti(write(tmp_path / "a.nii", affine=affine))
    image = sitk.ReadImage(str(tmp_path / "a.nii"))
    for index in ((0, 0, 0), (1, 2, 3), (1, 0, 2)):
        assert array.index_to_space(index[::-1]) == pytest.approx(image.TransformIndexToPhysicalPoint(index), abs=1e-4)
    # Index (1, 2, 3): RAS x = 0.4 - 0.9 + 11 = 10.5, y = 0.3 + 1.2 - 12 = -10.5, z = 9 + 13 = 22.
    assert array.index_to_space((3, 2, 1)) == pytest.approx((-10.5, 10.5, 22), abs=1e-5)


def test_an_array_without_a_source_gets_a_header_of_its_own(tmp_path):
    array = MLArray(
        VALUES.T, space="patient", spacing=(2.5, 0.75, 0.5), origin=(-10, -20, 30), values={"scale": 2, "offset": 1}
    )
    to_nifti(array, tmp_path / "a.nii.gz")
    again = nibabel.load(tmp_path / "a.nii.gz")
    # LPS growing toward left and posterior is RAS with both signs turned.
    assert again.affine.tolist() == [[-0.5, 0, 0, 10], [0, -0.75, 0, 20], [0, 0, 2.5, 30], [0, 0, 0, 1]]
    assert np.array_equal(np.asarray(again.dataobj), VALUES * 2.0 + 1)
    assert (int(again.header["sform_code"]), int(again.header["qform_code"])) == (1, 1)
    assert again.header.get_xyzt_units()[0] == "mm"


def test_a_sheared_grid_is_written_by_its_sform_alone(tmp_path):
    matrix = [[0, 0.2, 1, 5], [0, 1, 0, 6], [2, 0, 0, 7], [0, 0, 0, 1]]
    to_nifti(MLArray(VALUES.T, space="patient", matrix=matrix), tmp_path / "a.nii")
    again = nibabel.load(tmp_path / "a.nii")
    assert (int(again.header["sform_code"]), int(again.header["qform_code"])) == (1, 0)
    assert np.allclose(quietly(from_nifti, tmp_path / "a.nii").matrix(), matrix)


def test_time_and_booleans_of_an_own_header(tmp_path):
    axes = [{"name": "t", "type": "time", "start": 1.5, "step": 0.5, "unit": "second"}, "z", "y", "x"]
    values = (np.arange(5 * 4 * 3 * 2) % 2).astype(bool).reshape(5, 4, 3, 2)
    to_nifti(MLArray(values, axes=axes, space="patient", spacing=(1, 1, 1)), tmp_path / "a.nii")
    again = from_nifti(tmp_path / "a.nii")
    assert again.axis_coordinates("t") == [1.5, 2.0, 2.5, 3.0, 3.5]
    assert np.array_equal(again.to_numpy(), values)


def test_nothing_is_replaced_unless_asked(tmp_path):
    array = MLArray(VALUES.T, space="patient", spacing=(1, 1, 1))
    (tmp_path / "a.nii").write_text("precious")
    with pytest.raises(FileExistsError):
        to_nifti(array, tmp_path / "a.nii")
    assert (tmp_path / "a.nii").read_text() == "precious"
    to_nifti(array, tmp_path / "a.nii", overwrite=True)
    assert nibabel.load(tmp_path / "a.nii").shape == (2, 3, 4)
    with pytest.raises(ArgumentError, match=r"\.nii"):
        to_nifti(array, tmp_path / "a.nrrd")
    with pytest.raises(FileNotFoundError):
        to_nifti(array, tmp_path / "nowhere" / "a.nii")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.nii"]


def _patched(at, content):
    def change(raw):
        raw[at : at + len(content)] = content
        return raw

    return change


HOSTILE = {
    "empty": lambda raw: b"",
    "text": lambda raw: b"hello " * 100,
    "cut header": lambda raw: raw[:200],
    "cut voxels": lambda raw: raw[:-7],
    "other magic": _patched(344, b"xxxx"),
    "no axes": _patched(40, b"\x00\x00"),
    "a size of zero": _patched(42, b"\x00\x00"),
    "a negative size": _patched(42, b"\xff\xff"),
    "huge": _patched(42, b"\xff\x7f\xff\x7f\xff\x7f"),
    "unknown datatype": _patched(70, b"\x07\x07"),
    "rgb": _patched(70, b"\x80\x00"),
    "voxels in the header": _patched(108, np.float32(10).tobytes()),
    "voxels nowhere": _patched(108, np.float32(np.nan).tobytes()),
    "not gzip": lambda raw: b"\x1f\x8b" + raw,
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_broken_file_is_refused_by_name(tmp_path, change):
    path = write(tmp_path / "a.nii")
    path.write_bytes(bytes(change(bytearray(path.read_bytes()))))
    with pytest.raises(FormatError, match=r"a\.nii"):
        quietly(from_nifti, path)


def test_an_affine_that_is_not_finite_is_left_out_with_a_warning(tmp_path):
    path = write(tmp_path / "a.nii", codes=(1, 0))
    raw = bytearray(path.read_bytes())
    raw[280:284] = np.float32(np.nan).tobytes()
    path.write_bytes(raw)
    with pytest.warns(MLArrayWarning) as found:
        array = from_nifti(path)
    assert any("not finite" in str(warning.message) for warning in found)
    assert array.meta.spaces[0].name == "scanner"
    assert any("not finite" in text for text in array.meta.history[0].warnings)


def test_a_missing_file_is_file_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        from_nifti(tmp_path / "no.nii")


def test_random_headers_give_only_our_errors(tmp_path):
    random = np.random.default_rng(4)
    whole = np.frombuffer(write(tmp_path / "a.nii").read_bytes(), "u1")
    for _ in range(150):
        raw = whole.copy()
        at = random.integers(0, 352, 4)
        raw[at] = random.integers(0, 256, 4)
        (tmp_path / "b.nii").write_bytes(raw.tobytes())
        try:
            quietly(from_nifti, tmp_path / "b.nii")
        except MLArrayError as error:
            assert str(error)  # noqa: PT017  (either outcome is right)
