"""What the project's own interpreter runs inside the sandbox: the standard library alone."""
