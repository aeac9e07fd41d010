import tempfile
from dataclasses import asdict
from pathlib import Path

from miao.config.loading import as_config
from miao.records import ResolutionRanges
from miao.volumes.describe import describe
from worldarray_conformance import Answer, store_bytes


def pyramid(found, root):
    if found is None:
        return None
    levels = [
        {**asdict(level), "path": str(Path(level.path).relative_to(root)), "select": dict(level.select)}
        for level in found.levels
    ]
    return {**asdict(found), "path": str(Path(found.path).relative_to(root)), "levels": levels}


def volume(found, root):
    resolutions = found.resolutions
    if isinstance(resolutions, ResolutionRanges):
        resolutions = asdict(resolutions)
    return {
        **asdict(found),
        "resolutions": resolutions,
        **{part: pyramid(getattr(found, part), root) for part in ("image", "label", "mask")},
    }


def volumes(given):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, store in given["stores"].items():
            for key, content in store_bytes(store).items():
                path = root / name / key
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        config = given["config"]
        entries = [{**entry, "path": str(root / entry["path"])} for entry in config["volumes"]]
        found = describe(as_config({**config, "volumes": entries}))
        answer = {
            "volumes": [volume(one, root) for one in found.volumes],
            "label_dtype": found.label_dtype,
            "channels": found.channels,
        }
        return Answer(answer, found.notices)


OPS = {"loader.volumes": volumes}
