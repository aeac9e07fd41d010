"""Chunks and blocks for patches, and what `storage` records of them; pure arithmetic."""
