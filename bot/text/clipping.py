"""Shortens texts for a place with little room; what was left out always shows.

Clip what was scrubbed already, so that no cut can halve a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


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


def listed(texts: Iterable[str], most: int = 3) -> str:
    """A few of some texts, for a sentence, and how many more there are."""
    found = list(texts)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


# --- takes out of a program's output what differs from run to run and says nothing: times and addresses


_TOOK = re.compile(
    r"\b(in|after|took|finished in|duration_ms:?) \d+(?:\.\d+)? ?(?:ms|m?s\b|seconds?\b)?"
    r"(?=[\s,;)=.]|$)"
)
_LASTED = re.compile(r"\(\d+\.\d+ ?m?s\)")
_RULE = re.compile(r"={5,}")  # pytest's are as long as the time beside them is short
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")


def steady(output: str) -> str:
    """The output with "in 0.03s" and addresses of memory made equal.

    A question to a model must not hold them: the same question would never be remembered.
    """
    return _RULE.sub(
        "=====", _ADDRESS.sub("0x…", _LASTED.sub("(some time)", _TOOK.sub(_untimed, output)))
    )


def _untimed(found: re.Match[str]) -> str:
    is_time = "." in found[0] or found[1].startswith("duration")
    return f"{found[1]} some time" if is_time else found[0]
