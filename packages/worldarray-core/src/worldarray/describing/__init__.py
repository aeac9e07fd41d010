"""From the documents of a store to records: what stands at a path, how it is stored, where it lies."""
