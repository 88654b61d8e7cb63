"""What the code graph says: where to look, who uses what changed, and what must be run because of it."""
