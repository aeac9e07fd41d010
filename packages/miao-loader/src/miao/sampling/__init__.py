"""Which sample is read: sizes, probabilities, draws, grids. Pure."""
