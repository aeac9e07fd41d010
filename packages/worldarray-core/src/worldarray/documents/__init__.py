"""One module per kind of document: JSON in, a frozen record out, or an error that names every problem."""
