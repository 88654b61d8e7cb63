"""Shortens texts for a place with little room; what was left out always shows.

Clip what was scrubbed already, so that no cut can halve a secret.
"""

from __future__ import annotations


def clip(text: str, most_chars: int) -> str:
    """The beginning of a text."""
    return text if len(text) <= most_chars else text[: most_chars - 1].rstrip() + "…"


def clip_line(text: str, most_chars: int) -> str:
    """The beginning of a text as one line."""
    return clip(" ".join(text.split()), most_chars)


def clip_middle(text: str, most_chars: int) -> str:
    """Head and tail of an output: the cause stands first, the summary last."""
    if len(text) <= most_chars:
        return text
    half = most_chars // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n… {left_out:,} characters left out …\n{text[len(text) - half :]}"
