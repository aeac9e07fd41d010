"""Volumes on a real S3 server: described, read in the main process, and in workers."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from miao_stores import ramp_pyramid

pytest.importorskip("moto", reason="moto is not installed")
boto3 = pytest.importorskip("boto3")


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    """A ramp pyramid at s3://brains/a.zarr, of a server on loopback."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    ramp_pyramid(tmp_path / "a.zarr")
    client = boto3.client("s3", endpoint_url=f"http://{host}:{port}")
    client.create_bucket(Bucket="brains", ACL="public-read")
    for path in sorted((tmp_path / "a.zarr").rglob("*")):
        if path.is_file():
            client.put_object(
                Bucket="brains", Key=str(path.relative_to(tmp_path)), Body=path.read_bytes(), ACL="public-read"
            )
    yield "s3://brains/a.zarr"
    server.stop()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_bucket_is_read_as_a_folder_is_and_in_workers(bucket):
    code = """
        import sys
        import numpy as np
        from test_dataset import expected
        from test_workers import drawn, loader, made

        if __name__ == "__main__":
            dataset = made(sys.argv[1], resolutions=[[12, 7, 5]], patch_size=[5, 6, 7])
            sample = dataset[3]
            assert np.allclose(sample["img"][0, 0].numpy(), expected(sample, 0, (5, 6, 7)), rtol=1e-6)
            assert drawn(loader(dataset, method="spawn")) == [dataset.plan(i).centre for i in range(12)]
            print("read")
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path[1:]])}
    command = [sys.executable, "-c", textwrap.dedent(code), bucket]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment, check=False)
    assert done.stdout.strip() == "read", done.stderr
