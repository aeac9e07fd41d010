"""NRRD and MetaImage through SimpleITK, both ways."""

import numpy as np
import pytest

from mlarray import FormatError, MLArray
from mlarray.convert import from_itk, to_itk, to_itk_image
from mlarray.errors import ArgumentError

sitk = pytest.importorskip("SimpleITK")

VALUES = np.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6)
C, S = np.cos(0.5), np.sin(0.5)


def image(values=VALUES):
    made = sitk.GetImageFromArray(values)
    made.SetSpacing((0.7, 0.8, 3.0))
    made.SetOrigin((1.0, 2.0, 4.0))
    made.SetDirection((C, -S, 0, S, C, 0, 0, 0, 1))
    return made


@pytest.mark.parametrize("suffix", [".nrrd", ".mha", ".mhd"])
def test_voxels_lie_where_itk_says(suffix, tmp_path):
    sitk.WriteImage(image(), str(tmp_path / f"a{suffix}"))
    from_itk(tmp_path / f"a{suffix}").save(tmp_path / "a.mla")
    with MLArray.open(tmp_path / "a.mla") as array:
        assert np.array_equal(array.to_numpy(), VALUES)
        for x, y, z in ((0, 0, 0), (3, 2, 1), (5, 4, 3)):
            wanted = image().TransformIndexToPhysicalPoint((x, y, z))
            assert array.index_to_space((z, y, x)) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        assert array.letter_codes() == "SPL"
        assert array.spacing == pytest.approx([3.0, 0.8, 0.7], rel=1e-12)
        assert array.meta.source[0]["header"]["raw"][:4] in {b"NRRD", b"Obje"}
        to_itk(array, tmp_path / "again.nrrd")
    again = sitk.ReadImage(str(tmp_path / "again.nrrd"))
    assert np.array_equal(sitk.GetArrayFromImage(again), VALUES)
    assert again.GetDirection() == pytest.approx(image().GetDirection(), abs=1e-9)
    assert again.GetOrigin() == pytest.approx((1, 2, 4))
    assert again.GetSpacing() == pytest.approx((0.7, 0.8, 3))


def test_nrrd_in_ras_is_turned_to_lps(tmp_path):
    header = (
        "NRRD0004\ntype: short\ndimension: 3\nspace: right-anterior-superior\nsizes: 6 5 4\n"
        "space directions: (0.7,0,0) (0,0.8,0) (0,0,3)\nkinds: domain domain domain\nendian: little\n"
        "encoding: raw\nspace origin: (10,20,30)\n\n"
    )
    (tmp_path / "a.nrrd").write_bytes(header.encode() + VALUES.astype("<i2").tobytes())
    array = from_itk(tmp_path / "a.nrrd")
    assert array.origin == [-10.0, -20.0, 30.0]
    assert array.letter_codes() == "SAR"
    assert array.meta.source[0]["header"]["fields"]["space"] == "right-anterior-superior"
    assert np.array_equal(array.to_numpy(), VALUES)


def nrrd(
    path, space="LPS", directions="(0.7,0,0) (0,0.8,0) (0,0,3)", kinds="domain domain domain", more="", sizes="6 5 4"
):
    """Write an NRRD file by hand: its origin is 10, 20, 30."""
    text = (
        f"NRRD0005\ntype: short\ndimension: {len(sizes.split())}\nspace: {space}\nsizes: {sizes}\n"
        f"space directions: {directions}\nkinds: {kinds}\nendian: little\nencoding: raw\n"
        f"space origin: (10,20,30)\n{more}\n"
    )
    path.write_bytes(text.encode() + VALUES.astype("<i2").tobytes())
    return path


@pytest.mark.parametrize(
    ("space", "origin", "letters", "name"),
    [
        ("left-posterior-superior", [10, 20, 30], "SPL", "patient"),
        ("RAS", [-10, -20, 30], "SAR", "patient"),
        ("LAS", [10, -20, 30], "SAL", "patient"),
        ("scanner-xyz", [10, 20, 30], None, "scanner"),
        ("3D-right-handed", [10, 20, 30], None, "world"),
    ],
)
def test_the_space_of_an_nrrd_says_whether_directions_are_anatomical(tmp_path, space, origin, letters, name):
    array = from_itk(nrrd(tmp_path / "a.nrrd", space))
    assert (array.origin, array.letter_codes(), array.meta.spaces[0].name) == (origin, letters, name)
    assert array.spacing == [3.0, 0.8, 0.7]


