"""What callers and users rely on: names, signatures, overrides, what a package loads and depends on."""
