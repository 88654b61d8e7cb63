"""Programs that run inside the sandbox with nothing but Python's standard library around them."""
