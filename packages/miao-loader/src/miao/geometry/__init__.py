"""Where a sample reads: levels, extents, windows, bounding boxes. Pure."""
