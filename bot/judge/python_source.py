"""Parses Python that nobody trusts."""

from __future__ import annotations

import ast


def parse_python(source: str | None) -> ast.Module | None:
    """Return the syntax tree; None where there is no source, or none that can be parsed."""
    if source is None:
        return None
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
