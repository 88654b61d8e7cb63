"""Programs that run in the sandbox: they parse hostile files."""
