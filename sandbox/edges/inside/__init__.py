"""Programs that run inside the sandbox, beside the code that they call."""
