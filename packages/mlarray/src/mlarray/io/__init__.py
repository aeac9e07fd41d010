"""The only importer of blosc2: frames, raw metadata keys, stores, atomic publishing, locks."""
