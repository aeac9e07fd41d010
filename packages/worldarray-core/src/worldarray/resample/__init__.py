"""Resampling as plans over index ranges, then array arithmetic: nearest voxels, block means, linear interpolation.

`target_axis` lays a target grid over a source axis, `plan_axis` says which source voxels a range of it needs, and
`resample` makes the target voxels of those. Nothing here reads a store.
"""

from worldarray.resample.blocks import resample
from worldarray.resample.plans import METHODS, AxisPlan, Method, identity_axis, plan_axis
from worldarray.resample.targets import TargetAxis, anchor_shift, size_ratio, target_axis, target_count

__all__ = [
    "METHODS",
    "AxisPlan",
    "Method",
    "TargetAxis",
    "anchor_shift",
    "identity_axis",
    "plan_axis",
    "resample",
    "size_ratio",
    "target_axis",
    "target_count",
]
