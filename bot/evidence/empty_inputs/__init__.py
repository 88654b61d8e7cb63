"""Changed functions that divide by how much they were given, called with nothing."""
