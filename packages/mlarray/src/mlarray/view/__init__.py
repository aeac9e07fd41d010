"""A picture of three orthogonal slices."""
