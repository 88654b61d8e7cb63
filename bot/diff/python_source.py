"""Parses Python that nobody trusts."""

from __future__ import annotations

import ast

_TRIES = 3


def parse_python(source: str | None) -> ast.Module | None:
    """Return the syntax tree; None where there is no source, or none that can be parsed."""
    if source is None:
        return None
    for _ in range(_TRIES):
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        except SystemError:  # CPython 3.11 when a finalizer parses in the middle (gh-106905)
            continue
    return None
