"""From bytes to nodes: lines, encoding, YAML with every scalar as text, limits."""
