"""Other formats to .mla and back, a module and a row of the table for each."""
