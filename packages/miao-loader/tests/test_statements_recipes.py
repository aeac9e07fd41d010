"""What the description of the loader shows, run as it stands there."""

import numpy as np
import pytest
import torch
import yaml
from miao_functions import augment
from miao_stores import config, group2, ramp_pyramid
from torch.utils.data import ConcatDataset, DataLoader, default_collate

import miao
from miao import MiaoConfig, VolumeDataset, load_config, save_config
from miao.augment import (
    additive_noise,
    apply_rot90,
    draw_rot90,
    drop_sections,
    intensity_jitter,
    rot90inplane,
    shift_sections,
    spatial_dims_for,
)
from miao.labels import affinities, erode_labels

QUICK_START = """
volumes:
  - name: sample_a
    path: {folder}/sample_A.zarr
    image_key: raw
    label_key: labels/seg      # optional
    zarr_version: zarr2        # or zarr3
    weight: 0.5                # optional

  - name: sample_b
    path: {folder}/sample_B.zarr
    image_key: predictions
    label_key: seg
    zarr_version: zarr2
    weight: 0.5

resolutions: [[8, 8, 8], [16, 16, 16], [32, 32, 32]]   # output voxel size per scale
output_axes: lcxyz
patch_size: [8, 8, 8]
samples_per_epoch: 10
"""


@pytest.fixture
def quick_start(tmp_path):
    """Two volumes whose pyramids differ: one of three levels, one of one; labels are 1 and 2."""
    sizes = [(48, (8.0,) * 3), (24, (16.0,) * 3), (12, (32.0,) * 3)]
    levels = [(f"s{i}", np.full((n, n, n), 51, "uint8"), v, None) for i, (n, v) in enumerate(sizes)]
    group2(tmp_path / "sample_A.zarr" / "raw", levels)
    group2(tmp_path / "sample_A.zarr" / "labels/seg", [("s0", np.full((48, 48, 48), 1, "uint8"), (8,) * 3, None)])
    group2(tmp_path / "sample_B.zarr" / "predictions", [("s0", np.full((80, 80, 80), 102, "uint8"), (4,) * 3, None)])
    group2(tmp_path / "sample_B.zarr" / "seg", [("s0", np.full((80, 80, 80), 2, "uint32"), (4,) * 3, None)])
    path = tmp_path / "config.yaml"
    path.write_text(QUICK_START.format(folder=tmp_path))
    return path


def test_the_quick_start(quick_start):
    """51/255 and 102/255; B l c x y z."""
    dataset = VolumeDataset(load_config(quick_start), verbose=False)
    loader = DataLoader(dataset, batch_size=4, shuffle=True)
    counts = []
    for batch in loader:
        img, label = batch["img"], batch["label"]
        counts.append(len(img))
        assert img.shape[1:] == (3, 1, 8, 8, 8)
        assert label.shape[1:] == (3, 8, 8, 8)
        assert batch["bbox"].shape[1:] == (3, 2, 3)
        assert batch["pixel_size"][0].tolist() == [[8] * 3, [16] * 3, [32] * 3]
        for name, image, values, levels in zip(
            batch["meta"]["volume"], img, label, zip(*batch["meta"]["source_levels"], strict=True), strict=True
        ):
            assert image.unique().tolist() == [pytest.approx({"sample_a": 0.2, "sample_b": 0.4}[name])]
            assert values.unique().tolist() == [{"sample_a": 1, "sample_b": 2}[name]]
            assert [int(level) for level in levels] == {"sample_a": [0, 1, 2], "sample_b": [0, 0, 0]}[name]
    assert counts == [4, 4, 2]


def test_a_modified_configuration_is_saved(quick_start, tmp_path):
    cfg = load_config(quick_start)
    cfg.samples_per_epoch = 500
    save_config(cfg, tmp_path / "new_config.yaml")
    again = load_config(tmp_path / "new_config.yaml")
    assert again == cfg
    assert yaml.safe_load((tmp_path / "new_config.yaml").read_text())["samples_per_epoch"] == 500
    assert len(VolumeDataset(again, verbose=False)) == 500


