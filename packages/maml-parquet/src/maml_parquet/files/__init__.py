"""Parquet files: written, read, looked into."""
