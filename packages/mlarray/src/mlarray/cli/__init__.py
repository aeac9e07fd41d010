"""The commands `mlarray`, `mlarray_header` and `mlarray_convert`."""
