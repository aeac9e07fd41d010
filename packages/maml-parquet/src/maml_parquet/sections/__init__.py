"""From nodes to records: sections, fields, types, sizes, quality bounds, and every rule about them."""
