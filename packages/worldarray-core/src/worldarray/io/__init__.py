"""The only rooms that touch stores; tensorstore is imported here alone, and only when it is used."""
