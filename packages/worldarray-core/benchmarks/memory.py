"""Peak resident size above the baseline, from fresh processes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from harness import Result

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_PEAK_ONLY = "5"
"""What resets the peak resident size of a Linux process to its present one."""


@dataclass(frozen=True)
class Peak:
    """A read whose memory is measured: voxel size as a multiple of the stored one, and the most it may take."""

    name: str
    path: Path
    factor: float
    base: int
    """What the limit is a multiple of, in bytes."""
    limit: float
    says: str
    extra: int = 0
    """Bytes that are allowed besides."""


def measure(peak: Peak, rounds: int) -> Result:
    """Return the medians over fresh processes."""
    job = json.dumps({"path": str(peak.path), "factor": peak.factor})
    command = [sys.executable, __file__, job]
    found = sorted(int(subprocess.check_output(command)) / peak.base for _ in range(rounds))
    allowed = peak.limit + peak.extra / peak.base
    return Result(
        name=peak.name,
        reference=float(peak.base),
        ours=median(found) * peak.base,
        ratio=median(found),
        low=found[0],
        high=found[-1],
        goal=f"{peak.limit:g}x" + (f" + {peak.extra >> 20} MiB" if peak.extra else ""),
        met=median(found) <= allowed,
        says=peak.says,
        unit="bytes",
    )


def peak_of(job: str) -> int:
    """Return the bytes by which one read of a whole array raised this process's peak."""
    import worldarray as wa  # noqa: PLC0415  (the harness that asks imports this module too)

    asked = json.loads(job)
    volume = wa.open(asked["path"])
    size = tuple(s * asked["factor"] for s in volume.voxel_size)
    corner = volume.corner
    volume.read((corner, tuple(c + 8 * s for c, s in zip(corner, size, strict=True))), voxel_size=size, method="linear")
    before = reset_peak()
    volume.read(volume.box, voxel_size=size, method="linear")
    return peak_size() - before


def reset_peak() -> int:
    """Forget this process's peak, as far as the system can; return what is left of it, in bytes."""
    if _CLEAR.exists():
        _CLEAR.write_text(_PEAK_ONLY, encoding="ascii")
    return peak_size()


def peak_size() -> int:
    """Return the peak resident size of this process, in bytes."""
    if _STATUS.exists():
        line = next(line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import resource  # noqa: PLC0415  (not on every system)

    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


if __name__ == "__main__":
    print(peak_of(sys.argv[1]))