def test_meta_of_a_batch_is_a_tensor_per_entry_of_a_sample(quick_start):
    """Strings stay strings; what is a list per sample is a list of (B,) tensors, as torch joins lists."""
    dataset = VolumeDataset(quick_start, seed=1, verbose=False)
    samples = [dataset[index] for index in range(3)]
    meta = next(iter(DataLoader(dataset, batch_size=3)))["meta"]
    assert meta["volume"] == [sample["meta"]["volume"] for sample in samples]
    for axis in range(3):
        assert meta["coordinate"][axis].tolist() == [sample["meta"]["coordinate"][axis] for sample in samples]
        assert meta["coordinate"][axis].dtype == torch.int64
    for scale in range(3):
        assert meta["source_levels"][scale].tolist() == [sample["meta"]["source_levels"][scale] for sample in samples]
        assert meta["resolutions"][scale][2].tolist() == [8.0 * 2**scale] * 3
        assert meta["resolutions"][scale][2].dtype == torch.float64


def test_an_augment_fn_of_a_module(quick_start):
    dataset = VolumeDataset(load_config(quick_start), augment_fn=augment, seed=1, verbose=False)
    images = [dataset[index]["img"] for index in range(6)]
    # 0.4 * 1.1 + 0.1 is the most, 0.2 * 0.9 - 0.1 the least.
    assert all(0.08 - 1e-6 <= float(image.min()) <= float(image.max()) <= 0.54 + 1e-6 for image in images)
    assert len({float(image.max()) for image in images}) == 6
    batches = DataLoader(dataset, 3, num_workers=1, multiprocessing_context="spawn")
    assert torch.equal(next(iter(batches))["img"], torch.stack(images[:3]))


def test_geometry_first_and_intensities_last(quick_start):
    sample = VolumeDataset(load_config(quick_start), seed=1, verbose=False)[0]
    rng, img, lab = np.random.RandomState(0), sample["img"], sample["label"]
    img, lab = rot90inplane(rng, img, lab, fixed_axis=0, pixel_size=sample["pixel_size"])
    img, lab = shift_sections(rng, img, lab, prob=0.05, magnitude=10)
    img = drop_sections(rng, img, prob=0.05)
    img = additive_noise(rng, intensity_jitter(rng, img), scale=0.1)
    assert img.shape == sample["img"].shape
    assert lab.unique().tolist() == sample["label"].unique().tolist()


@pytest.mark.parametrize("axes", ["lczyx", "lcxyz", "lzyxc"])
def test_layouts_say_which_slot_is_fixed(tmp_path, axes):
    """Image and label hold z alone, so that turning within planes leaves them as they are or mirrored along z."""
    spatial = [a for a in axes if a in "zyx"]
    values = np.broadcast_to(np.arange(20, dtype="float32")[:, None, None], (20, 20, 20)).copy()
    group2(tmp_path / "a.zarr" / "raw", [("s0", values, (40, 8, 8), None)])
    group2(tmp_path / "a.zarr" / "seg", [("s0", values.astype("int32"), (40, 8, 8), None)])
    sizes = {"z": 40, "y": 8, "x": 8}
    fields = config(
        tmp_path / "a.zarr",
        volume={"label_key": "seg"},
        output_axes=axes,
        patch_size=[6, 6, 6],
        resolutions=[[sizes[axis] for axis in spatial]],
    )
    for index in range(6):
        sample = VolumeDataset(fields, seed=1, verbose=False)[index]
        img, lab = rot90inplane(
            np.random,
            sample["img"],
            sample["label"],
            spatial_dims=[spatial_dims_for(axes), spatial_dims_for(axes.replace("c", ""))],
            fixed_axis=spatial.index("z"),
            pixel_size=sample["pixel_size"],
        )
        mirrored = torch.flip(sample["label"], [axes.replace("c", "").index("z")])
        assert torch.equal(lab, sample["label"]) or torch.equal(lab, mirrored)
        assert torch.equal(img.select(axes.index("c"), 0), lab.float())


def test_a_draw_is_replayed_over_levels(quick_start):
    perm, flips = draw_rot90(np.random)
    whole = torch.arange(3 * 64.0).view(3, 4, 4, 4)
    levels = [apply_rot90(level, perm, flips) for level in whole]
    assert torch.equal(torch.stack(levels), apply_rot90(whole, perm, flips))
    img = whole.unsqueeze(-1)
    assert torch.equal(apply_rot90(img, perm, flips, spatial_dims=(-4, -3, -2))[..., 0], torch.stack(levels))


