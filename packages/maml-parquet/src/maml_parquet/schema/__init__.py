"""What is to be written: columns with their types, sizes, bounds and names, and the table's metadata."""
