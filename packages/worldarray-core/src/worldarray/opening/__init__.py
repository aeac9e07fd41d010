"""From records to what a handle is made of: a level is chosen, axes pinned, units converted."""
