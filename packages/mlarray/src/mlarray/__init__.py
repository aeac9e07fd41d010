"""Compressed arrays with their meaning in one file."""
