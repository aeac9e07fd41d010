"""Which rows of a table are read, and in which order: filters and sort keys."""
