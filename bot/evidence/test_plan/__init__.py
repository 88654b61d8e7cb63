"""A test plan in PRDBench's format: its items run as written, and their points."""
