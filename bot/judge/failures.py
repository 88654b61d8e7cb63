"""The one line of a test's failure that says most, whatever runner wrote it."""

from __future__ import annotations

import re

from bot.clipping import clip_line

MOST_CHARS = 240

_PYTEST = re.compile(r"^E +(\S.*)$", re.MULTILINE)
_EXPECTED = re.compile(r"^[^\S\n]*(Expected[^:\n]*:\s*\S.*)$", re.MULTILINE)
_RECEIVED = re.compile(r"^[^\S\n]*(Received[^:\n]*:\s*\S.*)$", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:: .*)?$")
_TELLING = re.compile(
    r"\b(?:assert\w*|\w*error|\w*exception|expected|panicked|failed|failure|got|want)\b",
    re.IGNORECASE,
)
_HEADINGS = ("---", "===", "at ", "FAIL")


def assertion_line(message: str) -> str:
    """Return what was expected and what was there instead, as one line; empty without a message."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if not lines:
        return ""
    return clip_line(_of_pytest(message) or _of_jest(message) or _of_others(lines), MOST_CHARS)


def _of_pytest(message: str) -> str:
    found = _PYTEST.search(message)
    return found[1] if found else ""


def _of_jest(message: str) -> str:
    expected, received = _EXPECTED.search(message), _RECEIVED.search(message)
    return f"{expected[1]}, {received[1]}" if expected and received else ""


def _of_others(lines: list[str]) -> str:
    """A traceback ends with what was raised; elsewhere the first telling line says it."""
    if any(_TRACEBACK in line for line in lines):
        raised = [line for line in lines if _RAISED.match(line)]
        return raised[-1] if raised else lines[-1]
    for at, line in enumerate(lines):
        if _TELLING.search(line) and not line.startswith(_HEADINGS):
            goes_on = line.endswith(":") and at + 1 < len(lines)
            return f"{line} {lines[at + 1]}" if goes_on else line
    return lines[0]
