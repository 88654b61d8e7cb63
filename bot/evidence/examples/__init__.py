"""The calls that a task shows, made on both sides."""
