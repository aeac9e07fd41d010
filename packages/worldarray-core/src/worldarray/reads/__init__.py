"""What a read does, as data: views, index ranges, padding; the voxels themselves are fetched by `io`."""
