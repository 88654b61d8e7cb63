"""One file an ecosystem: detect() says yes with a reason, or no."""
