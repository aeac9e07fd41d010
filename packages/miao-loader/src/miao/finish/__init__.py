"""Crops become tensors: resampled, normalised, in the order of the output axes."""
