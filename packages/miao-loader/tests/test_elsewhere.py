"""Pyramids that another writer wrote: patches are the voxels that lie where the pyramid says."""

import numpy as np
import pytest
from miao_stores import positions

import miao

VOXEL = (8.0, 6.0, 4.0)
WEIGHTS = (1.0, 1000.0, 0.01)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_ngff_zarr_writes_what_is_read_where_it_lies(tmp_path, version):
    """A ramp of world positions, which linear resampling keeps wherever the windows lie."""
    ngff_zarr = pytest.importorskip("ngff_zarr", reason="ngff-zarr is not installed")
    place = (100.0, -20.0, 7.0)
    values = positions((32, 40, 48), VOXEL, place, WEIGHTS).astype("float32")
    axes = dict(zip("zyx", zip(VOXEL, place, strict=True), strict=True))
    image = ngff_zarr.to_ngff_image(
        values,
        dims=list("zyx"),
        scale={axis: size for axis, (size, _) in axes.items()},
        translation={axis: start for axis, (_, start) in axes.items()},
        axes_units=dict.fromkeys("zyx", "nanometer"),
    )
    made = ngff_zarr.to_multiscales(image, scale_factors=[2], chunks=16, method=ngff_zarr.Methods.DASK_BIN_SHRINK)
    ngff_zarr.to_ngff_zarr(str(tmp_path / "a.zarr"), made, version=version)
    fields = {
        "volumes": [{"name": "a", "path": str(tmp_path / "a.zarr"), "image_key": "", "zarr_version": "auto"}],
        "resolutions": [[8, 6, 4], [16, 12, 8]],
        "output_axes": "lczyx",
        "patch_size": [6, 7, 8],
        "samples_per_epoch": 4,
    }
    dataset = miao.VolumeDataset(fields, seed=1, verbose=False)
    assert [level.voxel for level in dataset.volumes[0].image.levels] == [VOXEL, (16.0, 12.0, 8.0)]
    for sample in dataset:
        begin = sample["bbox"][0, 0].double().numpy()
        wanted = positions((6, 7, 8), VOXEL, begin, WEIGHTS)
        assert np.allclose(sample["img"][0, 0].numpy(), wanted, rtol=1e-5)
