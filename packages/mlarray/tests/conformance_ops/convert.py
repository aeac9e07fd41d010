from mlarray.convert.dicom_geometry import SlicePlace, place_series
from mlarray.convert.itk_geometry import ItkPlace, nrrd_place, place_of_space, space_of
from mlarray.convert.nifti_geometry import NiftiPlace, affine_of_space, axes_of, spaces_of
from mlarray.convert.omezarr_geometry import place_of
from mlarray.convert.omezarr_geometry import space_of as omezarr_space_of
from mlarray.errors import Notice
from worldarray_conformance import Answer


def nifti_geometry(given):
    """Axes and spaces of an image whose header says what is given."""
    place = NiftiPlace(
        ndim=len(given["dim"]),
        sform=given.get("sform"),
        sform_code=given.get("sform_code", 0),
        qform=given.get("qform"),
        qform_code=given.get("qform_code", 0),
        pixdim=given["pixdim"],
        units=given["xyzt_units"],
        toffset=given.get("toffset", 0),
    )
    spaces, warnings = spaces_of(place)
    return Answer({"axes": axes_of(place, given.get("intent_code", 0), given["dim"]), "spaces": spaces}, warnings)


def nifti_affine(given):
    found = affine_of_space(given["space"], given["axis_names"])
    if found is None:
        return None
    return {"affine": found.affine, "code": found.code, "length_code": found.units}


def dicom_series(given):
    slices = [
        SlicePlace(one["ImagePositionPatient"], one["ImageOrientationPatient"], one["PixelSpacing"])
        for one in given["slices"]
    ]
    found = place_series(slices, given.get("thickness"))
    return Answer({"order": list(found.order), "matrix": found.matrix}, found.warnings)


def itk_space(given):
    direction = tuple(value for row in given["direction"] for value in row)
    place = ItkPlace(tuple(given["spacing"]), tuple(given["origin"]), direction)
    space, warnings = space_of(place, nrrd_place(given["nrrd"]) if "nrrd" in given else None)
    return Answer({"space": space}, [Notice("conflict", ("nrrd",), text) for text in warnings])


def itk_place(given):
    found = place_of_space(given["space"], given["axis_names"], len(given["axis_names"]))
    return {"spacing": list(found.spacing), "origin": list(found.origin), "direction": found.cosines.tolist()}


def omezarr_space(given):
    return {"space": omezarr_space_of(given["names"], given["sizes"], given["centres"], given["units"])}


def omezarr_place(given):
    sizes, centres, units = place_of(given["axes"], given["spaces"])
    return {"sizes": list(sizes), "centres": list(centres), "units": list(units)}


OPS = {
    "mlarray.nifti.geometry": nifti_geometry,
    "mlarray.nifti.affine": nifti_affine,
    "mlarray.itk.space": itk_space,
    "mlarray.itk.place": itk_place,
    "mlarray.omezarr.space": omezarr_space,
    "mlarray.omezarr.place": omezarr_place,
    "mlarray.dicom.series": dicom_series,
}