def targets(sample):
    lab = torch.stack([erode_labels(label) for label in sample["label"]])
    return {**sample, "label": lab, "affinities": torch.stack([affinities(label) for label in lab])}


def test_label_targets_per_scale(quick_start):
    """One label everywhere: every affinity is 1 but those across the first face."""
    batch = next(iter(DataLoader(VolumeDataset(quick_start, targets, seed=1, verbose=False), batch_size=2)))
    assert batch["affinities"].shape == (2, 3, 3, 8, 8, 8)
    assert batch["affinities"].sum().item() == 2 * 3 * 3 * 7 * 64
    assert batch["affinities"][:, :, 0, 0].sum() == 0


def test_image_operations_on_another_device(quick_start):
    cfg = load_config(quick_start)
    plain = VolumeDataset(cfg, seed=1, verbose=False)
    cfg.defer_image_ops = True
    loader = DataLoader(
        VolumeDataset(cfg, seed=1, verbose=False),
        batch_size=5,
        num_workers=2,
        collate_fn=miao.collate_deferred,
        multiprocessing_context="forkserver",
    )
    seen = 0
    for batch in loader:
        assert [crop.dtype for crop in batch["img"][0]] == [torch.uint8] * 3
        done = miao.finish_images(batch, device="cpu")
        img, label = done["img"], done["label"]
        assert img.shape == (5, 3, 1, 8, 8, 8)
        assert torch.equal(img, torch.stack([plain[seen + index]["img"] for index in range(5)]))
        assert torch.equal(label, torch.stack([plain[seen + index]["label"] for index in range(5)]))
        assert "deferred" not in done
        seen += 5
    assert seen == 10


def plane_config(cfg, thin_axis, size, spatial_order):
    """Config for a one-voxel-thick patch, i.e. a plane normal to `thin_axis`."""
    data = cfg.model_dump()
    data["patch_size"] = [1 if c == thin_axis else size for c in spatial_order]
    data["samples_per_epoch"] = cfg.samples_per_epoch // len(spatial_order)
    return MiaoConfig(**data)


def make_plane_collate(output_axes):
    """Collate 1-voxel-thick samples by squeezing away the singleton spatial axis."""
    img_dim = {c: i for i, c in enumerate(output_axes) if c in "xyzt"}
    label_axes = output_axes.replace("c", "")

    def collate(samples):
        squeezed, planes = [], []
        for sample in samples:
            img = sample["img"]
            thin = [c for c, d in img_dim.items() if img.shape[d] == 1]
            assert len(thin) == 1
            axis = thin[0]
            plane = {**sample, "img": img.squeeze(img_dim[axis])}
            if plane["label"].numel():
                plane["label"] = plane["label"].squeeze(label_axes.index(axis))
            squeezed.append(plane)
            planes.append("".join(c for c in img_dim if c != axis))
        batch = default_collate(squeezed)
        batch["plane"] = planes
        return batch

    return collate


def test_planes_of_every_orientation_share_batches(quick_start):
    base = load_config(quick_start)
    base.samples_per_epoch = 12
    spatial_order = "".join(c for c in base.output_axes if c in "xyzt")
    dataset = ConcatDataset(
        [VolumeDataset(plane_config(base, ax, 8, spatial_order), verbose=False) for ax in spatial_order]
    )
    assert len(dataset) == 12
    seen = []
    for batch in DataLoader(dataset, 8, shuffle=True, collate_fn=make_plane_collate(base.output_axes)):
        size = len(batch["plane"])
        assert batch["img"].shape == (size, 3, 1, 8, 8)
        assert batch["label"].shape == (size, 3, 8, 8)
        assert batch["bbox"].shape == (size, 3, 2, 3)
        assert batch["pixel_size"].shape == (size, 3, 3)
        for plane, box in zip(batch["plane"], batch["bbox"], strict=True):
            thick = ["xyz".index(axis) for axis in "xyz" if axis not in plane]
            # 1 and 8 output voxels of 8 nm.
            extent = (box[0, 1] - box[0, 0]).tolist()
            assert [extent[axis] for axis in range(3)] == [8.0 if axis in thick else 64.0 for axis in range(3)]
        seen += batch["plane"]
    assert sorted(seen) == ["xy"] * 4 + ["xz"] * 4 + ["yz"] * 4


