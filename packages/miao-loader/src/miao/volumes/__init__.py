"""A configuration and the documents of its stores become records of volumes."""
