"""Programs that run inside the sandbox; what they import beside the standard library is mounted there."""
