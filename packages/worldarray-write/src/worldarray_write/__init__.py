"""Create placed OME-NGFF zarr arrays and pyramids, and write boxes of them from many processes."""
