"""Programs that run inside the sandbox."""
