"""Where voxels lie: matrices, spacing, origin, direction, letter codes, coordinates; pure arithmetic."""
