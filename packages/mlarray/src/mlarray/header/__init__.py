"""The metadata document: bytes to plain maps and back, the rules it keeps, and its canonical form; no I/O."""