def test_frames_of_a_time_series(tmp_path):
    """Frame f holds f and its labels 10 f; a range leaves its stop out."""
    frames = np.stack([np.full((40, 20, 20), frame, "float32") for frame in range(6)])
    size = (1, 200, 108, 108)
    for key, values in (("raw", frames), ("seg", (frames * 10).astype("uint8"))):
        group2(tmp_path / "fish.zarr" / key, [("s0", values, size, None)], axes="tzyx")
    fields = {
        "volumes": [
            {
                "name": "fish",
                "path": str(tmp_path / "fish.zarr"),
                "image_key": "raw",
                "label_key": "seg",
                "fixed_axes": {"t": "1:4"},
            }
        ],
        "output_axes": "lczyx",
        "patch_size": [8, 6, 6],
        "resolutions": [[200, 108, 108]],
    }
    dataset = VolumeDataset(fields, seed=1, verbose=False)
    assert [volume.name for volume in dataset.volumes] == ["fish[t=1]", "fish[t=2]", "fish[t=3]"]
    assert [volume.weight for volume in dataset.volumes] == pytest.approx([1 / 3] * 3)
    seen = set()
    for index in range(30):
        sample = dataset[index]
        frame = int(sample["meta"]["volume"][len("fish[t=") : -1])
        assert sample["img"].unique().tolist() == [frame]
        assert sample["label"].unique().tolist() == [frame * 10]
        seen.add(frame)
    assert seen == {1, 2, 3}
    walked = VolumeDataset({**fields, "sampling": "sequential"}, verbose=False)
    # 40/8 by ceil(20/6) twice, for each of three frames.
    assert len(walked) == 3 * 5 * 4 * 4
    assert [walked[index]["meta"]["volume"] for index in (0, 79, 80, 239)] == [
        "fish[t=1]",
        "fish[t=1]",
        "fish[t=2]",
        "fish[t=3]",
    ]


def test_labels_of_one_frame_may_have_no_time_axis(tmp_path):
    frames = np.stack([np.full((10, 12, 14), frame, "float32") for frame in range(4)])
    group2(tmp_path / "a.zarr" / "raw", [("s0", frames, (1, 8, 6, 4), None)], axes="tzyx")
    group2(tmp_path / "a.zarr" / "seg", [("s0", np.full((10, 12, 14), 7, "uint8"), (8, 6, 4), None)])
    volume = {"fixed_axes": {"t": 2}, "label_key": "seg"}
    sample = VolumeDataset(config(tmp_path / "a.zarr", volume=volume, patch_size=[4, 5, 6]), verbose=False)[0]
    assert sample["img"].unique().tolist() == [2.0]
    assert sample["label"].unique().tolist() == [7]


def test_the_grid_is_walked_with_its_positions(tmp_path):
    """B values per spatial axis in a batch, a plain tuple in a sample, in the order of output_axes."""
    ramp_pyramid(tmp_path / "a.zarr", levels=1)
    fields = config(
        tmp_path / "a.zarr",
        sampling="sequential",
        output_axes="lcxyz",
        patch_size=[16, 16, 16],
        overlap=[2, 0, 4],
        resolutions=[[4, 6, 8]],
    )
    dataset = VolumeDataset(fields, verbose=False)
    # x: 56 = 16 + 14 k: 0 14 28 40; y: 48: 0 16 32; z: 40: 0 12 24. Stored z y x, the last fastest.
    assert len(dataset) == 4 * 3 * 3
    expected = [(x, y, z) for z in range(3) for y in range(3) for x in range(4)]
    assert [dataset[index]["meta"]["grid_index"] for index in range(36)] == expected
    assert type(dataset[5]["meta"]["grid_index"]) is tuple
    assert type(dataset[5]["meta"]["grid_index"][0]) is int
    walked = []
    for batch in DataLoader(dataset, batch_size=4, shuffle=False):
        grid_index = batch["meta"]["grid_index"]
        assert [axis.shape for axis in grid_index] == [(4,)] * 3
        walked += list(zip(*(axis.tolist() for axis in grid_index), strict=True))
    assert walked == expected
    last = dataset[35]
    # Corners 40, 32, 24, so boxes begin 40 * 4, 32 * 6, 24 * 8.
    assert last["bbox"][0].tolist() == [[160, 192, 192], [224, 288, 320]]