def test_units_of_an_nrrd_are_kept_and_become_millimetres_for_itk(tmp_path):
    array = from_itk(nrrd(tmp_path / "a.nrrd", more='space units: "um" "um" "um"\n'))
    assert [axis.unit_code for axis in array.meta.spaces[0].axes] == ["um"] * 3
    # 0.7, 0.8, 3 and 10, 20, 30 micrometres.
    assert to_itk_image(array).GetSpacing() == pytest.approx((0.0007, 0.0008, 0.003))
    assert to_itk_image(array).GetOrigin() == pytest.approx((0.01, 0.02, 0.03))
    assert [axis.unit_code for axis in from_itk(nrrd(tmp_path / "b.nrrd")).meta.spaces[0].axes] == ["mm"] * 3


@pytest.mark.parametrize(
    ("kinds", "kind"), [("list domain domain domain", "measurement"), ("vector domain domain domain", "vector")]
)
def test_an_axis_without_a_direction_is_no_axis_of_the_space(tmp_path, kinds, kind):
    path = nrrd(tmp_path / "a.nrrd", directions="none (0.7,0,0) (0,0.8,0) (0,0,3)", kinds=kinds, sizes="3 2 5 4")
    array = from_itk(path)
    # In the file 3 values, then x of 2, y of 5, z of 4: the value of (z, y, x, c) is ((z * 5 + y) * 2 + x) * 3 + c.
    assert array.shape == (4, 5, 2, 3)
    assert array[3, 1, 1, 2] == ((3 * 5 + 1) * 2 + 1) * 3 + 2
    assert (array.meta.axis_types[-1], array.meta.values.kind) == ("component", kind)
    assert array.meta.source[0]["index_map"]["axes"] == (3, 2, 1, 0)
    assert array.spacing == [3.0, 0.8, 0.7]


def test_an_axis_without_a_direction_may_be_the_slowest(tmp_path):
    path = nrrd(
        tmp_path / "a.nrrd",
        directions="(0.7,0,0) (0,0.8,0) (0,0,3) none",
        kinds="domain domain domain list",
        sizes="2 5 4 3",
    )
    array = from_itk(path)
    # x of 2, y of 5, z of 4, then 3 values: that of (z, y, x, c) is ((c * 4 + z) * 5 + y) * 2 + x.
    assert array[3, 1, 1, 2] == ((2 * 4 + 3) * 5 + 1) * 2 + 1
    assert array.meta.source[0]["index_map"]["axes"] == (2, 1, 0, 3)


@pytest.mark.parametrize(
    ("words", "origin", "direction"),
    [
        (("left", "posterior", "superior"), (100, 200, 300), (1, 0, 0, 0, 1, 0, 0, 0, 1)),
        (("right", "anterior", "superior"), (-100, -200, 300), (-1, 0, 0, 0, -1, 0, 0, 0, 1)),
        # Rows are inferior, left, posterior: x of LPS is the second, y the third, z the first turned round.
        (("inferior", "left", "posterior"), (200, 300, -100), (0, 1, 0, 0, 0, 1, -1, 0, 0)),
    ],
)
def test_directions_and_lengths_of_a_space_become_itks(words, origin, direction):
    axes = [{"name": word, "unit": "centimeter", "increases_toward": word} for word in words]
    matrix = [[0, 0, 0.5, 10], [0, 2, 0, 20], [3, 0, 0, 30], [0, 0, 0, 1]]
    space = {"name": "s", "axes": axes, "from_array": {"array_axes": ["z", "y", "x"], "matrix": matrix}}
    image = to_itk_image(MLArray(VALUES, axes=["z", "y", "x"], spaces=[space]))
    assert (image.GetOrigin(), image.GetDirection()) == (origin, direction)
    assert image.GetSpacing() == (5, 20, 30)


