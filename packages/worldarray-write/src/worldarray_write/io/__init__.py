"""The part that touches stores: documents changed without losing anyone's change, and arrays opened for writing."""
