"""Metadata as people use it: attributes with the format's names, checked on every assignment, never half changed."""

from mlarray.meta.meta import Meta

__all__ = ["Meta"]
