"""Predictions of a sequential dataset become one placed array."""
