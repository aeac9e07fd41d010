"""Columns in memory, on pyarrow: types, conversions, bounds, rules, orders. pyarrow stays in here and in `files`."""
