"""Records (SQL) and artifacts (files or object storage)."""
