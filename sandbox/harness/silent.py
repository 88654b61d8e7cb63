"""Laid over what must not run when Python starts."""