def test_a_fourth_axis_that_runs_backwards_or_leans():
    moving = sitk.Image([2, 3, 4, 5], sitk.sitkInt16)
    square = np.eye(4)
    square[3, 3] = -1
    moving.SetDirection(square.ravel().tolist())
    array = from_itk(moving)
    assert array.axis_coordinates("t") == [0, -1, -2, -3, -4]
    assert to_itk_image(array).GetDirection() == moving.GetDirection()
    square[:2, :2], square[0, 3], square[3, 0], square[0, 0], square[3, 3] = np.eye(2), 1, 1, 0, 0
    moving.SetDirection(square.ravel().tolist())
    with pytest.raises(FormatError, match="leans"):
        from_itk(moving)


def test_vectors_have_a_component_axis():
    vectors = np.arange(4 * 5 * 6 * 3, dtype="f4").reshape(4, 5, 6, 3)
    array = from_itk(sitk.GetImageFromArray(vectors, isVector=True))
    assert array.meta.axis_types == ("space", "space", "space", "component")
    assert array.meta.values.kind == "vector"
    assert np.array_equal(sitk.GetArrayFromImage(to_itk_image(array)), vectors)


def test_two_and_four_dimensions():
    flat = from_itk(sitk.GetImageFromArray(VALUES[0]))
    assert (flat.shape, flat.meta.axis_names, flat.letter_codes()) == ((5, 6), ("y", "x"), None)
    assert to_itk_image(flat).GetSize() == (6, 5)
    moving = sitk.Image([2, 3, 4, 5], sitk.sitkInt16)
    moving.SetSpacing((1, 2, 3, 0.5))
    moving.SetOrigin((0, 0, 0, 9))
    array = from_itk(moving)
    assert array.shape == (5, 4, 3, 2)
    assert array.axis_coordinates("t") == [9.0, 9.5, 10.0, 10.5, 11.0]
    assert to_itk_image(array).GetSpacing() == (1, 2, 3, 0.5)


def test_shear_is_refused_since_itk_would_change_it_silently():
    array = MLArray(VALUES, space="patient", matrix=[[0, 0.2, 1, 0], [0, 1, 0, 0], [2, 0, 0, 0], [0, 0, 0, 1]])
    with pytest.raises(ArgumentError, match="sheared"):
        to_itk_image(array)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (MLArray(np.zeros((2,) * 5)), "2 to 4"),
        (MLArray(np.zeros((4, 5, 6, 3)), axes=["z", "y", "x", "t"], space="patient", spacing=(1, 1, 1)), "last"),
        (MLArray(np.zeros((5, 6)), matrix=[[1, 0, 0], [0, 1, 0], [0, 0, 7], [0, 0, 1]]), "space axes"),
    ],
    ids=["five axes", "time last", "a plane in 3-D"],
)
def test_what_itk_cannot_hold_is_refused(array, words):
    with pytest.raises(ArgumentError, match=words):
        to_itk_image(array)


def test_booleans_and_half_floats_are_widened():
    assert to_itk_image(MLArray(np.array([[True, False]]))).GetPixelID() == sitk.sitkUInt8
    assert to_itk_image(MLArray(np.zeros((2, 3), "f2"))).GetPixelID() == sitk.sitkFloat32
    assert sitk.GetArrayFromImage(to_itk_image(MLArray(VALUES.astype(">i2"))))[3, 4, 5] == 119


def test_nothing_is_replaced_unless_asked(tmp_path):
    array = MLArray(VALUES)
    (tmp_path / "a.nrrd").write_text("precious")
    with pytest.raises(FileExistsError):
        to_itk(array, tmp_path / "a.nrrd")
    assert (tmp_path / "a.nrrd").read_text() == "precious"
    to_itk(array, tmp_path / "a.nrrd", overwrite=True)
    for name in ("a.mhd", "a.unknown"):
        with pytest.raises(ArgumentError):
            to_itk(array, tmp_path / name)
    assert [p.name for p in tmp_path.iterdir()] == ["a.nrrd"]


@pytest.mark.parametrize("content", [b"", b"NRRD0004\nsizes: 1\n\n", b"hello"])
def test_a_broken_file_is_refused_by_name(tmp_path, content):
    (tmp_path / "a.nrrd").write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.nrrd"):
        from_itk(tmp_path / "a.nrrd")
