"""One file an action kind."""
