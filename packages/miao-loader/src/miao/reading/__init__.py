"""The only importer of tensorstore: many windows are read together."""
